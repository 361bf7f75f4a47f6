"""Text of a note as a database or a file of notes holds it: markup and encodings are decoded.

Detectors read plain text. What is a document by its content (HTML, RTF, CDA, a message) is read by
the extractor of that format; text that was decoded wrongly is repaired. Data in fields (JSON, CSV,
XML, HL7) has no sentences that rules could read, and is refused. A stray sign is neither.
"""

import base64
import binascii
import csv
import json
import quopri
import re
from collections.abc import Callable
from html import unescape
from urllib.parse import unquote

from extractors.document.file_type import FileType, sniff
from extractors.document.limits import Extracted
from extractors.document.quality import has_private_words
from extractors.plain.encoding_detection import decode_western, repair_mojibake
from extractors.plain.plain_text import clean, decode
from record.errors import Unreadable

_LIMITS = frozenset(("too-long", "too-large", "timed-out", "out-of-memory", "crashed"))
_MARKED = frozenset((FileType.HTML, FileType.RTF, FileType.CDA))
_MIME = re.compile(r"^(?:content-transfer-encoding|mime-version):", re.IGNORECASE | re.MULTILINE)
_RTF = re.compile(r"\{\\rtf\d")
_BLOCK = re.compile(r"<(?:p|div|br|table|tr|t[dh]|li|[uo]l|h[1-6]|html|body|pre)\b", re.IGNORECASE)
_END_TAG = re.compile(r"</[A-Za-z][\w:.-]*\s*>")
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}[1-4]?|#\d{2,6}|#x[0-9A-Fa-f]{2,5});")
_KEY = re.compile(r"""[{,]\s{0,40}(["'])[^"'\n]{1,60}\1\s{0,3}:""")
_KEY_ENDS = ('":', "':", '" :')
_ROWS = re.compile(r"(?:<tr\b(?:(?!</?tr\b).)*+</tr\s*>\s*)++", re.IGNORECASE | re.DOTALL)
_HL7 = re.compile(r"(?:\A|\n|\r)(?:MSH\|\^~|PID\|[^\n]*\|)")
_SEVERAL = 3  # what one alone, or two, people type

# Bytes of letters in UTF-8, or between letters in a Western code page; line ends in the middle.
_QUOTED = re.compile(
    r"=C[2-5]=[89AB][0-9A-F]|=E2=8[0-2]=[89AB][0-9A-F]|[A-Za-z]=[C-F][0-9A-F](?=[a-z ,.;\n])"
)
_SOFT_BREAK = re.compile(r"[^\s=]=\r?\n(?=\S)")
_QUOTED_SIGNS = ("=C", "=D", "=E", "=F", "=\n", "=\r")
_BASE64_WIDTH = 60
_BASE64_LINE = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9+/]{60,}={0,2}")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]++={0,2}\s*")
# Such words within a line; that of twelve bytes at random all are characters is 1 in 140,000.
_BASE64_WORD = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{16,}={0,2}(?![A-Za-z0-9+/=])")
_LEAST_LETTERS = 6
_ESCAPES = re.compile(r"\\u[0-9A-Fa-f]{4}|\\x[89A-Fa-f][0-9A-Fa-f]|%C[2-5]%[89AB]")
# Signs as addresses write them, such as `%20`; of a link they are a part.
_TOKEN = re.compile(r"\S+")
_SIGN_ESCAPE = re.compile(r"%(?:2[0-9A-F]|3[A-F]|40|5[B-F]|7[B-E])", re.IGNORECASE)

# In text that was decoded wrongly, characters beyond ASCII come in pairs, or as controls.
_ASCII = bytes(range(128))
# 1 for a letter or sign, 2 for a control; nothing within ASCII is marked so.
_BEYOND = bytes(
    2 if 0x80 <= code <= 0x9F and code != 0x85 else 1 if code > 0x7F else max(code, 3)
    for code in range(256)
)
_SUSPECT = (b"\2", b"\1\1", b"\1?", b"?\1", b"??")
_LONE_CONTROL = re.compile("(?<![^\\W\\d_])[\x80-\x84\x86-\x9f](?![^\\W\\d_])")
_PIECE = re.compile("[^\0-\x7f]{2,}")
_WESTERN = re.compile("[\x09-\u024f\u2010-\u2044\u20ac\u2122\u2190-\u2265\ufb01\ufb02]*")
_TAKEN_FOR = ("cp850", "mac_roman", "cp437")
_SIGNS_OF_OTHERS = "├┬√ÔÇ"
_ROUNDS = 3
# Letters of a DOS code page, as Windows shows them between small letters: `pr‚sente`.
_DOS_SIGNS = "‚ƒ„†‡ˆ‰Š‹Œ“”•"
_DOS = re.compile(f"[{_DOS_SIGNS}…](?<=[a-z].)(?=[a-z])")
_LETTER = re.compile(r"[^\W\d_]")
_ACCENTED_SHARE = 0.6
_ENOUGH_ACCENTS = 12

_DELIMITERS = ",;\t|"
_LEAST_COLUMNS = 3
_LONG_NUMBER = re.compile(r"(?:\d[-./ ]?){8}")
_CAPITALIZED = re.compile(r"\s*[A-ZÀ-Þ][^\W\d_]{2,}(?:[ '-][^\W\d_]+)*\s*")
_IDENTITY = re.compile(
    r"(?i)\b(?:nom|pr[eé]nom|ddn|nip|ipp|name|first.?name|last.?name|surname|dob|mrn|birth\w*|ssn"
    r"|nombre|apellidos?|nhc|vorname|nachname|geb\w*|naam|voornaam|achternaam|patient\w*|paciente"
    r"|person\w*|address\w*|adresse|direcci[oó]n|phone|t[eé]l\w*)\b"
)


def read_note_text(text: str, read: Callable[[bytes], Extracted]) -> str:
    """Return the clean text of a note: decoded where it holds markup or an encoding.

    `read` extracts a document. The same text gives the same result each time. Raises Unreadable:
    `encoding` where text cannot be decoded to letters, `markup` for data in fields and for markup
    that cannot be read as a document; `too-long` and the other limits.
    """
    try:
        text, decoded = _decode_transfer(text, read)
        text = _repair(text)
    except Unreadable as error:
        raise _rename(error, "encoding") from None
    if has_private_words(text) or _has_base64_words(text):
        raise Unreadable("encoding")
    if decoded or not _may_be_marked(text):
        return clean(text)
    try:
        return _read_markup(text, read)
    except Unreadable as error:
        raise _rename(error, "markup") from None


def _rename(error: Unreadable, reason: str) -> Unreadable:
    return error if error.reason in _LIMITS else Unreadable(reason)


def _may_be_marked(text: str) -> bool:
    """Return in a few microseconds whether a text may hold markup; most hold no sign of it."""
    first = text.lstrip()[:1]
    return (
        first == "<"
        or (first in "{[" and '"' in text)
        or ("<" in text and "</" in text)
        or ("<" in text and "<br" in text.lower())
        or ("&" in text and _ENTITY.search(text) is not None)
        or any(end in text for end in _KEY_ENDS)
        or "{\\rtf" in text
        or "%PDF-" in text
        or "|^~" in text
        or "PID|" in text
        or _is_message(text)
        or _is_table(text)
    )


def _is_message(text: str) -> bool:
    named = "ime-" in text or "IME-" in text or "ransfer-" in text
    return named and _MIME.search(text) is not None


def _decode_transfer(text: str, read: Callable[[bytes], Extracted]) -> tuple[str, bool]:
    """Decode quoted-printable, signs of addresses, base64; the flag tells a document's text."""
    if _is_message(text):
        return text, False  # its extractor decodes it
    if _is_quoted(text):
        text = decode(quopri.decodestring(text.encode()))
    if ("\\" in text or "%C" in text) and len(_ESCAPES.findall(text)) >= _SEVERAL:
        raise Unreadable("encoding")
    if "%2" in text and len(_SIGN_ESCAPE.findall(text)) > 1:
        text = _TOKEN.sub(_decode_signs, text)
    lines = (line.strip() for line in text.split("\n") if len(line) >= _BASE64_WIDTH)
    if not any(" " not in line and _BASE64_LINE.fullmatch(line) for line in lines):
        return text, False
    if not _BASE64.fullmatch(text):
        raise Unreadable("encoding")
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except binascii.Error:
        raise Unreadable("encoding") from None
    return read(data).text, True


def _has_base64_words(text: str) -> bool:
    """Return whether a word of a text is other text in base64."""
    return any(_is_base64(word[0]) for word in _BASE64_WORD.finditer(text))


def _is_base64(word: str) -> bool:
    try:
        told = base64.b64decode(word, validate=True).decode()
    except ValueError:
        return False
    return told.isprintable() and sum(map(str.isalpha, told)) >= _LEAST_LETTERS


def _decode_signs(token: re.Match[str]) -> str:
    written = token[0]
    if "://" in written or len(_SIGN_ESCAPE.findall(written)) <= 1:
        return written
    return _SIGN_ESCAPE.sub(lambda sign: unquote(sign[0]), written)


def _is_quoted(text: str) -> bool:
    if "=" not in text or not any(sign in text for sign in _QUOTED_SIGNS):
        return False
    found = len(_QUOTED.findall(text)) + len(_SOFT_BREAK.findall(text))
    return found > 1 or "=C3=" in text


def _repair(text: str) -> str:
    """Repair text that was decoded with the wrong encoding; raises Unreadable."""
    if text.isascii():
        return text
    signs = text.encode("latin-1", "replace").translate(_BEYOND)
    suspect = any(sign in signs for sign in _SUSPECT)
    beyond = suspect or signs.count(b"?") > text.count("?")
    if suspect:
        text = _repair_suspect(text)
    if beyond and any(sign in text for sign in _DOS_SIGNS) and len(_DOS.findall(text)) > 1:
        text = decode_western(text.encode("cp1252"))
    return text


def _repair_suspect(text: str) -> str:
    for _ in range(_ROUNDS):
        before, text = text, _repair_pieces(text)
        if text == before:
            break
    if _has_controls(text):
        text = _LONE_CONTROL.sub(_read_control, text)
    text = repair_mojibake(text)
    if _has_controls(text) or _is_accented(text):
        raise Unreadable("encoding")
    return text


def _has_controls(text: str) -> bool:
    return b"\2" in text.encode("latin-1", "replace").translate(_BEYOND)


def _is_accented(text: str) -> bool:
    """Return whether most letters have accents: text of another script, as Latin letters."""
    beyond = len(text.encode("latin-1", "ignore").translate(None, _ASCII))
    if beyond < max(_ENOUGH_ACCENTS, len(text) // 4):
        return False
    letters: list[str] = _LETTER.findall(text)
    accented = sum("\x80" <= letter < "\u0250" for letter in letters)
    return accented > _ACCENTED_SHARE * len(letters)


def _repair_pieces(text: str) -> str:
    """Repair the pieces of a text that are UTF-8 in another encoding, each by itself."""
    pieces = {piece: _undo_misreading(piece) for piece in set(_PIECE.findall(text))}
    repaired = {piece: before for piece, before in pieces.items() if before}
    # Three bytes may by chance be a letter of another script.
    others = sum(not _WESTERN.fullmatch(before) for before in repaired.values())
    if others < _SEVERAL:
        repaired = {one: before for one, before in repaired.items() if _WESTERN.fullmatch(before)}
    return _PIECE.sub(lambda match: repaired.get(match[0], match[0]), text) if repaired else text


def _undo_misreading(piece: str) -> str:
    codes = _TAKEN_FOR if piece[0] in _SIGNS_OF_OTHERS else ()
    for encoding in ("", *codes):
        try:
            data = piece.encode(encoding) if encoding else b"".join(map(_windows_byte, piece))
            return data.decode()
        except UnicodeError:
            continue
    return ""


def _windows_byte(char: str) -> bytes:
    return char.encode("latin-1" if "\x80" <= char <= "\x9f" else "cp1252")


def _read_control(match: re.Match[str]) -> str:
    """Return the sign of Windows that a control character beside no letter stands for."""
    char = match[0].encode("latin-1").decode("cp1252", "replace")
    return char if not char.isalpha() and char != "\ufffd" else match[0]


def _read_markup(text: str, read: Callable[[bytes], Extracted]) -> str:
    text = text.removeprefix("\ufeff")
    data = text.encode("utf-8", "surrogatepass")
    kind = sniff(data)
    if kind is FileType.RTF:
        # One byte a letter: what is not ASCII is of the code page that it was read with.
        return read(text.encode("cp1252", "replace")).text
    if kind in _MARKED:
        return read(b"\xef\xbb\xbf" + _complete(text).encode("utf-8", "surrogatepass")).text
    if kind is FileType.MAIL and _is_message(text):
        return read(data).text
    if kind is FileType.PDF or _RTF.search(text) or _is_data(text):
        raise Unreadable("markup")
    return clean(_ENTITY.sub(lambda match: unescape(match[0]), text) if "&" in text else text)


def _complete(text: str) -> str:
    """Return markup that is read as it was meant: rows within a table, lines as lines."""
    if not _BLOCK.search(text):
        return text.replace("\n", "<br>\n")
    return text if "<table" in text.lower() else _ROWS.sub(r"<table>\g<0></table>", text)


def _is_data(text: str) -> bool:
    """Return whether a text is data in fields, or has a stretch of it."""
    if len(_END_TAG.findall(text)) >= _SEVERAL or len(_KEY.findall(text)) >= _SEVERAL:
        return True
    return _is_json(text) or _HL7.search(text) is not None or _is_table(text)


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "[") or '"' not in text:
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _is_table(text: str) -> bool:
    """Return whether all lines have the same columns, and they name persons.

    The first line names such columns, or each of the rows looks like one of a person: those of a
    table of measurements do not.
    """
    first = text.lstrip("\r\n").partition("\n")[0]
    found = [one for one in _DELIMITERS if first.count(one) >= _LEAST_COLUMNS - 1]
    return any(_has_columns_of_persons(text, delimiter) for delimiter in found)


def _has_columns_of_persons(text: str, delimiter: str) -> bool:
    head, *rows = _read_columns(text, delimiter)
    if not rows:
        return False
    if len(_IDENTITY.findall(delimiter.join(head))) > 1:
        return True
    prose = delimiter == "," and sum(cell.startswith(" ") for cell in head) > len(head) // _SEVERAL
    return not prose and len(head) > _LEAST_COLUMNS and all(map(_is_of_person, (head, *rows)))


def _is_of_person(row: list[str]) -> bool:
    """Return whether a row has three words with a capital, or two beside a date or number."""
    words = sum(map(bool, map(_CAPITALIZED.fullmatch, row)))
    return words >= _SEVERAL or (words > 1 and any(map(_LONG_NUMBER.search, row)))


def _read_columns(text: str, delimiter: str) -> list[list[str]]:
    """Return the rows of a table; the first alone where another has not as many columns."""
    lines = (line for line in text.splitlines() if line.strip())
    found: list[list[str]] = []
    for row in csv.reader(lines, delimiter=delimiter):
        if found and len(row) != len(found[0]):
            return found[:1]
        found.append(row)
    return found

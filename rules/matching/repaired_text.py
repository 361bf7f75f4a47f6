"""Places of a text whose letters are written by other means, repaired, with offsets back.

Entities of HTML, escapes of mail, addresses and JSON, marks of markup within words, bytes read in a
wrong encoding, names in the zone of a passport that machines read, and letters of other scripts
that look like Latin ones.
"""

import html
import re
from collections.abc import Callable, Iterator
from functools import cache

from record.folding import fold

# What looks like a Latin letter, or is one in another shape, by the Latin letter.
_LOOKALIKES = {
    "a": "аαɑᴀᎪ🅰", "b": "вьβʙᏴ🅱", "c": "сϲᴄⅽᏟ🅲", "d": "ԁᴅɖժᎠ🅳", "e": "еєεᴇҽᎬ🅴", "f": "ϝꜰƒ🅵",
    "g": "ɡɢցᏀ🅶", "h": "нһηʜհᎻ🅷", "i": "іιɪɩ🅸", "j": "јϳᴊᎫ🅹", "k": "кκᴋᏦ🅺", "l": "ʟⅼᏞӏ🅻",
    "m": "мᴍⅿᎷμ🅼", "n": "пɴոνԉ🅽", "o": "оοσᴏօ🅾", "p": "рρᴘᏢ🅿", "q": "ԛգ🆀", "r": "гʀᏒ🆁",
    "s": "ѕꜱՏᏚ🆂", "t": "тτᴛᎢ🆃", "u": "υᴜսц🆄", "v": "ѵᴠⅴᏙ🆅", "w": "ԝωᴡաᎳ🆆", "x": "хχⅹ🆇",
    "y": "уγʏყ🆈", "z": "ᴢζᏃ🆉",
}  # fmt: skip
_TABLE = {ord(other): letter for letter, others in _LOOKALIKES.items() for other in others}
_TABLE |= {
    ord(upper): letter.upper()
    for letter, others in _LOOKALIKES.items()
    for other in others
    if len(upper := other.upper()) == 1 and upper != other and ord(upper) not in _TABLE
}
# Capitals that look like other Latin letters than the small ones do, circled and squared letters.
_TABLE |= dict(zip(map(ord, "ΗΝΡΒνΥΧ"), "HNPBvYX", strict=True))
_TABLE |= {
    first + at: "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[at]
    for first in (0x1F150, 0x1F170, 0x1F1E6)
    for at in range(26)
}
# Bytes of old code pages of DOS, read as those of Windows or as control characters.
_DOS = bytes(range(0x80, 0xA8))
_DOS_LETTERS = {
    read: letter
    for byte in _DOS
    if (letter := bytes((byte,)).decode("cp850")).isalpha()
    for read in (chr(byte), bytes((byte,)).decode("cp1252", "replace"))
    if read not in "\ufffd\u00a0'’–—"
}
_ODD = frozenset((*map(chr, _TABLE), *_DOS_LETTERS))
_ALIKE = re.compile(f"[{''.join(map(re.escape, map(chr, _TABLE)))}]")
_ENTITY = re.compile(r"&(?:amp;)?#?[0-9A-Za-z]{2,8};")
_ESCAPE = re.compile(
    r"(?:=[0-9A-Fa-f]{2})+|(?:%[0-9A-Fa-f]{2})+|(?:\\x[0-9A-Fa-f]{2})+"
    r"|(?<=[^\W_])=\r?\n(?=[^\W_])"
)
_UTF_7 = re.compile(r"\+[A-Z][A-Za-z0-9+/]{2,7}-")
_RICH = re.compile(
    r"\\'[0-9A-Fa-f]{2}|\\X[0-9A-Fa-f]{2}\\|\\\.[a-z]{2}\\|\\[A-Z]\\|\{\\[a-z]{1,9}[0-9]{0,3} |\}"
)
_DICTATED = re.compile(
    r"(?:(?<![^\W_])[^\W\d_],? (?:comme|como|wie|as in|for) [^\W\d_]{2,12}[ ,;.]{0,3}){3,}"
)
_FOREIGN = re.compile("(?<![^\\W_])(?:[\u0400-\u0452]{3,}|[\u0386-\u03ce]{3,})(?![^\\W_])")
_FOOT = re.compile(  # of folded text
    r"(?<=[^\W_])-\s{1,4}-{0,3} ?page [0-9]{1,3}(?:(?: sur | of |/)[0-9]{1,3})?"
    r" ?-{0,3}\s{1,4}(?=[^\W_])"
)
# The names in a passport's machine-readable zone, from the sign after its type (ICAO 9303).
_ZONE = re.compile("<[A-Z<]{3}[A-Z]{2,30}<[A-Z<]{1,40}")
_REVERSED = re.compile("\u202e[^\u202c\n]{2,60}\u202c?")
_UNICODE = re.compile(r"\\u([0-9A-Fa-f]{4})")
_MARKUP = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,9}(?:[ \n][^<>]{0,120})?/?>|<!--[^<>]{0,60}-->")
# Bytes of UTF-8 read as those of Western encodings.
_MOJIBAKE = re.compile("[ÃÂÄÅâ][\u0080-\u00bfŒœŠšŽžŸƒˆ˜–—‘’‚“”„†‡•…‰‹›€™ ]{1,2}")
# Controls, and those marks of Latin-1 that are letters in an old code page.
_CONTROLS = "\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\xa1-\xa5"
_CONTROL = re.compile(f"[{_CONTROLS}]")
_PRINTED = bytes(code for code in range(256) if not _CONTROL.match(chr(code)))
_ESCAPED = re.compile(r"\x1b\[[0-9;]{0,8}[A-Za-z]|.[\x08\x7f]")
_UNPRINTED = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_SPELT = re.compile(r"(?<![^\W_])([^\W\d_])(?=,? )")
_LATIN = dict(
    zip(
        "абвгдезийклмнопрстуфыэёαβγδεζηικλμνοπρσςτυφωάέήίόύώ",
        "abvgdeziiklmnoprstufyeeabgdeziiklmnoprsstyfoaeiioyo",
        strict=True,
    )
)
_LATIN |= {"ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sh", "ю": "yu", "я": "ya"}
_LATIN |= {"ь": "", "ъ": "", "θ": "th", "ξ": "x", "χ": "ch", "ψ": "ps"}
# Two letters of Greek that stand for one sound.
_GREEK_PAIRS = (("ντ", "δ"), ("μπ", "β"), ("γκ", "γ"))
# A letter that stands alone beside another one, in letters set apart.
_WIDEST_GAP = 4
_SPACED_AFTER = re.compile(r"[^\w\n]{1,4}[^\W\d_](?![^\W_])")
_SPACED_BEFORE = re.compile(r"(?<![^\W_])[^\W\d_][^\w\n]{1,4}$")
_AROUND = 64
_BLANK = re.compile(r"[ \n]")
_MOST_PASSES = 3
_APART = "\0\0"


class RepairedText:
    """A text of the places that were repaired; `starts` and `ends` lead back, letter by letter."""

    __slots__ = ("ends", "source", "starts", "text")

    def __init__(self, source: str, text: str, starts: list[int], ends: list[int]) -> None:
        self.source = source
        self.text = text
        self.starts = starts
        self.ends = ends

    def __repr__(self) -> str:
        return f"RepairedText({len(self.text)} code points)"

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the source, half open, of a place in the text."""
        return self.starts[start], max(self.ends[start:end])


def repair(text: str, data: bytes) -> RepairedText | None:
    """Repair a text; None where it needs none. `data` are its folded bytes (`?` beyond Latin-1)."""
    damaged = sorted(_find_damage(text, data))
    if not damaged:
        return None
    places = _widen(text, damaged)
    kept = _APART.join(text[start:end] for start, end in places)
    starts: list[int] = []
    for start, end in places:
        starts += [*range(start, end), *([end] * len(_APART))]
    del starts[len(kept) :]
    repaired = RepairedText(text, kept, starts, [at + 1 for at in starts])
    for _ in range(_MOST_PASSES):
        before = repaired.text
        for expression, replace in _REPAIRS:
            repaired = _replace(repaired, expression, replace)
        if repaired.text == before:
            break
    return repaired if repaired.text != kept else None


def _find_damage(text: str, data: bytes) -> Iterator[tuple[int, int]]:
    """Yield what may need repair; each is looked for by a sign that is cheap to find."""
    signs = data.translate(None, _NO_SIGNS)
    for sign, expression in _SIGNS:
        if sign in signs:
            yield from _matches_at(text, data, sign, expression)
    if b"age " in data and any(foot in data for foot in _FEET):
        # As data: digits and letters of all kinds are plain there.
        yield from (match.span() for match in _FOOT.finditer(data.decode("latin-1")))
    if data.count(b" comme ") >= _FEWEST_DICTATED:
        yield from (match.span() for match in _DICTATED.finditer(text))
    if signs.translate(None, _PRINTED):
        yield from (match.span() for match in _CONTROL.finditer(text))
    if not text.isascii():
        for lead in _MOJIBAKE_LEADS:
            at = text.find(lead)
            while at >= 0:
                match = _MOJIBAKE.match(text, at)
                if match:
                    yield match.span()
                at = text.find(lead, at + 1)
        if b"?" in signs:
            yield from _find_odd_letters(text, data)


def _matches_at(
    text: str, data: bytes, sign: bytes, expression: re.Pattern[str]
) -> Iterator[tuple[int, int]]:
    at = data.find(sign)
    while at >= 0:
        match = expression.match(text, at)
        if match:
            yield match.span()
        at = data.find(sign, match.end() if match else at + 1)


def _find_odd_letters(text: str, data: bytes) -> Iterator[tuple[int, int]]:
    """Yield what looks like a letter beside one; Greek letters alone are measures and drugs."""
    at = data.find(b"?")
    while at >= 0:
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if (text[at] in _ODD or text[at].lower() in _LATIN) and (
            _is_letter(before)
            or _is_letter(after)
            or (before.isdigit() and after.isdigit())
            or _SPACED_AFTER.match(text, at + 1)
            or _SPACED_BEFORE.search(text, max(0, at - _WIDEST_GAP - 1), at)
        ):
            yield at, at + 1
        at = data.find(b"?", at + 1)


def _is_letter(char: str) -> bool:
    return char.isalpha() or char in _ODD


def _widen(text: str, damaged: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in damaged:
        first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
        if first:
            blank = _BLANK.search(text, first, start)
            first = blank.end() if blank else first
        if last < len(text):
            blank = _BLANK.search(text, last, last + _AROUND)
            last = blank.start() if blank else last
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _replace(
    repaired: RepairedText, expression: re.Pattern[str], replace: Callable[[str], str | None]
) -> RepairedText:
    text, starts, ends = repaired.text, repaired.starts, repaired.ends
    pieces: list[str] = []
    first: list[int] = []
    last: list[int] = []
    at = 0
    for match in expression.finditer(fold(text) if expression is _FOOT else text):
        made = replace(match.group())
        if made is None:
            continue
        start, end = match.span()
        pieces += (text[at:start], made)
        first += (*starts[at:start], *[starts[start]] * len(made))
        last += (*ends[at:start], *[ends[end - 1]] * len(made))
        at = end
    if not at:
        return repaired
    return RepairedText(
        repaired.source, "".join((*pieces, text[at:])), first + starts[at:], last + ends[at:]
    )


def _read_entity(written: str) -> str | None:
    made = html.unescape(html.unescape(written))
    return made if made != written and len(made) <= 2 else None


def _read_escape(written: str) -> str | None:
    if written[1] in "\r\n":
        return ""
    data = bytes.fromhex(written.replace("\\x", "=").replace("%", "=").replace("=", ""))
    return _decode(data) or _decode(data, "cp1252")


def _read_unicode(written: str) -> str | None:
    made = chr(int(written[2:], 16))
    return made if made.isprintable() else None


def _read_mojibake(written: str) -> str | None:
    for size in range(len(written), 1, -1):
        data = b"".join(_western_byte(char) for char in written[:size])
        made = _decode(data) if len(data) == size else None
        if made:
            return made + written[size:]
    return None


def _decode(data: bytes, encoding: str = "utf-8") -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


@cache
def _western_byte(char: str) -> bytes:
    """Return the byte that a character was read from; that of a blank is one that keeps lines."""
    if char == " ":
        return b"\xa0"
    for encoding in ("latin-1", "cp1252"):
        try:
            return char.encode(encoding)
        except UnicodeEncodeError:
            continue
    return b""


def _drop(_written: str) -> str:
    return ""


def _read_utf_7(written: str) -> str | None:
    made = _decode(written.encode("ascii"), "utf-7")
    return made if made and made.isprintable() else None


def _read_rich(written: str) -> str | None:
    """Read what Rich Text and HL7 write for a letter; what else they write carries none."""
    code = re.search(r"['X]([0-9A-Fa-f]{2})", written)
    return _decode(bytes.fromhex(code[1]), "cp1252") if code else ""


def _read_dictated(written: str) -> str:
    return "".join(_SPELT.findall(written)) + " "


def _transliterate(written: str) -> str:
    """Write letters of another alphabet in Latin ones, by their sound and by their look."""
    for letters, sound in _GREEK_PAIRS:
        written = re.sub(letters, sound, written, flags=re.IGNORECASE)
    sounds = "".join(_LATIN.get(char, _LATIN.get(char.lower(), "").upper()) for char in written)
    if all(ord(char) in _TABLE for char in written):
        return f"{''.join(_TABLE[ord(char)] for char in written)} {sounds}"
    return sounds


def _read_reversed(written: str) -> str:
    return written.strip("\u202e\u202c")[::-1]


def _read_alike(written: str) -> str:
    return _TABLE[ord(written)]


def _read_dos(written: str) -> str:
    return _DOS_LETTERS[written]


def _read_zone(written: str) -> str:
    return " " + written[4:].replace("<", " ")


_REPAIRS = (
    (_ZONE, _read_zone),
    (_ESCAPED, _drop),
    (_UNPRINTED, _drop),
    (_ESCAPE, _read_escape),
    (_UNICODE, _read_unicode),
    (_UTF_7, _read_utf_7),
    (_RICH, _read_rich),
    (_ENTITY, _read_entity),
    (_MARKUP, _drop),
    (_DICTATED, _read_dictated),
    (_FOOT, _drop),
    (_REVERSED, _read_reversed),
    (_MOJIBAKE, _read_mojibake),
    (_FOREIGN, _transliterate),
    (_ALIKE, _read_alike),
    (re.compile(f"[{''.join(map(re.escape, _DOS_LETTERS))}]"), _read_dos),
)
_FEET = (b"\npage ", b"- page ")
_FEWEST_DICTATED = 3
_MOJIBAKE_LEADS = "ÃÂÄÅâ"
# What begins each of the others, in folded bytes.
_SIGNS = (
    (b"&", _ENTITY),
    (b"=", _ESCAPE),
    (b"%", _ESCAPE),
    (b"\\", _ESCAPE),
    (b"\\", _UNICODE),
    (b"\\", _RICH),
    (b"{", _RICH),
    (b"<", _MARKUP),
    (b"<", _ZONE),
    (b"+", _UTF_7),
    (b"?", _REVERSED),
)
_NO_SIGNS = bytes(
    code
    for code in range(256)
    if not _CONTROL.match(chr(code)) and bytes((code,)) not in dict(_SIGNS)
)

"""Extraction of plain text: decoding of bytes, and the cleaning that all extracted text gets."""

import codecs
import re
import unicodedata

from extractors.document.limits import Extracted, Limits
from extractors.plain.encoding_detection import (
    decode_unmarked_utf16,
    decode_western,
    is_accidental_utf8,
    repair_mojibake,
)
from record.errors import Unreadable

# UTF-32 before UTF-16, since its mark begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Lines that every PDF has, and no letter.
_PDF_SOURCE = re.compile(
    r"^[ \t]*(?:%PDF-\d|\d{1,10} \d{1,5} obj\b|end(?:obj|stream)[ \t]*$)", re.MULTILINE
)

_ALLOWED_CONTROLS = frozenset("\t\n\v\f\r\x1a\x85")


def extract(data: bytes, limits: Limits) -> Extracted:
    """Extract a text file.

    Raises Unreadable: `unknown-encoding`, `mojibake`, `unknown-format` for binary data, `too-long`,
    `broken` for the source of a PDF, whose header is missing or late.
    """
    text = clean(decode(data))
    if _PDF_SOURCE.search(text):
        raise Unreadable("broken")
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    return Extracted(text, "plain")


def decode(data: bytes) -> str:
    """Decode Unicode, or a Western code page if the spelling leaves no doubt which one.

    Text that was decoded wrongly before is repaired where that is exact. Raises Unreadable:
    `unknown-encoding`, `mojibake`, or `unknown-format` for binary data.
    """
    text = _decode_by_bom(data)
    if text is None:
        text = decode_unmarked_utf16(data) if b"\0" in data else _decode_unmarked(data)
    if any(_is_binary(char) for char in set(text)):
        raise Unreadable("unknown-format")
    return text


def _decode_by_bom(data: bytes) -> str | None:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return repair_mojibake(data[len(mark) :].decode(encoding))
            except UnicodeDecodeError:
                raise Unreadable("unknown-encoding") from None
    return None


def _decode_unmarked(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return decode_western(data)
    return decode_western(data) if is_accidental_utf8(text) else repair_mojibake(text)


def _is_binary(char: str) -> bool:
    return unicodedata.category(char) == "Cc" and char not in _ALLOWED_CONTROLS


class _Cleaner(dict[int, str]):
    """Table for `str.translate` that removes or replaces characters; filled on demand."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if code in _SYMBOLS:
            kept = chr(code & 0xFF)
        elif bracketed := _BRACKETED.fullmatch(unicodedata.normalize("NFKC", char)):
            kept = bracketed[1]
        elif category == "Cs":
            kept = "\ufffd"
        elif category == "Cc" or _INVISIBLE.match(char):
            kept = ""
        else:
            kept = char
        self[code] = kept
        return kept


_SYMBOLS = range(0xF020, 0xF07F)
"""What fonts with a table of their own, as symbols and bar codes have, make of ASCII characters."""
_BRACKETED = re.compile("[(〔]([A-Za-z])[)〕]")
"""The form NFKC of one character for a letter in brackets; the letter stays, and parts no name."""

# Zero width characters, direction marks, variation selectors and tags can split a name invisibly.
_INVISIBLE = re.compile(
    "[\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
# Colours of a terminal, and what it shows backwards: without the signs alone, letters would stay
# apart or in the wrong order.
TERMINAL = "\x1b\\[[0-9;]{0,8}[A-Za-z]"
BACKWARDS = "\u202e[^\u202c\n]*\u202c?"
_ERASED_LETTER = "[^\\W\\d_]\x7f"
ERASED = f"[^\n\x08]\x08|{_ERASED_LETTER}"
"""A character and the step back, which erases it or prints another over it; a letter and the key
that erases it."""
_DELETED = re.compile(_ERASED_LETTER)
_TERMINAL = re.compile(TERMINAL)
_BACKWARDS = re.compile(BACKWARDS)
_LINE_BREAKS = dict.fromkeys(map(ord, "\n\v\f\r\x85\u2028\u2029"), "\n")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_CLEANER = _Cleaner({**_LINE_BREAKS, **_LIGATURES, ord("\t"): "\t"})

# Characters that are never changed in any context; most notes hold no others.
_AS_IT_IS = re.compile(
    "[\t\n -~\xa0-\xac\xae-\u017f\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026\u20ac]*"
)

_SOFT_BREAK = re.compile("(?<=[^\\W\\d_])\u00ad+[^\\S\n]*\n[^\\S\n]*(?=([^\\W\\d_]))")
_DRAWN_HYPHEN = re.compile("\u00ad+(?=[^a-zß-öø-ÿœ\u00ad]|$)")


def clean(text: str) -> str:
    """Normalize extracted text; the function is idempotent.

    Line breaks become `\\n`, control and invisible characters are removed, ligatures are expanded,
    and the result is in Unicode form NFC. What a terminal erased is left out, and what it shows
    backwards is turned. ASCII characters in the private area of symbol fonts become themselves. A
    soft hyphen at a line end within a word is removed
    together with the line break, one within a word is removed, any other becomes a hyphen.
    """
    if _AS_IT_IS.fullmatch(text):
        return text
    if any(sign in text for sign in "\x08\x1b\x7f\u202e"):
        text = _apply_terminal(text)
    text = text.replace("\r\n", "\n").translate(_CLEANER)
    if "\u00ad" in text:
        text = _SOFT_BREAK.sub(_join_word, text)
        text = _DRAWN_HYPHEN.sub("-", text).replace("\u00ad", "")
    return unicodedata.normalize("NFC", text)


def _apply_terminal(text: str) -> str:
    text = _BACKWARDS.sub(lambda match: match[0].strip("\u202e\u202c")[::-1], text)
    text = _DELETED.sub("", _TERMINAL.sub("", text))
    if "\x08" not in text:
        return text
    shown: list[str] = []
    for char in text:
        if char != "\x08":
            shown.append(char)
        elif shown and shown[-1] != "\n":
            shown.pop()
    return "".join(shown)


def _join_word(match: re.Match[str]) -> str:
    # Before a capital the hyphen is part of a double name: Jean-/Paul.
    return "" if match[1].islower() else match[0].replace("\u00ad", "-")

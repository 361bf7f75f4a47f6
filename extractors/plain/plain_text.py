"""Plain text: bytes to characters without guessing wrong, and characters to clean text."""

import codecs
import re
import unicodedata

from extractors.document.limits import Extracted, Limits
from extractors.plain.encoding_detection import is_chance, repair, unmarked, western
from record.errors import Unreadable

# The longer mark first: that of UTF-32 begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_ALLOWED_CONTROLS = frozenset("\t\n\v\f\r\x1a\x85")


def extract(data: bytes, limits: Limits) -> Extracted:
    """Read a text file.

    Raises Unreadable: `unknown-encoding`, `mojibake`, `unknown-format` for binary data, `too-long`.
    """
    text = clean(decode(data))
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    return Extracted(text, "plain")


def decode(data: bytes) -> str:
    """Decode Unicode, or a Western code page where what it spells leaves no doubt which.

    UTF-8 that was made of UTF-8 read as something else is put right where that is exact. Raises
    Unreadable: `unknown-encoding`, `mojibake`, or `unknown-format` for binary data.
    """
    text = _marked(data)
    if text is None:
        text = unmarked(data) if b"\0" in data else _unmarked_bytes(data)
    if any(_is_binary(char) for char in set(text)):
        raise Unreadable("unknown-format")
    return text


def _marked(data: bytes) -> str | None:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return repair(data[len(mark) :].decode(encoding))
            except UnicodeDecodeError:
                raise Unreadable("unknown-encoding") from None
    return None


def _unmarked_bytes(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return western(data)
    return western(data) if is_chance(text) else repair(text)


def _is_binary(char: str) -> bool:
    return unicodedata.category(char) == "Cc" and char not in _ALLOWED_CONTROLS


class _Cleaner(dict[int, str]):
    """Maps a code point to what stays of it; filled on demand, used by `str.translate`."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if category == "Cs":
            kept = "\ufffd"
        elif category == "Cc" or _INVISIBLE.match(char):
            kept = ""
        else:
            kept = char
        self[code] = kept
        return kept


# Zero width, direction marks, variation selectors, tags: they would split a name unseen.
_INVISIBLE = re.compile(
    "[\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_LINE_BREAKS = dict.fromkeys(map(ord, "\n\v\f\r\x85\u2028\u2029"), "\n")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_CLEANER = _Cleaner({**_LINE_BREAKS, **_LIGATURES, ord("\t"): "\t"})

# Nothing of these is ever changed, alone or side by side; most notes hold nothing else.
_AS_IT_IS = re.compile(
    "[\t\n -~\xa0-\xac\xae-\u017f\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026\u20ac]*"
)

_SOFT_BREAK = re.compile("(?<=[^\\W\\d_])\u00ad+[^\\S\n]*\n[^\\S\n]*(?=([^\\W\\d_]))")
_DRAWN_HYPHEN = re.compile("\u00ad+(?=[^a-zß-öø-ÿœ\u00ad]|$)")


def clean(text: str) -> str:
    """Bring text into the form all of ours has; cleaning it again changes nothing.

    Line breaks become `\\n`; control and invisible characters go; ligatures are spelled out;
    what is left is in Unicode form NFC. A soft hyphen that parts a word at a line's end goes with
    the line break, one within a word goes, any other becomes a hyphen.
    """
    if _AS_IT_IS.fullmatch(text):
        return text
    text = text.replace("\r\n", "\n").translate(_CLEANER)
    if "\u00ad" in text:
        text = _SOFT_BREAK.sub(_join, text)
        text = _DRAWN_HYPHEN.sub("-", text).replace("\u00ad", "")
    return unicodedata.normalize("NFC", text)


def _join(match: re.Match[str]) -> str:
    # A capital after the break begins the second half of a double name: Jean-/Paul.
    return "" if match[1].islower() else match[0].replace("\u00ad", "-")

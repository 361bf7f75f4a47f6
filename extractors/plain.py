"""Plain text: bytes to characters without guessing wrong, and characters to clean text."""

import codecs
import re
import unicodedata

from charset_normalizer import from_bytes

from extractors.limits import Extracted, Limits
from record.errors import Unreadable

# The longer mark first: that of UTF-32 begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# What else writes one byte a letter in Western Europe: DOS and classic Mac OS.
_RIVALS = ("cp1252", "cp850", "mac_roman")
_SAMPLE_BYTES = 200_000
# Below this many letters beyond ASCII, statistics on encodings are noise.
_ENOUGH_LETTERS = 6

# UTF-8 that was damaged somewhere decodes as cp1252 too, into pairs such as `Ã©`.
_UTF8_PAIR = re.compile(rb"[\xc2-\xc5][\x80-\xbf]|\xe2[\x80-\x82][\x80-\xbf]")
# Read in the wrong code page, letters and signs change places (DOS: `h“pital`, `opr‚`, `38 øC`;
# Mac OS: `opŽrŽ`, `lÕhomme`): signs nobody writes, signs in or after words, capitals within
# words, letters standing alone that are no words.
_WRONG = (
    re.compile("[‚ƒ„‡ˆ˜¤¦¸]"),
    re.compile("[^\\W\\d_][†‰‹›•¨©¬¯±¶¹²³¼½¾¿÷“”][^\\W\\d_]"),
    re.compile("[^\\W\\d_][¡¢£¥§]"),
    re.compile("[a-zß-öø-ÿ][À-ÖØ-ÞŠŽŒŸ]"),
    re.compile(r"\b(?<!['’])[ÇÈÊËøÿÐÞþðßæ]\b|\d ?ø"),
)
# Without one accented letter, signs alone decide: these are sure.
_SURE = re.compile("[’‘«»“”–•°²³µ±½€\u00a0]")
_LETTERS_BEYOND_ASCII = re.compile(r"[À-ÿŒœŠšŽžŸ]")
_ALLOWED_CONTROLS = frozenset("\t\n\v\f\r\x1a\x85")


def extract(data: bytes, limits: Limits) -> Extracted:
    """Read a text file.

    Raises Unreadable: `unknown-encoding`, `unknown-format` for binary data, `too-long`.
    """
    text = clean(decode(data))
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    return Extracted(text, "plain")


def decode(data: bytes) -> str:
    """Decode UTF-8, UTF-16 or UTF-32 with a mark, or else Windows-1252 where it is beyond doubt.

    Raises Unreadable: `unknown-encoding`, or `unknown-format` for binary data.
    """
    text = _unicode(data)
    if text is None:
        text = _western(data)
    if any(_is_binary(char) for char in set(text)):
        raise Unreadable("unknown-format")
    return text


def _unicode(data: bytes) -> str | None:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding)
            except UnicodeDecodeError:
                raise Unreadable("unknown-encoding") from None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _western(data: bytes) -> str:
    if b"\0" in data:
        raise Unreadable("unknown-format")
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        raise Unreadable("unknown-encoding") from None
    if _UTF8_PAIR.search(data) or _looks_wrong(text) or _rival_fits_better(data, text):
        raise Unreadable("unknown-encoding")
    return text


def _looks_wrong(text: str) -> bool:
    if any(pattern.search(text) for pattern in _WRONG):
        return True
    letters = len(_LETTERS_BEYOND_ASCII.findall(text))
    if not letters:
        return not _SURE.sub("", text).isascii()
    # Other alphabets (Greek, Cyrillic) come out as accented letters almost alone.
    return letters > _ENOUGH_LETTERS and letters > 0.35 * sum(map(str.isalpha, text))


def _rival_fits_better(data: bytes, text: str) -> bool:
    if len(_LETTERS_BEYOND_ASCII.findall(text[:_SAMPLE_BYTES])) < _ENOUGH_LETTERS:
        return False
    best = from_bytes(data[:_SAMPLE_BYTES], cp_isolation=list(_RIVALS)).best()
    return best is None or best.encoding != "cp1252"


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

_SOFT_BREAK = re.compile("(?<=[^\\W\\d_])\u00ad+[^\\S\n]*\n[^\\S\n]*(?=([^\\W\\d_]))")
_DRAWN_HYPHEN = re.compile("\u00ad+(?=[^a-zß-öø-ÿœ\u00ad]|$)")


def clean(text: str) -> str:
    """Bring text into the form all of ours has; cleaning it again changes nothing.

    Line breaks become `\\n`; control and invisible characters go; ligatures are spelled out;
    what is left is in Unicode form NFC. A soft hyphen that parts a word at a line's end goes with
    the line break, one within a word goes, any other becomes a hyphen.
    """
    text = text.replace("\r\n", "\n").translate(_CLEANER)
    if "\u00ad" in text:
        text = _SOFT_BREAK.sub(_join, text)
        text = _DRAWN_HYPHEN.sub("-", text).replace("\u00ad", "")
    return unicodedata.normalize("NFC", text)


def _join(match: re.Match[str]) -> str:
    # A capital after the break begins the second half of a double name: Jean-/Paul.
    return "" if match[1].islower() else match[0].replace("\u00ad", "-")

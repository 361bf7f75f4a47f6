"""Encodings that do not say which they are, told apart by what the text spells in them."""

import re
from dataclasses import dataclass, field

from extractors.plain.text_plausibility import (
    Wording,
    wording,
)
from record.errors import Unreadable

# Windows, Unix, DOS, classic Mac OS. The first one is by far the most frequent.
_WINDOWS = "cp1252"
_OTHERS = ("iso8859_15", "cp850", "cp858", "cp437", "mac_roman")

_SAMPLE = 20_000  # characters beyond ASCII that are looked at
_WRONG = 4
_WRONG_SHARE = 0.02
# Most oddity for each character beyond ASCII.
_MOST_ODD, _MOST_ODD_OTHERWISE = 1.0, 0.5
# By how much any other reading must be odder, and what being Windows counts for.
_MARGIN = 3
_HEAD_START = 2

# UTF-8 that was damaged somewhere decodes in other ways too, into pairs such as `Ã©`.
_UTF8_PAIR = re.compile(rb"[\xc2\xc3\xc5][\x80-\xbf]|\xe2[\x80-\x82][\x80-\xbf]")


# Letters and signs are told by their neighbours: without any, by nothing.
_ASCII_WORD = re.compile(rb"[0-9A-Za-z]")


def western(data: bytes) -> str:
    """Decode one byte a letter where letters and signs make sense in one Western code page alone.

    Raises Unreadable(`unknown-encoding`) where they do in none, or in several.
    """
    if _UTF8_PAIR.search(data) or not (data.isascii() or _ASCII_WORD.search(data)):
        raise Unreadable("unknown-encoding")
    readings = sorted(_readings(data), key=lambda reading: reading.score)
    if not readings:
        raise Unreadable("unknown-encoding")
    best = readings[0]
    most = _MOST_ODD if best.encoding == _WINDOWS else _MOST_ODD_OTHERWISE
    in_doubt = any(reading.score < best.score + _MARGIN for reading in readings[1:])
    if in_doubt or not _makes_sense(best.wording, most):
        raise Unreadable("unknown-encoding")
    return best.text


@dataclass(frozen=True, slots=True)
class _Reading:
    text: str = field(repr=False)
    encoding: str
    wording: Wording

    @property
    def score(self) -> int:
        head_start = _HEAD_START if self.encoding == _WINDOWS else 0
        return self.wording.oddity + self.wording.rarity - head_start


def _readings(data: bytes) -> list[_Reading]:
    """Return each text the bytes may spell, with the first encoding in which they do."""
    readings: dict[str, _Reading] = {}
    for encoding in (_WINDOWS, *_OTHERS):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text not in readings:
            readings[text] = _Reading(text, encoding, wording(text, _SAMPLE))
    return list(readings.values())


def _makes_sense(found: Wording, most: float) -> bool:
    count = len(found.oddities)
    wrong = sum(value >= _WRONG for value in found.oddities)
    return wrong <= _WRONG_SHARE * count and found.oddity <= most * count


# What one byte a letter gives when two bytes happen to be UTF-8: letters of far alphabets, each
# alone within a word of ours (DOS: `Íñ` makes a Hebrew accent; Mac OS: `’é` an Armenian letter).
_FAR = "[\u01c0-\u024f\u0400-\u07ff]"
_LONE = re.compile(f"(?<!{_FAR}){_FAR}(?=[a-z])|(?<=[A-Za-z]){_FAR}(?!{_FAR})")


def is_chance(text: str) -> bool:
    """Return whether bytes may have been UTF-8 by chance, from what they spell as UTF-8."""
    beyond = sum(not char.isascii() for char in text)
    return 0 < beyond == len(_LONE.findall(text))


_ENOUGH = 8
_MOST_BEYOND_ASCII = 0.3
_NOT_WESTERN = re.compile("[^\t\n\v\f\r -~\u00a0-\u017f\u2010-\u2044\u20ac\u2122]")


def unmarked(data: bytes) -> str:
    """Decode UTF-16 without a mark, where every other byte of a Western text is zero.

    Raises Unreadable(`unknown-format`) for anything else: bytes of zero are binary data.
    """
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        beyond = sum(not char.isascii() for char in text)
        enough = len(text) >= _ENOUGH and beyond <= _MOST_BEYOND_ASCII * len(text)
        if enough and not _NOT_WESTERN.search(text):
            return text
    raise Unreadable("unknown-format")


_ROUNDS = 3  # times that text was taken for something else, one after the other
_TAKEN_FOR = ("mac_roman", "cp850", "cp437", "iso8859_15")

_FOLLOWERS = "\x80-\xbf" + "".join(
    re.escape(bytes([code]).decode("cp1252", "ignore")) for code in range(0x80, 0xA0)
)
_MOJIBAKE = re.compile(
    # Capitals with a tilde or circumflex may well end a word of capitals.
    f"(?<![A-ZÀ-Ý])[ÂÃ][{_FOLLOWERS}]|[ÂÃ](?![\u00a0»’”…–—•·])[{_FOLLOWERS}]"
    '|â€[™œ˜"¦¢“”\x80-\x9f]|â‚¬|Å“(?=[a-z])|√[©®†ß™¥ß´≤Ø∏ª]|[├┬][\u00a1-\u00ffƒ‗]'
)
# In text of two bytes a letter taken for one byte a letter, no character beyond ASCII is alone.
_ALONE = re.compile(r"(?<![^\0-\x7f])[^\0-\x7f](?![^\0-\x7f])")
_CONTROLS = re.compile("[\x80-\x84\x86-\x9f]")


def repair(text: str) -> str:
    """Undo that the text, somewhere on its way, was taken for another encoding than its own.

    Only where undoing it is exact: every character beyond ASCII takes part. Raises
    Unreadable(`mojibake`) where only some do.
    """
    for _ in range(_ROUNDS):
        before = None if text.isascii() or _ALONE.search(text) else _as_it_was(text)
        if before is None:
            break
        text = before
    if _CONTROLS.search(text) and max(text) <= "\xff":
        return western(text.encode("latin-1"))  # Windows or DOS, taken for Latin-1
    if _MOJIBAKE.search(text):
        raise Unreadable("mojibake")
    return text


def _as_it_was(text: str) -> str | None:
    for encoding in (None, *_TAKEN_FOR):
        try:
            data = text.encode(encoding) if encoding else b"".join(map(_windows_byte, text))
            before = data.decode()
        except UnicodeError:
            continue
        if wording(before, _SAMPLE).oddity < wording(text, _SAMPLE).oddity:
            return before
    return None


def _windows_byte(char: str) -> bytes:
    # What Windows-1252 leaves undefined passes through as the control of that number.
    if "\x80" <= char <= "\x9f":
        return char.encode("latin-1")
    return char.encode("cp1252")

"""Known numbers and codes in a text, whatever separates their digits."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from record.label import Label
from rules.known.variants import COUNTRY_CODES, Known, Match
from rules.matching.normalization import CONFUSED, View

_SEPARATORS = " \n\r.,-/()|_:'\\*·[]~=#;"
_WIDEST_GAP = 3
_DIGITS = re.compile(r"[0-9]+")
# A number this long is not met by chance inside another one.
_LONG = 8
_SHORTEST = 4
# From this length on, and with so few letters for digits, a misread number is still the number.
_READABLE = 7
_MISREAD = 3
_MOST_MISREAD = 50
_ZERO, _NINE = 0x30, 0x39


class _Needle(NamedTuple):
    known: Known
    digits: str
    data: bytes
    before: str
    after: str


class _Found(NamedTuple):
    """A needle in a text: `text` has digits where it was misread, `places` are their offsets."""

    text: str
    places: list[int]
    needle: _Needle


class Numbers:
    """The numbers and codes of one person, ready to be looked for."""

    __slots__ = ("_needles",)

    def __init__(self, known: Iterable[Known]) -> None:
        self._needles = [needle for form in known if (needle := _needle(form))]

    def find(self, view: View) -> Iterator[tuple[int, int, Known]]:
        """Yield where a number stands, as offsets of the view."""
        digits, confused = view.digits, view.confused
        for needle in self._needles:
            if needle.data in digits:
                yield from _occurrences(view, needle)
            if (
                len(needle.data) >= _READABLE
                and needle.data in confused
                and confused.count(needle.data) > digits.count(needle.data)
            ):
                yield from _misread_occurrences(view, needle)


def _needle(known: Known) -> _Needle | None:
    if known.match is Match.DIGITS:
        digits, before, after = known.form, "", ""
    elif known.match is Match.CODE:
        core = max(_DIGITS.finditer(known.form), key=lambda run: len(run.group()))
        digits, before, after = core.group(), known.form[: core.start()], known.form[core.end() :]
    else:
        return None
    return (
        _Needle(known, digits, digits.encode("ascii"), before, after) if len(digits) > 1 else None
    )


def _occurrences(view: View, needle: _Needle) -> Iterator[tuple[int, int, Known]]:
    data, length = view.data, len(needle.data)
    at, count = data.find(needle.data), view.digits.count(needle.data)
    if at >= 0 and (count == 1 or count == data.count(needle.data)):
        certain = length >= _LONG and not (needle.before or needle.after)
        if certain and needle.known.label != Label.PHONE:
            while at >= 0:
                yield at, at + length, needle.known
                at = data.find(needle.data, at + 1)
        while at >= 0:
            yield from _whole_number(
                view, _Found(view.folded, list(range(at, at + length)), needle)
            )
            at = data.find(needle.data, at + 1)
        return
    ranks = view.digits.find(needle.data)
    while ranks >= 0:
        places = _digit_offsets(data, view.digit(ranks), length)
        if places:
            yield from _whole_number(view, _Found(view.folded, places, needle))
        ranks = view.digits.find(needle.data, ranks + 1)


def _misread_occurrences(view: View, needle: _Needle) -> Iterator[tuple[int, int, Known]]:
    data = view.data.translate(CONFUSED)
    rank = view.confused.find(needle.data)
    left = _MOST_MISREAD
    while rank >= 0 and left:
        left -= 1
        places = _digit_offsets(data, view.digit(rank, confused=True), len(needle.data))
        letters = sum(not _ZERO <= view.data[at] <= _NINE for at in places)
        if 0 < letters <= _MISREAD and not _is_inside_word(view.folded, places):
            yield from _whole_number(
                view, _Found(_correct_misread(view.folded, places, needle), places, needle)
            )
        rank = view.confused.find(needle.data, rank + 1)


def _correct_misread(folded: str, places: list[int], needle: _Needle) -> str:
    """Write a number as it is known, and a trunk zero before it that was misread."""
    chars = list(folded)
    for at, digit in zip(places, needle.digits, strict=True):
        chars[at] = digit
    zero = places[0] - 1
    if zero >= 0 and chars[zero] == "o" and not (zero and chars[zero - 1].isalpha()):
        chars[zero] = "0"
    return "".join(chars)


def _is_inside_word(folded: str, places: list[int]) -> bool:
    first, last = places[0], places[-1] + 1
    if first and folded[first - 1] == "o" and not folded[max(0, first - 2)].isalpha():
        first -= 1  # a trunk zero, perhaps
    before = folded[first].isalpha() and first > 0 and folded[first - 1].isalpha()
    return before or (folded[last - 1].isalpha() and folded[last : last + 1].isalpha())


def _digit_offsets(data: bytes, at: int, count: int) -> list[int]:
    """Return the offsets of so many digits from one on; none where a gap is too wide."""
    places = [at]
    while len(places) < count:
        at += 1
        if _ZERO <= data[at] <= _NINE:
            places.append(at)
        elif at - places[-1] > _WIDEST_GAP or chr(data[at]) not in _SEPARATORS:
            return []
    return places


def _whole_number(view: View, found: _Found) -> Iterator[tuple[int, int, Known]]:
    text, places, needle = found
    start, end = places[0], places[-1] + 1
    if needle.before or needle.after:
        extent = _match_code(view.folded, start, end, needle)
        if extent:
            yield *extent, needle.known
        return
    if needle.known.label == Label.PHONE:
        start = _prefix_start(text, start)
    count = len(places)
    if count < _LONG and not _stands_alone(text, places, start):
        return
    if count < _SHORTEST and not _has_number_word(text[max(0, start - 12) : start]):
        return
    yield start, end, needle.known


# What stands before a number so short that it is one only there.
_NUMBER_SIGNS = frozenset(("n°", "nº", "no", "no.", "n.", "n"))
_NUMBER_WORDS = frozenset("id ip ipp nip nda mrn nhc numero number nr".split())


def _has_number_word(before: str) -> bool:
    word = before.rstrip()
    if word.endswith((":", "#")):
        return True
    last = word.rpartition(" ")[2]
    return last in _NUMBER_SIGNS or last in _NUMBER_WORDS


def _prefix_start(text: str, first: int) -> int:
    before = _digits_before(text, first)
    digits = "".join(text[at] for at in before)
    start = first
    for skipped, begins in enumerate(before):
        glued = begins > 0 and "0" <= text[begins - 1] <= "9"
        if not glued and _is_dialling_prefix(digits[skipped:]) and first - before[-1] <= 4:
            start = begins
            break
    while start > 0 and text[start - 1] in "+(":
        start -= 1
    return start


def _is_dialling_prefix(digits: str) -> bool:
    """Return whether digits are a country code, a trunk zero, or both."""
    code = digits.removeprefix("00")
    return digits == "0" or code in COUNTRY_CODES or code.removesuffix("0") in COUNTRY_CODES


def _digits_before(text: str, first: int) -> list[int]:
    places: list[int] = []
    at, near = first - 1, first
    while at >= 0 and len(places) < 6:
        if "0" <= text[at] <= "9":
            places.append(at)
            near = at
        elif near - at > _WIDEST_GAP or text[at] not in _SEPARATORS:
            break
        at -= 1
    return places[::-1]


def _stands_alone(folded: str, places: list[int], start: int) -> bool:
    end = places[-1] + 1
    before, after = folded[max(0, start - 2) : start], folded[end : end + 2]
    if before[-1:].isdigit() or after[:1].isdigit():
        return False
    # A part of a decimal number is no number of its own.
    if before[-1:] in (".", ",") and before[:1].isdigit():
        return False
    if after[:1] in (".", ",") and after[1:].isdigit():
        return False
    return _is_regularly_grouped(folded, places)


def _is_regularly_grouped(folded: str, places: list[int]) -> bool:
    gaps = [b - a - 1 for a, b in pairwise(places)]
    split = sum(gap > 0 for gap in gaps)
    if split == 0:
        return True
    separators = {folded[a + 1 : b] for a, b in pairwise(places)} - {""}
    regular = len(separators) == 1 and next(iter(separators)) in (" ", "-", ".")
    return regular and (split == len(gaps) or split <= 2)


def _match_code(folded: str, start: int, end: int, needle: _Needle) -> tuple[int, int] | None:
    for char in reversed(needle.before):
        start -= 1
        while start > 0 and folded[start] in _SEPARATORS:
            start -= 1
        if start < 0 or folded[start] != char:
            return None
    for char in needle.after:
        while end < len(folded) and folded[end] in _SEPARATORS:
            end += 1
        if end >= len(folded) or folded[end] != char:
            return None
        end += 1
    glued_before = start > 0 and folded[start].isalpha() and folded[start - 1].isalpha()
    glued_after = end < len(folded) and folded[end - 1].isalpha() and folded[end].isalpha()
    return None if glued_before or glued_after else (start, end)

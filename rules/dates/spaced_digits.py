"""Digits written apart, as forms with one box for each digit leave them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rules.dates.numeric import run_of_digits
from rules.matching.scanner import Pattern

# Blanks between single digits, with a pair left together here and there.
_RUN = Pattern(r"[0-9][0-9]?(?: [0-9]{1,2}){4,}(?![0-9])")
_PAIR = re.compile(r" [0-9] [0-9] [0-9]{2}\Z")


class Boxes(NamedTuple):
    """A stretch of digits written apart; offsets are code points, half open."""

    start: int
    end: int
    digits: str
    is_date: bool


def digit_boxes(folded: str) -> Iterator[Boxes]:
    """Yield stretches of at least eight digits written apart.

    A form's line runs dates and numbers together: a date of eight digits at either end of a
    longer run is split off.
    """
    for match in _RUN.finditer(folded):
        start, end = match.span()
        if start and (folded[start - 1].isdigit() or folded[start - 1] in ".,/-"):
            continue
        if _PAIR.search(folded, end - 7, end):
            end -= 3  # a house number or a count after the boxes
        blanks = folded.count(" ", start, end)
        digits = end - start - blanks
        if digits < 8 or (blanks + 1) * 3 < digits * 2:
            continue
        yield from _split_dates_off(folded, [i for i in range(start, end) if folded[i] != " "])


def _split_dates_off(folded: str, offsets: list[int]) -> Iterator[Boxes]:
    if len(offsets) >= 18:
        head, tail = _make_boxes(folded, offsets[:8]), _make_boxes(folded, offsets[-8:])
        if head.is_date:
            yield head
            offsets = offsets[8:]
        if tail.is_date and len(offsets) >= 18:
            yield tail
            offsets = offsets[:-8]
    yield _make_boxes(folded, offsets)


def _make_boxes(folded: str, offsets: list[int]) -> Boxes:
    digits = "".join(folded[i] for i in offsets)
    is_date = len(digits) == 8 and run_of_digits(digits) is not None
    return Boxes(offsets[0], offsets[-1] + 1, digits, is_date)

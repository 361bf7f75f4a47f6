"""Dates of any spelling, and which of them are dates of birth."""

import re
from collections.abc import Iterable, Iterator
from datetime import date

from record.document import Document
from record.label import Label
from record.span import Span
from rules.dates import numeric, written, years
from rules.dates.birth_dates import born
from rules.dates.calendar import (
    SHORT_WEEKDAY,
    SHORTEST_WEEKDAYS,
    WEEKDAY,
    WEEKDAY_NAMES,
    Moment,
)
from rules.dates.spaced_digits import boxes
from rules.dates.written import companions
from rules.matching.normalized_document import fold_once
from rules.matching.scanner import longest_first

_NAMED_DAY = re.compile(rf"\b(?:{WEEKDAY}|{SHORT_WEEKDAY}\.?),? {{1,2}}(?:[a-z]{{2,3}} )?\Z")
# Two letters name a day in German and Dutch, and are words elsewhere.
_SHORTEST_DAY = re.compile(rf"\b(?:{longest_first(SHORTEST_WEEKDAYS)})\.?,? (?:den )?\Z")
_DAY_STARTS = frozenset(name[:3] for name in WEEKDAY_NAMES) | SHORTEST_WEEKDAYS
_ARTICLES = frozenset({"le", "the", "el", "dia", "den"})
_TWO_LETTERS = frozenset({"", "de", "nl"})


def detect(document: Document) -> list[Span]:
    """Find dates (DATE) and dates of birth (BIRTH_DATE), whole or partial.

    A span holds the date alone: the name of a weekday just before it belongs to it, a time after
    it, a full stop after it and words such as `le` do not; the two ends of a range are two spans.
    A season or a quarter belongs to the year after it. Every date of the same value as a date of
    birth is one as well; years of two digits are those of a century that ends ten years after the
    note was written, or after today where that is unknown. Spans are sorted and disjoint.
    """
    text = document.text
    folded = fold_once(text)
    moments = _disjoint(_all(folded, text), len(folded))
    if not moments:
        return []
    further = list(companions(folded, moments))
    if further:
        moments = _disjoint([*moments, *further], len(folded))
    births = born(
        folded,
        text,
        moments,
        written=(document.written or date.today()).year,
        month_first=document.lang in ("en", ""),
    )
    two_letters = document.lang in _TWO_LETTERS
    return [
        Span(
            _with_weekday(folded, moment.start, two_letters and moment.day is not None),
            moment.end,
            Label.BIRTH_DATE if moment in births else Label.DATE,
            "rules.dates",
        )
        for moment in moments
    ]


def _all(folded: str, text: str) -> Iterator[Moment]:
    yield from numeric.find(folded)
    yield from written.find(folded, text)
    yield from years.find(folded)
    for box in boxes(folded):
        if box.is_date:
            year, month, day = numeric.run_of_digits(box.digits) or (None, None, None)
            yield Moment(box.start, box.end, year, month, day)


def _disjoint(moments: Iterable[Moment], length: int) -> list[Moment]:
    """Keep the longest of dates that overlap, of equal ones the leftmost."""
    taken = bytearray(length)
    kept = []
    for moment in sorted(moments, key=lambda m: (m.start - m.end, m.start)):
        if taken.find(1, moment.start, moment.end) < 0:
            taken[moment.start : moment.end] = b"\1" * (moment.end - moment.start)
            kept.append(moment)
    return sorted(kept)


def _with_weekday(folded: str, start: int, two_letters: bool) -> int:
    before = folded[max(0, start - 20) : start].split()
    if not before or folded[start - 1] != " ":
        return start
    word = before[-2 if len(before) > 1 and before[-1] in _ARTICLES else -1].strip(",.(")
    if word[:3] not in _DAY_STARTS:
        return start
    match = _NAMED_DAY.search(folded, max(0, start - 20), start)
    if match is None and two_letters:
        match = _SHORTEST_DAY.search(folded, max(0, start - 9), start)
    return match.start() if match else start

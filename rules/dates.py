"""Dates of any spelling, and which of them are dates of birth."""

import re
from collections.abc import Iterable, Iterator

from record.document import Document
from record.label import Label
from record.span import Span
from rules import births, numeric_dates, written_dates
from rules.calendar import SHORT_WEEKDAY, WEEKDAY, Moment
from rules.folded import fold_once
from rules.spaced import boxes

_NAMED_DAY = re.compile(rf"\b(?:{WEEKDAY}|{SHORT_WEEKDAY}\.?),? {{1,2}}(?:le |the |el |dia )?\Z")
_EARLIER_DAY = re.compile(
    r"(?<![0-9a-z.,/])([0-3]?[0-9])((?:er|st|nd|rd|th)?)"
    r"( ?(?:-|/|,|&|\+|a|au|al|to|et|y|e|and|ou|or|puis)(?: (?:le|el|the|du))? ?)\Z"
)
_LATER_DAY = re.compile(
    r"( ?(?:-|,|&|to|and|through|or) ?(?:the )?)([0-3]?[0-9])(?:st|nd|rd|th)?"
    r"(?:,? ((?:19|20)[0-9]{2}))?(?![0-9a-z:/.\-])"
)
_LIST_OPENS = re.compile(
    r"\b(?:du|des|les?|el|los|del|dias?|entre|between|from|on|we|au|jusqu'au)"
    r"(?: [0-3]?[0-9](?:er|st|nd|rd|th)?(?: ?,| et| y| and| &| ou)){0,4} \Z"
)


def detect(document: Document) -> list[Span]:
    """Find dates (DATE) and dates of birth (BIRTH_DATE), whole or partial.

    A span holds the date alone: the name of a weekday just before it belongs to it, a time after
    it and words such as `le` do not; the two ends of a range are two spans. Every date of the
    same value as a date of birth is one as well. Spans are sorted and disjoint.
    """
    folded = fold_once(document.text)
    moments = _disjoint(_all(folded, document.text), len(folded))
    moments = sorted([*moments, *_companions(folded, moments)])
    born = births.values(folded, moments)
    return [
        Span(
            _with_weekday(folded, moment.start),
            moment.end,
            Label.BIRTH_DATE if moment.value in born else Label.DATE,
            "rules.dates",
        )
        for moment in moments
    ]


def _all(folded: str, text: str) -> Iterator[Moment]:
    yield from numeric_dates.find(folded)
    yield from written_dates.find(folded, text)
    for box in boxes(folded):
        if box.is_date:
            year, month, day = numeric_dates.run_of_digits(box.digits) or (None, None, None)
            yield Moment(box.start, box.end, year, month, day)


def _disjoint(moments: Iterable[Moment], length: int) -> list[Moment]:
    """Keep the longest of dates that overlap, of equal ones the leftmost."""
    taken = bytearray(length)
    kept = []
    for moment in sorted(moments, key=lambda m: (m.start - m.end, m.start)):
        if not any(taken[moment.start : moment.end]):
            taken[moment.start : moment.end] = b"\1" * (moment.end - moment.start)
            kept.append(moment)
    return sorted(kept)


def _companions(folded: str, moments: list[Moment]) -> Iterator[Moment]:
    """Yield bare days that share the month of a date beside them: `du 10 au 12/08`, `March 3-5`."""
    previous_end = 0
    for moment in moments:
        start, day = moment.start, moment.day
        while day is not None:
            earlier = _earlier_day(folded, start, day, previous_end)
            if earlier is None:
                break
            start, day = earlier.start, earlier.day
            yield earlier._replace(year=moment.year, month=moment.month)
        previous_end = moment.end
        later = _later_day(folded, moment)
        if later:
            yield later


def _earlier_day(folded: str, start: int, day: int, floor: int) -> Moment | None:
    match = _EARLIER_DAY.search(folded, max(floor, start - 16), start)
    if match is None or not 1 <= int(match[1]) <= 31:
        return None
    opened = _LIST_OPENS.search(folded, max(0, match.start() - 36), match.start())
    close = match[3] == "-" or match[3].strip() in ("au", "al", "to")
    if not opened and not (close and int(match[1]) < day):
        return None
    return Moment(match.start(), match.end(2), None, None, int(match[1]))


def _later_day(folded: str, moment: Moment) -> Moment | None:
    """Find the second day of `March 3-5, 2024`: only after a day that ends its date."""
    if moment.day is None or moment.year is not None:
        return None
    if not folded[moment.start].isalpha():
        return None
    match = _LATER_DAY.match(folded, moment.end)
    if match is None or not moment.day < int(match[2]) <= 31:
        return None
    year = int(match[3]) if match[3] else None
    return Moment(match.start(2), match.end(), year, moment.month, int(match[2]))


def _with_weekday(folded: str, start: int) -> int:
    match = _NAMED_DAY.search(folded, max(0, start - 18), start)
    return match.start() if match else start

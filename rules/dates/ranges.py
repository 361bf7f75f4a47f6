"""Ranges of days: `4 au 8 novembre` is one date, and both ends of `07/10 - 10/10` are dates."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from record.document import Document
from record.label import Label
from record.span import Span
from rules.dates.calendar import day_and_month
from rules.matching.normalized_document import fold_once
from rules.matching.scanner import Pattern

_DAY = re.compile(r"[0-3]?[0-9](?:er|st|nd|rd|th|e|o|a|\.)?")
_STARTS_WITH_DAY = re.compile(r"[0-3]?[0-9](?![0-9])")
_WORD = (
    r"au|al|a|to|bis|bis zum|tot|tot en met|t/m|through|thru|till|until|hasta|hasta el|jusqu'au"
    r"|op|auf den|auf"
)
# Between two days of one month in their order: `3 et 4 mars`.
_AND = r"et|and|und|u\.|y|e|en|&|ou|or|oder|o|of"
# What stands between the two days of one date. A line may be broken there once.
_JOINT = (
    rf"\.?(?:[ \t]{{0,2}}\n?[ \t]{{0,3}}(?:[-\u2013\u2192]|->|{_WORD})[ \t]{{0,2}}\n?[ \t]{{0,3}})"
)
_LIST_JOINT = rf"\.?[ \t]{{1,2}}(?:{_AND})[ \t]{{1,2}}"
_JOINT_ALONE = re.compile(_JOINT)
_LONGEST_JOINT = 18
# A day in front of a date that has a month: nothing before it that it could be part of.
_DAY_BEFORE = re.compile(
    rf"(?<![0-9a-z/.,:+\-\u2013$%])(?<![0-9][ ])([0-3]?[0-9])(?:er|st|nd|rd|th)?{_JOINT}"
    r"(?:the |el |den |lundi |mardi |mercredi |jeudi |vendredi |samedi |dimanche )?\Z"
)
_LISTED_BEFORE = re.compile(
    rf"(?<![0-9a-z/.,:+\-\u2013$%#])(?<![0-9][ ])([0-3]?[0-9])(?:er|st|nd|rd|th)?{_LIST_JOINT}"
    r"(?:the |el |den )?\Z"
)
# A day behind one that its month precedes: `March 3 and 4, 2021`.
_MONTH_FIRST = re.compile(r"[a-z]{3,9}\.? ([0-3]?[0-9])(?:st|nd|rd|th)?")
_LISTED_BEHIND = re.compile(
    r" (?:and|or|&) (?:the )?([0-3]?[0-9])(?:st|nd|rd|th)?"
    r"(?:,? (?:19|20)[0-9]{2}(?![0-9])|(?=[.,;:)\n]|\Z))(?![.,][0-9])"
)
# An interval of ISO 8601, whose second end may leave out what it shares with the first.
_ISO_INTERVAL = Pattern(
    r"(?<![0-9a-z/.,:+\-])((?:19|20)[0-9]{2})-([01][0-9])-([0-3][0-9])(?:/|--)"
    r"(?:(?:((?:19|20)[0-9]{2})-)?([01][0-9])-)?([0-3][0-9])(?![0-9/%:\-]|[.,][0-9])"
)
_REACH = 40
_LAST_DAY = 31
_NUMERIC = re.compile(r"([0-3]?[0-9])([/.\-])([01]?[0-9]|[0-3][0-9])(?:\2([0-9]{4}|[0-9]{2}))?\.?")
_ONE_END = r"[0-3]?[0-9]([/.\-])[0-3]?[0-9](?:{sign}(?:[0-9]{{4}}|[0-9]{{2}}))?"
_NEXT = re.compile(
    rf"({_JOINT})({_ONE_END.format(sign=chr(92) + '3')})(?![0-9/%]|[.,\-][0-9])", re.IGNORECASE
)
_PREVIOUS = re.compile(
    rf"(?<![0-9a-z/.,:+\-])({_ONE_END.format(sign=chr(92) + '2')})({_JOINT})\Z", re.IGNORECASE
)
# Both ends in one go, where nothing announces a date.
_PAIR = Pattern(
    r"(?<![0-9a-z/.,:+\-])([0-3]?[0-9])([/.])([0-3]?[0-9])(?:\.(?=[-–]))?"
    r"[ ]?[-–][ ]?([0-3]?[0-9])\2([0-3]?[0-9])(\2[0-9]{4}|\2[0-9]{2})?\.?"
    r"(?![0-9/%]|[.,\-][0-9])"
)
_MONTHS = 12
_HALF = r"[0-3]?[0-9]([/.\-])[0-3]?[0-9](?:\{0}(?:[0-9]{{4}}|[0-9]{{2}}))?\.?"
# Between equal signs a hyphen without blanks goes on with one number: `06-12-10-11-12`.
_HALVES = re.compile(
    rf"({_HALF.format(2)})(?:[ ][-\u2013/][ ]|[ ]?(?!\2)[-\u2013/][ ]?)({_HALF.format(4)})"
)
_NUMBERS = frozenset((Label.PHONE, Label.FAX))
_PHONE = re.compile(
    r"(?:tel|phon|fon|fax|ruf|mobil|handy|gsm|call|movil|portable|bel)[^\n]{0,12}\Z"
)


def complete_date_ranges(document: Document, found: Iterable[Span]) -> list[Span]:
    """Return spans of ranges of which a detector found an end as a date.

    Where the first end is a day alone, or both are of one month (`3 et 4 mars`), the whole is one
    date; so is an interval of ISO 8601. Else the other end is one of its own, of digits as the
    first. They have detector and score of the date that was found.
    """
    folded = fold_once(document.text)
    dates = sorted((span for span in found if span.label == Label.DATE), key=_by_place)
    ranges: list[Span] = []
    by_start = {span.start: span for span in dates}
    for first in reversed(dates):
        if not _DAY.fullmatch(folded, first.start, first.end):
            continue
        for start in range(first.end + 1, first.end + _LONGEST_JOINT + 1):
            last = by_start.get(start)
            if last and _is_range(folded, first, last):
                joined = replace(last, start=first.start)
                by_start[first.start] = joined
                ranges.append(joined)
                break
    for span in dates:
        ranges.extend(_with_day_before(folded, span))
        ranges.extend(_with_day_behind(folded, span))
        ranges.extend(_other_ends(folded, span))
    return ranges


def find_numeric_ranges(folded: str) -> Iterator[tuple[int, int]]:
    """Yield both ends of ranges in digits that no word announces: `28/02-02/03`, `28.02.-02.03.21`.

    Days and months of both are in one order, and shares and scores (`4/5-5/5`) are none. Offsets
    are code points, half open.
    """
    for match in _PAIR.finditer(folded):
        first, second, third, fourth = (int(match[at]) for at in (1, 3, 4, 5))
        has_two_digits = len(match[3]) == len(match[5]) == 2
        is_day_first = _is_day(first, second) and _is_day(third, fourth)
        is_month_first = _is_day(second, first) and _is_day(fourth, third)
        is_slashed = match[2] == "/" and (
            has_two_digits or max(first, second, third, fourth) > _MONTHS
        )
        # `1.02-1.24` is an interval of a ratio: German days end with a full stop, too.
        is_certain = is_slashed or match[6] or folded[match.end(3)] == "."
        if is_certain and (is_day_first or is_month_first):
            yield match.start(1), match.end(3)
            yield match.start(4), match.end(6) if match[6] else match.end(5)


def read_ranges_as_dates(document: Document, found: Iterable[Span]) -> list[Span]:
    """Return spans, with both ends of a range in digits as dates where they were one number.

    A word for a telephone before it decides otherwise.
    """
    made: list[Span] = []
    for span in found:
        halves = None
        if span.label in _NUMBERS:
            halves = _HALVES.fullmatch(document.text, span.start, span.end)
            before = fold_once(document.text)[max(0, span.start - _REACH) : span.start]
        if not halves or not all(map(_read_numeric, halves.group(1, 3))) or _PHONE.search(before):
            made.append(span)
            continue
        for place in (1, 3):
            start, end = halves.span(place)
            made.append(replace(span, start=start, end=end, label=str(Label.DATE)))
    return made


def _is_day(day: int, month: int) -> bool:
    return 1 <= day <= _LAST_DAY and 1 <= month <= _MONTHS


def _read_numeric(written: str) -> bool:
    match = _NUMERIC.fullmatch(written)
    return match is not None and day_and_month(match[1], match[3]) is not None


def _with_day_before(folded: str, span: Span) -> Iterator[Span]:
    """Yield the range of a date and a day alone before it, which nobody took for one."""
    if _DAY.fullmatch(folded, span.start, span.end):
        return
    last = _STARTS_WITH_DAY.match(folded, span.start)
    low = max(0, span.start - _REACH)
    window = folded[low : span.start]
    before = _DAY_BEFORE.search(window) if last else None
    listed = _LISTED_BEFORE.search(window) if last and not before else None
    found = before or listed
    if last is None or found is None or not 1 <= int(found[1]) <= _LAST_DAY:
        return
    # `Hb 12 - 03/04/2021`: a sign alone joins days of one month, in their order.
    is_in_order = int(found[1]) < int(last[0])
    if is_in_order or (before and any(map(str.isalpha, before[0][len(before[1]) :]))):
        yield replace(span, start=low + found.start(1))


def _with_day_behind(folded: str, span: Span) -> Iterator[Span]:
    """Yield the two days of a month that precedes them, of which a detector found the first."""
    first = _MONTH_FIRST.fullmatch(folded, span.start, span.end)
    behind = _LISTED_BEHIND.match(folded, span.end) if first else None
    if first and behind and int(first[1]) < int(behind[1]) <= _LAST_DAY:
        yield replace(span, end=behind.end())


def find_intervals(folded: str) -> Iterator[tuple[int, int]]:
    """Yield intervals of ISO 8601: `2021-03-28/2021-04-02`, `2021-03-28/04-02`, `2021-03-28/29`.

    Offsets are code points, half open.
    """
    for match in _ISO_INTERVAL.finditer(folded):
        year, month, day, last_year, last_month, last_day = match.groups()
        first = year, month, day
        last = last_year or year, last_month or month, last_day
        # Where the year of the second end is left out, it may be the next one.
        is_in_order = first < last or (last_month is not None and last_year is None)
        if is_in_order and all(_is_day(int(each[2]), int(each[1])) for each in (first, last)):
            yield match.span()


def _other_ends(folded: str, span: Span) -> Iterator[Span]:
    """Yield the other end of a range beside a date in digits."""
    if not _read_numeric(folded[span.start : span.end]):
        return
    behind = _NEXT.match(folded, span.end)
    if behind and _read_numeric(behind[2]):
        yield replace(span, start=behind.start(2), end=behind.end(2))
    low = max(0, span.start - _REACH)
    before = _PREVIOUS.search(folded[low : span.start])
    if before and _read_numeric(before[1]):
        yield replace(span, start=low + before.start(1), end=low + before.end(1))


def _by_place(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _is_range(folded: str, first: Span, last: Span) -> bool:
    return bool(
        _JOINT_ALONE.fullmatch(folded, first.end, last.start)
        and _STARTS_WITH_DAY.match(folded, last.start)
        and not _DAY.fullmatch(folded, last.start, last.end)
    )

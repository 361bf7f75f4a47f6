"""Days that share the month of a date beside them: `du 10 au 12/08`, `March 3-5, 2024`."""

import re
from collections.abc import Iterator

from rules.dates.calendar import (
    Moment,
    possible_day,
)
from rules.dates.context import counted

_EARLIER_DAY = re.compile(
    r"(?<![0-9a-z.,/])([0-3]?[0-9])((?:er|st|nd|rd|th|e)?)\.?( ?(?:-|,|&|a|au|al|to|et|y|and"
    r"|ou|or|puis|bis|und|tot|t/m|en)(?: (?:le|el|the|du|dem))? ?)\Z"
)
# The first end of a range may have its month, with the second's year.
_EARLIER_PART = re.compile(
    r"(?<![0-9a-z.,/\-])([0-3]?[0-9])([.\-])([01]?[0-9])\.?"
    r" (?:-|au|al|to|bis|tot|t/m|und|en|et|y|and) (?:dem )?\Z"
)
_RANGE_WORDS = frozenset({"a", "au", "al", "to", "bis", "tot", "t/m"})
_JOINS = _RANGE_WORDS | {"et", "y", "and", "ou", "or", "puis", "und", "en"}
_ARTICLES = frozenset({"le", "el", "the", "du", "dem"})
_LIST_OPENS = re.compile(
    r"\b(?:du|des|les?|el|los|del|dias?|entre|between|from|on|the|au|am|vom|dem|op|van"
    r"|tussen)(?: [0-3]?[0-9](?:er|st|nd|rd|th)?\.?(?: ?,| et| y| and| &| ou| und| en)){0,4} \Z"
)
_LATER_DAY = re.compile(
    r" ?(?:-|to|through) ?(?:the )?([0-3]?[0-9])(?:st|nd|rd|th)?(?:,? ((?:19|20)[0-9]{2}))?"
    r"(?![0-9a-z:/\-])"
)
_LATER_DAYS = re.compile(
    r"((?:, ?[0-3]?[0-9](?:st|nd|rd|th)?){0,4}),? ?(?:and|&|,) ?([0-3]?[0-9])(?:st|nd|rd|th)?"
    r"(?:,? ((?:19|20)[0-9]{2}))?(?!\.?[0-9])"
)
_ENDS = re.compile(r" ?[.;)\n]|\Z")
_ORDINAL = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?")


def companions(folded: str, moments: list[Moment]) -> Iterator[Moment]:
    """Yield bare days that share month and year with one of the sorted, disjoint `moments`."""
    previous_end = 0
    for moment in moments:
        yield from _earlier(folded, moment, previous_end)
        previous_end = moment.end
        if folded[moment.start].isalpha():
            yield from _later(folded, moment)


def _earlier(folded: str, moment: Moment, floor: int) -> Iterator[Moment]:
    start, day = moment.start, moment.day
    if not _may_follow(folded, start):
        return
    part = _earlier_part(folded, moment, floor) if day is not None else None
    if part:
        yield part
        return
    while day is not None:
        earlier = _earlier_day(folded, start, day, floor)
        if earlier is None:
            break
        start, day = earlier.start, earlier.day
        yield earlier._replace(year=moment.year, month=moment.month)


def _may_follow(folded: str, start: int) -> bool:
    """Tell quickly whether what stands before a date could join it to another."""
    words = folded[max(0, start - 14) : start].split()
    if words and words[-1] in _ARTICLES:
        del words[-1]
    return bool(words) and (words[-1].lstrip("0123456789") in _JOINS or words[-1][-1] in "-,&")


def _earlier_part(folded: str, moment: Moment, floor: int) -> Moment | None:
    match = _EARLIER_PART.search(folded, max(floor, moment.start - 14), moment.start)
    if match is None or match[2] not in folded[moment.start : moment.end]:
        return None
    day, month = int(match[1]), int(match[3])
    if not possible_day(day, month):
        return None
    return Moment(match.start(), match.end(3), moment.year, month, day)


def _earlier_day(folded: str, start: int, day: int, floor: int) -> Moment | None:
    match = _EARLIER_DAY.search(folded, max(floor, start - 16), start)
    if match is None:
        return None
    number = int(match[1])
    opened = _LIST_OPENS.search(folded, max(0, match.start() - 36), match.start())
    joined = match[3].split()
    close = match[3] == "-" or (bool(joined) and joined[0] in _RANGE_WORDS)
    if not 1 <= number <= 31 or not (opened or (close and number < day)):
        return None
    return Moment(match.start(), match.end(2), None, None, number)


def _later(folded: str, moment: Moment) -> Iterator[Moment]:
    """Find the further days of `March 3-5, 2024`, `March 3, 5 and 8, 2024`."""
    if moment.day is None:  # `March 20` was read as a year
        moment = moment._replace(year=None, day=moment.year)
    if moment.day is None or moment.year is not None:
        return
    match = _LATER_DAY.match(folded, moment.end)
    if match:
        yield from _further(folded, moment, match, 1, 2)
        return
    match = _LATER_DAYS.match(folded, moment.end)
    if match and (match[3] or _ENDS.match(folded, match.end())):
        for day in _ORDINAL.finditer(folded, *match.span(1)):
            yield moment._replace(start=day.start(), end=day.end(), day=int(day[1]))
        yield from _further(folded, moment, match, 2, 3)


def _further(
    folded: str, moment: Moment, match: re.Match[str], day: int, year: int
) -> Iterator[Moment]:
    if moment.day is None or not moment.day < int(match[day]) <= 31:
        return
    if counted(folded, match.end()):
        return
    number = int(match[year]) if match[year] else None
    yield Moment(match.start(day), match.end(), number, moment.month, int(match[day]))

"""Weeks of the calendar: `KW 12/2024`, `semaine 12 de 2024`, `2024-W12`."""

import re
from collections.abc import Iterator
from datetime import date

from rules.dates.calendar import Moment
from rules.matching.scanner import Pattern

_YEAR = r"((?:19|20)[0-9]{2})"
_NUMBER = r"(?:[1-4][0-9]|5[0-3]|0?[1-9])"
_END = r"(?![0-9a-z])"
_NO_DECIMAL = r"(?![.,][0-9])"
# Whose number is that of a week in the year and nothing else.
_CALENDAR = r"(?:kw|kalenderwoche|cw)"
# These count the weeks of a pregnancy or a treatment as well.
_COUNTED = r"(?:semaine|sem\.?|week|wk\.?|semana|woche)"
# `S1` to `S10` are segments of an organ and of the spine.
_FRENCH = r"s(?:0[1-9]|1[1-9]|[2-4][0-9]|5[0-3])"
_CERTAIN = Pattern(
    rf"(?<![\w/\-]){_CALENDAR}\.? ?{_NUMBER}(?: ?/ ?(?:{_YEAR}|[0-9]{{2}})|,? {_YEAR})?{_END}"
    rf"{_NO_DECIMAL}"
)
_RANKED = Pattern(rf"(?<![\w/\-.,]){_NUMBER}\. ?{_CALENDAR}(?:(?: ?/ ?|,? ){_YEAR})?{_END}")
_DATED = Pattern(
    rf"(?<![\w/\-]){_COUNTED} ?(?:[0-4][0-9]|5[0-3]|(?<=[a-z. ])[1-9])"
    rf"(?: ?[/\-] ?|,? (?:de |of |van |del )?){_YEAR}{_END}"
)
_FRENCH_DATED = Pattern(rf"(?<![\w/\-]){_FRENCH}(?: de)?,? {_YEAR}{_END}")
_ISO = Pattern(rf"(?<![\w/\-]){_YEAR}-?w(?:0[1-9]|[1-4][0-9]|5[0-3])(?:-?[1-7])?{_END}")
_LOOSE = Pattern(rf"(?<![\w/\-.,])(?:{_COUNTED} ?{_NUMBER}|{_FRENCH}){_END}{_NO_DECIMAL}")
_DIGITS = re.compile(r"[0-9]+")
_WEEKS = 53
_ANY_YEAR = 2023
_CENTURY, _SHORT = 2000, 100


def find(folded: str) -> Iterator[Moment]:
    """Yield weeks of the calendar, with their year or without."""
    for pattern in (_CERTAIN, _RANKED, _DATED, _FRENCH_DATED, _ISO):
        for match in pattern.finditer(folded):
            year = next((each for each in match.groups() if each), None)
            yield Moment(match.start(), match.end(), int(year) if year else None, None, None)


def is_week_of(folded: str, week: Moment, other: Moment) -> bool:
    """Return whether a numbered week is that of a date, or one beside it.

    The weeks of a treatment or a pregnancy hardly are.
    """
    number = _DIGITS.search(folded, week.start, week.end)
    if number is None or not other.month or not other.day:
        return False
    year = other.year or _ANY_YEAR
    year += _CENTURY if year < _SHORT else 0
    # In an English note the month may be the first number.
    orders = ((other.month, other.day), (other.day, other.month))
    return any(_is_near_week(int(number[0]), year, *order) for order in orders)


def _is_near_week(week: int, year: int, month: int, day: int) -> bool:
    try:
        found = date(year, month, day)
    except ValueError:
        return False
    apart = abs(found.isocalendar()[1] - week)
    return apart <= 1 or apart >= _WEEKS - 2


def find_loose(folded: str) -> Iterator[Moment]:
    """Yield numbered weeks that are dates beside another date only: `20/03/2023 (S12)`."""
    for match in _LOOSE.finditer(folded):
        yield Moment(match.start(), match.end(), None, None, None)

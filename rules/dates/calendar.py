"""Months, weekdays and dates in all languages, as folded text has them."""

from typing import NamedTuple

from locales.language import DateStyle
from locales.registry import LANGUAGES, every
from record.folding import fold
from rules.matching.scanner import longest_first

_DATES = [language.dates for language in LANGUAGES.values()]


def _months() -> dict[str, int]:
    """Map the folded names and abbreviations of the months to their numbers, from 1."""
    months: dict[str, int] = {}
    for dates in _DATES:
        for style in dates.months:
            months |= {fold(name): number for number, name in enumerate(style.words, start=1)}
        months |= dates.month_misspellings
    return months


def _names(styles: list[DateStyle]) -> frozenset[str]:
    return frozenset(fold(name) for style in styles for name in style.words)


MONTHS = _months()
FULL_MONTHS = _names([style for dates in _DATES for style in dates.months if not style.short])
# Also ordinary words: without a year they need a capital, a hyphen or a day joined to them.
AMBIGUOUS_MONTHS = every(lambda language: language.dates.ambiguous_months)
MONTH = f"(?:{longest_first(MONTHS)})"

_WEEKDAYS = [style for dates in _DATES for style in dates.weekdays]
WEEKDAY_NAMES = _names([style for style in _WEEKDAYS if not style.short])
WEEKDAY = f"(?:{longest_first(WEEKDAY_NAMES)})"
SHORT_WEEKDAY = f"(?:{longest_first(_names([style for style in _WEEKDAYS if style.short]))})"
# Everyday words elsewhere.
SHORTEST_WEEKDAYS = _names([style for dates in _DATES for style in dates.short_weekdays])

SEASON = f"(?:{longest_first(_names([style for dates in _DATES for style in dates.seasons]))})"
PERIOD = f"(?:{longest_first(every(lambda language: language.dates.periods))})"
PERIOD_RANK = longest_first(_names([style for dates in _DATES for style in dates.period_ranks]))


class Moment(NamedTuple):
    """A date found in a text: where it stands and what is known of its value.

    Offsets are code points, half open; unknown parts are None. A year below 100 was written with
    two digits.
    """

    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None

    @property
    def value(self) -> tuple[int | None, int | None, int | None]:
        """Year, month and day: equal for two spellings of one date once years are completed."""
        return self.year, self.month, self.day


# A year of two digits is the latest one that ends so and lies no further ahead than this.
_YEARS_AHEAD = 10


def full_year(year: int, written: int) -> int:
    """Complete a year of two digits as the writer of a note of the year `written` means it."""
    if year >= 100:
        return year
    latest = written + _YEARS_AHEAD
    return latest - (latest - year) % 100


_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def possible_day(day: int, month: int) -> bool:
    """Return whether a month of some year has that day."""
    return 1 <= month <= 12 and 1 <= day <= _LENGTHS[month - 1]


def possible_year(year: int) -> bool:
    """Return whether a note can speak of the year; one of two digits always can."""
    return year < 100 or 1800 <= year < 2200


def day_and_month(first: str, second: str) -> tuple[int, int] | None:
    """Read two numbers as day and month, in the order of Europe where both orders are possible."""
    a, b = int(first), int(second)
    if possible_day(a, b) or (a == 0 and len(first) == 2 and 1 <= b <= 12):
        return a, b
    if possible_day(b, a):
        return b, a
    return None

"""Months, weekdays and dates in five languages, as folded text has them."""

from typing import NamedTuple

MONTHS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "janvier janv jan january enero ene januar janner januari",
            "fevrier fevier fevr fev february feb febrero febr februar februari",
            "mars mar march marzo mzo marz maerz mrz maart mrt",
            "avril avr april apr abril abr",
            "mai may mayo mei",
            "juin jun june junio juni",
            "juillet juill juil jul july julio juli",
            "aout aou august aug agosto agto ago augustus",
            "septembre septiembre setiembre september sept sep set",
            "octobre october octubre oct oktober okt",
            "novembre november noviembre nov",
            "decembre december diciembre dec dic dezember dez",
        ),
        start=1,
    )
    for name in names.split()
}

# Also ordinary words: without a year they need a capital, a glued day or a hyphen to count.
AMBIGUOUS_MONTHS = frozenset({"may", "mar", "march", "ago", "set"})

MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + ")"

WEEKDAY = (
    "(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    "|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    "|lunes|martes|miercoles|jueves|viernes|sabado|domingo"
    "|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag"
    "|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag)"
)
SHORT_WEEKDAY = (
    "(?:lun|mar|mer|jeu|ven|sam|dim|mon|tues?|wed|thur?s?|fri|sat|sun|mie|jue|vie|sab|dom)"
)


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

"""Known dates of birth in a text, however they are written."""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

from rules.dates.calendar import MONTHS
from rules.matching.normalization import CONFUSED, View
from rules.matching.scanner import longest_first

# Folded names and abbreviations of the months, January first.
_MONTHS = tuple(
    frozenset(name for name, number in MONTHS.items() if number == month) for month in range(1, 13)
)
_STEMS = tuple(frozenset(name[:3] for name in names) for names in _MONTHS)
_SEP = r"[ ]{0,2}[/.\-|,\\_ ][ ]{0,2}"
_NUMERIC = re.compile(
    rf"(?<![0-9])(?=(?P<a>[0-9]{{1,4}})(?P<gap>{_SEP})(?P<b>[0-9]{{1,2}}){_SEP}(?P<c>[0-9]{{2,4}})"
    r"(?![0-9]))"
)
_DAY = r"(?P<{0}>[0-9]{{1,2}})[ ]?(?:er|re|ere|st|nd|rd|th|º|°|ª|o)?"
_JOIN = r"[\s,.\-/_]{0,3}(?:(?:de|del|of|du|d'|the|van)[\s]{1,2})?"
# No writing of a date puts more than this between its ends and its year.
_REACH = 36
_YEAR = r"'?(?P<{0}>[0-9]{{2,4}})(?![0-9])"

_SINGLE_DIGITS = frozenset(b"%d" % digit for digit in range(10))
# So many letters may stand for digits where recognition misread a date.
_MISREAD = 2


class Birthday:
    """One day of birth, ready to be looked for."""

    __slots__ = (
        "_day", "_day_first", "_digits", "_either_first", "_stems", "_whole", "_year_digits",
    )  # fmt: skip

    def __init__(self, day: date) -> None:
        self._day = day
        self._year_digits = b"%02d" % (day.year % 100)
        self._stems = tuple(stem.encode("ascii") for stem in _STEMS[day.month - 1])
        self._digits = _written_in_digits(day)
        day_first, month_first = _compact_forms(day)
        self._day_first, self._either_first = day_first, day_first | month_first
        self._whole = tuple(digits for digits in self._digits if len(digits) == 8)

    def find(self, view: View, lang: str) -> Iterator[tuple[int, int]]:
        """Yield where the day stands, as offsets of the view.

        `lang` decides whether the month may come first (`en`, or unknown).
        """
        every = view.digits
        written = [digits for digits in self._digits if digits in every]
        found: set[tuple[int, int]] = set()
        for digits in written:
            if len(digits) >= 6 and digits in self._compact_writings(lang):
                found.update(_find_digit_runs(view, digits))
        for at in self._year_offsets(view.data):
            near = max(0, at - _REACH), at + _REACH
            if written:
                found.update(self._find_numeric(view.folded, (max(0, at - 14), at + 12), lang))
            window = view.data[near[0] : near[1]]
            if any(stem in window for stem in self._stems):
                found.update(self._textual(view.folded, near))
        if not written and any(digits in view.confused for digits in self._whole):
            found.update(self._find_misread(view, lang))
        yield from sorted(found)

    def _year_offsets(self, data: bytes) -> Iterator[int]:
        """Yield where the last two digits of the year may be: in every writing they are there."""
        century = b"%02d" % (self._day.year // 100)
        at = data.find(self._year_digits)
        while at >= 0:
            whole = data[max(0, at - 2) : at] == century
            if whole or data[max(0, at - 1) : at] not in _SINGLE_DIGITS:
                yield at
            at = data.find(self._year_digits, at + 1)

    def _find_misread(self, view: View, lang: str) -> Iterator[tuple[int, int]]:
        text = view.data.translate(CONFUSED).decode("latin-1")
        for start, end in self._find_numeric(text, (0, len(text)), lang):
            if sum(char.isalpha() for char in view.folded[start:end]) <= _MISREAD:
                yield start, end

    def _find_numeric(
        self, folded: str, near: tuple[int, int], lang: str
    ) -> Iterator[tuple[int, int]]:
        for found in _NUMERIC.finditer(folded, *near):
            a, b, c = found["a"], found["b"], found["c"]
            # Small numbers with blanks between them are values, unless all are written out.
            if found["gap"].isspace() and len(a + b + c) < 6:
                continue
            if self._is_birthday(a, b, c, lang):
                yield found.start("a"), found.end("c")

    def _is_birthday(self, a: str, b: str, c: str, lang: str) -> bool:
        born = self._day
        if len(a) == 4 and int(a) == born.year and len(c) == 2:
            return (int(b), int(c)) == (born.month, born.day)
        if len(a) > 2 or not self._is_birth_year(c):
            return False
        day_first = (int(a), int(b)) == (born.day, born.month)
        return day_first or (lang in ("en", "") and (int(a), int(b)) == (born.month, born.day))

    def _is_birth_year(self, digits: str) -> bool:
        year = self._day.year
        return int(digits) == (year if len(digits) == 4 else year % 100) and len(digits) != 3

    def _compact_writings(self, lang: str) -> frozenset[bytes]:
        """Return the writings of eight or six digits without anything between them."""
        return self._either_first if lang in ("en", "") else self._day_first

    def _textual(self, folded: str, near: tuple[int, int]) -> Iterator[tuple[int, int]]:
        for found in _textual(self._day.month).finditer(folded, *near):
            day = found["day"] or found["day2"] or found["day3"]
            year = found["year"] or found["year2"] or found["year3"]
            number = 1 if day == "premier" else int(day)
            if number == self._day.day and self._is_birth_year(year):
                yield found.span()


def _compact_forms(born: date) -> tuple[frozenset[bytes], frozenset[bytes]]:
    """Return the writings in digits alone with the day first or last, and with the month first."""
    day, month = b"%02d" % born.day, b"%02d" % born.month
    year, short = b"%04d" % born.year, b"%02d" % (born.year % 100)
    day_first = frozenset((day + month + year, year + month + day, day + month + short))
    return day_first, frozenset((month + day + year, month + day + short))


def _find_digit_runs(view: View, digits: bytes) -> Iterator[tuple[int, int]]:
    spaced = b" ".join(b"%c" % digit for digit in digits)
    for written in (digits, spaced) if len(digits) == 8 else (digits,):
        at = view.data.find(written)
        while at >= 0:
            end = at + len(written)
            before, after = view.data[max(0, at - 2) : at], view.data[end : end + 2]
            if written is spaced:
                before, after = before.replace(b" ", b""), after.replace(b" ", b"")
            if not (before[-1:].isdigit() or after[:1].isdigit()):
                yield at, end
            at = view.data.find(written, at + 1)


def _written_in_digits(day: date) -> tuple[bytes, ...]:
    """Return the digits of the day in every numeric writing, the longest first."""
    years = (b"%04d" % day.year, b"%02d" % (day.year % 100))
    days = [(b"%02d" % day.day, b"%02d" % day.month), (b"%d" % day.day, b"%d" % day.month)]
    orders = [
        ordered
        for a in {days[0][0], days[1][0]}
        for b in {days[0][1], days[1][1]}
        for year in years
        for ordered in (a + b + year, b + a + year, *([year + b + a] if len(year) == 4 else []))
    ]
    return tuple(sorted(set(orders), key=lambda digits: (-len(digits), digits)))


@cache
def _textual(month: int) -> re.Pattern[str]:
    name = rf"(?:{longest_first(_MONTHS[month - 1])})(?![a-z])"
    day_word = r"(?:(?P<day>premier|[0-9]{1,2})[ ]?(?:er|re|ere|st|nd|rd|th|º|°|ª|o)?)"
    return re.compile(
        rf"(?<![0-9]){day_word}{_JOIN}{name}{_JOIN}{_YEAR.format('year')}"
        rf"|(?<![a-z]){name}{_JOIN}{_DAY.format('day2')}{_JOIN}{_YEAR.format('year2')}"
        rf"|(?<![0-9])(?P<year3>[0-9]{{4}}){_JOIN}{name}{_JOIN}{_DAY.format('day3')}(?![0-9])"
    )

"""Known dates of birth in a text, however they are written and whatever damaged them."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache, lru_cache
from itertools import pairwise, product
from typing import NamedTuple

from rapidfuzz.distance import OSA

from rules.dates.calendar import MONTHS
from rules.known.digit_gaps import DigitRuns
from rules.known.spoken_numbers import SpokenDay
from rules.matching.normalization import View

# Folded names and abbreviations of the months, January first, and their Roman numbers.
_MONTHS = tuple(
    frozenset(name for name, number in MONTHS.items() if number == month) for month in range(1, 13)
)
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
# Between the day, the name of the month and the year: ordinals, articles, a word for the year.
_ORDINALS = frozenset("er re ere eme st nd rd th o a".split())
_BESIDE_DAY = _ORDINALS | frozenset("le the el den".split())
_BESIDE_MONTH = _BESIDE_DAY | frozenset(
    "of de del du d van l annee an year ano mois month mes".split()
)
# The same where all letters stand apart.
_SPACED_BEFORE = ("st", "nd", "rd", "th", "er", "del", "de", "of")
_SPACED_AFTER = ("del", "de", "of")
_LONGEST_NAME = 24
# No writing of a date puts more than this between its day and its year.
_REACH = 44
# Letters a name must have before one may be wrong, and before two may be: beside a whole year,
# and beside one of two digits, which proves less.
_WRONG_LETTERS = {True: (3, 4), False: (4, 7)}

# What recognition takes for a digit, and how many such letters a day and its year may have.
_LIKE = {
    "0": "[0o]", "1": "[1il|]", "2": "[2z]", "4": "[4a]", "5": "[5s]", "6": "[6g]", "8": "[8b]",
}  # fmt: skip
# So many digits of a day and its year must be right, if others are read as letters.
_FEWEST_DIGITS = 2
# Characters by their numbers, which are not digits of the date.
_ESCAPE = re.compile(r"&#x?[0-9a-f]{2,5}[; ]|\\x[0-9a-f]{2}\\")
_DIGIT_IN_WORD = re.compile(r"(?<=[a-z])[0-9](?=[a-z])")
_LETTERS = re.compile(r"[a-z]+")
_LAST_WORD = re.compile(r"(?<![a-z])[a-z][^\s0-9]{0,15}\W{0,4}\Z")
_LAST_SPACED_WORD = re.compile(r"(?<![a-z])[a-z](?:[^\w\n]{1,2}[a-z](?![a-z])){2,12}\W{0,4}\Z")
_NEXT_WORD = re.compile(r"\W{0,3}[a-z][a-z?]{1,15}")
# Another number after a day makes it one of another date.
_MORE = re.compile(r" ?[/.\-] ?[0-9]")
# The time that computers write after a day, without anything between.
_TIME = re.compile(r"(?:[01][0-9]|2[0-4])(?:[0-5][0-9]){0,2}(?![0-9])")

# What parts a date whose year has two digits; of the latter twice the same.
_SIGNS = frozenset("/.-|,\\_")
_MORE_SIGNS = frozenset("·∕⁄~:;*=•¦'")
_SLASHES = frozenset("/.-")
# Controls and marks of keys, which nobody sees.
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f\u20e3\ufe0f]")


class _Writing(NamedTuple):
    """The digits of the day in one order, and how many of them each of the three parts has."""

    digits: bytes
    sizes: tuple[int, int, int]
    whole_year: bool
    month_first: bool


class Birthday:
    """One day of birth, ready to be looked for."""

    __slots__ = ("_day", "_day_and_year", "_short", "_spoken", "_whole", "_year")

    def __init__(self, day: date) -> None:
        self._day = day
        self._spoken = SpokenDay(day)
        self._year = b"%04d" % day.year
        self._day_and_year = b"%d" % day.day + self._year[2:]
        writings = _write_in_digits(day)
        self._whole = tuple(one for one in writings if one.whole_year)
        self._short = tuple(one for one in writings if not one.whole_year)

    def find(self, view: View, lang: str) -> Iterator[tuple[int, int]]:
        """Yield where the day stands, as offsets of the view.

        `lang` decides whether the month may come first in digits (`en`, or unknown). With the
        whole year, any signs, blanks and line breaks may stand between the digits, or none; with
        two of its digits, the parts are set apart as those of a date are. The name of the month
        may have a letter or two wrong, and two digits may be read as letters.
        """
        found: set[tuple[int, int]] = set()
        exact, misread = DigitRuns(view), DigitRuns(view, right=1)
        found.update(self._find_numeric(view, exact, self._short, lang))
        for runs in (exact, misread):
            near = _near(runs.stream, self._year)
            if near:
                whole = [one for one in self._whole if one.digits in near]
                found.update(self._find_numeric(view, runs, whole, lang))
                covered = {at for extent in found for at in range(*extent)}
                for places in runs.find(self._year):
                    if places[0] not in covered:
                        found.update(self._find_around_year(view, places))
        if self._day_and_year in view.digits:
            for at in self._short_years(view.data):
                found.update(self._find_around_year(view, [at, at + 1]))
        found.update(self._find_numeric(view, misread, self._short[:2], lang))
        found.update(self._spoken.find(view))
        yield from sorted(found)

    def _short_years(self, data: bytes) -> Iterator[int]:
        """Yield where the last two digits of the year stand alone."""
        year = self._year[2:]
        at = data.find(year)
        while at >= 0:
            if not (data[at + 2 : at + 3].isdigit() or data[at - 1 : at].isdigit()):
                yield at
            at = data.find(year, at + 1)

    def _find_numeric(
        self, view: View, runs: DigitRuns, writings: Iterable[_Writing], lang: str
    ) -> Iterator[tuple[int, int]]:
        stream = runs.stream
        for writing in writings:
            if writing.digits not in stream or (writing.month_first and lang not in ("en", "")):
                continue
            for places in runs.find(writing.digits):
                start, end = places[0], places[-1] + 1
                while writing.whole_year and start and view.folded[start - 1] == "0":
                    start -= 1  # a zero too many
                timed = _TIME.match(view.folded, end) if len(places) == 8 else None
                end = timed.end() if timed else end
                apart = not _touches_digit(view.folded, start, end)
                if apart and _is_parted_like_a_date(view.folded, places, writing):
                    yield start, end

    def _find_around_year(self, view: View, places: list[int]) -> Iterator[tuple[int, int]]:
        """Yield where a day and the name of the month stand before a year, or after it."""
        folded = view.folded
        start, end = places[0], places[-1] + 1
        if _touches_digit(folded, start, end):
            return
        right = sum(not folded[at].isalpha() for at in places)
        first = max(0, start - _REACH)
        before = _ESCAPE.sub(_hide, folded[first:start])
        found = False
        for day in _day_pattern(self._day.day).finditer(before):
            if not _is_readable_day(before, day, right):
                continue
            between = before[day.end() :]
            if self._is_month(between, whole_year=len(places) == 4):
                found = True
                yield first + day.start(), end
            elif _is_beside_day(between):
                name = self._month_before(before[: day.start()], whole_year=len(places) == 4)
                if name is not None:
                    found = True
                    yield first + name, end
        if len(places) == 4 and not found:
            after = _ESCAPE.sub(_hide, folded[end : end + _REACH])
            for name, stop in self._find_after_year(before, after, right):
                yield (start if name is None else first + name), end + stop

    def _find_after_year(
        self, before: str, after: str, right: int
    ) -> Iterator[tuple[int | None, int]]:
        """Yield where what stands after a year ends: the day, with the month on any of its sides.

        Before that, where the month begins if it stands before the year.
        """
        for day in _day_pattern(self._day.day).finditer(after):
            between = after[: day.start()]
            if not _is_readable_day(after, day, right) or _MORE.match(after, day.end()):
                continue
            if self._is_month(between, whole_year=True):
                yield None, day.end()
            elif _is_beside_day(between):
                name = self._month_before(before, whole_year=True)
                following = _NEXT_WORD.match(after, day.end())
                if name is not None:
                    yield name, day.end()
                elif following and self._is_month(following[0], whole_year=True):
                    yield None, following.end()

    def _month_before(self, text: str, *, whole_year: bool) -> int | None:
        """Return where the name of the month begins with which a text ends."""
        for pattern in (_LAST_WORD, _LAST_SPACED_WORD):
            word = pattern.search(text, max(0, len(text) - _LONGEST_NAME))
            if word and self._is_month(word[0], whole_year=whole_year):
                return word.start()
        return None

    def _is_month(self, text: str, *, whole_year: bool) -> bool:
        """Return whether a text is the month and nothing but what stands beside its name."""
        text = _DIGIT_IN_WORD.sub("", text)
        if any(char.isdigit() for char in text):
            return False
        words = _LETTERS.findall(text)
        spaced = "".join(words)
        if not 0 < len(spaced) <= _LONGEST_NAME:
            return False
        while words and words[0] in _BESIDE_MONTH:
            del words[0]
        while words and words[-1] in _BESIDE_MONTH:
            del words[-1]
        plain = _without_neighbours(spaced)
        return any(
            _may_be_month(letters, self._day.month, whole_year)
            for letters in {"".join(words), spaced, plain}
        )


def _write_in_digits(day: date) -> list[_Writing]:
    """Return the day in every numeric writing; those of six digits come first."""
    year = f"{day.year:04d}"
    days, months = ([f"{number:02d}", str(number)] for number in (day.day, day.month))
    found: dict[tuple[bytes, tuple[int, int, int]], _Writing] = {}

    def add(parts: tuple[str, str, str], whole_year: bool, month_first: bool) -> None:
        first, second, third = map(len, parts)
        one = _Writing("".join(parts).encode(), (first, second, third), whole_year, month_first)
        # The same digits with the day first count in all languages.
        if month_first:
            found.setdefault((one.digits, one.sizes), one)
        else:
            found[one.digits, one.sizes] = one

    for a, b in product(days, months):
        for parts in ((a, b, year), (year, b, a), (a, b, year[2:])):
            add(parts, year in parts, False)
        for parts in ((b, a, year), (b, a, year[2:])):
            add(parts, year in parts, day.day <= 12)
    a, b = days[0], months[0]
    # A zero too many, and a slash that was read as a digit.
    for parts in ((a, "0" + b, year), (a, b, "0" + year)):
        add(parts, True, False)
    for slash in "17":
        add((a + slash, b, year), True, False)
        add((a, b + slash, year), True, False)
    return sorted(found.values(), key=lambda one: (len(one.digits) != 6, -len(one.digits), one))


def _near(stream: bytes, year: bytes) -> bytes:
    """Return the digits around each place of a year, as many as a date has."""
    near: list[bytes] = []
    at = stream.find(year)
    while at >= 0:
        near.append(stream[max(0, at - 6) : at + 9])
        at = stream.find(year, at + 1)
    return b" ".join(near)


def _touches_digit(folded: str, start: int, end: int) -> bool:
    before, after = folded[start - 1 : start] if start else "", folded[end : end + 1]
    return before.isdigit() or after.isdigit()


def _is_parted_like_a_date(folded: str, places: list[int], writing: _Writing) -> bool:
    """Return whether what stands between the digits leaves no doubt that they are a date."""
    gaps = [_UNSEEN.sub("", folded[a + 1 : b]) for a, b in pairwise(places)]
    first, second, _ = writing.sizes
    outer = [gaps[first - 1], gaps[first + second - 1]]
    others = gaps[: first - 1] + gaps[first : first + second - 1] + gaps[first + second :]
    inner = any(others)
    if len(gaps) > 6:
        return True
    if writing.whole_year:
        # `30/2/1950` is not the third, and `931 960` is a number of six digits.
        return all(outer) if inner else any(outer) or len(gaps) == 6
    if len(gaps) < 5:
        return _are_signs_of_dates(outer) and not any(gap.strip() for gap in others)
    if inner:
        broken = not any(outer) and sum(map(bool, others)) == 1 and "\n" in "".join(others)
        return all(gaps) or broken or all(gap.strip() for gap in outer)
    return all(outer) or not any(outer) or any(gap.strip() in _SLASHES for gap in outer)


def _are_signs_of_dates(gaps: list[str]) -> bool:
    """Return whether small numbers are parted as dates are: with blanks alone they are values."""
    signs = [frozenset(gap) - {" ", "\n", "\r", "'"} for gap in gaps]
    if all(len(one) == 1 and one <= _SIGNS for one in signs):
        return True
    return signs[0] == signs[1] and len(signs[0]) == 1 and signs[0] <= _MORE_SIGNS


@cache
def _day_pattern(day: int) -> re.Pattern[str]:
    digits = [_LIKE.get(digit, digit) for digit in str(day)]
    gap = r"[^\w,;]{0,12}"
    zero = r"(?:[0o][^\w\n,;]{0,3})?" if day < 10 else ""
    word = "|premier" if day == 1 else ""
    return re.compile(rf"(?<![0-9])(?:{zero}{gap.join(digits)}{word})(?![0-9])")


def _is_readable_day(text: str, day: re.Match[str], right: int) -> bool:
    """Return whether enough digits of a day and its year are right, and no word is taken for one.

    `right` counts those of the year.
    """
    start, end = day.span()
    if right + sum(char.isdigit() for char in day[0]) < _FEWEST_DIGITS:
        return False
    if day[0] == "premier":
        return True
    before = text[start].isalpha() and start > 0 and text[start - 1].isalnum()
    return not before and not (text[end - 1].isalpha() and text[end : end + 1].isalnum())


def _is_beside_day(text: str) -> bool:
    """Return whether nothing but an ordinal or an article stands between a day and its year."""
    if len(text) >= 10 or any(map(str.isdigit, text)):
        return False
    return _BESIDE_DAY.issuperset(_LETTERS.findall(text))


def _without_neighbours(letters: str) -> str:
    """Drop an ordinal or an article before the letters of a month, and an article after them."""
    before = next((one for one in _SPACED_BEFORE if letters.startswith(one)), "")
    after = next((one for one in _SPACED_AFTER if letters.endswith(one)), "")
    return letters.removeprefix(before).removesuffix(after)


def _hide(escape: re.Match[str]) -> str:
    return "?" * len(escape[0])


@lru_cache(maxsize=1024)
def _may_be_month(letters: str, month: int, whole_year: bool) -> bool:
    """Return whether letters are a name of the month, or come close to one and to no other's."""
    names = _MONTHS[month - 1]
    if letters in names or letters == _ROMANS[month - 1]:
        return True
    if letters in MONTHS or letters in _ROMANS:
        return False
    one_wrong, two_wrong = _WRONG_LETTERS[whole_year]
    for name in names:
        most = (len(name) >= one_wrong) + (len(name) >= two_wrong)
        if most and OSA.distance(letters, name, score_cutoff=most) <= most:
            return True
    return False

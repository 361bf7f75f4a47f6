"""Whole dates written in digits."""

import re
from collections.abc import Iterator

from rules.dates import partial
from rules.dates.calendar import Moment, day_and_month, possible_day, possible_year
from rules.dates.context import (
    CLOCK,
    DATE_WORDS,
    DAY_WORDS,
    MEASURE_WORDS,
    VERSIONS,
    glued,
    measures,
)
from rules.matching.preceding_words import lead
from rules.matching.scanner import Pattern

# Two or three numbers with separators between.
_SERIES = Pattern(
    r"(?<![0-9])([0-9]{1,4})( ?)([/.|_,\-])( ?)([0-9]{1,4})"
    r"(?:( ?)([/.|_ \-])([ \n]?)([0-9]{4}|[0-9]{1,2}))?(?![0-9])"
)
# Scanners and typists put O, Û, l or I where a digit belongs.
_LIKE = r"[0-9ouli]"
_MISREAD = Pattern(
    rf"(?<![0-9a-z])((?:[ouli][0-9]|[0-9][ouli]) ?[/.\-] ?{_LIKE}{{1,2}} ?[/.\-] ?{_LIKE}{{4}}"
    rf"|[0-9]{{1,2}} ?[/.\-] ?(?:[ouli][0-9]|[0-9][ouli]) ?[/.\-] ?{_LIKE}{{4}}"
    r"|[0-9]{1,2} ?[/.\-] ?[0-9]{1,2} ?[/.\-] ?"
    r"(?:[0-9]{3}[ouli]|[0-9]{2}[ouli][0-9]|[0-9][ouli][0-9ouli]{2}))(?![0-9a-z])"
)
_SEPARATOR = re.compile(r" ?[/.\-] ?")
_DIGITS_OF_LETTERS = str.maketrans("ouli", "0011")
_YEAR = re.compile(r"[12][0189][0-9]{2}")
_BLANKS = Pattern(
    r"(?<![0-9])([0-9]{1,2}) {1,2}([0-9]{1,2}) {1,2}((?:19|20)[0-9]{2})"
    r"(?![0-9])(?! [0-9](?![0-9]? ?[h:]))"
)
_BLANKS_YEAR_FIRST = Pattern(
    r"(?<![0-9])((?:19|20)[0-9]{2}) ([01][0-9]) ([0-3][0-9])(?! ?[0-9](?![0-9]? ?[h:]))"
)
_ROMAN = Pattern(r"(?<![0-9])([0-3]?[0-9])([/.\-])([ivx]{1,4})\2((?:19|20)[0-9]{2})(?![0-9])")
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_EIGHT = Pattern(r"\b[0-9]{8}(?:\b|t[0-9])")
_SIX = Pattern(r"\b[0-3][0-9][01][0-9]{3}\b")
# What stands in a field for a date is taken for one, however badly it is typed.
_FIELD = Pattern(r"[:=] {0,3}([0-9]{1,6}(?: ?[/.\-|]{1,2} ?[0-9]{1,6}){1,3})(?![0-9])")
_FIELD_NAMES = frozenset(
    "fecha date datum nac naissance nacimiento birth ddn dob geburtsdatum geboortedatum".split()
)
_FIELD_REACH = 36
_WELL_TYPED = re.compile(r"([0-9]{1,2})([/.|\-])([0-9]{1,2})\2[0-9]{4}")
# German letters mark the day of birth with a star.
_STAR = re.compile(r"[\w,;(] ?\(?\* ?\Z")
_DOSE = re.compile(r" ?([a-z]+)")
_DOSES = frozenset({"ui", "ie", "iu", "u", "e", "unit", "units", "mg", "ml"})
_GOES_ON = re.compile(r" ?([/.|_\-]) ?[0-9]")
_TIME = re.compile(r" ?[:h][0-5][0-9]")


def find(folded: str) -> Iterator[Moment]:
    """Yield dates of digits in folded text, whole or in part; they may overlap."""
    yield from _SERIES.convert(folded, _series)
    yield from _MISREAD.convert(folded, _misread)
    yield from _blanks(folded)
    yield from _ROMAN.convert(folded, _roman)
    yield from _runs(folded)
    for match in _FIELD.finditer(folded):
        start, end = match.span(1)
        typed = _WELL_TYPED.fullmatch(folded, start, end)
        if typed and day_and_month(typed[1], typed[3]):
            continue
        if 6 <= sum(char.isdigit() for char in match[1]) <= 9:
            at = match.start()
            named = folded[max(0, at - _FIELD_REACH) : at].rpartition("\n")[2]
            if not _FIELD_NAMES.isdisjoint(named.replace(".", " ").split()):
                yield Moment(start, end, None, None, None)


def _series(folded: str, match: re.Match[str]) -> Moment | None:
    start = match.start()
    if start > 1 and folded[start - 1] == match[3] and folded[start - 2].isdigit():
        return None
    found = _three_parts(folded, match) if match[9] else None
    return found or partial.read(folded, match)


def _moment(start: int, end: int, year: str, first: str, second: str) -> Moment | None:
    parts = day_and_month(first, second)
    if parts is None or not possible_year(int(year)):
        return None
    return Moment(start, end, int(year), parts[1], parts[0])


def _three_parts(folded: str, match: re.Match[str]) -> Moment | None:
    first, _, separator, _, second, _, other, broken, third = match.groups()
    start, end = match.span()
    if len(first) == 3 or len(second) > 2 or (broken == "\n" and len(third) < 4):
        return None
    if glued(folded, start, separator + ","):
        return None
    if separator != other or separator == ",":
        return _mixed(folded, match)
    if len(first) == 4:
        return _moment(start, end, first, third, second) if len(third) <= 2 else None
    if len(third) == 4 or _short_year(folded, match):
        return _moment(start, end, third, first, second)
    return None


def _mixed(folded: str, match: re.Match[str]) -> Moment | None:
    """Read `12/03-2024`, `12,03,2024`: only with the whole year."""
    first, separator, second, third = match.group(1, 3, 5, 9)
    start, end = match.span()
    if len(first) > 2 or not _YEAR.fullmatch(third) or glued(folded, start, ",./-"):
        return None
    if separator == "," and len(first + second) < 4:
        return None
    return _moment(start, end, third, first, second)


def _misread(_: str, match: re.Match[str]) -> Moment | None:
    written = match[1]
    if sum(char.isdigit() for char in written) < 4:
        return None
    first, second, year = _SEPARATOR.split(written.translate(_DIGITS_OF_LETTERS))
    return _moment(*match.span(), year, first, second)


def _short_year(folded: str, match: re.Match[str]) -> bool:
    """Return whether three numbers of at most two digits are a date and not part of a series."""
    first, separator, second, third = match.group(1, 3, 5, 9)
    start, end = match.span()
    more = _GOES_ON.match(folded, end)
    if len(third) != 2 or (more and more[1] == separator):
        return False
    blank = any(match.group(2, 4, 6, 8))
    if blank and _TIME.match(folded, end):
        return False
    last = lead(folded, start)[1]
    if last in MEASURE_WORDS and last != "en":
        return False
    if separator == "/" and not blank:
        dose = _DOSE.match(folded, end)
        return dose is None or dose[1] not in _DOSES
    if last in DAY_WORDS or _STAR.search(folded, max(0, start - 4), start):
        return True
    if last in VERSIONS or blank:
        return False
    timed = CLOCK.match(folded, end) is not None
    return len(first) == len(second) == 2 and (timed or not measures(folded, end))


def _blanks(folded: str) -> Iterator[Moment]:
    for match in _BLANKS.finditer(folded):
        first, second, year = match.groups()
        start, end = match.span()
        if glued(folded, start, " .-/,"):
            continue
        if len(first) + len(second) == 4 or lead(folded, start)[1] in DATE_WORDS:
            found = _moment(start, end, year, first, second)
            if found:
                yield found
    for match in _BLANKS_YEAR_FIRST.finditer(folded):
        year, month, day = match.groups()
        start, end = match.span()
        if possible_day(int(day), int(month)) and not glued(folded, start, " .-/,"):
            yield Moment(start, end, int(year), int(month), int(day))


def _roman(_: str, match: re.Match[str]) -> Moment | None:
    """Read a month written as a Roman number: `12-III-2024`."""
    day, name, year = match.group(1, 3, 4)
    month = _ROMANS.index(name) + 1 if name in _ROMANS else 0
    if not possible_day(int(day), month):
        return None
    return Moment(match.start(), match.end(), int(year), month, int(day))


def _runs(folded: str) -> Iterator[Moment]:
    for pattern, wanted in ((_EIGHT, DAY_WORDS), (_SIX, DATE_WORDS)):
        for match in pattern.finditer(folded):
            start = match.start()
            digits = match[0].partition("t")[0]
            if lead(folded, start)[1] in wanted and not glued(folded, start, ".,-/"):
                found = run_of_digits(digits)
                if found:
                    yield Moment(start, start + len(digits), *found)


def run_of_digits(digits: str) -> tuple[int, int, int] | None:
    """Read 6 or 8 digits as day, month, year, or 8 as year, month, day; give (year, month, day)."""
    year = int(digits[4:])
    parts = day_and_month(digits[:2], digits[2:4])
    if parts and parts[0] and (year < 100 or 1880 <= year < 2100):
        return year, parts[1], parts[0]
    if len(digits) == 8 and 1900 <= int(digits[:4]) < 2100:
        month, day = int(digits[4:6]), int(digits[6:])
        if possible_day(day, month):
            return int(digits[:4]), month, day
    return None

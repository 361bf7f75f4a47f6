"""Whole dates written in digits."""

import re
from collections.abc import Iterator

from rules.dates.calendar import Moment, day_and_month, possible_day, possible_year
from rules.dates.context import (
    CLOCK,
    DATE_WORDS,
    DAY_WORDS,
    HOUR,
    LOOSE_DAY_WORDS,
    MEASURE_WORDS,
    MONTH_WORDS,
    SHORT_WEEKDAY_WORDS,
    VERSIONS,
    continues_digits,
    is_followed_by_unit,
)
from rules.dates.ranges import find_intervals, find_numeric_ranges
from rules.matching.preceding_words import words_before
from rules.matching.scanner import Pattern

# More digits over a separator make a series of numbers, or another date.
_PARTIAL_GOES_ON = re.compile(r" ?([/.\-]) ?[0-9]")
_NO_STOP = re.compile(r"\. ?[0-9]{2,4}(?![:h0-9])")
# Cycles and days of a treatment are numbered: C3 5/7.
_CYCLE = re.compile(r"[cjsd][0-9]{1,2}")
# An entry of a log begins with the day, and the time or a colon after it.
_ENTRY_OPENS = re.compile(r"(?:\A|\n|[.!?)\]] )[ >*•+\-\[(]{0,4}\Z")
_ENTRY_GOES_ON = re.compile(r"[)\]]? {0,2}:(?![0-9])|[)\]]? {1,2}[-–] {1,2}[^\W\d]")
_PERCENT = re.compile(r" ?[%μ]")
_ACUITY_REACH = 40
_EYE_BEFORE = re.compile(r"(?<!\w)(?:re|va|bcva|ucva|acuity|vision)(?!\w)[^\n]*\Z")


def read_two_numbers(folded: str, match: re.Match[str]) -> Moment | None:
    """Read the first two numbers of a series: groups 1 to 5 of `match`, with their separator."""
    first, separator, second = match.group(1, 3, 5)
    if separator not in "/.-" or continues_digits(folded, match.start(), "./,-"):
        return None
    if len(first) > 2 or len(second) > 2:
        return _read_month_and_year(folded, match)
    if separator == "/":
        return _read_day_with_slash(folded, match)
    if separator == "." and folded.startswith(".", match.end(5)):
        # Read a German day and month, which end with a full stop each.
        start, end = match.start(), match.end(5)
        parts = _day_and_month(match[1], match[5]) if not _NO_STOP.match(folded, end) else None
        timed = CLOCK.match(folded, end)
        if parts is None or (is_followed_by_unit(folded, end + 1) and not timed):
            return None
        if not timed and not _announces_day(words_before(folded, start)[1]):
            return None
        return Moment(start, end, None, parts[1], parts[0])
    return _read_day_with_point(folded, match) if second[0] in "01" and len(second) == 2 else None


def _continues_number(folded: str, end: int, separator: str) -> bool:
    more = _PARTIAL_GOES_ON.match(folded, end)
    return more is not None and more[1] in (separator, "/")


def _read_day_with_slash(folded: str, match: re.Match[str]) -> Moment | None:
    first, second = match.group(1, 5)
    start, end = match.start(), match.end(5)
    parts = _day_and_month(first, second)
    if parts is None or _is_fraction(first, second) or _continues_number(folded, end, "/"):
        return None
    previous, last = words_before(folded, start)
    if _announces_measure(previous, last) or _is_acuity(folded, start, first, last):
        return None
    found = Moment(start, end, None, parts[1], parts[0])
    if _opens_entry(folded, match, first, second):
        return found
    if is_followed_by_unit(folded, end) and not (_announces_day(last) and HOUR.match(folded, end)):
        return None
    loose = len(second) == 2 and _may_announce_day(previous, last)
    loose = loose or last.strip(".,") in SHORT_WEEKDAY_WORDS
    return found if loose or _announces_day(last) or _looks_like_day(first, second) else None


def _read_day_with_point(folded: str, match: re.Match[str]) -> Moment | None:
    first, separator, second = match.group(1, 3, 5)
    start, end = match.start(), match.end(5)
    parts = _day_and_month(first, second)
    if parts is None or not (separator == "." or "0" in (first[0], second[0])):
        return None
    clock = CLOCK.match(folded, end)
    if (is_followed_by_unit(folded, end) and not clock) or _continues_number(
        folded, end, separator
    ):
        return None
    # `22-05 16:41`: both of two digits, a hyphen, and a time after.
    timed = clock and separator == "-" and end - start == len("22-05")
    if not timed and not _announces_day(words_before(folded, start)[1]):
        return None
    return Moment(start, end, None, parts[1], parts[0])


def _day_and_month(first: str, second: str) -> tuple[int, int] | None:
    parts = day_and_month(first, second)
    return None if parts is None or 0 in parts else parts


def _announces_day(last: str) -> bool:
    return last in DAY_WORDS or _CYCLE.fullmatch(last) is not None


def _may_announce_day(previous: str, last: str) -> bool:
    return (last in LOOSE_DAY_WORDS and previous != "pain") or (last == "of" and previous == "labs")


def _announces_measure(previous: str, last: str) -> bool:
    return last in MEASURE_WORDS or (last in ("a", "at", "de") and previous in MEASURE_WORDS)


def _is_acuity(folded: str, start: int, first: str, last: str) -> bool:
    """Return whether a number is what an eye sees: `VA RE 6/36, LE 6/12`."""
    if last != "le" or first != "6":
        return False
    return _EYE_BEFORE.search(folded, max(0, start - _ACUITY_REACH), start) is not None


def _is_fraction(first: str, second: str) -> bool:
    """Return whether numbers are a share or a score, even after `du`: 1/3, 2/3, 3/4."""
    if len(first) == len(second) == 1:
        return int(second) in (2, 3, 4, 5) and int(first) < int(second)
    return False


def _opens_entry(folded: str, match: re.Match[str], first: str, second: str) -> bool:
    """Return whether `n/n` is the day of an entry in a log: `29/12 : vu`, `22/05 16h41`."""
    if len(second) != 2 or match[2] or match[4]:
        return False
    start, end = match.start(), match.end(5)
    if len(first) == 2 and CLOCK.match(folded, end):
        return True
    if not (CLOCK.match(folded, end) or _ENTRY_GOES_ON.match(folded, end)):
        return False
    return _ENTRY_OPENS.search(folded, max(0, start - 8), start) is not None


def _looks_like_day(first: str, second: str) -> bool:
    """Return whether `n/n` is written as days are: two digits each, a zero before one of them.

    Scores out of ten are left out unless a trigger stands before them.
    """
    if len(second) != 2:
        return False
    return second[0] == "0" or (first[0] == "0" and len(first) == 2 and second not in ("10", "20"))


def _read_month_and_year(folded: str, match: re.Match[str]) -> Moment | None:
    first, separator, second = match.group(1, 3, 5)
    start, end = match.start(), match.end(5)
    year_first = len(first) == 4
    year, month = (first, second) if year_first else (second, first)
    blank = match[2] or match[4]
    if not (len(year) == 4 and len(month) <= 2 and 1900 <= int(year) < 2100):
        return None
    if not 1 <= int(month) <= 12 or (separator != "/" and (len(month) == 1 or blank)):
        return None
    if year_first and (len(month) == 1 or blank):
        return None
    last = words_before(folded, start)[1]
    if last in VERSIONS or (month == "1" and last not in MONTH_WORDS):
        return None  # a titre: 1/2048
    if _PARTIAL_GOES_ON.match(folded, end) or _PERCENT.match(folded, end):
        return None
    if separator == "." and is_followed_by_unit(folded, end):
        return None
    return Moment(start, end, int(year), int(month), None)


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
    rf"|(?:[ouli]{{2}}[/.\-]{_LIKE}{{1,2}}|{_LIKE}{{1,2}}[/.\-][ouli]{{2}})[/.\-]2{_LIKE}{{3}}"
    r"|[0-9]{1,2} ?[/.\-] ?[0-9]{1,2} ?[/.\-] ?"
    r"(?:[0-9]{3}[ouli]|[0-9]{2}[ouli][0-9]|[0-9][ouli][0-9ouli]{2}))(?![0-9a-z])"
)
_MISREAD_SHORT = Pattern(
    rf"(?<![0-9a-z])({_LIKE}{{1,2}}) ?([/.\-]) ?({_LIKE}{{1,2}}) ?\2 ?({_LIKE}{{2}})(?![0-9a-z])"
)
_FEWEST_DIGITS, _FEWEST_MISREAD = 2, 3
_LAST_DAY, _MONTHS = 31, 12
_SEPARATOR = re.compile(r" ?[/.\-] ?")
_DIGITS_OF_LETTERS = str.maketrans("ouli", "0011")
_PAIR = Pattern(
    r"(?<![0-9.,/])([0-3]?[0-9])\.([01]?[0-9])\.([0-9]{2})?/"
    r"([0-3]?[0-9])\.([01]?[0-9])\.((?:19|20)?[0-9]{2})(?![0-9]|[.,][0-9])"
)
_YEAR = re.compile(r"[12][0189][0-9]{2}")
_BLANKS = Pattern(
    r"(?<![0-9])([0-9]{1,2}) {1,2}([0-9]{1,2}) {1,2}((?:19|20)[0-9]{2})"
    r"(?![0-9])(?! [0-9](?![0-9]? ?[h:]))"
)
_BLANKS_YEAR_FIRST = Pattern(
    r"(?<![0-9])((?:19|20)[0-9]{2}) ([01][0-9]) ([0-3][0-9])(?! ?[0-9](?![0-9]? ?[h:]))"
)
_ROMAN = Pattern(r"(?<![0-9])([0-3]?[0-9])([/.\-])([ivx]{1,4})\2((?:19|20)?[0-9]{2})(?![0-9])")
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
# `20240312T143205`: what a time follows so is a date without a word that announces one.
_COMPACT_TIME = re.compile(r"t[0-2][0-9][0-5][0-9]")


def find(folded: str) -> Iterator[Moment]:
    """Yield dates of digits in folded text, whole or in part; they may overlap."""
    yield from _SERIES.convert(folded, _read_series)
    yield from _MISREAD.convert(folded, _read_misread_date)
    yield from _MISREAD_SHORT.convert(folded, _read_misread_short_date)
    yield from _dates_with_blanks(folded)
    yield from _ROMAN.convert(folded, _read_roman_month)
    yield from _dates_without_separators(folded)
    for start, end in (*find_numeric_ranges(folded), *find_intervals(folded)):
        yield Moment(start, end, None, None, None)
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


def _read_series(folded: str, match: re.Match[str]) -> Moment | None:
    start = match.start()
    if start > 1 and folded[start - 1] == match[3] and folded[start - 2].isdigit():
        return None
    found = _read_three_parts(folded, match) if match[9] else None
    return found or read_two_numbers(folded, match)


def _make_moment(start: int, end: int, year: str, first: str, second: str) -> Moment | None:
    if not possible_year(int(year)):
        return None
    parts = day_and_month(first, second)
    if parts is not None:
        return Moment(start, end, int(year), parts[1], parts[0])
    # A day that no such month has, as in 31/11/2022, is a slip of the pen; the year is whole.
    days = (int(first), int(second)) if int(second) <= _MONTHS else (int(second), int(first))
    if len(year) == 4 and 1 <= days[0] <= _LAST_DAY and 1 <= days[1] <= _MONTHS:
        return Moment(start, end, int(year), None, None)
    return None


def _read_three_parts(folded: str, match: re.Match[str]) -> Moment | None:
    first, _, separator, _, second, _, other, broken, third = match.groups()
    start, end = match.span()
    if len(first) == 3 or len(second) > 2 or (broken == "\n" and len(third) < 4):
        return None
    if continues_digits(folded, start, separator + ","):
        return None
    if separator != other or separator == ",":
        return _read_mixed_separators(folded, match)
    if len(first) == 4:
        return _make_moment(start, end, first, third, second) if len(third) <= 2 else None
    if len(third) == 4 or _is_date_with_short_year(folded, match):
        return _make_moment(start, end, third, first, second)
    return None


def _read_mixed_separators(folded: str, match: re.Match[str]) -> Moment | None:
    """Read `12/03-2024`, `12,03,2024`: only with the whole year."""
    first, separator, second, third = match.group(1, 3, 5, 9)
    start, end = match.span()
    if len(first) > 2 or not _YEAR.fullmatch(third) or continues_digits(folded, start, ",./-"):
        return None
    if separator == "," and len(first + second) < 4:
        return None
    return _make_moment(start, end, third, first, second)


def _read_misread_date(_: str, match: re.Match[str]) -> Moment | None:
    written = match[1]
    # `lO/l3/2O2O` has three: with signs that are alike, of this century, it is nothing else.
    if sum(char.isdigit() for char in written) < _FEWEST_MISREAD:
        return None
    first, second, year = _SEPARATOR.split(written.translate(_DIGITS_OF_LETTERS))
    return _make_moment(*match.span(), year, first, second)


def _read_misread_short_date(folded: str, match: re.Match[str]) -> Moment | None:
    """Read `3-ll-l9`, `O2 /l9 /25`: two digits at least must be read as such."""
    written = match[1] + match[3] + match[4]
    digits = sum(char.isdigit() for char in written)
    if digits == len(written) or digits < _FEWEST_DIGITS:
        return None
    if words_before(folded, match.start())[1] in MEASURE_WORDS:
        return None
    first, second, year = (match[at].translate(_DIGITS_OF_LETTERS) for at in (1, 3, 4))
    found = _make_moment(*match.span(), year, first, second)
    return found if found and found.day and found.month else None


def _is_date_with_short_year(folded: str, match: re.Match[str]) -> bool:
    """Return whether three numbers of at most two digits are a date and not part of a series."""
    first, separator, second, third = match.group(1, 3, 5, 9)
    start, end = match.span()
    more = _GOES_ON.match(folded, end)
    if len(third) != 2 or (more and more[1] == separator):
        return False
    blank = any(match.group(2, 4, 6, 8))
    if blank and _TIME.match(folded, end):
        return False
    last = words_before(folded, start)[1]
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
    return len(first) == len(second) == 2 and (timed or not is_followed_by_unit(folded, end))


def _dates_with_blanks(folded: str) -> Iterator[Moment]:
    for match in _BLANKS.finditer(folded):
        first, second, year = match.groups()
        start, end = match.span()
        if continues_digits(folded, start, " .-/,"):
            continue
        if len(first) + len(second) == 4 or words_before(folded, start)[1] in DATE_WORDS:
            found = _make_moment(start, end, year, first, second)
            if found:
                yield found
    for match in _BLANKS_YEAR_FIRST.finditer(folded):
        year, month, day = match.groups()
        start, end = match.span()
        if possible_day(int(day), int(month)) and not continues_digits(folded, start, " .-/,"):
            yield Moment(start, end, int(year), int(month), int(day))


def _read_roman_month(_: str, match: re.Match[str]) -> Moment | None:
    """Read a month written as a Roman number: `12-III-2024`."""
    day, name, year = match.group(1, 3, 4)
    month = _ROMANS.index(name) + 1 if name in _ROMANS else 0
    if not possible_day(int(day), month):
        return None
    return Moment(match.start(), match.end(), int(year), month, int(day))


def _dates_without_separators(folded: str) -> Iterator[Moment]:
    for pattern, wanted in ((_EIGHT, DAY_WORDS), (_SIX, DATE_WORDS)):
        for match in pattern.finditer(folded):
            start = match.start()
            digits = match[0].partition("t")[0]
            timed = _COMPACT_TIME.match(folded, start + len(digits)) is not None
            if not timed and words_before(folded, start)[1] not in wanted:
                continue
            if not continues_digits(folded, start, ".,-/"):
                found = run_of_digits(digits)
                if found:
                    yield Moment(start, start + len(digits), *found)


def find_pairs(folded: str) -> Iterator[Moment]:
    """Yield two dates that a slash joins: `14.03.21/15.03.21`, `14.3./15.3.21`."""
    for match in _PAIR.finditer(folded):
        first, second = (int(match[1]), int(match[2])), (int(match[4]), int(match[5]))
        if possible_day(*first) and possible_day(*second):
            year = int(match[6])
            own = int(match[3]) if match[3] else year
            yield Moment(match.start(1), match.start(4) - 1, own, first[1], first[0])
            yield Moment(match.start(4), match.end(), year, second[1], second[0])


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

"""Parts of dates written in digits: a day and a month, or a month and a year."""

import re

from rules.dates.calendar import Moment, day_and_month
from rules.dates.context import (
    CLOCK,
    DAY_WORDS,
    HOUR,
    LOOSE_DAY_WORDS,
    MEASURE_WORDS,
    MONTH_WORDS,
    VERSIONS,
    glued,
    measures,
)
from rules.matching.preceding_words import lead

# More digits over a separator make a series of numbers, or another date.
_GOES_ON = re.compile(r" ?([/.\-]) ?[0-9]")
_NO_STOP = re.compile(r"\. ?[0-9]{2,4}(?![:h0-9])")
# Cycles and days of a treatment are numbered: C3 5/7.
_CYCLE = re.compile(r"[cjsd][0-9]{1,2}")
# An entry of a log begins with the day, and the time or a colon after it.
_ENTRY_OPENS = re.compile(r"(?:\A|\n|[.!?)\]] )[ >*•+\-\[(]{0,4}\Z")
_ENTRY_GOES_ON = re.compile(r"[)\]]? {0,2}:(?![0-9])|[)\]]? {1,2}[-–] {1,2}[^\W\d]")
_PERCENT = re.compile(r" ?[%μ]")


def read(folded: str, match: re.Match[str]) -> Moment | None:
    """Read the first two numbers of a series: groups 1 to 5 of `match`, with their separator."""
    first, separator, second = match.group(1, 3, 5)
    if separator not in "/.-" or glued(folded, match.start(), "./,-"):
        return None
    if len(first) > 2 or len(second) > 2:
        return _month_and_year(folded, match)
    if separator == "/":
        return _slash(folded, match)
    if separator == "." and folded.startswith(".", match.end(5)):
        # Read a German day and month, which end with a full stop each.
        start, end = match.start(), match.end(5)
        parts = _parts(match[1], match[5]) if not _NO_STOP.match(folded, end) else None
        timed = CLOCK.match(folded, end)
        if parts is None or (measures(folded, end + 1) and not timed):
            return None
        if not timed and not _led(lead(folded, start)[1]):
            return None
        return Moment(start, end, None, parts[1], parts[0])
    return _point(folded, match) if second[0] in "01" and len(second) == 2 else None


def _goes_on(folded: str, end: int, separator: str) -> bool:
    more = _GOES_ON.match(folded, end)
    return more is not None and more[1] in (separator, "/")


def _slash(folded: str, match: re.Match[str]) -> Moment | None:
    first, second = match.group(1, 5)
    start, end = match.start(), match.end(5)
    parts = _parts(first, second)
    if parts is None or _fraction(first, second) or _goes_on(folded, end, "/"):
        return None
    previous, last = lead(folded, start)
    if _measured(previous, last):
        return None
    found = Moment(start, end, None, parts[1], parts[0])
    if _opens_entry(folded, match, first, second):
        return found
    if measures(folded, end) and not (_led(last) and HOUR.match(folded, end)):
        return None
    loose = len(second) == 2 and _loosely(previous, last)
    return found if loose or _led(last) or _looks_like_day(first, second) else None


def _point(folded: str, match: re.Match[str]) -> Moment | None:
    first, separator, second = match.group(1, 3, 5)
    start, end = match.start(), match.end(5)
    parts = _parts(first, second)
    if parts is None or not (separator == "." or "0" in (first[0], second[0])):
        return None
    clock = CLOCK.match(folded, end)
    if (measures(folded, end) and not clock) or _goes_on(folded, end, separator):
        return None
    # `22-05 16:41`: both of two digits, a hyphen, and a time after.
    timed = clock and separator == "-" and end - start == len("22-05")
    if not timed and not _led(lead(folded, start)[1]):
        return None
    return Moment(start, end, None, parts[1], parts[0])


def _parts(first: str, second: str) -> tuple[int, int] | None:
    parts = day_and_month(first, second)
    return None if parts is None or 0 in parts else parts


def _led(last: str) -> bool:
    return last in DAY_WORDS or _CYCLE.fullmatch(last) is not None


def _loosely(previous: str, last: str) -> bool:
    return (last in LOOSE_DAY_WORDS and previous != "pain") or (last == "of" and previous == "labs")


def _measured(previous: str, last: str) -> bool:
    return last in MEASURE_WORDS or (last in ("a", "at", "de") and previous in MEASURE_WORDS)


def _fraction(first: str, second: str) -> bool:
    """Tell shares and scores that are read as such even after `du`: 1/3, 2/3, 3/4."""
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


def _month_and_year(folded: str, match: re.Match[str]) -> Moment | None:
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
    last = lead(folded, start)[1]
    if last in VERSIONS or (month == "1" and last not in MONTH_WORDS):
        return None  # a titre: 1/2048
    if _GOES_ON.match(folded, end) or _PERCENT.match(folded, end):
        return None
    if separator == "." and measures(folded, end):
        return None
    return Moment(start, end, int(year), int(month), None)

"""Two days in one text whose second takes month or year from the first: `2021-03-28/04-02`."""

import re
from collections.abc import Callable

_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0[1-9]|1[0-2])"
_INTERVAL = re.compile(
    rf"(?P<year>\d{{4}})-(?P<month>{_MONTH})-(?P<day>{_DAY})(?P<joint>/|--|\s?[\u2013\u2014]\s?|\s[/-]\s)"
    rf"(?:(?P<year2>\d{{4}})-)?(?:(?P<month2>{_MONTH})-)?(?P<day2>{_DAY})"
)
_LISTED = re.compile(
    r"(?P<month>[A-Za-z]{3,9}\.?)(?P<blank> )(?P<day>\d{1,2}(?:st|nd|rd|th)?)"
    r"(?P<joint> (?:and|or|&) (?:the )?)(?P<day2>\d{1,2}(?:st|nd|rd|th)?)(?P<year>,? \d{4})?"
)
_WRITTEN = re.compile(r"(?P<month>[A-Za-z]{3,9}\.? )(?P<day>\d{1,2}\w*)(?P<year>,? \d{4})?")
_NUMBER = re.compile(r"\d+")

Move = Callable[[str], str | None]


def move_interval(text: str, move: Move) -> str | None:
    """Move both ends of an interval of ISO 8601, whose second end may be shortened; else None.

    What the second end leaves out is written where it is no longer that of the first.
    """
    found = _INTERVAL.fullmatch(text)
    if found is None or (found["year2"] and not found["month2"]):
        return None
    first = f"{found['year']}-{found['month']}-{found['day']}"
    month = found["month2"] or found["month"]
    year = found["year2"] or found["year"]
    if not found["year2"] and (month, found["day2"]) < (found["month"], found["day"]):
        if not found["month2"]:
            return None
        year = f"{int(year) + 1:04d}"
    moved, other = move(first), move(f"{year}-{month}-{found['day2']}")
    if moved is None or other is None:
        return None
    if not found["year2"]:
        parts, others = moved.split("-"), other.split("-")
        kept = 2 - bool(found["month2"])
        while kept and parts[:kept] != others[:kept]:
            kept -= 1
        other = "-".join(others[kept:]) or other
    return moved + found["joint"] + other


def move_listed_days(text: str, move: Move) -> str | None:
    """Move two days of one month, which is written before the first: `March 3 and 4`; else None."""
    found = _LISTED.fullmatch(text)
    if found is None or _number(found["day2"]) <= _number(found["day"]):
        return None
    year = found["year"] or ""
    ends = [move(f"{found['month']} {found[day]}{year}") for day in ("day", "day2")]
    one, other = (_WRITTEN.fullmatch(end) if end else None for end in ends)
    if one is None or other is None:
        return None
    is_same_year = one["year"] == other["year"]
    first = one["month"] + one["day"] + ("" if is_same_year else one["year"] or "")
    is_same_month = is_same_year and one["month"] == other["month"]
    second = ("" if is_same_month else other["month"]) + other["day"] + (other["year"] or "")
    return first + found["joint"] + second


def _number(written: str) -> int:
    found = _NUMBER.match(written)
    return int(found[0]) if found else 0

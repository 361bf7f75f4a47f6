"""Days that programs count: `073/2021`, `73e jour de 2021`, milliseconds since 1970."""

import re
from collections.abc import Callable
from datetime import date, timedelta

from surrogates.patient.date_shift import DateShift
from surrogates.patient.text_normalization import fold, unaccented

_LONGEST = 40
_YEAR = r"(?P<year>20[0-3]\d)"
_DAY = r"(?P<day>\d{1,3})"
_NOUN = r"(?:jour|dia|day|tag|dag)"
_OF = r"(?:/| (?:de (?:l'annee )?|del (?:ano )?|of |van |des jahres |im jahr ))"
_FORMS = (
    re.compile(rf"(?P<day>\d{{3}})/{_YEAR}"),
    re.compile(rf"{_YEAR}/(?P<day>\d{{3}})"),
    re.compile(rf"{_DAY} ?(?P<ending>e|er|eme|th|st|nd|rd|º|o|\.)? ?{_NOUN}{_OF}{_YEAR}"),
    re.compile(rf"{_NOUN} (?:n[o°]\.? ?)?{_DAY}{_OF}{_YEAR}"),
)
_MILLISECONDS = re.compile(r"1\d{12}")
_EPOCH = date(1970, 1, 1)
_MS_OF_DAY = 86_400_000
_TEENS = (11, 12, 13)
_ENGLISH = {1: "st", 2: "nd", 3: "rd"}

Draw = Callable[[int], int]
"""Draws a number below another one."""


def move(text: str, shift: DateShift, draw: Draw) -> str | None:
    """Move a counted day in its form; None for any other text.

    Of milliseconds the day is moved and the time of day drawn. Raises OverflowError or ValueError
    outside of the calendar.
    """
    if len(text) > _LONGEST:
        return None
    if _MILLISECONDS.fullmatch(text):
        days = int(text) // _MS_OF_DAY
        moved = _move_day(_EPOCH + timedelta(days=days), shift)
        return f"{(moved - _EPOCH).days * _MS_OF_DAY + draw(_MS_OF_DAY)}"
    folded = unaccented(fold(text))
    match = next((found for form in _FORMS if (found := form.fullmatch(folded))), None)
    if match is None or len(folded) != len(text):
        return None
    first = date(int(match["year"]), 1, 1)
    day = first + timedelta(days=int(match["day"]) - 1)
    if day.year != first.year:
        return None
    return _write(text, match, _move_day(day, shift))


def _move_day(day: date, shift: DateShift) -> date:
    moved = day + timedelta(days=shift.days)
    return moved if shift.precision == "day" else shift.cut(moved)


def _write(text: str, match: re.Match[str], day: date) -> str:
    number = day.timetuple().tm_yday
    width = len(match["day"]) if match["day"][0] == "0" or len(match["day"]) == len("000") else 0
    parts = {"day": f"{number:0{width}d}", "year": f"{day.year:04d}"}
    if match.groupdict().get("ending") in ("st", "nd", "rd", "th"):
        is_teen = number % 100 in _TEENS
        parts["ending"] = "th" if is_teen else _ENGLISH.get(number % 10, "th")
    written = text
    for name in sorted(parts, key=match.start, reverse=True):
        written = written[: match.start(name)] + parts[name] + written[match.end(name) :]
    return written

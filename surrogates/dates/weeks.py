"""Weeks of the calendar, moved with their Monday by ISO 8601: `KW 12/2024`, `2024-W12`."""

import re
from datetime import date, timedelta

from surrogates.patient.date_shift import DateShift
from surrogates.patient.text_normalization import fold, unaccented

_WORD = r"(?:kw|kalenderwoche|cw|semaine|sem\.?|week|wk\.?|semana|woche|s)"
_NUMBER = r"(?P<week>[1-4]\d|5[0-3]|0?[1-9])"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_GAP = r"[ ,/\-]{1,3}(?:(?:del?|of|van) )?"
_FORMS = (
    re.compile(rf"{_WORD}\.? ?{_NUMBER}(?:{_GAP}{_YEAR})?"),
    re.compile(rf"{_WORD}\.? ?{_NUMBER} ?/ ?(?P<year>\d\d)"),
    re.compile(rf"{_NUMBER}\. ?(?:kw|kalenderwoche|cw)(?:{_GAP}{_YEAR})?"),
    re.compile(rf"{_YEAR}-?w{_NUMBER}(?:-?(?P<day>[1-7]))?"),
)
_LETTER = re.compile(r"[^\W\d_]")
_AHEAD = timedelta(days=183)
_WEEK = 7
_LONGEST = 40


def is_week(text: str) -> bool:
    """Return whether a text is the number of a week, with its year or without."""
    return _match(text) is not None


def move(text: str, shift: DateShift, near: date) -> str | None:
    """Move a week by the days of its Monday, in its form; None for any other text.

    Without a year it is that of the year nearest to a day, up to half a year ahead. A week that
    would stay moves on by one. Raises OverflowError or ValueError outside of the calendar.
    """
    match = _match(text)
    if match is None:
        return None
    monday = _find_monday(match, near)
    day = _move_day(monday + timedelta(days=int(match.groupdict().get("day") or 1) - 1), shift)
    written = _write(text, match, day)
    if fold(written) == fold(text) and not (shift.seasonal and not match["year"]):
        step = _WEEK * shift.nudge if shift.precision == "day" else 366 * shift.nudge
        written = _write(text, match, _cut(day + timedelta(days=step), shift))
    return written


def _match(text: str) -> re.Match[str] | None:
    if len(text) > _LONGEST or not _LETTER.search(text):
        return None
    folded = unaccented(fold(text))
    return next((found for form in _FORMS if (found := form.fullmatch(folded))), None)


def _find_monday(match: re.Match[str], near: date) -> date:
    week, written = int(match["week"]), match["year"]
    if written:
        year = int(written) + (near.year // 100 * 100 if len(written) == 2 else 0)
        return _monday(year, week)
    mondays = (_monday(near.year + off, week) for off in (1, 0, -1))
    return next(monday for monday in mondays if monday <= near + _AHEAD)


def _monday(year: int, week: int) -> date:
    # Week 53 of a year that has 52 is the first of the next one.
    return date.fromisocalendar(year, 1, 1) + timedelta(weeks=week - 1)


def _move_day(day: date, shift: DateShift) -> date:
    return _cut(day + timedelta(days=shift.days), shift)


def _cut(day: date, shift: DateShift) -> date:
    """Cut a day down to the week of the 4th of its month or year, which in January is the first."""
    return day if shift.precision == "day" else shift.cut(day).replace(day=4)


def _write(text: str, match: re.Match[str], day: date) -> str:
    year, week, weekday = day.isocalendar()
    start = match.start("week")
    is_glued = text[start - 1 : start].isalpha()
    width = 2 if match["week"][0] == "0" or (is_glued and match["week"][1:]) else 1
    parts = {"week": f"{week:0{width}d}", "day": f"{weekday}"}
    if match["year"]:
        parts["year"] = f"{year:04d}" if len(match["year"]) > 2 else f"{year % 100:02d}"
    written = text
    filled = [name for name in parts if match.groupdict().get(name)]
    for name in sorted(filled, key=match.start, reverse=True):
        written = written[: match.start(name)] + parts[name] + written[match.end(name) :]
    return written

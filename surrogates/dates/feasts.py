"""Feasts, written out as the day they are on: `seit Silvester`, `Pâques 2024`."""

import re
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from dateutil.easter import easter

from locales.feasts import FEASTS, Feast
from surrogates.dates.words import MONTHS
from surrogates.patient.text_normalization import fold, unaccented

_REMEMBERED = 1 << 10
_YEAR = re.compile(r"(.+?)(?: del?| of| van| des jahres)?,? ((?:19|20)[0-9]{2}|'[0-9]{2})")
_WRITTEN_YEAR = re.compile(r"(?:,| de)? [0-9]{4}\Z")
_LETTER = re.compile(r"[^\W\d_]")
_AHEAD = timedelta(days=183)
_WEEK = 7


class FeastDay(NamedTuple):
    """The day of a feast; `dated` where its year was written."""

    day: date
    dated: bool


def read(text: str, near: date) -> FeastDay | None:
    """Return the day of a feast; without a year that of the year nearest to a day.

    The next one counts up to half a year ahead. None for any other text.
    """
    found = _recognize(text)
    if found is None:
        return None
    feast, written = found
    if not written:
        days = (_find_day(feast, near.year + off) for off in (1, 0, -1))
        return FeastDay(next(day for day in days if day <= near + _AHEAD), dated=False)
    year = int(written) if len(written) > 2 else _complete_year(int(written), near.year)
    return FeastDay(_find_day(feast, year), dated=True)


@lru_cache(_REMEMBERED)
def _recognize(text: str) -> tuple[Feast, str] | None:
    """Return a feast and the digits of its year, empty without one; None for any other text."""
    if not _LETTER.search(text):
        return None
    folded = " ".join(unaccented(fold(text)).split())
    feast = FEASTS.get(folded)
    if feast is not None:
        return feast, ""
    match = _YEAR.fullmatch(folded)
    feast = FEASTS.get(match[1]) if match else None
    return (feast, match[2].lstrip("'")) if match and feast else None


def _complete_year(year: int, written: int) -> int:
    """Complete a year of two digits: the latest one that is not after the note's."""
    return written - (written - year) % 100


def _find_day(feast: Feast, year: int) -> date:
    """Return the day of a feast in a year of the Gregorian calendar."""
    if not feast.month:
        day: date = easter(year)
    elif feast.day:
        day = date(year, feast.month, feast.day)
    elif feast.nth > 0:
        first = date(year, feast.month, 1)
        ahead = (feast.weekday - first.weekday()) % _WEEK
        day = first + timedelta(days=ahead + _WEEK * (feast.nth - 1))
    else:
        last = date(year + feast.month // 12, feast.month % 12 + 1, 1) - timedelta(days=1)
        day = last - timedelta(days=(last.weekday() - feast.weekday) % _WEEK)
    return day + timedelta(days=feast.days)


def is_feast(text: str) -> bool:
    """Return whether a text is the name of a feast, with its year or without."""
    return _recognize(text) is not None


def write_day(day: date, lang: str) -> str | None:
    """Write a day in words; None for a language without names of months."""
    names = next((each.words for each in MONTHS if each.lang == lang and not each.short), None)
    if names is None:
        return None
    name, number = names[day.month - 1], f"{day.day}"
    if lang == "en":
        return f"{name} {number}, {day.year}"
    if lang == "es":
        return f"{number} de {name} de {day.year}"
    if lang == "de":
        number += "."
    elif lang == "fr" and day.day == 1:
        number = "1er"
    return f"{number} {name} {day.year}"


def without_year(text: str) -> str:
    """Return a day in words without the year that it was written with."""
    return _WRITTEN_YEAR.sub("", text)

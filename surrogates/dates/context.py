"""What the other dates of a note tell of one: its month and year, and the order of its numbers."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache

from record.label import Label
from record.span import Span
from surrogates.dates.format_templates import parse
from surrogates.dates.parsing import Group
from surrogates.dates.partial_dates import (
    FUTURE_YEARS,
    UNDATED,
    anchor,
    anchors,
)

_DATED = frozenset((Label.DATE, Label.BIRTH_DATE))
# A companion stands so many signs and words away at most: `du 10 au 12/08`.
_REACH = 16
_WORDS = 3
_LONGEST = 40
_NUMERIC = re.compile(r"(\d{1,2})([/.\-])(\d{1,2})(?:\2(\d{2,4}))?")
_REMEMBERED = 1 << 12
_WHOLE = re.compile(r"\D*(?:\d\d?[/.\-]\d\d?[/.\-]\d{2,4}|\d{4}[/.\-]\d\d?[/.\-]\d\d?)")
_ENDS = re.compile(r"[.!?]\s+[A-ZÀ-ÖØ-Þ]|\n\s*\n")
_LATEST_MONTH = 12
_YEAR = 4


def day_first(dates: Iterable[str]) -> bool | None:
    """Return whether the numeric dates of a note have the day first; None where they do not tell.

    Only dates count that can be read in one order: 25/12/2023, 12/25/2023. Where both occur, the
    order that occurs more often is that of the note; as often, none is.
    """
    balance = sum(_numbers(text)[0] for text in dates)
    return None if not balance else balance > 0


def says_all(text: str) -> bool:
    """Return whether a date is a day, a month and a year of four digits, so that nothing else
    counts.

    That a number may be a day or a month is left to the order of the note's dates.
    """
    return _numbers(text)[1]


@lru_cache(_REMEMBERED)
def _numbers(text: str) -> tuple[int, bool]:
    """Return of a numeric date if its day stands first (1), second (-1) or either way (0).

    Tells as well whether it has a day, a month and a year of four digits.
    """
    found = _NUMERIC.fullmatch(text)
    if found is None:
        return 0, False
    first, second = int(found[1]), int(found[3])
    order = (_LATEST_MONTH < first <= 31 and second <= _LATEST_MONTH) - (
        _LATEST_MONTH < second <= 31 and first <= _LATEST_MONTH
    )
    # A day or month of `00` is unknown.
    return order, bool(first and second) and len(found[4] or "") == _YEAR


def completed(
    text: str, spans: Sequence[Span], number: int, *, written: date | None, lang: str
) -> date | None:
    """Tell from what day a date is completed: its own if a date beside it tells, else `written`.

    A date that lacks its month or year takes them from the next date, where that stands three words
    away at most (`du 10 au 12/08/1995`), else from the date before it (`March 3 and 5`).
    """
    value = text[spans[number].start : spans[number].end]
    if len(value) > _LONGEST or _WHOLE.match(value):
        return written
    base = written or UNDATED
    own = _groups(value, base, lang)
    if len(own) != 1 or not _lacks(own[0]):
        return written
    for after in (True, False):
        other = _beside(text, spans, number, base=base, lang=lang, after=after)
        found = anchor(own[0], other, after=after) if other else None
        if found is not None:
            return found
    return written


def _beside(
    text: str,
    spans: Sequence[Span],
    number: int,
    *,
    base: date,
    lang: str,
    after: bool,
) -> date | None:
    """Return the day of the next or previous date that says its year or month, over others between.

    In `les 3, 5 et 8 mars` the first day takes its month from the last.
    """
    step = 1 if after else -1
    place, day = number, None
    chain: list[Group] = []
    while day is None:
        beside = place + step
        if not 0 <= beside < len(spans) or not _joined(text, spans, min(place, beside)):
            return None
        value = text[spans[beside].start : spans[beside].end]
        groups = _groups(value, base, lang)
        found = anchors(groups, base) if groups else None
        if not found:
            return None
        nearest = 0 if after else -1
        if groups[nearest].month:
            day = found[nearest]
        elif len(groups) == 1 and groups[0].day:
            chain.append(groups[0])
        else:
            return None
        place = beside
    for group in reversed(chain):
        day = anchor(group, day, after=after) or day
    return day


def _groups(value: str, base: date, lang: str) -> list[Group]:
    form = parse(value, lang=lang, latest=base.year + FUTURE_YEARS)
    return form.groups if form else []


def _lacks(group: Group) -> bool:
    """Return whether a date lacks its year, or the month of its day."""
    roles = group.roles
    return ("d" in roles and not {"m", "y"} <= set(roles)) or roles in ("m", "s", "q")


def _joined(text: str, spans: Sequence[Span], number: int) -> bool:
    """Return whether a date and the next one stand close enough to belong together."""
    one, other = spans[number], spans[number + 1]
    if one.label not in _DATED or one.label != other.label:
        return False
    between = text[one.end : other.start]
    near = len(between) <= _REACH and len(between.split()) <= _WORDS
    return near and not _ENDS.search(between) and ":" not in between

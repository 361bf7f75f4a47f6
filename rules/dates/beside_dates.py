"""What stands beside a date and tells it again: a weekday, a feast, the number of a week."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from rules.dates import feasts, weeks
from rules.dates.calendar import (
    SHORT_WEEKDAY,
    SHORTEST_WEEKDAYS,
    WEEKDAY,
    WEEKDAY_NAMES,
    Moment,
)
from rules.matching.preceding_words import words_before
from rules.matching.scanner import Pattern, longest_first

_WEEKDAY = Pattern(rf"(?<![\w\-'])({WEEKDAY})(?![\w\-'])")
_SHORT = rf"(?:{SHORT_WEEKDAY}|{longest_first(SHORTEST_WEEKDAYS)})"
# `12/03/2024 (Fr)`, `12/03/2024, ven.`, and a line of its own before the date: `Fr : 12.03.2024`.
_SHORT_BEHIND = re.compile(
    rf" ?[(\[] ?({_SHORT})\.? ?[)\]]|, ?({SHORT_WEEKDAY})(?=\.?(?:[,;)\n]|\Z))"
)
_SHORT_BEFORE = re.compile(rf"(?<![^\n])[ \-*•]{{0,4}}({_SHORT})\.?[ ]?[:|\-\n][ ]?\Z")
_BRACKETED_BEFORE = re.compile(rf"[(\[] ?({_SHORT})\.? ?[)\]] ?\Z")
_SHORT_REACH = 24
# What may stand between: few words within a line, none where a line ends.
_FARTHEST = 28
_MOST_WORDS = 3
_ENDS_SENTENCE = re.compile(r"[.!?;]\s")
# The full stop of a German day: `am 12.3. (Freitag)`.
_STOP_OF_DAY = re.compile(r"\.(?= ?[(\-])")
# A year alone has no weekday.
_YEAR_ALONE = 4
_WORDS = re.compile(r"[a-z0-9]+")
# Words that make a weekday one of every week, or a person.
_NOT_ONE_DAY = frozenset(
    "chaque every each jeden jede jedem cada los elke iedere les m mme mr mrs ms dr herr herrn frau"
    " sr sra dhr mevr dna don".split()
)
# Words before a weekday that is the day of writing, or a week away from it.
_DEICTIC = frozenset(
    "ce this diesen este deze hier aujourd'hui hui demain jour today yesterday tomorrow"
    " heute gestern morgen hoy ayer manana vandaag gisteren".split()
)
_BETWEEN = frozenset(
    "du le la l de el del den der the of am op jour dia fete tag au soit donc c'est".split()
)
_WIDEST = 18


def find(folded: str, moments: Sequence[Moment]) -> Iterator[Moment]:
    """Yield weekdays, feasts and weeks beside dates, which are dates for that reason.

    `moments` are sorted and disjoint.
    """
    days = [
        moment
        for moment in moments
        if moment.day is not None
        or (moment.month is None and moment.end - moment.start > _YEAR_ALONE)
    ]
    starts = [moment.start for moment in days]
    for match in _WEEKDAY.finditer(folded):
        previous, last = words_before(folded, match.start())
        if last in _NOT_ONE_DAY or (last.isalpha() and previous in _NOT_ONE_DAY):
            continue
        near = _neighbours(folded, days, starts, match.span())
        if last in _DEICTIC or any(_is_near(between) for between, _ in near):
            yield Moment(match.start(), match.end(), None, None, None)
    for moment in days:
        behind = _SHORT_BEHIND.match(folded, moment.end)
        if behind:
            group = 1 if behind[1] else 2
            yield Moment(*behind.span(group), None, None, None)
        left = max(0, moment.start - _SHORT_REACH)
        for pattern in (_SHORT_BEFORE, _BRACKETED_BEFORE):
            before = pattern.search(folded, left, moment.start)
            if before:
                yield Moment(*before.span(1), None, None, None)
    for loose in feasts.find_loose(folded):
        near = _neighbours(folded, days, starts, (loose.start, loose.end))
        if any(_is_beside(between) for between, _ in near):
            yield loose
    for loose in weeks.find_loose(folded):
        for between, day in _neighbours(folded, days, starts, (loose.start, loose.end)):
            if _is_beside(between) and weeks.is_week_of(folded, loose, day):
                yield loose


def _neighbours(
    folded: str, moments: Sequence[Moment], starts: Sequence[int], span: tuple[int, int]
) -> Iterator[tuple[str, Moment]]:
    """Yield the date before a word and the one after it, and first what stands between."""
    at = bisect_left(starts, span[0])
    if at:
        yield folded[moments[at - 1].end : span[0]], moments[at - 1]
    if at < len(moments):
        yield folded[span[1] : moments[at].start], moments[at]


def _is_near(between: str) -> bool:
    if len(between) > _FARTHEST:
        return False
    stop = _STOP_OF_DAY.match(between)
    if _ENDS_SENTENCE.search(between, stop.end() if stop else 0):
        return False
    lines = between.count("\n")
    return len(_WORDS.findall(between)) <= (0 if lines else _MOST_WORDS) and lines <= 1


def _is_beside(between: str) -> bool:
    """Return whether nothing but marks and an article stand between a word and a date."""
    if len(between) > _WIDEST or not between or "\n" in between:
        return False
    return all(word in _BETWEEN or word in WEEKDAY_NAMES for word in _WORDS.findall(between))

"""Feasts, with their year or alone: `Boxing Day 2023`, `à la Toussaint`."""

import re
from collections.abc import Iterator

from locales.feasts import FEAST_PREPOSITIONS, FEASTS, LOOSE_FEASTS
from rules.dates.calendar import Moment
from rules.matching.preceding_words import words_before
from rules.matching.scanner import Pattern, longest_first

_ALONE = Pattern(rf"(?<![\w\-])({longest_first(FEASTS)})(?![\w\-])")
_YEAR_AFTER = re.compile(
    r"(?: del?| of| van| des jahres)?,? ((?:19|20)[0-9]{2}|'[0-9]{2})(?![0-9a-z])"
)
_ARTICLES = frozenset("la las the el de het".split())
_ELIDED = "l'"
# `after Easter Jones`: a name.
_NAME_GOES_ON = re.compile(r" [A-ZÀ-ÖØ-Þ]")


def find(folded: str, text: str) -> Iterator[Moment]:
    """Yield feasts with their year, and those that stand alone where they can be nothing else."""
    for match in _ALONE.finditer(folded):
        dated = _YEAR_AFTER.match(folded, match.end())
        if dated:
            yield Moment(match.start(), dated.end(), int(dated[1].lstrip("'")), None, None)
        elif match[1] not in LOOSE_FEASTS or _is_announced(folded, text, match):
            yield Moment(match.start(), match.end(), None, None, None)


def find_loose(folded: str) -> Iterator[Moment]:
    """Yield feasts by names that are something else as well: dates beside another date only."""
    for match in _ALONE.finditer(folded):
        if match[1] in LOOSE_FEASTS:
            yield Moment(match.start(), match.end(), None, None, None)


def _is_announced(folded: str, text: str, match: re.Match[str]) -> bool:
    """Return whether a preposition of time stands before a feast: `à la Toussaint`, `an Ostern`."""
    start = match.start()
    if folded.startswith(_ELIDED, max(0, start - len(_ELIDED))):
        start -= len(_ELIDED)  # `à l'Ascension`
    if folded[start - 1 : start] != " " or _NAME_GOES_ON.match(text, match.end()):
        return False
    previous, last = words_before(folded, start)
    if last == "a" and text[start - 2] not in "àÀ":
        return False  # `a Christmas tree`
    return last in FEAST_PREPOSITIONS or (last in _ARTICLES and previous in FEAST_PREPOSITIONS)

"""Years that stand alone after a word, and the seasons and quarters of one."""

import re
from collections.abc import Iterator

from rules.dates.calendar import PERIOD, PERIOD_RANK, SEASON, Moment
from rules.dates.context import UNITS, WEAK_YEAR_WORDS, YEAR_WORDS
from rules.matching.preceding_words import lead
from rules.matching.scanner import Pattern

_ENDS = r"(?![0-9a-z])(?![.,][0-9])(?! ?-[0-9]{1,2}(?![0-9]))"
_YEAR = Pattern(rf"\b(?<![/.'\-])((?:19|20)[0-9]{{2}})(?:[\-/]((?:19|20)[0-9]{{2}}))?{_ENDS}")
# A blank forgotten: `depuis2009`.
_RUN_ON = Pattern(r"\b(?:depuis|since|desde|seit|sinds|en|in)((?:19|20)[0-9]{2})(?![0-9a-z])")
_SHORT_YEAR = Pattern(r"(?<![0-9a-z])'([0-9]{2})(?![0-9a-z'])")
_SEASON = Pattern(
    rf"\b{SEASON} (?:de |del |of |van |des jahres )?((?:19|20)[0-9]{{2}})(?![0-9a-z])"
)
_QUARTER = Pattern(
    rf"\b(?:[tq][1-4]|(?:[1-4](?:er|e|eme|st|nd|rd|th|\.?[°o]?)|{PERIOD_RANK}) ?{PERIOD})"
    r" (?:de |del |of |van )?((?:19|20)[0-9]{2})(?![0-9a-z])"
)
_UNIT = re.compile(r" ?([%/€$]|[a-zμ]+)")
_NUMBER = re.compile(r" ?[0-9]")
_IN_BRACKETS = re.compile(r"[(\[] ?\Z")
_CLOSES = re.compile(r" ?[)\];,:/]| ?(?:-|y|et|and|a|to|und|en) ?(?:19|20)[0-9]{2}")
_HEAD = re.compile(r"(?:(?:\A|\n) {0,8}[\-•*·>+] {0,3}|[ :;,]- )\Z")
_HEADED = re.compile(r" {0,2}[:\-.]? {0,2}[a-z]")
_LINE_STARTS = re.compile(r"(?:\A|\n) {0,8}\Z")
_LINE_GOES_ON = re.compile(
    r" {0,2}[:\-] {0,2}[a-z]| ?(?:-|to|a) ?(?:19|20)[0-9]{2} {0,2}[:\-] {0,2}[a-z]"
)
_JOINS = frozenset(
    "a au to - / et y e and o ou or puis hasta bis und oder en tot of t/m jusqu'en ,".split()
)
# A disease or an operation that is history: `s/p CABG 2014`, `Z.n. TEP 2016`.
_HISTORY = re.compile(r"\b(?:s/p|status post|z\. ?n\.|st\. ?n\.|atcd)(?: [a-z\-]{2,20}){1,3} \Z")
_FIELD = re.compile(r"\b(?:fecha|date|datum)[a-z ]{0,24} ?: ?\Z")


def find(folded: str) -> Iterator[Moment]:
    """Yield years alone, and seasons and quarters of a year; they may overlap."""
    for pattern in (_SEASON, _QUARTER):
        for match in pattern.finditer(folded):
            yield Moment(match.start(), match.end(), int(match[1]), None, None)
    for match in _SHORT_YEAR.finditer(folded):
        if lead(folded, match.start())[1] in YEAR_WORDS:
            yield Moment(match.start(), match.end(), int(match[1]), None, None)
    for match in _RUN_ON.finditer(folded):
        yield Moment(match.start(1), match.end(1), int(match[1]), None, None)
    yield from _alone(folded)


def _alone(folded: str) -> Iterator[Moment]:
    last = -1
    for match in _YEAR.finditer(folded):
        start, end = match.span()
        if _counted(folded, end):
            continue
        listed = 0 <= last <= start and _joined(folded[last:start])
        if listed or _says_year(folded, start, end):
            last = end
            for group in (1, 2):
                if match[group]:
                    yield Moment(*match.span(group), int(match[group]), None, None)


def _joined(between: str) -> bool:
    words = between.split()
    return len(words) <= 2 and len(between) < 12 and all(word in _JOINS for word in words)


def _counted(folded: str, end: int) -> bool:
    match = _UNIT.match(folded, end)
    return match is not None and (match[1] in UNITS or not match[1].isalpha())


def _says_year(folded: str, start: int, end: int) -> bool:
    previous, last = lead(folded, start)
    if previous.isdigit():
        return False
    if last in YEAR_WORDS or (last == "el" and previous in YEAR_WORDS):
        return True
    if last in WEAK_YEAR_WORDS and folded[start - 1] == " " and folded[start:end] != "2000":
        return not _NUMBER.match(folded, end)
    return _set_apart(folded, start, end) or _explained(folded, start)


def _set_apart(folded: str, start: int, end: int) -> bool:
    """Return whether a year stands in brackets, or at the head of a line or of an item."""
    left = max(0, start - 12)
    if _IN_BRACKETS.search(folded, left, start):
        return _CLOSES.match(folded, end) is not None
    if _LINE_STARTS.search(folded, left, start):
        return _LINE_GOES_ON.match(folded, end) is not None
    return bool(_HEAD.search(folded, left, start) and _HEADED.match(folded, end))


def _explained(folded: str, start: int) -> bool:
    left = max(0, start - 60)
    return any(before.search(folded, left, start) for before in (_FIELD, _HISTORY))

"""Which dates of a text are dates of birth."""

import re
from bisect import bisect_left

from rules.dates.birth_headers import beside_patients
from rules.dates.calendar import (
    Moment,
    full_year,
)
from rules.matching.scanner import Pattern

_BIRTH = Pattern(
    r"\b(nees?|nes?(?!\()|naiss(?:ances?)?|ddn|au monde"
    r"|born|birth(?:date|day)?|dob|nacid[oa]|nacio|nacimiento|nac|fn|fdn"
    r"|geb(?:oren|urtsdatum|urtstag|oortedatum|dat)?)(?:\b|[0-9])"
    r"|\b(?:ne\(e\)|d\.d\.n\b|d\.o\.b\b|f\.n\.)"
)
# German letters mark the day of birth with a star, and lists of patients put it after the sex.
_MARKED = re.compile(r"(?:[\w,;(] ?\(?\* ?|[|;,] ?[mfhvw] ?[|;,] ?)\Z")
_MARKS = frozenset("*|;,")
_TOKEN = re.compile(r"\w+")
# Between a birth and a date these tell of something else that happened.
_EVENTS = tuple(
    (
        "hospitalis vu vue vus vues admis admitted seen consult oper suivi entree sortie decede"
        " deceased died fallec ingres exit visite rdv rendez redig edite imprime present adresse"
        " aufgenommen aufnahme entlassen vorstellung gestorben verstorben"
        " opgenomen opname ontslag gezien overleden"
    ).split()
)
_EXPLAINED = re.compile(r"[ (:,=\-]{0,4}(?:date )?(?:de |of )?(?:la )?")
_NE_THEN = re.compile(r"\.? {0,2}(?:([a-z]+)|[:(=0-9\n])")
_PLACES = frozenset({"le", "la", "en", "a", "au", "aux", "vers"})

_TOKENS_AWAY = 5


def born(
    folded: str, text: str, moments: list[Moment], *, written: int, month_first: bool
) -> set[Moment]:
    """Return the dates that a word for birth points at within five tokens, and all of their value.

    Those that directly follow a patient's name or number count as well. The date that follows the
    word wins over one before it; `moments` are sorted and disjoint, `written` is the note's year.
    With `month_first`, 03/04/1950 may also be 4 March 1950.
    """
    pointed = _pointed(folded, text, moments)
    pointed |= beside_patients(folded, text, moments, written)
    if not pointed:
        return pointed
    values = {value for moment in pointed for value in _values(moment, written)}
    values.discard((None, None, None))
    turned = {(year, day, month) for year, month, day in values if month_first and day}
    found = set(pointed)
    for moment in moments:
        value = _value(moment, written)
        if value in values or (value in turned and _in_words(folded, moment)):
            found.add(moment)
    return found


def _pointed(folded: str, text: str, moments: list[Moment]) -> set[Moment]:
    starts = [moment.start for moment in moments]
    found = {moment for moment in moments if _marked(folded, moment)}
    for match in _BIRTH.finditer(folded):
        if _is_negation(folded, text, match):
            continue
        end = match.end(1) if match[1] else match.end()
        at = bisect_left(starts, end)
        following = moments[at] if at < len(moments) else None
        preceding = moments[at - 1] if at else None
        if following and _near(folded, end, following.start):
            found.add(following)
        elif preceding and preceding.end <= match.start():
            between = folded[preceding.end : match.start()]
            if len(between) < 60 and _EXPLAINED.fullmatch(between):
                found.add(preceding)
    return found


def _in_words(folded: str, moment: Moment) -> bool:
    return any(char.isalpha() for char in folded[moment.start : moment.end])


def _marked(folded: str, moment: Moment) -> bool:
    start = moment.start
    if moment.year is None or _MARKS.isdisjoint(folded[max(0, start - 2) : start]):
        return False
    return _MARKED.search(folded, max(0, start - 6), start) is not None


def _is_negation(folded: str, text: str, match: re.Match[str]) -> bool:
    """Tell `ne tousse pas` from `ne le`, where the accent of `né` is missing."""
    if match[1] != "ne" or not text.startswith(("ne", "Ne"), match.start()):
        return False
    following = _NE_THEN.match(folded, match.end(1))
    return following is None or (following[1] is not None and following[1] not in _PLACES)


_Value = tuple[int | None, int | None, int | None]


def _value(moment: Moment, written: int) -> _Value:
    year = moment.year
    return (None if year is None else full_year(year, written)), moment.month, moment.day


def _values(moment: Moment, written: int) -> list[_Value]:
    """Return the readings of a date of birth: one in two digits may lie a hundred years earlier."""
    year, month, day = _value(moment, written)
    if year is None or moment.year is None:
        return [(year, month, day)]
    if moment.year < 100:
        return [(year, month, day), (year - 100, month, day)]
    return [(year, month, day), *([(year + 100, month, day)] if year + 100 > written else [])]


def _near(folded: str, start: int, end: int) -> bool:
    if end - start > 90:
        return False
    words = _TOKEN.findall(folded, start, end)
    return len(words) <= _TOKENS_AWAY and not any(word.startswith(_EVENTS) for word in words)

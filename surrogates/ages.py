"""Ages: kept as they are up to the policy's cap, one and the same above it."""

import re

from record.folding import fold
from surrogates.date_words import LONGEST_SPELT, SPELT
from surrogates.lexicon import listed
from surrogates.subject import WORD, Mention, Subject

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_HUNDREDS = {"cent": 100, "hundred": 100, "cien": 100, "ciento": 100}
# Small units: `95 semanas` is an age of less than two years.
_SMALL = re.compile(
    r"\b(?:jours?|semaines?|mois|heures?|j|sa|days?|weeks?|months?|hours?"
    r"|dias?|mes|meses|semanas?|horas?)\b"
)
_YEARS = re.compile(r"\b(?:ans?|anos?|years?|y)\b")
_OLD = frozenset(
    listed(
        "nonagenaire centenaire nonagenarian centenarian nonagenario nonagenaria centenario"
        " centenaria"
    )
)
_OLDEST = 150


def replace(mention: Mention, subject: Subject) -> str:
    """Give the age; over the cap it becomes the cap plus one and a plus sign.

    Ages up to the cap stay exact on purpose: birth dates and dates move by the same days, and
    45 CFR 164.514(b)(2)(i)(C) asks no more. An age in words over the cap is written in digits.
    """
    text, cap = mention.text, subject.policy.age_cap
    if _SMALL.search(fold(text)) and not _YEARS.search(fold(text)):
        return text
    text = _NUMBER.sub(lambda match: _cap(match[0], cap), text)
    text = _cap_words(text, cap)
    return text.replace("++", "+")


def _cap(number: str, cap: int) -> str:
    whole = int(re.split(r"[.,]", number)[0])
    return f"{cap + 1}+" if whole > cap else number


def _cap_words(text: str, cap: int) -> str:
    words = list(WORD.finditer(text))
    folded = [fold(word[0]) for word in words]
    place = 0
    while place < len(words):
        value, length = _spelt(folded[place:])
        if folded[place] in _OLD and cap <= 99:
            value, length = _OLDEST, 1
        if value > cap:
            start, end = words[place].start(), words[place + length - 1].end()
            return text[:start] + f"{cap + 1}+" + _cap_words(text[end:], cap)
        place += max(1, length)
    return text


def _spelt(folded: list[str]) -> tuple[int, int]:
    """Read a number in words at the start; 0 where there is none."""
    hundred = _HUNDREDS.get(folded[0], 0)
    if folded[0] in ("one", "a") and folded[1:2] == ["hundred"]:
        value, length = _spelt(folded[1:])
        return value, 1 + length
    if hundred:
        start = 2 if folded[1:2] == ["and"] else 1
        value, length = _spelt(folded[start:]) if len(folded) > start else (0, 0)
        return (hundred + value, start + length) if 0 < value < hundred else (hundred, 1)
    for length in range(min(LONGEST_SPELT, len(folded)), 0, -1):
        known = SPELT.get(tuple(folded[:length]))
        if known and known[1] < _HUNDREDS["cent"]:
            return known[1], length
    return 0, 0

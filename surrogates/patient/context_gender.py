"""What the words before a name tell of the gender of who bears it: `sa fille Camille`."""

import re
from dataclasses import dataclass
from functools import cache

from locales.registry import LANGUAGES
from surrogates.patient.name_words import spoken_in
from surrogates.patient.text_normalization import fold

_BEFORE = 48
_SIGNS = ",:()[]*-'\"«»“”„‘’ "
_SENTENCE_END = re.compile(r"[.!?;]\Z")
# Before a name a heading (`Patient : Camille`) means either; an article means one.
_ARTICLES = frozenset(("le", "du", "un", "ce", "der", "den", "dem", "des"))
# What stands between a name and a nickname of the same person.
NICKNAME_GAP = re.compile(
    r",?\s*\(?(?:(?:dite?|alias|aka|a\.k\.a\.|genannt|gen\.|called|known as|genaamd|roepnaam"
    r"|nicknamed|surnommee?|llamad[oa]|apodad[oa]|conocid[oa] como|rufname)\s*)?[«\"“„'‘(]+\s*"
)


@dataclass(frozen=True, slots=True)
class _GenderWords:
    women: frozenset[str]
    men: frozenset[str]
    beside: frozenset[str]
    titles: frozenset[str]


@cache
def _words(locale: str) -> _GenderWords:
    persons, spoken = LANGUAGES[locale].persons, spoken_in(locale)
    titles = spoken.female | spoken.male
    women, men = persons.women | spoken.female, persons.men | spoken.male
    return _GenderWords(women, men, persons.beside_kin, titles)


def gender_before(text: str, least: int, start: int, locale: str) -> str:
    """Return the gender that the words right before a name tell: `M`, `F`, or empty.

    They are titles, relatives, roles and participles of the note's language, of the same sentence;
    `least` is where the name before ends.
    """
    least = max(start - _BEFORE, least)
    written = text[max(least, text.rfind("\n", least, start) + 1) : start].split()
    words = _words(locale)
    is_male_patient = False
    while written:
        last = written.pop()
        word = fold(last).strip(_SIGNS)
        if not word:
            continue
        bare = word.strip(".")
        is_abbreviated = bare in words.titles
        if _SENTENCE_END.search(word) and not is_abbreviated:
            return ""
        if is_male_patient:
            return "M" if bare in _ARTICLES else ""
        if bare in words.women:
            return "F"
        if bare in words.men:
            return "M"
        if bare == "patient" and locale in ("fr", "de") and last == last.rstrip(_SIGNS):
            is_male_patient = True
        elif bare not in words.beside:
            return ""
    return ""

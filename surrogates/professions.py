"""Surrogates of occupations: another of the list, in the form for a woman where the original is.

`son épouse, ancienne institutrice` keeps its agreement: words around a name of an occupation tell
whose it is, and a man's form beside them would tell that it was put there.
"""

import re

from record.label import Label
from surrogates.patient import lexicon
from surrogates.patient.patient import Mention, Subject
from surrogates.patient.text_normalization import WORD, apply_case, fold, squeeze
from surrogates.places import places

_FIRST = 2
# Words before that which tells the gender, and are the same for both.
_OPENING = frozenset("aide auxiliaire ex jeune auxiliar ayudante ehem ehemals frueher".split())
_WOMEN = {
    "fr": re.compile(
        r"(?:[^\W_]+(?:[^a]ere|euse|trice|enne|onne|ante|ente|ee)|femme|hotesse|avocate|cheffe"
        r"|maitresse|professeure|ingenieure|auteure|adjointe|agente|artisane|nourrice)s?"
    ),
    "es": re.compile(
        r"(?!policia|guia|atleta|poeta|astronauta|colega|camarada)[^\W_]+(?<!ist)(?<!iatr)as?"
    ),
    "de": re.compile(r"(?!medizin$)[^\W_]{3,}(?:in|frau|schwester)|hebamme"),
}
"""First words of a woman's occupation, by language; English and Dutch seldom have a form for it."""


def is_female(text: str, locale: str) -> bool:
    """Return whether an occupation is in a form that women alone have."""
    pattern = _WOMEN.get(locale)
    words = [fold(found[0]) for found in WORD.finditer(text)][:2]
    if pattern is None or not words:
        return False
    place = lexicon.load("professions.female", locale).places.get(squeeze(text))
    if place not in (None, lexicon.load("professions", locale).places.get(squeeze(text))):
        return True
    told = words[-1] if words[0] in _OPENING else words[0]
    return pattern.fullmatch(told) is not None


def replace(mention: Mention, subject: Subject) -> str:
    """Return another occupation; from version 3 of the algorithm on, of the same gender.

    A woman's and a man's form of one occupation have the two forms of one surrogate. Raises Unsafe
    where no entry is acceptable.
    """
    locale = subject.locale
    if subject.key.algorithm == _FIRST or not is_female(mention.text, locale):
        return places.replace_listed(mention, subject)
    men = lexicon.load("professions", locale)
    women = lexicon.load("professions.female", locale)
    value = squeeze(mention.text)
    if value in women.places:
        value = squeeze(men.entries[women.places[value]])

    def is_allowed(entry: str) -> bool:
        drawn = women.entries[men.places[squeeze(entry)]]
        return squeeze(drawn) != squeeze(mention.text) and subject.allows(drawn)

    drawn = subject.place(Label.PROFESSION, value, men, accept=is_allowed)
    return apply_case(mention.text, women.entries[drawn])

"""Words around names that are none: particles, titles, words for relatives."""

from collections.abc import Callable, Iterable

from locales.language import PersonWords
from locales.registry import FOREIGN_PARTICLES, LANGUAGES, every
from surrogates.patient.lexicon import listed


def _spoken(pick: Callable[[PersonWords], Iterable[str]]) -> frozenset[str]:
    """Return the words of the languages that surrogates are drawn in."""
    persons = [language.persons for language in LANGUAGES.values() if language.has_surrogates]
    return frozenset(word for each in persons for word in pick(each))


PARTICLES = (
    every(lambda language: language.persons.particles)
    | FOREIGN_PARTICLES
    | frozenset(listed("das della zur san ibn abu abd ait st ste saint sainte"))
)
STAFF = _spoken(lambda persons: persons.staff)
FEMALE = _spoken(lambda persons: persons.female_titles)
MALE = _spoken(lambda persons: persons.male_titles)
# Without those that a name may begin with.
TITLES = (
    (_spoken(lambda persons: persons.doctor_titles) | FEMALE | MALE)
    - frozenset(listed("mlles madam m mm d"))
) | frozenset(listed("jr ii iii iv"))
ELISIONS = frozenset("dlonm")
# Written before the name of a relative, or of a person close to the patient.
KIN = _spoken(lambda persons: persons.kin)

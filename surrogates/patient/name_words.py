"""Words around names that are none: particles, titles, words for relatives."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from locales.language import PersonWords
from locales.registry import FOREIGN_PARTICLES, LANGUAGES, every
from surrogates.patient.lexicon import listed

# The languages whose words count in every note; those of others count in their own notes alone.
_EVERYWHERE = ("fr", "en", "es")


def _spoken(
    pick: Callable[[PersonWords], Iterable[str]], codes: Iterable[str] = _EVERYWHERE
) -> frozenset[str]:
    persons = [LANGUAGES[code].persons for code in codes]
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


@dataclass(frozen=True, slots=True)
class NameWords:
    """The words around names that count in the notes of a language, folded.

    `beside` are all but the titles that are part of a name.
    """

    staff: frozenset[str]
    female: frozenset[str]
    male: frozenset[str]
    kin: frozenset[str]
    titles: frozenset[str]
    beside: frozenset[str]


@cache
def spoken_in(locale: str) -> NameWords:
    """Return the words around names that count in the notes of a language."""
    own = () if locale in _EVERYWHERE else (locale,)
    female = _spoken(lambda persons: persons.female_titles, own)
    male = _spoken(lambda persons: persons.male_titles, own)
    doctors = _spoken(lambda persons: persons.doctor_titles, own)
    staff = STAFF | _spoken(lambda persons: persons.staff, own)
    kin = KIN | _spoken(lambda persons: persons.kin, own)
    return NameWords(
        staff=staff,
        female=FEMALE | female,
        male=MALE | male,
        kin=kin,
        titles=TITLES | female | male | doctors,
        beside=staff | kin | FEMALE | female | MALE | male,
    )

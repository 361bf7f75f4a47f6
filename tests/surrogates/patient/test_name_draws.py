"""Draws of names: one to one on the lists, of one kind, and never what is known."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from record.folding import fold
from record.languages import LANGUAGES
from record.patient import PatientRecord, PersonName
from surrogates.keys.keys import CohortKey
from surrogates.patient import name_lists
from surrogates.patient.known_people import FAMILY, GIVEN
from surrogates.patient.name_draws import NameDraws, StratumPermutation
from surrogates.patient.name_lists import Invented
from surrogates.patient.patient import Subject

LOCALES = LANGUAGES


def _strata() -> list[name_lists.Stratum]:
    found: list[name_lists.Stratum] = []
    for locale in LOCALES:
        for names in (name_lists.family(locale), name_lists.given(locale)):
            found += names.strata.values()
    return found


def test_every_stratum_can_turn() -> None:
    """No letter begins more than half of its names, and enough of them hide who is who."""
    for stratum in _strata():
        assert len(stratum.entries) >= 60
        assert 2 * stratum.largest <= len(stratum.entries)
        assert sum(size for _, size in stratum.blocks.values()) == len(stratum.entries)
        letters = [fold(entry)[0] for entry in stratum.entries]
        for letter, (first, size) in stratum.blocks.items():
            assert letters[first : first + size] == [letter] * size


def test_strata_part_the_lists() -> None:
    for locale in LOCALES:
        for names in (name_lists.family(locale), name_lists.given(locale)):
            entries = [fold(entry) for each in names.strata.values() for entry in each.entries]
            assert len(entries) == len(set(entries)) == len(names.places)
            for reserve in names.reserve.values():
                if not isinstance(reserve, Invented):
                    assert not set(map(fold, reserve)) & names.places.keys()


@pytest.mark.parametrize("number", range(0, len(_strata()), 9))
def test_a_ring_is_one_to_one_and_changes_the_first_letter(cohort: CohortKey, number: int) -> None:
    stratum = _strata()[number]
    ring = StratumPermutation(cohort.patient("42"), stratum)
    drawn = [ring.step(place) for place in range(len(stratum.entries))]
    assert sorted(drawn) == sorted(stratum.entries)
    for entry, surrogate in zip(stratum.entries, drawn, strict=True):
        assert fold(entry)[0] != fold(surrogate)[0]


def test_rings_of_two_patients_have_little_in_common(cohort: CohortKey) -> None:
    stratum = name_lists.family("fr").strata["family.fr/1"]
    one, two = (StratumPermutation(cohort.patient(person), stratum) for person in ("42", "43"))
    same = sum(one.step(place) == two.step(place) for place in range(len(stratum.entries)))
    # By chance about one agrees; 12 or more have a chance below 1e-8.
    assert same < 12


def test_listed_names_never_meet_though_some_are_known(cohort: CohortKey) -> None:
    """Whoever's draw would be a known name gets an invented one, and the others keep theirs."""
    entries = name_lists.family("fr").strata["family.fr/1"].entries
    known = frozenset(fold(entry) for entry in entries[::12])
    own = tuple((FAMILY, word, "") for word in sorted(known))
    draws = NameDraws(cohort.patient("42"), "fr", known, own)
    drawn = {entry: draws.draw(FAMILY, fold(entry)) for entry in entries}
    assert len(set(drawn.values())) == len(entries)
    assert not set(map(fold, drawn.values())) & known
    assert all(fold(entry)[0] != fold(made)[0] for entry, made in drawn.items())
    spare = [made for made in drawn.values() if not draws.is_listed(FAMILY, fold(made))]
    assert 0 < len(spare) <= len(known)


@pytest.mark.parametrize(
    ("locale", "role", "name", "kind"),
    [
        ("fr", FAMILY, "martin", "family.fr/1"),
        ("fr", FAMILY, "benali", "family.fr/0ar"),
        ("fr", FAMILY, "ferreira", "family.fr/0pt"),
        ("fr", FAMILY, "schmidt", "family.fr/0de"),
        ("fr", FAMILY, "garcia", "family.fr/0es"),
        ("fr", GIVEN, "jean", "given.male.fr/1"),
        ("fr", GIVEN, "khadija", "given.female.fr/0ar"),
        ("fr", GIVEN, "camille", "given.both.fr/0"),
        ("en", FAMILY, "smith", "family.en/1"),
        ("en", FAMILY, "nguyen", "family.en/0as"),
        ("en", FAMILY, "rodriguez", "family.en/1es"),
        ("es", FAMILY, "garcia", "family.es/1"),
        ("es", GIVEN, "fatima", "given.female.es/1"),
        ("es", GIVEN, "abdelkader", "given.male.es/0ar"),
    ],
)
def test_a_name_stays_of_its_kind(
    cohort: CohortKey, locale: str, role: str, name: str, kind: str
) -> None:
    """Frequency, origin and gender stay, as far as the lists tell them."""
    places = name_lists.of_role(role, locale).places
    assert places[name][0].name == kind
    for person in range(5):
        draws = NameDraws(cohort.patient(f"{person}"), locale, frozenset(), ())
        assert places[fold(draws.draw(role, name))][0].name == kind


@pytest.mark.parametrize("locale", LOCALES)
def test_what_no_list_holds_becomes_what_no_listed_name_becomes(
    cohort: CohortKey, locale: str
) -> None:
    draws = NameDraws(cohort.patient("42"), locale, frozenset(), ())
    for role in (FAMILY, GIVEN):
        for value in ("zzyxwq", "qqwertz", "ååb"):
            drawn = draws.draw(role, value)
            assert not draws.is_listed(role, fold(drawn))
            assert fold(drawn)[0] != value[0]
    genders = name_lists.given(locale).genders
    assert {genders[fold(draws.draw(GIVEN, f"zz{n}", "F"))] for n in range(20)} == {"F"}
    assert {genders[fold(draws.draw(GIVEN, f"zz{n}", "M"))] for n in range(20)} == {"M"}


def test_no_two_names_of_a_record_meet(subject_of: Callable[..., Subject]) -> None:
    """200 given names of no list: drawn one by one, some of 2,500 would meet."""
    names = tuple(f"Zz{a}{b}q" for a in "abcdefghijklmnopqrst" for b in "abcdefghij")
    relatives = tuple(PersonName((name,), ("Roux",)) for name in names)
    record = PatientRecord("42", given_names=("Jean",), gender="M", relatives=relatives)
    subject = subject_of(record=record)
    drawn = [subject.names.draw(GIVEN, fold(name)) for name in names]
    assert len(set(drawn)) == len(names)
    alone = subject_of()
    assert len({alone.names.draw(GIVEN, fold(name)) for name in names}) < len(names)


@pytest.mark.parametrize("locale", LOCALES)
def test_invented_names_are_many_distinct_and_say_their_number(locale: str) -> None:
    invented = name_lists.invented(locale)
    assert len(invented) > 80_000
    sample = [invented[number] for number in range(0, len(invented), 97)]
    # A few can be put together in two ways.
    assert len(set(sample)) > 0.97 * len(sample)
    assert all(name.isascii() and name.isalpha() and name.istitle() for name in sample)
    assert all(one != other for one, other in pairwise(sample))


def test_the_reserve_says_the_gender_of_its_names() -> None:
    for locale in LOCALES:
        names = name_lists.given(locale)
        for gender in ("F", "M"):
            held = names.reserve[gender]
            assert isinstance(held, tuple)
            assert {names.genders[fold(name)] for name in held[:50]} == {gender}

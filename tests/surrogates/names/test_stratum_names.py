"""Names of the same stratum: gender, case, compounds, particles, initials; nobody keeps a name."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.folding import fold
from record.languages import LANGUAGES
from record.patient import PatientRecord
from record.policy import Policy
from surrogates.keys.keys import CohortKey
from surrogates.patient import lexicon
from surrogates.patient.patient import NamedPerson, Subject
from tests.surrogates.conftest import Replace, make_replace, make_subject_of

NAMES = st.text(
    "abcdefghijklmnopqrstuvwxyzéèçñüABCDEFGHIJKLMNOPQRSTUVWXYZÉ", min_size=2, max_size=12
)
LABELS = st.sampled_from(["FIRST_NAME", "LAST_NAME", "NAME"])


@pytest.fixture(scope="module")
def subject_of(cohort: CohortKey) -> Callable[..., Subject]:
    return make_subject_of(cohort, Policy(names="same-stratum"))


@pytest.fixture(scope="module")
def replace(subject_of: Callable[..., Subject]) -> Replace:
    return make_replace(subject_of)


def test_parts_of_compounds_agree_with_the_parts(replace: Replace) -> None:
    dupont, martin = replace("DUPONT", "LAST_NAME"), replace("Martin", "LAST_NAME")
    assert replace("DUPONT-MARTIN", "LAST_NAME") == f"{dupont}-{martin.upper()}".upper()
    assert replace("Dupont Martin", "LAST_NAME").casefold() == f"{dupont} {martin}".casefold()
    assert replace("dupont", "LAST_NAME") == dupont.lower()
    jean, paul = replace("Jean", "FIRST_NAME"), replace("Paul", "FIRST_NAME")
    for text, expected in {
        "Jean-Paul": f"{jean}-{paul}",
        "Jean Paul": f"{jean} {paul}",
        "Jean  \n Paul": f"{jean}  \n {paul}",
        "Paul, Jean": f"{paul}, {jean}",
    }.items():
        assert replace(text, "FIRST_NAME") == expected


def test_the_whole_name_agrees_with_its_parts(replace: Replace) -> None:
    first, last = replace("Sophie", "FIRST_NAME"), replace("LEFEVRE", "LAST_NAME")
    for text in ("Sophie LEFEVRE", "LEFEVRE Sophie", "LEFEVRE, Sophie", "Mme Sophie LEFEVRE"):
        name = replace(text, "NAME")
        assert first in name
        assert last in name
        assert name.startswith("Mme ") == text.startswith("Mme ")


@pytest.mark.parametrize(
    "value", ["Lefèvre", "lefèvre", "LEFÈVRE", "LEFEVRE", "Lefevre", "LeFevre"]
)
def test_case_and_accents_do_not_change_who_it_is(replace: Replace, value: str) -> None:
    assert fold(replace(value, "LAST_NAME")) == fold(replace("lefevre", "LAST_NAME"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [("DUPONT", str.isupper), ("dupont", str.islower), ("Dupont", str.istitle)],
)
def test_case_is_kept(replace: Replace, text: str, shown: Any) -> None:
    for person in ("Dupont", "Garcia", "Nguyen", "Xyzzy"):
        model = text.replace("DUPONT", person.upper()).replace("dupont", person.lower())
        assert shown(replace(model.replace("Dupont", person), "LAST_NAME"))


def test_plain_capitals_stay_plain(replace: Replace) -> None:
    for value in lexicon.load("family", "fr").entries[:300]:
        plain = "".join(char for char in value.upper() if char.isascii())
        assert replace(plain, "LAST_NAME").isascii()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("de la TOUR", "de la "),
        ("LE GOFF", "LE "),
        ("d'Artagnan", "d'"),
        ("O'Brien", "O'"),
        ("van der Berg", "van der "),
        ("Dr Dupont", "Dr "),
        ("Saint-Exupéry", "Saint-"),
    ],
)
def test_particles_and_titles_stay(replace: Replace, text: str, kept: str) -> None:
    drawn = replace(text, "LAST_NAME")
    assert drawn.startswith(kept)
    assert fold(drawn) != fold(text)


@pytest.mark.parametrize("text", ["Le", "De", "Van", "Dr", "Saint", "La", "LE", "A", "J", "de la"])
def test_a_particle_alone_is_a_name(replace: Replace, text: str) -> None:
    assert fold(replace(text, "LAST_NAME")) != fold(text)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_gender_is_kept_where_the_lexicon_knows_it(
    subject_of: Callable[..., Subject], replace: Replace, locale: str
) -> None:
    male, female = (lexicon.load(f"given.{g}", locale) for g in ("male", "female"))
    subject = subject_of(locale=locale)
    for own, other in ((male, female), (female, male)):
        for name in own.entries[::7]:
            if fold(name) not in other.places:
                assert fold(replace(name, "FIRST_NAME", subject=subject)) in own.places


def test_gender_of_an_unknown_name_comes_from_the_record(
    subject_of: Callable[..., Subject], replace: Replace
) -> None:
    for gender, kind in (("F", "female"), ("M", "male")):
        record = PatientRecord("42", given_names=("Zyxelle",), gender=gender)
        subject = subject_of(record=record)
        drawn = replace("Zyxelle", "FIRST_NAME", subject=subject)
        assert fold(drawn) in lexicon.load(f"given.{kind}", "fr").places


def test_initials_follow_the_names_they_stand_for(
    subject_of: Callable[..., Subject], replace: Replace, record: PatientRecord
) -> None:
    subject = subject_of(record=record)
    jean, paul = (replace(name, "FIRST_NAME", subject=subject)[0] for name in ("Jean", "Paul"))
    plain = {fold(letter).upper() for letter in (jean, paul)}
    assert {fold(jean).upper(), fold(paul).upper()} == plain
    j, p = fold(jean).upper(), fold(paul).upper()
    for text, expected in {
        "J.": f"{j}.",
        "J": j,
        "J.-P.": f"{j}.-{p}.",
        "J-P": f"{j}-{p}",
        "JP": f"{j}{p}",
        "J. P.": f"{j}. {p}.",
    }.items():
        assert replace(text, "FIRST_NAME", subject=subject) == expected


def test_initials_of_names_of_the_document(replace: Replace) -> None:
    sophie = replace("Sophie", "FIRST_NAME")
    assert (
        replace("S.", "FIRST_NAME", person=NamedPerson(given=("sophie",)))
        == f"{fold(sophie)[0].upper()}."
    )


@pytest.mark.parametrize("letter", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
def test_an_initial_of_nobody_changes_too(replace: Replace, letter: str) -> None:
    drawn = replace(f"{letter}.", "FIRST_NAME")
    assert drawn != f"{letter}."
    assert len(drawn) == 2
    assert drawn[0].isupper()


@given(NAMES, LABELS)
def test_no_name_stays_itself_or_keeps_its_initial(replace: Replace, name: str, label: str) -> None:
    drawn = replace(name, label)
    assert fold(drawn)[0] != fold(name)[0]
    assert drawn == replace(name, label)


@given(st.text(min_size=1, max_size=30).filter(lambda t: any(map(str.isalpha, t))), LABELS)
def test_any_text_can_be_a_name(replace: Replace, text: str, label: str) -> None:
    assert fold(replace(text, label)) != fold(text)


def test_no_surrogate_is_known_of_the_patient(
    subject_of: Callable[..., Subject], replace: Replace
) -> None:
    """Half of all names are known: the other half must serve."""
    entries = lexicon.load("family", "fr").entries
    record = PatientRecord("42", family_names=entries[::2])
    subject = subject_of(record=record)
    known = {fold(name) for name in entries[::2]}
    for name in entries[::101]:
        assert fold(replace(name, "LAST_NAME", subject=subject)) not in known


def test_names_of_the_lexicon_hardly_ever_meet(replace: Replace) -> None:
    names = lexicon.load("family", "fr").entries[::16]
    drawn = {replace(name, "LAST_NAME") for name in names}
    assert len(drawn) > 0.95 * len(names)


def test_other_patients_get_other_names(
    subject_of: Callable[..., Subject], replace: Replace
) -> None:
    drawn = {replace("Dupont", "LAST_NAME", subject=subject_of(str(n))) for n in range(300)}
    # Of 471 frequent names, 300 draws are expected to give 222.
    assert len(drawn) > 190


def test_the_label_tells_the_role_but_for_the_records_own_names(
    subject_of: Callable[..., Subject], replace: Replace
) -> None:
    """Dr Martin is no Martin by given name; a given name that no list has stays one."""
    record = PatientRecord("42", given_names=("Martin", "Zyxelle"), family_names=("Dupont",))
    subject = subject_of(record=record)
    given, family = (replace("Martin", label, subject=subject) for label in ("FIRST_NAME", "NAME"))
    assert given == family != replace("Martin", "LAST_NAME", subject=subject)
    odd = replace("Zyxelle", "FIRST_NAME", subject=subject)
    assert replace("Zyxelle", "LAST_NAME", subject=subject) == odd
    assert replace("Gil, Lorenzo", "NAME").split(", ")[1] == replace("Lorenzo", "FIRST_NAME")

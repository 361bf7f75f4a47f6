"""Mixed names: nothing of a name shows in its surrogate but gender and case, in no form."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace as derive
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from record.document import Document
from record.folding import fold
from record.patient import Address, PatientRecord, PersonName
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import CohortKey
from surrogates.patient import lexicon, name_lists, name_pools
from surrogates.patient.known_people import FAMILY, GIVEN
from surrogates.patient.near_values import NearValues
from surrogates.patient.patient import NamedPerson, Subject
from surrogates.rewrite import Rewriter
from tests.surrogates.conftest import Replace

LOCALES = ("fr", "en", "es")
NAMES = st.text(
    "abcdefghijklmnopqrstuvwxyzéèçñüABCDEFGHIJKLMNOPQRSTUVWXYZÉ", min_size=2, max_size=12
)
LABELS = st.sampled_from(["FIRST_NAME", "LAST_NAME", "NAME"])
DOUBLE = PatientRecord(
    "42",
    given_names=("Jean", "Paul"),
    family_names=("DUPONT-MARTIN",),
    birth_names=("Roux",),
    gender="M",
    relatives=(PersonName(("Paul",), ("Roux",)), PersonName(("Anne",), ("Le Gall",))),
)
Marked = Callable[..., tuple[Document, tuple[Span, ...]]]


def _parts(cohort: CohortKey, marked: Marked, text: str, record: PatientRecord | None) -> list[str]:
    document, spans = marked(text)
    release = Rewriter(cohort, Policy()).rewrite(document, spans, record)
    return [release.text[span.start : span.end] for span in release.spans]


def test_all_parts_and_forms_of_a_name_are_one(
    subject_of: Callable[..., Subject], replace: Replace
) -> None:
    subject = subject_of(record=DOUBLE)
    family = fold(replace("DUPONT-MARTIN", "LAST_NAME", subject=subject))
    for text in ("Dupont", "Martin", "Dupont Martin", "MARTIN-DUPONT", "le Gall", "dupond"):
        assert fold(replace(text, "LAST_NAME", subject=subject)) == family
    assert fold(replace("Roux", "LAST_NAME", subject=subject)) != family
    given_name = replace("Jean", "FIRST_NAME", subject=subject)
    for text in ("Jean Paul", "Jean-Paul", "Jean, Paul"):
        assert replace(text, "FIRST_NAME", subject=subject) == given_name
    # Of a relative it is the first given name.
    assert replace("Paul", "FIRST_NAME", subject=subject) != given_name


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("de la TOUR", "TOUR"),
        ("LE GOFF", "GOFF"),
        ("d'Artagnan", "Artagnan"),
        ("O'Brien", "Brien"),
        ("van der Berg", "Berg"),
        ("Saint-Exupéry", "Exupéry"),
        ("Ortega y Gasset", "Ortega"),
        ("Lefebvre-Nadaud", "Lefebvre"),
    ],
)
def test_particles_and_further_words_do_not_show(replace: Replace, text: str, plain: str) -> None:
    assert replace(text, "LAST_NAME") == replace(plain, "LAST_NAME")


def test_titles_and_order_stay(replace: Replace) -> None:
    first, last = replace("Sophie", "FIRST_NAME"), replace("LEFEVRE", "LAST_NAME")
    for text, expected in {
        "Sophie LEFEVRE": f"{first} {last}",
        "LEFEVRE Sophie": f"{last} {first}",
        "LEFEVRE, Sophie": f"{last}, {first}",
        "Mme Sophie LEFEVRE": f"Mme {first} {last}",
        "Dr LEFEVRE": f"Dr {last}",
    }.items():
        assert replace(text, "NAME") == expected


@pytest.mark.parametrize(
    ("text", "shown"),
    [("DUPONT", str.isupper), ("dupont", str.islower), ("MARTIN-ROUX", str.isupper)],
)
def test_case_is_kept(
    subject_of: Callable[..., Subject], replace: Replace, text: str, shown: Callable[[str], bool]
) -> None:
    for person in range(20):
        assert shown(replace(text, "LAST_NAME", subject=subject_of(str(person))))


@pytest.mark.parametrize("locale", LOCALES)
def test_gender_is_kept_where_the_lists_know_it(
    subject_of: Callable[..., Subject], replace: Replace, locale: str
) -> None:
    subject = subject_of(locale=locale)
    for own, other in (("male", "F"), ("female", "M")):
        for name in lexicon.load(f"given.{own}", locale).entries[::7]:
            if name_lists.given(locale).genders[fold(name)]:
                drawn = subject.mixed_names.draw(GIVEN, fold(name))  # type: ignore[union-attr]
                genders = name_lists.given(locale).genders
                assert other not in {genders[fold(word)] for word in drawn.words}


def test_gender_of_a_name_of_either_is_the_persons(
    cohort: CohortKey, marked: Marked, subject_of: Callable[..., Subject], replace: Replace
) -> None:
    genders = name_lists.given("fr").genders
    for gender, title, other in (("F", "Mme", "M"), ("M", "M.", "F")):
        for name in ("Camille", "Xyzla"):
            record = PatientRecord("42", given_names=(name,), gender=gender)
            drawn = replace(name, "FIRST_NAME", subject=subject_of(record=record))
            assert genders[fold(drawn).partition("-")[0]] != other
            text = f"{title} [{name}|FIRST_NAME] [Roux|LAST_NAME]"
            drawn = _parts(cohort, marked, text, None)[0]
            assert genders[fold(drawn).partition("-")[0]] != other


def test_initials_follow_the_surrogate_one_for_a_name(
    subject_of: Callable[..., Subject], replace: Replace
) -> None:
    subject = subject_of(record=DOUBLE)
    j = fold(replace("Jean", "FIRST_NAME", subject=subject))[0].upper()
    d = fold(subject.mixed_names.draw(FAMILY, "dupont").words[0])[0].upper()  # type: ignore[union-attr]
    for text, expected in {
        "J.": f"{j}.",
        "J": j,
        "J.-P.": f"{j}.",
        "J-P": j,
        "JP": j,
        "J. P.": f"{j}.",
        "j.": f"{j.lower()}.",
    }.items():
        assert replace(text, "FIRST_NAME", subject=subject) == expected
    for text, expected in {"JD": j + d, "JPDM": j + d, "DJ": d + j}.items():
        assert replace(text, "NAME", subject=subject) == expected
    sophie = replace("Sophie", "FIRST_NAME")
    drawn = replace("S.", "FIRST_NAME", person=NamedPerson(given=("sophie",)))
    assert drawn == f"{fold(sophie)[0].upper()}."


@given(NAMES, LABELS)
def test_no_name_stays_itself_or_keeps_its_initial(replace: Replace, name: str, label: str) -> None:
    drawn = replace(name, label)
    assert fold(drawn)[0] != fold(name)[0]
    assert drawn == replace(name, label)


@given(st.text(min_size=1, max_size=30).filter(lambda t: any(map(str.isalpha, t))), LABELS)
def test_any_text_can_be_a_name(replace: Replace, text: str, label: str) -> None:
    assert fold(replace(text, label)) != fold(text)


@given(NAMES, st.integers(0, 500))
def test_no_surrogate_is_near_a_known_name(
    subject_of: Callable[..., Subject], replace: Replace, name: str, person: int
) -> None:
    record = PatientRecord("42", family_names=(name,), given_names=("Jean", "Marie"))
    subject = subject_of(str(person), record=record)
    known = [fold(word) for word in (name, "Jean", "Marie")]
    for text, label in ((name, "LAST_NAME"), ("Jean", "FIRST_NAME"), ("Roux", "LAST_NAME")):
        for word in fold(replace(text, label, subject=subject)).replace("-", " ").split():
            for value in known:
                assert word != value
                if max(len(word), len(value)) > 3:
                    assert OSA.distance(word, value) > 1


@given(st.text("abc", min_size=1, max_size=6), st.text("abc", min_size=1, max_size=6))
def test_near_values_are_those_one_edit_apart(one: str, other: str) -> None:
    apart = OSA.distance(one, other)
    expected = not apart or (apart == 1 and max(len(one), len(other)) > 3)
    assert (other in NearValues([one, "zzzzzzzz"])) == expected


@given(st.text("abc", min_size=1, max_size=5), st.lists(st.text("abc", max_size=6), max_size=3))
def test_names_are_recognized_within_words(name: str, words: list[str]) -> None:
    found = NearValues((), [name]).stands_in(tuple(words))
    is_within = len(name) > 2 and any(name in word for word in words)
    assert found == (is_within or (len(name) > 3 and name in "".join(words)))


@given(st.sampled_from(("Jean", "Marc", "Paul", "Anna", "Ines", "Lea")), st.integers(0, 300))
def test_no_surrogate_has_a_known_name_in_it(
    subject_of: Callable[..., Subject], replace: Replace, name: str, person: int
) -> None:
    record = PatientRecord(
        "42", (name,), ("Le Gall", "Roche"), addresses=(Address("", "64000", "Pau"),)
    )
    subject = subject_of(str(person), record=record)
    makers = (("Claudine", "FIRST_NAME"), ("Hoareau", "LAST_NAME"), ("Cannes", "CITY"))
    for text, label in (*makers, ("Hôpital Mondor", "HOSPITAL"), ("2 rue Bigot", "STREET")):
        drawn = fold(replace(text, label, subject=subject))
        words = re.findall("[a-z]+", drawn)
        for known in (fold(name), "gall", "pau", "roche"):
            assert not any(known in word for word in words)
        assert "legall" not in "".join(words)


def test_the_second_version_knows_equal_names_alone(cohort: CohortKey) -> None:
    record = PatientRecord("42", ("Jean",), ("Roche",), birth_date=date(1950, 2, 3))
    subject = Subject(cohort.under(2).patient("42"), Policy(), record, days=5)
    assert "jeanne" not in subject.avoided_names
    assert subject.allows("Jeanne")
    assert "23" not in subject.avoided_codes


def test_what_is_drawn_does_not_depend_on_the_original(subject_of: Callable[..., Subject]) -> None:
    """A frequent, a rare, a foreign and an unlisted name have surrogates of the same classes."""
    places = name_lists.family("fr").places
    counts: list[Counter[str]] = []
    subjects = [subject_of(str(person)) for person in range(1500)]
    for name in ("martin", "vaxelaire", "benali", "qwxyzk"):
        drawn = (subject.mixed_names.draw(FAMILY, name) for subject in subjects)  # type: ignore[union-attr]
        counts.append(Counter(places[fold(each.words[0])][0].name for each in drawn))
    pool = name_pools.load(FAMILY, "", "fr")
    shares = Counter(places[fold(name)][0].name for name in pool.slots)
    for count in counts:
        for code, slots in shares.items():
            expected = 1500 * slots / len(pool.slots)
            # Five standard deviations, and the one letter that is spared.
            assert abs(count[code] - expected) < 5 * expected**0.5 + 0.1 * expected + 3


def test_forms_are_drawn_and_not_kept(subject_of: Callable[..., Subject], replace: Replace) -> None:
    for text in ("DUPONT", "DUPONT-MARTIN"):
        drawn = [replace(text, "LAST_NAME", subject=subject_of(str(n))) for n in range(1000)]
        double = sum("-" in name for name in drawn)
        # 40 expected; outside with a probability below 1e-5.
        assert 15 < double < 70


def test_names_of_a_file_hardly_ever_meet(subject_of: Callable[..., Subject]) -> None:
    for person in range(40):
        draws = subject_of(str(person)).mixed_names
        assert draws is not None
        for role, kind, most in ((FAMILY, "family", 1), (GIVEN, "given.female", 3)):
            names = [fold(name) for name in lexicon.load(kind, "fr").entries[person::131]][:40]
            drawn = {draws.draw(role, name).words[0] for name in names}
            assert len(names) - len(drawn) <= most


def test_names_of_a_note_do_not_meet(cohort: CohortKey, marked: Marked) -> None:
    """200 given names in one note: drawn one by one, some would meet."""
    names = lexicon.load("given.female", "fr").entries[::18][:200]
    text = "; ".join(f"[{name}|FIRST_NAME]" for name in names)
    made = [name.split("-")[0] for name in _parts(cohort, marked, text, None)]
    assert len(set(made)) == len(names)
    alone = [_parts(cohort, marked, f"[{name}|FIRST_NAME]", None)[0] for name in names]
    assert len({name.split("-")[0] for name in alone}) < len(names)


def test_a_part_alone_is_the_person_that_the_note_names_in_full(
    cohort: CohortKey, marked: Marked
) -> None:
    text = "Dr [Anne|FIRST_NAME] [Lefebvre-Nadaud|LAST_NAME]; Dr [Nadaud|LAST_NAME]"
    _, both, part = _parts(cohort, marked, text, None)
    assert both == part


def test_names_in_spans_side_by_side_are_a_list(cohort: CohortKey, marked: Marked) -> None:
    """Each has one word of its own, the first that of the person."""
    text = "Prénoms : [Jean|FIRST_NAME], [Paul|FIRST_NAME]. [Jean Paul|FIRST_NAME]"
    first, second, whole = _parts(cohort, marked, text, DOUBLE)
    assert whole.split("-")[0] == first != second


def test_clinicians_of_two_patients_share_nothing(
    subject_of: Callable[..., Subject], replace: Replace
) -> None:
    """Who shares a doctor does not show in the doctor's name."""
    drawn = {replace("Gauthier", "LAST_NAME", subject=subject_of(str(n))) for n in range(200)}
    assert len(drawn) > 190


def test_no_surrogate_is_known_of_the_patient(
    subject_of: Callable[..., Subject], replace: Replace
) -> None:
    """A fifth of all names are known: the others must serve."""
    entries = lexicon.load("family", "fr").entries
    record = PatientRecord("42", family_names=entries[::5])
    subject = subject_of(record=record)
    known = {fold(name) for name in entries[::5]}
    for name in entries[::101]:
        assert fold(replace(name, "LAST_NAME", subject=subject)) not in known


def test_a_mail_address_shows_no_second_part(
    subject_of: Callable[..., Subject], replace: Replace
) -> None:
    subject = subject_of(record=derive(DOUBLE, relatives=()))
    whole = replace("jean.dupont@free.fr", "EMAIL", subject=subject).partition("@")[0]
    for local in ("jean.dupont-martin", "jean-paul.dupont", "jean.martin"):
        assert replace(f"{local}@free.fr", "EMAIL", subject=subject).partition("@")[0] == whole
    short = replace("jdupont", "USERNAME", subject=subject)
    assert replace("jpdupont", "USERNAME", subject=subject) == short

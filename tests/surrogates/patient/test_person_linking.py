"""Linking: who is meant by a mention, told by the record and the note alone."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from benchmarks.night.linking import link_mentions, misspell
from record.document import Document
from record.folding import fold
from record.patient import PatientRecord, PersonName
from record.span import Span
from surrogates.patient.known_people import KnownPeople
from surrogates.patient.person_linking import link_persons
from synthesis.fictional.hospital import make_hospital

RECORD = PatientRecord(
    person_id="42",
    given_names=("Jeanne", "Marie"),
    family_names=("DUPONT-MARTIN",),
    birth_names=("Lefèvre",),
    gender="F",
    relatives=(
        PersonName(("Paul",), ("DUPONT-MARTIN",)),
        PersonName(("Chloé",), ("Bernard",)),
    ),
)


@pytest.fixture(scope="module")
def known_people() -> KnownPeople:
    return KnownPeople(RECORD, "fr")


def _entities(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
    known_people: KnownPeople,
    text: str,
    clinicians: tuple[PersonName, ...] = (),
) -> list[Any]:
    document, spans = marked(text)
    document = Document(
        document.note_id, document.text, "42", "fr", document.written, clinicians=clinicians
    )
    return list(link_persons(document, spans, known_people).entities)


@pytest.mark.parametrize(
    "text",
    [
        "Mme [Jeanne|FIRST_NAME] [DUPONT-MARTIN|LAST_NAME]",
        "[DUPONT MARTIN|LAST_NAME] [Jeanne|FIRST_NAME]",
        "[DUPONT-MARTIN|LAST_NAME], [Jeanne|FIRST_NAME]",
        "[J.|FIRST_NAME] [Dupont|LAST_NAME]",
        "[J|FIRST_NAME].[Dupont|LAST_NAME]",
        "Mme [DUPONT|LAST_NAME]",
        "Mme [Dupond|LAST_NAME]",
        "Nom : [Dupotn|LAST_NAME]",
        "[Jeanne|FIRST_NAME]",
        "[JEANE|FIRST_NAME] [dupont|LAST_NAME]",
        "née [LEFEVRE|LAST_NAME]",
        "[Mme Jeanne Dupont-Martin|NAME]",
        "[DUPONT-MARTIN Jeanne|NAME]",
        "[jeanne.dupont@example.org|EMAIL]",
        "[j.dupont-martin@example.org|EMAIL]",
        "[jdupont12|USERNAME]",
        "initiales [JDM|NAME]",
        "initiales [DMJ|NAME]",
        "[Marie|FIRST_NAME] [Dupont|LAST_NAME]",
    ],
)
def test_the_patient_in_many_forms(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]], known_people: KnownPeople, text: str
) -> None:
    assert set(_entities(marked, known_people, text)) == {"patient"}


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("son mari [Paul|FIRST_NAME]", "relative/0"),
        ("son mari M. [Dupont-Martin|LAST_NAME]", "relative/0"),
        ("M. [DUPONT|LAST_NAME]", "relative/0"),
        ("[P.|FIRST_NAME] [Dupont|LAST_NAME]", "relative/0"),
        ("sa fille [Chloé|FIRST_NAME] [BERNARD|LAST_NAME]", "relative/1"),
        ("Mme [Bernard|LAST_NAME]", "relative/1"),
        ("Dr [Dupont|LAST_NAME]", "family/dupont"),
        ("Dr [Anne|FIRST_NAME] [Roux|LAST_NAME]", "family/roux"),
        ("Pr [A.|FIRST_NAME] [de la Roche|LAST_NAME]", "family/roche"),
        ("IDE : [Sophie|FIRST_NAME]", "given/sophie"),
        ("[secretariat@chu.fr|EMAIL]", "handle/secretariat"),
        ("[a.gauthier@chu.fr|EMAIL]", "family/gauthier"),
    ],
)
def test_others(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
    known_people: KnownPeople,
    text: str,
    entity: str,
) -> None:
    assert set(_entities(marked, known_people, text)) == {entity}


def test_a_given_name_is_known_by_the_whole_name_of_the_note(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]], known_people: KnownPeople
) -> None:
    text = "IDE [Sophie|FIRST_NAME] [Costa|LAST_NAME]. Pansement refait. [Sophie|FIRST_NAME]"
    assert _entities(marked, known_people, text) == ["family/costa"] * 3
    nurse = PersonName(("Sophie",), ("Costa",))
    assert _entities(marked, known_people, "[Sophie|FIRST_NAME]", (nurse,)) == ["family/costa"]
    assert _entities(marked, known_people, "vu par [scosta7|USERNAME]", (nurse,)) == [
        "family/costa"
    ]


def test_an_unlisted_name_is_a_misspelling_of_one_of_the_note(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]], known_people: KnownPeople
) -> None:
    text = (
        "Dr [Gauthier|LAST_NAME]. Lettre au Dr [Gauhtier|LAST_NAME] et au Dr [Gautheir|LAST_NAME]"
    )
    assert set(_entities(marked, known_people, text)) == {"family/gauthier"}
    clinician = PersonName(("Z",), ("Zygmuntowicz",))
    assert _entities(marked, known_people, "Dr [Zygmuntovicz|LAST_NAME]", (clinician,)) == [
        "family/zygmuntowicz"
    ]


def test_lists_of_names_are_not_one_name(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]], known_people: KnownPeople
) -> None:
    text = (
        "Dr [Roux|LAST_NAME], [L.|FIRST_NAME] [Costa|LAST_NAME], Dr [Blin|LAST_NAME]\n"
        "[Marc|FIRST_NAME] [Petit|LAST_NAME]"
    )
    expected = ["family/roux", "family/costa", "family/costa", "family/blin"]
    assert _entities(marked, known_people, text) == [*expected, "family/petit", "family/petit"]


def test_spans_that_name_nobody_have_no_entity(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]], known_people: KnownPeople
) -> None:
    text = "[Jeanne|FIRST_NAME], [12/03/2024|DATE], [Paris|CITY]"
    assert _entities(marked, known_people, text) == ["patient", "", ""]
    assert _entities(marked, KnownPeople(None, "fr"), "Mme [Roux|LAST_NAME]") == ["family/roux"]


@pytest.mark.parametrize("lang", ["fr", "en", "es"])
def test_people_of_the_made_up_hospital_are_told_apart(lang: str) -> None:
    """`python -m benchmarks.night.linking` measures this on more files."""
    hospital = make_hospital(8, seed=3, lang=lang)
    for share in (0.0, 0.05):
        found = link_mentions(hospital, misspelt=share, seed=3)
        assert len(found.truth) > 900
        assert found.score().f1 >= 0.97


def test_the_benchmark_misspells_within_the_spans() -> None:
    note = next(iter(make_hospital(1, seed=3, lang="fr").notes()))
    document, spans = misspell(note, 1.0, Random(1))
    texts = [note.annotated.document.text, document.text]
    changed = 0
    ends = [0, 0]
    for old, new in zip(note.annotated.spans, spans, strict=True):
        assert texts[0][ends[0] : old.start] == texts[1][ends[1] : new.start]
        changed += texts[0][old.start : old.end] != texts[1][new.start : new.end]
        ends = [old.end, new.end]
    assert texts[0][ends[0] :] == texts[1][ends[1] :]
    assert changed > 5


def test_the_hospital_tells_whom_every_name_means() -> None:
    hospital = make_hospital(2, seed=3, lang="es")
    for note in hospital.notes():
        spans, record = note.annotated.spans, hospital.patients[note.person_id]
        text = note.annotated.document.text
        own = {*record.family_names, *record.birth_names}
        assert len(note.who) == len(spans)
        for who, span in zip(note.who, spans, strict=True):
            if span.label in ("FIRST_NAME", "LAST_NAME"):
                assert who
            elif span.label not in ("EMAIL", "USERNAME"):
                assert not who
            if who == "patient" and span.label == "LAST_NAME":
                assert fold(text[span.start : span.end]) in map(fold, own)


def test_whom_a_span_names_does_not_depend_on_what_was_asked_before(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]], known_people: KnownPeople
) -> None:
    nurse = PersonName(("Sophie",), ("Costa",))
    document, spans = marked(
        "Mme [Jeanne|FIRST_NAME] [DUPONT-MARTIN|LAST_NAME], son mari [P.|FIRST_NAME], vus par le"
        " Dr [Anne|FIRST_NAME] [Roux|LAST_NAME] et par [Costa|LAST_NAME] puis Mme [Roux|LAST_NAME]"
        " le [3 mars|DATE]. M. [Zygmuntovicz|LAST_NAME], [Karl|FIRST_NAME], [zygmuntovic|USERNAME],"
        " [s.costa@example.org|EMAIL], [Zygmuntovich|LAST_NAME], Mme [Zygmuntovicz|LAST_NAME]"
    )
    document = replace(document, person_id="42", clinicians=(nurse,))
    whole = link_persons(document, spans, known_people)
    forward = [whole.person(number) for number in range(len(spans))]
    assert [person.entity for person in forward if person.entity] == [
        entity for entity in whole.entities if entity
    ]
    for order in (reversed(range(len(spans))), (5, 1, 9, 0)):
        again = link_persons(document, spans, known_people)
        assert all(again.person(number) == forward[number] for number in order)
    for number, person in enumerate(forward):
        assert link_persons(document, spans, known_people).person(number) == person


@pytest.mark.parametrize("label", ["FIRST_NAME", "LAST_NAME", "NAME"])
def test_what_patients_share_of_a_name_is_what_each_would_read(label: str) -> None:
    hospital = make_hospital(3, seed=5, lang="fr", notes_per_patient=1)
    everyone = [KnownPeople(record, "fr") for record in (RECORD, *hospital.patients.values(), None)]
    texts = [
        *("Jeanne", "JEANE", "Dupont", "Dupotn", "DUPONT-MARTIN Jeanne", "JDM", "JD", "J.", "Ch."),
        *("Paul", "Bernard", "BERNARD, Chloé", "Dr de la Roche", "d'Ormesson", "Ortega y Gasset"),
        *("Zygmuntovicz", "Sophie", "Le Gall", "Marie Martin", "123", "", "Lefèvre-Roux", "MD"),
    ]
    texts += [name for each in hospital.patients.values() for name in each.family_names]
    for known_people in everyone:
        for text in texts:
            assert known_people.read_name(text, label) == known_people.read_uncached(text, label)

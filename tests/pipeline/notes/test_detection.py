"""Which language's rules read which part of a note."""

from datetime import date, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pipeline.config.settings import DetectionSettings, RulesSettings
from pipeline.notes import detection, stages
from pipeline.notes.batch import Batch, BatchNote
from pipeline.notes.detection import KnownPatients, by_rules, detect, spoken
from pipeline.notes.worker_resources import WorkerResources
from pipeline.warehouse.note_rows import NoteRow, Unit
from record.document import Document
from record.errors import ConfigError
from record.patient import PatientRecord
from record.span import Span
from rules.known.known import KnownPatient
from rules.matching.scanner import AUTOMATA

FRENCH = (
    "Patient vu ce jour en consultation pour une douleur du genou droit. Il ne se plaint de rien "
    "depuis son retour à domicile et la cicatrice est propre. Nous le reverrons dans trois mois."
)
ENGLISH = (
    "He was seen in our clinic today with pain of the right knee. He has not had any fever since "
    "his discharge and the wound is clean. We will review him in three months with his wife."
)
BORN = PatientRecord("1", birth_date=date(1950, 4, 3))


def document(text: str, lang: str = "") -> Document:
    return Document("1", text, lang=lang)


@pytest.mark.parametrize(
    ("named", "text", "default", "lang"),
    [
        ("", ENGLISH, "fr", "en"),
        ("", FRENCH, "es", "fr"),
        ("", "HTA. 120/80.", "es", "es"),
        ("", "HTA. 120/80.", "", ""),
        ("", "Non febbre né brividi. L'esame neurologico è nella norma.", "fr", "fr"),
        ("es", ENGLISH, "fr", "es"),
        ("de", "", "fr", "de"),
        ("tlh", ENGLISH, "fr", "tlh"),
        ("", f"{FRENCH} {FRENCH}\n{ENGLISH}", "es", "fr"),
    ],
)
def test_a_note_has_the_language_it_names_or_is_in_or_the_default(
    named: str, text: str, default: str, lang: str
) -> None:
    assert spoken(document(text, named), default) == document(text, lang)


@pytest.fixture
def family(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A family of one rule, which finds each X in the language asked for; and what was asked."""
    asked = []

    def find(note: Document) -> list[Span]:
        asked.append(note.lang)
        return [
            Span(at, at + 1, "ID", f"rules.{note.lang}")
            for at, char in enumerate(note.text)
            if char == "X"
        ]

    monkeypatch.setattr(detection, "FAMILIES", (find,))
    return asked


def found(text: str, lang: str = "") -> set[Any]:
    return {(span.start, span.detector) for span in by_rules(document(text, lang))}


def test_a_note_in_one_language_is_read_once(family: list[str]) -> None:
    text = f"X {FRENCH} X « no acute distress » X"
    assert {detector for _, detector in found(text)} == {"rules.fr"}
    assert family == ["fr"]


def test_each_stretch_is_read_in_its_language_and_no_place_is_passed_over(
    family: list[str],
) -> None:
    text = f"X {FRENCH} X\n{ENGLISH} X\n"
    places = [at for at, char in enumerate(text) if char == "X"]
    languages = ("fr", "fr", "en")
    assert found(text) == {
        (at, f"rules.{lang}") for at, lang in zip(places, languages, strict=True)
    }
    assert family == ["fr", "en"]


def test_a_span_across_two_stretches_is_kept_in_both(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{FRENCH}\n{ENGLISH}"
    border = len(FRENCH)
    spans = [Span(border - 2, border + 3, "ID")]
    monkeypatch.setattr(detection, "FAMILIES", (lambda note: spans,))
    assert list(by_rules(document(text))) == spans * 2


@pytest.mark.parametrize(
    ("named", "languages"), [("fr", {"fr", "en"}), ("en", {"fr", "en"}), ("es", {"es"})]
)
def test_other_languages_count_only_beside_the_one_a_note_names(
    family: list[str], named: str, languages: set[str]
) -> None:
    text = f"X {FRENCH}\n{ENGLISH} X"
    assert {detector for _, detector in found(text, named)} == {f"rules.{e}" for e in languages}


def test_a_named_language_holds_for_a_note_in_another(family: list[str]) -> None:
    assert {detector for _, detector in found(f"{ENGLISH} X", "fr")} == {"rules.fr"}


def test_known_values_are_read_in_the_language_of_their_stretch() -> None:
    text = f"{FRENCH} {FRENCH}\nDOB 04/03/1950. {ENGLISH}"
    spans = detect(document(text, "fr"), KnownPatient(BORN))
    births = {text[s.start : s.end] for s in spans if s.detector.startswith("known")}
    assert births == {"04/03/1950"}


def test_what_a_release_is_searched_for_is_found_everywhere() -> None:
    text = f"{FRENCH} {FRENCH}\nDOB 03/04/1950. {ENGLISH}"
    known = KnownPatient(BORN)
    assert set(known.detect(document(text, "fr"))) <= set(detect(document(text, "fr"), known))


def test_nothing_is_kept_of_long_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "_LONG", 30)
    detect(document("Vu le 03/04/1950.", "fr"), None)
    assert all(automaton.scan.cache_info().currsize for automaton in AUTOMATA)
    detect(document("X" * 40, "fr"), None)
    assert [automaton.scan.cache_info().currsize for automaton in AUTOMATA] == [0, 0]


@pytest.fixture
def picky(monkeypatch: pytest.MonkeyPatch) -> None:
    """A family that raises on one text and finds the first character of any other."""

    def find(note: Document) -> list[Span]:
        if "Quill" in note.text:
            raise ValueError(note.text)
        return [Span(0, 1, "ID", "rules.picky")]

    monkeypatch.setattr(detection, "FAMILIES", (find, *detection.FAMILIES))


def test_of_a_batch_only_the_note_to_blame_is_refused(picky: Any) -> None:
    texts = {1: "Vu 1.", 2: "Quill 03/04/1950", 3: "Vu 3."}
    batch = Batch(Unit(0, "", 1, 3, 3), tuple(texts), tuple(map(item_of, texts, texts.values())))
    done = stages.detect_identifiers(stages.extract_texts(batch, TOOLS), TOOLS)
    assert [item.row.note_id for item in done.items] == [1, 3]
    assert all(item.found for item in done.items)
    (refused,) = done.refused
    assert (refused.failure.note_id, refused.failure.stage) == ("2", "detect")
    assert refused.failure.error == "ValueError"
    assert "Quill" not in repr(refused.failure)


TOOLS = cast(
    WorkerResources,
    SimpleNamespace(
        settings=SimpleNamespace(lang="es", rules=RulesSettings(), detection=DetectionSettings()),
        known=KnownPatients(),
        tagger=None,
        dropped=frozenset(),
        text=lambda value: value,
        state=SimpleNamespace(leases=SimpleNamespace(note_progress=lambda unit, worked: None)),
    ),
)


def item_of(note_id: int, text: str, concept: int | str | None = None) -> BatchNote:
    row = NoteRow(
        note_id, person_id=1, note_datetime=datetime(2024, 3, 2), note_title="Lettre",
        note_text=text, language_concept_id=concept,
    )  # fmt: skip
    return BatchNote(row, patient=PatientRecord("1"))


@pytest.mark.parametrize(
    ("concept", "text", "lang"),
    [(0, ENGLISH, "en"), (None, "120/80", "es"), (4180190, ENGLISH, "fr"), ("abc", FRENCH, "fr")],
)
def test_a_row_without_a_known_language_has_that_of_its_text(
    concept: int | str | None, text: str, lang: str
) -> None:
    batch = Batch(Unit(0, "", 1, 1, 1), (1,), (item_of(1, text, concept),))
    done = stages.detect_identifiers(stages.extract_texts(batch, TOOLS), TOOLS)
    assert not done.refused
    (item,) = done.items
    assert item.document is not None and item.title is not None
    assert (item.document.lang, item.title.lang) == (lang, lang)


def test_the_hospitals_own_numbers_are_found() -> None:
    site = RulesSettings(
        patient_shapes=("z[0-9]{6}",), visit_shapes=("[0-9]{3}-[a-z]{2}",), patient_words=("NoMed",)
    ).site
    text = "Vu Z123456, 555-ab, NoMed : 4412."
    spans = {(text[s.start : s.end], s.label) for s in detect(document(text, "fr"), None, site)}
    assert {("Z123456", "PATIENT_ID"), ("555-ab", "VISIT_ID"), ("4412", "PATIENT_ID")} <= spans
    assert not list(detect(document("Vu Z123456.", "fr"), None))


@pytest.mark.parametrize(
    ("key", "value"),
    [("patient_shapes", "[0-9]+"), ("visit_shapes", "(a|b"), ("patient_words", "12")],
)
def test_numbers_that_cannot_be_searched_for_are_refused_by_name(key: str, value: str) -> None:
    with pytest.raises(ConfigError, match=rf"rules\.{key}\[0\]"):
        assert RulesSettings(**{key: (value,)}).site

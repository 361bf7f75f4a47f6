"""The hospital of register notes: a note a patient, the same from the same seed, no template."""

from typing import Any

import pytest

from record.errors import ConfigError
from synthesis.fictional.register_hospital import count_register_notes, make_register_hospital


def test_each_patient_has_one_note_whose_spans_hold() -> None:
    hospital = make_register_hospital(seed=1, lang="nl", most=40)
    notes = list(hospital.notes())
    assert hospital.planned == len(notes) == len(hospital.patients) == 40
    assert [note.person_id for note in notes] == list(hospital.patients)
    assert len({note.kind for note in notes}) > 3, "notes of many registers"
    for note in notes:
        text = note.annotated.document.text
        assert all(text[span.start : span.end].strip() for span in note.annotated.spans)
    assert not any(record.given_names for record in hospital.patients.values())


def test_the_same_seed_gives_the_same_hospital_and_another_gives_another() -> None:
    one, same, other = (
        [note.annotated for note in make_register_hospital(seed=s, lang="nl", most=8).notes()]
        for s in (1, 1, 2)
    )
    assert one == same and one != other


def test_a_language_without_notes_is_refused() -> None:
    with pytest.raises(ConfigError, match="no register has notes in it"):
        make_register_hospital(seed=1, lang="it")


def test_another_hospital_has_the_notes_that_one_leaves() -> None:
    asked: list[dict[str, Any]] = [
        {"seed": 1, "lang": "nl"},
        {"seed": 1, "lang": "nl", "most": 8},
        {"seed": 1, "lang": "nl", "skipped": 8},
    ]
    whole, first, rest = (
        [note.annotated.document.text for note in make_register_hospital(**given).notes()]
        for given in asked
    )
    assert len(whole) == count_register_notes("nl") == len(first) + len(rest)
    assert first and rest and not set(first) & set(rest)

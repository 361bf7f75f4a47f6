"""What is told of a patient under a wrong key is never lost without a word."""

import json
from pathlib import Path
from typing import Any

import pytest

import cryptonym
from pipeline.files.jsonl import read_patients
from pipeline.files.patient_keys import check_patient
from record.errors import ConfigError
from synthesis.fictional.hospital import make_hospital

CANARY = "Zorblax"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"family_name": [CANARY]}, "did you mean family_names?"),
        ({"lastname": CANARY}, "did you mean family_names?"),
        ({"First-Name": CANARY}, "did you mean given_names?"),
        ({"dob": CANARY}, "did you mean birth_date?"),
        ({"mrn": CANARY}, "did you mean identifiers?"),
        ({"birth_date": CANARY}, "write it as YYYY-MM-DD"),
        ({"given_names": CANARY}, "must be a list"),
        ({"given_names": [{"x": CANARY}]}, "must be a list of strings"),
        ({"addresses": CANARY}, "must be a list"),
        ({"addresses": [CANARY]}, "must be a list of objects"),
        ({"addresses": [{"postcode": CANARY}]}, "did you mean zip?"),
        ({"identifiers": [{"label": "PATIENT_ID"}]}, "no value"),
        ({"identifiers": [{"label": "IPP", "value": CANARY}]}, "did you mean PATIENT_ID?"),
        ({"identifiers": [{"label": CANARY, "value": "SSN"}]}, "unknown label"),
        ({"relatives": [{"family_names": CANARY}]}, "relatives.family_names: must be a list"),
        ({"relatives": [{"surname": [CANARY]}]}, "did you mean family_names?"),
    ],
)
def test_a_wrong_key_or_shape_is_told_with_what_was_meant(
    more: dict[str, Any], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "patients.jsonl"
    path.write_text(json.dumps({"person_id": "7", **more}) + "\n")
    with pytest.raises(ConfigError) as caught:
        read_patients(path)
    assert told in str(caught.value) and ", line 1" in str(caught.value)
    assert CANARY not in str(caught.value)
    with pytest.raises(ConfigError):
        cryptonym.Detector(model="none").detect("Vu ce jour.", {"person_id": "7", **more})


@pytest.mark.parametrize("record", [[], "x", {}, {"person_id": ""}])
def test_what_is_no_patient_is_refused(record: Any) -> None:
    with pytest.raises(ConfigError):
        check_patient(record, "line 1")


def test_other_keys_are_told_of_and_stay_unread(tmp_path: Path) -> None:
    path = tmp_path / "patients.jsonl"
    path.write_text(
        '{"person_id": "7", "colour": 1}\n{"person_id": "8", "emails": ["a@b.example"]}\n'
    )
    warnings: list[str] = []
    assert list(read_patients(path, warnings)) == ["7", "8"]
    (warning,) = warnings
    assert "1 unknown keys are not read" in warning


def test_a_file_of_notes_is_no_file_of_patients(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"note_id": "1", "person_id": "7", "text": "Vu ce jour.", "gender": "F"}\n')
    with pytest.raises(ConfigError, match="the file of patients, not one of notes"):
        read_patients(path, [])


def test_records_as_this_program_writes_them_are_read(tmp_path: Path) -> None:
    records = [record.to_json() for record in make_hospital(5, seed=1).patients.values()]
    assert not any(check_patient(record, "line 1") for record in records)


@pytest.mark.parametrize("lang", ["french", "fr-FR", "FR", "xx"])
def test_an_unknown_language_of_the_library_is_refused(lang: str) -> None:
    with pytest.raises(ConfigError, match="lang"):
        cryptonym.Detector(lang=lang, model="none")
    with pytest.raises(ConfigError, match="lang"):
        cryptonym.Detector(model="none").detect("Vu ce jour.", lang=lang)

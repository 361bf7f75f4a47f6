"""The fictional hospital in a database and in a folder."""

import hashlib
import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, Table, create_engine, func, inspect, select, text

from record.errors import ConfigError
from record.label import Label
from record.patient import PatientRecord
from synthesis.fictional.hospital import HospitalCounts, write_hospital
from synthesis.fictional.omop import LANGUAGES, NOTE_CLASSES, Tables, write_omop
from synthesis.fictional.people.records import FictionalNote, Hospital

Build = Callable[..., Hospital]

# The primary keys of OMOP CDM 5.4 and who refers to them.
_REFERENCES = [
    ("note", "person_id", "person"),
    ("note", "provider_id", "provider"),
    ("note", "visit_occurrence_id", "visit_occurrence"),
    ("visit_occurrence", "person_id", "person"),
    ("visit_occurrence", "provider_id", "provider"),
    ("visit_occurrence", "care_site_id", "care_site"),
    ("care_site", "location_id", "location"),
    ("person", "location_id", "location"),
    ("patient_identity", "person_id", "person"),
]
_NOTE_COLUMNS = (
    "note_id person_id note_date note_datetime note_type_concept_id note_class_concept_id "
    "note_title note_text encoding_concept_id language_concept_id provider_id "
    "visit_occurrence_id visit_detail_id note_source_value note_event_id "
    "note_event_field_concept_id"
)
_IDENTITY_COLUMNS = (
    "person_id given_names family_names birth_names birth_date gender phones emails street zip "
    "city country mrn ssn insurance_id relative_given_names relative_family_names"
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = create_engine(f"sqlite:///{tmp_path / 'warehouse.db'}")
    yield engine
    engine.dispose()


def _rows(engine: Engine, table: Table) -> list[dict[str, Any]]:
    with engine.connect() as connection:
        chosen = select(table).order_by(table.columns[0])
        return [dict(row) for row in connection.execute(chosen).mappings()]


def _count(engine: Engine, table: Table) -> int:
    with engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


# The database -----------------------------------------------------------------------------------


def test_every_reference_is_there(small_hospital: Build, engine: Engine) -> None:
    hospital, tables = small_hospital(notes=5), Tables().metadata.tables
    assert write_omop(hospital, engine, notes=hospital.notes()) == 5
    for name, column, referred in _REFERENCES:
        keys = {row[f"{referred}_id"] for row in _rows(engine, tables[referred])}
        assert len(keys) == _count(engine, tables[referred])
        values = {row[column] for row in _rows(engine, tables[name])}
        assert values - {None} <= keys, (name, column)


def test_columns_are_those_of_the_specification(small_hospital: Build, engine: Engine) -> None:
    hospital = small_hospital()
    write_omop(hospital, engine, notes=())
    columns = {
        table: [column["name"] for column in inspect(engine).get_columns(table)]
        for table in ("note", "patient_identity")
    }
    assert columns["note"] == _NOTE_COLUMNS.split()
    assert columns["patient_identity"] == _IDENTITY_COLUMNS.split()


def test_notes(small_hospital: Build, engine: Engine) -> None:
    hospital = small_hospital(notes=3, renderings=("text", "pdf", "scan"))
    write_omop(hospital, engine, notes=hospital.notes())
    typed, printed, scanned = _rows(engine, Tables().note)
    assert typed["note_text"] == next(iter(hospital.notes())).annotated.document.text
    assert typed["note_source_value"] is None
    assert (printed["note_text"], printed["note_source_value"]) == ("", "note-000002.pdf")
    assert (scanned["note_text"], scanned["note_source_value"]) == ("", "note-000003.pdf")
    assert typed["note_date"] == date(2024, 3, 2)
    assert typed["note_datetime"].isoformat() == "2024-03-02T10:15:00"
    assert typed["language_concept_id"] == LANGUAGES["fr"] == 4180190
    assert typed["note_type_concept_id"] == 32831
    assert typed["note_class_concept_id"] == NOTE_CLASSES["discharge"]


def test_note_classes_are_told_apart() -> None:
    assert len(set(NOTE_CLASSES.values())) == len(NOTE_CLASSES)


def test_people(small_hospital: Build, engine: Engine) -> None:
    hospital, tables = small_hospital(), Tables()
    write_omop(hospital, engine, notes=())
    full, bare = _rows(engine, tables.person)
    assert (full["person_source_value"], full["gender_concept_id"]) == ("8012345678", 8507)
    assert (full["year_of_birth"], full["month_of_birth"], full["day_of_birth"]) == (1950, 2, 3)
    assert (bare["person_source_value"], bare["gender_concept_id"]) == (None, 0)
    assert _rows(engine, tables.provider)[0]["provider_name"] == "Hélène BŒUF"
    inpatient = _rows(engine, tables.visit_occurrence)[1]
    assert (inpatient["visit_concept_id"], inpatient["visit_source_value"]) == (9201, "24000177")
    (source,) = _rows(engine, tables.cdm_source)
    assert source["cdm_version"] == "5.4"


def test_an_identity_is_the_patient_record(small_hospital: Build, engine: Engine) -> None:
    """Read as the nightly job reads it, the table gives back what the hospital knows."""
    hospital = small_hospital()
    write_omop(hospital, engine, notes=())
    known = _rows(engine, Tables().patient_identity)
    for number, record in hospital.patients.items():
        rows = [row for row in known if row["person_id"] == number]
        assert _record(rows) == _without_pairs(record)


def _record(rows: list[dict[str, Any]]) -> dict[str, Any]:
    first, split = rows[0], lambda value: tuple(value.split(";")) if value else ()
    keys = ("given_names", "family_names", "birth_names", "phones", "emails")
    labels = {"PATIENT_ID": "mrn", "SSN": "ssn", "INSURANCE_ID": "insurance_id"}
    return {
        **{key: split(first[key]) for key in keys},
        "birth_date": first["birth_date"],
        "gender": first["gender"] or "",
        "addresses": [
            tuple(row[key] for key in ("street", "zip", "city", "country"))
            for row in rows
            if row["street"]
        ],
        "identifiers": {label: first[key] for label, key in labels.items() if first[key]},
        "relatives": list(
            zip(
                split(first["relative_given_names"]),
                split(first["relative_family_names"]),
                strict=True,
            )
        ),
    }


def _without_pairs(record: PatientRecord) -> dict[str, Any]:
    return {
        "given_names": record.given_names,
        "family_names": record.family_names,
        "birth_names": record.birth_names,
        "phones": record.phones,
        "emails": record.emails,
        "birth_date": record.birth_date,
        "gender": record.gender,
        "addresses": [(a.street, a.zip, a.city, a.country) for a in record.addresses],
        "identifiers": {i.label: i.value for i in record.identifiers},
        "relatives": [
            (" ".join(r.given_names), " ".join(r.family_names)) for r in record.relatives
        ],
    }


def test_strings_fit_their_columns(small_hospital: Build, engine: Engine) -> None:
    hospital = small_hospital()
    write_omop(hospital, engine, notes=hospital.notes())
    for table in Tables().metadata.sorted_tables:
        for row in _rows(engine, table):
            for column in table.columns:
                length = getattr(column.type, "length", None)
                assert not length or len(row[column.name] or "") <= length


def test_an_adopted_warehouse_keeps_its_persons(small_hospital: Build, engine: Engine) -> None:
    hospital, tables = small_hospital(notes=4), Tables()
    tables.metadata.create_all(engine, [tables.person, tables.provider, tables.location])
    with engine.begin() as connection:
        for number in (101, 102):
            row = dict.fromkeys(tables.person.columns.keys())
            row |= {"person_id": number, "gender_concept_id": 8532, "year_of_birth": 1999}
            row |= {"race_concept_id": 0, "ethnicity_concept_id": 0}
            connection.execute(tables.person.insert(), row)
        connection.execute(tables.provider.insert(), {"provider_id": 200, "provider_name": "X"})
        connection.execute(tables.location.insert(), {"location_id": 1, "city": "There"})
    assert write_omop(hospital, engine, notes=hospital.notes()) == 4
    assert [row["year_of_birth"] for row in _rows(engine, tables.person)] == [1999, 1999]
    assert [row["provider_name"] for row in _rows(engine, tables.provider)][:2] == [
        "X",
        "Marc D’ARCY",
    ]
    assert [row["city"] for row in _rows(engine, tables.location)] == ["There", "Rouen"]
    assert _rows(engine, tables.care_site)[0]["location_id"] == 2
    assert _count(engine, tables.patient_identity) == 3


def test_an_adopted_warehouse_must_hold_the_patients(small_hospital: Build, engine: Engine) -> None:
    hospital, tables = small_hospital(), Tables()
    write_omop(hospital, engine, notes=())
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM person WHERE person_id = 102"))
    with pytest.raises(ConfigError, match="person: 1 "):
        write_omop(hospital, engine, notes=hospital.notes())
    assert _count(engine, tables.note) == 0


def test_taken_note_ids_are_refused_and_nothing_is_written(
    small_hospital: Build, engine: Engine
) -> None:
    hospital = small_hospital(notes=3)
    write_omop(hospital, engine, notes=list(hospital.notes())[2:])
    with pytest.raises(ConfigError, match="note: 1 note ids"):
        write_omop(hospital, engine, notes=hospital.notes())
    assert _count(engine, Tables().note) == 1


def test_notes_stream_in_batches(small_hospital: Build, engine: Engine) -> None:
    hospital = small_hospital(notes=2500, renderings=("text",))
    assert write_omop(hospital, engine, notes=hospital.notes()) == 2500
    assert _count(engine, Tables().note) == 2500


@pytest.mark.slow
def test_postgresql(small_hospital: Build, postgres_url: str) -> None:
    hospital = small_hospital(notes=5)
    engine = create_engine(postgres_url)
    try:
        with engine.begin() as connection:
            connection.execute(text("CREATE SCHEMA cdm"))
        assert write_omop(hospital, engine, notes=hospital.notes(), schema="cdm") == 5
        note = Tables("cdm").note
        assert [row["note_id"] for row in _rows(engine, note)] == [1, 2, 3, 4, 5]
        with pytest.raises(ConfigError):
            write_omop(hospital, engine, notes=hospital.notes(), schema="cdm")
        assert _count(engine, note) == 5
    finally:
        engine.dispose()


# The folder -------------------------------------------------------------------------------------


def _digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_write_hospital(small_hospital: Build, tmp_path: Path) -> None:
    hospital, done = small_hospital(notes=6), list[int]()
    counts = write_hospital(hospital, tmp_path / "demo", seed=1, progress=done.append)
    names = {path.name for path in (tmp_path / "demo").iterdir()}
    assert names == {"hospital.db", "pdf", "truth.jsonl", "patients.jsonl"}
    truth = _lines(tmp_path / "demo" / "truth.jsonl")
    spans = sum(len(note["spans"]) for note in truth)
    assert counts == HospitalCounts(patients=2, visits=2, notes=6, pdfs=2, scans=2, spans=spans)
    assert done == [1, 2, 3, 4, 5, 6]
    assert [note["note_id"] for note in truth] == ["1", "2", "3", "4", "5", "6"]
    for note in truth:
        values = [note["text"][span["start"] : span["end"]] for span in note["spans"]]
        assert all(values)
        assert {span["label"] for span in note["spans"]} <= {label.value for label in Label}
        assert note["lang"] == "fr" and note["note_type"] == "discharge"
    printed = {note["file"] for note in truth if note.get("rendering")}
    assert printed == {path.name for path in (tmp_path / "demo" / "pdf").iterdir()}
    records = [PatientRecord.from_json(line) for line in _lines(tmp_path / "demo/patients.jsonl")]
    assert records == list(hospital.patients.values())


def test_the_database_names_the_files(small_hospital: Build, tmp_path: Path) -> None:
    hospital = small_hospital(notes=6)
    write_hospital(hospital, tmp_path, seed=1)
    engine = create_engine(f"sqlite:///{tmp_path / 'hospital.db'}")
    names = [row["note_source_value"] for row in _rows(engine, Tables().note)]
    engine.dispose()
    assert {name for name in names if name} == {path.name for path in (tmp_path / "pdf").iterdir()}


def test_files_depend_on_hospital_and_seed_only(small_hospital: Build, tmp_path: Path) -> None:
    hospital = small_hospital(notes=6)
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_hospital(hospital, tmp_path / name, seed=seed)
    one, same, other = (_digests(tmp_path / name) for name in "abc")
    assert one == same
    assert one["truth.jsonl"] != other["truth.jsonl"]


@pytest.mark.slow
def test_processes_change_nothing(small_hospital: Build, tmp_path: Path) -> None:
    hospital = small_hospital(notes=80, renderings=("text", "pdf"))
    write_hospital(hospital, tmp_path / "one", seed=1)
    write_hospital(hospital, tmp_path / "two", seed=1, processes=2)
    assert _digests(tmp_path / "one") == _digests(tmp_path / "two")


def test_a_folder_with_a_hospital_is_refused(small_hospital: Build, tmp_path: Path) -> None:
    write_hospital(small_hospital(), tmp_path, seed=1)
    before = _digests(tmp_path)
    with pytest.raises(ConfigError, match=r"already contains hospital\.db"):
        write_hospital(small_hospital(), tmp_path, seed=2)
    assert _digests(tmp_path) == before


def test_a_failure_leaves_nothing(small_hospital: Build, tmp_path: Path) -> None:
    hospital = small_hospital(notes=3, renderings=("pdf",))

    def failing() -> Iterator[FictionalNote]:
        yield from hospital.notes()
        raise RuntimeError

    broken = Hospital(
        hospital.lang,
        hospital.patients,
        hospital.clinicians,
        hospital.care_sites,
        hospital.visits,
        failing,
    )
    with pytest.raises(RuntimeError):
        write_hospital(broken, tmp_path / "demo", seed=1)
    assert list((tmp_path / "demo").iterdir()) == []
    write_hospital(hospital, tmp_path / "demo", seed=1)
    assert (tmp_path / "demo" / "hospital.db").exists()

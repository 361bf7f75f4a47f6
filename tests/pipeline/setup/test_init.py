"""`cryptonym init` on five databases, a folder of Parquet files and an export."""

import io
import json
import shutil
import sqlite3
import sys
import tomllib
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, text

from pipeline.cli import main
from pipeline.config.settings import Settings, load
from pipeline.night.demo import make_demo_config
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.setup.configuration_file import _quote, write_configuration
from pipeline.setup.source_inspection import escape_unprintable
from pipeline.state.run_summary import Outcome
from pipeline.warehouse.people import find_patients
from pipeline.warehouse.warehouse import open_source
from record.errors import ConfigError
from synthesis.fictional.fhir import first_notes, write_fhir
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.omop import write_omop
from synthesis.fictional.people.records import Hospital

NOTES = 4


@pytest.fixture(scope="module")
def hospital() -> Hospital:
    return make_hospital(
        3, seed=4, lang="es", notes_per_patient=4, mean_characters=300, pdf_share=0, scan_share=0
    )


@pytest.fixture(scope="module")
def template(hospital: Hospital, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("init") / "hospital.db"
    engine = create_engine(f"sqlite:///{path}")
    write_omop(hospital, engine, notes=first_notes(hospital, NOTES))
    engine.dispose()
    return path


@pytest.fixture
def init(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, Settings | None]]:
    """Calls the command in an empty folder; gives exit code, output and the settings it wrote."""
    monkeypatch.chdir(tmp_path)

    def call(source: str, *more: str) -> tuple[int, str, Settings | None]:
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(out):
            words = ("--source", source, "--output", "sqlite:///research.db", "--yes")
            code = main(["init", *words, *more])
        path = tmp_path / "nightly.toml"
        return code, out.getvalue(), load(path) if path.exists() else None

    return call


def night(tmp_path: Path) -> int:
    """Run what was written, but for the tagger; returns how many notes were released."""
    config = tmp_path / "nightly.toml"
    config.write_text(f'{config.read_text()}\n[model]\nfolder = "none"\n')
    ended = run_nightly(tmp_path / "nightly.toml", run_in_process)
    return ended.summary.tally.outcomes[Outcome.RELEASED.value]


def statements(path: Path, *lines: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for line in lines:
            db.execute(line)


def test_a_warehouse_in_sqlite(
    init: Callable[..., Any], template: Path, tmp_path: Path, hospital: Hospital
) -> None:
    shutil.copy(template, tmp_path / "hospital.db")
    statements(
        tmp_path / "hospital.db",
        "create table concept (concept_id integer, concept_name text)",
        "insert into concept select distinct note_class_concept_id, 'Some Kind' from note",
        "create table opposition (person_id integer)",
    )
    code, said, settings = init("sqlite:///hospital.db")
    assert code == 0 and settings is not None and settings.source.identity is not None
    assert "next: read nightly.toml and correct it where needed, then: " in said
    assert "most are in es" in said
    assert f"{NOTES} note" in said and "CDM version: 5.4" in said
    assert settings.lang == "es"
    by_hand = tmp_path / "by-hand.toml"
    by_hand.write_text(make_demo_config("es"))
    wanted = load(by_hand).source.identity
    assert wanted is not None
    assert dict(settings.source.identity.columns) == dict(wanted.columns)
    kinds = list(settings.source.kinds.values())
    assert kinds[0] == "some-kind" and len(set(kinds)) == len(kinds)
    written = (tmp_path / "nightly.toml").read_text()
    assert '# objections = "opposition"' in written
    # Nothing of anybody is in the file or on the screen.
    for record in hospital.patients.values():
        assert not any(name in written + said for name in record.family_names)
    assert night(tmp_path) >= NOTES - 1


def test_a_tie_of_languages_is_told(
    init: Callable[..., Any], template: Path, tmp_path: Path
) -> None:
    shutil.copy(template, tmp_path / "hospital.db")
    by_note = "case note_id % 3 when 0 then 4180186 when 1 then 4182504 else 4180190 end"
    statements(
        tmp_path / "hospital.db",
        "create table kept as select min(note_id) as note_id from note group by note_id % 3",
        "delete from note where note_id not in (select note_id from kept)",
        f"update note set language_concept_id = {by_note}",
    )
    code, said, settings = init("sqlite:///hospital.db")
    assert code == 0 and settings is not None
    assert "as many in each of fr, en, de: fr is taken, --lang takes another one" in said
    assert settings.lang == "fr" and "as many notes in en, de" in _text(tmp_path)


def test_a_warehouse_in_a_schema_of_postgresql(
    init: Callable[..., Any],
    hospital: Hospital,
    postgres_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(text("create schema cdm"))
    write_omop(hospital, engine, notes=first_notes(hospital, NOTES), schema="cdm")
    with engine.begin() as connection:
        connection.execute(text("update cdm.note set language_concept_id = 0"))
    monkeypatch.setenv("WAREHOUSE_URL", postgres_url)
    code, said, settings = init("env:WAREHOUSE_URL")
    assert code == 0, said
    assert settings is not None and settings.source.schema == "cdm"
    assert settings.source.url == "env:WAREHOUSE_URL"
    assert settings.lang == "es" and "by texts of a sample" in said
    assert settings.source.identity is not None
    assert night(tmp_path) >= NOTES - 1
    with engine.begin() as connection:
        connection.execute(text("create schema other"))
        for table in ("note", "person"):
            connection.execute(text(f"create table other.{table} as table cdm.{table}"))
    engine.dispose()
    (tmp_path / "nightly.toml").unlink()
    code, said, settings = init("env:WAREHOUSE_URL")
    assert (code, settings) == (2, None) and "cdm, other" in said
    code, said, settings = init("env:WAREHOUSE_URL", "--schema", "cdm")
    assert code == 0


def test_a_warehouse_without_a_note(
    init: Callable[..., Any], template: Path, tmp_path: Path
) -> None:
    shutil.copy(template, tmp_path / "hospital.db")
    statements(tmp_path / "hospital.db", "delete from note")
    code, said, settings = init("sqlite:///hospital.db")
    assert code == 0 and settings is not None
    assert "there are no notes yet" in said and "NOT FOUND OUT" in _text(tmp_path)
    assert night(tmp_path) == 0


def test_a_database_without_a_table(init: Callable[..., Any], tmp_path: Path) -> None:
    statements(tmp_path / "empty.db")
    code, said, settings = init("sqlite:///empty.db")
    assert (code, settings) == (2, None)
    assert "has no tables" in said and "--schema" in said
    assert not (tmp_path / "master.key").exists()


def test_a_database_that_is_no_warehouse(init: Callable[..., Any], tmp_path: Path) -> None:
    words = " ".join(["Wexlovitch"] * 40)
    statements(
        tmp_path / "other.db",
        "create table letters (id integer, body text)",
        f"insert into letters values (1, '{words}')",
    )
    code, said, settings = init("sqlite:///other.db")
    assert (code, settings) == (2, None)
    assert "no table note and no table person among letters" in said
    assert "letters.body may hold texts of notes" in said and "Wexlovitch" not in said


def test_a_warehouse_without_identities(
    init: Callable[..., Any], template: Path, tmp_path: Path
) -> None:
    shutil.copy(template, tmp_path / "hospital.db")
    statements(
        tmp_path / "hospital.db",
        "drop table patient_identity",
        # Of others: its rows are no persons of the warehouse.
        "create table staff (person_id integer, first_name text, last_name text)",
        "insert into staff values (4711, 'Ida', 'Osterholz'), (4712, 'Olaf', 'Lindqvist')",
        "update person set person_id = person_id",
    )
    code, said, settings = init("sqlite:///hospital.db")
    assert code == 0 and settings is not None and settings.source.identity is None
    assert "no table of names of patients was found" in said
    assert "# [source.identity]" in _text(tmp_path)
    assert night(tmp_path) > 0


def test_two_family_names_of_spanish_are_read(
    init: Callable[..., Any], template: Path, tmp_path: Path
) -> None:
    shutil.copy(template, tmp_path / "hospital.db")
    statements(
        tmp_path / "hospital.db",
        "create table paciente as select person_id, given_names as nombre, "
        "family_names as primer_apellido, 'Wexlovitch' as segundo_apellido from patient_identity",
        "drop table patient_identity",
    )
    code, said, settings = init("sqlite:///hospital.db")
    assert code == 0 and settings is not None and settings.source.identity is not None
    assert dict(settings.source.identity.columns) == {
        "given_names": "nombre", "family_names": ("primer_apellido", "segundo_apellido"),
    }  # fmt: skip
    assert "family_names = primer_apellido, segundo_apellido" in said
    assert "warning: no " not in said
    with closing(open_source(settings.source, tmp_path)) as source:
        persons = [number for (number,) in _rows(tmp_path, "select person_id from paciente")]
        patients = find_patients(source.store, settings.source.identity, persons)
        assert persons and set(persons) == set(patients)
        for patient in patients.values():
            assert len(patient.family_names) > 1 and patient.family_names[-1] == "Wexlovitch"
    assert night(tmp_path) >= NOTES - 1


def test_a_table_without_family_names_is_warned_of(
    init: Callable[..., Any], template: Path, tmp_path: Path
) -> None:
    shutil.copy(template, tmp_path / "hospital.db")
    statements(
        tmp_path / "hospital.db",
        "create table paciente as select person_id, given_names as nombre, birth_date "
        "from patient_identity",
        "drop table patient_identity",
    )
    code, said, settings = init("sqlite:///hospital.db")
    assert code == 0 and settings is not None
    assert "no column of family names of patients was found in paciente" in said
    assert "# NO FAMILY NAMES were found" in _text(tmp_path)


def _rows(folder: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "hospital.db")) as db:
        return db.execute(statement).fetchall()


def test_a_folder_of_parquet_files(
    init: Callable[..., Any], template: Path, tmp_path: Path
) -> None:
    (tmp_path / "tables").mkdir()
    with closing(sqlite3.connect(template)) as db:
        db.row_factory = sqlite3.Row
        for name in ("person", "note", "patient_identity"):
            rows = [dict(row) for row in db.execute(f"select * from {name}")]
            pq.write_table(pa.Table.from_pylist(rows), tmp_path / f"tables/{name}.parquet")
    code, said, settings = init("parquet:tables")
    assert code == 0 and settings is not None and settings.source.identity is not None
    assert settings.lang == "es" and f"{NOTES} note" in said
    assert night(tmp_path) >= NOTES - 1


def test_an_export(init: Callable[..., Any], hospital: Hospital, tmp_path: Path) -> None:
    write_fhir(hospital, tmp_path / "export", notes=first_notes(hospital, NOTES))
    code, said, settings = init("fhir:export")
    assert code == 0 and settings is not None, said
    assert settings.policy["id_bits"] == 53


def _text(folder: Path) -> str:
    return (folder / "nightly.toml").read_text(encoding="utf-8")


def test_nothing_is_overwritten_and_no_password_is_written(
    init: Callable[..., Any], template: Path, tmp_path: Path
) -> None:
    shutil.copy(template, tmp_path / "hospital.db")
    code, said, settings = init("postgresql://me:Wexlovitch@db/cdm")
    assert (code, settings) == (2, None)
    assert "env:NAME" in said and "Wexlovitch" not in said
    for url in (
        "postgresql+psycopg://h/db?user=u&password=Wexlovitch",
        "postgresql://?dsn=postgresql://me:Wexlovitch@h/db",
        "postgresql://me:a@b:Wexlovitch@h/db",
        "env:postgresql://me:Wexlovitch@h/db",
    ):
        for option in ("--source", "--output"):
            code, said, settings = init("sqlite:///hospital.db", option, url)
            assert (code, settings) == (2, None), url
            assert f"{option}: has a password" in said and "Wexlovitch" not in said
    assert not (tmp_path / "master.key").exists()
    (tmp_path / "nightly.toml").write_text("mine")
    with redirect_stderr(io.StringIO()) as said_again:
        assert main(["init", "--source", "sqlite:///hospital.db", "--output", "x", "--yes"]) == 2
    assert "exists already" in said_again.getvalue()
    assert _text(tmp_path) == "mine"


@pytest.mark.parametrize("place", ["source", "output", "state"])
def test_a_configuration_with_a_password_is_not_left(tmp_path: Path, place: str) -> None:
    path = tmp_path / "nightly.toml"
    urls = {"source": "sqlite:///a.db", "output": "sqlite:///b.db", "state": "sqlite:///c.db"}
    text = "".join(f"[{name}]\nurl = '{url}'\n" for name, url in urls.items())
    write_configuration(path, text)
    assert path.stat().st_mode & 0o777 == 0o600
    path.unlink()
    leaky = "postgresql://h/db?password=Wexlovitch"
    with pytest.raises(ConfigError, match=f"^{place}.url: has a password"):
        write_configuration(path, text.replace(urls[place], leaky))
    assert not path.exists()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="exists already"):
        write_configuration(path, text)
    assert not (tmp_path / "elsewhere").exists()


BAD = "\n[model]\nfolder = 'evil'\r\x1b[2J\x07\x7f\x9b\u2028\u202e# "


def check_lines(written: str) -> None:
    assert not [each for each in written if not each.isprintable() and each != "\n"]
    assert not [line for line in written.splitlines() if line.startswith(("[model]", "folder"))]


def test_what_a_source_says_of_itself_writes_no_line(
    init: Callable[..., Any], template: Path, tmp_path: Path
) -> None:
    shutil.copy(template, tmp_path / "hospital.db")
    with closing(sqlite3.connect(tmp_path / "hospital.db")) as db, db:
        db.execute("update cdm_source set cdm_version = ?", [f"5.4{BAD}"])
        db.execute(f'create table "opposition{BAD}" (person_id integer)')
        db.execute(f'create table "who{BAD}" (person_id integer, last_name text, dob text)')
        db.execute(f'alter table patient_identity add "last_name{BAD}" text')
    code, said, settings = init("sqlite:///hospital.db")
    assert code == 0 and settings is not None
    assert "CDM version: of unknown form" in said and "columns that 5.4 renamed" in said
    assert '# objections = "opposition\\n[model]' in _text(tmp_path)
    check_lines(said)
    check_lines(_text(tmp_path))


@pytest.mark.parametrize("version", ["5.4", "v5.4.0", "CDM v5.4-rc 1"])
def test_versions_as_sources_have_them(
    init: Callable[..., Any], template: Path, tmp_path: Path, version: str
) -> None:
    shutil.copy(template, tmp_path / "hospital.db")
    statements(tmp_path / "hospital.db", f"update cdm_source set cdm_version = '{version}'")
    assert f"CDM version: {version}\n" in init("sqlite:///hospital.db")[1]


def test_what_is_no_version_is_not_told(
    init: Callable[..., Any], template: Path, tmp_path: Path
) -> None:
    shutil.copy(template, tmp_path / "hospital.db")
    statements(tmp_path / "hospital.db", "update cdm_source set cdm_version = 'WEXLOVITCH 1'")
    said = init("sqlite:///hospital.db")[1]
    assert "CDM version: of unknown form" in said and "WEXLOVITCH" not in said + _text(tmp_path)


def test_names_of_tables_move_no_cursor(init: Callable[..., Any], tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as db, db:
        db.execute(f'create table "letters{BAD}" ("body{BAD}" text)')
        db.execute(f'insert into "letters{BAD}" values (?)', ["Wexlovitch" * 40])
    code, said, settings = init("sqlite:///other.db")
    assert (code, settings) == (2, None)
    assert "letters\\n[model]" in said and ".body\\n[model]" in said
    check_lines(said)


@given(st.text(st.characters(codec="utf-8")))
def test_any_name_is_a_text_of_one_line(name: str) -> None:
    line = _quote(name)
    assert line.isprintable()
    assert tomllib.loads(f"name = {line}") == {"name": name}
    assert escape_unprintable(name).isprintable()


def test_questions_are_asked_on_a_terminal_only(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(template, tmp_path / "hospital.db")
    with redirect_stderr(io.StringIO()) as said:
        assert main(["init", "--output", "sqlite:///research.db"]) == 2
    assert "--source: missing" in said.getvalue()
    answers = io.StringIO("\nsqlite:///hospital.db\nsqlite:///research.db\n")
    monkeypatch.setattr(answers, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", answers)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert main(["init"]) == 0
    assert load(tmp_path / "nightly.toml").output.url == "sqlite:///research.db"


def test_machines_read_what_was_found(
    init: Callable[..., Any], template: Path, tmp_path: Path
) -> None:
    shutil.copy(template, tmp_path / "hospital.db")
    code, said, _ = init("sqlite:///hospital.db", "--json")
    answer = json.loads(said)
    assert code == 0
    assert set(answer) == {"config", "key", "found", "warnings", "checks"}
    assert answer["key"] is True and {check["status"] for check in answer["checks"]} <= {
        "ok",
        "warn",
    }

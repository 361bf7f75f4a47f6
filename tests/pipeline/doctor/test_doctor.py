"""The doctor: a sound site passes, and each fault is found, named and given a remedy."""

import json
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest
from sqlalchemy import create_engine, text

from pipeline.cli import main
from pipeline.doctor import checks, source_checks
from pipeline.doctor.check_results import CheckResult
from pipeline.doctor.checks import exit_code
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly


@pytest.fixture(scope="module")
def clinic(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clinic") / "demo"
    shutil.copytree(template, folder)
    return folder / "nightly.toml"


@pytest.fixture
def sound(clinic: Path, tmp_path: Path) -> Path:
    shutil.copytree(clinic.parent, tmp_path / "demo")
    return tmp_path / "demo" / "nightly.toml"


def seen(
    config: Path, capsys: pytest.CaptureFixture[str], seconds: int = 0
) -> tuple[int, dict[str, Any]]:
    """The exit code, and the findings by their check; notes are tried for so many seconds."""
    code = main(["doctor", str(config), "--json", "--sample-seconds", str(seconds)])
    findings = json.loads(capsys.readouterr().out)
    assert all(found["remedy"] for found in findings if found["status"] != "ok")
    return code, {found["check"]: found for found in findings}


def snapshot(folder: Path) -> dict[Any, Any]:
    return {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in Path(folder).rglob("*")
        if path.is_file()
    }


def test_a_sound_site_passes_and_nothing_is_changed(
    sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(sound.parent)
    code, found = seen(sound, capsys, seconds=1)
    assert code == 0, found
    assert {name for name, one in found.items() if one["status"] == "fail"} == set()
    wanted = {"versions", "configuration", "key", "key log", "source", "output", "state"}
    wanted |= {
        "sandbox",
        "model",
        "tesseract",
        "disk",
        "clock",
        "lock",
        "places",
        "documents",
        "report",
        "rows",
        "cdm version",
        "tables",
        "kinds",
        "sample",
        "speed",
    }
    assert wanted <= set(found)
    assert " note, " in found["rows"]["seen"]
    assert (found["cdm version"]["seen"], found["tables"]["status"]) == ("5.4", "ok")
    assert "notes/s in one process" in found["speed"]["seen"]
    assert "rules not compiled to C" in found["versions"]["seen"]
    assert snapshot(sound.parent) == before
    assert main(["doctor", str(sound), "--sample-seconds", "0"]) == 0
    assert "ok    key: master key" in capsys.readouterr().out


def change(config: Path, old: str, new: str) -> None:
    text = config.read_text()
    assert old in text
    config.write_text(text.replace(old, new))


def execute(config: Path, statement: str) -> None:
    with closing(sqlite3.connect(config.with_name("hospital.db"))) as database, database:
        database.execute(statement)


FAULTS = {
    "a setting that is none": (
        lambda c: change(c, "[limits]", "[limits]\nnotes = 1"), "configuration", 2,
    ),
    "a key that is gone": (lambda c: (c.parent / "master.key").unlink(), "key", 2),
    "a key that others may read": (lambda c: (c.parent / "master.key").chmod(0o644), "key", 2),
    "a log that was cut": (
        lambda c: next(c.parent.glob("*.custody/uses.jsonl")).write_text(""), "key log", 2,
    ),
    "a source that is gone": (lambda c: (c.parent / "hospital.db").unlink(), "source", 4),
    "ids beyond their size": (
        lambda c: execute(c, "update visit_occurrence set visit_occurrence_id = 3000000000 "
                             "where visit_occurrence_id = 1"), "ids", 2,
    ),
    "an id that is no positive number": (
        lambda c: execute(c, "update person set person_id = 0 where person_id = 1"), "ids", 2,
    ),
    "documents that are gone": (lambda c: shutil.rmtree(c.parent / "pdf"), "documents", 2),
    "one place for two": (lambda c: change(c, "research.db", "hospital.db"), "places", 2),
    "a state that others may read": (
        lambda c: ((c.parent / "state.db").touch(), (c.parent / "state.db").chmod(0o644)),
        "state rights", 2,
    ),
    "a server that is away": (
        lambda c: change(c, "sqlite:///research.db", "postgresql://u:s3cret@127.0.0.1:1/db"),
        "output", 4,
    ),
}  # fmt: skip


def test_a_larger_size_of_ids_is_told_and_enough(
    sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    execute(sound, "update note set visit_occurrence_id = 3000000000 where note_id = 1")
    _, found = seen(sound, capsys)
    assert found["ids"]["status"] == "fail"
    assert "3000000000" in found["ids"]["seen"]
    assert "policy.id_bits = 53" in found["ids"]["remedy"]
    sound.write_text(sound.read_text() + "\n[policy]\nid_bits = 53\n")
    _, found = seen(sound, capsys)
    assert found["ids"]["status"] == "ok"


def test_what_a_source_lacks_is_told_before_the_first_night(
    sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for statement in (
        "update cdm_source set cdm_version = 'v6.0'",
        "drop table provider",
        "drop table visit_occurrence",
        "update note set note_class_concept_id = 4711 where note_id < 4",
        "update note set note_text = '', note_source_value = null where note_id % 2",
    ):
        execute(sound, statement)
    code, found = seen(sound, capsys, seconds=1)
    assert code == 0
    names = ("cdm version", "tables", "kinds", "sample")
    assert [found[name]["status"] for name in names] == ["warn"] * 4
    assert "CDM version v6.0" in found["cdm version"]["seen"]
    assert "no table provider" in found["tables"]["seen"]
    assert "no table visit_occurrence" in found["tables"]["seen"]
    assert "4711 (3 notes)" in found["kinds"]["seen"]
    execute(
        sound,
        "update note set note_class_concept_id = 4712 where note_id = (select "
        "min(note_id) from note)",
    )
    assert "4712 (1 note)" in seen(sound, capsys)[1]["kinds"]["seen"]
    execute(sound, "delete from cdm_source")
    version = seen(sound, capsys)[1]["cdm version"]
    assert "no row in cdm_source" in version["seen"]
    assert version["remedy"].startswith("add the row of this CDM to cdm_source")
    assert '4711 = "name-it"' in found["kinds"]["remedy"]
    assert "notes would go to quarantine: no-text" in found["sample"]["seen"]
    execute(sound, "delete from person")
    _, found = seen(sound, capsys)
    assert (found["rows"]["status"], "speed" in found) == ("warn", False)
    execute(sound, "delete from note")
    execute(sound, "delete from cdm_source")
    _, found = seen(sound, capsys)
    assert (found["source"]["status"], found["cdm version"]["status"]) == ("warn", "warn")
    assert "contains no notes" in found["source"]["seen"] and "0 note" in found["rows"]["seen"]
    assert "not told" in found["cdm version"]["seen"]


def test_a_first_night_that_is_too_long_for_a_night_is_told(
    sound: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_checks, "_LONG_NIGHT", 0)
    execute(sound, "delete from note where note_id > 4")
    _, found = seen(sound, capsys, seconds=1)
    assert found["speed"]["status"] == "warn" and "--workers" in found["speed"]["remedy"]
    assert run_nightly(sound, run_in_process).exit_code == 0
    _, found = seen(sound, capsys, seconds=1)
    assert "speed" not in found  # it is over


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    break_it, check, expected = FAULTS[name]
    break_it(sound)
    code, found = seen(sound, capsys)
    assert found[check]["status"] == "fail", found
    assert code == expected
    assert "s3cret" not in json.dumps(found)


def test_a_state_of_a_later_version_is_found(
    sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(sound.parent / "state.db")) as db, db:
        db.execute("create table alembic_version (version_num text)")
        db.execute("insert into alembic_version values ('9999')")
    (sound.parent / "state.db").chmod(0o600)
    code, found = seen(sound, capsys)
    assert (code, found["state version"]["status"]) == (2, "fail")


def test_warnings_do_not_keep_a_run_from_starting(
    sound: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "LOW_SPACE", 2**63)
    log = next(sound.parent.glob("*.custody/uses.jsonl"))
    assert stat.S_IMODE(log.stat().st_mode) == 0o600

    class Past(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls(2001, 1, 1, tzinfo=tz)

    monkeypatch.setattr(checks, "datetime", Past)
    code, found = seen(sound, capsys)
    assert code == 0
    assert {"clock", "disk"} <= {name for name, one in found.items() if one["status"] == "warn"}


def test_rights_on_a_server(
    sound: Path, postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a server, the right to write to the source is seen, and the probe leaves nothing."""
    engine = create_engine(postgres_url)
    with closing(sqlite3.connect(sound.parent / "hospital.db")) as db:
        tables = [row[0] for row in db.execute("select name from sqlite_master where type='table'")]
        columns = {t: [c[1] for c in db.execute(f"pragma table_info({t})")] for t in tables}
    with engine.begin() as connection:
        for table, names in columns.items():
            ids = [f'"{n}" {"bigint" if n.endswith("_id") else "text"}' for n in names]
            connection.execute(text(f'create table "{table}" ({", ".join(ids)})'))
    url = postgres_url.replace("+psycopg", "")
    change(sound, "sqlite:///hospital.db", url)
    change(sound, "sqlite:///research.db", url + "&application_name=out" if "?" in url else url)
    code, found = seen(sound, capsys)
    assert found["source rights"]["status"] == "warn"
    assert found["output"]["status"] == "ok"
    with engine.connect() as connection:
        left = connection.scalar(
            text("select count(*) from pg_tables where tablename like 'cryptonym%'")
        )
    assert left == 0
    assert code in (0, 2)
    engine.dispose()


def test_a_database_without_an_encoding(
    sound: Path, postgres_server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What nobody declared is read as UTF-8; notes that are not go to quarantine, others not."""
    engine = create_engine(postgres_server, isolation_level="AUTOCOMMIT")
    name = f"undeclared_{os.getpid()}"
    with engine.connect() as connection:
        connection.execute(
            text(f"create database {name} encoding 'SQL_ASCII' locale 'C' template template0")
        )
    try:
        url = engine.url.set(database=name).render_as_string(hide_password=False)
        _fill_undeclared(url)
        sound.write_text(_UNDECLARED.format(url=url.replace("+psycopg", "")))
        code, found = seen(sound, capsys, seconds=1)
        assert found["source encoding"]["status"] == "warn", found
        assert "SQL_ASCII" in found["source encoding"]["seen"]
        assert "sample" in found, found
        assert "1 of 2 notes would go to quarantine: malformed-text 1" in found["sample"]["seen"]
        assert code == 0
        ended = run_nightly(sound, run_in_process)
        assert ended.summary.tally.outcomes["released"] == 1
    finally:
        with engine.connect() as connection:
            connection.execute(text(f"drop database {name} with (force)"))
        engine.dispose()


_UNDECLARED = """
[source]
url = "{url}"
[output]
url = "sqlite:///research.db"
[model]
folder = "none"
"""


def _fill_undeclared(url: str) -> None:
    engine = create_engine(url, connect_args={"client_encoding": "utf8"})
    with engine.begin() as connection:
        for statement in (
            "create table person (person_id bigint, birth_datetime timestamp)",
            "create table note (note_id bigint, person_id bigint, note_date date, note_text text)",
            "insert into person values (1)",
            "insert into note values (1, 1, '2024-03-02', 'Vu le 02/03/2024, apaisé.')",
            r"insert into note values (2, 1, '2024-03-02', E'\xe9t\xe9')",
        ):
            connection.exec_driver_sql(statement)
    engine.dispose()


def test_what_must_be_corrected_comes_before_what_is_away() -> None:
    away, wrong = CheckResult("a", "fail", "", "", is_away=True), CheckResult("b", "fail", "")
    assert [exit_code(found) for found in ([], [away], [away, wrong])] == [0, 4, 2]

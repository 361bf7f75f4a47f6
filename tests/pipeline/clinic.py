"""A clinic of many persons with short notes, in files or on a server, and the program on it."""

import itertools
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import Connection

from pipeline.cli import main
from pipeline.commands.options import engine
from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import NightlyResult, run_nightly
from pipeline.notes.worker_resources import open_master, resolve_urls
from pipeline.quality.gate import COUNT_ONLY, Gate
from pipeline.state.ledger import State, open_state
from pipeline.warehouse.note_rows import NOTE_COLUMNS
from tests.keys import make_key

PERSONS, NOTES_EACH = 50, 2
_NUMBERS = itertools.count(1)

_TABLES = {
    "person": (
        "person_id bigint primary key, gender_concept_id bigint, year_of_birth bigint, "
        "month_of_birth bigint, day_of_birth bigint, race_concept_id bigint, "
        "ethnicity_concept_id bigint, location_id bigint, person_source_value text"
    ),
    "measurement": (
        "measurement_id bigint primary key, person_id bigint, measurement_concept_id bigint, "
        "measurement_date date, measurement_type_concept_id bigint, value_as_number bigint"
    ),
}
_TEXTS = ("note_title", "note_text", "note_source_value")
_CONFIG = """
cohort = "research"
[source]
url = "{source}"
[state]
url = "{state}"
[output]
url = "{output}"
[key]
locator = "file:master.key"
[model]
folder = "none"
[log]
file = "events.jsonl"
"""


class Clinic:
    """The places of a clinic, and the program as it is called there."""

    def __init__(self, folder: Path, make_url: Callable[[str], str]) -> None:
        self.folder = folder
        self.urls = {name: make_url(name) for name in ("source", "state", "output", "cohort")}
        self.config = folder / "nightly.toml"
        self.config.write_text(_CONFIG.format(**self.urls))
        make_key(folder / "master.key", "research", "asthma")
        _fill(self.urls["source"])

    def configure(self, lines: str) -> None:
        """Add lines to the configuration."""
        self.config.write_text(self.config.read_text() + lines)

    def source(self, statement: str, **values: object) -> list[Any]:
        """Run a statement on the source; returns its rows."""
        return _execute(self.urls["source"], statement, values)

    def output(self, statement: str, place: str = "output") -> list[Any]:
        """Read from the output, or from another place."""
        return _execute(self.urls[place], statement, {})

    def released(self, place: str = "output", cohort: str = "research") -> set[int]:
        """The notes in the output by their ids in the source."""
        key = open_master(load(self.config)).cohort(cohort)
        ids = {key.pseudonym("note", str(n)): n for n in range(1, PERSONS * NOTES_EACH + 100)}
        return {ids[row[0]] for row in self.output("select note_id from note", place)}

    def run(self, gate: Gate = COUNT_ONLY, **options: Any) -> NightlyResult:
        """Run the nightly job in this process."""
        return run_nightly(self.config, run_in_process, gate=gate, **options)

    def call(self, command: str, *arguments: str) -> tuple[int, str, str]:
        """Call a command; returns its exit code, and what it says on both outputs."""
        words = [*command.split(), str(self.config), "--plain", *arguments]
        with redirect_stdout(StringIO()) as stdout, redirect_stderr(StringIO()) as stderr:
            code = main(words)
        return code, stdout.getvalue(), stderr.getvalue()

    def json(self, command: str, *arguments: str) -> tuple[int, Any]:
        """Call a command with --json; returns its exit code and what it prints."""
        code, out, err = self.call(command, *arguments, "--json")
        assert out, err
        return code, json.loads(out)

    def decide(self, run_id: int, *arguments: str, by: str = "--accept") -> int:
        """Accept or reject a run."""
        deciding = (by, str(run_id), "--by", "A. Martin", "--reason", "looked at")
        return self.call("quality", *deciding, *arguments)[0]

    def release(self, persons: Sequence[int], *arguments: str) -> tuple[int, str, str]:
        """Release a cohort of these persons, in this process: others take seconds to start."""
        listed = self.folder / "persons.txt"
        listed.write_text("".join(f"{person}\n" for person in persons))
        output = ("--output", self.urls["cohort"])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(engine, "run_in_workers", None)
            return self.call(
                "release", "--cohort", "asthma", "--persons", str(listed), *output, *arguments
            )

    def state(self) -> "closing[State]":
        """The state database."""
        settings = resolve_urls(load(self.config))
        return closing(open_state(settings.state, settings.base))


def read_places(clinic: Clinic) -> dict[str, object]:
    """What the clinic's places hold: the bytes of files, the rows of a server."""
    found: dict[str, object] = {}
    for path in sorted(clinic.folder.rglob("*")):
        # A use of the key is always logged, and the list of persons is the test's own.
        if path.is_file() and path.name not in ("uses.jsonl", "uses.head", "persons.txt"):
            found[str(path.relative_to(clinic.folder))] = path.read_bytes()
    for place, url in clinic.urls.items():
        if url.startswith("postgresql"):
            tables = "select table_name from information_schema.tables where table_schema='public'"
            for (table,) in clinic.output(tables, place):
                rows = clinic.output(f'select t::text from "{table}" t', place)
                found[f"{place}.{table}"] = sorted(rows)
    return {name: held for name, held in found.items() if not name.endswith((".lock", "-shm"))}


def everybody() -> range:
    """The ids of all persons."""
    return range(1, PERSONS + 1)


def notes_of(*person_ids: int) -> set[int]:
    """The notes of persons."""
    first = ((person - 1) * NOTES_EACH + 1 for person in person_ids)
    return {number + k for number in first for k in range(NOTES_EACH)}


def _fill(url: str) -> None:
    kinds = {n: "text" if n in _TEXTS else "bigint" for n in NOTE_COLUMNS}
    kinds |= {"note_id": "bigint primary key", "note_date": "date", "note_datetime": "timestamp"}
    tables = {**_TABLES, "note": ", ".join(f"{name} {kind}" for name, kind in kinds.items())}
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        for name, columns in tables.items():
            connection.execute(text(f"create table {name} ({columns})"))
        for person in everybody():
            add_person(connection, person)
    engine.dispose()


def add_person(connection: Connection, person: int) -> None:
    """Add a person with two notes and a measurement."""
    values = {"id": person, "source": f"80{person:08}"}
    connection.execute(
        text(
            "insert into person values (:id, 8507, 1950, 2, 3, 0, 0, null, :source)"
        ), values,
    )  # fmt: skip
    connection.execute(
        text("insert into measurement values (:id, :id, 3004249, '2024-03-02', 0, 120)"), values
    )
    for number in sorted(notes_of(person)):
        row = {
            "id": number, "person": person,
            "text": f"Vu le 02/03/2024, dossier 80{person:08}. Tension 12/7, note {number}.",
        }  # fmt: skip
        connection.execute(
            text(
                "insert into note (note_id, person_id, note_date, note_type_concept_id, "
                "note_class_concept_id, note_text, encoding_concept_id, language_concept_id) "
                "values (:id, :person, '2024-03-02', 32817, 0, :text, 32678, 4180190)"
            ), row,
        )  # fmt: skip


def _execute(url: str, statement: str, values: dict[str, object]) -> list[Any]:
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.begin() as connection:
            result = connection.execute(text(statement), values)
            return [tuple(row) for row in result] if result.returns_rows else []
    finally:
        engine.dispose()


def make_places(server: str | None, folder: Path) -> Iterator[Callable[[str], str]]:
    """Makes places of a clinic: files, or databases of a server that are dropped at the end."""
    if server is None:
        yield lambda name: f"sqlite:///{folder}/{name}.db"
        return
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    made: list[str] = []

    def make(name: str) -> str:
        made.append(f"clinic_{name}_{os.getpid()}_{next(_NUMBERS)}")
        with engine.connect() as connection:
            connection.execute(text(f"create database {made[-1]}"))
        return engine.url.set(database=made[-1]).render_as_string(hide_password=False)

    yield make
    with engine.connect() as connection:
        for name in made:
            connection.execute(text(f"drop database {name} with (force)"))
    engine.dispose()

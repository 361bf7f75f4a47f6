"""The structured tables of the nightly output: what is referred to is there, and goes in time."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sqlalchemy import create_engine, insert, text

from pipeline.config.settings import OutputSettings, SourceSettings
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.night.structured_tables import StructuredTables, list_nightly_tables
from pipeline.warehouse.cdm_tables import make_tables
from pipeline.warehouse.note_rows import NoteRow, OutputRow, PersonRow
from pipeline.warehouse.row_links import link_columns
from pipeline.warehouse.sql_output import Output
from pipeline.warehouse.sql_source import SqlStore
from pipeline.warehouse.warehouse import open_output, open_source
from record.columns import TABLES, Treatment
from record.errors import ConfigError, Unavailable
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import CohortKey, load_master
from tests.keys import make_key
from tests.pipeline.conftest import Site

ALL = (
    "visit_occurrence", "visit_detail", "provider", "care_site", "location",
    "observation_period", "condition_era", "death",
)  # fmt: skip
SOURCE = """
create table person (person_id integer primary key, year_of_birth integer);
insert into person values (1, 1950), (2, 1960), (3, 1970);
create table note (note_id integer primary key, person_id integer, note_text text,
  provider_id integer, visit_occurrence_id integer, visit_detail_id integer);
insert into note values
  (1, 1, 'x', 5, 11, 111),   -- all there
  (2, 1, 'x', 0, 12, null),  -- a visit that is refused, and nobody
  (3, 1, 'x', 9, 21, 111),   -- a clinician who is not there, the visit of another patient
  (4, 2, 'x', 6, 21, 111),   -- the stay of another patient
  (5, 3, 'x', 6, 31, null);
create table visit_occurrence (visit_occurrence_id integer primary key, person_id integer,
  visit_concept_id integer, visit_start_date text, visit_end_date text,
  visit_type_concept_id integer, provider_id integer, care_site_id integer,
  preceding_visit_occurrence_id integer);
insert into visit_occurrence values
  (11, 1, 9201, '2024-03-02', '2024-03-05', 32817, 5, 50, 13),
  (12, 1, 9201, 'no date', '2024-03-05', 32817, 5, 50, null),
  (13, 1, 9201, '2024-02-01', '2024-02-05', 32817, null, 50, 21),
  (21, 2, 9201, '2024-01-02', '2024-01-05', 32817, 6, 51, 0),
  (31, 3, 9201, '2024-01-02', '2024-01-05', 32817, 7, 52, null);
create table visit_detail (visit_detail_id integer primary key, person_id integer,
  visit_detail_concept_id integer, visit_detail_start_date text, visit_detail_end_date text,
  visit_detail_type_concept_id integer, visit_occurrence_id integer,
  parent_visit_detail_id integer);
insert into visit_detail values
  (111, 1, 9201, '2024-03-02', '2024-03-03', 32817, 11, 112),
  (112, 1, 9201, '2024-03-02', '2024-03-03', 32817, 12, null);
create table provider (provider_id integer primary key, provider_name text, care_site_id integer);
insert into provider values (5, 'Wexlovitch', 50), (6, 'Wexlovitch', 59), (7, 'Wexlovitch', 52);
create table care_site (care_site_id integer primary key, care_site_name text, location_id integer);
insert into care_site values (50, 'Wexlovitch', 500), (51, 'Wexlovitch', null), (52, '', 502);
create table location (location_id integer primary key, city text);
insert into location values (500, 'Wexlovitch'), (502, 'Wexlovitch');
create table observation_period (observation_period_id integer primary key, person_id integer,
  observation_period_start_date text, observation_period_end_date text,
  period_type_concept_id integer);
insert into observation_period values (1, 1, '2020-01-01', '2024-04-01', 32817),
  (3, 3, '2020-01-01', '2024-04-01', 32817);
create table condition_era (condition_era_id integer primary key, person_id integer,
  condition_concept_id integer, condition_era_start_date text, condition_era_end_date text);
insert into condition_era values (3, 3, 317009, '2021-01-01', '2021-04-01');
create table death (person_id integer primary key, death_date text, death_type_concept_id integer);
insert into death values (3, '2024-05-01', 32817);
"""
POLICY = Policy(
    clinicians="keep",
    columns={
        f"{name}.{column}": Treatment.REKEY
        for name, column in (
            ("visit_occurrence", "care_site_id"), ("provider", "care_site_id"),
            ("care_site", "location_id"),
        )
    },
)  # fmt: skip


class Clinic:
    """A small source, an output of notes of it, and the step that adds structured tables."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        make_key(folder / "master.key", "research")
        self.key: CohortKey = load_master(f"file:{folder}/master.key", folder).cohort("research")
        with closing(sqlite3.connect(folder / "source.db")) as db, db:
            db.executescript(SOURCE)

    def source(self, statement: str) -> None:
        with closing(sqlite3.connect(self.folder / "source.db")) as db, db:
            db.executescript(statement)

    def id(self, kind: str, number: int) -> int:
        return self.key.pseudonym(kind, str(number))

    def write(
        self,
        *note_ids: int,
        gone: tuple[int, ...] = (),
        names: tuple[str, ...] = ALL,
        policy: Policy = POLICY,
    ) -> StructuredTables:
        """Publish notes and withdraw others, as a night does, then write the tables."""
        output = open_output(OutputSettings(self.url, tables=names), self.folder)
        source = open_source(SourceSettings(f"sqlite:///{self.folder}/source.db"), Path())
        with closing(output), closing(source):
            resolved = policy.under(self.key.algorithm)
            names = list_nightly_tables(names, source, resolved)
            earlier = frozenset(ALL)
            tables = StructuredTables(source, output, self.key, resolved, names, earlier)
            rows = [row for row in source.read(next(iter(source.plan(99)))[0])
                    if row.note_id in note_ids]  # fmt: skip
            tables.write([row.person_id for row in rows])
            output.publish([self._release(row) for row in rows])
            if note_ids:
                self.check(names)
            output.withdraw([self.id("note", note_id) for note_id in gone])
            output.prune_persons()
            tables.write_all()
            self.check(names)
        return tables

    def _release(self, row: NoteRow) -> OutputRow:
        person = self.id("person", row.person_id)
        links: dict[str, Any] = {
            "provider_id": row.provider_id and self.id("provider", row.provider_id),
            "visit_occurrence_id": self.id("visit", row.visit_occurrence_id),
            "visit_detail_id": row.visit_detail_id and self.id("visit_detail", row.visit_detail_id),
        }
        note = NoteRow(self.id("note", row.note_id), person, date(2024, 1, 1), note_text="x",
                       **links)  # fmt: skip
        return OutputRow(note, (Span(0, 1, "DATE"),), PersonRow(person, 0, 1950))

    def check(self, names: tuple[str, ...]) -> None:
        """Nothing refers to a row that is not there, or to one of another person."""
        tables = {name: self.rows(name) for name in ("note", "person", *names)}
        persons = {row["person_id"] for row in tables["person"]}
        for name, rows in tables.items():
            for row in rows:
                assert row.get("person_id") is None or row["person_id"] in persons
                for column, other in link_columns(name).items():
                    if row[column] is not None:
                        assert other in tables, (name, column)
                        found = [r for r in tables[other] if r[f"{other}_id"] == row[column]]
                        assert len(found) == 1, (name, column)
                        assert found[0].get("person_id") in (None, row.get("person_id"))

    def rows(self, name: str) -> list[dict[str, Any]]:
        """What an independent reader finds in a table."""
        if self.url.startswith("parquet:"):
            paths = sorted((self.folder / "research" / name).glob("*.parquet"))
            return [row for path in paths for row in pq.read_table(path).to_pylist()]
        engine = create_engine(self.url.replace("postgresql:", "postgresql+psycopg:", 1))
        with engine.connect() as connection:
            found = [
                dict(row._mapping) for row in connection.execute(text(f"select * from {name}"))
            ]
        engine.dispose()
        return found

    def links(self, note_id: int) -> tuple[bool, ...]:
        """Whether a note has a clinician, a visit and a part of it."""
        (row,) = [r for r in self.rows("note") if r["note_id"] == self.id("note", note_id)]
        return tuple(
            row[name] is not None
            for name in ("provider_id", "visit_occurrence_id", "visit_detail_id")
        )


@pytest.fixture(params=["sqlite", "postgresql", "parquet"])
def clinic(request: pytest.FixtureRequest, tmp_path: Path) -> Clinic:
    urls = {"sqlite": f"sqlite:///{tmp_path}/research.db", "parquet": "parquet:research"}
    return Clinic(tmp_path, urls.get(request.param) or request.getfixturevalue("postgres_url"))


def test_what_notes_refer_to_is_there_or_the_id_is_empty(clinic: Clinic) -> None:
    tables = clinic.write(1, 2, 3, 4, 5)
    assert tables.refused == {"malformed": 1}
    assert [clinic.links(k) for k in range(1, 6)] == [
        (True, True, True), (False, False, False), (False, False, True), (True, True, False),
        (True, True, False),
    ]  # fmt: skip
    counts = {name: len(clinic.rows(name)) for name in ALL}
    assert counts == {
        "visit_occurrence": 4, "visit_detail": 1, "provider": 3, "care_site": 3, "location": 2,
        "observation_period": 2, "condition_era": 1, "death": 1,
    }  # fmt: skip
    visits = {row["visit_occurrence_id"]: row for row in clinic.rows("visit_occurrence")}
    first = visits[clinic.id("visit", 11)]
    assert first["preceding_visit_occurrence_id"] == clinic.id("visit", 13)
    days = [date.fromisoformat(str(first[f"visit_{name}_date"])) for name in ("start", "end")]
    assert (days[1] - days[0]).days == 3
    assert str(first["visit_start_date"]) != "2024-03-02"
    assert visits[clinic.id("visit", 13)]["preceding_visit_occurrence_id"] is None
    assert "Wexlovitch" not in str([clinic.rows(name) for name in ALL])


def test_rows_of_withdrawn_persons_go_with_their_notes(clinic: Clinic) -> None:
    clinic.write(1, 4)
    before = {name: clinic.rows(name) for name in (*ALL, "note", "person")}
    clinic.write(5)
    assert len(clinic.rows("condition_era")) == len(clinic.rows("death")) == 1
    clinic.write(gone=(5,))
    for name, rows in before.items():
        key = next(iter(TABLES[name]))
        assert sorted(clinic.rows(name), key=lambda row: row[key]) == sorted(
            rows, key=lambda row: row[key]
        )


def test_what_changes_at_the_source_changes_and_nothing_else(clinic: Clinic) -> None:
    clinic.write(1, 2, 3, 4, 5)
    shift = clinic.rows("visit_occurrence")
    clinic.source(
        "update visit_occurrence set visit_start_date = '2024-03-04' "
        "where visit_occurrence_id in (11, 12); "
        "delete from visit_occurrence where visit_occurrence_id = 31; "
        "delete from provider where provider_id = 6"
    )
    output = open_output(OutputSettings(clinic.url, tables=ALL), clinic.folder)
    written: list[set[int]] = []
    with closing(output), pytest.MonkeyPatch.context() as patch:
        kept = type(output).write_rows

        def spy(self: Output, persons: Any, *others: Any) -> None:
            written.append(set(persons))
            kept(self, persons, *others)

        patch.setattr(type(output), "write_rows", spy)
        clinic.write()
        clinic.write()
    assert written[0] == {clinic.id("person", 1), clinic.id("person", 2), clinic.id("person", 3)}
    # What was found again is linked again, though no note has changed.
    assert [clinic.links(k) for k in range(1, 6)] == [
        (True, True, True), (False, True, False), (False, False, True), (False, True, False),
        (False, False, False),
    ]  # fmt: skip
    assert len(written) == 1
    assert len(clinic.rows("visit_occurrence")) == len(shift)


def test_tables_that_are_not_listed_are_empty_and_nothing_refers_to_them(clinic: Clinic) -> None:
    clinic.write(1, 2, 3, 4, 5)
    clinic.write(names=("visit_occurrence",))
    assert clinic.links(1) == (False, True, False)
    assert all(row["provider_id"] is None for row in clinic.rows("visit_occurrence"))
    if not clinic.url.startswith("parquet"):
        assert clinic.rows("observation_period") == clinic.rows("provider") == []
    clinic.write(names=())
    assert clinic.links(1) == (False, False, False)
    clinic.write()
    assert clinic.links(1) == (True, True, True)


@pytest.mark.parametrize(
    ("policy", "links"),
    [
        (Policy(), (False, True, True)),
        (Policy(clinicians="keep", visits="drop"), (True, False, False)),
    ],
)
def test_the_policy_comes_first(clinic: Clinic, policy: Policy, links: tuple[bool, ...]) -> None:
    clinic.write(1, 2, 3, 4, 5)
    clinic.write(policy=policy)
    assert clinic.links(1) == links


def test_an_interrupted_step_is_completed_by_the_next(clinic: Clinic) -> None:
    clinic.write(1, 2, 3, 4, 5)
    output = open_output(OutputSettings(clinic.url, tables=ALL), clinic.folder)
    done = output.digest()
    output.close()
    clinic.write(gone=(1, 2, 3, 4, 5))
    for place in ("write_references", "find_changed", "write_rows", "publish", "clear_tables"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(output), place, _die)
            with pytest.raises(KeyboardInterrupt):
                clinic.write(1, 2, 3, 4, 5)
    clinic.write(1, 2, 3, 4, 5)
    output = open_output(OutputSettings(clinic.url, tables=ALL), clinic.folder)
    assert output.digest() == done
    output.close()


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def test_connections_to_the_source_lost_between_rows_cost_nothing(
    clinic: Clinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch of each table that is read comes twice, the first time before the connection ends."""
    whole = clinic.write(1, 2, 3, 4, 5)
    output = open_output(OutputSettings(clinic.url, tables=ALL), clinic.folder)
    done = output.digest()
    output.close()
    clinic.write(gone=(1, 2, 3, 4, 5))
    scan, lost = SqlStore.scan, set[str]()

    def lose(
        store: SqlStore, table: str, *arguments: Any, **options: Any
    ) -> Iterator[Mapping[str, Any]]:
        for batch in scan(store, table, *arguments, **options):
            yield batch
            if table not in lost:
                lost.add(table)
                raise Unavailable("source", "connection failed or lost", "run again")

    monkeypatch.setattr(SqlStore, "scan", lose)
    # Nobody waits for the server.
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda seconds: None)
    again = clinic.write(1, 2, 3, 4, 5)
    assert lost >= {"note", "visit_occurrence", "provider", "location"}
    output = open_output(OutputSettings(clinic.url, tables=ALL), clinic.folder)
    assert output.digest() == done
    output.close()
    assert again.refused == whole.refused
    assert whole.refused


def test_rows_of_others_are_neither_overwritten_nor_removed(site: Site) -> None:
    site.configure("[output]", "[output]\ntables = []")
    assert run_nightly(site.config, run_in_process).exit_code == 0
    engine = create_engine(f"sqlite:///{site.config.with_name('research.db')}")
    with engine.begin() as connection:
        for name in ("visit_occurrence", "measurement"):
            table = make_tables(None)[name]
            table.create(connection)
            connection.execute(
                insert(table).values({each.name: 1 for each in table.c if not each.nullable})
            )
    engine.dispose()
    assert run_nightly(site.config, run_in_process).exit_code == 0
    assert site.output("select count(*) from measurement") == [(1,)]
    site.configure("tables = []", 'tables = ["visit_occurrence"]')
    with pytest.raises(ConfigError, match="rows of visit_occurrence that this program did not"):
        run_nightly(site.config, run_in_process)
    assert site.output("select count(*) from visit_occurrence") == [(1,)]
    with closing(sqlite3.connect(site.config.with_name("research.db"))) as db, db:
        db.execute("drop table visit_occurrence")
    assert run_nightly(site.config, run_in_process).exit_code == 0
    assert site.output("select count(*) from visit_occurrence")[0][0] > 5
    assert run_nightly(site.config, run_in_process).exit_code == 0  # what it wrote is its own
    site.configure('tables = ["visit_occurrence"]', "tables = []")
    assert run_nightly(site.config, run_in_process).exit_code == 0
    assert site.output("select count(*) from visit_occurrence") == [(0,)]
    assert site.output("select count(*) from measurement") == [(1,)]


def test_unknown_tables_are_refused() -> None:
    with pytest.raises(ConfigError, match="unknown table: note_span, visits"):
        OutputSettings("sqlite:///x.db", tables=("visits", "note_span", "note_nlp"))


def test_a_night_writes_them_and_a_withdrawn_note_takes_its_person_along(
    site: Site,
) -> None:
    site.configure("[output]", '[output]\ntables = ["visit_occurrence", "observation_period"]')
    run_nightly(site.config, run_in_process)
    assert site.output("select count(*) from visit_occurrence")[0][0] > 5
    orphans = (
        "select count(*) from note where visit_occurrence_id is not null and "
        "visit_occurrence_id not in (select visit_occurrence_id from visit_occurrence)"
    )
    assert site.output(orphans) == [(0,)]
    linked = "select count(*) from note where visit_occurrence_id is not null"
    assert site.output(linked)[0][0] > 5
    told = json.loads((site.folder / "report.json").read_text())["tables"]
    assert (
        told["rows"]["visit_occurrence"]
        == site.output("select count(*) from visit_occurrence")[0][0]
    )
    assert [each for each in told["violations"] if each["check"] != "fkDomain"] == []
    assert "checks" in (site.folder / "report.html").read_text()
    (person,) = site.source("select min(person_id) from note")[0]
    site.source("delete from note where person_id = ?", person)
    run_nightly(site.config, run_in_process)
    strangers = "select count(*) from {} where person_id not in (select person_id from note)"
    for name in ("visit_occurrence", "person"):
        assert site.output(strangers.format(name)) == [(0,)]

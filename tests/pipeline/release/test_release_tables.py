"""Cohorts with structured tables: rows of their patients alone, joined and moved as the notes."""

import json
import random
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import date, timedelta
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from sqlalchemy import create_engine, text

from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import Settings, load
from pipeline.release import run as running
from pipeline.release.persons import query_persons
from pipeline.release.plan import count_units, units_of_range
from pipeline.release.release_context import ReleaseContext
from pipeline.release.request import complete_request, make_policy
from pipeline.release.row_digests import TableHashes, compare_rows
from pipeline.release.unit import make_unit
from pipeline.warehouse.note_rows import Unit
from record.columns import TABLES, Treatment
from record.errors import ConfigError, Unavailable
from tests.keys import derive
from tests.pipeline.conftest import Ward

CLINICAL: dict[str, tuple[str, dict[str, Any]]] = {
    "condition_occurrence": ("condition_start_date", {"condition_source_value": "Wexlovitch"}),
    "drug_exposure": ("drug_exposure_start_date", {"quantity": 2.5, "sig": "Wexlovitch 3/j"}),
    "procedure_occurrence": ("procedure_date", {"procedure_concept_id": 4}),
    "measurement": ("measurement_date", {"value_as_number": 7.25, "unit_source_value": "g/L"}),
    "observation": ("observation_date", {"value_as_string": "Wexlovitch"}),
    "observation_period": ("observation_period_start_date", {}),
    "death": ("death_date", {}),
}
OWN_ROW = {"death", "observation_period"}


def add_clinical(ward: Ward) -> None:
    """Return every visit a row of each table, each patient a period, and the sixth one a death."""
    visits = ward.hospital(
        "select visit_occurrence_id, person_id, visit_start_date from visit_occurrence"
    )
    source = random.Random(3)
    for table, (start_column, more) in CLINICAL.items():
        ward.hospital(f"create table {table} ({', '.join(TABLES[table])}, hospital_code)")
        seen = set()
        for visit, person, day in visits:
            if table in OWN_ROW and (person in seen or (table == "death" and person != 6)):
                continue
            seen.add(person)
            row: dict[str, Any] = {
                TABLES[table][0]: visit,
                "person_id": person,
                "hospital_code": "Wexlovitch",
            }
            moved = date.fromisoformat(day) + timedelta(days=source.randrange(9))
            row |= {start_column: moved.isoformat(), **more}
            if table == "death":
                row["person_id"] = person
            if "visit_occurrence_id" in TABLES[table]:
                row["visit_occurrence_id"] = visit
            places = ", ".join("?" * len(row))
            ward.hospital(
                f"insert into {table} ({', '.join(row)}) values ({places})", *row.values()
            )


@pytest.fixture(scope="module")
def clinic(
    night: Path, tmp_path_factory: pytest.TempPathFactory, make_ward: Callable[[Path, Path], Ward]
) -> Ward:
    """A hospital after its night, with rows in the clinical tables, and two cohorts of it."""
    ward = make_ward(night, tmp_path_factory.mktemp("clinic"))
    ward.config.write_text(
        ward.config.read_text().replace("[limits]", "[limits]\nnotes_per_unit = 10")
    )
    add_clinical(ward)
    derive(ward.config.with_name("master.key"), "stroke")
    ward.first = ward.release(*range(1, 7), name="asthma", output="parquet:asthma")
    ward.release(*range(4, 9), name="stroke", output="sqlite:///stroke.db")
    return ward


def rows_of(folder: Path, table: str) -> list[Any]:
    return [row for path in sorted(folder.glob(f"{table}/part-*.parquet"))
            for row in pq.read_table(path).to_pylist()]  # fmt: skip


def test_every_table_has_the_rows_of_the_cohort_and_no_other(clinic: Ward) -> None:
    key = clinic.key("asthma")
    persons = {key.pseudonym("person", str(person)) for person in range(1, 7)}
    for table in (*CLINICAL, "visit_occurrence"):
        (count,) = clinic.hospital(f"select count(*) from {table} where person_id between 1 and 6")[
            0
        ]
        rows = rows_of(clinic.folder / "asthma", table)
        assert len(rows) == count > 0
        assert {row["person_id"] for row in rows} <= persons
        assert clinic.first.changes[table].added == count
    held = b"".join(path.read_bytes() for path in (clinic.folder / "asthma").rglob("*.*"))
    held += (clinic.folder / "stroke.db").read_bytes()
    assert b"Wexlovitch" not in held


def test_notes_and_tables_join_and_keep_their_intervals(clinic: Ward) -> None:
    folder, key = clinic.folder / "asthma", clinic.key("asthma")
    visits = {row["visit_occurrence_id"]: row for row in rows_of(folder, "visit_occurrence")}
    shifts: dict[str, Counter[int]] = defaultdict(Counter)
    tables = {name: start_column for name, (start_column, _) in CLINICAL.items()}
    for table, start_column in (tables | {"note": "note_date"}).items():
        after = {row[f"{table}_id"] if table != "death" else row["person_id"]: row
                 for row in rows_of(folder, table)}  # fmt: skip
        column = "person_id" if table == "death" else f"{table}_id"
        kind = "person" if table == "death" else table
        for row, person, day in clinic.hospital(
            f"select {column}, person_id, {start_column} from {table} where person_id <= 6"
        ):
            made = after.get(key.pseudonym(kind, str(row)))
            if made is None:
                assert table == "note"
                continue
            shifts[person][(made[start_column] - date.fromisoformat(day)).days] += 1
            visit = made.get("visit_occurrence_id")
            assert visit is None or visits[visit]["person_id"] == made["person_id"]
    assert len(shifts) == 6
    assert all(len(found) == 1 and 30 <= abs(*found) <= 365 for found in shifts.values())
    (row,) = {tuple(row.items()) for row in rows_of(folder, "measurement")[:1]}
    assert dict(row)["value_as_number"] == 7.25


def test_three_cohorts_that_share_patients_cannot_be_linked(
    clinic: Ward, postgres_url: str
) -> None:
    engine = create_engine(postgres_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("create schema gout"))
    clinic.release(*range(2, 8), name="gout", output=postgres_url, schema="gout")

    def rows(name: str, table: str, columns: Sequence[str]) -> list[Any]:
        if name == "asthma":
            return [tuple(map(row.get, columns)) for row in rows_of(clinic.folder / name, table)]
        if name == "stroke":
            return clinic.rows(f"select {', '.join(columns)} from {table}", name)
        with engine.connect() as connection:
            query = f"select {', '.join(columns)} from gout.{table}"
            return [tuple(row) for row in connection.execute(text(query))]

    shared = clinic.hospital("select note_id, person_id from note where person_id between 1 and 8")
    for one, other in combinations(("asthma", "stroke", "gout"), 2):
        for table in ("person", "visit_occurrence", "measurement", "note"):
            columns = [c for c in TABLES[table] if c.endswith("_id") and "concept" not in c]
            mine, theirs = (
                {value for row in rows(name, table, columns) for value in row}
                for name in (one, other)
            )
            assert len(mine) > 1 < len(theirs)
            assert mine & theirs <= {None}
        # Both move the dates of the patients they share, by numbers of days of their own: a patient
        # has one number for all notes, so that it is patients who agree by chance, not notes.
        days = [
            {note: str(day) for note, day in rows(name, "note", ("note_id", "note_date"))}
            for name in (one, other)
        ]
        keys = clinic.key(one), clinic.key(other)
        agreeing = defaultdict(list)
        for note, person in shared:
            first, second = (
                found.get(key.pseudonym("note", str(note)))
                for found, key in zip(days, keys, strict=True)
            )
            if first and second:
                agreeing[person].append(first == second)
        assert len(agreeing) >= 3
        assert sum(map(len, agreeing.values())) > 15
        # Shifts of 30 to 365 days either way: 672 of them (docs/surrogates.md).
        assert binom.sf(sum(map(all, agreeing.values())) - 1, len(agreeing), 1 / 672) > 1e-6
        assert all(len(set(same)) == 1 for same in agreeing.values())
    engine.dispose()


def test_a_refresh_touches_what_changed_and_a_withdrawal_is_traced(
    clinic: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = clinic.folder / "asthma"
    before = {path: path.stat().st_ino for path in folder.resolve().rglob("*.parquet")}
    again = clinic.release(*range(1, 7), output="parquet:asthma")
    assert not again.is_changed
    (one,) = clinic.hospital("select min(measurement_id) from measurement where person_id = 2")[0]
    clinic.hospital("update measurement set value_as_number = 8 where measurement_id = ?", one)
    changed = clinic.release(*range(1, 7), output="parquet:asthma")
    assert changed.changes["measurement"].changed == 1
    assert all(each.is_empty for name, each in changed.changes.items() if name != "measurement")
    inodes = {path.stat().st_ino for path in folder.resolve().rglob("*.parquet")}
    assert len(inodes - set(before.values())) == 1

    gone = clinic.key("asthma").pseudonym("person", "3")
    notes = {row["note_id"] for row in rows_of(folder, "note") if row["person_id"] == gone}
    fewer = clinic.release(1, 2, *range(4, 7), output="parquet:asthma")
    assert fewer.manifest["withdrawn"]["person_id"] == [gone]
    assert set(fewer.manifest["withdrawn"]["note_id"]) == notes
    for table in TABLES:
        assert gone not in {row.get("person_id") for row in rows_of(folder, table)}
    assert not {row["note_id"] for row in rows_of(folder, "note_span")} & notes
    parameters = json.loads((folder / "manifest.json").read_text())["withdrawn"]
    assert parameters == fewer.manifest["withdrawn"]
    kept = clinic.release(1, 2, *range(4, 7), output="parquet:asthma")
    assert (kept.is_changed, kept.manifest["withdrawn"]) == (False, parameters)
    clean = clinic.release(1, 2, *range(4, 7), output="parquet:clean").manifest
    assert clean | {"withdrawn": parameters} == fewer.manifest
    back = clinic.release(*range(1, 7), output="parquet:asthma")
    assert back.manifest["withdrawn"] == {"person_id": [], "note_id": []}


def test_worker_processes_and_killed_runs_give_the_same_bytes(
    clinic: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    clinic.release(*range(1, 7), output="parquet:plain")
    sums = (clinic.folder / "plain" / "SHA256SUMS").read_text()
    made, count = make_unit, []

    def dying(claimed: Unit, context: ReleaseContext) -> None:
        count.append(claimed)
        if len(count) == 2:
            raise KeyboardInterrupt
        made(claimed, context)

    monkeypatch.setattr(running, "make_unit", dying)
    with pytest.raises(KeyboardInterrupt):
        clinic.release(*range(1, 7), output="parquet:killed")
    assert not (clinic.folder / "killed").exists()
    monkeypatch.undo()
    clinic.release(*range(1, 7), output="parquet:killed")
    program = (
        "import sys\nfrom pipeline.cli import main\ncode = main(sys.argv[1:])\n"
        "assert not {'torch', 'transformers', 'tokenizers'} & set(sys.modules)\n"
        "assert {n for n in sys.modules if n.startswith('models.')} <= "
        "{'models.tagger', 'models.tagger.shipped_model', 'models.tagger.thresholds'}\n"
        "sys.exit(code)"
    )
    ended = subprocess.run(
        [sys.executable, "-P", "-c", program, "release", clinic.config, "--cohort", "asthma",
         "--persons", clinic.persons(*range(1, 7)), "--output", clinic.url("parquet:spawned"),
         "--workers", "2", "--json"], check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == EXIT_DONE, ended.stderr
    for name in ("killed", "spawned"):
        assert _without_papers(clinic.folder / name / "SHA256SUMS") == _of_tables(sums)


def _without_papers(path: Path) -> Any:
    return _of_tables(path.read_text())


def _of_tables(sums: str) -> list[Any]:
    return [line for line in sums.splitlines() if line.endswith(".parquet")]


def test_in_postgresql_it_is_the_same(clinic: Ward, postgres_url: str) -> None:
    options = {"output": postgres_url, "schema": "cohort"}
    engine = create_engine(postgres_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("create schema cohort"))
    first = clinic.release(*range(1, 7), **options)
    assert first.manifest == clinic.release(*range(1, 7), output="parquet:plain").manifest
    assert not clinic.release(*range(1, 7), **options).is_changed
    fewer = clinic.release(*range(2, 7), columns=frozenset({"measurement"}), **options)
    assert fewer.changes["person"].withdrawn == fewer.changes["death"].withdrawn == 1
    assert fewer.changes["measurement"].withdrawn > 0
    with engine.connect() as connection:
        orphans = connection.scalar(
            text("select count(*) from cohort.measurement left join cohort.person "
                 "using (person_id) where cohort.person.person_id is null")
        )  # fmt: skip
        left = connection.scalar(text("select count(*) from cohort.condition_occurrence"))
    engine.dispose()
    assert orphans == left == 0


def test_a_folder_of_typed_tables_gives_the_same(clinic: Ward) -> None:
    folder = clinic.config.with_name("tables")
    folder.mkdir()
    names = ("note", "person", "location", "provider", "visit_occurrence", "patient_identity")
    for name in (*names, "cdm_source", *CLINICAL):
        with closing(sqlite3.connect(clinic.config.with_name("hospital.db"))) as db:
            db.row_factory = sqlite3.Row
            is_of_nobody = name in ("location", "provider", "cdm_source")
            where = "" if is_of_nobody else "where person_id < 7"
            rows = [dict(row) for row in db.execute(f"select * from {name} {where}")]
        if name in CLINICAL:
            start_column = CLINICAL[name][0]
            rows = [row | {start_column: date.fromisoformat(row[start_column])} for row in rows]
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{name.upper()}.parquet")
    configured = clinic.config.read_text()
    clinic.config.write_text(configured.replace("sqlite:///hospital.db", "parquet:tables"))
    try:
        found = clinic.release(*range(1, 7), output="parquet:from-folder").manifest
    finally:
        clinic.config.write_text(configured)
    parameters = clinic.release(*range(1, 7), output="parquet:from-database").manifest
    assert found["tables"].items() <= parameters["tables"].items()
    others = parameters["tables"].keys() - found["tables"].keys()
    assert all(parameters["tables"][name]["rows"] == 0 for name in others)
    assert found["units"] < parameters["units"]


def test_a_cohort_of_the_configuration(clinic: Ward) -> None:
    days = [row[0] for row in clinic.hospital("select measurement_date from measurement")]
    middle = sorted(days)[len(days) // 2]
    parameters = clinic.config.with_name("cohorts.toml")
    parameters.write_text(
        clinic.config.read_text()
        + f"""
[cohorts.flu]
persons.sql = "select person_id from person where person_id % 2 = 1 -- odd ones"
output = "sqlite:///flu.db"
since = {middle}
columns = ["person", "note", "visit_occurrence", "measurement.measurement_concept_id"]
policy = {{ date_precision = "month", hold_back_days = 0 }}
"""
    )
    assert main(["release", str(parameters), "--cohort", "flu", "--plain", "--json"]) == EXIT_DONE
    with closing(sqlite3.connect(parameters.with_name("flu.db"))) as db:
        found = {row[0] for row in db.execute("select name from sqlite_master where type='table'")}
        dates = {row[0] for row in db.execute("select measurement_date from measurement")}
        values = {row[0] for row in db.execute("select value_as_number from measurement")}
        (count,) = db.execute("select count(*) from measurement").fetchone()
        (astray,) = db.execute(
            "select count(*) from measurement left join visit_occurrence v using "
            "(visit_occurrence_id) where v.person_id is null and visit_occurrence_id is not null"
        ).fetchone()
    (wanted,) = clinic.hospital(
        "select count(*) from measurement where person_id % 2 = 1 and measurement_date >= ?", middle
    )[0]
    assert "condition_occurrence" not in found
    assert all(day.endswith("-01") for day in dates)
    assert (count, values, astray) == (wanted, {None}, 0)


def test_a_query_reads_and_nothing_else(clinic: Ward, postgres_url: str) -> None:
    settings = load(clinic.config)
    assert query_persons("select 7 as n, 3 as person_id union all select 1, 3;", settings) == (
        type(query_persons("select 3", settings))(frozenset({3}), 1)
    )
    for sql in ("", "select 'Wexlovitch'", "select person_id from person where 1 = 2"):
        with pytest.raises(ConfigError) as caught:
            query_persons(sql, settings)
        assert "Wexlovitch" not in str(caught.value)
    server = _pointed(clinic, postgres_url)
    engine = create_engine(postgres_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("create table person as select 5 as person_id, 'a%' as x"))
    assert query_persons("select person_id from person where x like 'a%'", server)
    for sql in (
        "delete from person returning person_id",
        "select 1; delete from person",
        "select 1; commit; drop table person",
        "with gone as (delete from person returning person_id) select * from gone",
    ):
        for where in (settings, server):
            with pytest.raises(Unavailable):
                query_persons(sql, where)
    with engine.connect() as connection:
        assert connection.scalar(text("select count(*) from person")) == 1
    engine.dispose()


def _pointed(clinic: Ward, url: str) -> Settings:
    path = clinic.config.with_name("server.toml")
    path.write_text(clinic.config.read_text().replace("sqlite:///hospital.db", url))
    return load(path)


@pytest.mark.parametrize(
    "options",
    [
        {"columns": frozenset({"measurment"})},
        {"columns": frozenset({"measurement.hospital_code"})},
        {"policy": "nonsense"},
    ],
)
def test_what_nobody_has_is_refused(clinic: Ward, options: dict[str, frozenset[str] | str]) -> None:
    with pytest.raises(ConfigError):
        clinic.release(1, output="parquet:never", **options)
    assert not (clinic.folder / "never").exists()


def test_columns_that_were_not_asked_for_are_dropped_by_the_policy(clinic: Ward) -> None:
    order = clinic.order(1, columns=frozenset({"measurement.value_as_number", "death"}))
    settings = load(clinic.config)
    policy = make_policy(complete_request(order, settings), settings)
    assert policy.treatment("measurement.value_as_number") is Treatment.KEEP
    assert policy.treatment("measurement.unit_concept_id") is Treatment.DROP
    assert policy.treatment("measurement.measurement_date") is Treatment.SHIFT
    assert policy.treatment("death.cause_concept_id") is Treatment.KEEP
    assert policy.policy_id != settings.make_policy().policy_id


ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 2),
                          st.sampled_from(["CITY", 'a"b', "é"])), max_size=12)  # fmt: skip


@given(ROWS, ROWS, st.randoms(use_true_random=False))
def test_comparison_finds_what_differs_whatever_the_order(
    old: list[tuple[int, int, int, str]], new: list[tuple[int, int, int, str]], source: Random
) -> None:
    before, after, shuffled = TableHashes(), TableHashes(), TableHashes()
    before.add(old)
    after.add(new)
    half = len(new) // 2
    mixed = source.sample(new, len(new))
    shuffled.add(mixed[:half])
    shuffled.add(mixed[half:])
    assert after == shuffled
    found = compare_rows(before, after)
    of = lambda rows, key: Counter(row for row in rows if row[0] == key)  # noqa: E731
    keys = {row[0] for row in old} | {row[0] for row in new}
    assert found.added == sorted(k for k in keys if of(new, k) and not of(old, k))
    assert found.withdrawn == sorted(k for k in keys if of(old, k) and not of(new, k))
    differing = [k for k in keys if of(old, k) and of(new, k) and of(old, k) != of(new, k)]
    assert found.changed == sorted(differing)


@given(st.integers(0, 10), st.lists(st.integers(1, 2**62 - 1), min_size=1))
def test_every_id_is_in_one_unit(power: int, ids: list[int]) -> None:
    count = 2**power
    for number in ids:
        (index,) = units_of_range(number, number, count)
        low, high = (index << 62) // count, (((index + 1) << 62) // count) - 1
        assert low <= number <= high
        assert list(units_of_range(low, high, 1)) == [0]


def test_the_number_of_units_depends_on_persons_alone(clinic: Ward) -> None:
    with closing(clinic.tools()) as tools:
        assert [count_units(tools, n) for n in (0, 1, 5, 6, 11, 21)] == [1, 1, 1, 2, 4, 8]

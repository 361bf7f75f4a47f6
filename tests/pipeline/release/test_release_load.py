"""Releases load into the tables that OHDSI defines, and join in the programs people use."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import Connection, create_engine, text

from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from record.columns import TABLES
from tests.pipeline.conftest import Ward

DDL = Path(__file__).parents[4] / "shared/fixtures/omop_ddl/postgresql"
ORDER = ("location", "care_site", "provider", "person", "visit_occurrence", "note")
WRITTEN = (*ORDER[:-1], "visit_detail", "note", "note_nlp", "observation_period", "condition_era",
           "death", "condition_occurrence", "measurement", "cost", "fact_relationship",
           "cdm_source", "metadata")  # fmt: skip
"""Tables that others refer to come first."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def released(
    night: Path, tmp_path_factory: pytest.TempPathFactory, make_ward: Callable[[Path, Path], Ward]
) -> Path:
    """A release of everybody, as Parquet and as JSON Lines."""
    ward = make_ward(night, tmp_path_factory.mktemp("load"))
    config = ward.config.read_text().replace("[limits]", "[limits]\nnotes_per_unit = 6")
    ward.config.write_text(config)
    add_events(ward)
    everything: dict[str, Any] = {"spans": True, "columns": frozenset(TABLES)}
    ward.release(*ward.EVERYBODY, output="parquet:parquet", **everything)
    ward.release(*ward.EVERYBODY, output="jsonl:jsonl", **everything)
    names = ("visit_occurrence", "visit_detail", "observation_period", "condition_era", "death",
             "note_nlp", "cost", "fact_relationship")  # fmt: skip
    listed = ", ".join(f'"{name}"' for name in names)
    nightly = ward.config.read_text().replace("[output]", f"[output]\ntables = [{listed}]")
    assert nightly != config
    ward.config.write_text(nightly.replace("sqlite:///research.db", "parquet:nightly"))
    ward.config.write_text(ward.config.read_text().replace("state.db", "other.db"))
    assert run_nightly(ward.config, run_in_process).exit_code == 0
    (ward.folder / "nightly").symlink_to(ward.config.with_name("nightly"))
    return ward.folder


def add_events(ward: Ward) -> None:
    """Add to the hospital what it lacks, and references to rows that it does not have."""
    for statement in (
        "create table observation_period (observation_period_id integer primary key, person_id "
        "integer, observation_period_start_date text, observation_period_end_date text, "
        "period_type_concept_id integer)",
        "insert into observation_period select person_id, person_id, "
        "date('2010-01-01', (97 * person_id) || ' days'), "
        "date('2023-01-01', (13 * person_id) || ' days'), 32817 from person",
        "create table condition_era (condition_era_id integer primary key, person_id integer, "
        "condition_concept_id integer, condition_era_start_date text, condition_era_end_date text)",
        "insert into condition_era select person_id, person_id, 317009, '2015-01-01', '2015-02-01' "
        "from person",
        "insert into note_nlp (note_nlp_id, note_id, nlp_date, lexical_variant, "
        "note_nlp_concept_id) select note_id, note_id, '2024-01-01', 'Wexlovitch', 317009 "
        "from note",
        "create table cost (cost_id integer primary key, cost_event_id integer, cost_domain_id "
        "text, cost_type_concept_id integer, total_paid real)",
        "insert into cost select visit_occurrence_id, visit_occurrence_id, 'Visit', 32817, 9.75 "
        "from visit_occurrence",
        "insert into cost values (999999, 999999, 'Visit', 32817, 1), (999998, 1, 'x', 32817, 1)",
        "create table fact_relationship (domain_concept_id_1 integer, fact_id_1 integer, "
        "domain_concept_id_2 integer, fact_id_2 integer, relationship_concept_id integer)",
        "insert into fact_relationship select 5085, note_id, 8, visit_occurrence_id, 44818759 "
        "from note",
        "update note set visit_occurrence_id = 999999 where note_id = 1",
        "update visit_occurrence set preceding_visit_occurrence_id = 999999",
    ):
        ward.hospital(statement)


def rows_of(folder: Path, form: str, name: str) -> list[dict[str, Any]]:
    suffix = "jsonl" if form == "jsonl" else "parquet"
    paths = sorted((folder / form / name).glob(f"part-*.{suffix}"))
    paths += [path for path in [folder / form / f"{name}.{suffix}"] if path.is_file()]
    if form == "jsonl":
        return [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def run_script(connection: Connection, name: str) -> None:
    script = (DDL / f"{name}.sql").read_text().replace("@cdmDatabaseSchema", "cdm")
    connection.exec_driver_sql(script)


def fill_vocabulary(connection: Connection, concepts: set[int]) -> None:
    """Add the concepts that a release refers to, which no release has."""
    connection.exec_driver_sql("set session_replication_role = replica")
    connection.exec_driver_sql("insert into cdm.domain values ('Visit', 'Visit', 8)")
    for concept in sorted(concepts):
        connection.execute(
            text(
                "insert into cdm.concept values (:id, 'x', 'x', 'x', 'x', null, 'x', "
                "'2000-01-01', '2099-01-01', null)"
            ),
            {"id": concept},
        )
    connection.exec_driver_sql("set session_replication_role = origin")


@pytest.fixture
def omop(postgres_url: str) -> Iterator[Connection]:
    """The schema that OHDSI publishes, with its primary keys and constraints."""
    if not DDL.is_dir():
        pytest.skip("OHDSI's DDL is not there: it is shared beside the checkout")
    engine = create_engine(postgres_url.replace("postgresql:", "postgresql+psycopg:", 1))
    with engine.begin() as connection:
        connection.exec_driver_sql("create schema cdm")
        for name in ("ddl", "primary_keys", "constraints"):
            run_script(connection, name)
        yield connection
    engine.dispose()


@pytest.mark.parametrize("form", ["parquet", "jsonl", "nightly"])
def test_outputs_load_where_all_constraints_are_on(
    released: Path, omop: Connection, form: str
) -> None:
    tables = {name: rows for name in WRITTEN if (rows := rows_of(released, form, name))}
    assert {"observation_period", "condition_era", "cdm_source"} <= set(tables)
    assert "note_nlp" in tables
    if form == "nightly":
        # Ids of a note's rows are made from that of the note, and have ten bits more.
        omop.exec_driver_sql("alter table cdm.note_nlp alter note_nlp_id type bigint")
    visits = {row["visit_occurrence_id"] for row in tables["visit_occurrence"]}
    assert {row["cost_event_id"] for row in tables["cost"]} == visits
    assert {row["fact_id_2"] for row in tables["fact_relationship"]} <= visits
    notes = {row["note_id"] for row in tables["note"]}
    assert {row["fact_id_1"] for row in tables["fact_relationship"]} == notes
    concepts = {
        row[column]
        for rows in tables.values()
        for row in rows
        for column in row
        if "concept_id" in column and row[column] is not None
    }
    fill_vocabulary(omop, concepts)
    for name, rows in tables.items():
        columns = list(rows[0])
        quoted = ", ".join(f'"{column}"' for column in columns)
        cursor = omop.connection.cursor()
        with cursor.copy(f"COPY cdm.{name} ({quoted}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row([row[column] for column in columns])
        cursor.close()
        assert omop.scalar(text(f"select count(*) from cdm.{name}")) == len(rows)
    joined = omop.scalar(
        text(
            "select count(*) from cdm.note join cdm.person using (person_id) "
            "join cdm.visit_occurrence using (visit_occurrence_id)"
        )
    )
    assert joined == sum(row["visit_occurrence_id"] is not None for row in tables["note"]) > 50


def test_spans_are_findings_of_ours_beside_those_of_the_source(released: Path) -> None:
    notes = {row["note_id"]: row for row in rows_of(released, "parquet", "note")}
    found = rows_of(released, "parquet", "note_nlp")
    ids = [row["note_nlp_id"] for row in found]
    assert len(set(ids)) == len(ids)
    assert all(0 < each < 2**31 for each in ids)
    own = [row for row in found if row["nlp_system"]]
    spans = {
        (row["note_id"], str(row["start_offset"]), f"label={row['label']}"): row["end_offset"]
        for row in rows_of(released, "parquet", "note_span")
    }
    assert len(own) == len(spans) > 100
    for row in own:
        note = notes[row["note_id"]]
        start, end = int(row["offset"]), spans[row["note_id"], row["offset"], row["term_modifiers"]]
        assert row["lexical_variant"] == note["note_text"][start:end]
        assert row["nlp_date"] == note["note_date"]
        assert row["nlp_system"].startswith("cryptonym ")
    others = [row for row in found if not row["nlp_system"]]
    assert len(others) == len(notes)
    assert {row["note_nlp_concept_id"] for row in others} == {317009}
    # Not the day on which all notes were processed, which would tell each patient's shift.
    assert all(row["nlp_date"] == notes[row["note_id"]]["note_date"] for row in others)
    assert "Wexlovitch" not in str(found)


def test_ids_survive_as_the_floats_that_a_nullable_column_becomes(released: Path) -> None:
    notes, visits = (rows_of(released, "parquet", name) for name in ("note", "visit_occurrence"))
    kept = np.array([row["visit_occurrence_id"] for row in notes], np.float64)
    known = {row["visit_occurrence_id"] for row in visits}
    assert sum(int(number) in known for number in kept) == len(notes)
    assert all(float(np.float64(number)) == number for number in known)


def test_every_row_joins_in_pandas(released: Path) -> None:
    read = {
        name: pandas.DataFrame(rows_of(released, "jsonl", name))
        for name in ("note", "visit_occurrence", "person")
    }
    notes = read["note"]
    # One empty value makes floats of a column of integers.
    first = notes.iloc[[0]].assign(visit_occurrence_id=None)
    nullable = pandas.concat([notes, first]).reset_index(drop=True)
    nullable["visit_occurrence_id"] = nullable["visit_occurrence_id"].astype(float)
    joined = nullable.merge(read["visit_occurrence"], on="visit_occurrence_id")
    assert len(joined) == len(notes)
    assert len(notes.merge(read["person"], on="person_id")) == len(notes)


def test_every_row_joins_in_polars(released: Path) -> None:
    notes, visits, persons = (
        polars.read_parquet(released / "parquet" / name / "part-*.parquet")
        for name in ("note", "visit_occurrence", "person")
    )
    assert notes.join(visits, on="visit_occurrence_id").height == notes.height
    assert notes.join(persons, on="person_id").height == notes.height
    as_floats = notes.with_columns(polars.col("visit_occurrence_id").cast(polars.Float64))
    visits = visits.with_columns(polars.col("visit_occurrence_id").cast(polars.Float64))
    assert as_floats.join(visits, on="visit_occurrence_id").height == notes.height


def test_files_have_integers_of_the_size_that_ohdsi_defines(released: Path) -> None:
    for name in ORDER:
        for path in sorted((released / "parquet" / name).glob("part-*.parquet")):
            table = pq.read_table(path)
            for column in (each for each in table.schema if each.name.endswith("_id")):
                assert pa.types.is_integer(column.type)
                values = [v for v in table.column(column.name).to_pylist() if v is not None]
                assert all(-(2**31) <= value < 2**31 for value in values)


def test_a_day_on_which_all_periods_end_is_not_released(
    night: Path, tmp_path: Path, make_ward: Callable[[Path, Path], Ward]
) -> None:
    """The day of a load, moved by each person's days, would tell them all."""
    ward = make_ward(night, tmp_path)
    add_events(ward)
    persons = len(ward.hospital("select person_id from observation_period"))
    made = ward.release(*ward.EVERYBODY, output="parquet:before")
    assert made.counts.tables["observation_period"]["released"] == persons
    ward.hospital(
        "update observation_period set observation_period_end_date = '2025-06-30' "
        "where person_id > 1"
    )
    made = ward.release(*ward.EVERYBODY, output="parquet:loaded")
    counts = made.counts.tables["observation_period"]
    assert counts["refused shared-date"] == persons - 1
    assert counts["released"] == 1

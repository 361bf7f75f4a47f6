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

from record.columns import TABLES
from tests.pipeline.conftest import Ward

DDL = Path(__file__).parents[4] / "shared/fixtures/omop_ddl/postgresql"
ORDER = ("location", "care_site", "provider", "person", "visit_occurrence", "note")
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
    ward.release(*ward.EVERYBODY, output="parquet:parquet")
    ward.release(*ward.EVERYBODY, output="jsonl:jsonl")
    return ward.folder


def rows_of(folder: Path, form: str, name: str) -> list[dict[str, Any]]:
    paths = sorted((folder / form / name).glob(f"part-*.{form}"))
    if form == "jsonl":
        return [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def run_script(connection: Connection, name: str) -> None:
    script = (DDL / f"{name}.sql").read_text().replace("@cdmDatabaseSchema", "cdm")
    connection.exec_driver_sql(script)


def fill_vocabulary(connection: Connection, concepts: set[int]) -> None:
    """Add the concepts that a release refers to, which no release has."""
    connection.exec_driver_sql("set session_replication_role = replica")
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


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_release_loads_where_all_constraints_are_on(
    released: Path, omop: Connection, form: str
) -> None:
    tables = {name: rows_of(released, form, name) for name in ORDER}
    concepts = {
        row[column]
        for rows in tables.values()
        for row in rows
        for column in row
        if "concept_id" in column and row[column] is not None
    }
    fill_vocabulary(omop, concepts)
    for name, rows in tables.items():
        columns = TABLES[name]
        cursor = omop.connection.cursor()
        with cursor.copy(f"COPY cdm.{name} ({', '.join(columns)}) FROM STDIN") as copy:
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

"""Vocabulary tables in the output: the source's rows, copied when they changed."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, text

from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.warehouse.databases import connect
from pipeline.warehouse.vocabulary import copy_vocabulary
from record.errors import ConfigError
from tests.pipeline.conftest import Site

DDL = Path(__file__).parents[4] / "shared/fixtures/omop_ddl/postgresql"
CONCEPTS = [
    (0, "No matching concept", "Metadata", "None", "Undefined", None, "0"),
    (1, "Domain", "Metadata", "None", "Undefined", "S", "1"),
    (8507, "MALE", "Metadata", "None", "Undefined", "S", "M"),
]
SOURCE = """
create table concept (concept_id integer, concept_name text, domain_id text, vocabulary_id text,
  concept_class_id text, standard_concept text, concept_code text, valid_start_date text,
  valid_end_date text, invalid_reason text, entered_by text);
create table vocabulary (vocabulary_id text, vocabulary_name text, vocabulary_reference text,
  vocabulary_version text, vocabulary_concept_id integer);
insert into vocabulary values ('None', 'OMOP', null, 'v5.0 2024', 1);
create table domain (domain_id text, domain_name text, domain_concept_id integer);
insert into domain values ('Metadata', 'Metadata', 1);
create table concept_class (concept_class_id text, concept_class_name text,
  concept_class_concept_id integer);
insert into concept_class values ('Undefined', 'Undefined', 1);
create table drug_strength (drug_concept_id integer, ingredient_concept_id integer,
  amount_value real, valid_start_date text, valid_end_date text);
insert into drug_strength values (1, 8507, 0.25, '1970-01-01', '2099-12-31');
"""


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "source.db")) as db, db:
        db.executescript(statement)


def fill(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(SOURCE)
        db.executemany(
            "insert into concept values "
            "(?, ?, ?, ?, ?, ?, ?, '1970-01-01', '2099-12-31', null, 'Wexlovitch')",
            CONCEPTS,
        )


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Engine]:
    fill(tmp_path / "source.db")
    engine = connect("sqlite:///source.db", tmp_path, what="source.url")
    yield engine
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def output(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    url = f"sqlite:///{tmp_path}/output.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    engine = connect(url, tmp_path, what="output.url", use="output")
    yield engine
    engine.dispose()


def read(engine: Engine, statement: str) -> list[tuple[object, ...]]:
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(statement))]


def test_rows_are_those_of_the_source_and_copied_when_they_changed(
    source: Engine, output: Engine, tmp_path: Path
) -> None:
    def copy() -> tuple[str, ...]:
        return copy_vocabulary((source, None), (output, None))

    everything = ("concept", "domain", "concept_class", "drug_strength", "vocabulary")
    assert copy() == everything
    columns = (
        "concept_id, concept_name, domain_id, vocabulary_id, concept_class_id, standard_concept, "
        "concept_code, cast(valid_start_date as text), cast(valid_end_date as text), invalid_reason"
    )
    for statement in (
        f"select {columns} from concept order by concept_id",
        "select * from vocabulary",
        "select drug_concept_id, amount_value from drug_strength",
    ):
        assert read(output, statement) == read(source, statement) != []
    assert "entered_by" not in read_columns(output)  # OMOP CDM does not have it
    assert copy() == ()
    change(tmp_path, "delete from concept where concept_id = 8507")
    assert copy() == ("concept",)
    assert read(output, "select count(*) from concept") == [(2,)]
    change(tmp_path, "update concept set concept_name = 'None' where concept_id = 0")
    change(tmp_path, "update vocabulary set vocabulary_version = 'v5.0 2025'")
    assert copy() == everything
    found = read(output, "select concept_name from concept where concept_id = 0")
    assert found == [("None",)]


def read_columns(engine: Engine) -> list[str]:
    with engine.connect() as connection:
        return list(connection.execute(text("select * from concept")).keys())


def test_a_copy_that_fails_leaves_the_table_and_is_made_again(
    source: Engine, tmp_path: Path
) -> None:
    output = create_engine(f"sqlite:///{tmp_path}/output.db")
    copy_vocabulary((source, None), (output, None))
    change(tmp_path, "update vocabulary set vocabulary_version = 'v6'")
    change(tmp_path, "update drug_strength set valid_start_date = 'Wexlovitch'")
    with pytest.raises(ConfigError, match="valid_start_date cannot be read") as caught:
        copy_vocabulary((source, None), (output, None))
    assert "Wexlovitch" not in str(caught.value)
    assert read(output, "select amount_value from drug_strength") == [(0.25,)]
    change(tmp_path, "update drug_strength set valid_start_date = '1980-01-01'")
    assert "drug_strength" in copy_vocabulary((source, None), (output, None))
    assert copy_vocabulary((source, None), (output, None)) == ()
    output.dispose()


@pytest.mark.skipif(not DDL.is_dir(), reason="OHDSI's DDL is not there")
def test_the_copy_holds_under_the_keys_of_ohdsi(source: Engine, postgres_url: str) -> None:
    names = ("concept", "vocabulary", "domain", "concept_class", "drug_strength")
    engine = connect(postgres_url, Path(), what="output.url", use="output")

    def apply(file: str, wanted: tuple[str, ...]) -> int:
        found = (DDL / file).read_text().replace("@cdmDatabaseSchema.", "").split(";")
        lines = [" ".join(x.split()) for x in found if any(f"TABLE {n} " in x for n in wanted)]
        with engine.begin() as connection:
            for line in lines:
                connection.exec_driver_sql(line[line.index(file_start(line)) :])
        return len(lines)

    assert apply("ddl.sql", names) == len(names)
    assert apply("primary_keys.sql", names) >= len(names) - 1
    copy_vocabulary((source, None), (engine, None))
    assert apply("constraints.sql", names) > len(names)
    engine.dispose()


def file_start(statement: str) -> str:
    return "CREATE TABLE" if "CREATE TABLE" in statement else "ALTER TABLE"


def test_a_night_copies_them_on_request(site: Site) -> None:
    site.configure("[output]", "[output]\nvocabulary = true\ntables = []")
    for table in ("concept", "vocabulary"):
        site.source(f"drop table if exists {table}")
    with pytest.raises(ConfigError, match="no vocabulary tables"):
        run_nightly(site.config, run_in_process)
    fill(site.folder / "hospital.db")
    assert run_nightly(site.config, run_in_process).exit_code == 0
    assert site.output("select concept_id from concept") == [(0,), (1,), (8507,)]
    assert site.output("select count(*) from note")[0][0] > 0

"""Each check of the tables finds what was planted, and nothing in tables as they should be."""

import sqlite3
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import create_engine, text

from pipeline.cli import main
from pipeline.config.settings import OutputSettings
from pipeline.quality.conformance import Conformance, check_conformance, check_tables
from pipeline.warehouse.cdm_tables import make_tables

TABLES = ("person", "visit_occurrence", "visit_detail", "provider", "note", "observation_period",
          "condition_era", "death", "measurement", "payer_plan_period", "cost",
          "fact_relationship")  # fmt: skip
SOUND = """
insert into person (person_id, gender_concept_id, year_of_birth, month_of_birth, race_concept_id,
  ethnicity_concept_id) values (1, 8507, 1950, 4, 0, 0), (2, 8532, 1960, null, 0, 0);
insert into provider (provider_id) values (5);
insert into visit_occurrence (visit_occurrence_id, person_id, visit_concept_id, visit_start_date,
  visit_end_date, visit_type_concept_id, provider_id)
  values (11, 1, 9201, '2020-01-02', '2020-01-05', 32817, 5);
insert into visit_detail (visit_detail_id, person_id, visit_detail_concept_id,
  visit_detail_start_date, visit_detail_end_date, visit_detail_type_concept_id,
  visit_occurrence_id) values (21, 1, 9201, '2020-01-02', '2020-01-05', 32817, 11);
insert into note (note_id, person_id, note_date, note_type_concept_id, note_class_concept_id,
  note_text, encoding_concept_id, language_concept_id, visit_occurrence_id)
  values (31, 1, '2020-01-03', 32817, 0, 'x', 0, 0, 11),
  (32, 2, '2020-01-03', 0, 0, 'x', 0, 0, null);
insert into observation_period values (1, 1, '2019-01-01', '2020-03-01', 32817);
insert into condition_era (condition_era_id, person_id, condition_concept_id,
  condition_era_start_date, condition_era_end_date)
  values (1, 1, 317009, '2020-01-02', '2020-01-05');
insert into death (person_id, death_date) values (1, '2020-02-01');
insert into measurement (measurement_id, person_id, measurement_concept_id, measurement_date,
  measurement_type_concept_id, value_as_number) values (1, 1, 3004249, '2020-03-20', 32817, 1.5);
insert into payer_plan_period (payer_plan_period_id, person_id, payer_plan_period_start_date,
  payer_plan_period_end_date) values (7, 1, '2019-01-01', '2020-03-01');
insert into cost (cost_id, cost_event_id, cost_domain_id, cost_type_concept_id, total_paid,
  payer_plan_period_id) values (1, 11, 'Visit', 32817, 1.5, 7);
insert into fact_relationship (domain_concept_id_1, fact_id_1, domain_concept_id_2, fact_id_2,
  relationship_concept_id) values (8, 11, 5085, 31, 0), (8, 11, 56, 1, 0);
"""
CONCEPTS = {8507: "Gender", 8532: "Gender", 9201: "Visit", 32817: "Type Concept",
            317009: "Condition", 3004249: "Measurement"}  # fmt: skip
PLANTED = [
    ("update note set note_text = null where note_id = 31", "isRequired note.note_text 1"),
    ("update person set year_of_birth = null", "isRequired person.year_of_birth 2"),
    ("update note set note_type_concept_id = null", "isRequired note.note_type_concept_id 2"),
    ("insert into note (note_id, person_id, note_date, note_type_concept_id, "
     "note_class_concept_id, note_text, encoding_concept_id, language_concept_id) "
     "values (31, 1, '2020-01-03', 0, 0, 'x', 0, 0)", "isPrimaryKey note.note_id 1"),
    ("insert into death (person_id, death_date) values (1, '2020-02-01')",
     "isPrimaryKey death.person_id 1"),
    ("update note set visit_occurrence_id = 12", "isForeignKey note.visit_occurrence_id 2"),
    ("update visit_occurrence set provider_id = 6", "isForeignKey visit_occurrence.provider_id 1"),
    ("update visit_occurrence set care_site_id = 6",
     "isForeignKey visit_occurrence.care_site_id 1"),
    ("update visit_occurrence set preceding_visit_occurrence_id = 7",
     "isForeignKey visit_occurrence.preceding_visit_occurrence_id 1"),
    ("update condition_era set person_id = 3", "isForeignKey condition_era.person_id 1"),
    ("update person set gender_concept_id = 77 where person_id = 1",
     "isForeignKey person.gender_concept_id 1; fkDomain person.gender_concept_id 1"),
    ("update condition_era set condition_concept_id = 9201",
     "fkDomain condition_era.condition_concept_id 1"),
    ("update visit_occurrence set visit_type_concept_id = 9201",
     "fkDomain visit_occurrence.visit_type_concept_id 1"),
    ("update visit_detail set visit_detail_end_date = '2020-01-01'",
     "plausibleStartBeforeEnd visit_detail.visit_detail_start_date 1"),
    ("update observation_period set observation_period_start_date = '1950-03-31'",
     "plausibleAfterBirth observation_period.observation_period_start_date 1"),
    ("update note set note_date = '1959-12-31' where person_id = 2",
     "plausibleAfterBirth note.note_date 1"),
    ("update measurement set measurement_date = '2020-04-02'",
     "plausibleBeforeDeath measurement.measurement_date 1"),
    ("update cost set cost_event_id = 12", "isForeignKey cost.cost_event_id 1"),
    ("update cost set cost_domain_id = 'Drug'", "isForeignKey cost.cost_event_id 1"),
    ("update cost set cost_domain_id = 'Wexlovitch'", "isForeignKey cost.cost_event_id 1"),
    ("update cost set payer_plan_period_id = 8", "isForeignKey cost.payer_plan_period_id 1"),
    ("update fact_relationship set fact_id_1 = 12", "isForeignKey fact_relationship.fact_id_1 2"),
    ("update fact_relationship set domain_concept_id_2 = 57",
     "isForeignKey fact_relationship.fact_id_2 2"),
    ("update fact_relationship set relationship_concept_id = null",
     "isRequired fact_relationship.relationship_concept_id 2"),
]  # fmt: skip
MISTYPED = [
    ("update note set visit_occurrence_id = 'eleven' where note_id = 31",
     "cdmDatatype note.visit_occurrence_id 1; isForeignKey note.visit_occurrence_id 1"),
    ("update measurement set measurement_date = 'in spring'",
     "cdmDatatype measurement.measurement_date 1"),
    ("update measurement set value_as_number = 'high'",
     "cdmDatatype measurement.value_as_number 1"),
]  # fmt: skip
RETYPED = [
    ("alter table note alter column visit_detail_id type text; update note set visit_detail_id = 1",
     "cdmDatatype note.visit_detail_id 2"),
    ("alter table measurement alter column measurement_date type text",
     "cdmDatatype measurement.measurement_date 1"),
]  # fmt: skip


def find_domains(concepts: Collection[int]) -> Mapping[int, str]:
    return {each: CONCEPTS[each] for each in concepts if each in CONCEPTS}


def describe(found: Conformance) -> str:
    return "; ".join(f"{v.check} {v.table}.{v.column} {v.rows}" for v in found.violations)


def make_checked(url: str, *statements: str) -> Conformance:
    """Check sound tables after these statements; keys are not enforced, so that any may fail."""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:", 1))
    tables = make_tables(None)
    with engine.begin() as connection:
        for name in TABLES:
            names = ", ".join(
                f'"{c.name}" {c.type.compile(engine.dialect)}' for c in tables[name].columns
            )
            connection.execute(text(f"create table {name} ({names})"))
        for statement in f"{SOUND};{';'.join(statements)}".split(";"):
            if statement.strip():
                connection.execute(text(statement))
    found = check_tables(engine, None, find_domains)
    engine.dispose()
    return found


def test_sound_tables_pass_every_check(database_url: str) -> None:
    found = make_checked(database_url)
    assert describe(found) == ""
    assert found.rows["note"] == 2
    assert found.checks > 100
    assert found.has_vocabulary


@pytest.mark.parametrize(("statement", "expected"), PLANTED + MISTYPED)
def test_what_is_planted_is_found(tmp_path: Path, statement: str, expected: str) -> None:
    assert describe(make_checked(f"sqlite:///{tmp_path}/o.db", statement)) == expected


def test_postgresql_finds_the_same(postgres_server: str) -> None:
    """One of each check, in a schema of its own: to spare time."""
    base = create_engine(postgres_server)
    one_of_each = list({case[1].split()[0]: case for case in PLANTED}.values())
    for number, (statement, expected) in enumerate(one_of_each + RETYPED):
        with base.begin() as connection:
            connection.execute(text(f"create schema planted_{number}"))
        url = base.url.update_query_dict({"options": f"-csearch_path=planted_{number}"})
        engine_url = url.render_as_string(hide_password=False)
        try:
            found = make_checked(engine_url, statement)
            assert describe(found) == expected
        finally:
            with base.begin() as connection:
                connection.execute(text(f"drop schema planted_{number} cascade"))
    base.dispose()


def test_folders_are_checked_as_databases_are(tmp_path: Path) -> None:
    schema = pa.schema([("person_id", pa.int64()), ("gender_concept_id", pa.int64()),
                        ("year_of_birth", pa.int32()), ("race_concept_id", pa.int64()),
                        ("ethnicity_concept_id", pa.int64())])  # fmt: skip
    (tmp_path / "o" / "person").mkdir(parents=True)
    rows: list[dict[str, Any]] = [
        dict.fromkeys(schema.names, 0) | {"person_id": k, "year_of_birth": 1950} for k in (1, 1)
    ]
    rows[0]["year_of_birth"] = None
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "o" / "person" / "part-0.parquet")
    found = check_conformance(OutputSettings("parquet:o"), tmp_path, None)
    assert describe(found) == "isPrimaryKey person.person_id 1; isRequired person.year_of_birth 1"
    assert not found.has_vocabulary


def test_doctor_tells_what_fails(
    night: Path, tmp_path: Path, make_ward: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    ward = make_ward(night, tmp_path)
    config = str(ward.config)
    assert main(["doctor", config, "--output", "--plain"]) == 0
    said = capsys.readouterr().out
    assert "checks of person" in said
    assert "fail" not in said
    with closing(sqlite3.connect(ward.config.with_name("research.db"))) as db, db:
        first = "(select min(note_id) from note)"
        db.execute(f"update note set visit_occurrence_id = 1 where note_id = {first}")
    assert main(["doctor", config, "--output", "--plain"]) == 2
    assert "isForeignKey: note.visit_occurrence_id: 1 rows" in capsys.readouterr().out
    assert main(["doctor", config, "--output", "sqlite:///nothing.db", "--plain"]) == 4

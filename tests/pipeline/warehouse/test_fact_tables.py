"""Costs and relationships of facts in the nightly output: nothing refers to an absent row."""

from collections import Counter
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from pipeline.config.settings import OutputSettings
from pipeline.warehouse.parquet_output import ParquetOutput
from pipeline.warehouse.sql_output import SqlOutput
from pipeline.warehouse.warehouse import open_output
from record.columns import DOMAINS, Treatment, id_kind
from record.policy import Policy
from tests.pipeline.night.test_structured_tables import Clinic, clinic

__all__ = ["clinic"]

NAMES = ("visit_occurrence", "payer_plan_period", "cost", "fact_relationship")
SOURCE = """
create table payer_plan_period (payer_plan_period_id integer primary key, person_id integer,
  payer_plan_period_start_date text, payer_plan_period_end_date text);
insert into payer_plan_period values (7, 1, '2023-01-01', '2024-01-01');
create table cost (cost_id integer primary key, cost_event_id integer, cost_domain_id text,
  cost_type_concept_id integer, currency_concept_id integer, total_charge real,
  payer_plan_period_id integer, revenue_code_source_value text, drg_source_value text);
insert into cost values
  (1, 11, 'Visit', 32814, 44818668, 120.5, 7, 'Wexlovitch', 'Wexlovitch'),
  (2, 12, 'Visit', 32814, 44818668, 1, null, '', ''),         -- a visit that is refused
  (3, 21, 'Visit', 32814, 44818668, 75.25, 7, '', ''),        -- the plan of another person
  (4, 11, 'Wexlovitch', 32814, 44818668, 1, null, '', ''),    -- no domain
  (5, 11, 'Drug', 32814, 44818668, 1, null, '', ''),          -- a table that is not there
  (6, 0, 'Visit', 32814, 44818668, 1, null, '', ''),
  (7, 31, 'Visit', 32814, null, null, 0, '', ''),
  (8, 5, 'Provider', 32814, null, null, null, '', '');        -- a fact of no patient
create table fact_relationship (domain_concept_id_1 integer, fact_id_1 integer,
  domain_concept_id_2 integer, fact_id_2 integer, relationship_concept_id integer);
insert into fact_relationship values
  (8, 11, 5085, 1, 44818759), (8, 11, 5085, 1, 44818759), (5085, 2, 8, 13, 44818759),
  (5085, 4, 8, 21, 44818759), (8, 31, 5085, 5, 44818759), (8, 31, 56, 3, 44818759),
  (56, 1, 56, 2, 44818759),      -- of two persons
  (57, 50, 57, 51, 44818759),    -- of places
  (5085, 999, 8, 21, 44818759);  -- a note that is not there
"""
REFUSED = {
    "cost": {"no-fact": 3, "unknown-domain": 2},
    "fact_relationship": {"duplicate-id": 1, "no-fact": 1, "other-person": 1, "unknown-domain": 1},
}


@pytest.fixture
def ward(clinic: Clinic) -> Clinic:
    clinic.source(SOURCE)
    return clinic


def write(ward: Clinic, *notes: int, **options: Any) -> dict[str, Counter[str]]:
    return ward.write(*notes, **{"names": NAMES, **options}).refused_facts


def costs(ward: Clinic) -> dict[int, dict[str, Any]]:
    return {row["cost_id"]: row for row in ward.rows("cost")}


def facts(ward: Clinic) -> set[tuple[int, ...]]:
    """The relationships; nothing refers to an absent row, or to rows of two persons."""
    concepts = dict(DOMAINS.values())
    rows = ward.rows("fact_relationship")
    for row in rows:
        owners = set()
        for end in (1, 2):
            table = concepts[row[f"domain_concept_id_{end}"]]
            found = [
                each
                for each in ward.rows(table)
                if each[f"{id_kind(f'{table}_id')}_id".replace("visit_id", "visit_occurrence_id")]
                == row[f"fact_id_{end}"]
            ]
            owners.add(found[0]["person_id"])
        assert len(owners) == 1
    for row in ward.rows("cost"):
        assert row["cost_domain_id"] == "Visit"
        visits = {each["visit_occurrence_id"] for each in ward.rows("visit_occurrence")}
        assert row["cost_event_id"] in visits
    names = ("domain_concept_id_1", "fact_id_1", "domain_concept_id_2", "fact_id_2")
    return {tuple(row[name] for name in names) for row in rows}


def fingerprint(ward: Clinic) -> Any:
    """What changes if a row is written, even if its values stay."""
    if ward.url.startswith("postgresql"):
        engine = create_engine(ward.url.replace("postgresql:", "postgresql+psycopg:", 1))
        with engine.connect() as connection:
            read = "select xmin::text, ctid::text from {}"
            found = {
                name: sorted(map(tuple, connection.execute(text(read.format(name)))))
                for name in NAMES
            }
        engine.dispose()
        return found
    folder = ward.folder / "research"
    files = folder.rglob("*.*") if folder.is_dir() else [ward.folder / "research.db"]
    return {path: (path.stat().st_ino, path.read_bytes()) for path in files}


def test_rows_refer_to_rows_of_one_person_that_are_there(ward: Clinic) -> None:
    assert write(ward, 1, 2, 3, 4, 5) == REFUSED
    found = costs(ward)
    assert set(found) == {ward.id("cost", k) for k in (1, 3, 7)}
    first = found[ward.id("cost", 1)]
    assert first["cost_event_id"] == ward.id("visit", 11)
    assert (first["total_charge"], first["currency_concept_id"]) == (120.5, 44818668)
    assert first["payer_plan_period_id"] == ward.id("payer_plan_period", 7)
    assert found[ward.id("cost", 3)]["payer_plan_period_id"] is None
    assert found[ward.id("cost", 7)]["payer_plan_period_id"] is None
    v, n = (lambda k: ward.id("visit", k)), (lambda k: ward.id("note", k))
    assert facts(ward) == {
        (8, v(11), 5085, n(1)), (5085, n(2), 8, v(13)), (5085, n(4), 8, v(21)),
        (8, v(31), 5085, n(5)), (8, v(31), 56, ward.id("person", 3)),
    }  # fmt: skip
    assert "Wexlovitch" not in str([ward.rows(name) for name in NAMES])


def test_another_night_without_changes_writes_nothing(ward: Clinic) -> None:
    write(ward, 1, 2, 3, 4, 5)
    before = fingerprint(ward)
    write(ward)
    assert fingerprint(ward) == before
    ward.source("update cost set total_charge = 99 where cost_id = 3")
    ward.source("delete from fact_relationship where fact_id_1 = 2")
    write(ward)
    assert fingerprint(ward) != before
    assert costs(ward)[ward.id("cost", 3)]["total_charge"] == 99
    assert len(facts(ward)) == 4


def test_withdrawn_notes_and_persons_take_their_rows_along_at_once(ward: Clinic) -> None:
    write(ward, 1, 2, 3, 4, 5)
    with closing(open_output(OutputSettings(ward.url, tables=NAMES), ward.folder)) as output:
        output.withdraw([ward.id("note", 1)])
        assert len(facts(ward)) == 4
        assert len(costs(ward)) == 3
        output.withdraw([ward.id("note", 5)])
        output.prune_persons()
        assert len(facts(ward)) == 2
        assert set(costs(ward)) == {ward.id("cost", k) for k in (1, 3)}
    write(ward, 5)
    assert len(facts(ward)) == 4
    assert len(costs(ward)) == 3


def test_rows_that_go_at_the_source_take_along_what_refers_to_them(ward: Clinic) -> None:
    write(ward, 1, 2, 3, 4, 5)
    ward.source(
        "delete from visit_occurrence where visit_occurrence_id in (11, 31);"
        "delete from payer_plan_period"
    )
    with pytest.MonkeyPatch.context() as patch:
        # As in a run that ends before the tables of facts are written.
        for kind in (SqlOutput, ParquetOutput):
            for step in ("clear_tables", "write_facts"):
                patch.setattr(kind, step, lambda *_: None)
        write(ward)
    assert set(costs(ward)) == {ward.id("cost", 3)}
    assert len(facts(ward)) == 2
    assert ward.rows("payer_plan_period") == []


def test_tables_that_are_not_listed_have_no_facts(ward: Clinic) -> None:
    write(ward, 1, 2, 3, 4, 5)
    write(ward, names=("cost", "fact_relationship"))
    assert costs(ward) == {}
    assert facts(ward) == set()
    write(ward)
    assert len(costs(ward)) == 3
    policy = Policy(columns={"cost.total_charge": Treatment.DROP}, visits="drop")
    write(ward, policy=policy)
    assert costs(ward) == {}
    policy = Policy(
        columns={"cost.total_charge": Treatment.DROP, "cost.drg_source_value": Treatment.REKEY}
    )
    write(ward, policy=policy)
    assert {row["total_charge"] for row in costs(ward).values()} == {None}
    assert costs(ward)[ward.id("cost", 1)]["drg_source_value"].isdigit()


def test_a_source_without_domains_has_no_facts(clinic: Clinic) -> None:
    clinic.source("create table cost (cost_id integer primary key, cost_event_id integer)")
    clinic.source("insert into cost values (1, 11)")
    assert clinic.write(1, names=NAMES).names == ("visit_occurrence",)

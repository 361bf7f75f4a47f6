"""Costs and relationships of facts: a release has those of which it has all facts."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pipeline.doctor.output_checks import run_output_checks
from pipeline.release import fact_units
from record.columns import TABLES
from record.errors import ConfigError
from tests.pipeline.conftest import Ward

SOURCE = """
create table cost (cost_id integer primary key, cost_event_id integer, cost_domain_id text,
  cost_type_concept_id integer, currency_concept_id integer, total_paid real,
  payer_plan_period_id integer, drg_source_value text);
insert into cost select visit_occurrence_id, visit_occurrence_id, 'Visit', 32817, 44818568,
  visit_occurrence_id + 0.25, person_id, 'Wexlovitch' from visit_occurrence;
insert into cost values (900001, 999999, 'Visit', 32817, null, 1, null, ''),
  (900002, 1, 'Wexlovitch', 32817, null, 1, null, ''),
  (900003, 1, 'Drug', 32817, null, 1, null, '');
create table payer_plan_period (payer_plan_period_id integer primary key, person_id integer,
  payer_plan_period_start_date text, payer_plan_period_end_date text);
insert into payer_plan_period select person_id, person_id, '2012-01-01', '2014-01-01' from person
  where person_id <> 3;
create table fact_relationship (domain_concept_id_1 integer, fact_id_1 integer,
  domain_concept_id_2 integer, fact_id_2 integer, relationship_concept_id integer);
insert into fact_relationship select 5085, note_id, 8, visit_occurrence_id, 44818759 from note;
insert into fact_relationship select 5085, note_id, 8, visit_occurrence_id, 44818759 from note;
insert into fact_relationship select 56, person_id, 8, visit_occurrence_id, 44818759
  from visit_occurrence;
insert into fact_relationship values (56, 1, 56, 2, 44818759), (57, 1, 57, 2, 44818759),
  (56, 1, 56, 11, 44818759);
"""
PERSONS = range(1, 5)
# Payer plan periods are released only where they are named.
NAMED = frozenset(("visit_occurrence", "payer_plan_period", "cost", "fact_relationship"))


@pytest.fixture
def priced(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> Ward:
    # Several units of each table.
    monkeypatch.setattr(fact_units, "_ROWS", 7)
    with closing(sqlite3.connect(ward.config.with_name("hospital.db"))) as db, db:
        db.executescript(SOURCE)
    return ward


def rows_of(ward: Ward, name: str, form: str) -> list[dict[str, Any]]:
    if form == "sqlite":
        columns = TABLES[name]
        found = ward.rows(f"select {', '.join(columns)} from {name}")
        return [dict(zip(columns, row, strict=True)) for row in found]
    paths = sorted((ward.folder / "cohort" / name).glob(f"part-*.{form}"))
    if form == "jsonl":
        return [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


OUTPUTS = {"sqlite": "sqlite:///cohort.db", "parquet": "parquet:cohort", "jsonl": "jsonl:cohort"}


def check_references(ward: Ward, form: str) -> None:
    """Every fact is there, and those of a row are of one person."""
    owners = {
        table: {row[TABLES[table][0]]: row["person_id"] for row in rows_of(ward, table, form)}
        for table in ("person", "note", "visit_occurrence", "payer_plan_period")
    }
    tables = {8: "visit_occurrence", 56: "person", 5085: "note"}
    for row in rows_of(ward, "fact_relationship", form):
        ends = [owners[tables[row[f"domain_concept_id_{k}"]]][row[f"fact_id_{k}"]] for k in (1, 2)]
        assert ends[0] == ends[1]
    for row in rows_of(ward, "cost", form):
        person = owners["visit_occurrence"][row["cost_event_id"]]
        if (plan := row["payer_plan_period_id"]) is not None:
            assert owners["payer_plan_period"][plan] == person


@pytest.mark.parametrize("form", ["sqlite", "parquet", "jsonl"])
def test_a_release_has_the_facts_of_its_persons(priced: Ward, form: str) -> None:
    made = priced.release(*PERSONS, output=OUTPUTS[form], columns=NAMED)
    check_references(priced, form)
    key = priced.key()
    visits = priced.hospital(
        "select visit_occurrence_id, person_id from visit_occurrence where person_id < 5"
    )
    costs = {row["cost_id"]: row for row in rows_of(priced, "cost", form)}
    assert set(costs) == {key.pseudonym("cost", str(visit)) for visit, _ in visits}
    for visit, person in visits:
        row = costs[key.pseudonym("cost", str(visit))]
        assert row["cost_event_id"] == key.pseudonym("visit", str(visit))
        assert row["total_paid"] == visit + 0.25
        assert row["cost_domain_id"] == "Visit"
        assert (row["payer_plan_period_id"] is None) == (person == 3)
        assert row["drg_source_value"] is None
    facts = rows_of(priced, "fact_relationship", form)
    released = rows_of(priced, "note", form)
    kinds = [row["domain_concept_id_1"] for row in facts]
    assert kinds.count(56) == len(visits)
    assert kinds.count(5085) == sum(row["visit_occurrence_id"] is not None for row in released) > 9
    counts = made.manifest["counts"]["tables"]
    assert counts["cost"]["released"] == len(costs)
    assert counts["cost"]["refused unknown-domain"] == 1
    assert counts["fact_relationship"]["refused unknown-domain"] == 1
    assert counts["fact_relationship"]["refused other-person"] == 1
    assert counts["fact_relationship"]["refused duplicate-id"] == kinds.count(5085)
    assert made.manifest["tables"]["cost"]["rows"] == len(costs)
    assert "Wexlovitch" not in str((facts, costs))


@pytest.mark.parametrize("form", ["sqlite", "parquet"])
def test_withdrawn_persons_take_their_facts_along_and_nothing_else_changes(
    priced: Ward, form: str
) -> None:
    priced.release(*PERSONS, output=OUTPUTS[form], columns=NAMED)
    assert not priced.release(*PERSONS, output=OUTPUTS[form], columns=NAMED).is_changed
    before = len(rows_of(priced, "cost", form))
    made = priced.release(1, 2, 3, output=OUTPUTS[form], columns=NAMED, accept_withdrawals=True)
    check_references(priced, form)
    (lost,) = priced.hospital("select count(*) from visit_occurrence where person_id = 4")[0]
    assert len(rows_of(priced, "cost", form)) == before - lost
    assert made.changes["cost"].withdrawn == lost
    assert made.changes["cost"].added == made.changes["cost"].changed == 0
    mine = "select visit_occurrence_id from visit_occurrence where person_id = 1"
    priced.hospital(f"update cost set total_paid = 1 where cost_event_id in ({mine})")
    again = priced.release(1, 2, 3, output=OUTPUTS[form], columns=NAMED)
    assert again.changes["cost"].changed > 0
    assert again.changes["fact_relationship"].is_empty
    found = list(run_output_checks(priced.config, priced.url(OUTPUTS[form])))
    assert not [each for each in found if str(each.status) == "fail"], found


def test_facts_of_tables_that_are_not_asked_for_are_left_out(priced: Ward) -> None:
    made = priced.release(*PERSONS, columns=frozenset(("cost", "fact_relationship")))
    assert priced.rows("select count(*) from cost") == [(0,)]
    assert made.manifest["counts"]["tables"]["cost"].get("released", 0) == 0
    priced.release(*PERSONS, columns=frozenset(("visit_occurrence", "cost.total_paid")))
    rows = priced.rows("select distinct currency_concept_id from cost")
    assert rows == [(0,)]
    assert priced.rows("select count(*) from cost where total_paid is null") == [(0,)]


def test_an_id_that_fits_no_permutation_is_refused(priced: Ward) -> None:
    priced.hospital("update fact_relationship set fact_id_1 = -5 where fact_id_1 = 1")
    priced.hospital(f"update cost set payer_plan_period_id = {2**40} where cost_event_id = 1")
    priced.release(*PERSONS, columns=NAMED)
    check_references(priced, "sqlite")
    priced.hospital(f"update cost set cost_id = {2**40} where cost_id = 2")
    with pytest.raises(ConfigError, match="ids of cost"):
        priced.release(*PERSONS, columns=NAMED)


def test_no_source_value_is_in_any_file(priced: Ward) -> None:
    priced.release(*PERSONS, output="parquet:cohort", columns=NAMED)
    files = [path for path in Path(priced.folder / "cohort").rglob("*.*") if path.is_file()]
    assert len(files) > 5
    assert all(b"Wexlovitch" not in path.read_bytes() for path in files)


def test_costs_name_no_plan_where_plans_are_not_released(priced: Ward) -> None:
    priced.release(*PERSONS, columns=NAMED - {"payer_plan_period"})
    assert priced.rows("select distinct payer_plan_period_id from cost") == [(None,)]


def test_amounts_are_released_only_where_they_are_named(priced: Ward) -> None:
    made = priced.release(*PERSONS)
    assert not {"cost", "payer_plan_period"} & set(made.manifest["tables"])
    assert "fact_relationship" in made.manifest["tables"]

"""The OMOP CDM 5.4 tables of notes, visits, events and places as SQLAlchemy tables."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import Column, Date, DateTime, Float, Index, Integer, Table, Text
from sqlalchemy.types import TypeEngine

from pipeline.warehouse.omop_tables import LONG, make_release_tables
from record.columns import COLUMNS, FACTS, TABLES, ColumnType

Row = tuple[Any, ...]
"""The values of a row in the order of its table's columns."""

NOTE_TABLES = ("note", "note_span")
"""The tables made from notes."""
FACT_TABLES = tuple(FACTS)
"""Tables whose rows refer to rows of any table, and have no patient themselves."""
REFERENCE_TABLES = ("provider", "care_site", "location")
"""Tables without patients: an output has the rows that other tables refer to."""
STAFF_TABLES = ("provider", "care_site")
"""Who treats patients, and where: left out where the policy drops clinicians."""
VISIT_TABLES = ("visit_detail", "visit_occurrence")
"""Visits of released rows are released whatever the date window: details before visits."""

_KINDS: dict[ColumnType, TypeEngine[Any]] = {
    ColumnType.ID: LONG,
    ColumnType.CODE: LONG,
    ColumnType.DATE: Date(),
    ColumnType.MOMENT: DateTime(),
    ColumnType.NUMBER: Float(),
    ColumnType.TEXT: Text(),
}
_INTEGERS = frozenset(
    (
        *("year_of_birth", "month_of_birth", "day_of_birth", "refills", "days_supply", "gap_days"),
        *("condition_occurrence_count", "drug_exposure_count", "episode_number"),
    )
)
"""Numeric columns that the CDM defines as integers."""


REQUIRED_COLUMNS: Mapping[str, tuple[str, ...]] = {
    name: tuple(columns.split())
    for name, columns in {
        "person": "person_id gender_concept_id year_of_birth race_concept_id ethnicity_concept_id",
        "observation_period": "observation_period_id person_id observation_period_start_date "
        "observation_period_end_date period_type_concept_id",
        "visit_occurrence": "visit_occurrence_id person_id visit_concept_id visit_start_date "
        "visit_end_date visit_type_concept_id",
        "visit_detail": "visit_detail_id person_id visit_detail_concept_id "
        "visit_detail_start_date visit_detail_end_date visit_detail_type_concept_id "
        "visit_occurrence_id",
        "condition_occurrence": "condition_occurrence_id person_id condition_concept_id "
        "condition_start_date condition_type_concept_id",
        "drug_exposure": "drug_exposure_id person_id drug_concept_id drug_exposure_start_date "
        "drug_exposure_end_date drug_type_concept_id",
        "procedure_occurrence": "procedure_occurrence_id person_id procedure_concept_id "
        "procedure_date procedure_type_concept_id",
        "device_exposure": "device_exposure_id person_id device_concept_id "
        "device_exposure_start_date device_type_concept_id",
        "measurement": "measurement_id person_id measurement_concept_id measurement_date "
        "measurement_type_concept_id",
        "observation": "observation_id person_id observation_concept_id observation_date "
        "observation_type_concept_id",
        "death": "person_id death_date",
        "note": "note_id person_id note_date note_type_concept_id note_class_concept_id note_text "
        "encoding_concept_id language_concept_id",
        "note_nlp": "note_nlp_id note_id lexical_variant nlp_date",
        "specimen": "specimen_id person_id specimen_concept_id specimen_type_concept_id "
        "specimen_date",
        "condition_era": "condition_era_id person_id condition_concept_id "
        "condition_era_start_date condition_era_end_date",
        "drug_era": "drug_era_id person_id drug_concept_id drug_era_start_date drug_era_end_date",
        "dose_era": "dose_era_id person_id drug_concept_id unit_concept_id dose_value "
        "dose_era_start_date dose_era_end_date",
        "payer_plan_period": "payer_plan_period_id person_id payer_plan_period_start_date "
        "payer_plan_period_end_date",
        "episode": "episode_id person_id episode_concept_id episode_start_date "
        "episode_object_concept_id episode_type_concept_id",
        "cost": "cost_id cost_event_id cost_domain_id cost_type_concept_id",
        "fact_relationship": "domain_concept_id_1 fact_id_1 domain_concept_id_2 fact_id_2 "
        "relationship_concept_id",
        "location": "location_id",
        "care_site": "care_site_id",
        "provider": "provider_id",
    }.items()
}
"""The columns of OMOP CDM 5.4 that every row has."""


def patient_tables() -> tuple[str, ...]:
    """Return the tables whose rows belong to one patient each, except person and note tables."""
    own = {"person", *NOTE_TABLES}
    return tuple(name for name, names in TABLES.items() if "person_id" in names and name not in own)


@cache
def make_tables(schema: str | None) -> Mapping[str, Table]:
    """Define every table that a release can have; the first column of each is its key.

    That of `fact_relationship`, which has none in OMOP CDM, is all of its columns. Tables with
    patients have an index on `person_id`, by which releases are compared, and `note_nlp` has one on
    `note_id`, by which its rows are replaced. All callers share them.
    """
    metadata = make_release_tables(schema)
    for name, columns in TABLES.items():
        if (f"{schema}.{name}" if schema else name) not in metadata.tables:
            keys = columns if name == "fact_relationship" else columns[:1]
            Table(name, metadata, *(_define(name, each, is_key=each in keys) for each in columns))
    tables = {table.name: table for table in metadata.tables.values()}
    for name, table in tables.items():
        indexed = {column.name for index in table.indexes for column in index.columns}
        is_key = name in ("person", "death")
        if "person_id" in table.columns and not is_key and "person_id" not in indexed:
            Index(f"idx_{name}_person_id", table.columns.person_id)
    Index("idx_note_nlp_note_id", tables["note_nlp"].columns.note_id)
    for name, facts in FACTS.items():
        for fact in (each for each in facts if each != TABLES[name][0]):
            Index(f"idx_{name}_{fact}", tables[name].columns[fact])
    return tables


def _define(table: str, column: str, *, is_key: bool) -> Column[Any]:
    if not is_key:
        return Column(column, _kind(table, column))
    return Column(column, LONG, primary_key=True, autoincrement=False)


def _kind(table: str, column: str) -> TypeEngine[Any]:
    return Integer() if column in _INTEGERS else _KINDS[COLUMNS[f"{table}.{column}"].holds]

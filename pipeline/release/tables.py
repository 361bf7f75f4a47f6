"""The OMOP CDM 5.4 tables of a release as SQLAlchemy tables, and the order they are written in."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Column, Date, DateTime, Float, Index, Integer, Table, Text
from sqlalchemy.types import TypeEngine

from pipeline.warehouse.omop_tables import LONG, make_release_tables
from record.columns import COLUMNS, TABLES, ColumnType, id_kind

SPANS = "note_span"
"""One row for each surrogate: what a release has only where it was asked for."""
NOTE_TABLES = ("note", SPANS)
"""The tables made from notes."""
REFERENCE_TABLES = ("provider", "care_site", "location")
"""Tables without patients: a release has the rows that other tables refer to."""
STAFF_TABLES = ("provider", "care_site")
"""Who treats patients, and where: left out where the policy drops clinicians."""
METADATA_TABLES = ("cdm_source", "metadata")
"""The tables that describe the release itself."""
VISIT_TABLES = ("visit_detail", "visit_occurrence")
"""Visits of released rows are released whatever the date window: details before visits."""
NOTE_NLP = "note_nlp"
"""Findings of other programs in notes, released with their notes."""

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
        *("condition_occurrence_count", "drug_exposure_count"),
    )
)
"""Numeric columns that the CDM defines as integers."""


def patient_tables() -> tuple[str, ...]:
    """Return the tables whose rows belong to one patient each, except person and note tables."""
    own = {"person", *NOTE_TABLES}
    return tuple(name for name, names in TABLES.items() if "person_id" in names and name not in own)


def list_tables_in_write_order(present: Collection[str]) -> tuple[str, ...]:
    """Return the tables of a release in write order: tables that others refer to come first.

    `present` are those that the source has and the request names.
    """
    others = [name for name in patient_tables() if name not in VISIT_TABLES]
    ordered = (
        *reversed(REFERENCE_TABLES),
        "person",
        *reversed(VISIT_TABLES),
        *NOTE_TABLES,
        *others,
        NOTE_NLP,
    )
    return (*(name for name in ordered if name in present), *METADATA_TABLES)


def make_tables(schema: str | None) -> dict[str, Table]:
    """Define every table that a release can have; the first column of each is its key.

    Tables with patients have an index on `person_id`, by which releases are compared.
    """
    metadata = make_release_tables(schema)
    for name, columns in TABLES.items():
        if (f"{schema}.{name}" if schema else name) not in metadata.tables:
            first, *rest = columns
            key = Column(first, LONG, primary_key=True, autoincrement=False)
            Table(name, metadata, key, *(Column(each, _kind(name, each)) for each in rest))
    tables = {table.name: table for table in metadata.tables.values()}
    for name, table in tables.items():
        indexed = {column.name for index in table.indexes for column in index.columns}
        is_key = name in ("person", "death")
        if "person_id" in table.columns and not is_key and "person_id" not in indexed:
            Index(f"idx_{name}_person_id", table.columns.person_id)
    return tables


def start_column(table: str) -> str | None:
    """Return the date column that the date window applies to; None where a table has none."""
    dates = [c for c in TABLES.get(table, ()) if COLUMNS[f"{table}.{c}"].holds is ColumnType.DATE]
    return next((column for column in dates if column.endswith("_start_date")), None) or next(
        iter(dates), None
    )


def date_columns(table: str) -> tuple[str, ...]:
    """Return the columns of dates and moments of a table, but for births."""
    held = (ColumnType.DATE, ColumnType.MOMENT)
    names = [name for name in TABLES.get(table, ()) if COLUMNS[f"{table}.{name}"].holds in held]
    return () if table == "person" else tuple(names)


def visit_columns(table: str) -> dict[str, tuple[str, ...]]:
    """Return the columns of a table that refer to visits, by the table of visits."""
    return {
        visits: tuple(
            name
            for name in TABLES.get(table, ())
            if name.endswith("_id") and name != TABLES[table][0] and id_kind(name) == kind
        )
        for visits, kind in ((name, id_kind(f"{name}_id")) for name in VISIT_TABLES)
    }


def _kind(table: str, column: str) -> TypeEngine[Any]:
    return Integer() if column in _INTEGERS else _KINDS[COLUMNS[f"{table}.{column}"].holds]

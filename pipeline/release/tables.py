"""The tables of a release: those of OMOP CDM 5.4 that the policy names, as outputs hold them."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Column, Date, DateTime, Float, Index, Integer, Table, Text
from sqlalchemy.types import TypeEngine

from pipeline.warehouse.omop_tables import LONG, release_tables
from record.columns import COLUMNS, TABLES, ColumnType

NOTES = ("note", "note_span")
"""What becomes of a note; `note_span` has one row for each surrogate."""
REFERRED = ("provider", "care_site", "location")
"""Tables without patients: a release has the rows that others refer to, each after those."""
SELVES = ("cdm_source", "metadata")
"""What tells of the release itself."""
VISITS = ("visit_detail", "visit_occurrence")
"""Rows that a released row belongs to come along, whatever the window: details before stays."""
OF_NOTES = "note_nlp"
"""What another program found in notes: it comes along with them."""

_KINDS: dict[ColumnType, TypeEngine[Any]] = {
    ColumnType.ID: LONG,
    ColumnType.CODE: LONG,
    ColumnType.DATE: Date(),
    ColumnType.MOMENT: DateTime(),
    ColumnType.NUMBER: Float(),
    ColumnType.TEXT: Text(),
}
_WHOLE = frozenset(
    (
        *("year_of_birth", "month_of_birth", "day_of_birth", "refills", "days_supply", "gap_days"),
        *("condition_occurrence_count", "drug_exposure_count"),
    )
)
"""Numbers that the CDM counts in whole ones."""


def patient_tables() -> tuple[str, ...]:
    """Name the tables whose rows are of one patient each, beside notes and persons."""
    own = {"person", *NOTES}
    return tuple(name for name, names in TABLES.items() if "person_id" in names and name not in own)


def order_of(present: Collection[str]) -> tuple[str, ...]:
    """Name the tables of a release in the order they are written: the referred to come first.

    `present` are those that the source has and the cohort asks for.
    """
    others = [name for name in patient_tables() if name not in VISITS]
    ordered = (*reversed(REFERRED), "person", *reversed(VISITS), *NOTES, *others, OF_NOTES)
    return (*(name for name in ordered if name in present), *SELVES)


def make_tables(schema: str | None) -> dict[str, Table]:
    """Make every table that a release may hold; the first column of each is its key.

    Those with patients have an index on `person_id`, since a release is compared by it.
    """
    metadata = release_tables(schema)
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


def started(table: str) -> str | None:
    """Name the column with the day that a window looks at; None where rows have none."""
    dates = [c for c in TABLES.get(table, ()) if COLUMNS[f"{table}.{c}"].holds is ColumnType.DATE]
    return next((column for column in dates if column.endswith("_start_date")), None) or next(
        iter(dates), None
    )


def _kind(table: str, column: str) -> TypeEngine[Any]:
    return Integer() if column in _WHOLE else _KINDS[COLUMNS[f"{table}.{column}"].holds]

"""The tables of a release: the order they are written in, and their dates and visits."""

from collections.abc import Collection

from pipeline.warehouse.cdm_tables import (
    FACT_TABLES,
    NOTE_TABLES,
    REFERENCE_TABLES,
    VISIT_TABLES,
    patient_tables,
)
from pipeline.warehouse.findings import NOTE_NLP
from record.columns import COLUMNS, TABLES, ColumnType, id_kind

SPANS = NOTE_TABLES[1]
"""One row for each surrogate: what a release has only where it was asked for."""
METADATA_TABLES = ("cdm_source", "metadata")
"""The tables that describe the release itself."""


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
        *FACT_TABLES,
    )
    return (*(name for name in ordered if name in present), *METADATA_TABLES)


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

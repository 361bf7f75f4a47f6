"""The tables of a release: the order they are written in, their dates and visits; periods."""

from collections import Counter
from collections.abc import Collection
from typing import Any

import pyarrow as pa

from pipeline.warehouse.cdm_tables import (
    FACT_TABLES,
    NOTE_TABLES,
    REFERENCE_TABLES,
    VISIT_TABLES,
    patient_tables,
)
from pipeline.warehouse.databases import retrying
from pipeline.warehouse.findings import NOTE_NLP
from pipeline.warehouse.note_rows import parse_date
from pipeline.warehouse.table_reader import present_columns
from pipeline.warehouse.warehouse import Source
from record.columns import CDM, COLUMNS, TABLES, ColumnType, id_kind
from record.errors import Unreadable

SPANS = NOTE_TABLES[1]
"""One row for each surrogate: what a release has only where it was asked for."""
PERIODS = "observation_period"
_SHARE, _LEAST = 0.05, 10
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


@retrying
def find_shared_days(source: Source) -> frozenset[str]:
    """Return the days, in ISO 8601, on which periods of more than 5 % of the rows begin or end.

    They are counted over the whole source, and are of more than ten rows: days of a load, not of a
    person. Moved by each person's shift, such a day would tell it, as plan years do.
    """
    wanted = CDM[PERIODS]["date"].split()
    columns = [name for name in wanted if name in present_columns(source, PERIODS)]
    counts: dict[str, Counter[str]] = {name: Counter() for name in columns}
    rows = 0
    for batch in source.store.stream(PERIODS, columns) if columns else ():
        rows += len(batch[columns[0]])
        for name in columns:
            # Of each value once: equal days are many where it matters.
            for value, count in Counter(batch[name]).items():
                if day := _read_day(value):
                    counts[name][day] += count
    least = max(_LEAST, _SHARE * rows)
    return frozenset(day for each in counts.values() for day, n in each.items() if n > least)


def find_rows_of(days: frozenset[str], columns: dict[str, pa.Array]) -> list[bool]:
    """Return which rows of periods begin or end on one of the days."""
    found = [False] * len(next(iter(columns.values())))
    for name in CDM[PERIODS]["date"].split():
        if name in columns:
            texts = columns[name].cast(pa.string()).to_pylist()
            found = [
                each or (text or "")[:10] in days for each, text in zip(found, texts, strict=True)
            ]
    return found


def _read_day(value: Any) -> str:
    try:
        day = parse_date(value)
    except Unreadable:
        return ""
    return day.isoformat() if day else ""

"""Days on which periods of very many persons begin or end: those of a load, not of a person.

Moved by each person's shift, such a day would tell it, as plan years do.
"""

from collections import Counter
from typing import Any

import pyarrow as pa

from pipeline.warehouse.note_rows import parse_date
from pipeline.warehouse.table_reader import present_columns
from pipeline.warehouse.warehouse import Source
from record.columns import CDM
from record.errors import Unreadable

PERIODS = "observation_period"
_SHARE, _LEAST = 0.05, 10


def find_shared_days(source: Source) -> frozenset[str]:
    """Return the days, in ISO 8601, on which periods of more than 5 % of the rows begin or end.

    They are counted over the whole source, and are of more than ten rows.
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

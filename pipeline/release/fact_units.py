"""Builds the units of `cost` and `fact_relationship`, whose rows refer to rows of all others."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from pipeline.release.plan import FULL_RANGE
from pipeline.release.release_context import ReleaseContext
from pipeline.release.row_digests import Row
from pipeline.release.staging import ReleaseUnit, ReleaseUnitResult
from pipeline.release.unit_files import TableFile
from pipeline.warehouse.cdm_tables import FACT_TABLES
from pipeline.warehouse.fact_rows import FactReader
from pipeline.warehouse.parquet_source import guard_parquet
from pipeline.warehouse.row_links import Ids, gather, make_lookup

_WHAT = "release staging folder"
_ROWS = 100_000


def make_fact_units(context: ReleaseContext, first: int) -> dict[str, Counter[str]]:
    """Build the units of the tables of facts, numbered from `first`, while no table is sorted yet.

    The source's tables are read once, as a whole. A row is released if all that it refers to is.
    Returns the counts of rows by table and outcome.
    """
    tools = context.tools
    reader = FactReader(tools.source, tools.cohort, tools.columns, context.tables)
    lookup = make_lookup(partial(_load_owners, context))
    counts: dict[str, Counter[str]] = {}
    for name in (each for each in FACT_TABLES if each in context.names):
        found = counts[name] = Counter()
        for rows in gather(reader.read(name, lookup), _ROWS):
            _store(context, name, first, rows)
            found["released"] += len(rows)
            first += 1
        found.update({f"refused {why}": count for why, count in reader.refused[name].items()})
    return counts


def _store(context: ReleaseContext, name: str, index: int, rows: Sequence[Row]) -> None:
    staging = context.staging
    staging.add_units([ReleaseUnit(index, *FULL_RANGE, [], [])])
    path = staging.unit_path(name, index)
    path.unlink(missing_ok=True)
    file = TableFile(path, context.tables[name], has_digests=True)
    try:
        file.add(rows)
    finally:
        file.close()
    written = {name: (file.hashes.rows, file.hashes.total)}
    staging.commit(index, ReleaseUnitResult((), {}, {}, {}, written=written))


def _load_owners(context: ReleaseContext, name: str) -> tuple[Ids, Ids]:
    """Return the ids of the staged rows of a table, and of their persons."""
    key = context.tables[name].columns[0].name
    files = context.staging.unit_files(name) if name in context.names else ()
    return _load(files, key), _load(files, "person_id")


def _load(files: Sequence[Path], column: str) -> Ids:
    with guard_parquet(_WHAT):
        held = (pq.read_table(path, columns=[column])[column].to_numpy() for path in files)
        return np.concatenate([np.zeros(0, np.int64), *held])

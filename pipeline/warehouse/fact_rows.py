"""Rows of `cost` and `fact_relationship`, which refer to facts of patients in any table."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from struct import pack

import numpy as np
import pyarrow as pa
from sqlalchemy import Table

from pipeline.warehouse.cdm_tables import FACT_TABLES, Row
from pipeline.warehouse.note_rows import parse_integer
from pipeline.warehouse.row_links import FACT_LINKS, FindOwners, Ids
from pipeline.warehouse.table_reader import present_columns, to_array, to_rows
from pipeline.warehouse.warehouse import Source
from record.columns import FACTS, domains_of
from surrogates.keys.keys import CohortKey
from surrogates.tables.columns import Columns


def list_fact_tables(source: Source) -> tuple[str, ...]:
    """Return the tables of facts whose references a source has."""
    return tuple(name for name in FACT_TABLES if _has_references(source, name))


def _has_references(source: Source, name: str) -> bool:
    facts = FACTS[name]
    return {*facts, *facts.values()} <= set(present_columns(source, name))


@dataclass(frozen=True)
class FactReader:
    """Reads tables of facts under a cohort's key: rows whose facts are all of one released person.

    `refused` counts the other rows by table and reason: `unknown-domain`, `no-fact` where a fact is
    not released, `other-person` where two facts are of different persons, `duplicate-id`. The keys
    of a table that is read take some hundred bytes a row.
    """

    source: Source
    cohort: CohortKey
    columns: Columns
    tables: Mapping[str, Table]
    refused: dict[str, Counter[str]] = field(default_factory=dict)

    def read(self, name: str, find_owners: FindOwners) -> Iterator[list[Row]]:
        """Stream the rows of a table in batches, with the columns of the output's table."""
        refused = self.refused[name] = Counter()
        table, names = self.tables[name], present_columns(self.source, name)
        seen, width = set[int | bytes](), len(table.primary_key.columns)
        for columns in self.source.store.stream(name, names):
            batch = {each: to_array(name, each, values) for each, values in columns.items()}
            for link in FACT_LINKS.get(name, ()):
                if link in batch:
                    batch[link] = self._empty_impossible(batch[link])
            treated = self.columns.treat(name, pa.table(batch))
            refused.update(treated.refused)
            kept = self._keep_owned(name, treated.rows, find_owners)
            rows = []
            for row in to_rows(kept, table) if kept.num_rows else ():
                # 40 bytes for each row of `fact_relationship`, exactly.
                key = pack("<5q", *row) if width > 1 else row[0]
                if key in seen:
                    refused["duplicate-id"] += 1
                else:
                    seen.add(key)
                    rows.append(row)
            if rows:
                yield rows

    def _empty_impossible(self, column: pa.Array) -> pa.Array:
        limit = 1 << self.cohort.id_bits
        numbers = map(parse_integer, column.to_pylist())
        kept = [n if n is not None and 0 < n < limit else None for n in numbers]
        return pa.array(kept, pa.int64())

    def _keep_owned(self, name: str, rows: pa.Table, find_owners: FindOwners) -> pa.Table:
        """Keep rows whose facts are of one person; empty links to rows that are not theirs."""
        owners = [
            _find_owners(rows, fact, domain, domains_of(f"{name}.{domain}"), find_owners)
            for fact, domain in FACTS[name].items()
        ]
        is_whole = np.logical_and.reduce([each > 0 for each in owners])
        is_one = np.logical_and.reduce([each == owners[0] for each in owners])
        refused = self.refused[name]
        for reason, count in (("no-fact", ~is_whole), ("other-person", is_whole & ~is_one)):
            if found := int(count.sum()):
                refused[reason] += found
        kept = is_whole & is_one
        rows, owner = rows.filter(pa.array(kept)), owners[0][kept]
        for link, table in FACT_LINKS.get(name, {}).items():
            if link in rows.schema.names:
                ids = _to_numbers(rows.column(link))
                ids = np.where(find_owners(table, ids) == owner, ids, 0)
                place = rows.schema.get_field_index(link)
                rows = rows.set_column(place, link, pa.array(ids, mask=ids == 0))
        return rows


def _find_owners(
    rows: pa.Table,
    fact: str,
    domain: str,
    tables: Mapping[str | int, str],
    find_owners: FindOwners,
) -> Ids:
    ids, owners = _to_numbers(rows.column(fact)), np.zeros(rows.num_rows, np.int64)
    values = np.array(rows.column(domain).to_pylist(), object)
    for value in dict.fromkeys(values):
        mine = values == value
        owners[mine] = find_owners(tables[value], ids[mine])
    return owners


def _to_numbers(column: pa.ChunkedArray) -> Ids:
    """Return a column of ids; 0 where it is empty, which no row has."""
    numbers: Ids = column.cast(pa.int64()).combine_chunks().fill_null(0).to_numpy(False)
    return numbers

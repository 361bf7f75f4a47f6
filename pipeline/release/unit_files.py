"""Reads and writes the files of a release unit: one per table, Parquet or JSON Lines."""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from operator import itemgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sqlalchemy import Date, DateTime, Table

from pipeline.release.row_digests import Row, TableHashes, iso, row_key
from pipeline.warehouse.arrow_schemas import make_arrow_schema
from pipeline.warehouse.parquet_source import guard_parquet

PARQUET_PART, JSONL_PART = "parquet", "jsonl"

DIGEST = pa.field("row_sha256", pa.binary())
"""The column of a unit's file that has the digest of each row; no release has it."""
_WHAT = "release staging folder"
_BATCH = 1_000
_READ = 50_000
_HASHED = 1 << 20
_ENCODER = json.JSONEncoder(ensure_ascii=False, default=iso)


class PartFile:
    """Writes the rows of one table to a file; no file is written where no row is added."""

    def __init__(self, path: Path, table: Table, *, has_digests: bool = False) -> None:
        self.path = path
        self.schema = make_arrow_schema(table)
        if has_digests:
            self.schema = self.schema.append(DIGEST)
        self._writer: pq.ParquetWriter | None = None

    def write_rows(self, rows: Sequence[Row]) -> None:
        """Write rows with a value for each column."""
        if self.path.suffix == f".{JSONL_PART}":
            names = self.schema.names
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with guard_parquet(_WHAT), self.path.open("ab") as file:
                for row in rows:
                    named = dict(zip(names, row, strict=True))
                    file.write(_ENCODER.encode(named).encode() + b"\n")
            return
        columns = zip(*rows, strict=True)
        arrays = [
            pa.array(column, kind) for column, kind in zip(columns, self.schema.types, strict=True)
        ]
        self.write_table(pa.Table.from_arrays(arrays, schema=self.schema))

    def write_table(self, rows: pa.Table, group: int | None = None) -> None:
        """Write rows as columns, with at most `group` in a row group of Parquet."""
        if self.path.suffix == f".{JSONL_PART}":
            for batch in rows.to_batches(_BATCH):
                self.write_rows(to_rows(batch))
            return
        with guard_parquet(_WHAT):
            if self._writer is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._writer = pq.ParquetWriter(self.path, self.schema, compression="zstd")
            self._writer.write_table(rows, row_group_size=group)

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            with guard_parquet(_WHAT):
                self._writer.close()
            self._writer = None


class TableFile:
    """Writes the rows of one table to a file, and keeps the digests that a comparison needs.

    Rows are sorted by key within each call of `add`; equal calls give equal bytes. With
    `has_digests` the file has the digest of each row as another column.
    """

    def __init__(self, path: Path, table: Table, *, has_digests: bool = False) -> None:
        self.path = path
        self.hashes = TableHashes()
        self._key = itemgetter(slice(max(1, len(table.primary_key.columns))))
        self._file = PartFile(path, table, has_digests=has_digests)
        self._has_digests = has_digests
        self._floats = [
            place
            for place, kind in enumerate(self._file.schema.types)
            if pa.types.is_floating(kind)
        ]

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows with a value for each column."""
        if not rows:
            return
        storable = map(self._replace_non_finite, rows) if self._floats else rows
        ordered = sorted(storable, key=self._key)
        digests = self.hashes.add(ordered)
        if self._has_digests:
            ordered = [(*row, digest) for row, digest in zip(ordered, digests, strict=True)]
        self._file.write_rows(ordered)

    def close(self) -> None:
        """Finish the file."""
        self._file.close()

    def _replace_non_finite(self, row: Row) -> Row:
        # Not every database can store NaN and infinity.
        if all(row[place] is None or math.isfinite(row[place]) for place in self._floats):
            return row
        values = list(row)
        for place in self._floats:
            value = values[place]
            values[place] = value if value is None or math.isfinite(value) else None
        return tuple(values)


def read_part(path: Path, table: Table) -> Iterator[list[Row]]:
    """Stream the rows of a file in batches; nothing where there is no file."""
    if not path.is_file():
        return
    with guard_parquet(_WHAT):
        if path.suffix == f".{JSONL_PART}":
            yield from _read_json_lines(path, table)
            return
        for batch in read_batches(path, table):
            yield to_rows(batch)


def read_batches(path: Path, table: Table) -> Iterator[pa.RecordBatch]:
    """Stream a Parquet file in batches with the columns of its table."""
    names = [column.name for column in table.columns]
    with guard_parquet(_WHAT), pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_BATCH, use_threads=False):
            yield batch.select(names)


def to_rows(batch: pa.RecordBatch) -> list[Row]:
    """Return the rows of a batch."""
    return list(zip(*(column.to_pylist() for column in batch.columns), strict=True))


def _read_json_lines(path: Path, table: Table) -> Iterator[list[Row]]:
    parsers = [
        datetime.fromisoformat if isinstance(c.type, DateTime) else date.fromisoformat
        if isinstance(c.type, Date) else None
        for c in table.columns
    ]  # fmt: skip
    names = [column.name for column in table.columns]
    rows: list[Row] = []
    with path.open("rb") as file:
        for line in file:
            found = json.loads(line)
            values = (found[name] for name in names)
            rows.append(
                tuple(
                    read(value) if read and value is not None else value
                    for read, value in zip(parsers, values, strict=True)
                )
            )
            if len(rows) == _BATCH:
                yield rows
                rows = []
    if rows:
        yield rows


def read_keys(path: Path, table: Table) -> tuple[int, set[int]]:
    """Read back the number of rows of a file, and their keys."""
    first = table.columns[0].name
    rows, keys = 0, set[int]()
    if not path.is_file():
        return rows, keys
    with guard_parquet(_WHAT):
        if path.suffix == f".{JSONL_PART}":
            with path.open("rb") as file:
                for line in file:
                    rows += 1
                    keys.add(row_key((json.loads(line)[first],)))
            return rows, keys
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_READ, columns=[first], use_threads=False):
                rows += batch.num_rows
                keys.update(row_key((value,)) for value in pc.unique(batch.column(0)).to_pylist())
    return rows, keys


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_HASHED):
            digest.update(block)
    return digest.hexdigest()

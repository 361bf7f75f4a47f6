"""Sorts the rows that units made by id over each whole table, into parts that are published.

Units are ranges of persons, and their rows come in the order of the source. Sorted by pseudonym,
neither the order of rows nor the number of a part tells the order or the owner of a source row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sqlalchemy import Table

from pipeline.release.plan import KeyRange, divide_keys
from pipeline.release.release_context import ReleaseContext
from pipeline.release.row_digests import (
    MODULUS,
    Difference,
    TableHashes,
    compare_rows,
)
from pipeline.release.staging import PartResult, incomplete
from pipeline.release.tables import METADATA_TABLES
from pipeline.release.unit_files import DIGEST, PartFile, digest_file, read_keys
from pipeline.warehouse.cdm_tables import REFERENCE_TABLES
from pipeline.warehouse.parquet_source import guard_parquet

CHUNK_BYTES = 64 << 20
"""About how much of a table is sorted at once, in memory."""
_WHAT = "release staging folder"
_CELL = 8
_GROUP = 50_000


def arrange_tables(context: ReleaseContext, units: int) -> None:
    """Sort the tables of all units, compare them with what is published, and store their parts.

    Raises Incomplete where rows of a unit are missing.
    """
    written: dict[str, tuple[int, int]] = {}
    for index in context.staging.indexes():
        made = context.staging.result(index)
        for name, (rows, total) in made.written.items() if made else ():
            before = written.get(name, (0, 0))
            written[name] = before[0] + rows, (before[1] + total) % MODULUS
    for name in context.names:
        is_whole = name in (*REFERENCE_TABLES, *METADATA_TABLES)
        ranges = divide_keys(context.tools.cohort.id_bits, 1 if is_whole else units)
        arrangement = _Arrangement(context, name, ranges)
        rows = total = 0
        for part in arrangement.make_parts():
            context.staging.add_part(part)
            rows, total = rows + part.rows, (total + part.total) % MODULUS
        if (rows, total) != written.get(name, (0, 0)):
            raise incomplete(f"table {name} is not the rows that its units wrote")


@dataclass
class _Arrangement:
    """The rows of one table on their way from units to parts."""

    context: ReleaseContext
    name: str
    ranges: Sequence[KeyRange]
    table: Table = field(init=False)

    def __post_init__(self) -> None:
        self.table = self.context.tables[self.name]

    def make_parts(self) -> Iterator[PartResult]:
        """Write the parts in the order of their ranges."""
        at, part = 0, self._open(0)
        for last, rows in self._sorted_chunks():
            keys, start = _keys(rows), 0
            while True:
                held = self.ranges[at]
                end = int(np.searchsorted(keys, held.high, side="right"))
                part.add(rows.slice(start, end - start), keys[start:end])
                start = end
                if held.high > last:
                    break
                yield part.finish(held)
                at += 1
                if at == len(self.ranges):
                    return
                part = self._open(at)

    def _open(self, index: int) -> "_Part":
        path = self.context.staging.path(self.name, index, self.context.target.suffix)
        return _Part(self.context, self.name, index, PartFile(path, self.table))

    def _sorted_chunks(self) -> Iterator[tuple[int, pa.Table]]:
        """Yield the rows sorted by key, in chunks that fit in memory, with their last keys."""
        files = self.context.staging.unit_files(self.name)
        chunks = divide_keys(self.context.tools.cohort.id_bits, _count_chunks(files))
        if len(chunks) == 1:
            yield chunks[0].high, self._sort([pq.read_table(path) for path in files])
        else:
            for place, path in zip(chunks, self._distribute(files, chunks), strict=True):
                with pa.memory_map(str(path)) as held:
                    yield place.high, self._sort([pa.ipc.open_file(held).read_all()])
                path.unlink()
        for path in files:
            path.unlink()

    def _sort(self, tables: Sequence[pa.Table]) -> pa.Table:
        if not tables:
            return PartFile(Path(), self.table).schema.append(DIGEST).empty_table()
        rows = pa.concat_tables(tables)
        keys = [(column.name, "ascending") for column in self.table.primary_key.columns]
        return (rows.sort_by(keys) if keys else rows).combine_chunks()

    def _distribute(self, files: Sequence[Path], chunks: Sequence[KeyRange]) -> list[Path]:
        """Write each row to the file of the chunk that its key is in."""
        folder = self.context.staging.folder / "chunks"
        folder.mkdir(exist_ok=True)
        paths = [folder / f"{self.name}-{chunk.index:06d}.arrow" for chunk in chunks]
        schema = PartFile(Path(), self.table).schema.append(DIGEST)
        writers = [pa.ipc.new_file(str(path), schema) for path in paths]
        edges = np.array([chunk.high for chunk in chunks], np.int64)
        with guard_parquet(_WHAT):
            for path in files:
                rows = self._sort([pq.read_table(path)])
                ends = np.searchsorted(_keys(rows), edges, side="right").tolist()
                for writer, start, end in zip(writers, [0, *ends], ends, strict=False):
                    if end > start:
                        writer.write_table(rows.slice(start, end - start))
            for writer in writers:
                writer.close()
        return paths


@dataclass
class _Part:
    """A part that is being written, and the digests of its rows."""

    context: ReleaseContext
    name: str
    index: int
    file: PartFile
    made: TableHashes = field(default_factory=TableHashes)

    def add(self, rows: pa.Table, keys: NDArray[np.int64]) -> None:
        """Add rows that come next in the order of their keys."""
        if not rows.num_rows:
            return
        digests = rows.column(DIGEST.name).to_pylist()
        self.made.add_digests(keys.tolist(), digests)
        # A copy of their own: what is written does not depend on where a chunk began.
        copied = rows.drop_columns([DIGEST.name]).take(np.arange(rows.num_rows))
        self.file.write_table(copied, _GROUP)

    def finish(self, held: KeyRange) -> PartResult:
        """Read the part back, and compare it with what is published of its range."""
        self.file.close()
        made, path = self.made, self.file.path
        rows, keys = read_keys(path, self.context.tables[self.name])
        if rows != made.rows or keys != made.keyed.keys():
            raise incomplete(f"table {self.name} does not read back as written")
        before = TableHashes()
        for page in self.context.target.read_published_keys(self.name, held):
            before.add(page)
        difference = (
            compare_rows(before, made) if before.rows else Difference(sorted(made.keyed), [], [], 0)
        )
        sha256 = digest_file(path) if rows else ""
        return PartResult(self.name, made.rows, made.total, sha256, difference, self.index)


def _keys(rows: pa.Table) -> NDArray[np.int64]:
    """Return the keys of rows; zeros in a table without keys of numbers."""
    first = rows.column(0)
    if not pa.types.is_integer(first.type):
        return np.zeros(rows.num_rows, np.int64)
    keys: NDArray[np.int64] = first.to_numpy()
    return keys


def _count_chunks(files: Sequence[Path]) -> int:
    """Return into how many chunks the rows of files are sorted: a power of two."""
    size = 0
    for path in files:
        found = pq.read_metadata(path)
        groups = (found.row_group(k) for k in range(found.num_row_groups))
        # Columns that repeat take less in a file than in memory.
        size += max(
            sum(group.total_byte_size for group in groups),
            found.num_rows * found.num_columns * _CELL,
        )
    return 1 << max(0, (-(-size // CHUNK_BYTES) - 1).bit_length())

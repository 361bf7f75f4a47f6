"""Source of notes in a folder of Parquet files or Delta tables, read batch by batch."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.warehouse.databases import decode_text, guard
from pipeline.warehouse.note_rows import NOTE_COLUMNS, NoteRow, Unit, parse_integer
from pipeline.warehouse.omop_tables import REQUIRED
from pipeline.warehouse.sql_source import (
    Row,
    check_columns,
    drop_shared_ids,
    make_duplicate_failure,
    make_malformed_failure,
    make_table_error,
)
from record.errors import ConfigError, Unavailable
from record.failure import Failure

_WHAT = "source"
_BATCH = 512
_IDS = 65_536
_BUFFER = 1 << 20


@contextmanager
def guard_parquet(what: str) -> Iterator[None]:
    """Convert Arrow's errors on a broken file into Unavailable, without their messages."""
    with guard(what):
        try:
            yield
        except pa.ArrowException as error:
            error.args = ()
            problem = f"invalid Parquet file ({type(error).__name__})"
            raise Unavailable(what, problem, "export the file again") from None


def open_dataset(files: Iterable[Path], schema: pa.Schema | None = None) -> Any:
    """Open Parquet files as one Arrow dataset."""
    # It imports pandas where that is installed, which only folders of files are worth.
    from pyarrow.dataset import dataset  # noqa: PLC0415

    return dataset([str(file) for file in files], schema=schema)


@dataclass
class _FileCursor:
    """Position in a file of notes: consecutive units continue with the current batch."""

    part: str
    file: pq.ParquetFile
    batches: Iterator[pa.RecordBatch]
    row: int
    batch: pa.RecordBatch | None = None


class ParquetStore:
    """The tables of a folder: `note.parquet` or `note/*.parquet`; names are case-insensitive.

    A folder with `_delta_log` is a Delta table: only the files of its newest version count. One
    batch of a file is in memory at a time, however large its row groups are.
    """

    def __init__(self, folder: Path, wanted: Collection[str]) -> None:
        if not folder.is_dir():
            raise Unavailable("source.url", "not a directory", "check the path or mount")
        self._folder = folder
        self._cursor: _FileCursor | None = None
        self._tables: dict[str, Any] = {}
        with guard_parquet(_WHAT):
            for entry in sorted(folder.iterdir()):
                files, schema = _list_delta_files(entry) or (_list_files(entry), None)
                name = entry.stem.lower()
                if not files or name not in wanted:
                    continue
                if name in self._tables:
                    raise ConfigError(
                        "source.url", f"duplicate table {name}", "remove one of the two"
                    )
                self._tables[name] = open_dataset(files, schema)
        for name, required in REQUIRED.items():
            self.require(name, required)
        self._parts = [Path(name).relative_to(folder) for name in self._tables["note"].files]

    def require(self, table: str, columns: Sequence[str], *, key: str = "source") -> None:
        """Raise ConfigError, with the key, unless the table exists and has these columns."""
        if table.lower() not in self._tables:
            raise make_table_error(table, key)
        check_columns(table, self._tables[table.lower()].schema.names, columns, key)

    def plan(self, size: int) -> Iterator[tuple[Unit, list[int]]]:
        """Divide each file of notes into units of `size` rows, each with its ids."""
        index = 0
        for part in self._parts:
            for low, rows in _slice(self._raw_ids(part), size):
                ids = [
                    i for i in map(parse_integer, rows) if i is not None and i not in self._shared
                ]
                yield Unit(index, str(part), low, low + len(rows) - 1, len(ids)), ids
                index += 1

    def malformed(self) -> list[Failure]:
        """Return the rows that are in no unit as failures: ids not integers, or of several rows."""
        malformed = sum(
            parse_integer(raw) is None for part in self._parts for raw in self._raw_ids(part)
        )
        failures = [make_malformed_failure(number + 1) for number in range(malformed)]
        return failures + [make_duplicate_failure(note_id) for note_id in sorted(self._shared)]

    @cached_property
    def _shared(self) -> frozenset[int]:
        ids = array("q")
        for part in self._parts:
            ids.extend(i for i in map(parse_integer, self._raw_ids(part)) if i is not None)
        if len(ids) < 2:
            return frozenset()
        values = pa.Array.from_buffers(pa.int64(), len(ids), [None, pa.py_buffer(ids)])
        ordered = values.take(pc.array_sort_indices(values))
        same = pc.equal(ordered[1:], ordered[:-1])
        return frozenset(ordered[1:].filter(same).to_pylist())

    def _raw_ids(self, part: Path) -> Iterator[Any]:
        with guard_parquet(_WHAT), pq.ParquetFile(self._folder / part, buffer_size=_BUFFER) as file:
            name = _find_name(file.schema_arrow.names, "note_id")
            for batch in file.iter_batches(_IDS, columns=[name], use_threads=False):
                yield from batch.column(0).to_pylist()

    def read(self, unit: Unit) -> list[NoteRow]:
        """Read the notes of a unit in the order of its file; rows that share an id are left out.

        Units are best read in order: going back reopens the file.
        """
        rows: list[NoteRow] = []
        with guard_parquet(_WHAT):
            for batch in self._batches(unit):
                columns = {
                    name.lower(): _to_raw_values(batch.column(name)) for name in batch.schema.names
                }
                for k, raw in enumerate(columns["note_id"]):
                    note_id = parse_integer(raw)
                    if note_id is None or note_id in self._shared:
                        continue
                    found = {n: columns[n][k] for n in NOTE_COLUMNS[1:] if n in columns}
                    rows.append(NoteRow(note_id, **found))
        return drop_shared_ids(rows)

    def pick(self, note_ids: Collection[int], size: int) -> Iterator[list[NoteRow]]:
        """Read single notes in one pass over the files, `size` rows at a time."""
        wanted = set(note_ids)
        for unit, ids in self.plan(size):
            if not wanted.isdisjoint(ids):
                yield [row for row in self.read(unit) if row.note_id in wanted]

    def _batches(self, unit: Unit) -> Iterator[pa.RecordBatch]:
        cursor = self._cursor
        if cursor is None or cursor.part != unit.part or cursor.row > unit.low:
            cursor = self._open(unit)
        while cursor.row <= unit.high:
            if cursor.batch is None or not cursor.batch.num_rows:
                cursor.batch = next(cursor.batches, None)
                if cursor.batch is None:
                    return
            skipped = min(max(unit.low - cursor.row, 0), cursor.batch.num_rows)
            taken = min(unit.high + 1 - cursor.row, cursor.batch.num_rows)
            if taken > skipped:
                yield cursor.batch.slice(skipped, taken - skipped)
            cursor.batch = cursor.batch.slice(taken)
            cursor.row += taken

    def _open(self, unit: Unit) -> _FileCursor:
        self._close_cursor()
        file = pq.ParquetFile(self._folder / unit.part, buffer_size=_BUFFER)
        group, row = 0, 0
        while group < file.num_row_groups:
            count = file.metadata.row_group(group).num_rows
            if row + count > unit.low:
                break
            group, row = group + 1, row + count
        names = [name for name in file.schema_arrow.names if name.lower() in NOTE_COLUMNS]
        groups = list(range(group, file.num_row_groups))
        batches = file.iter_batches(_BATCH, row_groups=groups, columns=names, use_threads=False)
        self._cursor = _FileCursor(unit.part, file, batches, row)
        return self._cursor

    def present(self, note_ids: Sequence[int]) -> set[int]:
        """Return which of these notes exist now."""
        rows = self.lookup("note", ("note_id",), "note_id", note_ids)
        return {found for row in rows if (found := parse_integer(row["note_id"])) is not None}

    def lookup(
        self, table: str, columns: Sequence[str], key: str, values: Sequence[int]
    ) -> list[Row]:
        """Read the rows whose key is among the values; missing tables and columns are empty."""
        dataset = self._tables.get(table.lower())
        if dataset is None or not values:
            return []
        names = dataset.schema.names
        actual = {name: found for name in columns if (found := _find_name(names, name))}
        found = _find_name(names, key)
        if not found:
            return []
        with guard_parquet(_WHAT):
            kind = dataset.schema.field(found).type
            if pa.types.is_string(kind) or pa.types.is_large_string(kind):
                return []
            number = pa.float64() if pa.types.is_floating(kind) else pa.int64()
            chosen = pc.field(found).cast(number).isin(pa.array(values, number))
            rows = dataset.to_table(sorted(set(actual.values())), filter=chosen, use_threads=False)
            table_columns = {name: _to_raw_values(rows.column(actual[name])) for name in actual}
        count = rows.num_rows
        return [{name: table_columns[name][k] for name in actual} for k in range(count)]

    def values(self, table: str, column: str) -> list[Any]:
        """Return the distinct values of a column, which must exist."""
        dataset = self._tables[table.lower()]
        name = _find_name(dataset.schema.names, column)
        with guard_parquet(_WHAT):
            found = dataset.to_table([name], use_threads=False).column(0)
        return _to_raw_values(found.unique())

    def extremes(self, table: str, columns: Sequence[str]) -> dict[str, tuple[Any, Any]]:
        """Return the least and the greatest value of columns, which must exist; None if empty."""
        dataset = self._tables[table.lower()]
        names = [_find_name(dataset.schema.names, name) for name in columns]
        found: dict[str, tuple[Any, Any]] = dict.fromkeys(columns, (None, None))
        with guard_parquet(_WHAT):
            for batch in dataset.to_batches(columns=names, use_threads=False):
                for name, column in zip(columns, batch.columns, strict=True):
                    both = pc.min_max(column).as_py()
                    ends = [*both.values(), *(each for each in found[name])]
                    known = [each for each in ends if each is not None]
                    found[name] = (min(known), max(known)) if known else (None, None)
        return found

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the columns of a table in lower case; empty if there is no such table."""
        dataset = self._tables.get(table.lower())
        return tuple(name.lower() for name in dataset.schema.names) if dataset else ()

    def scan(
        self, table: str, columns: Sequence[str], key: str, values: Sequence[int]
    ) -> Iterator[Mapping[str, Any]]:
        """Stream the rows whose key is among the values in batches, as columns.

        All columns must exist.
        """
        dataset = self._tables[table.lower()]
        names = {name.lower(): name for name in dataset.schema.names}
        kind = dataset.schema.field(names[key]).type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return
        number = pa.float64() if pa.types.is_floating(kind) else pa.int64()
        chosen = pc.field(names[key]).cast(number).isin(pa.array(values, number))
        with guard_parquet(_WHAT):
            wanted = [names[name] for name in columns]
            scanner = dataset.scanner(wanted, filter=chosen, use_threads=False)
            for batch in scanner.to_batches():
                if batch.num_rows:
                    yield dict(zip(columns, batch.columns, strict=True))

    def stream(self, table: str, columns: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Stream all rows of a table in batches, as columns, which must exist."""
        dataset = self._tables[table.lower()]
        names = {name.lower(): name for name in dataset.schema.names}
        wanted = [names[name] for name in columns]
        with guard_parquet(_WHAT):
            for batch in dataset.to_batches(
                columns=wanted, batch_size=_BATCH, batch_readahead=1, use_threads=False
            ):
                if batch.num_rows:
                    yield dict(zip(columns, batch.columns, strict=True))

    def close(self) -> None:
        """Close the open file."""
        self._close_cursor()

    def _close_cursor(self) -> None:
        if self._cursor is not None:
            self._cursor.file.close()
            self._cursor = None


# A reader need not know these to read the right rows; others hide rows, or rename columns.
_DELTA_FEATURES = frozenset(("timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"))
_DELTA_VERSIONS = (1, 3)  # 2 renames columns


def _list_delta_files(entry: Path) -> tuple[list[Path], pa.Schema] | None:
    """Return the files and the schema of a Delta table; None for another folder or a file.

    The folder also has files of earlier versions, with rows that were deleted since. Raises
    ConfigError for a table that its files alone do not tell.
    """
    if not (entry / "_delta_log").is_dir():
        return None
    table = _open_delta_table(entry)
    version = table.protocol()
    unknown = set(version.reader_features or ()) - _DELTA_FEATURES
    if unknown or version.min_reader_version not in _DELTA_VERSIONS:
        problem = f"table {entry.name.lower()}: features of Delta that are not read"
        raise ConfigError("source.url", problem, "rewrite it without deletion vectors and mapping")
    if table.metadata().partition_columns:
        problem = f"table {entry.name.lower()} is partitioned, which is not read"
        raise ConfigError("source.url", problem, "write it without partitions")
    files = [Path(name) for name in table.file_uris()]
    if any(file.parent.resolve() != entry.resolve() for file in files):
        problem = f"table {entry.name.lower()} has files elsewhere"
        raise ConfigError("source.url", problem, "copy the table")
    return sorted(entry / file.name for file in files), pa.schema(table.schema())


def _open_delta_table(entry: Path) -> Any:
    try:
        from deltalake import DeltaTable  # noqa: PLC0415 # an extra
        from deltalake.exceptions import DeltaError  # noqa: PLC0415 # an extra
    except ModuleNotFoundError:
        problem = f"table {entry.name.lower()} is a Delta table, and deltalake is not installed"
        raise ConfigError("source.url", problem, "pip install 'cryptonym[delta]'") from None
    try:
        return DeltaTable(str(entry))
    except DeltaError as error:
        problem = f"invalid Delta table ({type(error).__name__})"
        raise Unavailable(_WHAT, problem, "export the table again") from None


def _list_files(entry: Path) -> list[Path]:
    if entry.is_dir():
        return sorted(path for path in entry.iterdir() if path.suffix.lower() == ".parquet")
    return [entry] if entry.suffix.lower() == ".parquet" else []


def _find_name(names: Sequence[str], wanted: str) -> str | None:
    return next((name for name in names if name.lower() == wanted.lower()), None)


def _slice(values: Iterator[Any], size: int) -> Iterator[tuple[int, list[Any]]]:
    low, waiting = 0, list[Any]()
    for value in values:
        waiting.append(value)
        if len(waiting) == size:
            yield low, waiting
            low, waiting = low + size, []
    if waiting:
        yield low, waiting


def _to_raw_values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return a column's raw values as an SQL driver does: dates as text, invalid text as bytes."""
    kind = column.type
    if pa.types.is_temporal(kind):
        column = column.cast(pa.string())
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        raw = column.cast(pa.large_binary()).to_pylist()
        return [None if value is None else decode_text(value) for value in raw]
    values: list[Any] = column.to_pylist()
    return values

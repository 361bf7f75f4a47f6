"""Output of de-identified notes to a folder of Parquet files, each replaced atomically."""

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sqlalchemy import BigInteger, Date, DateTime, Float, Integer, Table, Text
from sqlalchemy.types import TypeEngine

from pipeline.warehouse.note_rows import OutputRow
from pipeline.warehouse.omop_tables import make_output_tables
from pipeline.warehouse.parquet_source import guard_parquet
from pipeline.warehouse.sql_output import (
    COMPARED,
    CdmSource,
    hash_tables,
    make_note_rows,
    make_person_rows,
    make_span_rows,
)
from record.atomic_write import sync

_WHAT = "output"
_TYPES: tuple[tuple[type[TypeEngine[Any]], pa.DataType], ...] = (
    (BigInteger, pa.int64()), (Integer, pa.int32()), (Text, pa.string()),
    (Date, pa.date32()), (DateTime, pa.timestamp("us")), (Float, pa.float64()),
)  # fmt: skip
_HASH_BYTES = 5
_HASH_BITS = 8 * _HASH_BYTES


def make_arrow_schema(table: Table) -> pa.Schema:
    """Return the Arrow schema of a table."""
    return pa.schema(
        [
            (column.name, next(found for sql, found in _TYPES if isinstance(column.type, sql)))
            for column in table.columns
        ]
    )


_SCHEMAS = {
    name: make_arrow_schema(table) for name, table in make_output_tables(None).tables.items()
}


class IdIndex:
    """A compact map from ids to integers (the parts that hold them), with 16 bytes per id."""

    def __init__(self, ids: "array[int]", numbers: "array[int]") -> None:
        order = pc.array_sort_indices(_to_arrow(ids))
        self._ids = _from_arrow(_to_arrow(ids).take(order))
        self._numbers = _from_arrow(_to_arrow(numbers).take(order))
        self._changed: dict[int, int | None] = {}

    def get(self, key: int) -> int | None:
        """Return the number of an id, or None."""
        if key in self._changed:
            return self._changed[key]
        place = bisect_left(self._ids, key)
        found = place < len(self._ids) and self._ids[place] == key
        return self._numbers[place] if found else None

    def set(self, key: int, number: int | None) -> None:
        """Set or remove the number of an id."""
        self._changed[key] = number


def _to_arrow(values: "array[int]") -> pa.Array:
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])


def _from_arrow(values: pa.Array) -> "array[int]":
    copy = array("q")
    if len(values):
        copy.frombytes(memoryview(values.buffers()[1])[: 8 * len(values)])
    return copy


class ParquetOutput:
    """An output in a folder: `note/part-*.parquet` and so on, for any Parquet reader.

    New notes are written to a new part; an existing note is replaced in its part. A file is
    written to a temporary name, synced and moved: after a kill each file is old or new, and
    publishing the same batch again gives the same bytes. Spans are written and removed before
    their notes, so that an interrupted write is detected by a missing part of notes and undone.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check_writable(self) -> None:
        """Raise Unavailable unless the folder is writable; remove files left by a killed run."""
        with guard_parquet(_WHAT):
            self._folder.mkdir(parents=True, exist_ok=True)
            probe = self._folder / "writable.tmp"
            probe.write_bytes(b"")
            for left in [probe, *self._folder.glob("*/*.tmp")]:
                left.unlink(missing_ok=True)
            for part in set(self._parts("note_span")) - set(self._parts("note")):
                self._path("note_span", part).unlink()

    def publish(self, rows: Sequence[OutputRow]) -> None:
        """Write notes with their spans and persons, replacing earlier versions."""
        batches: dict[int, list[OutputRow]] = {}
        fresh = self._next_part()
        for row in rows:
            found = self._notes.get(row.note.note_id)
            batches.setdefault(fresh if found is None else found, []).append(row)
        with guard_parquet(_WHAT):
            self._publish_persons(rows)
            for part, some in sorted(batches.items()):
                ids = [row.note.note_id for row in some]
                self._replace("note_span", part, ids, make_span_rows(some))
                self._replace("note", part, ids, make_note_rows(some))
                for note_id in ids:
                    self._notes.set(note_id, part)

    def withdraw(self, note_ids: Sequence[int]) -> None:
        """Remove notes and their spans."""
        parts: dict[int, list[int]] = {}
        for note_id in note_ids:
            found = self._notes.get(note_id)
            if found is not None:
                parts.setdefault(found, []).append(note_id)
        with guard_parquet(_WHAT):
            for part, ids in sorted(parts.items()):
                self._replace("note_span", part, ids, [])
                self._replace("note", part, ids, [])
                for note_id in ids:
                    self._notes.set(note_id, None)

    def prune_persons(self) -> None:
        """Remove persons without notes."""
        with guard_parquet(_WHAT):
            noted = pa.chunked_array([self._persons_of(p) for p in self._parts("note")], pa.int64())
            noted = noted.unique()
            for part in self._parts("person"):
                persons = self._load("person", part)
                kept = pc.is_in(persons["person_id"], value_set=noted)
                for person_id in persons.filter(pc.invert(kept))["person_id"].to_pylist():
                    self._persons.set(person_id, None)
                if not pc.all(kept).as_py():
                    self._store("person", part, persons.filter(kept))

    def describe(self, source: CdmSource) -> None:
        """Write the single row of `cdm_source`."""
        table = pa.Table.from_pylist([source.row()], _SCHEMAS["cdm_source"])
        with guard_parquet(_WHAT):
            self._write(table, self._folder / "cdm_source.parquet")

    def restart(self, source: CdmSource) -> None:
        """Remove all notes, spans and persons, then write the single row of `cdm_source`.

        A process that dies in between leaves the earlier `cdm_source`.
        """
        with guard_parquet(_WHAT):
            for name in ("note_span", "note", "person"):
                for part in self._parts(name):
                    self._path(name, part).unlink()
                if (folder := self._folder / name).is_dir():
                    sync(folder)
        for known in ("_notes", "_persons"):
            self.__dict__.pop(known, None)
        self.describe(source)

    def origin(self) -> str | None:
        """Return the ETL reference in `cdm_source`, which identifies the key of this output."""
        path = self._folder / "cdm_source.parquet"
        if not path.is_file():
            return None
        with guard_parquet(_WHAT):
            (row,) = pq.read_table(path).to_pylist()
        reference: str | None = row["cdm_etl_reference"]
        return reference

    def ids(self) -> Iterator[int]:
        """Stream the ids of all notes."""
        for row in self._rows("note", ("note_id",)):
            yield row[0]

    def note_persons(self) -> Iterator[tuple[int, int]]:
        """Stream the ids of all notes, each with that of its person."""
        for row in self._rows("note", ("note_id", "person_id")):
            yield row[0], row[1]

    def text(self, note_id: int) -> str | None:
        """Read the text of one note."""
        part = self._notes.get(note_id)
        if part is None:
            return None
        with guard_parquet(_WHAT):
            notes = self._load("note", part)
            texts = notes.filter(pc.equal(notes["note_id"], note_id))["note_text"].to_pylist()
        text: str | None = texts[0] if texts else None
        return text

    def digest(self) -> str:
        """Return a digest of notes, spans and persons."""
        return hash_tables((name, self._rows(name, columns)) for name, columns in COMPARED.items())

    def close(self) -> None:
        """Do nothing: no file is open between calls."""

    def _publish_persons(self, rows: Sequence[OutputRow]) -> None:
        batches: dict[int, list[dict[str, Any]]] = {}
        numbers: dict[int, int] = {}
        fresh = max(self._parts("person"), default=-1) + 1
        for person in make_person_rows(rows):
            key, hashed = person["person_id"], _hash_person(person)
            known = self._persons.get(key)
            if known is not None and known % 2**_HASH_BITS == hashed:
                continue
            part = fresh if known is None else known >> _HASH_BITS
            batches.setdefault(part, []).append(person)
            numbers[key] = (part << _HASH_BITS) + hashed
        for part, persons in sorted(batches.items()):
            self._replace("person", part, [person["person_id"] for person in persons], persons)
        for key, number in numbers.items():
            self._persons.set(key, number)

    @cached_property
    def _notes(self) -> IdIndex:
        return self._places("note", lambda row, part: part)

    @cached_property
    def _persons(self) -> IdIndex:
        return self._places("person", lambda row, part: (part << _HASH_BITS) + _hash_person(row))

    def _places(self, name: str, number: Callable[[dict[str, Any], int], int]) -> IdIndex:
        ids, numbers = array("q"), array("q")
        columns = ["note_id"] if name == "note" else list(COMPARED["person"])
        with guard_parquet(_WHAT):
            for part in self._parts(name):
                for row in pq.read_table(self._path(name, part), columns=columns).to_pylist():
                    ids.append(row[columns[0]])
                    numbers.append(number(row, part))
        return IdIndex(ids, numbers)

    def _persons_of(self, part: int) -> pa.Array:
        found = pq.read_table(self._path("note", part), columns=["person_id"])["person_id"]
        return found.combine_chunks()

    def _rows(self, name: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        for part in self._parts(name):
            with guard_parquet(_WHAT):
                table = pq.read_table(self._path(name, part), columns=list(columns))
                rows = list(zip(*(table[name].to_pylist() for name in columns), strict=True))
            yield from rows

    def _parts(self, name: str) -> list[int]:
        folder = self._folder / name
        files = folder.glob("part-*.parquet") if folder.is_dir() else ()
        return sorted(int(file.stem.removeprefix("part-")) for file in files)

    def _next_part(self) -> int:
        return max(self._parts("note"), default=-1) + 1

    def _path(self, name: str, part: int) -> Path:
        return self._folder / name / f"part-{part:06d}.parquet"

    def _load(self, name: str, part: int) -> pa.Table:
        path = self._path(name, part)
        return pq.read_table(path) if path.is_file() else _SCHEMAS[name].empty_table()

    def _replace(
        self, name: str, part: int, ids: Sequence[int], rows: Sequence[dict[str, Any]]
    ) -> None:
        """Replace the rows of these ids in a part."""
        schema = _SCHEMAS[name]
        key = schema.names[0]
        old = self._load(name, part)
        kept = old.filter(pc.invert(pc.is_in(old[key], value_set=pa.array(ids, pa.int64()))))
        added = pa.Table.from_pylist(list(rows), schema)
        order = [(column, "ascending") for column in COMPARED[name][: 4 if "_" in name else 1]]
        self._store(name, part, pa.concat_tables([kept, added]).sort_by(order))

    def _store(self, name: str, part: int, table: pa.Table) -> None:
        path = self._path(name, part)
        if table.num_rows:
            self._write(table, path)
        else:
            path.unlink(missing_ok=True)

    def _write(self, table: pa.Table, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(path.name + ".tmp")
        pq.write_table(table.combine_chunks(), temporary, compression="zstd")
        sync(temporary)
        temporary.replace(path)
        sync(path.parent)


def _hash_person(person: dict[str, Any]) -> int:
    values = repr([person[name] for name in COMPARED["person"]]).encode()
    return int.from_bytes(hashlib.blake2b(values, digest_size=_HASH_BYTES).digest(), "big")

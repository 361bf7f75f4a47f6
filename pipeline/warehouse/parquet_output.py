"""Output of de-identified notes to a folder of Parquet files, each replaced atomically."""

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.warehouse.arrow_schemas import make_arrow_schema
from pipeline.warehouse.cdm_tables import FACT_TABLES, Row, make_tables
from pipeline.warehouse.findings import NOTE_NLP, make_finding_rows
from pipeline.warehouse.note_rows import SPAN_COLUMNS, OutputRow
from pipeline.warehouse.parquet_source import guard_parquet
from pipeline.warehouse.row_links import (
    FACT_LINKS,
    LINKED_TABLES,
    NOTE_LINKS,
    Ids,
    PresentRows,
    gather,
    link_columns,
    make_lookup,
)
from pipeline.warehouse.sql_output import (
    COMPARED,
    OWN_TABLES,
    CdmSource,
    ReadFacts,
    TableRows,
    empty_absent_links,
    group_rows,
    hash_tables,
    make_note_rows,
    make_person_rows,
    make_span_rows,
    make_span_values,
)
from record.atomic_write import sync
from record.columns import FACTS, TABLES, domains_of

_WHAT = "output"
_HASH_BYTES = 5
_HASH_BITS = 8 * _HASH_BYTES
_FACTS = 200_000
"""Rows in one file of a table of facts."""


_TABLES = make_tables(None)
_SCHEMAS = {name: make_arrow_schema(table) for name, table in _TABLES.items()}
_REFERENCES = 0
"""The part of a table without patients."""


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
    Rows of a new person are written to a new part of each table, and replaced there. `tables` are
    those that the output has beside notes, persons and its description.
    """

    def __init__(self, folder: Path, tables: Collection[str] = ()) -> None:
        self._folder = folder
        names = [name for name in _SCHEMAS if name in tables and name in TABLES]
        self._names = tuple(name for name in names if name != NOTE_NLP)
        self._of_notes = (*(name for name in names if name == NOTE_NLP), "note_span")

    def check_writable(self) -> None:
        """Raise Unavailable unless the folder is writable; remove files left by a killed run."""
        with guard_parquet(_WHAT):
            self._folder.mkdir(parents=True, exist_ok=True)
            probe = self._folder / "writable.tmp"
            probe.write_bytes(b"")
            for left in [probe, *self._folder.glob("*/*.tmp")]:
                left.unlink(missing_ok=True)
            for name in self._of_notes:
                for part in set(self._parts(name)) - set(self._parts("note")):
                    self._path(name, part).unlink()

    def publish(self, rows: Sequence[OutputRow]) -> None:
        """Write notes with their spans and persons, replacing earlier versions.

        Ids of rows that the output does not have are emptied.
        """
        rows = empty_absent_links(rows, self._present)
        batches: dict[int, list[OutputRow]] = {}
        fresh = self._next_part()
        for row in rows:
            found = self._notes.get(row.note.note_id)
            batches.setdefault(fresh if found is None else found, []).append(row)
        with guard_parquet(_WHAT):
            self._publish_persons(rows)
            for part, some in sorted(batches.items()):
                ids = [row.note.note_id for row in some]
                notes = make_note_rows(some)
                if NOTE_NLP in self._of_notes:
                    findings = make_finding_rows(notes, make_span_values(some))
                    self._replace(NOTE_NLP, part, ids, findings, key="note_id")
                self._replace("note_span", part, ids, make_span_rows(some))
                self._replace("note", part, ids, notes)
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
                for name in (*self._of_notes, "note"):
                    self._replace(name, part, ids, [], key="note_id")
                for note_id in ids:
                    self._notes.set(note_id, None)
            self._drop_facts({"note": set(note_ids)})

    def find_changed(self, person_ids: Sequence[int], tables: TableRows) -> set[int]:
        """Return which of these persons have other rows in the output than these."""
        after = group_rows(tables)
        return {
            each
            for each in person_ids
            if self._row_hashes.get(each, 0) != _hash_rows(after.get(each, ()))
        }

    def write_references(self, tables: TableRows) -> None:
        """Write rows of tables without patients, replacing earlier versions."""
        with guard_parquet(_WHAT):
            for name, rows in tables.items():
                known = self._present.owners.setdefault(name, {})
                before = set(self._rows(name, _SCHEMAS[name].names))
                if fresh := [row for row in rows if row not in before]:
                    ids = [row[0] for row in fresh]
                    self._replace(name, _REFERENCES, ids, _name_values(name, fresh))
                known.update((row[0], None) for row in rows)

    def write_rows(
        self, person_ids: Collection[int], tables: TableRows, links: Mapping[int, Row]
    ) -> None:
        """Replace the rows of persons, and before that what their notes refer to.

        A process that dies in between finds the rows of the persons changed again.
        """
        with guard_parquet(_WHAT):
            self._write_links(links)
            self._drop_facts(self._find_lost(person_ids, tables))
            for name, rows in tables.items():
                place = TABLES[name].index("person_id")
                fresh = max(self._parts(name), default=-1) + 1
                persons: dict[int, list[int]] = {}
                for person_id in person_ids:
                    found = self._row_parts[name].get(person_id, fresh)
                    persons.setdefault(found, []).append(person_id)
                for part, some in sorted(persons.items()):
                    chosen = set(some)
                    mine = _name_values(name, (row for row in rows if row[place] in chosen))
                    self._replace(name, part, some, mine, key="person_id")
                    for person_id in some:
                        self._row_parts[name][person_id] = part
                self._know_visits(name, person_ids, rows)
        after = group_rows(tables)
        for person_id in person_ids:
            self._row_hashes[person_id] = _hash_rows(after.get(person_id, ()))

    def _know_visits(self, name: str, person_ids: Collection[int], rows: Sequence[Row]) -> None:
        """Remember which visits the persons have now."""
        if name not in LINKED_TABLES:
            return
        known, chosen = self._present.owners.setdefault(name, {}), set(person_ids)
        for key in [key for key, owner in known.items() if owner in chosen]:
            del known[key]
        self._present.add(name, rows)

    def _write_links(self, links: Mapping[int, Row]) -> None:
        parts: dict[int, list[int]] = {}
        for note_id in links:
            found = self._notes.get(note_id)
            if found is not None:
                parts.setdefault(found, []).append(note_id)
        for part, _ in sorted(parts.items()):
            self._set_links(part, links)

    def _set_links(self, part: int, links: Mapping[int, Row]) -> None:
        """Set what notes of a part refer to; the file stays as it is where nothing differs."""
        columns = ["note_id", *NOTE_LINKS]
        held = pq.read_table(self._path("note", part), columns=columns)
        before = list(zip(*(held[name].to_pylist() for name in columns), strict=True))
        after = [(row[0], *links.get(row[0], row[1:])) for row in before]
        if after == before:
            return
        table = self._load("note", part)
        for place, name in enumerate(columns):
            number = table.schema.get_field_index(name)
            values = pa.array([row[place] for row in after], pa.int64())
            table = table.set_column(number, table.schema.field(number), values)
        self._store("note", part, table)

    def filled_tables(self) -> set[str]:
        """Return the tables of OMOP CDM, but the output's own, that have files."""
        return {
            name
            for name in TABLES
            if name not in OWN_TABLES and any((self._folder / name).glob("*.parquet"))
        }

    def fill_findings(self) -> None:
        """Write the rows of `note_nlp` of notes with surrogates that have none, part by part."""
        if NOTE_NLP not in self._of_notes:
            return
        with guard_parquet(_WHAT):
            for part in self._parts("note_span"):
                spans = self._load("note_span", part)
                done = self._load(NOTE_NLP, part)["note_id"].unique()
                spans = spans.filter(pc.invert(pc.is_in(spans["note_id"], value_set=done)))
                if spans.num_rows:
                    held = self._load("note", part)
                    is_bare = pc.is_in(held["note_id"], value_set=spans["note_id"].unique())
                    notes = held.filter(is_bare).to_pylist()
                    places = zip(*(spans[n].to_pylist() for n in SPAN_COLUMNS), strict=True)
                    ids = [note["note_id"] for note in notes]
                    found = make_finding_rows(notes, places)
                    self._replace(NOTE_NLP, part, ids, found, key="note_id")

    def clear_tables(self, unlisted: Collection[str]) -> None:
        """Empty tables that are written no longer, and ids of absent rows."""
        with guard_parquet(_WHAT):
            for name in unlisted:
                self._empty(name)
                self._present.owners.pop(name, None)
            self._clear_note_links()
            for name in self._names:
                if link_columns(name):
                    self._clear_links(name)
            for name in reversed(LINKED_TABLES):
                if name in self._names and "person_id" not in TABLES[name]:
                    self._prune_references(name)
        self.__dict__.pop("_row_hashes", None)
        self.__dict__.pop("_row_parts", None)

    def _clear_note_links(self) -> None:
        columns = ["note_id", "person_id", *NOTE_LINKS]
        for part in self._parts("note"):
            held = pq.read_table(self._path("note", part), columns=columns)
            rows = list(zip(*(held[name].to_pylist() for name in columns), strict=True))
            cleared = self._present.clear("note", columns, rows)
            if cleared != rows:
                self._set_links(part, {row[0]: row[2:] for row in cleared})

    def _clear_links(self, name: str) -> None:
        for part in self._parts(name):
            table = self._load(name, part)
            rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
            cleared = self._present.clear(name, table.schema.names, rows)
            if cleared != rows:
                kept = pa.Table.from_pylist(_name_values(name, cleared), _SCHEMAS[name])
                self._store(name, part, kept)

    def _prune_references(self, name: str) -> None:
        referred: set[int] = set()
        for other in ("note", *self._names):
            columns = [each for each, target in link_columns(other).items() if target == name]
            for row in self._rows(other, columns) if columns else ():
                referred.update(row)
        table = self._load(name, _REFERENCES)
        kept = table.filter(pc.is_in(table[0], value_set=pa.array(referred - {None}, pa.int64())))
        if kept.num_rows != table.num_rows:
            self._store(name, _REFERENCES, kept)
            self._present.owners[name] = dict.fromkeys(kept[0].to_pylist())

    def _empty(self, name: str) -> None:
        for part in self._parts(name):
            self._path(name, part).unlink()
        if (folder := self._folder / name).is_dir():
            sync(folder)

    def write_facts(self, name: str, read: ReadFacts) -> None:
        """Replace the files of a table of facts if their rows differ from those read.

        The new files are written beside the old ones, and take their places one by one.
        """
        schema, compared = _SCHEMAS[name], _SCHEMAS[name].names
        with guard_parquet(_WHAT):
            before = hash_tables([(name, self._rows(name, compared))])
            staged: list[Path] = []
            order = [(column.name, "ascending") for column in _TABLES[name].primary_key.columns]
            for part, rows in enumerate(gather(read(make_lookup(self._load_owners)), _FACTS)):
                table = pa.Table.from_pylist(_name_values(name, rows), schema).sort_by(order)
                path = self._path(name, part)
                path.parent.mkdir(parents=True, exist_ok=True)
                staged.append(path.with_name(f"{path.name}.tmp"))
                pq.write_table(table, staged[-1], compression="zstd")
            after = hash_tables([(name, _read_files(staged, compared))])
            if before == after:
                for path in staged:
                    path.unlink()
                return
            for path in staged:
                sync(path)
                path.replace(path.with_suffix(""))
            for part in self._parts(name)[len(staged) :]:
                self._path(name, part).unlink()
            if (folder := self._folder / name).is_dir():
                sync(folder)

    def _load_owners(self, name: str) -> tuple[Ids, Ids]:
        """Return the ids of the rows of a table, and of their persons."""
        key = _SCHEMAS[name].names[0]
        columns = list(dict.fromkeys((key, "person_id")))
        is_ours = name in OWN_TABLES or name in self._names
        parts = [
            pq.read_table(self._path(name, part), columns=columns)
            for part in (self._parts(name) if is_ours else ())
        ]
        held = pa.concat_tables([_SCHEMAS[name].empty_table().select(columns), *parts])
        return held[key].to_numpy(), held["person_id"].to_numpy()

    def _find_lost(self, person_ids: Collection[int], tables: TableRows) -> dict[str, set[int]]:
        """Return the ids of rows of persons that they will not have any longer, by table."""
        lost: dict[str, set[int]] = {}
        chosen = pa.array(person_ids, pa.int64())
        for name, rows in tables.items() if self._fact_tables else ():
            key = _SCHEMAS[name].names[0]
            parts = {self._row_parts[name].get(each) for each in person_ids} - {None}
            for part in sorted(each for each in parts if each is not None):
                held = pq.read_table(self._path(name, part), columns=[key, "person_id"])
                mine = held.filter(pc.is_in(held["person_id"], value_set=chosen))
                lost.setdefault(name, set()).update(mine[key].to_pylist())
            lost.setdefault(name, set()).difference_update(row[0] for row in rows)
        return lost

    @property
    def _fact_tables(self) -> list[str]:
        return [name for name in FACT_TABLES if name in self._names]

    def _drop_facts(self, gone: Mapping[str, Collection[int]]) -> None:
        """Remove the rows of tables of facts that refer to rows which go, by table."""
        if not any(gone.values()):
            return
        ids = {name: pa.array(each, pa.int64()) for name, each in gone.items() if each}
        for name in self._fact_tables:
            for part in self._parts(name):
                table = self._load(name, part)
                kept = table.filter(pc.invert(_refers(name, table, ids)))
                for link, other in FACT_LINKS.get(name, {}).items():
                    if other in ids:
                        place = kept.schema.get_field_index(link)
                        is_gone = pc.is_in(kept[link], value_set=ids[other])
                        emptied = pc.if_else(is_gone, pa.scalar(None, pa.int64()), kept[link])
                        kept = kept.set_column(place, kept.schema.field(place), emptied)
                if not kept.equals(table):
                    self._store(name, part, kept)

    def person_ids(self) -> Iterator[int]:
        """Stream the ids of all persons."""
        for row in self._rows("person", ("person_id",)):
            yield row[0]

    def prune_persons(self) -> None:
        """Remove the rows of persons without notes, and then the persons."""
        with guard_parquet(_WHAT):
            noted = pa.chunked_array([self._persons_of(p) for p in self._parts("note")], pa.int64())
            noted = noted.unique()
            lost: dict[str, set[int]] = {}
            for name in reversed(self._names):
                if "person_id" in TABLES[name]:
                    self._keep_persons(name, noted, lost)
            for person_id in self._keep_persons("person", noted, lost):
                self._persons.set(person_id, None)
            self._drop_facts(lost)

    def _keep_persons(self, name: str, noted: pa.Array, lost: dict[str, set[int]]) -> set[int]:
        """Keep only the rows of these persons in a table; return the other persons.

        The ids of the rows that go are added to `lost`.
        """
        gone: set[int] = set()
        key = _SCHEMAS[name].names[0]
        for part in self._parts(name):
            rows = pq.read_table(self._path(name, part), columns=list({key, "person_id"}))
            held = rows["person_id"]
            kept = pc.is_in(held, value_set=noted)
            if not pc.all(kept).as_py():
                lost.setdefault(name, set()).update(rows[key].filter(pc.invert(kept)).to_pylist())
                gone.update(held.filter(pc.invert(kept)).to_pylist())
                self._store(name, part, self._load(name, part).filter(kept))
        if gone and name != "person":
            self._know_visits(name, gone, ())
            for person_id in gone:
                self._row_hashes.pop(person_id, None)
                self._row_parts[name].pop(person_id, None)
        return gone

    def describe(self, source: CdmSource) -> None:
        """Write the single row of `cdm_source`."""
        table = pa.Table.from_pylist([source.row()], _SCHEMAS["cdm_source"])
        with guard_parquet(_WHAT):
            self._write(table, self._folder / "cdm_source.parquet")

    def restart(self, source: CdmSource) -> None:
        """Remove all rows, then write the single row of `cdm_source`.

        A process that dies in between leaves the earlier `cdm_source`.
        """
        with guard_parquet(_WHAT):
            for name in (*self._of_notes, "note", *reversed(self._names), "person"):
                self._empty(name)
        for known in ("_notes", "_persons", "_present", "_row_hashes", "_row_parts"):
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

    def description(self) -> str | None:
        """Return the description in `cdm_source`; None if there is none."""
        path = self._folder / "cdm_source.parquet"
        if not path.is_file():
            return None
        with guard_parquet(_WHAT):
            (row,) = pq.read_table(path).to_pylist()
        told: str | None = row["source_description"]
        return told

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
        """Return a digest of notes, spans, persons and the other tables."""
        others = [name for name in _SCHEMAS if name in (*self._names, *self._of_notes)]
        compared = COMPARED | {name: TABLES[name] for name in others if name not in OWN_TABLES}
        return hash_tables((name, self._rows(name, columns)) for name, columns in compared.items())

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

    @cached_property
    def _present(self) -> PresentRows:
        """The rows that others refer to, some hundred bytes each."""
        present = PresentRows()
        for name in LINKED_TABLES:
            if name in self._names:
                present.add(name, self._rows(name, TABLES[name]))
        return present

    @cached_property
    def _row_parts(self) -> dict[str, dict[int, int]]:
        """The part of each table that has a person's rows."""
        found: dict[str, dict[int, int]] = {}
        for name in self._names:
            known = found.setdefault(name, {})
            if "person_id" in TABLES[name]:
                with guard_parquet(_WHAT):
                    for part in self._parts(name):
                        held = pq.read_table(self._path(name, part), columns=["person_id"])
                        known.update(dict.fromkeys(held["person_id"].to_pylist(), part))
        return found

    @cached_property
    def _row_hashes(self) -> dict[int, int]:
        """The sum of the hashes of each person's rows in all tables."""
        found: dict[int, int] = {}
        for name in self._names:
            if "person_id" not in TABLES[name]:
                continue
            place = TABLES[name].index("person_id")
            for row in self._rows(name, _SCHEMAS[name].names):
                found[row[place]] = found.get(row[place], 0) + _hash_rows([(name, *row)])
        return found

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
        self,
        name: str,
        part: int,
        ids: Sequence[int],
        rows: Sequence[dict[str, Any]],
        *,
        key: str = "",
    ) -> None:
        """Replace the rows of these ids, of the table or of its persons, in a part."""
        schema = _SCHEMAS[name]
        key = key or schema.names[0]
        old = self._load(name, part)
        kept = old.filter(pc.invert(pc.is_in(old[key], value_set=pa.array(ids, pa.int64()))))
        added = pa.Table.from_pylist(list(rows), schema)
        columns = COMPARED["note_span"] if name == "note_span" else schema.names[:1]
        order = [(column, "ascending") for column in columns]
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


def _read_files(paths: Iterable[Path], columns: Sequence[str]) -> Iterator[Row]:
    for path in paths:
        table = pq.read_table(path)
        yield from zip(*(table[name].to_pylist() for name in columns), strict=True)


def _refers(name: str, table: pa.Table, ids: Mapping[str, pa.Array]) -> pa.ChunkedArray:
    """Return which rows of a table of facts refer to these rows, by table."""
    found = pa.chunked_array([pa.array(np.zeros(table.num_rows, np.bool_))])
    for fact, domain in FACTS[name].items():
        for value, other in domains_of(f"{name}.{domain}").items():
            if other in ids:
                is_gone = pc.is_in(table[fact], value_set=ids[other])
                found = pc.or_(found, pc.and_(pc.equal(table[domain], value), is_gone))
    return found


def _hash_person(person: dict[str, Any]) -> int:
    values = repr([person[name] for name in COMPARED["person"]]).encode()
    return int.from_bytes(hashlib.blake2b(values, digest_size=_HASH_BYTES).digest(), "big")


def _hash_rows(rows: Collection[Row]) -> int:
    hashes = (hashlib.blake2b(repr(row).encode(), digest_size=16).digest() for row in rows)
    return sum(int.from_bytes(each, "big") for each in hashes)


def _name_values(name: str, rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [dict(zip(_SCHEMAS[name].names, row, strict=True)) for row in rows]

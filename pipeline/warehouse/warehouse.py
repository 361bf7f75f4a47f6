"""Opening of the source and the output of notes: a database or a folder of Parquet files."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from pipeline.config.settings import IdentitySettings, OutputSettings, SourceSettings
from pipeline.exports.records import DocumentContent
from pipeline.warehouse.databases import chunks, connect, refuse_schema, retrying_briefly
from pipeline.warehouse.export_source import EXPORT_IDENTITY, ExportStore, find_format
from pipeline.warehouse.note_rows import NoteRow, OutputRow, PersonRow, Unit, parse_integer
from pipeline.warehouse.parquet_output import ParquetOutput
from pipeline.warehouse.parquet_source import ParquetStore
from pipeline.warehouse.people import (
    Row,
    check_identity,
    find_clinicians,
    find_demographics,
    find_identified,
    find_note_ids,
    find_patients,
    find_visit_numbers,
)
from pipeline.warehouse.person_lists import read_objections
from pipeline.warehouse.sql_output import Output, SqlOutput
from pipeline.warehouse.sql_source import SqlStore
from record.columns import TABLES
from record.errors import ConfigError
from record.failure import Failure
from record.patient import PatientRecord, PersonName

__all__ = ["JSONL", "PARQUET", "Output", "OutputRow", "Source", "open_output", "open_source"]

PARQUET = "parquet:"
"""URL prefix of a folder of Parquet tables."""
JSONL = "jsonl:"
"""URL prefix of a folder of JSON Lines files, which only releases are written to."""
_TABLES = (frozenset(TABLES) - {"note_span"}) | {"concept", "cdm_source"}


class SourceTables(Protocol):
    """The tables of a source, in a database or a folder."""

    def require(self, table: str, columns: Sequence[str], *, key: str = "source") -> None:
        """Raise ConfigError, with the key, unless the table exists and has these columns."""
        ...

    def plan(self, size: int) -> Iterator[tuple[Unit, list[int]]]:
        """Divide the notes into units, each with its ids."""
        ...

    def malformed(self) -> list[Failure]:
        """Return the rows that are in no unit as failures."""
        ...

    def read(self, unit: Unit) -> list[NoteRow]:
        """Read the notes of a unit."""
        ...

    def pick(self, note_ids: Collection[int], size: int) -> Iterator[list[NoteRow]]:
        """Read single notes, about `size` at a time."""
        ...

    def present(self, note_ids: Sequence[int]) -> set[int]:
        """Return which of these notes exist now."""
        ...

    def lookup(
        self, table: str, columns: Sequence[str], key: str, values: Sequence[int]
    ) -> Sequence[Row]:
        """Read the rows whose key is among the values."""
        ...

    def values(self, table: str, column: str) -> list[Any]:
        """Return the distinct values of a column, which must exist."""
        ...

    def extremes(self, table: str, columns: Sequence[str]) -> Mapping[str, tuple[Any, Any]]:
        """Return the least and the greatest value of columns, which must exist; None if empty."""
        ...

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the columns of a table in lower case; empty if there is no such table."""
        ...

    def scan(
        self, table: str, columns: Sequence[str], key: str, values: Sequence[int]
    ) -> Iterator[Mapping[str, Any]]:
        """Stream the rows whose key is among the values in batches, as columns."""
        ...

    def stream(self, table: str, columns: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Stream all rows of a table in batches, as columns, which must exist."""
        ...

    def close(self) -> None:
        """Close connections and files."""
        ...


@dataclass(frozen=True)
class Source:
    """An OMOP CDM 5.4 warehouse, read in bounded batches and never written to.

    Persons in `objecting`, and their notes, are treated as if they were not there: no method but
    `hidden_notes` returns anything of them.
    """

    store: SourceTables
    identity: IdentitySettings | None = None
    objecting: frozenset[int] = field(default=frozenset(), repr=False)

    def plan(self, size: int) -> Iterator[tuple[Unit, list[int]]]:
        """Divide the notes into units of `size`, each with its current ids.

        Rows whose id is not an integer or not unique are in no unit: see `malformed`.
        """
        if not self.objecting:
            yield from self.store.plan(size)
            return
        hidden = self.hidden_notes
        for unit, note_ids in self.store.plan(size):
            kept = [note_id for note_id in note_ids if note_id not in hidden]
            if kept or not note_ids:
                yield replace(unit, count=len(kept)), kept

    def malformed(self) -> list[Failure]:
        """Return the rows that are in no unit as failures (`malformed-id`, `duplicate-id`)."""
        return self.store.malformed()

    def read(self, unit: Unit) -> list[NoteRow]:
        """Read the notes of a unit, with values as the driver returns them."""
        return self._leave_out(self.store.read(unit))

    def read_digests(self, unit: Unit, since: datetime | None = None) -> list[NoteRow] | None:
        """Read ids and digests of the notes of a unit; None where the source computes no digests.

        A note whose digest is that of an earlier row has the same values in all columns. That of a
        note not touched since a date is `UNTOUCHED`.
        """
        if not (isinstance(self.store, SqlStore) and (self.store.has_digests or since)):
            return None
        return self._leave_out(self.store.read_digests(unit, since))

    def note_ids(self, person_ids: Collection[int]) -> list[int]:
        """Return the note ids of persons; an id shared by several rows is repeated."""
        return find_note_ids(self.store, self._allowed(person_ids))

    def pick(self, note_ids: Collection[int], size: int) -> Iterator[list[NoteRow]]:
        """Read single notes, about `size` at a time, with the same values as `read`.

        Ids that do not exist or are not unique are left out.
        """
        for rows in self.store.pick(note_ids, size):
            yield self._leave_out(rows)

    def present(self, note_ids: Sequence[int]) -> set[int]:
        """Return which of these notes exist in the source now."""
        if not self.objecting:
            return self.store.present(note_ids)
        rows = self.store.lookup("note", ("note_id", "person_id"), "note_id", note_ids)
        found = (parse_integer(row["note_id"]) for row in rows if self._is_allowed(row))
        return {note_id for note_id in found if note_id is not None}

    def patients(self, person_ids: Collection[Any]) -> dict[int, PatientRecord]:
        """Return the records of these persons; unknown persons are left out."""
        return find_patients(self.store, self.identity, self._allowed(person_ids))

    def demographics(self, person_ids: Collection[Any]) -> dict[int, PersonRow]:
        """Read the rows of the output's person table, with the source's ids."""
        return find_demographics(self.store, self._allowed(person_ids))

    @cached_property
    def hidden_notes(self) -> frozenset[int]:
        """The ids of the notes of objecting persons."""
        persons = sorted(self.objecting)
        return frozenset(
            note_id for some in chunks(persons) for note_id in find_note_ids(self.store, some)
        )

    def _leave_out(self, rows: list[NoteRow]) -> list[NoteRow]:
        if not self.objecting:
            return rows
        return [row for row in rows if parse_integer(row.person_id) not in self.objecting]

    def _is_allowed(self, row: Row) -> bool:
        return parse_integer(row.get("person_id")) not in self.objecting

    def _allowed(self, person_ids: Collection[Any]) -> Collection[Any]:
        if not self.objecting:
            return person_ids
        return [each for each in person_ids if parse_integer(each) not in self.objecting]

    def has_identity(self, person_ids: Collection[Any]) -> set[int]:
        """Return the persons with a row in the identity table, or all if that is not required."""
        return find_identified(self.store, self.identity, person_ids)

    def clinicians(self, provider_ids: Collection[Any]) -> dict[int, PersonName]:
        """Read the names of clinicians."""
        return find_clinicians(self.store, provider_ids)

    def visit_numbers(self, visit_ids: Collection[Any]) -> dict[int, str]:
        """Read the visit numbers that appear on documents."""
        return find_visit_numbers(self.store, visit_ids)

    def fetch_document(self, name: str) -> DocumentContent | None:
        """Return the document that a note of an export names; None in a source that has none.

        Raises Unreadable.
        """
        return self.store.fetch(name) if isinstance(self.store, ExportStore) else None

    def close(self) -> None:
        """Close connections and files."""
        self.store.close()


@retrying_briefly
def open_source(settings: SourceSettings, base: Path) -> Source:
    """Open a source and check its tables; paths are relative to `base`.

    Raises ConfigError for missing tables or columns, Unavailable if it cannot be reached.
    """
    identity, objections = settings.identity, settings.objections
    wanted = _TABLES | ({identity.table.lower()} if identity else set())
    wanted |= {objections.table.lower()} if objections and objections.table else set()
    store: SourceTables
    export = find_format(settings.url)
    if export is not None:
        if identity or settings.schema:
            key = "source.identity" if identity else "source.schema"
            problem = "cannot be used with an export, which tells itself what is known of patients"
            raise ConfigError(key, problem, "remove it")
        store = ExportStore(base / export[1], export[0], settings)
        return reread_objections(Source(store, EXPORT_IDENTITY), settings, base)
    is_file = export is not None or settings.url.startswith(PARQUET)
    if settings.changes is not None and is_file:
        problem = "can be used with a database only"
        raise ConfigError("source.changes", problem, "remove it: files are read each night")
    if settings.url.startswith(PARQUET):
        refuse_schema(settings.schema, "source.url", "a folder of Parquet tables")
        store = ParquetStore(base / settings.url.removeprefix(PARQUET), wanted)
    else:
        engine = connect(
            settings.url, base, what="source.url", use="source", schema=settings.schema
        )
        store = SqlStore(engine, settings.schema, wanted)
        if settings.changes is not None:
            store.compare_since(settings.changes.column)
    if identity:
        check_identity(identity)
        store.require(identity.table, identity.all_columns, key="source.identity")
    return reread_objections(Source(store, identity), settings, base)


def reread_objections(source: Source, settings: SourceSettings, base: Path) -> Source:
    """Return an open source with the persons who object now; raises as `read_objections` does."""
    if settings.objections is None:
        return source
    has_sql = not settings.url.startswith(PARQUET)
    objecting = read_objections(settings, base, source.store, has_sql=has_sql)
    return Source(source.store, source.identity, objecting)


@retrying_briefly
def open_output(settings: OutputSettings, base: Path) -> Output:
    """Open an output and create missing tables; paths are relative to `base`.

    Raises ConfigError for tables with other columns or keys, Unavailable if it cannot be reached.
    """
    if settings.url.startswith(PARQUET):
        refuse_schema(settings.schema, "output.url", "a folder of Parquet tables")
        return ParquetOutput(base / settings.url.removeprefix(PARQUET), settings.tables)
    engine = connect(settings.url, base, what="output.url", use="output", schema=settings.schema)
    return SqlOutput(engine, settings.schema, settings.tables)

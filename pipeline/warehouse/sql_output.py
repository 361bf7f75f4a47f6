"""Output of de-identified notes to an SQL database, and the interface that all outputs share."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Protocol

from sqlalchemy import Engine, Table, delete, exists, insert, inspect, select, tuple_

from pipeline.warehouse.databases import chunks, retrying, transaction, upsert
from pipeline.warehouse.note_rows import (
    NOTE_COLUMNS,
    PERSON_COLUMNS,
    SPAN_COLUMNS,
    OutputRow,
    normalize_note,
)
from pipeline.warehouse.omop_tables import CDM_VERSION, CDM_VERSION_CONCEPT, make_output_tables
from record.errors import ConfigError

_WHAT = "output"
_PAGE = 2_000
_HASH_BITS = 512

COMPARED = {"note": NOTE_COLUMNS, "note_span": SPAN_COLUMNS, "person": PERSON_COLUMNS}
"""The columns of each table covered by a digest: all columns that are ever filled."""


@dataclass(frozen=True)
class CdmSource:
    """The row of the table `cdm_source`; dates are set by the caller, not by a clock."""

    cdm_source_name: str
    cdm_source_abbreviation: str
    cdm_holder: str
    source_description: str = ""
    source_documentation_reference: str = ""
    cdm_etl_reference: str = ""
    source_release_date: date | None = None
    cdm_release_date: date | None = None
    vocabulary_version: str = ""

    def row(self) -> dict[str, Any]:
        """Return the row with the version of the CDM."""
        version = {"cdm_version": CDM_VERSION, "cdm_version_concept_id": CDM_VERSION_CONCEPT}
        return asdict(self) | version


class Output(Protocol):
    """An output for released notes; writing methods are idempotent."""

    def check_writable(self) -> None:
        """Raise Unavailable unless the output is writable."""
        ...

    def publish(self, rows: Sequence[OutputRow]) -> None:
        """Write notes with their spans and persons, replacing earlier versions."""
        ...

    def withdraw(self, note_ids: Sequence[int]) -> None:
        """Remove notes and their spans."""
        ...

    def prune_persons(self) -> None:
        """Remove persons without notes."""
        ...

    def describe(self, source: CdmSource) -> None:
        """Write the single row of `cdm_source`."""
        ...

    def restart(self, source: CdmSource) -> None:
        """Remove all notes, spans and persons, then write the single row of `cdm_source`."""
        ...

    def origin(self) -> str | None:
        """Return the ETL reference in `cdm_source`; None if it was never described."""
        ...

    def ids(self) -> Iterator[int]:
        """Stream the ids of all notes."""
        ...

    def note_persons(self) -> Iterator[tuple[int, int]]:
        """Stream the ids of all notes, each with that of its person."""
        ...

    def text(self, note_id: int) -> str | None:
        """Read the text of one note."""
        ...

    def digest(self) -> str:
        """Return a digest of notes, spans and persons, equal for equal contents of any output."""
        ...

    def close(self) -> None:
        """Close connections and files."""
        ...


def hash_tables(tables: Iterable[tuple[str, Iterable[Sequence[Any]]]]) -> str:
    """Return a digest of the rows of tables, independent of their order, in constant memory.

    Row hashes are added modulo 2**512, so that no sink has to sort; the sum is hashed with each
    table's name and number of rows.
    """
    whole = hashlib.sha256()
    for name, rows in tables:
        count = total = 0
        for row in rows:
            canonical = json.dumps(list(row), separators=(",", ":"), default=_format_date).encode()
            total += int.from_bytes(hashlib.blake2b(canonical).digest(), "big")
            count += 1
        whole.update(f"{name}:{count}:{total % 2**_HASH_BITS:x}\n".encode())
    return whole.hexdigest()


def _format_date(value: date) -> str:
    return value.isoformat()


def make_span_values(rows: Iterable[OutputRow]) -> Iterable[tuple[int, int, int, str]]:
    """Return the values of `note_span` rows in the order of its columns, without duplicates."""
    found = ((row.note.note_id, s.start, s.end, s.label) for row in rows for s in row.spans)
    return dict.fromkeys(found)


def make_span_rows(rows: Iterable[OutputRow]) -> list[dict[str, Any]]:
    """Return the rows of `note_span`, without duplicates."""
    return [dict(zip(SPAN_COLUMNS, values, strict=True)) for values in make_span_values(rows)]


def make_person_rows(rows: Iterable[OutputRow]) -> list[dict[str, Any]]:
    """Return the rows of `person`, one per person."""
    persons = {row.person.person_id: row.person for row in rows if row.person}
    return [asdict(person) for _, person in sorted(persons.items())]


def make_note_rows(rows: Iterable[OutputRow]) -> list[dict[str, Any]]:
    """Return the normalized rows of `note`, one per note."""
    return list({row.note.note_id: normalize_note(row.note) for row in rows}.values())


class SqlOutput:
    """An output in a database: OMOP CDM 5.4 tables, one transaction per batch."""

    def __init__(self, engine: Engine, schema: str | None) -> None:
        self._engine = engine
        self._tables = make_output_tables(schema)
        self._by_name: Mapping[str, Table] = {t.name: t for t in self._tables.tables.values()}
        with transaction(engine, _WHAT, write=True) as connection:
            self._tables.create_all(connection)
            found = inspect(connection)
            for name, table in self._by_name.items():
                actual = {column["name"] for column in found.get_columns(name, schema)}
                key = set(found.get_pk_constraint(name, schema)["constrained_columns"])
                check_table(table, actual, key)

    @retrying
    def check_writable(self) -> None:
        """Raise Unavailable unless the output is writable."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            for table in self._by_name.values():
                connection.execute(delete(table).where(table.c[0] != table.c[0]))

    @retrying
    def publish(self, rows: Sequence[OutputRow]) -> None:
        """Write notes with their spans and persons in one transaction.

        Raises Unsafe `malformed`, and writes nothing, if a value cannot be stored.
        """
        notes, spans, persons = make_note_rows(rows), make_span_rows(rows), make_person_rows(rows)
        span = self._by_name["note_span"]
        with transaction(self._engine, _WHAT, write=True) as connection:
            upsert(connection, self._by_name["person"], persons)
            for some in chunks([note["note_id"] for note in notes]):
                connection.execute(delete(span).where(span.c.note_id.in_(some)))
            upsert(connection, self._by_name["note"], notes)
            upsert(connection, span, spans)

    @retrying
    def withdraw(self, note_ids: Sequence[int]) -> None:
        """Remove notes and their spans in one transaction."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            for some in chunks(note_ids):
                for name in ("note_span", "note"):
                    table = self._by_name[name]
                    connection.execute(delete(table).where(table.c.note_id.in_(some)))

    @retrying
    def prune_persons(self) -> None:
        """Remove persons without notes."""
        note, person = self._by_name["note"], self._by_name["person"]
        noted = exists().where(note.c.person_id == person.c.person_id)
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(delete(person).where(~noted))

    @retrying
    def describe(self, source: CdmSource) -> None:
        """Write the single row of `cdm_source`."""
        table = self._by_name["cdm_source"]
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(delete(table))
            connection.execute(insert(table), [source.row()])

    @retrying
    def restart(self, source: CdmSource) -> None:
        """Remove all notes, spans and persons, and write `cdm_source`, in one transaction."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            for name in ("note_span", "note", "person", "cdm_source"):
                connection.execute(delete(self._by_name[name]))
            connection.execute(insert(self._by_name["cdm_source"]), [source.row()])

    @retrying
    def origin(self) -> str | None:
        """Return the ETL reference in `cdm_source`, which identifies the key of this output."""
        table = self._by_name["cdm_source"]
        with transaction(self._engine, _WHAT) as connection:
            reference: str | None = connection.scalar(select(table.c.cdm_etl_reference))
            return reference

    def ids(self) -> Iterator[int]:
        """Stream the ids of all notes, in order."""
        return (row[0] for row in self._rows("note", ("note_id",)))

    def note_persons(self) -> Iterator[tuple[int, int]]:
        """Stream the ids of all notes, each with that of its person."""
        return ((row[0], row[1]) for row in self._rows("note", ("note_id", "person_id")))

    @retrying
    def text(self, note_id: int) -> str | None:
        """Read the text of one note."""
        note = self._by_name["note"]
        with transaction(self._engine, _WHAT) as connection:
            found = select(note.c.note_text).where(note.c.note_id == note_id)
            text: str | None = connection.scalar(found)
            return text

    def digest(self) -> str:
        """Return a digest of notes, spans and persons."""
        return hash_tables((name, self._rows(name, columns)) for name, columns in COMPARED.items())

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    def _rows(self, name: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Stream a table in pages of its primary key."""
        width = len(self._by_name[name].primary_key.columns)
        after: tuple[Any, ...] | None = None
        while page := self._page(name, columns, after):
            yield from (row[width:] for row in page)
            after = page[-1][:width]

    @retrying
    def _page(
        self, name: str, columns: Sequence[str], after: tuple[Any, ...] | None
    ) -> list[tuple[Any, ...]]:
        table = self._by_name[name]
        keys = list(table.primary_key.columns)
        page = select(
            *(key.label(f"key_{key.name}") for key in keys), *(table.c[n] for n in columns)
        )
        page = page.order_by(*keys).limit(_PAGE)
        if after is not None:
            page = page.where(tuple_(*keys) > tuple_(*after))
        with transaction(self._engine, _WHAT) as connection:
            return [tuple(row) for row in connection.execute(page)]


def check_table(table: Table, actual: set[str], key: set[str], setting: str = "output.url") -> None:
    """Raise ConfigError for the setting if a table lacks columns or has another primary key."""
    missing = sorted({column.name for column in table.columns} - actual)
    if missing:
        problem = f"table {table.name}: missing columns {', '.join(missing)}"
        raise ConfigError(setting, problem, "use an empty database or OMOP CDM 5.4 tables")
    needed = {column.name for column in table.primary_key}
    if key != needed:
        problem = f"table {table.name}: primary key must be {', '.join(sorted(needed))}"
        raise ConfigError(setting, problem, "add the key, or use an empty database")

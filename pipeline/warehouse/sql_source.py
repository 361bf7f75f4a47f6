"""Source of notes in an SQL database, read in ranges of keys."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Date,
    DateTime,
    Engine,
    String,
    TableClause,
    Text,
    and_,
    case,
    cast,
    column,
    func,
    inspect,
    literal,
    null,
    select,
    type_coerce,
)
from sqlalchemy import table as named_table
from sqlalchemy.types import Integer

from pipeline.config.near_misses import suggest
from pipeline.warehouse.databases import CHUNK, chunks, retrying, transaction
from pipeline.warehouse.note_rows import NOTE_COLUMNS, UNTOUCHED, NoteRow, Unit
from pipeline.warehouse.omop_tables import REQUIRED
from record.errors import ConfigError
from record.failure import Failure

Row = dict[str, Any]

_WHAT = "source"
_PAGE = 20_000
_SCANNED = 5_000
_MOST_NAMED = 20
_SINCE_SHA256 = (11,)
_DIGEST_BYTES = 16
_COMPARED = ("note_id", "person_id", "provider_id", "visit_occurrence_id", "digest")
"""What tells, without the text, whether a note and what is known of it have changed."""


def make_table_error(name: str, key: str) -> ConfigError:
    """Return the error for a missing required table, which `key` names unless it is of OMOP."""
    own = f"{key}.table, " if key != _WHAT else ""
    return ConfigError(key, f"no table {name}", f"check {own}source.url and source.schema")


def check_columns(table: str, present: Sequence[str], required: Sequence[str], key: str) -> None:
    """Raise ConfigError if a table lacks a required column; names are case-insensitive."""
    known = {name.lower() for name in present}
    for name in required:
        if name.lower() not in known:
            raise _make_column_error(table, name, present, key)


def _make_column_error(table: str, name: str, present: Sequence[str], key: str) -> ConfigError:
    remedy = "check the table against OMOP CDM 5.4 and source.schema"
    if key != _WHAT:
        shown = ", ".join(present[:_MOST_NAMED]) + ", ..." * (len(present) > _MOST_NAMED)
        remedy = f"{suggest(name, present)} Correct the column in {key}; the table has {shown}"
    return ConfigError(key, f"table {table} has no column {name}", remedy.strip())


def make_malformed_failure(number: int) -> Failure:
    """Return the failure of a row whose id is not an integer; the id may hold text: left out."""
    return Failure(f"row-{number}", "read", "Unreadable", "malformed-id")


def make_duplicate_failure(note_id: int) -> Failure:
    """Return the failure of an id shared by several rows."""
    return Failure(str(note_id), "read", "Unreadable", "duplicate-id")


class SqlStore:
    """The tables of a source database.

    Names of tables and columns are case-insensitive. Values are returned as the driver gives
    them. Every read is a range of keys in its own transaction. `wanted` are the tables to look
    for, in lower case.
    """

    def __init__(self, engine: Engine, schema: str | None, wanted: Collection[str]) -> None:
        self._engine = engine
        self._tables: dict[str, tuple[TableClause, dict[str, str]]] = {}
        self._changed: ColumnElement[Any] | None = None
        self._note_types: dict[str, Any] = {}
        digest: ColumnElement[Any] | None = None
        with transaction(engine, _WHAT) as connection:
            found = inspect(connection)
            names = [*found.get_table_names(schema), *found.get_view_names(schema)]
            for name in (name for name in names if name.lower() in wanted):
                columns = found.get_columns(name, schema)
                clause = named_table(name, *(column(c["name"]) for c in columns), schema=schema)
                self._tables[name.lower()] = clause, {c["name"].lower(): c["name"] for c in columns}
                if name.lower() == "note":
                    _check_id_type(connection.dialect.name, columns)
                    self._note_types = {c["name"].lower(): c["type"] for c in columns}
                    digest = _make_digest(connection, clause, columns)
        for name, required in REQUIRED.items():
            self.require(name, required)
        note, actual = self._tables["note"]
        self._note, self._id = note, _to_long(note.c[actual["note_id"]])
        self._read: dict[str, ColumnElement[Any]] = {
            name: note.c[actual[name]] for name in NOTE_COLUMNS if name in actual
        }
        self.has_digests = digest is not None
        """Whether the database computes digests of notes."""
        if digest is not None:
            # In the statement that reads the row: a digest always belongs to what was read.
            self._read["digest"] = digest

    def require(self, table: str, columns: Sequence[str], *, key: str = _WHAT) -> None:
        """Raise ConfigError, with the key, unless the table exists and has these columns."""
        if table.lower() not in self._tables:
            raise make_table_error(table, key)
        check_columns(table, list(self._tables[table.lower()][1].values()), columns, key)

    def plan(self, size: int) -> Iterator[tuple[Unit, list[int]]]:
        """Divide the notes into units of `size` in order of id, each with its ids."""
        index, waiting = 0, list[int]()
        after: int | None = None
        while page := self._page(after):
            after = page[-1][0]
            waiting += [note_id for note_id, count in page if count == 1]
            while len(waiting) >= size:
                ids, waiting = waiting[:size], waiting[size:]
                yield Unit(index, "", ids[0], ids[-1], size), ids
                index += 1
        if waiting:
            yield Unit(index, "", waiting[0], waiting[-1], len(waiting)), waiting

    @retrying
    def _page(self, after: int | None) -> list[tuple[int, int]]:
        where = self._is_number() if after is None else and_(self._is_number(), self._id > after)
        page = (
            select(self._id, func.count())
            .where(where)
            .group_by(self._id)
            .order_by(self._id)
            .limit(_PAGE)
        )
        with transaction(self._engine, _WHAT) as connection:
            return [(note_id, count) for note_id, count in connection.execute(page)]

    @retrying
    def malformed(self) -> list[Failure]:
        """Return the rows that are in no unit as failures: ids not integers, or of several rows."""
        malformed = select(func.count()).select_from(self._note).where(~self._is_number())
        shared = (
            select(self._id)
            .where(self._is_number())
            .group_by(self._id)
            .having(func.count() > 1)
            .order_by(self._id)
        )
        with transaction(self._engine, _WHAT) as connection:
            count = connection.scalar(malformed) or 0
            duplicates = connection.scalars(shared).all()
        return [make_malformed_failure(k + 1) for k in range(count)] + [
            make_duplicate_failure(i) for i in duplicates
        ]

    def read(self, unit: Unit) -> list[NoteRow]:
        """Read the notes of a unit in order of id; rows that share an id are left out."""
        return self._read_columns(unit, self._read)

    def read_digests(self, unit: Unit, since: datetime | None = None) -> list[NoteRow]:
        """Read as `read` does, but only ids and digests of the rows: other columns are None.

        A note without text has no digest: the document that it may name is no part of the row. With
        `since`, the digest of a row not touched since then is `UNTOUCHED`.
        """
        wanted = {name: self._read[name] for name in _COMPARED if name in self._read}
        if since is not None:
            wanted["digest"] = self._narrow(since)
        return self._read_columns(unit, wanted)

    def compare_since(self, name: str) -> None:
        """Set the column with the time of a row's last change; raises ConfigError."""
        self.require("note", [name])
        clause, names = self._tables["note"]
        kind, dialect = self._note_types.get(name.lower()), self._engine.dialect.name
        if dialect not in ("sqlite", "postgresql"):
            problem, remedy = "cannot be used with this database", "remove it"
            raise ConfigError("source.changes", problem, remedy)
        if dialect == "postgresql" and not isinstance(kind, Date | DateTime):
            problem = f"note.{name} is no date or timestamp"
            raise ConfigError("source.changes.column", problem, "name a column that is one")
        self._changed = clause.c[names[name.lower()]]

    def _narrow(self, since: datetime) -> ColumnElement[Any]:
        """Return the digest of rows touched since a date, and `UNTOUCHED` for others."""
        if self._changed is None:
            raise ValueError("no column with the time of changes")
        is_before: ColumnElement[bool] = self._changed < literal(since)
        if self._engine.dialect.name == "sqlite":
            # Text: of another form, it cannot be compared, and the row counts as touched.
            is_date = self._changed.like("____-__-__%")
            is_before = and_(is_date, self._changed < literal(since.isoformat(" ", "seconds")))
        return case(
            (~_has_text(self._read["note_text"]), null()),
            (is_before, literal(UNTOUCHED)),
            else_=self._read.get("digest", null()),
        )

    @retrying
    def _read_columns(self, unit: Unit, columns: Mapping[str, ColumnElement[Any]]) -> list[NoteRow]:
        rows = (
            select(*(found.label(name) for name, found in columns.items()))
            .where(self._is_number(), self._id.between(unit.low, unit.high))
            .order_by(self._id)
        )
        with transaction(self._engine, _WHAT) as connection:
            return drop_shared_ids([NoteRow(**row._mapping) for row in connection.execute(rows)])

    def pick(self, note_ids: Collection[int], size: int) -> Iterator[list[NoteRow]]:
        """Read single notes in order of id, at most `size` at a time."""
        for some in chunks(sorted(note_ids), min(size, CHUNK)):
            yield self._pick(some)

    @retrying
    def _pick(self, note_ids: Sequence[int]) -> list[NoteRow]:
        columns = (found.label(name) for name, found in self._read.items())
        rows = select(*columns).where(self._is_number(), self._id.in_(note_ids)).order_by(self._id)
        with transaction(self._engine, _WHAT) as connection:
            return drop_shared_ids([NoteRow(**row._mapping) for row in connection.execute(rows)])

    def present(self, note_ids: Sequence[int]) -> set[int]:
        """Return which of these notes exist now."""
        return {row["note_id"] for row in self.lookup("note", ("note_id",), "note_id", note_ids)}

    @retrying
    def lookup(
        self, table: str, columns: Sequence[str], key: str, values: Sequence[int]
    ) -> list[Row]:
        """Read the rows whose key is among the values; missing tables and columns are empty."""
        if table.lower() not in self._tables:
            return []
        clause, names = self._tables[table.lower()]
        if key.lower() not in names:
            return []
        wanted = [
            clause.c[names[name.lower()]].label(name) for name in columns if name.lower() in names
        ]
        found: list[Row] = []
        with transaction(self._engine, _WHAT) as connection:
            for some in chunks(sorted(values)):
                matches = _to_long(clause.c[names[key.lower()]]).in_(some)
                result = connection.execute(select(*wanted).where(matches))
                found.extend(dict(row._mapping) for row in result)
        return found

    @retrying
    def values(self, table: str, column: str) -> list[Any]:
        """Return the distinct values of a column, which must exist."""
        clause, names = self._tables[table.lower()]
        wanted = select(clause.c[names[column.lower()]]).distinct()
        with transaction(self._engine, _WHAT) as connection:
            return list(connection.scalars(wanted))

    @retrying
    def extremes(self, table: str, columns: Sequence[str]) -> dict[str, tuple[Any, Any]]:
        """Return the least and the greatest value of columns, which must exist; None if empty."""
        clause, names = self._tables[table.lower()]
        asked: list[ColumnElement[Any]] = [
            pick(clause.c[names[name]]) for name in columns for pick in (func.min, func.max)
        ]
        if len(columns) == 1:
            # SQLite takes one extreme from an index, but not two at once.
            asked = [select(each).scalar_subquery() for each in asked]
        with transaction(self._engine, _WHAT) as connection:
            found = connection.execute(select(*asked)).one()
        return {name: (found[2 * k], found[2 * k + 1]) for k, name in enumerate(columns)}

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the columns of a table in lower case; empty if there is no such table."""
        return tuple(self._tables[table.lower()][1]) if table.lower() in self._tables else ()

    def scan(
        self, table: str, columns: Sequence[str], key: str, values: Sequence[int]
    ) -> Iterator[Mapping[str, Any]]:
        """Stream the rows whose key is among the values in batches, as columns.

        All columns must exist. After a failure, the stream must be restarted from the beginning.
        """
        clause, names = self._tables[table.lower()]
        wanted = [clause.c[names[name]].label(name) for name in columns]
        matches = _to_long(clause.c[names[key]])
        for some in chunks(values):
            statement = select(*wanted).where(matches.in_(some))
            with transaction(self._engine, _WHAT) as connection:
                result = connection.execution_options(yield_per=_SCANNED).execute(statement)
                for rows in result.partitions():
                    yield dict(zip(columns, zip(*rows, strict=True), strict=True))

    def stream(self, table: str, columns: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Stream all rows of a table in batches, as columns, in one transaction.

        All columns must exist. After a failure, the stream must be restarted from the beginning.
        """
        clause, names = self._tables[table.lower()]
        statement = select(*(clause.c[names[name]].label(name) for name in columns))
        with transaction(self._engine, _WHAT) as connection:
            result = connection.execution_options(yield_per=_SCANNED).execute(statement)
            for rows in result.partitions():
                yield dict(zip(columns, zip(*rows, strict=True), strict=True))

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    def _is_number(self) -> ColumnElement[bool]:
        # SQLite accepts any value in any column; text sorts after all numbers.
        if self._engine.dialect.name == "sqlite":
            return func.typeof(self._id) == "integer"
        return self._id.is_not(None)


def _to_long(key: ColumnElement[Any]) -> ColumnElement[int]:
    # Otherwise values are sent to PostgreSQL with the type of the first, too small for others.
    return type_coerce(key, BigInteger())


def _make_digest(
    connection: Connection, note: TableClause, columns: Sequence[Any]
) -> ColumnElement[Any] | None:
    """Return what makes PostgreSQL hash the columns that are read; None elsewhere.

    Names and types of the columns are hashed too, and the length of each value, so that rows that
    are read differently have different digests; those that are read alike may also have them.
    """
    if connection.dialect.name != "postgresql":
        return None
    if (connection.dialect.server_version_info or ()) < _SINCE_SHA256:
        return None
    found = {each["name"].lower(): each for each in columns}
    read = [found[name] for name in NOTE_COLUMNS if name in found]
    if not isinstance(found.get("note_text", {}).get("type"), String):
        return None
    layout = ",".join(f"{each['name']} {each['type']!r}" for each in read)
    values = (cast(note.c[each["name"]], Text) for each in read)
    parts = (
        case((value.is_(None), "-"), else_=func.concat(func.octet_length(value), ":", value))
        for value in values
    )
    # In the encoding of the database: no character has to be converted, and none can fail to be.
    row = func.convert_to(func.concat(literal(layout), *parts), func.getdatabaseencoding())
    digest = func.substring(func.sha256(row), 1, _DIGEST_BYTES)
    return case((_has_text(note.c[found["note_text"]["name"]]), digest), else_=null())


def _has_text(note_text: ColumnElement[Any]) -> ColumnElement[bool]:
    return func.coalesce(cast(note_text, Text), "") != ""


def drop_shared_ids(rows: list[NoteRow]) -> list[NoteRow]:
    """Return the rows whose id is unique among them."""
    if len({row.note_id for row in rows}) == len(rows):
        return rows
    counts: dict[int, int] = {}
    for row in rows:
        counts[row.note_id] = counts.get(row.note_id, 0) + 1
    return [row for row in rows if counts[row.note_id] == 1]


def _check_id_type(dialect: str, columns: Sequence[Any]) -> None:
    kind = next((c["type"] for c in columns if c["name"].lower() == "note_id"), None)
    if dialect != "sqlite" and kind is not None and not isinstance(kind, Integer):
        remedy = "change its type, as OMOP CDM 5.4 requires"
        raise ConfigError("source", "note.note_id must be an integer column", remedy)

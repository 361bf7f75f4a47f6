"""Source of notes in an export of resources or messages: a folder of files, read where they lie.

Opening it reads every file once and keeps an index: the rows of all tables but the texts of notes,
which are read when their unit is. The index is a database without a name that is deleted as it
is made and ends with the process, so nothing of it stays on a disk.
"""

import hashlib
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import IO, Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    create_engine,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.pool import StaticPool
from sqlalchemy.types import TypeEngine

from pipeline.config.settings import IdentitySettings, SourceSettings
from pipeline.exports.fhir import NOTE_CLASSES, FhirExport
from pipeline.exports.hl7v2 import Hl7Export
from pipeline.exports.records import (
    IDENTITY,
    IDENTITY_LABELS,
    DocumentContent,
    ExportedRow,
    ExportFormat,
    FileRecord,
    list_files,
    make_number,
    open_export_file,
)
from pipeline.warehouse.databases import CHUNK, chunks, guard, transaction
from pipeline.warehouse.note_rows import NOTE_COLUMNS, NoteRow, Unit
from pipeline.warehouse.omop_tables import LONG, PERSON_READ
from pipeline.warehouse.people import IDENTITY_FIELDS, split_name
from pipeline.warehouse.sql_source import Row, SqlStore, make_duplicate_failure
from record.columns import TABLES
from record.errors import ConfigError, Unavailable, Unreadable
from record.failure import Failure

FORMATS: dict[str, ExportFormat] = {"fhir:": FhirExport(), "hl7:": Hl7Export()}
"""URL prefix of a folder -> the format of its files."""

_WHAT = "source"
_SEPARATOR = "\x1f"
_ROWS = 2_000
_PAGE = 20_000
_HELD_BYTES = 256 << 20
_CACHE_KIB = 65_536
_KEYS = {
    "person": "person_id",
    "death": "person_id",
    "visit_occurrence": "visit_occurrence_id",
    "provider": "provider_id",
    "care_site": "care_site_id",
    "note": "note_id",
    "binary": "binary_id",
}
_READ = {
    "person": (*PERSON_READ, "gender_source_value"),
    "death": ("person_id", "death_date", "death_datetime", "death_type_concept_id"),
    "visit_occurrence": TABLES["visit_occurrence"],
    "provider": ("provider_id", "provider_name"),
    "care_site": ("care_site_id", "care_site_name"),
    "note": NOTE_COLUMNS,
    "binary": ("binary_id",),
}
_IDENTITY_COLUMNS = (*IDENTITY_FIELDS, *IDENTITY_LABELS)

EXPORT_IDENTITY = IdentitySettings(
    table=IDENTITY, columns={name: name for name in _IDENTITY_COLUMNS}, separator=_SEPARATOR
)
"""What an export knows of patients, as the table of identifying data of a warehouse."""


def find_format(url: str) -> tuple[ExportFormat, str] | None:
    """Return the format and the folder that the URL of an export names; None for another URL."""
    for prefix, found in FORMATS.items():
        if url.startswith(prefix):
            return found, url.removeprefix(prefix)
    return None


class ExportStore:
    """The tables of an export: `person`, `visit_occurrence`, `note` ... and `patient_identity`.

    `settings.classes` comes before the classes of documents that are built in. Of several versions
    of a resource the latest counts, but all that any of them knows of a patient is kept. A record
    that cannot be read is a failure of its own and the rest is read. Raises ConfigError where two
    keys have the same number, Unavailable for a folder that is not there and for a damaged archive.
    """

    def __init__(self, folder: Path, kind: ExportFormat, settings: SourceSettings) -> None:
        self._folder, self._format, self._settings = folder, kind, settings
        self._files = list_files(folder, kind.suffixes)
        self._failures: list[Failure] = []
        self._opened: tuple[int, IO[bytes], ExitStack] | None = None
        self._record: tuple[tuple[int, int], bytes] | None = None
        self._held: dict[str, bytes] = {}
        self._index = _Index()
        try:
            with guard(_WHAT):
                self._load()
        except BaseException:
            self._index.engine.dispose()
            raise
        wanted = {*_KEYS, IDENTITY} - {"binary"}
        self._tables = SqlStore(self._index.engine, None, wanted)

    @property
    def engine(self) -> Engine:
        """The database of the index, for queries on its tables."""
        return self._index.engine

    # Loading --------------------------------------------------------------------------------------

    def _load(self) -> None:
        with self._index.engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            classes = {**NOTE_CLASSES, **self._settings.classes}
            loader = _Loader(connection, self._index, classes)
            for number, name in enumerate(self._files):
                self._load_file(loader, number, name)
            loader.flush()
            self._failures += self._index.settle(connection)
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("PRAGMA query_only = ON")

    def _load_file(self, loader: "_Loader", number: int, name: str) -> None:
        try:
            with self._open_file(name) as file:
                for record in self._format.split(name, file):
                    self._load_record(loader, number, record)
        except Unreadable as error:
            self._failures.append(_make_failure(number, None, error.reason))

    def _load_record(self, loader: "_Loader", number: int, record: FileRecord) -> None:
        rows, reasons = (
            ([], [record.reason]) if record.reason else self._format.read_rows(record.data)
        )
        digest = _hash(record.data)
        for row in rows:
            loader.add(row, (number, record.start, record.size, row.item), digest)
        self._failures += (_make_failure(number, record.number, reason) for reason in reasons)

    # Notes ----------------------------------------------------------------------------------------

    def plan(self, size: int) -> Iterator[tuple[Unit, list[int]]]:
        """Divide the notes into units of `size` in the order of the files, each with its ids."""
        note = self._index.tables["note"]
        index, after, waiting = 0, -1, list[tuple[int, int]]()
        while True:
            page = (
                select(note.c.place, note.c.note_id)
                .where(note.c.place > after)
                .order_by(note.c.place)
                .limit(_PAGE)
            )
            with transaction(self.engine, _WHAT) as connection:
                found = [(place, note_id) for place, note_id in connection.execute(page)]
            waiting += found
            after = found[-1][0] if found else after
            while len(waiting) >= size or (waiting and not found):
                some, waiting = waiting[:size], waiting[size:]
                yield Unit(index, "", some[0][0], some[-1][0], len(some)), [one for _, one in some]
                index += 1
            if not found:
                return

    def malformed(self) -> list[Failure]:
        """Return what is in no unit: records that cannot be read, notes whose id is not unique."""
        return list(self._failures)

    def read(self, unit: Unit) -> list[NoteRow]:
        """Read the notes of a unit in the order of their files, with the texts that are in them."""
        note = self._index.tables["note"]
        return self._read(note.c.place.between(unit.low, unit.high))

    def pick(self, note_ids: Collection[int], size: int) -> Iterator[list[NoteRow]]:
        """Read single notes in the order of their files, at most `size` at a time."""
        note = self._index.tables["note"]
        places: list[int] = []
        with transaction(self.engine, _WHAT) as connection:
            for some in chunks(sorted(note_ids)):
                found = select(note.c.place).where(note.c.note_id.in_(some))
                places += connection.scalars(found)
        for some in chunks(sorted(places), min(size, CHUNK)):
            yield self._read(note.c.place.in_(some))

    def _read(self, where: Any) -> list[NoteRow]:
        note = self._index.tables["note"]
        self._held.clear()
        with transaction(self.engine, _WHAT) as connection:
            found = connection.execute(select(note).where(where).order_by(note.c.place)).all()
        return [self._fill(dict(row._mapping)) for row in found]

    def _fill(self, row: Row) -> NoteRow:
        """Return a note with its text; the bytes of a document are held until it is fetched."""
        values = {name: row[name] for name in NOTE_COLUMNS}
        try:
            content = self._read_content(row)
        except Unreadable:
            content = DocumentContent()  # fetching it gives the reason
        if content.text:
            values["note_text"] = content.text
        elif content.data is not None and self._held_bytes + len(content.data) <= _HELD_BYTES:
            self._held[row["note_source_value"]] = content.data
        return NoteRow(**values)

    @property
    def _held_bytes(self) -> int:
        return sum(map(len, self._held.values()))

    def fetch(self, name: str) -> DocumentContent:
        """Return the document that a note names, or the path below the folder where it lies.

        Raises Unreadable: `broken`, `not-exported`, `missing-document`, `no-text`.
        """
        if name in self._held:
            return DocumentContent(data=self._held[name])
        note = self._index.tables["note"]
        row = self._find(note, note.c.note_source_value == name)
        content = self._read_content(row)
        if content.location.startswith("Binary/"):
            binary = self._index.tables["binary"]
            row = self._find(binary, binary.c.binary_id == make_number(content.location))
            return self._read_content(row)
        if not content.location and content.data is None:
            raise Unreadable("no-text")
        return content

    def _find(self, table: Table, where: Any) -> Row:
        with transaction(self.engine, _WHAT) as connection:
            found = connection.execute(select(table).where(where)).first()
        if found is None:
            raise Unreadable("missing-document")
        return dict(found._mapping)

    def _read_content(self, row: Row) -> DocumentContent:
        data = self._read_record(row["file"], row["start"], row["size"])
        if _hash(data) != row["digest"]:
            problem = "the export changed while it was read"
            raise Unavailable("source.url", problem, "run again when the export is complete")
        return self._format.read_content(data, row["item"])

    def _read_record(self, number: int, start: int, size: int) -> bytes:
        if self._record is None or self._record[0] != (number, start):
            with guard(_WHAT):
                file = self._open(number)
                # In a compressed file going back means to begin again; notes are read in order.
                file.seek(start)
                self._record = (number, start), file.read(size)
        return self._record[1]

    def _open(self, number: int) -> IO[bytes]:
        if self._opened is not None and self._opened[0] == number:
            return self._opened[1]
        self._close_file()
        with ExitStack() as stack:
            file = stack.enter_context(self._open_file(self._files[number]))
            self._opened = number, file, stack.pop_all()
        return file

    def _open_file(self, name: str) -> AbstractContextManager[IO[bytes]]:
        return open_export_file(self._folder / name, hard_links=self._settings.hard_links)

    def _close_file(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened[2].close()

    # Tables ---------------------------------------------------------------------------------------

    def require(self, table: str, columns: Sequence[str], *, key: str = "source") -> None:
        """Raise ConfigError, with the key, unless the table exists and has these columns."""
        self._tables.require(table, columns, key=key)

    def present(self, note_ids: Sequence[int]) -> set[int]:
        """Return which of these notes exist."""
        return self._tables.present(note_ids)

    def lookup(
        self, table: str, columns: Sequence[str], key: str, values: Sequence[int]
    ) -> Sequence[Row]:
        """Read the rows whose key is among the values; missing tables and columns are empty."""
        return self._tables.lookup(table, columns, key, values)

    def values(self, table: str, column: str) -> list[Any]:
        """Return the distinct values of a column, which must exist."""
        return self._tables.values(table, column)

    def extremes(self, table: str, columns: Sequence[str]) -> Mapping[str, tuple[Any, Any]]:
        """Return the least and the greatest value of columns, which must exist; None if empty."""
        return self._tables.extremes(table, columns)

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the columns of a table in lower case; empty if there is no such table."""
        return self._tables.columns(table)

    def scan(
        self, table: str, columns: Sequence[str], key: str, values: Sequence[int]
    ) -> Iterator[Mapping[str, Any]]:
        """Stream the rows whose key is among the values in batches, as columns."""
        return self._tables.scan(table, columns, key, values)

    def stream(self, table: str, columns: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Stream all rows of a table in batches, as columns, which must exist."""
        return self._tables.stream(table, columns)

    def close(self) -> None:
        """Close the open file and forget the index."""
        self._close_file()
        self._index.engine.dispose()


class _Index:
    """The database of an export's rows; each has the place it was read at, in order of the files.

    `file`, `start`, `size` and `item` find the record of a note, `digest` is that of the record.
    """

    def __init__(self) -> None:
        self.engine = create_engine(
            "sqlite+pysqlite://", creator=_connect, poolclass=StaticPool, hide_parameters=True
        )
        metadata = MetaData()
        self.tables: dict[str, Table] = {}
        for name, columns in _READ.items():
            kinds = (Column(each, _type_of(each), index=_is_indexed(each)) for each in columns)
            self.tables[name] = Table(name, metadata, *_place_columns(), *kinds)
        identity = (Column(name, Text) for name in _IDENTITY_COLUMNS)
        self.tables[IDENTITY] = Table(
            IDENTITY,
            metadata,
            Column("place", Integer, primary_key=True),
            Column("person_id", LONG, index=True),
            Column("patient", Text, index=True),
            Column("fact", LargeBinary, unique=True),
            *identity,
        )
        metadata.create_all(self.engine)

    def settle(self, connection: Connection) -> list[Failure]:
        """Keep the latest version of each row, unless that withdraws it.

        Returns the notes whose ids are not unique.
        """
        failures = self._drop_ambiguous_notes(connection)
        for name, key in _KEYS.items():
            table = self.tables[name]
            self._check_numbers(connection, table, key)
            order = table.c.updated.desc(), table.c.place
            rank = func.row_number().over(partition_by=table.c[key], order_by=order)
            ranked = select(table.c.place, rank.label("rank")).subquery()
            old = select(ranked.c.place).where(ranked.c.rank > 1)
            is_gone = table.c.place.in_(old) | (table.c.withdrawn == 1)
            connection.execute(delete(table).where(is_gone))
        self._drop_dangling_references(connection)
        return failures

    def _drop_ambiguous_notes(self, connection: Connection) -> list[Failure]:
        """Drop notes of one id that have several keys, or several latest versions."""
        note = self.tables["note"]
        latest = (
            select(note.c.note_id, func.max(note.c.updated).label("updated"))
            .group_by(note.c.note_id)
            .having(func.count() > 1)
            .subquery()
        )
        is_latest = (note.c.note_id == latest.c.note_id) & (note.c.updated == latest.c.updated)
        versions = func.count(func.distinct(note.c.digest))
        several = select(note.c.note_id).join(latest, is_latest).group_by(note.c.note_id)
        shared = select(note.c.note_id).group_by(note.c.note_id)
        ids = {
            *connection.scalars(several.having(versions > 1)),
            *connection.scalars(shared.having(func.count(func.distinct(note.c.key)) > 1)),
        }
        for some in chunks(sorted(ids)):
            connection.execute(delete(note).where(note.c.note_id.in_(some)))
        return [make_duplicate_failure(note_id) for note_id in sorted(ids)]

    def _check_numbers(self, connection: Connection, table: Table, key: str) -> None:
        keys = func.count(func.distinct(table.c.key))
        shared = select(table.c[key]).group_by(table.c[key]).having(keys > 1).limit(1)
        number = connection.scalar(shared)
        if number is not None:
            raise ConfigError(
                "source.url",
                f"two keys of {table.name} have the same number, {number}",
                "leave one of the two out of the export, or give it another id",
            )

    def _drop_dangling_references(self, connection: Connection) -> None:
        """Empty references to visits, clinicians and sites that the export does not hold."""
        for name, column, other in (
            ("note", "visit_occurrence_id", "visit_occurrence"),
            ("note", "provider_id", "provider"),
            ("visit_occurrence", "provider_id", "provider"),
            ("visit_occurrence", "care_site_id", "care_site"),
        ):
            table, target = self.tables[name], self.tables[other]
            known = select(target.c[column])
            gone = update(table).where(table.c[column].not_in(known)).values({column: None})
            connection.execute(gone)


class _Loader:
    """Inserts rows in batches, in the order they are added."""

    def __init__(self, connection: Connection, index: _Index, classes: Mapping[str, int]) -> None:
        self._connection, self._index, self._classes = connection, index, classes
        self._waiting: dict[str, list[Row]] = {name: [] for name in index.tables}
        self._place = 0

    def add(self, row: ExportedRow, where: tuple[int, int, int, int], digest: bytes) -> None:
        """Add a row that was read at a file, start, size and item."""
        self._place += 1
        columns = self._index.tables[row.table].columns.keys()
        values: Row = dict.fromkeys(columns)
        values |= {"place": self._place}
        if row.table == IDENTITY:
            values |= {"person_id": make_number(row.key), "patient": row.key.partition("/")[2]}
            values |= _make_identity_values(row.values)
            values["fact"] = _hash(repr((row.key, sorted(row.values.items()))).encode())
        else:
            values |= {"key": row.key, "updated": row.updated, "digest": digest}
            values |= {"withdrawn": int(row.is_withdrawn)}
            values |= dict(zip(("file", "start", "size", "item"), where, strict=True))
            values |= {_KEYS[row.table]: make_number(row.key)}
            values |= {name: value for name, value in row.values.items() if name in columns}
        if row.table == "note":
            values["note_class_concept_id"] = self._classes.get(row.values.get("class_code", ""), 0)
        self._waiting[row.table].append(values)
        if len(self._waiting[row.table]) == _ROWS:
            self.flush()

    def flush(self) -> None:
        """Insert what waits."""
        for name, rows in self._waiting.items():
            if rows:
                statement = insert(self._index.tables[name])
                if name == IDENTITY:
                    # A message repeats what earlier ones told of the patient.
                    statement = statement.prefix_with("OR IGNORE")
                self._connection.execute(statement, rows)
                rows.clear()


def _connect() -> sqlite3.Connection:
    # An empty name is a file of SQLite's own, which has no name as soon as it is open.
    connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_CACHE_KIB}"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _place_columns() -> list["Column[Any]"]:
    return [
        Column("place", Integer, primary_key=True),
        Column("key", Text),
        Column("updated", Text),
        Column("digest", LargeBinary),
        *(Column(name, Integer) for name in ("file", "start", "size", "item", "withdrawn")),
    ]


def _type_of(column: str) -> TypeEngine[Any]:
    return LONG if column.endswith(("_id", "_of_birth")) else Text()


def _is_indexed(column: str) -> bool:
    return column in (*_KEYS.values(), "note_source_value")


def _make_identity_values(facts: Mapping[str, Any]) -> Row:
    """Return what is known as columns, with full names split into their parts."""
    values = dict(facts)
    for prefix in ("", "relative_"):
        full = values.pop(f"{prefix}full_name", "")
        if full:
            name = split_name(full)
            values[f"{prefix}given_names"] = name.given_names
            values[f"{prefix}family_names"] = name.family_names
    if "relative_given_names" in values:
        # Pairs: a relative has one name of each kind.
        values["relative_given_names"] = (" ".join(values["relative_given_names"]),)
    return {
        name: _SEPARATOR.join(value) if isinstance(value, Iterable) and not isinstance(value, str)
        else value
        for name, value in values.items()
    }  # fmt: skip


def _make_failure(file: int, record: int | None, reason: str) -> Failure:
    """Return the failure of a record or a file, by their numbers: names of files may tell names."""
    place = f"file-{file + 1}" + (f"-line-{record}" if record is not None else "")
    return Failure(place, "read", "Unreadable", reason)


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()

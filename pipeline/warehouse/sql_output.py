"""Output of de-identified notes to an SQL database, and the interface that all outputs share."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any, Protocol

import numpy as np
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    MetaData,
    Table,
    and_,
    bindparam,
    delete,
    exists,
    insert,
    inspect,
    literal,
    or_,
    select,
    tuple_,
    update,
)

from pipeline.warehouse.cdm_tables import FACT_TABLES, Row, make_tables
from pipeline.warehouse.databases import chunks, retrying, transaction, upsert, upsert_values
from pipeline.warehouse.findings import NOTE_NLP, make_finding_rows
from pipeline.warehouse.note_rows import (
    NOTE_COLUMNS,
    PERSON_COLUMNS,
    SPAN_COLUMNS,
    OutputRow,
    normalize_note,
)
from pipeline.warehouse.omop_tables import CDM_VERSION, CDM_VERSION_CONCEPT
from pipeline.warehouse.row_links import (
    FACT_LINKS,
    LINKED_TABLES,
    NOTE_LINKS,
    REQUIRED_LINKS,
    FindOwners,
    Ids,
    PresentRows,
    link_columns,
)
from record.columns import FACTS, TABLES, domains_of
from record.errors import ConfigError

_WHAT = "output"
_PAGE = 2_000
_HASH_BITS = 512

OWN_TABLES = ("note", "note_span", "person", "cdm_source")
"""The tables that every output has."""
COMPARED = {"note": NOTE_COLUMNS, "note_span": SPAN_COLUMNS, "person": PERSON_COLUMNS}
"""The columns of each table covered by a digest: all columns that are ever filled."""


NO_HOLDER = "not given"
"""The holder of an output: who it is would tell where its patients were treated."""


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


TableRows = Mapping[str, Sequence[Row]]
"""Rows by table, each with the columns of the table's definition."""

ReadFacts = Callable[[FindOwners], Iterator[Sequence[Row]]]
"""Reads rows of a table of facts, given whose the rows of an output are."""


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

    def find_changed(self, person_ids: Sequence[int], tables: TableRows) -> set[int]:
        """Return which of these persons have other rows in the output than these."""
        ...

    def write_references(self, tables: TableRows) -> None:
        """Write rows of tables without patients, replacing earlier versions."""
        ...

    def write_rows(
        self, person_ids: Collection[int], tables: TableRows, links: Mapping[int, Row]
    ) -> None:
        """Replace the rows of persons, and what their notes refer to.

        `links` has for notes, as far as they are in the output, the values of `NOTE_LINKS`.
        """
        ...

    def filled_tables(self) -> set[str]:
        """Return the tables of OMOP CDM, but the output's own, that have rows."""
        ...

    def fill_findings(self) -> None:
        """Write the rows of `note_nlp`, where the output has it, that notes have yet to get."""
        ...

    def clear_tables(self, unlisted: Collection[str]) -> None:
        """Empty tables that are written no longer, and all ids of absent rows.

        Then remove what refers to absent rows, and rows without patients that nothing refers to.
        """
        ...

    def write_facts(self, name: str, read: ReadFacts) -> None:
        """Replace the rows of a table of facts that differ from those that `read` gives."""
        ...

    def person_ids(self) -> Iterator[int]:
        """Stream the ids of all persons."""
        ...

    def prune_persons(self) -> None:
        """Remove persons without notes, and all of their rows."""
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

    def description(self) -> str | None:
        """Return the description in `cdm_source`; None if there is none."""
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


def make_span_values(rows: Iterable[OutputRow]) -> list[tuple[int, int, int, str]]:
    """Return the values of `note_span` rows in the order of its columns, without duplicates."""
    found = ((row.note.note_id, s.start, s.end, s.label) for row in rows for s in row.spans)
    return list(dict.fromkeys(found))


def make_span_rows(rows: Iterable[OutputRow]) -> list[dict[str, Any]]:
    """Return the rows of `note_span`, without duplicates."""
    return [dict(zip(SPAN_COLUMNS, values, strict=True)) for values in make_span_values(rows)]


def make_person_rows(rows: Iterable[OutputRow]) -> list[dict[str, Any]]:
    """Return the rows of `person`, one per person; no concept is 0, as OMOP requires."""
    persons = {row.person.person_id: row.person for row in rows if row.person}
    return [
        {
            name: 0 if value is None and name.endswith("_concept_id") else value
            for name, value in asdict(person).items()
        }
        for _, person in sorted(persons.items())
    ]


def make_note_rows(rows: Iterable[OutputRow]) -> list[dict[str, Any]]:
    """Return the normalized rows of `note`, one per note."""
    return list({row.note.note_id: normalize_note(row.note) for row in rows}.values())


def empty_absent_links(rows: Iterable[OutputRow], present: PresentRows) -> list[OutputRow]:
    """Return notes without the ids of rows that are not present."""
    made = []
    for row in rows:
        gone: dict[str, Any] = {
            name: None
            for name, table in NOTE_LINKS.items()
            if (number := getattr(row.note, name)) is not None
            and not present.has(table, number, row.note.person_id)
        }
        made.append(replace(row, note=replace(row.note, **gone)) if gone else row)
    return made


def find_different(
    person_ids: Iterable[int], before: Mapping[int, Collection[Row]], tables: TableRows
) -> set[int]:
    """Return the persons whose rows, each preceded by its table, are not those of the tables."""
    after = group_rows(tables)
    return {each for each in person_ids if set(before.get(each, ())) != after.get(each, set())}


def group_rows(tables: TableRows) -> dict[int, set[Row]]:
    """Return the rows of tables by person, each preceded by the name of its table."""
    found: dict[int, set[Row]] = {}
    for name, rows in tables.items():
        place = TABLES[name].index("person_id")
        for row in rows:
            found.setdefault(row[place], set()).add((name, *row))
    return found


class SqlOutput:
    """An output in a database: OMOP CDM 5.4 tables, one transaction per batch.

    `tables` are those that it has beside notes, persons and its description.
    """

    def __init__(self, engine: Engine, schema: str | None, tables: Collection[str] = ()) -> None:
        self._engine = engine
        self._schema = schema
        self._all: Mapping[str, Table] = make_tables(schema)
        names = [name for name in self._all if name in OWN_TABLES or name in tables]
        self._by_name: Mapping[str, Table] = {name: self._all[name] for name in names}
        self._names = tuple(name for name in names if name not in (*OWN_TABLES, NOTE_NLP))
        self._of_notes = tuple(name for name in (NOTE_NLP, "note_span") if name in names)
        metadata = self._all["note"].metadata
        with transaction(engine, _WHAT, write=True) as connection:
            metadata.create_all(connection, tables=list(self._by_name.values()))
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

        Ids of rows that the output does not have are emptied. Raises Unsafe `malformed`, and
        writes nothing, if a value cannot be stored.
        """
        spans, persons = make_span_values(rows), make_person_rows(rows)
        with transaction(self._engine, _WHAT, write=True) as connection:
            notes = make_note_rows(empty_absent_links(rows, self._find_present(connection, rows)))
            upsert(connection, self._by_name["person"], persons)
            for some in chunks([note["note_id"] for note in notes]):
                self._delete(connection, self._of_notes, some)
            upsert(connection, self._by_name["note"], notes)
            upsert_values(connection, self._by_name["note_span"], spans)
            if NOTE_NLP in self._of_notes:
                found = make_finding_rows(notes, spans)
                upsert(connection, self._by_name[NOTE_NLP], found)

    @retrying
    def withdraw(self, note_ids: Sequence[int]) -> None:
        """Remove notes, their spans and what refers to them, in one transaction."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            self._drop_facts(connection, {"note": note_ids})
            for some in chunks(note_ids):
                self._delete(connection, (*self._of_notes, "note"), some)

    def _delete(self, connection: Connection, names: Iterable[str], ids: Sequence[int]) -> None:
        """Delete the rows of notes."""
        for name in names:
            table = self._by_name[name]
            connection.execute(delete(table).where(table.c.note_id.in_(ids)))

    def _find_present(self, connection: Connection, rows: Sequence[OutputRow]) -> PresentRows:
        """Find the rows that notes refer to."""
        present = PresentRows()
        for column, name in NOTE_LINKS.items():
            if name not in self._by_name:
                continue
            table = self._by_name[name]
            owner = [table.c.person_id] if "person_id" in table.c else []
            key = next(iter(table.primary_key.columns))
            wanted = {getattr(row.note, column) for row in rows} - {None}
            known = present.owners.setdefault(name, {})
            for some in chunks(sorted(wanted)):
                for row in connection.execute(select(key, *owner).where(key.in_(some))):
                    known[row[0]] = row[1] if owner else None
        return present

    @retrying
    def find_changed(self, person_ids: Sequence[int], tables: TableRows) -> set[int]:
        """Return which of these persons have other rows in the output than these."""
        before: dict[int, list[Row]] = {}
        with transaction(self._engine, _WHAT) as connection:
            for name in tables:
                table = self._by_name[name]
                place = list(table.c.keys()).index("person_id")
                for some in chunks(person_ids):
                    found = select(*table.columns).where(table.c.person_id.in_(some))
                    for row in connection.execute(found):
                        before.setdefault(row[place], []).append((name, *row))
        return find_different(person_ids, before, tables)

    @retrying
    def write_references(self, tables: TableRows) -> None:
        """Write rows of tables without patients in one transaction; equal rows stay as they are."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            for name, rows in tables.items():
                table = self._by_name[name]
                key = next(iter(table.primary_key.columns))
                before: set[Row] = set()
                for some in chunks([row[0] for row in rows]):
                    found = connection.execute(select(*table.columns).where(key.in_(some)))
                    before.update(tuple(row) for row in found)
                fresh = [row for row in rows if row not in before]
                upsert_values(connection, table, fresh)

    @retrying
    def write_rows(
        self, person_ids: Collection[int], tables: TableRows, links: Mapping[int, Row]
    ) -> None:
        """Replace the rows of persons, and what their notes refer to, in one transaction."""
        note = self._by_name["note"]
        linked = update(note).where(note.c.note_id == bindparam("key"))
        linked = linked.values({name: bindparam(f"new_{name}") for name in NOTE_LINKS})
        values = [
            {"key": key, **{f"new_{n}": value for n, value in zip(NOTE_LINKS, row, strict=True)}}
            for key, row in links.items()
        ]
        with transaction(self._engine, _WHAT, write=True) as connection:
            before = self._find_keys(connection, list(tables), person_ids)
            after = {name: {row[0] for row in rows} for name, rows in tables.items()}
            self._drop_facts(connection, {name: ids - after[name] for name, ids in before.items()})
            for name in reversed(list(tables)):
                table = self._by_name[name]
                for some in chunks(sorted(person_ids)):
                    connection.execute(delete(table).where(table.c.person_id.in_(some)))
            for name, rows in tables.items():
                upsert_values(connection, self._by_name[name], rows)
            if values:
                connection.execute(linked, values)

    @retrying
    def filled_tables(self) -> set[str]:
        """Return the tables of OMOP CDM, but the output's own, that have rows."""
        with transaction(self._engine, _WHAT) as connection:
            has = set(inspect(connection).get_table_names(self._schema))
            others = [name for name in self._all if name in has and name in TABLES]
            return {
                name
                for name in others
                if name not in OWN_TABLES
                and connection.execute(
                    select(literal(1)).select_from(self._all[name]).limit(1)
                ).first()
            }

    def fill_findings(self) -> None:
        """Write the rows of `note_nlp` of notes with surrogates that have none, page by page.

        These are notes that were published before the output had the table.
        """
        if NOTE_NLP in self._of_notes:
            while self._fill_page():
                pass

    @retrying
    def _fill_page(self) -> bool:
        note, span, finding = (self._by_name[n] for n in ("note", "note_span", NOTE_NLP))
        is_bare = and_(
            exists().where(span.c.note_id == note.c.note_id),
            ~exists().where(finding.c.note_id == note.c.note_id),
        )
        columns = [note.c[name] for name in ("note_id", "note_text", "note_date", "note_datetime")]
        with transaction(self._engine, _WHAT, write=True) as connection:
            page = select(*columns).where(is_bare).order_by(note.c.note_id).limit(_PAGE)
            notes = [dict(row) for row in connection.execute(page).mappings()]
            for some in chunks(notes):
                ids = [each["note_id"] for each in some]
                places = select(*(span.c[n] for n in SPAN_COLUMNS)).where(span.c.note_id.in_(ids))
                found = [(row[0], row[1], row[2], row[3]) for row in connection.execute(places)]
                upsert(connection, finding, make_finding_rows(some, found))
        return bool(notes)

    @retrying
    def clear_tables(self, unlisted: Collection[str]) -> None:
        """Empty tables that are written no longer, and ids of absent rows."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            has = set(inspect(connection).get_table_names(self._schema))
            for name in has & set(unlisted):
                connection.execute(delete(self._all[name]))
            for name in (*LINKED_TABLES, *self._names, "note", "person"):
                if name in self._by_name:
                    self._clear_links(connection, name)
            for name in reversed(LINKED_TABLES):
                if name in self._names and "person_id" not in self._by_name[name].c:
                    self._prune_references(connection, name)
            for name in self._fact_tables:
                self._clear_facts(connection, name)

    def _clear_links(self, connection: Connection, name: str) -> None:
        """Empty the ids of absent rows; remove the rows that need one of them."""
        table = self._by_name[name]
        for column, other in link_columns(name).items():
            absent: ColumnElement[bool] = table.c[column].is_not(None)
            if other in self._by_name:
                target = self._by_name[other].alias()
                same = [target.c.person_id == table.c.person_id] if "person_id" in target.c else []
                key = target.c[f"{other}_id"]
                absent = and_(absent, ~exists().where(key == table.c[column], *same))
            if REQUIRED_LINKS.get(name) == column:
                connection.execute(delete(table).where(absent))
            else:
                connection.execute(update(table).where(absent).values({column: None}))

    def _prune_references(self, connection: Connection, name: str) -> None:
        """Remove the rows of a table without patients that no row refers to."""
        table = self._by_name[name]
        key = table.c[f"{name}_id"]
        referred = [
            exists().where(other.c[column] == key)
            for other in self._by_name.values()
            for column, target in link_columns(other.name).items()
            if target == name
        ]
        connection.execute(delete(table).where(~or_(*referred)))

    @property
    def _fact_tables(self) -> list[str]:
        return [name for name in FACT_TABLES if name in self._names]

    @retrying
    def write_facts(self, name: str, read: ReadFacts) -> None:
        """Replace the rows of a table of facts that differ from those read, in one transaction.

        The rows that are read wait in a temporary table, so that memory does not grow with them.
        """
        table = self._by_name[name]
        columns = [
            Column(each.name, each.type, primary_key=each.primary_key, autoincrement=False)
            for each in table.columns
        ]
        staged = Table(f"read_{name}", MetaData(), *columns, prefixes=["TEMPORARY"])
        same = and_(
            *(
                table.c[key] == column
                if column.primary_key
                else column.is_not_distinct_from(table.c[key])
                for key, column in staged.c.items()
            )
        )
        with transaction(self._engine, _WHAT, write=True) as connection:
            staged.create(connection, checkfirst=False)
            for rows in read(lambda other, ids: self._find_owners(connection, other, ids)):
                upsert_values(connection, staged, rows)
            connection.execute(delete(table).where(~exists().where(same)))
            fresh = select(*staged.columns).where(~exists().where(same))
            connection.execute(insert(table).from_select(list(table.c.keys()), fresh))
            staged.drop(connection, checkfirst=False)

    def _find_owners(self, connection: Connection, name: str, ids: Ids) -> Ids:
        if name not in self._by_name:
            return np.zeros(len(ids), np.int64)
        table = self._by_name[name]
        key = next(iter(table.primary_key.columns))
        known: dict[int, int] = {}
        for some in chunks(sorted(set(ids.tolist()))):
            found = connection.execute(select(key, table.c.person_id).where(key.in_(some)))
            known.update((row[0], row[1]) for row in found)
        return np.fromiter((known.get(each, 0) for each in ids.tolist()), np.int64, len(ids))

    def _find_keys(
        self, connection: Connection, names: Iterable[str], person_ids: Collection[int]
    ) -> dict[str, set[int]]:
        """Return the ids of the rows of persons by table, where tables of facts may name them."""
        found: dict[str, set[int]] = {}
        for name in names if self._fact_tables else ():
            table = self._by_name[name]
            mine = found.setdefault(name, set())
            for some in chunks(sorted(person_ids)):
                key = next(iter(table.primary_key.columns))
                mine.update(connection.scalars(select(key).where(table.c.person_id.in_(some))))
        return found

    def _drop_facts(self, connection: Connection, gone: Mapping[str, Collection[int]]) -> None:
        """Remove the rows of tables of facts that refer to rows which go, by table."""
        for name in self._fact_tables:
            table = self._by_name[name]
            for fact, domain in FACTS[name].items():
                for value, other in domains_of(f"{name}.{domain}").items():
                    for some in chunks(sorted(gone.get(other, ()))):
                        is_gone = and_(table.c[domain] == value, table.c[fact].in_(some))
                        connection.execute(delete(table).where(is_gone))
            for link, other in FACT_LINKS.get(name, {}).items():
                for some in chunks(sorted(gone.get(other, ()))):
                    emptied = update(table).where(table.c[link].in_(some)).values({link: None})
                    connection.execute(emptied)

    def _clear_facts(self, connection: Connection, name: str) -> None:
        """Remove the rows of a table of facts that refer to absent rows."""
        table = self._by_name[name]
        for fact, domain in FACTS[name].items():
            present = [
                and_(table.c[domain] == value, self._has_row(other, table.c[fact]))
                for value, other in domains_of(f"{name}.{domain}").items()
                if other in self._by_name
            ]
            connection.execute(delete(table).where(~or_(*present)))
        for link, other in FACT_LINKS.get(name, {}).items():
            absent: ColumnElement[bool] = table.c[link].is_not(None)
            if other in self._by_name:
                absent = and_(absent, ~self._has_row(other, table.c[link]))
            connection.execute(update(table).where(absent).values({link: None}))

    def _has_row(self, name: str, place: ColumnElement[int]) -> ColumnElement[bool]:
        target = self._by_name[name].alias()
        return exists().where(target.c[TABLES[name][0]] == place)

    def person_ids(self) -> Iterator[int]:
        """Stream the ids of all persons, in order."""
        return (row[0] for row in self._rows("person", ("person_id",)))

    @retrying
    def prune_persons(self) -> None:
        """Remove persons without notes, and all of their rows, in one transaction."""
        note, person = self._by_name["note"], self._by_name["person"]
        noted = exists().where(note.c.person_id == person.c.person_id)
        with transaction(self._engine, _WHAT, write=True) as connection:
            gone = list(connection.scalars(select(person.c.person_id).where(~noted)))
            owned = [name for name in self._names if "person_id" in self._by_name[name].c]
            for some in chunks(gone):
                lost = self._find_keys(connection, owned, some)
                self._drop_facts(connection, {**lost, "person": some})
                for name in reversed(owned):
                    table = self._by_name[name]
                    connection.execute(delete(table).where(table.c.person_id.in_(some)))
                connection.execute(delete(person).where(person.c.person_id.in_(some)))

    @retrying
    def describe(self, source: CdmSource) -> None:
        """Write the single row of `cdm_source`."""
        table = self._by_name["cdm_source"]
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(delete(table))
            connection.execute(insert(table), [source.row()])

    @retrying
    def restart(self, source: CdmSource) -> None:
        """Remove all rows, and write `cdm_source`, in one transaction."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            own = (*self._of_notes, "note", *reversed(self._names), "person", "cdm_source")
            for name in own:
                connection.execute(delete(self._by_name[name]))
            connection.execute(insert(self._by_name["cdm_source"]), [source.row()])

    @retrying
    def origin(self) -> str | None:
        """Return the ETL reference in `cdm_source`, which identifies the key of this output."""
        table = self._by_name["cdm_source"]
        with transaction(self._engine, _WHAT) as connection:
            reference: str | None = connection.scalar(select(table.c.cdm_etl_reference))
            return reference

    @retrying
    def description(self) -> str | None:
        """Return the description in `cdm_source`; None if there is none."""
        table = self._by_name["cdm_source"]
        with transaction(self._engine, _WHAT) as connection:
            told: str | None = connection.scalar(select(table.c.source_description))
            return told

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
        """Return a digest of notes, spans, persons and the other tables."""
        others = [name for name in self._all if name in self._by_name and name not in OWN_TABLES]
        compared = COMPARED | {name: TABLES[name] for name in others}
        return hash_tables((name, self._rows(name, columns)) for name, columns in compared.items())

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

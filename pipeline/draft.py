"""A release before anybody sees it: its tables in a database of its own, in order of key."""

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, func, select

from pipeline.databases import connect, guard, transaction, upsert
from pipeline.omop import release_tables

TABLES = ("person", "visit_occurrence", "note", "note_span", "cdm_source", "metadata")
"""The tables of a release, each after those it refers to."""

Row = tuple[Any, ...]

_WHAT = "draft"
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Change:
    """How a table differs from what was visible: numbers of ids, not of rows."""

    added: int = 0
    changed: int = 0
    withdrawn: int = 0
    unchanged: int = 0

    @property
    def is_none(self) -> bool:
        """Tell whether nothing differs."""
        return not (self.added or self.changed or self.withdrawn)


class Draft:
    """The tables of a release while it is made, in a folder that its owner alone may read.

    What an earlier draft left in the folder is removed first. Without keys and originals: it
    holds what will be published, and nothing until `add` is called.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with guard(_WHAT):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700, parents=True)
        self._engine = connect("sqlite:///draft.db", folder, what=_WHAT, use="state")
        tables = release_tables(None)
        self._tables = {name: tables.tables[name] for name in TABLES}
        with transaction(self._engine, _WHAT, write=True) as connection:
            tables.create_all(connection)

    def add(self, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        """Add rows to tables in one transaction, in place of those with the same key."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            for name, some in rows.items():
                table = self._tables[name]
                if table.primary_key.columns:
                    upsert(connection, table, [_filled(table, row) for row in some])
                elif some:
                    connection.execute(table.insert(), [_filled(table, row) for row in some])

    def pages(self, name: str) -> Iterator[list[Row]]:
        """Stream the rows of a table in order of key; rows that share the first column stay
        together."""
        table = self._tables[name]
        after: int | None = None
        while True:
            with transaction(self._engine, _WHAT) as connection:
                last = _page_end(connection, table, after)
                rows = [] if last is None else read_between(connection, table, after, last)
            if not rows:
                return
            yield rows
            if not table.primary_key.columns:
                return
            after = rows[-1][0]

    def rows(self, name: str) -> Iterator[Row]:
        """Stream the rows of a table in order of key, with all of its columns."""
        for page in self.pages(name):
            yield from page

    def columns(self, name: str, *columns: str) -> list[Row]:
        """Read some columns of a table, such as ids, in no order."""
        table = self._tables[name]
        with transaction(self._engine, _WHAT) as connection:
            rows = connection.execute(select(*(table.c[column] for column in columns)))
            return [tuple(row) for row in rows]

    def count(self, name: str) -> int:
        """Count the rows of a table."""
        with transaction(self._engine, _WHAT) as connection:
            return count_rows(connection, self._tables[name])

    def close(self) -> None:
        """Remove the draft."""
        self._engine.dispose()
        shutil.rmtree(self._folder, ignore_errors=True)


def canonical(row: Sequence[Any]) -> bytes:
    """Write a row as one line that is the same for equal rows, wherever they were read."""
    return json.dumps(list(row), separators=(",", ":"), default=_iso).encode() + b"\n"


def digest_rows(rows: Iterable[Sequence[Any]]) -> tuple[int, str]:
    """Count rows and give the SHA-256 of their lines, in the order they come."""
    count, digest = 0, hashlib.sha256()
    for row in rows:
        digest.update(canonical(row))
        count += 1
    return count, digest.hexdigest()


def count_rows(connection: Connection, table: Table) -> int:
    """Count the rows of a table."""
    return connection.scalar(select(func.count()).select_from(table)) or 0


def read_between(
    connection: Connection, table: Table, after: int | None, last: int | None
) -> list[Row]:
    """Read the rows whose first column is above `after` and at most `last`, in order of key.

    A table without a key is read whole.
    """
    rows = select(table)
    if table.primary_key.columns:
        key = table.columns[0]
        rows = rows.order_by(key)
        rows = rows if after is None else rows.where(key > after)
        rows = rows if last is None else rows.where(key <= last)
    found = [tuple(row) for row in connection.execute(rows)]
    # Not by the database: labels would be sorted by its locale.
    width = len(table.primary_key.columns)
    return sorted(found, key=lambda row: row[:width])


def _page_end(connection: Connection, table: Table, after: int | None) -> int | None:
    if not table.primary_key.columns:
        return 0
    key = table.columns[0]
    keys = select(key).distinct().order_by(key).limit(_PAGE)
    found = connection.scalars(keys if after is None else keys.where(key > after)).all()
    return found[-1] if found else None


def _filled(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    return {column.name: row.get(column.name) for column in table.columns}


def _iso(value: date) -> str:
    return value.isoformat()

"""The tables of a source that is not configured yet, as far as an inspection asks for them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import (
    BigInteger,
    Engine,
    TableClause,
    column,
    func,
    inspect,
    select,
    type_coerce,
)
from sqlalchemy import table as named_table

from pipeline.warehouse.databases import transaction
from pipeline.warehouse.parquet_source import guard_parquet, open_dataset

_WHAT = "source"
_INTERNAL = ("information_schema", "pg_")


class InspectedTables(Protocol):
    """Tables whose names are not known beforehand; names are as the source writes them."""

    def names(self) -> list[str]:
        """Return the names of tables and views, sorted."""
        ...

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""
        ...

    def count(self, table: str) -> int:
        """Return the number of rows."""
        ...

    def count_by(self, table: str, name: str) -> list[tuple[Any, int]]:
        """Return the values of a column and how many rows have them, the most frequent first."""
        ...

    def greatest(self, table: str, name: str) -> Any:
        """Return the greatest value of a column; None where there is none."""
        ...

    def sample(self, table: str, names: Sequence[str], size: int) -> list[dict[str, Any]]:
        """Return the first rows that the source gives."""
        ...

    def find(
        self, table: str, names: Sequence[str], key: str, values: Sequence[int]
    ) -> list[dict[str, Any]]:
        """Return the rows whose key is among a few values."""
        ...

    def count_empty(self, table: str, empty: str, filled: str) -> int:
        """Return the number of rows in which one column is empty and another is not."""
        ...


class DatabaseTables:
    """The tables of a schema of a database."""

    def __init__(self, engine: Engine, schema: str | None) -> None:
        self._engine, self._schema = engine, schema
        self._columns: dict[str, list[str]] = {}
        with transaction(engine, _WHAT) as connection:
            found = inspect(connection)
            for name in (*found.get_table_names(schema), *found.get_view_names(schema)):
                self._columns[name] = [each["name"] for each in found.get_columns(name, schema)]

    def names(self) -> list[str]:
        """Return the names of tables and views, sorted."""
        return sorted(self._columns)

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""
        return self._columns[table]

    def count(self, table: str) -> int:
        """Return the number of rows."""
        statement = select(func.count()).select_from(self._table(table))
        with transaction(self._engine, _WHAT) as connection:
            return connection.scalar(statement) or 0

    def count_by(self, table: str, name: str) -> list[tuple[Any, int]]:
        """Return the values of a column and how many rows have them, the most frequent first."""
        value = self._table(table).c[name]
        statement = select(value, func.count()).group_by(value)
        with transaction(self._engine, _WHAT) as connection:
            return _rank([(found, number) for found, number in connection.execute(statement)])

    def greatest(self, table: str, name: str) -> Any:
        """Return the greatest value of a column; None where there is none."""
        statement = select(func.max(self._table(table).c[name]))
        with transaction(self._engine, _WHAT) as connection:
            return connection.scalar(statement)

    def sample(self, table: str, names: Sequence[str], size: int) -> list[dict[str, Any]]:
        """Return the first rows that the database gives."""
        clause = self._table(table)
        statement = select(*(clause.c[name] for name in names)).limit(size)
        with transaction(self._engine, _WHAT) as connection:
            return [dict(row._mapping) for row in connection.execute(statement)]

    def find(
        self, table: str, names: Sequence[str], key: str, values: Sequence[int]
    ) -> list[dict[str, Any]]:
        """Return the rows whose key is among a few values."""
        clause = self._table(table)
        wanted = type_coerce(clause.c[key], BigInteger()).in_(values)
        statement = select(*(clause.c[name] for name in names)).where(wanted)
        with transaction(self._engine, _WHAT) as connection:
            return [dict(row._mapping) for row in connection.execute(statement)]

    def count_empty(self, table: str, empty: str, filled: str) -> int:
        """Return the number of rows in which one column is empty and another is not."""
        clause = self._table(table)
        is_empty = func.coalesce(clause.c[empty], "") == ""
        is_filled = func.coalesce(clause.c[filled], "") != ""
        statement = select(func.count()).select_from(clause).where(is_empty, is_filled)
        with transaction(self._engine, _WHAT) as connection:
            return connection.scalar(statement) or 0

    def _table(self, name: str) -> TableClause:
        return named_table(name, *map(column, self._columns[name]), schema=self._schema)


def list_schemas(engine: Engine) -> list[str]:
    """Return the schemas of a database server that have tables `note` and `person`."""
    if engine.dialect.name == "sqlite":
        return []
    with transaction(engine, _WHAT) as connection:
        found = inspect(connection)
        names = [each for each in found.get_schema_names() if not each.startswith(_INTERNAL)]
        tables = {
            each: {
                name.lower() for name in (*found.get_table_names(each), *found.get_view_names(each))
            }
            for each in names
        }
    return sorted(each for each in names if {"note", "person"} <= tables[each])


class ParquetTables:
    """The tables of a folder: `note.parquet` or `note/*.parquet`."""

    def __init__(self, folder: Path) -> None:
        self._tables: dict[str, Any] = {}
        with guard_parquet(_WHAT):
            for entry in sorted(folder.iterdir()):
                files = sorted(entry.glob("*.parquet")) if entry.is_dir() else [entry]
                files = [file for file in files if file.suffix.lower() == ".parquet"]
                if files:
                    self._tables[entry.stem] = open_dataset(files)

    def names(self) -> list[str]:
        """Return the names of the tables, sorted."""
        return sorted(self._tables)

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""
        return list(self._tables[table].schema.names)

    def count(self, table: str) -> int:
        """Return the number of rows."""
        with guard_parquet(_WHAT):
            return int(self._tables[table].count_rows())

    def count_by(self, table: str, name: str) -> list[tuple[Any, int]]:
        """Return the values of a column and how many rows have them, the most frequent first."""
        counts = self._read(table, name).value_counts().to_pylist()
        return _rank([(each["values"], each["counts"]) for each in counts])

    def greatest(self, table: str, name: str) -> Any:
        """Return the greatest value of a column; None where there is none."""
        return pc.max(self._read(table, name)).as_py()

    def sample(self, table: str, names: Sequence[str], size: int) -> list[dict[str, Any]]:
        """Return the first rows of the files."""
        with guard_parquet(_WHAT):
            rows: list[dict[str, Any]] = (
                self._tables[table].head(size, columns=list(names), use_threads=False).to_pylist()
            )
        return rows

    def find(
        self, table: str, names: Sequence[str], key: str, values: Sequence[int]
    ) -> list[dict[str, Any]]:
        """Return the rows whose key is among a few values."""
        chosen = pc.field(key).cast(pa.int64()).isin(pa.array(values, pa.int64()))
        with guard_parquet(_WHAT):
            rows = self._tables[table].to_table(list(names), filter=chosen, use_threads=False)
        found: list[dict[str, Any]] = rows.to_pylist()
        return found

    def count_empty(self, table: str, empty: str, filled: str) -> int:
        """Return the number of rows in which one column is empty and another is not."""
        is_empty = pc.field(empty).is_null() | (pc.field(empty) == "")
        is_filled = pc.field(filled).is_valid() & (pc.field(filled) != "")
        with guard_parquet(_WHAT):
            return int(self._tables[table].count_rows(filter=is_empty & is_filled))

    def _read(self, table: str, name: str) -> pa.ChunkedArray:
        with guard_parquet(_WHAT):
            return self._tables[table].to_table([name], use_threads=False).column(0)


def _rank(counts: list[tuple[Any, int]]) -> list[tuple[Any, int]]:
    return sorted(counts, key=lambda each: (-each[1], str(each[0])))

"""Lists of person ids: from a text or Parquet file, or from a query on the source."""

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.config.settings import SourceSettings
from pipeline.exports.records import make_number
from pipeline.warehouse.databases import SOURCE_DRIVERS, connect, guard, transaction
from pipeline.warehouse.export_source import ExportStore, find_format
from pipeline.warehouse.note_rows import parse_integer
from record.errors import ConfigError

_COLUMN = "person_id"
_SEPARATORS = (";", "\t", ",")
_ROWS = 10_000
_KEY = re.compile(r"Patient/\S{1,200}")


def read_text(path: Path, setting: str) -> str:
    """Read a text file in UTF-8; raises ConfigError that names the setting."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(
            setting, f"no such file: {path}", "give the path of a UTF-8 text file"
        ) from None
    except (OSError, UnicodeDecodeError):
        problem = f"cannot be read as UTF-8 text: {path}"
        raise ConfigError(setting, problem, "give the path of a UTF-8 text file") from None


ToId = Callable[[Any], int | None]
"""Reads a value as a person's id; None where it is none."""


def parse_person_ids(text: str, setting: str, to_id: ToId | None = None) -> list[int]:
    """Return one person_id per line, or a column of a table separated by `,`, `;` or tabs.

    The column is the one that the first line calls `person_id`, else the first. The first line may
    be a header; empty lines are ignored. Raises ConfigError, which names the line and never its
    content, for a value that is not a number.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    cells = _pick_cells(lines)
    found = [(number, (to_id or to_person_id)(cell)) for number, cell in cells]
    if found and found[0][1] is None:
        del found[0]
    for number, person_id in found:
        if person_id is None:
            problem = f"line {number}: no person_id in its column"
            raise ConfigError(setting, problem, "write one person_id per line")
    return [person_id for _, person_id in found if person_id is not None]


def _pick_cells(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    head = lines[0][1] if lines else ""
    separator = next((sign for sign in _SEPARATORS if sign in head), ",")
    names = [name.strip().lower() for name in next(csv.reader([head], delimiter=separator), [])]
    place = names.index(_COLUMN) if _COLUMN in names else 0
    if not place:
        return [(number, _first_cell(line)) for number, line in lines]
    rows = ((number, next(csv.reader([line], delimiter=separator))) for number, line in lines)
    return [(number, row[place].strip() if place < len(row) else "") for number, row in rows]


def read_person_ids(path: Path, setting: str, to_id: ToId | None = None) -> list[int]:
    """Read the ids of a file by its suffix: Parquet, JSON Lines, else a list or a table of text.

    A line of JSON is an object with `person_id`, or the id itself. Raises ConfigError.
    """
    suffix, to_id = path.suffix.lower(), to_id or to_person_id
    if suffix == ".parquet":
        return _read_parquet(path, setting, to_id)
    text = read_text(path, setting)
    if "json" in suffix:
        return _parse_json_lines(text, setting, to_id)
    return parse_person_ids(text, setting, to_id)


def _parse_json_lines(text: str, setting: str, to_id: ToId) -> list[int]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        person_id = to_id(value.get(_COLUMN) if isinstance(value, dict) else value)
        if person_id is None:
            problem = f"line {number} has no person_id"
            raise ConfigError(setting, problem, 'write {"person_id": 42} in every line')
        found.append(person_id)
    return found


def _read_parquet(path: Path, setting: str, to_id: ToId) -> list[int]:
    try:
        with guard(setting):
            table = pq.read_table(path)
    except pa.ArrowException:
        raise ConfigError(setting, "invalid Parquet file", "export the file again") from None
    names = [name.lower() for name in table.schema.names]
    if not names:
        return []
    column = table.column(names.index(_COLUMN) if _COLUMN in names else 0)
    return check_person_ids(column.to_pylist(), setting, to_id)


def check_person_ids(values: list[Any], setting: str, to_id: ToId | None = None) -> list[int]:
    """Return values as ids; raises ConfigError where one is not an id."""
    found = [(to_id or to_person_id)(value) for value in values]
    ids = [each for each in found if each is not None]
    if len(ids) < len(found):
        problem = "has a value that is not a person_id"
        raise ConfigError(setting, problem, "every row needs a person_id, a number")
    return ids


def to_person_id(value: Any) -> int | None:
    """Return a value as an id, also where it is written as text; None if it is none."""
    if isinstance(value, str):
        return int(value) if _is_number(value.strip()) else None
    return None if isinstance(value, bool) else parse_integer(value)


def choose_reader(url: str) -> ToId:
    """Return what reads the ids of a source's persons in lists; URLs must be resolved.

    Persons of an export may be listed by their keys there, such as `Patient/4711`.
    """
    return _to_exported_id if find_format(url) is not None else to_person_id


def _to_exported_id(value: Any) -> int | None:
    is_key = isinstance(value, str) and _KEY.fullmatch(value.strip())
    return make_number(value.strip()) if is_key else to_person_id(value)


def query_person_ids(sql: str, source: SourceSettings, base: Path, setting: str) -> Iterator[int]:
    """Run one query on an SQL source: its column `person_id`, or else its first, has the persons.

    The transaction is read-only, and a second statement is refused. URLs must be resolved. Raises
    ConfigError for a query that returns anything but numbers, Unavailable where it is refused.
    """
    statement = sql.strip().rstrip(";").strip()
    if not statement:
        raise ConfigError(setting, "is empty", "write a SELECT that returns person_id")
    export = find_format(source.url)
    if export is not None:
        # The index is read-only, and as private as the export.
        engine = ExportStore(base / export[1], export[0], source).engine
    else:
        engine = connect(source.url, base, what=setting, use="source")
    if engine.dialect.name in SOURCE_DRIVERS:
        engine.dispose()
        # Nothing there keeps a query from writing.
        problem = "a query cannot be used with this kind of database"
        raise ConfigError(setting, problem, "list the persons in a file or a table")
    # A cursor of the server takes one query and nothing else, SQLite one statement: only the query
    # may have it, since a server refuses a cursor for a setting.
    streamed = {"stream_results": True, "no_parameters": True, "max_row_buffer": _ROWS}
    if engine.dialect.name == "postgresql":
        engine = engine.execution_options(postgresql_readonly=True)
    try:
        with transaction(engine, setting) as connection:
            if source.schema and engine.dialect.name == "postgresql":
                quoted = engine.dialect.identifier_preparer.quote(source.schema)
                connection.exec_driver_sql(f"SET LOCAL search_path TO {quoted}, public")
            result = connection.execution_options(**streamed).exec_driver_sql(statement)
            names = [name.lower() for name in result.keys()]  # noqa: SIM118 - a result, no dictionary
            place = names.index(_COLUMN) if _COLUMN in names else 0
            for row in result:
                number = parse_integer(row[place])
                if number is None:
                    problem = "returned a value that is not a person_id"
                    remedy = "select only person_id, a number in every row"
                    raise ConfigError(setting, problem, remedy)
                yield number
    finally:
        engine.dispose()


def _first_cell(line: str) -> str:
    for sign in _SEPARATORS:
        line = line.partition(sign)[0]
    return line.strip().strip("\"'").strip()


def _is_number(cell: str) -> bool:
    digits = cell.removeprefix("-")
    return digits.isascii() and digits.isdigit() and int(cell) in range(-(2**63), 2**63)


_SETTING = "source.objections"


class ColumnValues(Protocol):
    """Tables of which the values of a column can be read."""

    def require(self, table: str, columns: Sequence[str], *, key: str = "source") -> None:
        """Raise ConfigError, with the key, unless the table exists and has these columns."""
        ...

    def values(self, table: str, column: str) -> list[Any]:
        """Return the distinct values of a column, which must exist."""
        ...


def read_objections(
    settings: SourceSettings, base: Path, tables: ColumnValues, *, has_sql: bool
) -> frozenset[int]:
    """Read the ids of objecting persons; paths are relative to `base`, URLs must be resolved.

    An empty list is valid: nobody objects. Raises ConfigError where there is no such table or file,
    or a value is not an id, and Unavailable: without the list nothing is read.
    """
    found = settings.objections
    if found is None:
        return frozenset()
    if found.file is not None:
        to_id = choose_reader(settings.url)
        return frozenset(read_person_ids(base / found.file, _SETTING, to_id))
    if found.table is not None:
        tables.require(found.table, [found.person_id], key=_SETTING)
        return frozenset(check_person_ids(tables.values(found.table, found.person_id), _SETTING))
    if not has_sql:
        problem = "a query cannot be used with a Parquet source"
        raise ConfigError(_SETTING, problem, "name a file or a table")
    return frozenset(query_person_ids(found.sql or "", settings, base, _SETTING))

"""Reads the persons of a cohort from a file or with a query on the warehouse."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.config.settings import Settings
from pipeline.notes.worker_resources import resolve_urls
from pipeline.warehouse.databases import connect, transaction
from pipeline.warehouse.note_rows import parse_integer
from pipeline.warehouse.warehouse import PARQUET
from record.errors import ConfigError

_FILE, _QUERY = "--persons", "--persons-sql"
_SEPARATORS = (";", "\t", ",")
_ROWS = 10_000


@dataclass(frozen=True)
class PersonList:
    """The distinct persons of a cohort, and how many ids were duplicates."""

    person_ids: frozenset[int] = field(repr=False)
    duplicates: int = 0


def read_persons(path: Path) -> PersonList:
    """Read one person_id per line, or the first column of a file separated by `,`, `;` or tabs.

    The first line may be a header; empty lines are ignored. Raises ConfigError, which names the
    line and never its content, for a value that is not a number, and for a file without persons.
    """
    lines = read_text(path, _FILE).splitlines()
    cells = [(number, _first_cell(line)) for number, line in enumerate(lines, 1) if line.strip()]
    if cells and not _is_number(cells[0][1]):
        del cells[0]
    for number, cell in cells:
        if not _is_number(cell):
            problem = f"line {number}: the first column is not a person_id"
            raise ConfigError(_FILE, problem, "write one person_id per line")
    return _deduplicate(_FILE, (int(cell) for _, cell in cells))


def read_text(path: Path, setting: str) -> str:
    """Read a text file in UTF-8; raises ConfigError that names the setting."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        problem = "cannot be read as UTF-8 text"
        raise ConfigError(setting, problem, "give the path of a UTF-8 text file") from None


def query_persons(sql: str, settings: Settings) -> PersonList:
    """Run one query on the source: its column `person_id`, or else its first, has the persons.

    The transaction is read-only, and a second statement is refused. Raises ConfigError for a
    query that returns anything but numbers, or no rows; Unavailable where the source refuses it.
    """
    source = resolve_urls(settings).source
    if source.url.startswith(PARQUET):
        problem = "cannot be used with a Parquet source"
        raise ConfigError(_QUERY, problem, "list the persons in a file: --persons")
    statement = sql.strip().rstrip(";").strip()
    if not statement:
        raise ConfigError(_QUERY, "is empty", "write a SELECT that returns person_id")
    engine = connect(source.url, settings.base, what=_QUERY, use="source")
    # A cursor of the server takes one query and nothing else, SQLite one statement.
    options = {"stream_results": True, "no_parameters": True, "max_row_buffer": _ROWS}
    if engine.dialect.name == "postgresql":
        options["postgresql_readonly"] = True
    try:
        with transaction(engine.execution_options(**options), _QUERY) as connection:
            if source.schema and engine.dialect.name == "postgresql":
                quoted = engine.dialect.identifier_preparer.quote(source.schema)
                connection.exec_driver_sql(f"SET LOCAL search_path TO {quoted}, public")
            result = connection.exec_driver_sql(statement)
            names = [name.lower() for name in result.keys()]  # noqa: SIM118 - a result, no dictionary
            place = names.index("person_id") if "person_id" in names else 0
            return _deduplicate(_QUERY, (_parse_id(row[place]) for row in result))
    finally:
        engine.dispose()


def _deduplicate(setting: str, ids: Iterable[int]) -> PersonList:
    found: set[int] = set()
    count = 0
    for number in ids:
        found.add(number)
        count += 1
    if not found:
        # A list emptied by mistake must not empty the release.
        raise ConfigError(
            setting, "contains no persons", "list at least one; to end a release, delete its output"
        )
    return PersonList(frozenset(found), count - len(found))


def _parse_id(value: Any) -> int:
    number = parse_integer(value)
    if number is None:
        problem = "returned a value that is not a person_id"
        raise ConfigError(_QUERY, problem, "select only person_id, a number in every row")
    return number


def _first_cell(line: str) -> str:
    for sign in _SEPARATORS:
        line = line.partition(sign)[0]
    return line.strip().strip("\"'").strip()


def _is_number(cell: str) -> bool:
    digits = cell.removeprefix("-")
    return digits.isascii() and digits.isdigit() and int(cell) in range(-(2**63), 2**63)

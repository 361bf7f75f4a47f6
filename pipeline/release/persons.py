"""The persons of a cohort: a file that somebody made, or a query on the warehouse."""

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
_PARTED_BY = (";", "\t", ",")
_ROWS = 10_000
_NOBODY = "name a person; to end a release, remove its output"


@dataclass(frozen=True)
class PersonList:
    """The persons that were asked for, each once, and how many of them come twice."""

    person_ids: frozenset[int] = field(repr=False)
    duplicates: int = 0


def read_persons(path: Path) -> PersonList:
    """Read one person_id a line, or the first column of a table parted by `,`, `;` or tabs.

    The first line may be a heading; empty lines do not count. Raises ConfigError, which names the
    line and never what is in it, for anything that is no number, and for a file that names nobody.
    """
    lines = read_text(path, _FILE).splitlines()
    cells = [(number, _first(line)) for number, line in enumerate(lines, 1) if line.strip()]
    if cells and not _is_number(cells[0][1]):
        del cells[0]
    for number, cell in cells:
        if not _is_number(cell):
            problem = f"line {number} has no person_id in its first column"
            raise ConfigError(_FILE, problem, "write one person_id a line")
    return _listed(_FILE, (int(cell) for _, cell in cells))


def read_text(path: Path, setting: str) -> str:
    """Read a text that somebody wrote; raises ConfigError that names the setting."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ConfigError(setting, "cannot be read", "give a text file in UTF-8") from None


def query_persons(sql: str, settings: Settings) -> PersonList:
    """Run one query on the source: `person_id`, or else the first column, names the persons.

    The transaction is read-only, and a second statement is refused. Raises ConfigError for a
    query that gives anything but numbers, or nobody; Unavailable where the source refuses it.
    """
    source = resolve_urls(settings).source
    if source.url.startswith(PARQUET):
        problem = "a source of Parquet files is not asked in SQL"
        raise ConfigError(_QUERY, problem, "give the persons as a file")
    statement = sql.strip().rstrip(";").strip()
    if not statement:
        raise ConfigError(_QUERY, "is empty", "write a SELECT that gives person_id")
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
            return _listed(_QUERY, (_number(row[place]) for row in result))
    finally:
        engine.dispose()


def _listed(setting: str, ids: Iterable[int]) -> PersonList:
    found: set[int] = set()
    count = 0
    for number in ids:
        found.add(number)
        count += 1
    if not found:
        # Whoever empties the list by mistake must not empty the release.
        raise ConfigError(setting, "names nobody", _NOBODY)
    return PersonList(frozenset(found), count - len(found))


def _number(value: Any) -> int:
    number = parse_integer(value)
    if number is None:
        problem = "gives something that is no person_id"
        raise ConfigError(_QUERY, problem, "select person_id alone, a number in every row")
    return number


def _first(line: str) -> str:
    for sign in _PARTED_BY:
        line = line.partition(sign)[0]
    return line.strip().strip("\"'").strip()


def _is_number(cell: str) -> bool:
    digits = cell.removeprefix("-")
    return digits.isascii() and digits.isdigit() and int(cell) in range(-(2**63), 2**63)

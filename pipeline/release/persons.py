"""Reads the persons of a cohort from a file or with a query on the warehouse."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.config.settings import Settings
from pipeline.notes.worker_resources import resolve_urls
from pipeline.warehouse.person_lists import (
    choose_reader,
    parse_person_ids,
    query_person_ids,
    read_text,
)
from pipeline.warehouse.warehouse import PARQUET
from record.errors import ConfigError

_FILE, _QUERY = "--persons", "--persons-sql"


@dataclass(frozen=True)
class PersonList:
    """The distinct persons of a cohort, and how many ids were duplicates."""

    person_ids: frozenset[int] = field(repr=False)
    duplicates: int = 0


def read_persons(path: Path, settings: Settings | None = None) -> PersonList:
    """Read one person_id per line, or a column of a table separated by `,`, `;` or tabs.

    Persons of an export may be listed by their keys there, such as `Patient/4711`. Raises
    ConfigError, which names the line and never its content, for a value that is not a number, and
    for a file without persons.
    """
    to_id = choose_reader(resolve_urls(settings).source.url) if settings else None
    return _deduplicate(_FILE, parse_person_ids(read_text(path, _FILE), _FILE, to_id))


def query_persons(sql: str, settings: Settings) -> PersonList:
    """Run one query on the source: its column `person_id`, or else its first, has the persons.

    The transaction is read-only, and a second statement is refused. Raises ConfigError for a
    query that returns anything but numbers, or no rows; Unavailable where the source refuses it.
    """
    source = resolve_urls(settings).source
    if source.url.startswith(PARQUET):
        problem = "cannot be used with a Parquet source"
        raise ConfigError(_QUERY, problem, "list the persons in a file: --persons")
    return _deduplicate(_QUERY, query_person_ids(sql, source, settings.base, _QUERY))


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

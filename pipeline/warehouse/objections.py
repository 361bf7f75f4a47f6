"""The persons who object to the use of their data, read from the place that is configured."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from pipeline.config.settings import SourceSettings
from pipeline.warehouse.person_lists import check_person_ids, query_person_ids, read_person_ids
from record.errors import ConfigError

_SETTING = "source.objections"


class ColumnValues(Protocol):
    """Tables of which the values of a column can be read."""

    def require(self, table: str, columns: Sequence[str]) -> None:
        """Raise ConfigError unless the table exists and has these columns."""
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
        return frozenset(read_person_ids(base / found.file, _SETTING))
    if found.table is not None:
        tables.require(found.table, [found.person_id])
        return frozenset(check_person_ids(tables.values(found.table, found.person_id), _SETTING))
    if not has_sql:
        problem = "a query cannot be used with a Parquet source"
        raise ConfigError(_SETTING, problem, "name a file or a table")
    return frozenset(query_person_ids(found.sql or "", settings, base, _SETTING))

"""Reads structured tables from the source, and converts treated rows to the output's types."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from sqlalchemy import Table

from pipeline.warehouse.arrow_schemas import make_arrow_schema
from pipeline.warehouse.cdm_tables import REQUIRED_COLUMNS, Row
from pipeline.warehouse.note_rows import parse_date, parse_datetime, parse_integer
from pipeline.warehouse.row_links import link_columns
from pipeline.warehouse.warehouse import Source
from record.algorithms import ALGORITHMS
from record.columns import COLUMNS, TABLES, ColumnType
from record.errors import Unreadable
from surrogates.keys.keys import CohortKey

NO_VOCABULARY = "unknown"
"""The version of a vocabulary that the source does not tell."""
# As long as the CDM has room for.
_VERSION = re.compile(r"[A-Za-z0-9][\w.: -]{0,19}", re.ASCII)


def present_columns(source: Source, table: str) -> list[str]:
    """Return the OMOP CDM 5.4 columns that a source table has; no others are ever read."""
    found = set(source.store.columns(table))
    return [name for name in TABLES[table] if name in found]


def find_vocabulary_version(source: Source) -> str:
    """Return the version of the vocabulary of a source, as its `cdm_source` tells it."""
    column = "vocabulary_version"
    has = column in source.store.columns("cdm_source")
    found = source.store.values("cdm_source", column) if has else ()
    return next((each for each in map(str, found) if _VERSION.fullmatch(each)), NO_VOCABULARY)


def read_rows(
    source: Source,
    table: str,
    key: str,
    values: Sequence[int],
    *,
    only: Sequence[str] | None = None,
) -> Iterator[dict[str, pa.Array]]:
    """Stream the rows whose key is among the values, in batches of columns; `only` these if given.

    Nothing where the source lacks the key column or the table's own key.
    """
    names = [name for name in present_columns(source, table) if only is None or name in only]
    if key not in names or TABLES[table][0] not in names:
        return
    for columns in source.store.scan(table, names, key, values):
        yield {name: to_array(table, name, column) for name, column in columns.items()}


def empty_impossible_ids(
    table: str, columns: Mapping[str, pa.Array], cohort: CohortKey
) -> dict[str, pa.Array]:
    """Empty ids that refer to no row, since no key has such a number: 0, for one.

    The first version of the surrogate algorithm takes any number.
    """
    made = dict(columns)
    for name in link_columns(table) if cohort.algorithm > ALGORITHMS[0] else ():
        if name in made:
            numbers = map(parse_integer, made[name].to_pylist())
            limit = 1 << cohort.id_bits
            kept = [n if n is not None and 0 < n < limit else None for n in numbers]
            made[name] = pa.array(kept, pa.int64())
    return made


def to_rows(treated: pa.Table, table: Table) -> list[Row]:
    """Return treated rows with the columns and types of an output table.

    Columns that were not read, and values that do not fit their column's type, are empty; a concept
    that every row must have is 0 then.
    """
    present = set(treated.schema.names)
    required = REQUIRED_COLUMNS.get(table.name, ())
    columns = []
    for kind in make_arrow_schema(table):
        values: list[Any] = [None] * treated.num_rows
        if kind.name in present:
            values = _cast_column(treated.column(kind.name), kind.type).to_pylist()
        if kind.name in required and kind.name.endswith("_concept_id"):
            values = [0 if value is None else value for value in values]
        columns.append(values)
    return list(zip(*columns, strict=True))


def to_array(table: str, name: str, values: Any) -> pa.Array:
    """Return a column in one type, even where the database mixes types in it."""
    if isinstance(values, pa.Array):
        return values
    try:
        found = pa.array(values)
    except (pa.ArrowException, OverflowError, TypeError, UnicodeError):
        found = None
    if found is not None and not pa.types.is_binary(found.type):
        return found
    holds = COLUMNS[f"{table}.{name}"].holds
    if holds in (ColumnType.ID, ColumnType.CODE):
        return pa.array([parse_integer(value) for value in values], pa.int64())
    if holds is ColumnType.NUMBER:
        return pa.array([_float(value) for value in values], pa.float64())
    return pa.array([_text(value) for value in values], pa.string())


def _float(value: Any) -> float | None:
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return None


def _text(value: Any) -> str | None:
    if value is None:
        return None
    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    return text.encode("utf-8", "replace").decode()


def _cast_column(column: pa.ChunkedArray, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    if column.type == kind:
        return column
    try:
        return column.cast(kind)
    except pa.ArrowException:
        return pa.array([_cast_value(value, kind) for value in column.to_pylist()], kind)


def _cast_value(value: Any, kind: pa.DataType) -> Any:
    """Return a value in a type, or None; timestamps lose their time zone, as in notes."""
    try:
        if pa.types.is_date(kind):
            return parse_date(value)
        if pa.types.is_timestamp(kind):
            return parse_datetime(value)
    except Unreadable:
        return None
    if pa.types.is_integer(kind):
        number = parse_integer(value)
        # What an integer column of one database cannot hold, no output should have.
        bound = 2 ** (kind.bit_width - 1)
        return number if number is not None and -bound <= number < bound else None
    return _float(value) if pa.types.is_floating(kind) else _text(value)

"""OHDSI's vocabulary tables, copied from the source to an output or a release."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Date,
    Engine,
    Float,
    MetaData,
    Select,
    Table,
    Text,
    column,
    delete,
    func,
    insert,
    inspect,
    or_,
    select,
)
from sqlalchemy import table as named_table
from sqlalchemy.sql.expression import ColumnClause, TableClause
from sqlalchemy.types import TypeEngine

from pipeline.warehouse.databases import retrying, transaction
from pipeline.warehouse.note_rows import parse_date
from pipeline.warehouse.omop_tables import LONG
from record.errors import ConfigError, Unreadable

_BATCH = 10_000
_SETTING = "output.vocabulary"
LAST_SHARED_CONCEPT = 2_000_000_000
"""Higher numbers are a site's own concepts, whose names anybody there may have written (OHDSI's
convention)."""
_TEXT_IDS = (
    "domain_id", "vocabulary_id", "concept_class_id", "relationship_id", "reverse_relationship_id",
)  # fmt: skip

VOCABULARY_TABLES = {
    name: tuple(columns.split())
    for name, columns in {
        "concept": "concept_id concept_name domain_id vocabulary_id concept_class_id "
        "standard_concept concept_code valid_start_date valid_end_date invalid_reason",
        "domain": "domain_id domain_name domain_concept_id",
        "concept_class": "concept_class_id concept_class_name concept_class_concept_id",
        "concept_relationship": "concept_id_1 concept_id_2 relationship_id valid_start_date "
        "valid_end_date invalid_reason",
        "relationship": "relationship_id relationship_name is_hierarchical defines_ancestry "
        "reverse_relationship_id relationship_concept_id",
        "concept_synonym": "concept_id concept_synonym_name language_concept_id",
        "concept_ancestor": "ancestor_concept_id descendant_concept_id min_levels_of_separation "
        "max_levels_of_separation",
        "drug_strength": "drug_concept_id ingredient_concept_id amount_value "
        "amount_unit_concept_id numerator_value numerator_unit_concept_id denominator_value "
        "denominator_unit_concept_id box_size valid_start_date valid_end_date invalid_reason",
        # The last, since its rows tell that the others are of the source's versions.
        "vocabulary": "vocabulary_id vocabulary_name vocabulary_reference vocabulary_version "
        "vocabulary_concept_id",
    }.items()
}
"""The columns of each table, in the order in which tables are written."""

Place = tuple[Engine, str | None]
"""A database and the schema of its tables."""


@dataclass(frozen=True)
class _TableReader:
    """A table of a source, and whether the rows of its own concepts are left out."""

    engine: Engine
    table: TableClause
    is_shared: bool = False

    def select(self) -> Select[Any]:
        """Return the statement that selects the rows."""
        rows = select(*self.table.columns)
        return rows.where(*self._conditions())

    def count(self) -> Select[Any]:
        """Return the statement that counts the rows."""
        return select(func.count()).select_from(self.table).where(*self._conditions())

    def _conditions(self) -> Iterator[ColumnElement[bool]]:
        for each in self.table.columns if self.is_shared else ():
            if _is_concept(each.name.lower()):
                yield or_(each.is_(None), each <= LAST_SHARED_CONCEPT)


def copy_vocabulary(
    source: Place, output: Place, setting: str = _SETTING, *, is_shared: bool = False
) -> tuple[str, ...]:
    """Replace the output's vocabulary tables that differ from the source's; return their names.

    Where the rows of `vocabulary`, which hold the versions, are the same, a table differs if its
    number of rows does; else all do. Each table is replaced in one transaction, `vocabulary` last,
    so that an interrupted copy is completed by the next. With `is_shared`, rows that name a concept
    of the site's own are left out. Raises ConfigError if the source has none of the tables, or if a
    date or number cannot be read.
    """
    found = _open_tables(source, setting, is_shared=is_shared)
    targets = {
        name: _TableReader(output[0], table) for name, table in _make_tables(output, found).items()
    }
    is_same = "vocabulary" not in found or _are_rows_equal(
        found["vocabulary"], targets["vocabulary"]
    )
    replaced = []
    for name, here in found.items():
        there = targets[name]
        if not is_same or _count(here, "source") != _count(there, "output"):
            _replace(here, there)
            replaced.append(name)
    return tuple(replaced)


def count_shared(source: Place, setting: str) -> dict[str, int]:
    """Count the rows of each vocabulary table that name no concept of the site's own.

    Raises ConfigError if the source has none of the tables.
    """
    found = _open_tables(source, setting, is_shared=True)
    return {name: _count(reader, "source") for name, reader in found.items()}


def read_shared(source: Place, setting: str, name: str) -> Iterator[list[dict[str, Any]]]:
    """Stream the rows of a table that name no concept of the site's own, with all columns.

    Rows are sorted, so that equal tables give equal files.
    """
    reader = _open_tables(source, setting, is_shared=True)[name]
    with transaction(reader.engine, "source") as connection:
        for batch in _read(connection, reader, is_sorted=True):
            yield [{each: row.get(each) for each in VOCABULARY_TABLES[name]} for row in batch]


def clear_vocabulary(output: Place, names: Collection[str]) -> None:
    """Delete the rows of vocabulary tables that the output has."""
    engine, schema = output
    with transaction(engine, "output", write=True) as connection:
        present = set(inspect(connection).get_table_names(schema))
        for name in present & set(names) & VOCABULARY_TABLES.keys():
            connection.execute(delete(named_table(name, schema=schema)))


def make_vocabulary_tables(schema: str | None) -> dict[str, Table]:
    """Define the vocabulary tables of an output; they have no keys."""
    metadata = MetaData(schema=schema)
    return {
        name: Table(name, metadata, *(Column(each, _kind(each)) for each in columns))
        for name, columns in VOCABULARY_TABLES.items()
    }


def _is_concept(name: str) -> bool:
    return name.endswith(("_id", "_id_1", "_id_2")) and name not in _TEXT_IDS


def _open_tables(source: Place, setting: str, *, is_shared: bool) -> dict[str, _TableReader]:
    found = _find_tables(source)
    if not found:
        remedy = "load OHDSI's vocabulary into the source, or remove the setting"
        raise ConfigError(setting, "the source has no vocabulary tables", remedy)
    return {name: _TableReader(source[0], table, is_shared) for name, table in found.items()}


def _find_tables(source: Place) -> dict[str, TableClause]:
    """Find the source's tables, with the columns of OMOP CDM that they have, and no others."""
    engine, schema = source
    with transaction(engine, "source") as connection:
        seen = inspect(connection)
        names = [*seen.get_table_names(schema), *seen.get_view_names(schema)]
        actual = {name.lower(): name for name in names}
        tables = {}
        for name, wanted in VOCABULARY_TABLES.items():
            if name in actual:
                has = {c["name"].lower(): c["name"] for c in seen.get_columns(actual[name], schema)}
                columns: list[ColumnClause[Any]] = [
                    column(has[each]) for each in wanted if each in has
                ]
                tables[name] = named_table(actual[name], *columns, schema=schema)
    return {name: table for name, table in tables.items() if len(table.columns)}


def _make_tables(output: Place, names: Collection[str]) -> dict[str, Table]:
    engine, schema = output
    made = make_vocabulary_tables(schema)
    tables = {name: table for name, table in made.items() if name in names}
    with transaction(engine, "output", write=True) as connection:
        for table in tables.values():
            table.create(connection, checkfirst=True)
    return tables


def _kind(name: str) -> TypeEngine[Any]:
    if name.endswith("_date"):
        return Date()
    if name.endswith("_value"):
        return Float()
    is_number = _is_concept(name) or name.endswith(("_separation", "box_size"))
    return LONG if is_number else Text()


@retrying
def _count(reader: _TableReader, what: str) -> int:
    with transaction(reader.engine, what) as connection:
        return connection.scalar(reader.count()) or 0


def _are_rows_equal(source: _TableReader, output: _TableReader) -> bool:
    rows = []
    for reader, what in ((source, "source"), (output, "output")):
        with transaction(reader.engine, what) as connection:
            batches = _read(connection, reader)
            # Columns that the source lacks are empty in the output.
            rows.append(
                {
                    frozenset(item for item in row.items() if item[1] is not None)
                    for batch in batches
                    for row in batch
                }
            )
    return rows[0] == rows[1]


@retrying
def _replace(source: _TableReader, output: _TableReader) -> None:
    with (
        transaction(output.engine, "output", write=True) as written,
        transaction(source.engine, "source") as read,
    ):
        written.execute(delete(output.table))
        for batch in _read(read, source):
            written.execute(insert(output.table), batch)


def _read(
    connection: Connection, reader: _TableReader, *, is_sorted: bool = False
) -> Iterator[list[dict[str, Any]]]:
    """Stream the rows of a table in batches, without holding all of them."""
    table = reader.table
    names = [each.name.lower() for each in table.columns]
    streamed = connection.execution_options(stream_results=True)
    rows = reader.select()
    if is_sorted:
        rows = rows.order_by(*table.columns)
    for batch in streamed.execute(rows).partitions(_BATCH):
        yield [
            {name: _convert(table.name, name, v) for name, v in zip(names, row, strict=True)}
            for row in batch
        ]


def _convert(table: str, name: str, value: Any) -> Any:
    if value is None:
        return None
    try:
        if name.endswith("_value"):
            return float(value)
        return parse_date(value) if name.endswith("_date") else value
    except (Unreadable, ValueError):
        problem = f"table {table}: a value of {name} cannot be read"
        raise ConfigError(_SETTING, problem, "correct it in the source") from None

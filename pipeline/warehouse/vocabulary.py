"""OHDSI's vocabulary tables, copied from the source to the output as they are."""

from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Date,
    Engine,
    Float,
    MetaData,
    Table,
    Text,
    column,
    delete,
    func,
    insert,
    inspect,
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


def copy_vocabulary(source: Place, output: Place) -> tuple[str, ...]:
    """Replace the output's vocabulary tables that differ from the source's; return their names.

    Where the rows of `vocabulary`, which hold the versions, are the same, a table differs if its
    number of rows does; else all do. Each table is replaced in one transaction, `vocabulary` last,
    so that an interrupted copy is completed by the next. Raises ConfigError if the source has none
    of the tables, or if a date or number cannot be read.
    """
    found = _find_tables(source)
    if not found:
        remedy = "load OHDSI's vocabulary into the source, or remove the setting"
        raise ConfigError(_SETTING, "the source has no vocabulary tables", remedy)
    targets = _make_tables(output, found)
    is_same = "vocabulary" not in found or _are_rows_equal(
        (source[0], found["vocabulary"]), (output[0], targets["vocabulary"])
    )
    replaced = []
    for name, table in found.items():
        here, there = (source[0], table), (output[0], targets[name])
        if not is_same or _count(*here, "source") != _count(*there, "output"):
            _replace(here, there)
            replaced.append(name)
    return tuple(replaced)


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
    metadata = MetaData(schema=schema)
    tables = {
        name: Table(name, metadata, *(Column(each, _kind(each)) for each in columns))
        for name, columns in VOCABULARY_TABLES.items()
        if name in names
    }
    with transaction(engine, "output", write=True) as connection:
        metadata.create_all(connection)
    return tables


def _kind(name: str) -> TypeEngine[Any]:
    if name.endswith("_date"):
        return Date()
    if name.endswith("_value"):
        return Float()
    is_number = name.endswith(("_id", "_id_1", "_id_2", "_separation", "box_size"))
    return LONG if is_number and name not in _TEXT_IDS else Text()


@retrying
def _count(engine: Engine, table: TableClause, what: str) -> int:
    with transaction(engine, what) as connection:
        return connection.scalar(select(func.count()).select_from(table)) or 0


def _are_rows_equal(source: tuple[Engine, TableClause], output: tuple[Engine, TableClause]) -> bool:
    rows = []
    for (engine, table), what in ((source, "source"), (output, "output")):
        with transaction(engine, what) as connection:
            batches = _read(connection, table)
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
def _replace(source: tuple[Engine, TableClause], output: tuple[Engine, TableClause]) -> None:
    with (
        transaction(output[0], "output", write=True) as written,
        transaction(source[0], "source") as read,
    ):
        written.execute(delete(output[1]))
        for batch in _read(read, source[1]):
            written.execute(insert(output[1]), batch)


def _read(connection: Connection, table: TableClause) -> Iterator[list[dict[str, Any]]]:
    """Stream the rows of a table in batches, without holding all of them."""
    names = [each.name.lower() for each in table.columns]
    streamed = connection.execution_options(stream_results=True)
    for batch in streamed.execute(select(*table.columns)).partitions(_BATCH):
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

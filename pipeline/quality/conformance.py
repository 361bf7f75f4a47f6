"""Checks of an output against OMOP CDM 5.4, as OHDSI's Data Quality Dashboard makes them.

Rows are counted inside the database; a folder of Parquet files is first copied, without its texts,
to a temporary one. https://ohdsi.github.io/DataQualityDashboard/articles/CheckTypeDescriptions.html
"""

import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    MetaData,
    Table,
    and_,
    case,
    create_engine,
    distinct,
    exists,
    extract,
    false,
    func,
    insert,
    inspect,
    or_,
    select,
)
from sqlalchemy.types import Date, DateTime, Float, Integer, Numeric, String, TypeEngine

from pipeline.config.settings import OutputSettings
from pipeline.warehouse.cdm_tables import REQUIRED_COLUMNS, make_tables
from pipeline.warehouse.databases import connect, transaction
from pipeline.warehouse.note_rows import parse_integer
from pipeline.warehouse.parquet_source import guard_parquet, open_dataset
from pipeline.warehouse.row_links import FACT_LINKS, link_columns
from pipeline.warehouse.warehouse import PARQUET, Source
from record.columns import COLUMNS, FACTS, TABLES, ColumnType, domains_of

CheckName = Literal[
    "isRequired",
    "cdmDatatype",
    "isPrimaryKey",
    "isForeignKey",
    "fkDomain",
    "plausibleStartBeforeEnd",
    "plausibleAfterBirth",
    "plausibleBeforeDeath",
]

_DOMAINS = {
    "gender_concept_id": "Gender", "race_concept_id": "Race", "ethnicity_concept_id": "Ethnicity",
    "visit_concept_id": "Visit", "visit_detail_concept_id": "Visit",
    "condition_concept_id": "Condition", "drug_concept_id": "Drug",
    "procedure_concept_id": "Procedure", "device_concept_id": "Device",
    "measurement_concept_id": "Measurement", "specimen_concept_id": "Specimen",
    "unit_concept_id": "Unit", "route_concept_id": "Route",
}  # fmt: skip
"""The domain that the concepts of a column belong to; all type concepts are of one, too."""
_TYPE_DOMAIN = "Type Concept"
_DOMAIN_COLUMNS = {f"{name}.{each}" for name, facts in FACTS.items() for each in facts.values()}
_DAYS_AFTER_DEATH = 60
_BATCH = 20_000
_WHAT = "output"

Domains = Callable[[Collection[int]], Mapping[int, str] | None]
"""Returns the domains of those of these concepts that are in a vocabulary; None without one."""


@dataclass(frozen=True)
class Violation:
    """A check that rows of a table fail, and their number."""

    check: CheckName
    table: str
    column: str
    rows: int


@dataclass
class Conformance:
    """The checked tables with their numbers of rows, and what fails.

    `has_vocabulary` is whether concepts could be looked up.
    """

    rows: dict[str, int] = field(default_factory=dict)
    checks: int = 0
    has_vocabulary: bool = False
    violations: list[Violation] = field(default_factory=list)

    def add(self, check: CheckName, table: str, column: str, rows: int) -> None:
        """Count a check, and its violation if any row fails."""
        self.checks += 1
        if rows:
            self.violations.append(Violation(check, table, column, rows))

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON; no values of rows."""
        found = [
            {"check": v.check, "table": v.table, "column": v.column, "rows": v.rows}
            for v in self.violations
        ]
        return {
            "rows": dict(self.rows),
            "checks": self.checks,
            "vocabulary": self.has_vocabulary,
            "violations": found,
        }


def check_conformance(settings: OutputSettings, base: Path, source: Source | None) -> Conformance:
    """Check the tables of an output; concepts are looked up in the source's vocabulary.

    URLs must be resolved. Raises ConfigError or Unavailable.
    """

    def find_domains(concepts: Collection[int]) -> Mapping[int, str] | None:
        if source is None or not source.store.columns("concept"):
            return None
        rows = source.store.lookup(
            "concept", ("concept_id", "domain_id"), "concept_id", sorted(concepts)
        )
        return {
            number: str(row.get("domain_id") or "")
            for row in rows
            if (number := parse_integer(row["concept_id"])) is not None
        }

    with _open_tables(settings, base) as (engine, schema):
        return check_tables(engine, schema, find_domains)


def check_tables(engine: Engine, schema: str | None, domains: Domains) -> Conformance:
    """Check the tables of a database that OMOP CDM 5.4 defines, in one transaction."""
    found = Conformance()
    with transaction(engine, _WHAT) as connection:
        seen = inspect(connection)
        kinds = {
            name.lower(): {c["name"].lower(): c["type"] for c in seen.get_columns(name, schema)}
            for name in seen.get_table_names(schema)
            if name.lower() in REQUIRED_COLUMNS
        }
        defined = make_tables(schema)
        tables = {name: defined[name] for name in REQUIRED_COLUMNS if name in kinds}
        checker = _Checker(connection, tables, kinds, found)
        for name in tables:
            checker.check(name)
        checker.check_concepts(domains)
    return found


@dataclass
class _Checker:
    """The checks of the tables of one connection."""

    connection: Connection
    tables: Mapping[str, Table]
    kinds: Mapping[str, Mapping[str, TypeEngine[Any]]]
    found: Conformance

    def check(self, name: str) -> None:
        """Make all checks of a table that need no vocabulary, in one pass over its rows."""
        table = self.tables[name]
        columns = [each for each in TABLES[name] if each in self.kinds[name]]
        key = table.c[TABLES[name][0]]
        asked: list[tuple[CheckName, str, ColumnElement[bool] | None]] = [
            ("isRequired", column, table.c[column].is_(None) if column in columns else None)
            for column in REQUIRED_COLUMNS[name]
        ]
        asked += [("cdmDatatype", column, self._is_mistyped(name, column)) for column in columns]
        asked += [
            ("isForeignKey", column, self._is_orphan(table, column, other))
            for column, other in self._references(name).items()
            if column in columns and self._has_type(name, column)
        ]
        asked += [
            ("isForeignKey", fact, self._is_no_fact(table, fact, domain))
            for fact, domain in FACTS.get(name, {}).items()
            if {fact, domain} <= set(columns) and self._has_type(name, fact)
        ]
        asked += self._ask_dates(name, columns)
        counts = [
            func.count() if each is None else func.count(case((each, 1))) for *_, each in asked
        ]
        # Rows of `fact_relationship` have no key.
        is_key = key.name not in FACTS.get(name, ())
        shared = func.count(key) - func.count(distinct(key) if is_key else key)
        found = self.connection.execute(select(func.count(), shared, *counts).select_from(table))
        rows, duplicates, *failing = found.one()
        self.found.rows[name] = rows
        if is_key:
            self.found.add("isPrimaryKey", name, key.name, duplicates)
        for (check, column, _), count in zip(asked, failing, strict=True):
            self.found.add(check, name, column, count)

    def _is_mistyped(self, name: str, column: str) -> ColumnElement[bool]:
        """Return the condition that a value is not of the column's type.

        SQLite has any value in any column; elsewhere the column has one type.
        """
        place = self.tables[name].c[column]
        kind = place.type
        if self.connection.dialect.name != "sqlite":
            return false() if self._has_type(name, column) else place.is_not(None)
        stored = func.typeof(place)
        if isinstance(kind, Date | DateTime):
            is_wrong = or_(stored != "text", func.julianday(place).is_(None))
            return and_(place.is_not(None), is_wrong)
        right: tuple[str, ...] = ("integer",)
        if isinstance(kind, Float):
            right = ("integer", "real")
        elif isinstance(kind, String):
            right = ("text",)
        return and_(place.is_not(None), stored.not_in(right))

    def _has_type(self, name: str, column: str) -> bool:
        """Return whether a column can be compared with others; any column can in SQLite."""
        kind = self.tables[name].c[column].type
        allowed = next(types for expected, types in _ALLOWED if isinstance(kind, expected))
        return self._is_free or isinstance(self.kinds[name][column], allowed)

    @property
    def _is_free(self) -> bool:
        return self.connection.dialect.name == "sqlite"

    @staticmethod
    def _references(name: str) -> dict[str, str]:
        found = dict(link_columns(name))
        found |= {f"{each}_id": each for each in ("person", "note") if each != name}
        found |= FACT_LINKS.get(name, {})
        return {column: other for column, other in found.items() if column in TABLES[name]}

    def _is_orphan(self, table: Table, column: str, other: str) -> ColumnElement[bool]:
        """Return the condition that a row refers to an absent one, as all do to absent tables."""
        refers = table.c[column].is_not(None)
        if other not in self.tables:
            return refers
        target = self.tables[other].alias()
        return and_(refers, ~exists().where(target.c[f"{other}_id"] == table.c[column]))

    def _is_no_fact(self, table: Table, fact: str, domain: str) -> ColumnElement[bool]:
        """Return the condition that a row refers to no row of the table that its domain is of."""
        column = table.c[domain]
        if not self._has_type(table.name, domain):
            return table.c[fact].is_not(None)
        present = [
            and_(column == value, ~self._is_orphan(table, fact, other))
            for value, other in domains_of(f"{table.name}.{domain}").items()
            if other in self.tables
        ]
        return ~or_(false(), *present)

    def _ask_dates(
        self, name: str, columns: Collection[str]
    ) -> Iterator[tuple[CheckName, str, ColumnElement[bool]]]:
        table = self.tables[name]
        dates = [
            column
            for column in columns
            if COLUMNS[f"{name}.{column}"].holds is ColumnType.DATE and self._has_type(name, column)
        ]
        for start in (each for each in dates if each.endswith("_start_date")):
            end = start.replace("_start_", "_end_")
            if end in dates:
                yield "plausibleStartBeforeEnd", start, table.c[start] > table.c[end]
        for column in dates if "person_id" in columns else ():
            if "person" in self.tables:
                yield "plausibleAfterBirth", column, self._is_unborn(table, column)
            if "death" in self.tables and name != "death":
                yield "plausibleBeforeDeath", column, self._is_after_death(table, column)

    def _is_unborn(self, table: Table, column: str) -> ColumnElement[bool]:
        """Return the condition that a row is dated before the birth, as far as that is known."""
        person, place = self.tables["person"].alias(), table.c[column]
        parts = (person.c.month_of_birth, person.c.day_of_birth)
        born = person.c.year_of_birth * 10_000
        born += func.coalesce(parts[0], 1) * 100 + func.coalesce(parts[1], 1)
        dated = extract("year", place) * 10_000
        dated += extract("month", place) * 100 + extract("day", place)
        return exists().where(person.c.person_id == table.c.person_id, dated < born)

    def _is_after_death(self, table: Table, column: str) -> ColumnElement[bool]:
        """Return the condition that a row is dated more than 60 days after the death."""
        death = self.tables["death"].alias()
        dated: ColumnElement[Any] = table.c[column]
        died: ColumnElement[Any] = death.c.death_date
        if self.connection.dialect.name == "sqlite":
            dated, died = func.julianday(dated), func.julianday(died)
        is_late = dated > died + _DAYS_AFTER_DEATH
        return exists().where(death.c.person_id == table.c.person_id, is_late)

    def check_concepts(self, domains: Domains) -> None:
        """Check that concepts are in the vocabulary, and of the domain of their column."""
        for name, table in self.tables.items():
            for column in (c for c in TABLES[name] if c.endswith("_concept_id")):
                if column not in self.kinds[name]:
                    continue
                grouped = select(table.c[column], func.count()).group_by(table.c[column])
                counts = {
                    number: count
                    for value, count in self.connection.execute(grouped)
                    if (number := parse_integer(value)) is not None
                }
                known = domains(counts)
                if known is None:
                    return
                self.found.has_vocabulary = True
                unknown = sum(n for each, n in counts.items() if each not in known and each != 0)
                self.found.add("isForeignKey", name, column, unknown)
                domain = _domain_of(name, column)
                if domain is not None:
                    wrong = (n for each, n in counts.items() if each and known.get(each) != domain)
                    self.found.add("fkDomain", name, column, sum(wrong))


def _domain_of(table: str, column: str) -> str | None:
    if column.endswith("_type_concept_id") or column == "period_type_concept_id":
        return _TYPE_DOMAIN
    # What an observation is, anything may be.
    return None if table == "observation" else _DOMAINS.get(column)


_ALLOWED: tuple[tuple[type[TypeEngine[Any]], tuple[type[TypeEngine[Any]], ...]], ...] = (
    (Integer, (Integer,)),
    (DateTime, (DateTime,)),
    (Date, (Date,)),
    (Float, (Float, Numeric, Integer)),
    (String, (String,)),
)
"""Types of our columns, and those that a database may have there."""


@contextmanager
def _open_tables(settings: OutputSettings, base: Path) -> Iterator[tuple[Engine, str | None]]:
    if not settings.url.startswith(PARQUET):
        engine = connect(
            settings.url, base, what="output.url", use="source", schema=settings.schema
        )
        try:
            yield engine, settings.schema
        finally:
            engine.dispose()
        return
    folder = base / settings.url.removeprefix(PARQUET)
    with tempfile.TemporaryDirectory() as place:
        engine = create_engine(f"sqlite:///{place}/copy.db", hide_parameters=True)
        try:
            with guard_parquet(_WHAT), transaction(engine, _WHAT) as connection:
                for name in REQUIRED_COLUMNS:
                    _copy(folder, name, connection)
            yield engine, None
        finally:
            engine.dispose()


def _copy(folder: Path, name: str, connection: Connection) -> None:
    """Copy the known columns of a table of Parquet files; of texts only whether they are there."""
    files = sorted((folder / name).glob("*.parquet"))
    if not files:
        return
    dataset = open_dataset(files)
    names = [each for each in dataset.schema.names if each in TABLES[name]]
    # Columns without a type keep each value as it is.
    table = Table(name, MetaData(), *(Column(each) for each in names))
    quoted = ", ".join(f'"{each}"' for each in names)
    connection.exec_driver_sql(f"create table {name} ({quoted})")
    for batch in dataset.to_batches(columns=names, batch_size=_BATCH, use_threads=False):
        columns = [_to_stored(f"{name}.{n}", batch.column(n)) for n in names]
        rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        if rows:
            connection.execute(insert(table), rows)


def _to_stored(name: str, column: pa.Array) -> list[Any]:
    is_domain = name in _DOMAIN_COLUMNS
    if COLUMNS[name].holds is ColumnType.TEXT and not is_domain and pa.types.is_string(column.type):
        return ["" if value else None for value in column.is_valid().to_pylist()]
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.string())
    values: list[Any] = column.to_pylist()
    return values

"""A release in a database: what differs is written in one transaction."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.csv import WriteOptions, write_csv
from sqlalchemy import (
    Connection,
    Date,
    DateTime,
    Engine,
    Select,
    Table,
    delete,
    func,
    inspect,
    select,
)

from pipeline.release.accompanying_files import (
    ORIGIN,
    OTHERS,
    REMEDY,
    SETTING,
    WHAT,
    Papers,
    read_papers,
    sync,
    write_paper,
)
from pipeline.release.draft import PartMade, ReleaseDraft, ReleaseUnit, incomplete
from pipeline.release.row_digests import Change, Changes, Row
from pipeline.release.tables import make_tables
from pipeline.release.unit_files import PARQUET_PART, read_batches, to_rows
from pipeline.warehouse.databases import chunks, guard, retrying, transaction
from pipeline.warehouse.sql_output import check_shape
from record.errors import ConfigError

_PAGE = 2_000


class SqlTarget:
    """A release in a database; its files are called `stem` and lie in the folder `reports`."""

    suffix = PARQUET_PART

    def __init__(self, engine: Engine, schema: str | None, reports: Path, stem: str) -> None:
        self._engine = engine
        self._schema = schema
        self._reports = reports
        self.names = (f"{stem}.json", f"{stem}.md")
        self._tables = make_tables(schema)

    @retrying
    def claim(self, key_id: str, names: tuple[str, ...]) -> None:
        """Create the tables that are missing; raise ConfigError where anything but a release is
        there. Then nothing is created."""
        with transaction(self._engine, WHAT, write=True) as connection:
            for name in names:
                self._tables[name].create(connection, checkfirst=True)
            found = inspect(connection)
            for name in names:
                table = self._tables[name]
                actual = {column["name"] for column in found.get_columns(name, self._schema)}
                key = set(found.get_pk_constraint(name, self._schema)["constrained_columns"])
                check_shape(table, actual, key, SETTING)
            source = self._tables["cdm_source"]
            origins = set(connection.scalars(select(source.c.cdm_etl_reference)))
            is_empty = not any(_has_rows(connection, table) for table in self._present(connection))
            if not is_empty and origins != {ORIGIN + key_id}:
                raise ConfigError(SETTING, OTHERS, REMEDY)

    def visible(self, name: str, unit: ReleaseUnit) -> Iterator[list[Row]]:
        """Stream the rows of a table that belong to a unit and are visible now."""
        rows = self._of_unit(self._tables[name], unit)
        with transaction(self._engine, WHAT) as connection:
            result = connection.execution_options(yield_per=_PAGE).execute(rows)
            for page in result.partitions():
                yield [tuple(row) for row in page]

    def leftover(self, names: tuple[str, ...]) -> Changes:
        """Return what is visible of tables that the release does not have any more."""
        with transaction(self._engine, WHAT) as connection:
            return {
                table.name: Change(withdrawn=count)
                for table in self._others(connection, names)
                if (count := _count(connection, table))
            }

    def papers(self) -> Papers:
        """Read the files of the release."""
        return read_papers(self._reports, self.names)

    def begun(self) -> str:
        """Read the manifest of a delivery that was interrupted and may be visible; else nothing."""
        name = self._beside(self.names[0]).name
        return read_papers(self._reports, (name,)).get(name, "")

    def deliver(self, draft: ReleaseDraft, names: tuple[str, ...], papers: Papers) -> None:
        """Write what differs in one transaction, between two steps for the files.

        A run that dies in between leaves the new files beside the old ones: the next one knows
        by them what may have been withdrawn.
        """
        with guard(WHAT):
            self._reports.mkdir(parents=True, exist_ok=True)
            for name, text in papers.items():
                write_paper(self._beside(name), text)
            sync(self._reports)
        self._deliver(draft, names)
        with guard(WHAT):
            for name in papers:
                self._beside(name).replace(self._reports / name)
            sync(self._reports)

    def _beside(self, name: str) -> Path:
        return self._reports / f"{name}.tmp"

    @retrying
    def _deliver(self, draft: ReleaseDraft, names: tuple[str, ...]) -> None:
        with transaction(self._engine, WHAT, write=True) as connection:
            for table in self._others(connection, names):
                connection.execute(delete(table))
            for name in names:
                rows = 0
                for index, part in draft.parts(name):
                    replace_part(connection, self._tables[name], draft, index, part)
                    rows += part.rows
                if _count(connection, self._tables[name]) != rows:
                    raise incomplete(f"the table {name} does not read back as it was made")

    def close(self) -> None:
        """Return the connections."""
        self._engine.dispose()

    def _of_unit(self, table: Table, unit: ReleaseUnit) -> Select[Row]:
        if "person_id" in table.columns:
            return select(table).where(table.c.person_id.between(unit.low, unit.high))
        if "note_id" in table.columns:
            note = self._tables["note"]
            mine = select(note.c.note_id).where(note.c.person_id.between(unit.low, unit.high))
            return select(table).where(table.c.note_id.in_(mine))
        return select(table)

    def _present(self, connection: Connection) -> list[Table]:
        found = set(inspect(connection).get_table_names(self._schema))
        return [table for name, table in self._tables.items() if name in found]

    def _others(self, connection: Connection, names: tuple[str, ...]) -> list[Table]:
        return [table for table in self._present(connection) if table.name not in names]


def replace_part(
    connection: Connection, table: Table, draft: ReleaseDraft, index: int, part: PartMade
) -> None:
    """Put the rows of a part in place of those that differ from them."""
    found = part.difference
    if not table.primary_key.columns:
        if not found.change.is_none:
            connection.execute(delete(table))
    else:
        for some in chunks([*found.changed, *found.withdrawn]):
            connection.execute(delete(table).where(table.columns[0].in_(some)))
    wanted = {*found.added, *found.changed}
    if not wanted:
        return
    path = draft.path(part.name, index, PARQUET_PART)
    keys = pa.array(sorted(wanted), pa.int64())
    pages = (
        page.filter(pc.is_in(page.column(0), value_set=keys)) if found.unchanged else page
        for page in read_batches(path, table)
    )
    if connection.dialect.name == "postgresql":
        for is_plain, alike in groupby(pages, _is_plain):
            _copy(connection, table, alike, is_plain=is_plain)
        return
    for page in pages:
        if page.num_rows:
            _insert(connection, table, page)


def _copy(
    connection: Connection, table: Table, pages: Iterable[pa.RecordBatch], *, is_plain: bool
) -> None:
    """Send rows to PostgreSQL, plain ones as CSV."""
    options = " WITH (FORMAT csv, ENCODING 'UTF8')" if is_plain else ""
    quote = connection.dialect.identifier_preparer
    columns = ", ".join(quote.quote(column.name) for column in table.columns)
    statement = f"COPY {quote.format_table(table)} ({columns}) FROM STDIN{options}"
    cursor = connection.connection.cursor()
    try:
        # COPY takes no values in its statement, and rows by a stream.
        with cursor.copy(statement) as copy:
            for page in pages:
                if is_plain:
                    copy.write(_csv(page))
                else:
                    for row in to_rows(page):
                        copy.write_row(row)
    finally:
        cursor.close()


def _is_plain(page: pa.RecordBatch) -> bool:
    """Return that no text has what PostgreSQL before 18 takes for the end of a CSV file."""
    texts = (column for column in page.columns if pa.types.is_string(column.type))
    return not any(pc.any(pc.match_substring(text, "\\.")).as_py() for text in texts)


def _csv(page: pa.RecordBatch) -> bytes:
    """Write rows as CSV: text in quotes, nothing where nothing is."""
    sink = pa.BufferOutputStream()
    write_csv(page, sink, WriteOptions(include_header=False))
    return bytes(sink.getvalue())


def _insert(connection: Connection, table: Table, page: pa.RecordBatch) -> None:
    rows = to_rows(page)
    if any(isinstance(column.type, Date | DateTime) for column in table.columns):
        names = [column.name for column in table.columns]
        connection.execute(table.insert(), [dict(zip(names, row, strict=True)) for row in rows])
        return
    # Numbers and text are bound as they are: no need to look at each value.
    statement = str(table.insert().compile(dialect=connection.dialect))
    connection.exec_driver_sql(statement, rows)


def _has_rows(connection: Connection, table: Table) -> bool:
    return connection.execute(select(table.columns[0]).limit(1)).first() is not None


def _count(connection: Connection, table: Table) -> int:
    return connection.scalar(select(func.count()).select_from(table)) or 0

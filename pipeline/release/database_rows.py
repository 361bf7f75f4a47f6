"""Writes the rows of a part that differ to a database."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.csv import WriteOptions, write_csv
from sqlalchemy import Connection, Date, DateTime, Table, delete

from pipeline.release.staging import PartResult, ReleaseStaging
from pipeline.release.unit_files import PARQUET_PART, read_batches, to_rows
from pipeline.warehouse.databases import chunks

Parts = Callable[[], Iterable[PartResult]]


def replace_parts(
    connection: Connection, table: Table, staging: ReleaseStaging, parts: Parts
) -> None:
    """Replace the rows of a table that differ from its parts with those of the parts, in order.

    `parts` streams them as often as it is called. PostgreSQL gets them in one statement, as far as
    it can, so that rows may refer to later ones.
    """
    for part in parts():
        found = part.difference
        if not table.primary_key.columns:
            if not found.change.is_empty:
                connection.execute(delete(table))
            continue
        for some in chunks([*found.changed, *found.withdrawn]):
            connection.execute(delete(table).where(table.columns[0].in_(some)))
    pages = chain.from_iterable(_new_pages(table, staging, part) for part in parts())
    if connection.dialect.name == "postgresql":
        for is_plain, alike in groupby(pages, _is_plain):
            _copy(connection, table, alike, is_plain=is_plain)
        return
    for page in pages:
        if page.num_rows:
            _insert(connection, table, page)


def _new_pages(table: Table, staging: ReleaseStaging, part: PartResult) -> Iterator[pa.RecordBatch]:
    """Stream the rows of a part that are not published as they are."""
    found = part.difference
    wanted = {*found.added, *found.changed}
    if not wanted:
        return
    keys = pa.array(sorted(wanted), pa.int64())
    for page in read_batches(staging.path(part.name, part.index, PARQUET_PART), table):
        yield page.filter(pc.is_in(page.column(0), value_set=keys)) if found.unchanged else page


def _copy(
    connection: Connection, table: Table, pages: Iterable[pa.RecordBatch], *, is_plain: bool
) -> None:
    """Send rows to PostgreSQL with COPY, plain ones as CSV."""
    options = " WITH (FORMAT csv, ENCODING 'UTF8')" if is_plain else ""
    quote = connection.dialect.identifier_preparer
    columns = ", ".join(quote.quote(column.name) for column in table.columns)
    statement = f"COPY {quote.format_table(table)} ({columns}) FROM STDIN{options}"
    cursor = connection.connection.cursor()
    try:
        # COPY takes no bound values; its rows come as a stream.
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
    """Return whether no text has what PostgreSQL before 18 takes for the end of a CSV file."""
    texts = (column for column in page.columns if pa.types.is_string(column.type))
    return not any(pc.any(pc.match_substring(text, "\\.")).as_py() for text in texts)


def _csv(page: pa.RecordBatch) -> bytes:
    """Encode rows as CSV: text is quoted, empty values are not."""
    sink = pa.BufferOutputStream()
    write_csv(page, sink, WriteOptions(include_header=False))
    return bytes(sink.getvalue())


def _insert(connection: Connection, table: Table, page: pa.RecordBatch) -> None:
    rows = to_rows(page)
    if any(isinstance(column.type, Date | DateTime) for column in table.columns):
        names = [column.name for column in table.columns]
        connection.execute(table.insert(), [dict(zip(names, row, strict=True)) for row in rows])
        return
    # Numbers and text need no conversion: skip SQLAlchemy's per-value processing.
    statement = str(table.insert().compile(dialect=connection.dialect))
    connection.exec_driver_sql(statement, rows)

"""Where a release becomes visible: what is there is compared unit by unit, replaced all at once."""

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Protocol

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
from sqlalchemy.engine import URL, make_url

from pipeline.config.settings import OutputSettings, Settings
from pipeline.night.nightly import resolve_place
from pipeline.notes.worker_resources import resolve_urls
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
from pipeline.release.plan import units_of_range
from pipeline.release.request import ReleaseRequest
from pipeline.release.row_digests import Change, Changes, Row
from pipeline.release.tables import REFERRED, SELVES, make_tables
from pipeline.release.unit_files import (
    JSONL_PART,
    PARQUET_PART,
    digest_file,
    read_batches,
    read_part,
    to_rows,
)
from pipeline.warehouse.databases import (
    chunks,
    connect,
    database_path,
    guard,
    retrying,
    transaction,
)
from pipeline.warehouse.omop_tables import CDM_SOURCE_COLUMNS
from pipeline.warehouse.parquet_source import guard_parquet
from pipeline.warehouse.sql_output import check_table
from pipeline.warehouse.warehouse import JSONL, PARQUET
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
                check_table(table, actual, key, SETTING)
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


SUMS = "SHA256SUMS"
_ALONE = (*REFERRED, *SELVES)


class FolderTarget:
    """A release in a folder of Parquet files or JSON Lines, with its files inside.

    The place itself is a link to `.NAME-<16 hex digits>` beside it. What it does not point to is
    left over from a run that died, or withdrawn, and is removed.
    """

    names = ("manifest.json", "README.md")

    def __init__(self, place: Path, suffix: str = PARQUET_PART) -> None:
        self._place = place
        self.suffix = suffix
        self._tables = make_tables(None)

    def claim(self, key_id: str, names: tuple[str, ...]) -> None:  # noqa: ARG002 - as in a database
        """Raise ConfigError where the place holds anything but a release under this key."""
        with guard(WHAT):
            self._place.parent.mkdir(parents=True, exist_ok=True)
            is_free = not os.path.lexists(self._place)
            is_empty = self._place.is_dir() and not any(self._place.iterdir())
            is_ours = self._is_ours()
        if is_free or is_empty:
            return
        path = self._path(self._place, "cdm_source", 0)
        pages = read_part(path, self._tables["cdm_source"]) if is_ours else iter(())
        place = CDM_SOURCE_COLUMNS.index("cdm_etl_reference")
        if {row[place] for rows in pages for row in rows} != {ORIGIN + key_id}:
            raise ConfigError(SETTING, OTHERS, REMEDY)

    def visible(self, name: str, unit: ReleaseUnit) -> Iterator[list[Row]]:
        """Stream the rows of a table that belong to a unit and are visible now."""
        if not self._is_ours():
            return
        table = self._tables[name]
        if name in _ALONE:
            yield from read_part(self._path(self._place, name, 0), table)
            return
        names = [column.name for column in table.columns]
        for index in units_of_range(unit.low, unit.high, self._units):
            notes = self._notes(index, unit) if "person_id" not in names else None
            place = names.index("note_id" if notes is not None else "person_id")
            for rows in read_part(self._path(self._place, name, index), table):
                if notes is not None:
                    yield [row for row in rows if row[place] in notes]
                else:
                    yield [row for row in rows if unit.low <= row[place] <= unit.high]

    def leftover(self, names: tuple[str, ...]) -> Changes:
        """Return what is visible of tables that the release does not have any more."""
        if not self._is_ours():
            return {}
        found = {}
        for name in sorted(self._tables.keys() - set(names)):
            paths = sorted((self._place / name).glob(f"part-*.{self.suffix}"))
            pages = (rows for path in paths for rows in read_part(path, self._tables[name]))
            if keys := {row[0] for rows in pages for row in rows}:
                found[name] = Change(withdrawn=len(keys))
        return found

    def papers(self) -> Papers:
        """Read the files of the release."""
        return read_papers(self._place, self.names)

    def begun(self) -> str:
        """Nothing: files and tables become visible at once."""
        return ""

    def deliver(self, draft: ReleaseDraft, names: tuple[str, ...], papers: Papers) -> None:
        """Make a new folder of the draft's files and move the link to it; the old one is removed.

        A file that is byte for byte as before is the old one: those who copy releases see so.
        """
        made = self._place.with_name(f".{self._place.name}-{secrets.token_hex(8)}")
        with guard_parquet(WHAT):
            self._clear()
            made.mkdir()
            before = self._sums()
            sums = [self._move(draft, made, name, before) for name in names]
            for name, text in papers.items():
                write_paper(made / name, text)
            lines = sorted(line for some in sums for line in some)
            lines += [f"{digest_file(made / name)}  {name}\n" for name in sorted(papers)]
            write_paper(made / SUMS, "".join(lines))
            for folder, _, _ in os.walk(made):
                sync(Path(folder))
        with guard(WHAT):
            self._point_to(made)
            self._clear()

    def close(self) -> None:
        """Nothing is open between calls."""

    def _move(
        self, draft: ReleaseDraft, made: Path, name: str, before: dict[str, str]
    ) -> list[str]:
        """Put the files of a table into the new folder; returns their lines of the sums."""
        lines = []
        for index, part in draft.parts(name):
            if not part.rows:
                continue
            path = self._path(made, name, index)
            inside = path.relative_to(made).as_posix()
            path.parent.mkdir(exist_ok=True)
            old = self._place / inside
            if before.get(inside) == part.sha256 and digest_file(old) == part.sha256:
                os.link(old, path)
            else:
                # The draft may lie in another file system.
                shutil.move(draft.path(name, index, self.suffix), path)
                sync(path)
            lines.append(f"{part.sha256}  {inside}\n")
        return lines

    def _sums(self) -> dict[str, str]:
        """Read what the digests of the visible files should be."""
        lines = read_papers(self._place, (SUMS,)).get(SUMS, "").splitlines()
        found = (line.split("  ", 1) for line in lines if "  " in line)
        return {name: digest for digest, name in found if (self._place / name).is_file()}

    @cached_property
    def _units(self) -> int:
        """How many units the visible release was made in; its files are numbered by them."""
        told = read_papers(self._place, self.names[:1]).get(self.names[0], "{}")
        try:
            return int(json.loads(told).get("units", 1))
        except (ValueError, AttributeError):
            return 1

    def _notes(self, index: int, unit: ReleaseUnit) -> set[int]:
        table = self._tables["note"]
        place = [column.name for column in table.columns].index("person_id")
        pages = read_part(self._path(self._place, "note", index), table)
        return {
            row[0] for rows in pages for row in rows if unit.low <= row[place] <= unit.high
        }  # fmt: skip

    def _is_ours(self) -> bool:
        is_version = bool(self._versions().fullmatch(self._visible()))
        return is_version and self._path(self._place, "cdm_source", 0).is_file()

    def _visible(self) -> str:
        return self._place.readlink().name if self._place.is_symlink() else ""

    def _versions(self) -> re.Pattern[str]:
        return re.compile(rf"\.{re.escape(self._place.name)}-[0-9a-f]{{16}}(\.link)?")

    def _point_to(self, made: Path) -> None:
        link = made.with_name(f"{made.name}.link")
        link.symlink_to(made.name)
        if self._place.is_dir() and not self._place.is_symlink():
            self._place.rmdir()
        link.replace(self._place)
        sync(self._place.parent)

    def _clear(self) -> None:
        """Remove every version but the visible one."""
        visible = self._visible()
        for path in self._place.parent.iterdir():
            if not self._versions().fullmatch(path.name) or path.name == visible:
                continue
            if path.is_symlink():
                path.unlink()
            else:
                shutil.rmtree(path)

    def _path(self, folder: Path, name: str, index: int) -> Path:
        """Name a file as the nightly job does: one reader reads both."""
        if not self._tables[name].primary_key.columns:
            return folder / f"{name}.{self.suffix}"
        number = 0 if name in _ALONE else index
        return folder / name / f"part-{number:06d}.{self.suffix}"


class Target(Protocol):
    """Where a release becomes visible; `names` are those of its manifest and its README.

    `suffix` is that of the files a draft for it is made of.
    """

    names: tuple[str, str]
    suffix: str

    def claim(self, key_id: str, names: tuple[str, ...]) -> None:
        """Raise ConfigError where the place holds anything but a release under this key."""
        ...

    def visible(self, name: str, unit: ReleaseUnit) -> Iterator[list[Row]]:
        """Stream the rows of a table that belong to a unit and are visible now."""
        ...

    def leftover(self, names: tuple[str, ...]) -> Changes:
        """Return what is visible of tables that the release does not have any more."""
        ...

    def papers(self) -> Papers:
        """Read the files of the release that is visible; those that are not there are left out."""
        ...

    def begun(self) -> str:
        """Read the manifest of a delivery that was interrupted, and may be visible; else nothing.

        Its withdrawals must not be forgotten.
        """
        ...

    def deliver(self, draft: ReleaseDraft, names: tuple[str, ...], papers: Papers) -> None:
        """Make a draft visible, all of it at once.

        Raises Incomplete, and changes nothing, where it does not read back as it is.
        """
        ...

    def close(self) -> None:
        """Return what is open."""
        ...


def open_target(order: ReleaseRequest, settings: Settings) -> Target:
    """Open the place of a release; a relative path starts at the working directory.

    Files that go with a database are written to the configuration's report folder.
    """
    output = output_of(order, settings)
    for form, suffix in ((PARQUET, PARQUET_PART), (JSONL, JSONL_PART)):
        if output.url.startswith(form):
            place = Path(output.url.removeprefix(form)).absolute()
            if place.name in ("", "..") or output.schema:
                problem = "names no folder" if not output.schema else "a folder has no schema"
                raise ConfigError(SETTING, problem, f"write {form}FOLDER, without --schema")
            return FolderTarget(place, suffix)
    engine = connect(output.url, Path(), what=SETTING, use="output")
    place_name = resolve_place(SETTING, output.url, output.schema, Path())
    slug = re.sub(r"[^A-Za-z0-9]+", "-", order.cohort).strip("-")[:40]
    digest = hashlib.blake2b(f"{order.cohort}\0{place_name}".encode(), digest_size=4).hexdigest()
    reports = settings.base / settings.report.folder
    return SqlTarget(engine, output.schema, reports, f"release-{slug}-{digest}")


def show_place(output: OutputSettings) -> str:
    """Name a place for people: without user, password or options; URLs are themselves."""
    for form in (PARQUET, JSONL):
        if output.url.startswith(form):
            return f"{form}{Path(output.url.removeprefix(form)).absolute()}"
    path = database_path(output.url, Path(), what=SETTING)
    if path is not None:
        return f"sqlite:///{path}"
    url = make_url(output.url)
    server = URL.create("postgresql", host=url.host, port=url.port, database=url.database)
    return f"{server}{f' schema {output.schema}' if output.schema else ''}"


def output_of(order: ReleaseRequest, settings: Settings) -> OutputSettings:
    """Return the output of an order, with its URL itself."""
    asked = OutputSettings(order.output, order.schema)
    return resolve_urls(replace(settings, output=asked)).output

"""From a draft to what research sees, in one step: whoever looks finds the old release or the new.

A database gets what differs in one transaction; a folder is written anew beside its place, which
is a link to it, and the link is moved.
"""

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import Connection, Engine, Table, delete, inspect, select

from pipeline.databases import chunks, guard, retrying, transaction
from pipeline.draft import (
    TABLES,
    Change,
    Draft,
    Row,
    canonical,
    count_rows,
    digest_rows,
    read_between,
)
from pipeline.folder import reading
from pipeline.folder_output import arrow_schema
from pipeline.nightly import Incomplete
from pipeline.omop import CDM_SOURCE_COLUMNS, release_tables
from pipeline.output import check_shape
from record.errors import ConfigError

SETTING = "--output"
ORIGIN = "cryptonym release key "
"""What `cdm_etl_reference` of a release begins with; the key's id follows."""

Changes = dict[str, Change]
Papers = Mapping[str, str]
"""Files that go with a release: their names and what they say."""

_WHAT = "output"
_SCHEMAS = release_tables(None).tables
_OTHERS = "holds something that is no release under this cohort's key"
_REMEDY = "name an empty place, or one that holds a release of the same cohort"


class Target(Protocol):
    """Where a release becomes visible; `names` are those of its manifest and its README."""

    names: tuple[str, str]

    def claim(self, key_id: str) -> None:
        """Raise ConfigError where the place holds anything but a release under this key."""
        ...

    def compare(self, draft: Draft) -> Changes:
        """Tell, table by table, how a draft differs from what is visible."""
        ...

    def papers(self) -> Papers:
        """Read the files of the release that is visible; those that are not there are left out."""
        ...

    def deliver(self, draft: Draft, papers: Papers) -> None:
        """Make a draft visible, all of it at once.

        Raises Incomplete, and changes nothing, where it does not read back as it is.
        """
        ...

    def close(self) -> None:
        """Give back what is open."""
        ...


class SqlTarget:
    """A release in a database; its files are called `stem` and lie in the folder `reports`."""

    def __init__(self, engine: Engine, schema: str | None, reports: Path, stem: str) -> None:
        self._engine = engine
        self._schema = schema
        self._reports = reports
        self.names = (f"{stem}.json", f"{stem}.md")
        self._all = release_tables(schema)
        self._tables = {table.name: table for table in self._all.tables.values()}

    @retrying
    def claim(self, key_id: str) -> None:
        """Create what is missing; raise ConfigError where anything but such a release is there.

        Then nothing is created.
        """
        source = self._tables["cdm_source"]
        with transaction(self._engine, _WHAT, write=True) as connection:
            self._all.create_all(connection)
            found = inspect(connection)
            for name, table in self._tables.items():
                actual = {column["name"] for column in found.get_columns(name, self._schema)}
                key = set(found.get_pk_constraint(name, self._schema)["constrained_columns"])
                check_shape(table, actual, key, SETTING)
            origins = set(connection.scalars(select(source.c.cdm_etl_reference)))
            rows = sum(count_rows(connection, table) for table in self._tables.values())
            if rows and origins != {ORIGIN + key_id}:
                raise ConfigError(SETTING, _OTHERS, _REMEDY)

    @retrying
    def compare(self, draft: Draft) -> Changes:
        """Tell how a draft differs from what is visible."""
        with transaction(self._engine, _WHAT) as connection:
            return {n: _merge(connection, self._tables[n], draft, write=False) for n in TABLES}

    def papers(self) -> Papers:
        """Read the files of the release."""
        return _read_papers(self._reports, self.names)

    def deliver(self, draft: Draft, papers: Papers) -> None:
        """Write what differs in one transaction, then the files.

        A run that dies between the two leaves old files, which the next one corrects.
        """
        self._deliver(draft)
        with guard(_WHAT):
            self._reports.mkdir(parents=True, exist_ok=True)
            for name, text in papers.items():
                beside = self._reports / f"{name}.tmp"
                _write(beside, text)
                beside.replace(self._reports / name)
            _sync(self._reports)

    @retrying
    def _deliver(self, draft: Draft) -> None:
        with transaction(self._engine, _WHAT, write=True) as connection:
            for name in TABLES:
                _merge(connection, self._tables[name], draft, write=True)
            for name in TABLES:
                if count_rows(connection, self._tables[name]) != draft.count(name):
                    raise _unequal(name)

    def close(self) -> None:
        """Give back the connections."""
        self._engine.dispose()


def _merge(connection: Connection, table: Table, draft: Draft, *, write: bool) -> Change:
    """Go through draft and table side by side, a page at a time, and write what differs."""
    counts = dict.fromkeys(("added", "changed", "withdrawn", "unchanged"), 0)

    def settle(old: list[Row], new: list[Row]) -> None:
        before, after = _by_key(old), _by_key(new)
        differing = []
        for key in before.keys() | after.keys():
            kind = _kind(before.get(key), after.get(key))
            counts[kind] += 1
            if kind != "unchanged":
                differing.append(key)
        if write and differing:
            wanted = [row for key in differing for row in after.get(key, ())]
            _replace(connection, table, sorted(differing), wanted)

    last: int | None = None
    for page in draft.pages(table.name):
        end = page[-1][0] if table.primary_key.columns else None
        settle(read_between(connection, table, last, end), page)
        last = end
    if table.primary_key.columns:
        while rest := _beyond(connection, table, last):
            settle(rest, [])
            last = rest[-1][0]
    return Change(**counts)


def _beyond(connection: Connection, table: Table, last: int | None) -> list[Row]:
    """Read a page of rows above all of the draft."""
    key = table.columns[0]
    keys = select(key).distinct().order_by(key).limit(500)
    found = connection.scalars(keys if last is None else keys.where(key > last)).all()
    return read_between(connection, table, last, found[-1]) if found else []


def _by_key(rows: list[Row]) -> dict[Any, list[Row]]:
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(row)
    return found


def _kind(before: object, after: object) -> str:
    if before == after:
        return "unchanged"
    if before is None:
        return "added"
    return "changed" if after is not None else "withdrawn"


def _replace(connection: Connection, table: Table, keys: list[Any], rows: list[Row]) -> None:
    key = table.columns[0]
    for some in chunks(keys):
        connection.execute(delete(table).where(key.in_(some)))
    names = [column.name for column in table.columns]
    if rows:
        connection.execute(table.insert(), [dict(zip(names, row, strict=True)) for row in rows])


class FolderTarget:
    """A release in a folder of Parquet files or JSON Lines, with its files inside.

    The place itself is a link to `.NAME-<16 hex digits>` beside it. What it does not point to is
    left over from a run that died, or withdrawn, and is removed.
    """

    def __init__(self, place: Path, *, is_parquet: bool) -> None:
        self._place = place
        self._is_parquet = is_parquet
        self.names = ("manifest.json", "README.md")

    def claim(self, key_id: str) -> None:
        """Raise ConfigError where the place holds anything but a release under this key."""
        with guard(_WHAT):
            self._place.parent.mkdir(parents=True, exist_ok=True)
            is_free = not os.path.lexists(self._place)
            is_empty = self._place.is_dir() and not any(self._place.iterdir())
            is_ours = self._is_ours()
        if is_free or is_empty:
            return
        rows = self._rows(self._place, "cdm_source") if is_ours else iter(())
        origins = {row[CDM_SOURCE_COLUMNS.index("cdm_etl_reference")] for row in rows}
        if origins != {ORIGIN + key_id}:
            raise ConfigError(SETTING, _OTHERS, _REMEDY)

    def compare(self, draft: Draft) -> Changes:
        """Tell how a draft differs from what is visible."""
        changes = {}
        for name in TABLES:
            before = _hashes(self._rows(self._place, name) if self._is_ours() else iter(()))
            counts = dict.fromkeys(("added", "changed", "withdrawn", "unchanged"), 0)
            for page in draft.pages(name):
                for key, hashed in _hashes(iter(page)).items():
                    counts[_kind(before.pop(key, None), hashed)] += 1
            changes[name] = Change(**counts | {"withdrawn": len(before)})
        return changes

    def papers(self) -> Papers:
        """Read the files of the release."""
        return _read_papers(self._place, self.names)

    def deliver(self, draft: Draft, papers: Papers) -> None:
        """Write a new folder, read it back, and move the link to it; the old one is removed."""
        made = self._place.with_name(f".{self._place.name}-{secrets.token_hex(8)}")
        with reading(_WHAT):
            self._clear()
            made.mkdir()
            for name in TABLES:
                self._write_table(draft, made, name)
            for name, text in papers.items():
                _write(made / name, text)
            for folder, _, _ in os.walk(made):
                _sync(Path(folder))
        for name in TABLES:
            if digest_rows(self._rows(made, name)) != digest_rows(draft.rows(name)):
                raise _unequal(name)
        with guard(_WHAT):
            self._point_to(made)
            self._clear()

    def close(self) -> None:
        """Nothing is open between calls."""

    def _is_ours(self) -> bool:
        is_version = bool(self._versions().fullmatch(self._visible()))
        return is_version and self._path(self._place, "note").is_file()

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
        _sync(self._place.parent)

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

    def _path(self, folder: Path, name: str) -> Path:
        if not self._is_parquet:
            return folder / f"{name}.jsonl"
        # As the nightly job writes its folders: one reader reads both.
        is_keyed = bool(_SCHEMAS[name].primary_key.columns)
        return folder / (f"{name}/part-000000.parquet" if is_keyed else f"{name}.parquet")

    def _write_table(self, draft: Draft, folder: Path, name: str) -> None:
        path, table = self._path(folder, name), _SCHEMAS[name]
        path.parent.mkdir(exist_ok=True)
        names = [column.name for column in table.columns]
        if self._is_parquet:
            schema = arrow_schema(table)
            with pq.ParquetWriter(path, schema, compression="zstd") as writer:
                for page in draft.pages(name):
                    rows = [dict(zip(names, row, strict=True)) for row in page]
                    writer.write_table(pa.Table.from_pylist(rows, schema))
        else:
            with path.open("wb") as file:
                for row in draft.rows(name):
                    plain = json.loads(canonical(row))
                    line = json.dumps(dict(zip(names, plain, strict=True)), ensure_ascii=False)
                    file.write(line.encode() + b"\n")
        with path.open("rb") as written:
            os.fsync(written.fileno())

    def _rows(self, folder: Path, name: str) -> Iterator[Row]:
        path = self._path(folder, name)
        names = [column.name for column in _SCHEMAS[name].columns]
        with reading(_WHAT):
            if self._is_parquet:
                with pq.ParquetFile(path) as file:
                    for batch in file.iter_batches(500, use_threads=False):
                        columns = (batch.column(column).to_pylist() for column in names)
                        yield from zip(*columns, strict=True)
            else:
                with path.open("rb") as lines:
                    yield from (tuple(json.loads(line)[n] for n in names) for line in lines)


def _hashes(rows: Iterator[Row]) -> dict[Any, int]:
    """Give a hash of all rows of each id: what a comparison needs, at a few bytes an id."""
    found: dict[Any, int] = {}
    for row in rows:
        found[row[0]] = hash((found.get(row[0]), canonical(row)))
    return found


def _read_papers(folder: Path, names: tuple[str, str]) -> Papers:
    with guard(_WHAT):
        paths = {name: folder / name for name in names}
        return {name: p.read_text(encoding="utf-8") for name, p in paths.items() if p.is_file()}


def _unequal(name: str) -> Incomplete:
    return Incomplete(
        f"the table {name} does not read back as it was made; nothing was released. Remedy: run "
        "again; if it persists, report it"
    )


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

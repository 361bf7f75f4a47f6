"""The targets that releases are published to: a database, or a folder of Parquet or JSON Lines."""

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import (
    Connection,
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
from pipeline.release.database_rows import replace_parts
from pipeline.release.plan import KeyRange, divide_keys, units_of_range
from pipeline.release.released_notes import MANIFEST, ReleaseLocation
from pipeline.release.request import ReleaseRequest
from pipeline.release.row_digests import Change, Changes, Row
from pipeline.release.staging import PartResult, ReleaseStaging, ReleaseUnit, incomplete
from pipeline.release.tables import METADATA_TABLES
from pipeline.release.unit_files import (
    JSONL_PART,
    PARQUET_PART,
    digest_file,
    read_part,
)
from pipeline.release.vocabulary import ReleaseVocabulary, list_vocabulary
from pipeline.warehouse.cdm_tables import REFERENCE_TABLES, make_tables
from pipeline.warehouse.databases import (
    connect,
    database_path,
    guard,
    retrying,
    transaction,
)
from pipeline.warehouse.omop_tables import CDM_SOURCE_COLUMNS
from pipeline.warehouse.parquet_source import guard_parquet
from pipeline.warehouse.sql_output import check_table
from pipeline.warehouse.vocabulary import clear_vocabulary
from pipeline.warehouse.warehouse import JSONL, PARQUET
from record.atomic_write import make_folders, sync
from record.errors import ConfigError

_SETTING = "--output"
ORIGIN = "cryptonym release key "
"""Prefix of `cdm_etl_reference` in a release; the key's id follows."""
_WHAT = "output"
_FOREIGN_CONTENT = "contains something other than a release under this cohort's key"
_REMEDY = "choose an empty place, or one with a release of the same cohort"

ReleaseFiles = Mapping[str, str]
"""File name -> content of the files beside a release: its manifest and its README."""


def _read_release_files(folder: Path, names: tuple[str, ...]) -> ReleaseFiles:
    """Read files of a folder; missing ones are left out."""
    with guard(_WHAT):
        paths = {name: folder / name for name in names}
        return {name: p.read_text(encoding="utf-8") for name, p in paths.items() if p.is_file()}


def _write_synced(path: Path, text: str, mode: int | None = None) -> None:
    """Write a file and flush it to disk; it has the mode given, or that which the umask leaves."""
    with path.open("w", encoding="utf-8") as file:
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def parse_json(text: str | None) -> dict[str, Any]:
    """Parse a manifest; empty where the text is not one."""
    try:
        found = json.loads(text or "")
    except json.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _key_of(reference: Any) -> str | None:
    """Return the id of the key that a release names; None for anything else."""
    named = str(reference or "")
    return named.removeprefix(ORIGIN) if named.startswith(ORIGIN) else None


def _is_ours(origins: Collection[Any], key_ids: Sequence[str]) -> bool:
    """Return whether there is one origin, and it is one of the keys."""
    return len(origins) == 1 and set(origins) <= {ORIGIN + key_id for key_id in key_ids}


_PAGE = 2_000


class SqlTarget:
    """A release in a database; its files `STEM.json` and `STEM.md` are in the folder `reports`."""

    suffix = PARQUET_PART
    is_replaced = False

    def __init__(
        self, engine: Engine, schema: str | None, reports: Path, stem: str, *, mode: int = 0o600
    ) -> None:
        self._engine = engine
        self._schema = schema
        self._reports = reports
        self._mode = mode
        self.keep: Callable[[], None] = lambda: None
        self.names = (f"{stem}.json", f"{stem}.md")
        self._tables = make_tables(schema)

    @retrying
    def read_origin(self) -> str | None:
        """Return the id of the key that made the published release; None without one."""
        with transaction(self._engine, _WHAT) as connection:
            source = self._tables["cdm_source"]
            if source not in self._present(connection):
                return None
            return _key_of(connection.scalar(select(source.c.cdm_etl_reference).limit(1)))

    @retrying
    def claim(self, key_ids: Sequence[str], names: tuple[str, ...], *, create: bool = True) -> None:
        """Create missing tables; raises ConfigError, and creates nothing, where the database
        contains anything but a release under one of these keys."""
        with transaction(self._engine, _WHAT, write=create) as connection:
            if create:
                for name in names:
                    self._tables[name].create(connection, checkfirst=True)
            found = inspect(connection)
            existing = {table.name for table in self._present(connection)}
            for name in (name for name in names if name in existing):
                table = self._tables[name]
                actual = {column["name"] for column in found.get_columns(name, self._schema)}
                key = set(found.get_pk_constraint(name, self._schema)["constrained_columns"])
                check_table(table, actual, key, _SETTING)
            source = self._tables["cdm_source"]
            origins: set[str | None] = set()
            if source.name in existing:
                origins.update(connection.scalars(select(source.c.cdm_etl_reference)))
            is_empty = not any(_has_rows(connection, table) for table in self._present(connection))
            if not is_empty and not _is_ours(origins, key_ids):
                raise ConfigError(_SETTING, _FOREIGN_CONTENT, _REMEDY)

    def read_published(self, name: str, unit: ReleaseUnit) -> Iterator[list[Row]]:
        """Stream the published rows of a table that belong to a unit; none if it is replaced."""
        if self.is_replaced or name not in self._existing:
            return
        rows = self._select_unit(self._tables[name], unit)
        with transaction(self._engine, _WHAT) as connection:
            result = connection.execution_options(yield_per=_PAGE).execute(rows)
            for page in result.partitions():
                yield [tuple(row) for row in page]

    def read_published_keys(self, name: str, keys: KeyRange) -> Iterator[list[Row]]:
        """Stream the published rows of a table whose keys are in a range."""
        if self.is_replaced or name not in self._existing:
            return
        table = self._tables[name]
        rows = select(table)
        if table.primary_key.columns:
            rows = rows.where(table.columns[0].between(keys.low, keys.high))
        with transaction(self._engine, _WHAT) as connection:
            result = connection.execution_options(yield_per=_PAGE).execute(rows)
            for page in result.partitions():
                yield [tuple(row) for row in page]

    def list_obsolete(self, names: tuple[str, ...]) -> Changes:
        """Return the published tables that the new release no longer has."""
        with transaction(self._engine, _WHAT) as connection:
            return {
                table.name: Change(withdrawn=count)
                for table in self._obsolete_tables(connection, names)
                if (count := _count(connection, table))
            }

    def read_files(self) -> ReleaseFiles:
        """Read the files of the published release."""
        return _read_release_files(self._reports, self.names)

    def read_interrupted_manifest(self) -> str:
        """Read the manifest of an interrupted publication, which may be visible; else nothing."""
        name = self._temporary_path(self.names[0]).name
        return _read_release_files(self._reports, (name,)).get(name, "")

    def publish(
        self,
        staging: ReleaseStaging,
        names: tuple[str, ...],
        files: ReleaseFiles,
        vocabulary: ReleaseVocabulary | None = None,
    ) -> None:
        """Write the differences in one transaction, between two steps for the files.

        Vocabulary tables, which say nothing of patients, have transactions of their own before. A
        run that dies in between leaves the new files beside the old ones, from which the next
        run knows what may have been withdrawn.
        """
        self.keep()
        with guard(_WHAT):
            make_folders(self._reports, self._mode | (self._mode & 0o444) >> 2)
            for name, text in files.items():
                _write_synced(self._temporary_path(name), text, self._mode)
            sync(self._reports)
        self._publish_vocabulary(vocabulary)
        self._publish_rows(staging, names)
        self.keep()
        with guard(_WHAT):
            for name in files:
                self._temporary_path(name).replace(self._reports / name)
            sync(self._reports)

    def _publish_vocabulary(self, vocabulary: ReleaseVocabulary | None) -> None:
        """Copy the vocabulary; without one, remove what an earlier release had of it."""
        before = list_vocabulary(parse_json(self.read_files().get(self.names[0])))
        here = self._engine, self._schema
        if vocabulary is not None:
            vocabulary.copy(here)
        clear_vocabulary(here, before.keys() - (vocabulary.rows.keys() if vocabulary else set()))

    def _temporary_path(self, name: str) -> Path:
        return self._reports / f"{name}.tmp"

    @retrying
    def _publish_rows(self, staging: ReleaseStaging, names: tuple[str, ...]) -> None:
        self.keep()  # to copy the vocabulary took its time, and so do rows
        with transaction(self._engine, _WHAT, write=True) as connection:
            for table in self._obsolete_tables(connection, names):
                connection.execute(delete(table))
            for name in reversed(names if self.is_replaced else ()):
                connection.execute(delete(self._tables[name]))
            for name in names:
                parts = partial(_list_parts, staging, name)
                replace_parts(connection, self._tables[name], staging, parts)
                expected = sum(part.rows for part in parts())
                if _count(connection, self._tables[name]) != expected:
                    raise incomplete(f"row count mismatch in table {name} after writing")
            self.keep()

    def close(self) -> None:
        """Close the database connections."""
        self._engine.dispose()

    def _select_unit(self, table: Table, unit: ReleaseUnit) -> Select[Row]:
        if "person_id" in table.columns:
            return select(table).where(table.c.person_id.between(unit.low, unit.high))
        if "note_id" in table.columns:
            note = self._tables["note"]
            mine = select(note.c.note_id).where(note.c.person_id.between(unit.low, unit.high))
            return select(table).where(table.c.note_id.in_(mine))
        return select(table)

    @cached_property
    def _existing(self) -> frozenset[str]:
        """The names of the tables; in a dry run some may be missing."""
        with transaction(self._engine, _WHAT) as connection:
            return frozenset(table.name for table in self._present(connection))

    def _present(self, connection: Connection) -> list[Table]:
        found = set(inspect(connection).get_table_names(self._schema))
        return [table for name, table in self._tables.items() if name in found]

    def _obsolete_tables(self, connection: Connection, names: tuple[str, ...]) -> list[Table]:
        return [table for table in self._present(connection) if table.name not in names]


def _list_parts(staging: ReleaseStaging, name: str) -> Iterator[PartResult]:
    return (part for _, part in staging.parts(name))


def _has_rows(connection: Connection, table: Table) -> bool:
    return connection.execute(select(table.columns[0]).limit(1)).first() is not None


def _count(connection: Connection, table: Table) -> int:
    return connection.scalar(select(func.count()).select_from(table)) or 0


CHECKSUMS = "SHA256SUMS"
_UNDIVIDED = (*REFERENCE_TABLES, *METADATA_TABLES)


class FolderTarget:
    """A release in a folder of Parquet or JSON Lines files, with its manifest and README.

    The folder is a symbolic link to the current version, `.NAME-<16 hex digits>` beside it. Other
    versions are remains of interrupted runs or withdrawn, and are removed.
    """

    names = (MANIFEST, "README.md")
    is_replaced = False

    def __init__(self, place: Path, suffix: str = PARQUET_PART) -> None:
        self._place = place
        self.suffix = suffix
        self.keep: Callable[[], None] = lambda: None
        self._tables = make_tables(None)

    def read_origin(self) -> str | None:
        """Return the id of the key that made the published release; None without one."""
        with guard(_WHAT):
            origins = self._read_origins()
        return _key_of(next(iter(origins))) if len(origins) == 1 else None

    def _read_origins(self) -> set[Any]:
        path = self._path(self._place, "cdm_source", 0)
        pages = read_part(path, self._tables["cdm_source"]) if self._is_release() else iter(())
        place = CDM_SOURCE_COLUMNS.index("cdm_etl_reference")
        return {row[place] for rows in pages for row in rows}

    def claim(
        self,
        key_ids: Sequence[str],
        names: tuple[str, ...],  # noqa: ARG002 - as in a database
        *,
        create: bool = True,
    ) -> None:
        """Raise ConfigError where the place has anything but a release under these keys."""
        with guard(_WHAT):
            if create:
                self._place.parent.mkdir(parents=True, exist_ok=True)
            is_free = not os.path.lexists(self._place)
            is_empty = self._place.is_dir() and not any(self._place.iterdir())
        if is_free or is_empty:
            return
        if not _is_ours(self._read_origins(), key_ids):
            raise ConfigError(_SETTING, _FOREIGN_CONTENT, _REMEDY)

    def read_published(self, name: str, unit: ReleaseUnit) -> Iterator[list[Row]]:
        """Stream the published rows of a table that belong to a unit; none if it is replaced."""
        if self.is_replaced or not self._is_release():
            return
        table = self._tables[name]
        if name in _UNDIVIDED:
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

    def read_published_keys(self, name: str, keys: KeyRange) -> Iterator[list[Row]]:
        """Stream the published rows of a table whose keys are in a range.

        A release of the first version of the surrogate algorithm is not divided by keys: the first
        range gets all of its rows.
        """
        if self.is_replaced or not self._is_release():
            return
        table, bits = self._tables[name], self._number("id_bits", 0)
        is_divided = bool(bits) and name not in _UNDIVIDED
        if not is_divided:
            for path in self._files(name) if keys.index == 0 else ():
                yield from read_part(path, table)
            return
        for old in divide_keys(bits, self._units):
            if old.low <= keys.high and keys.low <= old.high:
                for rows in read_part(self._path(self._place, name, old.index), table):
                    yield [row for row in rows if keys.low <= row[0] <= keys.high]

    def list_obsolete(self, names: tuple[str, ...]) -> Changes:
        """Return the published tables that the new release no longer has."""
        if not self._is_release():
            return {}
        found = {}
        for name in sorted(self._tables.keys() - set(names)):
            pages = (
                rows for path in self._files(name) for rows in read_part(path, self._tables[name])
            )
            if keys := {row[0] for rows in pages for row in rows}:
                found[name] = Change(withdrawn=len(keys))
        return found

    def read_files(self) -> ReleaseFiles:
        """Read the files of the published release."""
        return _read_release_files(self._place, self.names)

    def read_interrupted_manifest(self) -> str:
        """Return nothing: files and tables become visible at once."""
        return ""

    def publish(
        self,
        staging: ReleaseStaging,
        names: tuple[str, ...],
        files: ReleaseFiles,
        vocabulary: ReleaseVocabulary | None = None,
    ) -> None:
        """Create a new version from the staged files and switch the link to it.

        Unchanged files are hard links to the old ones, so that copying a release can skip them.
        The old version is removed.
        """
        self.keep()
        version = self._place.with_name(f".{self._place.name}-{secrets.token_hex(8)}")
        with guard_parquet(_WHAT):
            self._remove_other_versions()
            version.mkdir()
            before = self._read_checksums()
            sums = [self._move_files(staging, version, name, before) for name in names]
            if vocabulary is not None:
                sums.append(self._write_vocabulary(vocabulary, version, before))
            for name, text in files.items():
                _write_synced(version / name, text)
            lines = sorted(line for some in sums for line in some)
            lines += [f"{digest_file(version / name)}  {name}\n" for name in sorted(files)]
            _write_synced(version / CHECKSUMS, "".join(lines))
            for folder, _, _ in os.walk(version):
                sync(Path(folder))
        self.keep()
        with guard(_WHAT):
            self._switch_to(version)
            self._remove_other_versions()

    def close(self) -> None:
        """Do nothing: no resource stays open between calls."""

    def _move_files(
        self, staging: ReleaseStaging, version: Path, name: str, before: dict[str, str]
    ) -> list[str]:
        """Move the files of a table to the new version; return their checksum lines."""
        lines = []
        for index, part in staging.parts(name):
            if not part.rows:
                continue
            path = self._path(version, name, index)
            inside = path.relative_to(version).as_posix()
            path.parent.mkdir(exist_ok=True)
            old = self._place / inside
            if before.get(inside) == part.sha256 and digest_file(old) == part.sha256:
                os.link(old, path)
            else:
                # The staging folder may be on another file system.
                shutil.move(staging.path(name, index, self.suffix), path)
                sync(path)
            lines.append(f"{part.sha256}  {inside}\n")
        return lines

    def _write_vocabulary(
        self, vocabulary: ReleaseVocabulary, version: Path, before: Mapping[str, str]
    ) -> list[str]:
        """Write the vocabulary to the new version, or link to equal files; return checksum lines.

        Where the manifest tells the same versions, a table with as many rows as before is equal.
        """
        text = _read_release_files(self._place, self.names[:1]).get(self.names[0])
        manifest = parse_json(text) if self._is_release() else {}
        known = list_vocabulary(manifest)
        is_same = bool(known) and (
            manifest["vocabulary"].get("versions_sha256") == vocabulary.versions
        )
        lines = []
        for name, rows in vocabulary.rows.items():
            path = version / f"{name}.{self.suffix}"
            old, sha256 = self._place / path.name, before.get(path.name)
            if is_same and known.get(name) == rows and sha256 and digest_file(old) == sha256:
                os.link(old, path)
            elif rows:
                vocabulary.write(path, name)
                sync(path)
                sha256 = digest_file(path)
            else:
                continue
            lines.append(f"{sha256}  {path.name}\n")
        return lines

    def _read_checksums(self) -> dict[str, str]:
        """Return the expected digests of the published files."""
        lines = _read_release_files(self._place, (CHECKSUMS,)).get(CHECKSUMS, "").splitlines()
        found = (line.split("  ", 1) for line in lines if "  " in line)
        return {name: digest for digest, name in found if (self._place / name).is_file()}

    @cached_property
    def _units(self) -> int:
        """The number of units of the published release, by which its files are numbered."""
        return self._number("units", 1)

    def _number(self, name: str, default: int) -> int:
        """Return a number of the manifest of the published release."""
        manifest = _read_release_files(self._place, self.names[:1]).get(self.names[0])
        try:
            return int(parse_json(manifest).get(name, default))
        except (ValueError, TypeError):
            return default

    def _files(self, name: str) -> list[Path]:
        """Return the published files of a table."""
        whole = self._place / f"{name}.{self.suffix}"
        parts = sorted((self._place / name).glob(f"part-*.{self.suffix}"))
        return [whole] if whole.is_file() else parts

    def _notes(self, index: int, unit: ReleaseUnit) -> set[int]:
        table = self._tables["note"]
        place = [column.name for column in table.columns].index("person_id")
        pages = read_part(self._path(self._place, "note", index), table)
        return {
            row[0] for rows in pages for row in rows if unit.low <= row[place] <= unit.high
        }  # fmt: skip

    def _is_release(self) -> bool:
        is_version = bool(self._version_pattern().fullmatch(self._current_version()))
        return is_version and self._path(self._place, "cdm_source", 0).is_file()

    def _current_version(self) -> str:
        return self._place.readlink().name if self._place.is_symlink() else ""

    def _version_pattern(self) -> re.Pattern[str]:
        return re.compile(rf"\.{re.escape(self._place.name)}-[0-9a-f]{{16}}(\.link)?")

    def _switch_to(self, version: Path) -> None:
        link = version.with_name(f"{version.name}.link")
        link.symlink_to(version.name)
        if self._place.is_dir() and not self._place.is_symlink():
            self._place.rmdir()
        link.replace(self._place)
        sync(self._place.parent)

    def _remove_other_versions(self) -> None:
        """Remove all versions except the current one."""
        current = self._current_version()
        for path in self._place.parent.iterdir():
            if not self._version_pattern().fullmatch(path.name) or path.name == current:
                continue
            if path.is_symlink():
                path.unlink()
            else:
                shutil.rmtree(path)

    def _path(self, folder: Path, name: str, index: int) -> Path:
        """Return the path of a file, named as the nightly job does: one reader reads both."""
        if not self._tables[name].primary_key.columns:
            return folder / f"{name}.{self.suffix}"
        number = 0 if name in _UNDIVIDED else index
        return folder / name / f"part-{number:06d}.{self.suffix}"


class Target(Protocol):
    """A place that releases are published to.

    `names` are the file names of manifest and README, `suffix` that of the staged files. A release
    `is_replaced` where it was made under another version of the surrogate algorithm: then none of
    its rows are compared, and all go in the transaction that publishes the new ones. `keep` renews
    the run lock: it is called before what cannot be taken back, which an error of it prevents.
    """

    names: tuple[str, str]
    suffix: str
    is_replaced: bool
    keep: Callable[[], None]

    def read_origin(self) -> str | None:
        """Return the id of the key that made the published release; None without one."""
        ...

    def claim(self, key_ids: Sequence[str], names: tuple[str, ...], *, create: bool = True) -> None:
        """Raise ConfigError where the place has anything but a release under these keys.

        Makes what is missing of the place only with `create`.
        """
        ...

    def read_published(self, name: str, unit: ReleaseUnit) -> Iterator[list[Row]]:
        """Stream the published rows of a table that belong to a unit."""
        ...

    def read_published_keys(self, name: str, keys: KeyRange) -> Iterator[list[Row]]:
        """Stream the published rows of a table whose keys are in a range."""
        ...

    def list_obsolete(self, names: tuple[str, ...]) -> Changes:
        """Return the published tables that the new release no longer has."""
        ...

    def read_files(self) -> ReleaseFiles:
        """Read manifest and README of the published release; missing ones are left out."""
        ...

    def read_interrupted_manifest(self) -> str:
        """Read the manifest of an interrupted publication, which may be visible; else nothing.

        Its withdrawals must not be lost.
        """
        ...

    def publish(
        self,
        staging: ReleaseStaging,
        names: tuple[str, ...],
        files: ReleaseFiles,
        vocabulary: ReleaseVocabulary | None = None,
    ) -> None:
        """Publish a staged release atomically, with or without a vocabulary.

        Raises Incomplete, and changes nothing, where it does not read back as written.
        """
        ...

    def close(self) -> None:
        """Release all resources."""
        ...


def open_target(request: ReleaseRequest, settings: Settings) -> Target:
    """Open the target of a release; a relative path starts at the working directory.

    Manifest and README of a release in a database go to the configuration's report folder.
    """
    output = resolve_output(request, settings)
    if found := _find_folder(output):
        place, suffix = found
        return FolderTarget(place, suffix)
    engine = connect(output.url, Path(), what=_SETTING, use="output", schema=output.schema)
    reports, mode = settings.base / settings.report.folder, settings.report.file_mode
    stem = _name_files(request.cohort, output)
    return SqlTarget(engine, output.schema, reports, stem, mode=mode)


def locate_release(request: ReleaseRequest, settings: Settings) -> ReleaseLocation:
    """Return where the release of a completed request is, or will be, with its manifest."""
    output = resolve_output(request, settings)
    if found := _find_folder(output):
        return ReleaseLocation(str(found[0]), found[0] / MANIFEST, lang=settings.lang)
    reports = settings.base / settings.report.folder
    manifest = reports / f"{_name_files(request.cohort, output)}.json"
    return ReleaseLocation(output.url, manifest, output.schema, settings.lang)


def _find_folder(output: OutputSettings) -> tuple[Path, str] | None:
    """Return the folder of an output, and the suffix of its files; None for a database."""
    for form, suffix in ((PARQUET, PARQUET_PART), (JSONL, JSONL_PART)):
        if output.url.startswith(form):
            place = Path(output.url.removeprefix(form)).absolute()
            if place.name in ("", "..") or output.schema:
                problem = "not a folder" if not output.schema else "a folder has no schema"
                raise ConfigError(_SETTING, problem, f"use {form}FOLDER without --schema")
            return place, suffix
    return None


def _name_files(cohort: str, output: OutputSettings) -> str:
    """Return the name, without suffix, of the files that go with a release in a database."""
    place_name = resolve_place(_SETTING, output.url, output.schema, Path())
    slug = re.sub(r"[^A-Za-z0-9]+", "-", cohort).strip("-")[:40]
    digest = hashlib.blake2b(f"{cohort}\0{place_name}".encode(), digest_size=4).hexdigest()
    return f"release-{slug}-{digest}"


def open_trial_target(request: ReleaseRequest, settings: Settings) -> Target | None:
    """Return a target without rows where the output is a file that is not there yet.

    To open it would create it. None for any other output.
    """
    output = resolve_output(request, settings)
    if output.url.startswith((PARQUET, JSONL)):
        return None
    path = database_path(output.url, Path(), what=_SETTING)
    if path is None or path.is_file():
        return None
    return FolderTarget(path.with_name(f".{path.name}-unpublished"))


def describe_place(output: OutputSettings) -> str:
    """Return a readable name of an output, without user, password or options.

    URLs are given themselves, not as `env:NAME` or `file:PATH`.
    """
    for form in (PARQUET, JSONL):
        if output.url.startswith(form):
            return f"{form}{Path(output.url.removeprefix(form)).absolute()}"
    path = database_path(output.url, Path(), what=_SETTING)
    if path is not None:
        return f"sqlite:///{path}"
    url = make_url(output.url)
    server = URL.create("postgresql", host=url.host, port=url.port, database=url.database)
    return f"{server}{f' schema {output.schema}' if output.schema else ''}"


def resolve_output(request: ReleaseRequest, settings: Settings) -> OutputSettings:
    """Return the output of a request with its URL resolved."""
    output = OutputSettings(request.output, request.schema)
    return resolve_urls(replace(settings, output=output)).output

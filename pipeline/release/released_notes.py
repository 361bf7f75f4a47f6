"""Notes with spans out of what `cryptonym release` or the nightly job wrote, with its manifest."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import select

from pipeline.warehouse.databases import connect, retrying, transaction
from pipeline.warehouse.omop_tables import make_output_tables
from pipeline.warehouse.parquet_source import guard_parquet, open_dataset
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span

MANIFEST = "manifest.json"

_WHAT = "RELEASE"
_PAGE = 2_000
_SOURCES = ("cryptonym release key ", "cryptonym key ")
_REMEDY = (
    "name what `cryptonym release` wrote, or the nightly job's output with --manifest report.json; "
    "for identifying data, which stay inside, say --inside"
)
_NOTE = ("note_id", "person_id", "note_class_concept_id", "note_text")
_SPAN = ("note_id", "start_offset", "end_offset", "label")


class ReleaseTables(Protocol):
    """Where a release's tables are."""

    def rows(self, table: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
        """Stream some columns of a table."""
        ...


class FolderTables:
    """Tables as `NAME.parquet`, `NAME/*.parquet`, `NAME.jsonl` or `NAME/*.jsonl` in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def rows(self, table: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
        """Stream some columns of a table; raises ConfigError where it is not there."""
        files = self._files(table)
        if files[0].suffix == ".parquet":
            with guard_parquet(_WHAT):
                found = open_dataset(files)
                for batch in found.to_batches(columns=list(columns), batch_size=_PAGE):
                    values = (batch.column(column).to_pylist() for column in columns)
                    yield from zip(*values, strict=True)
            return
        for file in files:
            yield from self._lines(file, columns)

    def _lines(self, file: Path, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    row = json.loads(line)
                    values = tuple(row[column] for column in columns)
                except (ValueError, KeyError, TypeError):
                    where = f"{file}, line {number}"
                    raise ConfigError(where, "is no row of a release", _REMEDY) from None
                yield values

    def _files(self, table: str) -> list[Path]:
        for suffix in (".parquet", ".jsonl"):
            whole = self._folder / f"{table}{suffix}"
            files = [whole] if whole.is_file() else sorted(whole.with_suffix("").glob(f"*{suffix}"))
            if files:
                return files
        raise ConfigError(_WHAT, f"has no table {table}", _REMEDY)


class SqlTables:
    """Tables in a database."""

    def __init__(self, url: str, schema: str | None) -> None:
        self._engine = connect(url, Path(), what=_WHAT)
        self._tables = {table.name: table for table in make_output_tables(schema).tables.values()}

    def rows(self, table: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
        """Stream some columns of a table, a page of keys at a time."""
        held = self._tables[table]
        if not held.primary_key.columns:
            yield from self._page(select(*(held.c[name] for name in columns)))
            return
        key = held.columns[0]
        last: int | None = None
        while True:
            keys = select(key).distinct().order_by(key).limit(_PAGE)
            found = self._page(keys if last is None else keys.where(key > last))
            if not found:
                return
            rows = select(*(held.c[name] for name in columns)).where(key <= found[-1][0])
            yield from self._page(rows if last is None else rows.where(key > last))
            last = found[-1][0]

    @retrying
    def _page(self, statement: Any) -> list[tuple[Any, ...]]:
        with transaction(self._engine, _WHAT) as connection:
            return [tuple(row) for row in connection.execute(statement)]


@dataclass(frozen=True)
class SourceRelease:
    """A release with what proves it. `withdrawn` are persons and notes that must not be used."""

    tables: ReleaseTables
    origin: Mapping[str, Any]
    withdrawn_persons: frozenset[int] = frozenset()
    withdrawn_notes: frozenset[int] = frozenset()
    lang: str = ""

    def notes(self) -> Iterator[Annotated]:
        """Stream the notes with their spans, but for those withdrawn."""
        spans: defaultdict[int, list[Span]] = defaultdict(list)
        for note_id, start, end, label in self.tables.rows("note_span", _SPAN):
            spans[note_id].append(Span(start, end, label, "release"))
        for note_id, person_id, kind, text in self.tables.rows("note", _NOTE):
            if person_id in self.withdrawn_persons or note_id in self.withdrawn_notes:
                continue
            document = Document(
                note_id=str(note_id),
                text=text or "",
                person_id=None if person_id is None else str(person_id),
                lang=self.lang,
                kind=f"class-{kind}" if kind else "",
            )
            yield Annotated(document, tuple(sorted(spans.pop(note_id, ()))))


@dataclass(frozen=True)
class ReleaseLocation:
    """Where a release is: a folder or the URL of a database, and its manifest where apart."""

    where: str
    manifest: Path | None = None
    schema: str | None = None
    lang: str = ""

    @property
    def folder(self) -> Path | None:
        """The folder, where it is one."""
        path = Path(self.where.removeprefix("parquet:").removeprefix("jsonl:"))
        return path if path.is_dir() else None


def open_release(place: ReleaseLocation) -> SourceRelease:
    """Open a release and compare it with its manifest.

    Raises ConfigError where there is no manifest, it is of something else, or rows are missing.
    """
    folder = place.folder
    path = place.manifest or (folder / MANIFEST if folder else None)
    if path is None or not path.is_file():
        raise ConfigError(_WHAT, "has no release manifest", _REMEDY)
    if folder is None and "://" not in place.where:
        raise ConfigError(_WHAT, "is neither a folder nor the URL of a database", _REMEDY)
    content = path.read_bytes()
    manifest = _read(path, content)
    if folder is not None:
        return _checked(FolderTables(folder), manifest, content, place)
    return _checked(SqlTables(place.where, place.schema), manifest, content, place)


def _read(path: Path, content: bytes) -> dict[str, Any]:
    try:
        held = json.loads(content)
    except ValueError:
        held = None
    if not isinstance(held, dict) or not isinstance(held.get("key_id"), str):
        raise ConfigError(str(path), "is no manifest of a release", _REMEDY)
    return held


def _checked(
    tables: ReleaseTables, manifest: dict[str, Any], content: bytes, place: ReleaseLocation
) -> SourceRelease:
    key = manifest["key_id"]
    told = [row[0] for row in tables.rows("cdm_source", ("cdm_etl_reference",))]
    if told not in [[f"{source}{key}"] for source in _SOURCES]:
        raise ConfigError(_WHAT, "is not what its manifest describes", _REMEDY)
    listed = manifest.get("tables")
    if isinstance(listed, dict) and "note_span" not in listed:
        problem = "does not tell where surrogates stand, which is needed here"
        raise ConfigError(_WHAT, problem, "release the cohort to another place with --spans")
    for name, columns in (("note", _NOTE[:1]), ("note_span", _SPAN[:1])):
        expected = manifest.get("tables", {}).get(name, {}).get("rows")
        found = sum(1 for _ in tables.rows(name, columns))
        if expected is not None and found != expected:
            problem = f"has {found} rows in {name} where its manifest has {expected}"
            raise ConfigError(_WHAT, problem, "copy the release again, as a whole")
    persons, notes = _withdrawn(manifest)
    origin = {
        "release": hashlib.sha256(content).hexdigest(),
        "key_id": key,
        "policy_id": manifest.get("policy_id"),
        "inside": False,
        "withdrawn_persons": len(persons),
    }
    return SourceRelease(tables, origin, persons, notes, place.lang)


def _withdrawn(manifest: Mapping[str, Any]) -> tuple[frozenset[int], frozenset[int]]:
    """Read who is withdrawn; raises ConfigError where a manifest tells it in a form unknown."""
    told = manifest.get("withdrawn", {})
    try:
        return frozenset(map(int, told.get("person_id", ()))), frozenset(
            map(int, told.get("note_id", ()))
        )
    except (AttributeError, TypeError, ValueError):
        problem = "tells of withdrawn patients in a form this version does not know"
        raise ConfigError("manifest: withdrawn", problem, "use the version that wrote it") from None

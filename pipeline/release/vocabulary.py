"""OHDSI's vocabulary tables of a release: shared concepts, copied from the source on request."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.config.settings import Settings
from pipeline.notes.worker_resources import resolve_urls
from pipeline.release.unit_files import PartFile
from pipeline.warehouse.databases import connect
from pipeline.warehouse.export_source import FORMATS
from pipeline.warehouse.vocabulary import (
    VOCABULARY_TABLES,
    Place,
    copy_vocabulary,
    count_shared,
    make_vocabulary_tables,
    read_shared,
)
from pipeline.warehouse.warehouse import PARQUET
from record.errors import ConfigError

_SETTING = "--vocabulary"


@dataclass(frozen=True)
class ReleaseVocabulary:
    """The vocabulary tables of a source that a release gets: rows by table, and their versions.

    Rows that name a concept of the site's own are left out. `versions` is a digest of the table
    `vocabulary`, which has the version of each.
    """

    source: Place
    versions: str
    rows: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return what the manifest has of it; where that is the same, no file is written anew."""
        return {"versions_sha256": self.versions, "rows": dict(self.rows)}

    def copy(self, output: Place) -> None:
        """Replace the tables of a database that differ; others are left as they are."""
        copy_vocabulary(self.source, output, _SETTING, is_shared=True)

    def write(self, path: Path, name: str) -> None:
        """Write the rows of a table to a file, as Parquet or JSON Lines by its suffix."""
        file = PartFile(path, make_vocabulary_tables(None)[name])
        try:
            for batch in read_shared(self.source, _SETTING, name):
                file.write_rows([tuple(row[each] for each in file.schema.names) for row in batch])
        finally:
            file.close()


@contextmanager
def open_vocabulary(settings: Settings, *, is_wanted: bool) -> Iterator[ReleaseVocabulary | None]:
    """Open the vocabulary of the source; None where it is not wanted.

    Raises ConfigError unless the source is a database with vocabulary tables.
    """
    if not is_wanted:
        yield None
        return
    source = resolve_urls(settings).source
    if source.url.startswith((PARQUET, *FORMATS)):
        problem = "vocabulary tables are copied from a database only"
        raise ConfigError(_SETTING, problem, "leave it out")
    engine = connect(source.url, settings.base, what="source.url", schema=source.schema)
    try:
        place = (engine, source.schema)
        rows = count_shared(place, _SETTING)
        yield ReleaseVocabulary(place, _digest_versions(place, rows), rows)
    finally:
        engine.dispose()


def _digest_versions(source: Place, rows: Mapping[str, int]) -> str:
    found = read_shared(source, _SETTING, "vocabulary") if "vocabulary" in rows else ()
    told = json.dumps([row for batch in found for row in batch], sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()


def list_vocabulary(manifest: Mapping[str, Any]) -> dict[str, int]:
    """Return the rows by vocabulary table that a manifest has; none where it is no manifest."""
    found = manifest.get("vocabulary")
    rows = found.get("rows") if isinstance(found, dict) else None
    known = rows.items() if isinstance(rows, dict) else ()
    return {name: int(count) for name, count in known if name in VOCABULARY_TABLES}

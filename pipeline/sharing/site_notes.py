"""The labelled notes of a site: files, or a release, cut into sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.config.settings import resolve_url
from pipeline.files.gold import read_annotated, read_label_map
from pipeline.release.released_notes import ReleaseLocation, open_release
from pipeline.sharing.site_encoding import Site, make_site
from record.document import Annotated
from record.errors import ConfigError


@dataclass(frozen=True)
class SiteReader:
    """How the notes of a site are read.

    With `release` they are those of one release, whose `manifest` and `schema` may lie elsewhere;
    otherwise they are annotated files. Labels are renamed by `label_map`, or are all one with
    `binary`. `environment` resolves `env:NAME`.
    """

    environment: Mapping[str, str]
    release: bool = False
    manifest: Path | None = None
    schema: str | None = None
    label_map: Path | None = None
    binary: bool = False

    def read(self, places: Sequence[str], warnings: list[str]) -> Site:
        """Read notes and cut them into sentences; raises ConfigError."""
        renamed = read_label_map(self.label_map) if self.label_map else {}
        return make_site(self._notes(places, warnings), renamed, binary=self.binary)

    def _notes(self, places: Sequence[str], warnings: list[str]) -> Iterator[Annotated]:
        if not self.release:
            for name in places:
                yield from read_annotated(Path(name), warnings)
            return
        if len(places) > 1:
            raise ConfigError("--notes", f"must be one release, not {len(places)}", "give one")
        where = resolve_url(places[0], self.environment, Path())
        yield from open_release(ReleaseLocation(where, self.manifest, self.schema)).notes()

"""Prepares a corpus that generators learn from: notes of a release, parted by patient."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.config.progress import Progress
from pipeline.config.settings import resolve_url
from pipeline.files.gold import read_annotated
from pipeline.release.released_notes import ReleaseLocation, open_release
from record.document import Annotated
from record.errors import ConfigError
from synthesis.corpus_splitting import SplitCorpus, split_notes, to_benchmark_form
from synthesis.markup import encode
from synthesis.prepared_corpus import save_corpus

FORMS = {"marked": encode, "benchmark": to_benchmark_form}
"""The forms of a corpus by name: entities between tags, or as in published corpora."""


@dataclass(frozen=True)
class CorpusRequest:
    """Where notes come from, where the corpus goes, and how it is made.

    `sources` is one release, or with `inside` files of annotated notes. `manifest` and `schema`
    belong to the release; `seed` decides which patients are held out.
    """

    sources: Sequence[str]
    out: Path
    manifest: Path | None = None
    schema: str | None = None
    inside: bool = False
    form: str = "marked"
    seed: int = 1
    lang: str = ""


@dataclass(frozen=True)
class PreparedCorpus:
    """The manifest of a corpus that was written, how its notes were parted, and warnings."""

    manifest: Mapping[str, Any]
    parting: SplitCorpus
    warnings: Sequence[str]


def prepare_corpus(
    request: CorpusRequest, environment: Mapping[str, str], progress: Progress
) -> PreparedCorpus:
    """Read notes and write the corpus.

    `environment` resolves `env:NAME`. Raises ConfigError where a release has no manifest.
    """
    warnings: list[str] = []
    progress.phase("reading")
    notes, origin = _open_source(request, environment, warnings)
    parting = split_notes(notes, seed=request.seed, encode_note=FORMS[request.form])
    progress.phase("writing")
    about = {**origin, "form": request.form, "seed": request.seed, "lang": request.lang}
    return PreparedCorpus(save_corpus(parting, request.out, about), parting, warnings)


def _open_source(
    request: CorpusRequest, environment: Mapping[str, str], warnings: list[str]
) -> tuple[Iterator[Annotated], Mapping[str, Any]]:
    """Return the notes, and what proves where they are from."""
    if request.inside:
        paths = [Path(name) for name in request.sources]
        digests = [_digest(path) for path in paths]
        notes = (note for path in paths for note in read_annotated(path, warnings))
        return notes, {"inside": True, "files": digests}
    if len(request.sources) > 1:
        problem = f"must be one release, not {len(request.sources)}"
        raise ConfigError("RELEASE", problem, "give one, or files with --inside")
    where = resolve_url(request.sources[0], environment, Path())
    location = ReleaseLocation(where, request.manifest, request.schema, request.lang)
    release = open_release(location)
    return release.notes(), release.origin


def _digest(path: Path) -> str:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    total = hashlib.sha256()
    for file in files:
        if file.is_file():
            total.update(file.read_bytes())
    return total.hexdigest()

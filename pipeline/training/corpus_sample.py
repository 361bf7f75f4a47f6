"""Draws notes from the source for a first corpus, with what detection finds in them.

Nothing has been released yet, nor detected: notes are read, extracted and searched as a run would,
and neither state database nor output is needed.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from extractors.document.options import Layout
from extractors.document_reader import DocumentReader
from pipeline.audit.formats import FORMATS
from pipeline.audit.private_files import MANIFEST, make_private_folder, parse_json, write_private
from pipeline.audit.review import SampleRequest, digest, draw_sample, join_title, list_kinds
from pipeline.config.progress import Progress
from pipeline.config.settings import Settings
from pipeline.files.annotation_parsing import read_text
from pipeline.night.dry_run import with_empty_state
from pipeline.night.nightly import check_documents_folder
from pipeline.notes.batch import Batch, BatchNote
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.stages import (
    attach_patients,
    detect_identifiers,
    extract_texts,
    fetch_documents,
    resolve_and_seal,
    start_batch,
)
from pipeline.notes.worker_resources import WorkerResources, open_master, open_resources
from pipeline.state.run_summary import Tally
from pipeline.warehouse.note_rows import Unit
from record.document import Annotated
from record.errors import ConfigError

PURPOSE = "corpus"
"""Purpose from which the key of digests and splits is derived."""

PASSES = ("first", "second")
"""Folders of the annotation passes, where two were asked for."""


@dataclass(frozen=True)
class ExtractedCounts:
    """The characters of a text, and how many spans of each label were detected in it."""

    characters: int
    detected: dict[str, int]


@dataclass(frozen=True)
class CorpusNote:
    """What is known of a note of a sample: how it was read, and the digest of its text.

    `after` counts the text that is annotated. `before` counts all text of a document's pages;
    None where the note is no document, or its pages could not be read so.
    """

    kind: str
    lang: str
    origin: str
    digest: str
    after: ExtractedCounts
    before: ExtractedCounts | None = None


@dataclass(frozen=True)
class CorpusSample:
    """A sample of the source: how it was drawn, and its notes by id.

    `strata` counts notes by kind; `refused` those that a run would send to quarantine, by reason.
    """

    drawn: str
    seed: str
    per_kind: int
    format: str
    detector_version: str
    strata: dict[str, dict[str, int]]
    refused: dict[str, int]
    notes: dict[str, CorpusNote]

    def summary(self) -> dict[str, Any]:
        """Return all but the notes, as an object for JSON."""
        return {name: value for name, value in asdict(self).items() if name != "notes"}


def sample_corpus(
    settings: Settings, request: SampleRequest, progress: Progress, *, passes: int = 1
) -> CorpusSample:
    """Draw notes of each kind from the source, and write them for annotators.

    The files contain original text, readable by their owner alone; for two passes each has a
    folder of its own (`PASSES`) with the same notes. Persons who object are left out. Drawn notes
    that a run would refuse are counted and not replaced. Raises ConfigError where the source has
    no notes, or the folder is not empty.
    """
    check_documents_folder(settings)
    make_private_folder(request.folder)
    master = open_master(settings)
    master.note(PURPOSE)
    key = master.derive(PURPOSE)
    with with_empty_state(settings) as apart, open_resources(apart, is_trial=True) as tools:
        progress.phase("drawing")
        size = settings.limits.notes_per_unit
        note_ids = (note_id for _, some in tools.source.plan(size) for note_id in some)
        kinds = list_kinds(note_ids, tools.source, settings.source)
        drawn = draw_sample(request.per_kind, request.seed, kinds)
        if not drawn.population:
            raise ConfigError("source", "contains no notes", "check source.url and source.schema")
        progress.phase("detecting")
        reader = _SampleReader(tools, key)
        pages = list(reader.read(drawn.note_ids, progress))
    sample = CorpusSample(
        drawn=datetime.now(UTC).isoformat(timespec="seconds"),
        seed=request.seed,
        per_kind=request.per_kind,
        format=request.format,
        detector_version=DETECTOR_VERSION,
        strata=drawn.count([page.document.kind for page in pages]),
        refused=dict(sorted(reader.refused.items())),
        notes=reader.notes,
    )
    folders = [request.folder / name for name in PASSES[:passes]] if passes > 1 else []
    for folder in folders:
        make_private_folder(folder)
    for folder in folders or [request.folder]:
        write_sample(folder, sample, pages, key)
    return sample


def write_sample(folder: Path, sample: CorpusSample, pages: list[Annotated], key: bytes) -> None:
    """Write notes of a sample into a private folder, in its format, with its manifest."""
    FORMATS[sample.format].write(folder, pages)
    body = asdict(sample)
    content = json.dumps(body | {"code": _sign(body, key)}, indent=1)
    write_private(folder / MANIFEST, content + "\n")


def read_manifest(folder: Path, key: bytes) -> CorpusSample:
    """Read the manifest of a sample; raises ConfigError unless this key signed it as it is."""
    path = folder / MANIFEST
    body = parse_json(str(path), read_text(path))
    code = body.pop("code", None) if isinstance(body, dict) else None
    if code is None or code != _sign(body, key):
        problem = "is not as `corpus sample` wrote it with this key"
        remedy = "restore it, and use the configuration of the sample"
        raise ConfigError(str(path), problem, remedy)
    notes = {note_id: _parse_note(note) for note_id, note in body.pop("notes").items()}
    return CorpusSample(**body, notes=notes)


def _sign(body: Mapping[str, Any], key: bytes) -> str:
    return digest(json.dumps(body, sort_keys=True), key).hex()


def _parse_note(fields: dict[str, Any]) -> CorpusNote:
    before = fields["before"]
    counts = {
        "after": ExtractedCounts(**fields["after"]),
        "before": before and ExtractedCounts(**before),
    }
    return CorpusNote(**(fields | counts))


@dataclass
class _SampleReader:
    """Reads drawn notes as a run does, up to their resolved spans."""

    tools: WorkerResources
    key: bytes = field(repr=False)
    notes: dict[str, CorpusNote] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)

    def read(self, note_ids: list[int], progress: Progress) -> Iterator[Annotated]:
        """Read notes with their spans, and keep what is known of them."""
        size = self.tools.settings.limits.notes_per_unit
        options = replace(self.tools.reader.options, layout=Layout.FULL)
        with ExitStack() as stack:
            reader = DocumentReader(self.tools.reader.limits, options)
            stack.enter_context(closing(reader))
            whole = replace(self.tools, reader=reader)
            done = 0
            for index, rows in enumerate(self.tools.source.pick(note_ids, size)):
                batch = start_batch(Unit(index, "", 0, 0, len(rows)), rows, self.tools)
                for stage in (attach_patients, fetch_documents):
                    batch = stage(batch, self.tools)
                before = self._count_whole_pages(batch, whole)
                batch = _detect(batch, self.tools)
                for refused in batch.refused:
                    self.refused[refused.failure.reason or refused.failure.error] += 1
                for item in batch.items:
                    yield self._keep(item, before.get(item.note_id))
                done += len(rows)
                progress.advance(done, len(note_ids))

    def _count_whole_pages(
        self, batch: Batch, whole: WorkerResources
    ) -> dict[str, ExtractedCounts]:
        """Count the text that documents have without segmentation."""
        documents = tuple(item for item in batch.items if item.data is not None)
        if self.tools.reader.options.layout is Layout.FULL or not documents:
            return {}
        found = _detect(replace(batch, items=documents, refused=(), tally=Tally()), whole)
        return {item.note_id: _count(join_title(item)) for item in found.items}

    def _keep(self, item: BatchNote, before: ExtractedCounts | None) -> Annotated:
        page = join_title(item)
        document = page.document
        origin = item.document.origin if item.document else ""
        self.notes[document.note_id] = CorpusNote(
            kind=document.kind,
            lang=document.lang,
            origin=origin,
            digest=digest(document.text, self.key).hex(),
            after=_count(page),
            before=before,
        )
        return page


def _detect(batch: Batch, tools: WorkerResources) -> Batch:
    for stage in (extract_texts, detect_identifiers, resolve_and_seal):
        batch = stage(batch, tools)
    return batch


def _count(page: Annotated) -> ExtractedCounts:
    labels = Counter(span.label for span in page.spans)
    return ExtractedCounts(len(page.document.text), dict(sorted(labels.items())))

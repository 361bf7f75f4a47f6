"""Draws random samples of released notes for manual review, and reads the corrections."""

import hashlib
import heapq
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from pipeline.audit.formats import FORMATS
from pipeline.audit.private_files import MANIFEST, make_private_folder, parse_json, write_private
from pipeline.config.progress import Progress
from pipeline.config.settings import Settings, SourceSettings
from pipeline.files.annotation_parsing import read_text
from pipeline.files.jsonl import dump_line, spans_to_json
from pipeline.night.nightly import check_documents_folder
from pipeline.notes.batch import BatchNote
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.stages import attach_patients, extract_texts, fetch_documents, start_batch
from pipeline.notes.stored_spans import load_stored_spans
from pipeline.notes.worker_resources import (
    WorkerResources,
    make_seal,
    open_master,
    open_resources,
    resolve_urls,
)
from pipeline.state.audit_records import AuditSample, SampledNote, open_audit_records
from pipeline.state.ledger import State
from pipeline.state.run_lock import make_run_lock
from pipeline.state.span_sealing import NoteFindings, Seal
from pipeline.warehouse.note_rows import Unit, name_kind
from pipeline.warehouse.warehouse import Source
from record.document import Annotated, Document
from record.errors import ConfigError, Unsafe
from record.span import Span

_PAGE = 5_000
_COLUMNS = ("note_id", "note_class_concept_id")


@dataclass(frozen=True)
class DrawnSample:
    """The drawn notes by kind, and the number of released notes of each kind."""

    notes: dict[str, list[int]]
    population: dict[str, int] = field(default_factory=dict)

    @property
    def note_ids(self) -> list[int]:
        """The drawn notes of all kinds, in order."""
        return sorted(note_id for ids in self.notes.values() for note_id in ids)

    def count(self, read: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return the numbers of each kind: in total, drawn, and `read`, a kind for each note."""
        return {
            kind: {"population": count, "drawn": len(self.notes[kind]), "read": read.count(kind)}
            for kind, count in self.population.items()
        }


def draw_sample(per_kind: int, seed: str, kinds: Iterable[tuple[int, str]]) -> DrawnSample:
    """Draw at most `per_kind` notes of each kind, without replacement.

    The notes with the smallest hashes of seed and id are drawn: a simple random sample within each
    kind that depends only on seed and notes, in one pass. `kinds` has each note once.
    """
    population: Counter[str] = Counter()
    smallest: dict[str, list[tuple[int, int]]] = {}
    for note_id, kind in kinds:
        population[kind] += 1
        heap = smallest.setdefault(kind, [])
        digest = hashlib.blake2b(f"{seed}\0{note_id}".encode(), digest_size=16).digest()
        entry = (-int.from_bytes(digest, "big"), note_id)
        if len(heap) < per_kind:
            heapq.heappush(heap, entry)
        else:
            heapq.heappushpop(heap, entry)
    notes = {kind: sorted(note_id for _, note_id in heap) for kind, heap in smallest.items()}
    return DrawnSample(dict(sorted(notes.items())), dict(sorted(population.items())))


def list_released_kinds(
    state: State, source: Source, settings: SourceSettings
) -> Iterator[tuple[int, str]]:
    """Stream the released notes that are still in the source, with their kinds."""
    return list_kinds(state.read_released_ids(), source, settings)


def list_kinds(
    note_ids: Iterator[int], source: Source, settings: SourceSettings
) -> Iterator[tuple[int, str]]:
    """Stream those of some notes that are in the source, with their kinds."""
    while page := list(islice(note_ids, _PAGE)):
        for row in source.store.lookup("note", _COLUMNS, "note_id", page):
            yield row["note_id"], name_kind(row.get("note_class_concept_id"), settings.kinds)


BETWEEN = "\n\n"
"""Separates a title from its text on a review page: both are released."""


@dataclass(frozen=True)
class ReviewPage:
    """A note with its detected spans, and the digest of the version that they were found in."""

    annotated: Annotated = field(repr=False)
    content: bytes

    @property
    def note_id(self) -> int:
        """The note's id in the source."""
        return int(self.annotated.document.note_id)

    @property
    def kind(self) -> str:
        """The kind of note."""
        return self.annotated.document.kind


def read_review_pages(tools: WorkerResources, note_ids: Collection[int]) -> Iterator[ReviewPage]:
    """Read notes with the spans that the nightly job stored; nothing is detected.

    Notes that have changed since, or can no longer be read, are left out.
    """
    size = tools.settings.limits.notes_per_unit
    for index, rows in enumerate(tools.source.pick(note_ids, size)):
        batch = start_batch(Unit(index, "", 0, 0, len(rows)), rows, tools)
        for stage in (attach_patients, fetch_documents, load_stored_spans, extract_texts):
            batch = stage(batch, tools)
        for item in batch.items:
            yield ReviewPage(join_title(item), item.content)


def join_title(item: BatchNote) -> Annotated:
    """Return title and text of a note as one page, with the spans of both.

    Raises Unsafe `not-extracted`.
    """
    document, title = item.document, item.title
    if document is None or title is None:
        raise Unsafe("not-extracted")
    head = title.text + BETWEEN if title.text else ""
    shifted = (
        replace(span, start=span.start + len(head), end=span.end + len(head)) for span in item.found
    )
    whole = Document(document.note_id, head + document.text, lang=document.lang, kind=document.kind)
    return Annotated(whole, (*item.title_found, *shifted))


def digest(text: str, key: bytes) -> bytes:
    """Hash a text under a key: changes are detected, and the text cannot be guessed."""
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=16, key=key[:64]).digest()


def split_at_line_breaks(spans: Collection[Span], text: str) -> tuple[Span, ...]:
    """Split spans at line breaks and trim them: some formats have no spans over several lines."""
    pieces = []
    for span in sorted(spans):
        start = span.start
        for line in text[span.start : span.end].splitlines(keepends=True):
            kept = line.strip()
            if kept:
                first = start + line.index(kept)
                pieces.append(replace(span, start=first, end=first + len(kept)))
            start += len(line)
    return tuple(dict.fromkeys(pieces))


_PURPOSE = "audit-digest"
_PART = "page"


@dataclass(frozen=True)
class CorrectedSample:
    """A reviewed sample: each note as detected and as corrected.

    `unseen` counts the notes of the sample that bear no reader's mark; they are not in `notes`.
    """

    sample: AuditSample
    notes: list[tuple[Annotated, Annotated]] = field(repr=False)
    unseen: int


@dataclass(frozen=True)
class SampleRequest:
    """Parameters of a sample to draw."""

    per_kind: int
    seed: str
    format: str
    folder: Path


def make_sample(settings: Settings, request: SampleRequest, progress: Progress) -> AuditSample:
    """Draw a sample of the released notes, write it for reviewers, and record it in the state.

    The files contain original text, readable by their owner alone. Drawn notes that have changed
    since the last run, or can no longer be read, are counted and not replaced: the next run
    processes them. Raises ConfigError where nothing was released, or the folder is not empty.
    """
    check_documents_folder(settings)
    make_private_folder(request.folder)
    with ExitStack() as stack:
        stack.enter_context(make_run_lock(resolve_urls(settings).state.url, settings.base))
        tools = stack.enter_context(open_resources(settings, release=settings.cohort))
        records = stack.enter_context(
            open_audit_records(resolve_urls(settings).state, settings.base)
        )
        progress.phase("drawing")
        kinds = list_released_kinds(tools.state, tools.source, settings.source)
        drawn = draw_sample(request.per_kind, request.seed, kinds)
        if not drawn.population:
            raise ConfigError("audit", "no note has been released", "run the nightly job first")
        progress.phase("reading")
        pages = list(read_review_pages(tools, drawn.note_ids))
        FORMATS[request.format].write(request.folder, [page.annotated for page in pages])
        sample = AuditSample(
            sample_id=0,
            drawn=datetime.now(UTC),
            seed=request.seed,
            per_kind=request.per_kind,
            format=request.format,
            strata=drawn.count([page.kind for page in pages]),
            about={
                "policy_id": tools.policy.policy_id,
                "key_id": tools.cohort.key_id,
                "detector_version": DETECTOR_VERSION,
                "config": tools.config.hex(),
            },
        )
        sample = records.add(sample, _seal_notes(pages, tools))
    write_private(request.folder / MANIFEST, json.dumps(_make_manifest(sample), indent=1) + "\n")
    return sample


def read_corrections(settings: Settings, path: Path) -> CorrectedSample:
    """Read a reviewed sample: its folder, or an export in the folder of its `sample.json`.

    Notes count that bear their reader's mark. Raises ConfigError where none does, and for a note
    that is not in the sample, or whose text has changed.
    """
    folder = path if path.is_dir() else path.parent
    number = _read_sample_id(folder / MANIFEST)
    master = open_master(settings)
    master.note("audit")
    key, seal = master.derive(_PURPOSE), make_seal(master)
    with open_audit_records(resolve_urls(settings).state, settings.base) as records:
        sample, known = records.sample(number), records.notes(number)
    form = FORMATS[sample.format]
    found = form.read(path)
    if not found:
        problem = f"none of the {len(known)} notes of the sample is marked as read"
        raise ConfigError(str(path), problem, f"{form.how_to_mark}; then export again")
    notes = [
        _match_note(note, form.locate(path, note.document.note_id), known, key=key, seal=seal)
        for note in found
    ]
    if len({corrected.document.note_id for _, corrected in notes}) < len(notes):
        raise ConfigError(str(path), "contains a note twice", "export the project once")
    return CorrectedSample(sample, notes, len(known) - len(notes))


def format_training_lines(corrected: Sequence[tuple[Annotated, Annotated]]) -> str:
    """Format corrected notes as the JSON Lines that `cryptonym train` reads."""
    lines = []
    for _, note in corrected:
        document = note.document
        record = {"note_id": document.note_id, "text": document.text, "note_type": document.kind}
        lines.append(dump_line(record | {"spans": spans_to_json(note.spans)}) + "\n")
    return "".join(lines)


def _seal_notes(pages: list[ReviewPage], tools: WorkerResources) -> list[SampledNote]:
    key = open_master(tools.settings).derive(_PURPOSE)
    found = []
    for page in pages:
        document = page.annotated.document
        hashed = digest(document.text, key)
        detected = NoteFindings({_PART: page.annotated.spans})
        sealed = tools.seal.close(document.note_id, hashed, detected)
        found.append(SampledNote(page.note_id, page.kind, page.content, hashed, sealed))
    return found


def _make_manifest(sample: AuditSample) -> dict[str, object]:
    return {
        "sample": sample.sample_id,
        "drawn": sample.drawn.isoformat(timespec="seconds"),
        "seed": sample.seed,
        "per_kind": sample.per_kind,
        "format": sample.format,
        "strata": sample.strata,
    }


def _read_sample_id(path: Path) -> int:
    found = parse_json(str(path), read_text(path))
    number = found.get("sample") if isinstance(found, dict) else None
    if not isinstance(number, int):
        remedy = "restore the file that `audit sample` wrote"
        raise ConfigError(str(path), "does not identify a sample", remedy)
    return number


def _match_note(
    note: Annotated, file: Path, known: dict[int, SampledNote], *, key: bytes, seal: Seal
) -> tuple[Annotated, Annotated]:
    name = note.document.note_id
    stored = known.get(int(name)) if name.lstrip("-").isdigit() else None
    if stored is None:
        problem = "a note is not in this sample, or was deleted at the source since"
        raise ConfigError(str(file), problem, "remove it from the export")
    text = note.document.text
    check_unchanged(note.document, file, stored.digest, key)
    detected = seal.open(name, stored.digest, stored.sealed).spans[_PART]
    document = replace(note.document, kind=stored.kind)
    return (
        Annotated(document, split_at_line_breaks(detected, text)),
        Annotated(document, split_at_line_breaks(note.spans, text)),
    )


def check_unchanged(document: Document, file: Path, written: bytes, key: bytes) -> None:
    """Raise ConfigError with the file unless the text has the digest of the text written there."""
    if digest(document.text, key) != written:
        problem = f"the text of note {document.note_id} was changed, so its offsets are invalid"
        remedy = "import the sample again and do not change its text"
        raise ConfigError(str(file), problem, remedy)

"""From a random sample to files for reviewers, and from their corrections back to spans."""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from pipeline.audit.formats import FORMATS
from pipeline.audit.pages import Page, digest, line_pieces, read_pages
from pipeline.audit.private_files import MANIFEST, make_private, parsed, write_private
from pipeline.audit.sampling import (
    draw,
    released_kinds,
)
from pipeline.config.progress import Progress
from pipeline.config.settings import Settings
from pipeline.files.annotations import read_text
from pipeline.files.jsonl import (
    dumped,
    listed,
)
from pipeline.night.nightly import check_documents
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.worker_resources import (
    Tools,
    make_seal,
    open_master,
    open_tools,
    settled,
)
from pipeline.state.audit_records import (
    Sample,
    SampledNote,
    open_records,
)
from pipeline.state.lock import run_lock
from pipeline.state.span_sealing import (
    Found,
    Seal,
)
from record.document import Annotated
from record.errors import ConfigError

_PURPOSE = "audit-digest"
_PART = "page"


@dataclass(frozen=True)
class Corrected:
    """What came back of a sample: each note as detected and as the reviewer left it.

    `unseen` counts the notes of the sample that nobody has looked at.
    """

    sample: Sample
    notes: list[tuple[Annotated, Annotated]] = field(repr=False)
    unseen: int


@dataclass(frozen=True)
class Request:
    """What sample is to be drawn."""

    per_kind: int
    seed: str
    format: str
    folder: Path


def make_sample(settings: Settings, request: Request, progress: Progress) -> Sample:
    """Draw a sample of the released notes, write it for reviewers, and store what was drawn.

    What is written is the original text, for its owner alone. Drawn notes that have changed since
    the last run, or cannot be read any more, are counted and not replaced by others: the next run
    sees to them. Raises ConfigError where nothing was released, or the folder is not empty.
    """
    check_documents(settings)
    make_private(request.folder)
    with ExitStack() as stack:
        stack.enter_context(run_lock(settled(settings).state.url, settings.base))
        tools = stack.enter_context(open_tools(settings, release=settings.cohort))
        records = stack.enter_context(open_records(settled(settings).state, settings.base))
        progress.phase("drawing")
        kinds = released_kinds(tools.state, tools.source, settings.source)
        drawn = draw(request.per_kind, request.seed, kinds)
        if not drawn.population:
            raise ConfigError("audit", "no note is released", "run the nightly job first")
        progress.phase("reading")
        chosen = sorted(note_id for ids in drawn.notes.values() for note_id in ids)
        pages = list(read_pages(tools, chosen))
        FORMATS[request.format].write(request.folder, [page.annotated for page in pages])
        sample = Sample(
            sample_id=0,
            drawn=datetime.now(UTC),
            seed=request.seed,
            per_kind=request.per_kind,
            format=request.format,
            strata=_strata(drawn.population, drawn.notes, pages),
            about={
                "policy_id": tools.policy.policy_id,
                "key_id": tools.cohort.key_id,
                "detector_version": DETECTOR_VERSION,
                "config": tools.config.hex(),
            },
        )
        sample = records.add(sample, _sampled(pages, tools))
    write_private(request.folder / MANIFEST, json.dumps(_manifest(sample), indent=1) + "\n")
    return sample


def read_corrections(settings: Settings, path: Path) -> Corrected:
    """Read what reviewers made of a sample: its folder, or an export beside its `sample.json`.

    Raises ConfigError for a note that is not of the sample, or whose text is not the exported one.
    """
    folder = path if path.is_dir() else path.parent
    number = _sample_id(folder / MANIFEST)
    master = open_master(settings)
    master.note("audit")
    key, seal = master.derive(_PURPOSE), make_seal(master)
    with open_records(settled(settings).state, settings.base) as records:
        sample, known = records.sample(number), records.notes(number)
    found = FORMATS[sample.format].read(path)
    notes = [_matched(note, known, key, seal) for note in found]
    if len({corrected.document.note_id for _, corrected in notes}) < len(notes):
        raise ConfigError(str(path), "holds a note twice", "export the project once")
    return Corrected(sample, notes, len(known) - len(notes))


def training_lines(corrected: Sequence[tuple[Annotated, Annotated]]) -> str:
    """Return corrected notes as the JSON Lines that `cryptonym train` takes."""
    lines = []
    for _, note in corrected:
        document = note.document
        record = {"note_id": document.note_id, "text": document.text, "note_type": document.kind}
        lines.append(dumped(record | {"spans": listed(note.spans)}) + "\n")
    return "".join(lines)


def _strata(
    population: dict[str, int], notes: dict[str, list[int]], pages: list[Page]
) -> dict[str, dict[str, int]]:
    read = [page.kind for page in pages]
    return {
        kind: {"population": count, "drawn": len(notes[kind]), "read": read.count(kind)}
        for kind, count in population.items()
    }


def _sampled(pages: list[Page], tools: Tools) -> list[SampledNote]:
    key = open_master(tools.settings).derive(_PURPOSE)
    found = []
    for page in pages:
        document = page.annotated.document
        hashed = digest(document.text, key)
        detected = Found({_PART: page.annotated.spans})
        sealed = tools.seal.close(document.note_id, hashed, detected)
        found.append(SampledNote(page.note_id, page.kind, page.content, hashed, sealed))
    return found


def _manifest(sample: Sample) -> dict[str, object]:
    return {
        "sample": sample.sample_id,
        "drawn": sample.drawn.isoformat(timespec="seconds"),
        "seed": sample.seed,
        "per_kind": sample.per_kind,
        "format": sample.format,
        "strata": sample.strata,
    }


def _sample_id(path: Path) -> int:
    found = parsed(str(path), read_text(path))
    number = found.get("sample") if isinstance(found, dict) else None
    if not isinstance(number, int):
        raise ConfigError(str(path), "names no sample", "keep the file that `audit sample` wrote")
    return number


def _matched(
    note: Annotated, known: dict[int, SampledNote], key: bytes, seal: Seal
) -> tuple[Annotated, Annotated]:
    name = note.document.note_id
    stored = known.get(int(name)) if name.lstrip("-").isdigit() else None
    if stored is None:
        problem = "a note is not of this sample, or was deleted at the source since"
        raise ConfigError("audit read", problem, "leave it out of the export")
    text = note.document.text
    if digest(text, key) != stored.digest:
        problem = f"the text of note {stored.note_id} is not the one that was exported"
        remedy = "its offsets mean nothing: import the sample again without changing its text"
        raise ConfigError("audit read", problem, remedy)
    detected = seal.open(name, stored.digest, stored.sealed).spans[_PART]
    document = replace(note.document, kind=stored.kind)
    return (
        Annotated(document, line_pieces(detected, text)),
        Annotated(document, line_pieces(note.spans, text)),
    )

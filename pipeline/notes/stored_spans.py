"""The stages of a cohort release: stored spans are unsealed and replaced, nothing is detected."""

from dataclasses import replace

from pipeline.notes.batch import Batch, BatchNote
from pipeline.notes.stages import (
    Stage,
    attach_patients,
    check_residue,
    extract_texts,
    fetch_documents,
    make_version,
    rewrite_notes,
    run_stage,
    set_language,
)
from pipeline.notes.worker_resources import WorkerResources
from pipeline.state.ledger import LedgerEntry, SealedSpans
from pipeline.state.tables import OUTCOMES, QUARANTINED, RELEASED
from record.errors import Unsafe


def load_stored_spans(batch: Batch, resources: WorkerResources) -> Batch:
    """Load the spans that the nightly job stored for these notes.

    If the text of a document was stored too, the document is not extracted again: the content
    hash covers its bytes and all that determines its extraction.

    Spans of earlier detectors are valid for as long as `WorkerResources.released` tells.

    Refuses with Unsafe `not-detected` notes that are not in the ledger, `quarantined` notes in
    quarantine, `stale-spans` notes whose row, document, patient or configuration changed since
    detection, and `not-published` notes that the nightly job has not published: the run was
    interrupted, or its quality gate holds it.
    """
    note_ids = [item.row.note_id for item in batch.items]
    entries, stored = resources.state.read_entries(note_ids), resources.state.read_sealed(note_ids)

    def step(item: BatchNote) -> BatchNote:
        note_id = item.row.note_id
        found_then = _check_current(item, entries.get(note_id), stored.get(note_id), resources)
        kept = resources.seal.open_findings(found_then.version, found_then.sealed)
        found, title_found = (tuple(kept.spans[part]) for part in ("text", "title"))
        read_by = resources.released[found_then.version.config]
        return replace(item, read=kept.read, found=found, title_found=title_found, read_by=read_by)

    return batch.apply("recall", step)


def _check_current(
    item: BatchNote,
    entry: LedgerEntry | None,
    stored: SealedSpans | None,
    resources: WorkerResources,
) -> SealedSpans:
    if entry is None:
        raise Unsafe("not-detected")
    if entry.outcome == OUTCOMES[QUARANTINED]:
        raise Unsafe("quarantined")
    if stored is None or entry.config not in resources.released:
        raise Unsafe("stale-spans")
    if (entry.content, entry.identity) != (item.content, item.identity):
        raise Unsafe("stale-spans")
    if entry.outcome != OUTCOMES[RELEASED]:
        raise Unsafe("not-published")
    # Spans and ledger are written together; they differ if only one of them was restored.
    if stored.version != make_version(item, entry.config):
        raise Unsafe("stale-spans")
    return stored


def set_languages(batch: Batch, resources: WorkerResources) -> Batch:
    """Set the language of the notes as detection did, since surrogates depend on it."""
    return batch.apply("language", lambda item: set_language(item, resources))


STAGES: tuple[tuple[str, Stage], ...] = (
    ("attach", attach_patients),
    ("fetch", fetch_documents),
    ("recall", load_stored_spans),
    ("extract", extract_texts),
    ("language", set_languages),
    ("rewrite", rewrite_notes),
    ("residue", check_residue),
)
"""The nightly job's stages with `recall` in place of detection, and before extraction, so that
notes without spans cost only a lookup, and stored texts of documents are not extracted again."""


def run_release_stages(batch: Batch, resources: WorkerResources) -> Batch:
    """Run all stages of a release on a batch that was read."""
    for name, stage in STAGES:
        batch = run_stage(name, stage, batch, resources)
    return batch

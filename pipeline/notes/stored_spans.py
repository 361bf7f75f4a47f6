"""The path of a note in a release: stored spans are unsealed and replaced, nothing is detected."""

from dataclasses import replace

from pipeline.notes.batch import Batch, Item
from pipeline.notes.stages import (
    Stage,
    attach,
    check_residue,
    extract,
    fetch,
    in_language,
    rewrite,
    timed,
)
from pipeline.notes.worker_resources import Tools
from pipeline.state.ledger import LedgerEntry, SealedSpans
from pipeline.state.tables import OUTCOMES, QUARANTINED, RELEASED
from record.errors import Unsafe


def recall(batch: Batch, tools: Tools) -> Batch:
    """Take the spans that the nightly job stored for these very notes; nothing is detected.

    Where it kept the text of a document, too, that is not read again: the content hash holds the
    bytes of the document and all that decides how it is read.

    Refuses with Unsafe `not-detected` what the ledger does not know, `quarantined` what the nightly
    job holds back, `stale-spans` where note, document, patient or configuration are not those
    that the spans were found with, and `not-published` where the nightly job has not published
    the note: the run was interrupted, or its quality gate holds it.
    """
    note_ids = [item.row.note_id for item in batch.items]
    entries, stored = tools.state.entries(note_ids), tools.state.sealed(note_ids)

    def step(item: Item) -> Item:
        note_id = item.row.note_id
        sealed = _current(item, entries.get(note_id), stored.get(note_id), tools)
        kept = tools.seal.open(item.note_id, item.content, sealed)
        found, title_found = (tuple(kept.spans[part]) for part in ("text", "title"))
        return replace(item, read=kept.read, found=found, title_found=title_found)

    return batch.each("recall", step)


def _current(
    item: Item, entry: LedgerEntry | None, stored: SealedSpans | None, tools: Tools
) -> bytes:
    if entry is None:
        raise Unsafe("not-detected")
    if entry.outcome == OUTCOMES[QUARANTINED]:
        raise Unsafe("quarantined")
    now = (item.content, item.identity, tools.config)
    if (entry.content, entry.identity, entry.config) != now or stored is None:
        raise Unsafe("stale-spans")
    if entry.outcome != OUTCOMES[RELEASED]:
        raise Unsafe("not-published")
    # Spans and ledger are written together; whoever restored one of them alone is found out.
    if (stored.content, stored.config) != (item.content, tools.config):
        raise Unsafe("stale-spans")
    return stored.sealed


def tell(batch: Batch, tools: Tools) -> Batch:
    """Return the language of the notes as detection did, since surrogates depend on it."""
    return batch.each("language", lambda item: in_language(item, tools))


STAGES: tuple[tuple[str, Stage], ...] = (
    ("attach", attach),
    ("fetch", fetch),
    ("recall", recall),
    ("extract", extract),
    ("language", tell),
    ("rewrite", rewrite),
    ("residue", check_residue),
)
"""Those of the nightly job, with `recall` in the place of detection; before the extraction, so
that a note without spans costs a look and no more, and a document whose text was kept is not read
again."""


def replay(batch: Batch, tools: Tools) -> Batch:
    """Take a batch that was read through all stages of a release."""
    for name, stage in STAGES:
        batch = timed(name, stage, batch, tools)
    return batch

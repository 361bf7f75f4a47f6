"""Compares notes with the ledger by what the source's database tells, without their texts."""

from collections.abc import Sequence

from pipeline.notes.batch import EMPTY_HASH
from pipeline.notes.people import extend_by_context
from pipeline.notes.worker_resources import WorkerResources
from pipeline.state.tables import OUTCOMES, STAGED
from pipeline.state.unit_results import LedgerEntry, RunningRun
from pipeline.warehouse.note_rows import UNTOUCHED, NoteRow, parse_integer


def find_unchanged(
    rows: Sequence[NoteRow], run: RunningRun, resources: WorkerResources
) -> dict[int, None]:
    """Return the notes whose digest, patient and configuration are those of the ledger, in order.

    `rows` have ids and digests only. Notes that were not touched since the run's date are compared
    by their configuration alone. Each person is read once in a run.
    """
    entries = resources.state.read_entries([row.note_id for row in rows])
    known = [
        (row, entry)
        for row in rows
        if (entry := entries.get(row.note_id)) is not None and is_valid(entry, resources)
    ]
    # A note that was refused without being read has no version to be the same as.
    unread = (b"", EMPTY_HASH)
    unchanged = {
        row.note_id
        for row, entry in known
        if row.digest == UNTOUCHED and entry.content not in unread
    }
    compared = [(row, entry) for row, entry in known if row.digest and entry.digest]
    source, people, keys = resources.source, resources.remembered, resources.keys
    people.complete([row for row, _ in compared], source, run.run_id)
    visits = source.visit_numbers({row.visit_occurrence_id for row, _ in compared})
    for row, entry in compared:
        number = visits.get(parse_integer(row.visit_occurrence_id) or 0)
        digest = extend_by_context(row.digest or b"", people.authors[row.provider_id], number)
        keyed = keys.key_row_digest(row.note_id, entry.content, digest)
        identity = keys.key_digest("identity", people.patients[row.person_id])
        if (keyed, identity) == (entry.digest, entry.identity):
            unchanged.add(row.note_id)
    return dict.fromkeys(sorted(unchanged))


def is_valid(entry: LedgerEntry, resources: WorkerResources, *, is_backfill: bool = False) -> bool:
    """Return whether the output of a note whose content is the same may stay as it is."""
    deferred = frozenset() if is_backfill else resources.stale
    is_deferred = entry.config in deferred and entry.outcome != OUTCOMES[STAGED]
    return entry.config == resources.config or is_deferred

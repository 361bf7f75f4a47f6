"""Persons who object: their list is checked, and their notes are withdrawn."""

from pipeline.config.settings import QualitySettings
from pipeline.night.withdrawals import make_released_id
from pipeline.quality.withdrawal_limit import compute_limit
from pipeline.state.ledger import State
from pipeline.warehouse.databases import chunks
from pipeline.warehouse.warehouse import Output, Source
from record.errors import CryptonymError
from surrogates.keys.keys import CohortKey

_CHUNK = 500


class ObjectionsLost(CryptonymError):
    """Many persons object no longer: nothing was read (exit code 1)."""


def check_objections(source: Source, state: State, settings: QualitySettings) -> None:
    """Raise ObjectionsLost if many fewer persons object than in the last run.

    A list that was emptied or cut off by mistake must not bring its persons back.
    """
    before, now = state.withdrawals.read_last_objections(), len(source.objecting)
    if before - now > compute_limit(before, settings):
        raise ObjectionsLost(
            f"source.objections: {now} persons object, {before} in the last run; nothing was read. "
            "Remedy: correct the list; if they have taken their objections back, run once with "
            "--accept-fewer-objections"
        )


def withdraw_objecting(source: Source, state: State, output: Output, cohort: CohortKey) -> int:
    """Remove the notes of objecting persons from output and state; return how many were released.

    No limit applies, since it is asked for. Notes that an interrupted or held run staged before
    the objection are removed too, so that they cannot be published.
    """
    if not source.objecting:
        return 0
    note_ids = set(source.hidden_notes) | state.withdrawals.find_notes_of(source.objecting)
    count = 0
    for some in chunks(sorted(note_ids), _CHUNK):
        known = sorted(state.find_known(some))
        count += len(state.withdrawals.keep_released(known))
        output.withdraw([make_released_id(cohort, note_id) for note_id in known])
        state.forget(known)
    output.prune_persons()
    return count

"""Withdrawal of the notes of persons who object, whatever run processed them."""

from pipeline.night.withdrawals import make_released_id
from pipeline.state.ledger import State
from pipeline.warehouse.databases import chunks
from pipeline.warehouse.warehouse import Output, Source
from surrogates.keys.keys import CohortKey

_CHUNK = 500


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

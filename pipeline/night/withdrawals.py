"""Withdrawals of a run: notes that were deleted at the source or refused leave the output."""

from array import array
from bisect import bisect_left
from collections.abc import Sequence

from pipeline.config.settings import QualitySettings
from pipeline.quality.withdrawal_limit import WithdrawalCounts, compute_limit, find_excesses
from pipeline.state.ledger import State
from pipeline.state.quality_store import Alarm
from pipeline.warehouse.databases import chunks
from pipeline.warehouse.warehouse import Output
from surrogates.keys.keys import CohortKey

_CHUNK = 500


def find_withdrawals(run_id: int, state: State) -> "array[int]":
    """Return the notes that this run would withdraw without having been asked to.

    They are in the output, and were deleted at the source or refused. Notes whose withdrawal
    an earlier run holds, or that were decided on, are left out.
    """
    found = array("q")
    for page in state.find_deleted(run_id):
        released = state.withdrawals.keep_released(page)
        decided = state.withdrawals.find_held(released, but_by=run_id)
        decided |= state.withdrawals.find_held(released, accepted=1)
        found.extend(each for each in released if each not in decided)
    known = set(found)
    for page in state.withdrawals.find_refused(run_id):
        found.extend(each for each in page if each not in known)
    return found


def judge_withdrawals(
    note_ids: Sequence[int],
    state: State,
    output: Output,
    *,
    cohort: CohortKey,
    settings: QualitySettings,
) -> tuple[Alarm, ...]:
    """Return the alarms of withdrawals that exceed the limit; a few need no look at the output."""
    few = min(settings.min_withdrawn, compute_limit(state.withdrawals.count_released(), settings))
    if len(note_ids) <= few:
        return ()
    counts = count_withdrawals(note_ids, state, output, cohort)
    return find_excesses(counts, settings)


def count_withdrawals(
    note_ids: Sequence[int], state: State, output: Output, cohort: CohortKey
) -> WithdrawalCounts:
    """Count these notes, and the persons who would have no note left, beside all in the output."""
    gone = array("q", sorted(make_released_id(cohort, note_id) for note_id in note_ids))
    touched: set[int] = set()
    kept: set[int] = set()
    for note_id, person_id in output.note_persons():
        (touched if contains(gone, note_id) else kept).add(person_id)
    return WithdrawalCounts(
        notes=len(note_ids),
        all_notes=state.withdrawals.count_released(),
        persons=len(touched - kept),
        all_persons=len(touched | kept),
    )


def hold_withdrawals(run_id: int, note_ids: Sequence[int], state: State) -> None:
    """Hold withdrawals until the run is accepted."""
    for some in chunks(note_ids, _CHUNK):
        state.withdrawals.hold(run_id, some)


def withdraw_deleted(run_id: int, state: State, output: Output, cohort: CohortKey) -> int:
    """Withdraw notes that were deleted at the source, unless that is held; return their number.

    Holds on notes that are in the source again are removed.
    """
    count = 0
    waiting: set[int] = set()
    for note_ids in state.find_deleted(run_id):
        held = state.withdrawals.find_held(note_ids)
        waiting |= held
        free = [note_id for note_id in note_ids if note_id not in held]
        output.withdraw([make_released_id(cohort, note_id) for note_id in free])
        state.forget(free)
        count += len(free)
    if state.scope(run_id) == "all":
        for note_ids in state.withdrawals.find_waiting():
            state.withdrawals.release_holds([each for each in note_ids if each not in waiting])
    return count


def withdraw_refused(state: State, output: Output, cohort: CohortKey) -> None:
    """Remove from the output earlier versions of notes that are now in quarantine.

    Those whose withdrawal is held stay.
    """
    for note_ids in state.find_withdrawable():
        output.withdraw([make_released_id(cohort, note_id) for note_id in note_ids])
        state.mark_withdrawn(note_ids)


def withdraw_rejected(state: State, output: Output, cohort: CohortKey) -> None:
    """Remove from the output earlier versions of the notes of rejected runs."""
    for note_ids in state.withdrawals.find_rejected():
        output.withdraw([make_released_id(cohort, note_id) for note_id in note_ids])
        state.mark_withdrawn(note_ids)


def withdraw_accepted(state: State, output: Output, cohort: CohortKey) -> int:
    """Carry out withdrawals that were held and then accepted; return their number."""
    count = 0
    for note_ids in state.withdrawals.find_accepted(deleted=True):
        output.withdraw([make_released_id(cohort, note_id) for note_id in note_ids])
        state.forget(note_ids)
        count += len(note_ids)
    for note_ids in state.withdrawals.find_accepted(deleted=False):
        output.withdraw([make_released_id(cohort, note_id) for note_id in note_ids])
        state.mark_withdrawn(note_ids)
        state.withdrawals.release_holds(note_ids)
        count += len(note_ids)
    return count


def make_released_id(cohort: CohortKey, note_id: int) -> int:
    """Return the id of a note in the output."""
    return cohort.pseudonym("note", str(note_id))


def contains(ordered: Sequence[int], number: int) -> bool:
    """Return whether a sorted sequence has a number."""
    place = bisect_left(ordered, number)
    return place < len(ordered) and ordered[place] == number

"""From the stage to the output: publish what was reconciled, withdraw what must not stay."""

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from pipeline.state.ledger import State
from pipeline.warehouse.databases import chunks
from pipeline.warehouse.note_rows import unpack
from pipeline.warehouse.warehouse import Output
from surrogates.keys.keys import CohortKey

_CHUNK = 500


def publish(run_id: int, state: State, output: Output, cohort: CohortKey) -> int:
    """Bring the output to what the run decided; returns the number of notes deleted at the source.

    Each step is idempotent and marked in the state database after the output has it, so that a
    run that was killed in the middle goes on from there.
    """
    publish_staged(state, output)
    withdraw_refused(state, output, cohort)
    deleted = 0
    for note_ids in state.tombstones(run_id):
        output.withdraw([released_id(cohort, note_id) for note_id in note_ids])
        state.forget(note_ids)
        deleted += len(note_ids)
    output.prune_persons()
    return deleted


def publish_staged(state: State, output: Output, *, only: int | None = None) -> int:
    """Put staged notes that are not held into the output; returns how many there were.

    `only` names a run that was held and is accepted: its notes, and no others.
    """
    count = 0
    while staged := state.staged(limit=_CHUNK, accepted=only):
        output.publish([unpack(note.payload) for note in staged])
        state.published([note.note_id for note in staged])
        count += len(staged)
    return count


def withdraw_refused(state: State, output: Output, cohort: CohortKey) -> None:
    """Take earlier releases of notes that are now in quarantine out of the output."""
    for note_ids in state.to_withdraw():
        output.withdraw([released_id(cohort, note_id) for note_id in note_ids])
        state.withdrawn(note_ids)


def read_back(state: State, output: Output, cohort: CohortKey) -> bool:
    """Return whether the output holds exactly the notes that the ledger calls released, by id.

    Both sides are streamed: counts and order-free sums of hashed ids are compared.
    """
    expected = _fingerprint(released_id(cohort, note_id) for note_id in state.released_ids())
    return expected == _fingerprint(output.ids())


def withdraw_strays(state: State, output: Output, cohort: CohortKey) -> int:
    """Take out of the output what the ledger does not call released; returns how many notes.

    There is nothing of the kind unless a state of an earlier day was put back: it neither knows
    what was released since, nor could it ever withdraw it. Holds eight bytes a released note.
    """
    known = array("q", sorted(released_id(cohort, note_id) for note_id in state.released_ids()))
    strays = [note_id for note_id in output.ids() if not _holds(known, note_id)]
    for some in chunks(strays, _CHUNK):
        output.withdraw(some)
    output.prune_persons()
    return len(strays)


def _holds(ordered: Sequence[int], number: int) -> bool:
    place = bisect_left(ordered, number)
    return place < len(ordered) and ordered[place] == number


def released_id(cohort: CohortKey, note_id: int) -> int:
    """Return the id that a note carries in the output."""
    return cohort.pseudonym("note", str(note_id))


def _fingerprint(note_ids: Iterable[int]) -> tuple[int, int]:
    count = total = 0
    for hashed in _hashes(note_ids):
        count += 1
        total = (total + hashed) % 2**128
    return count, total


def _hashes(note_ids: Iterable[int]) -> Iterator[int]:
    for note_id in note_ids:
        digest = hashlib.blake2b(note_id.to_bytes(8, "big", signed=True), digest_size=16).digest()
        yield int.from_bytes(digest, "big")

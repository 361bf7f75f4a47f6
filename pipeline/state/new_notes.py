"""Search for new notes, which have no ledger entry, for small batches between full runs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipeline.state.ledger import State
from pipeline.warehouse.note_rows import Unit
from pipeline.warehouse.warehouse import Source

NOTES_PER_UNIT = 50
"""Notes per unit; the known notes of a unit with a new one are read again."""

_LOOKUP_SIZE = 500
"""Number of ids looked up in the ledger at a time."""

PlannedUnit = tuple[Unit, list[int]]


def find_new_units(source: Source, state: State, most: int) -> Iterator[PlannedUnit]:
    """Return the units with new notes, in order of the source, up to about `most` new notes.

    At least one unit is returned, whatever its size. Reads all ids of the source, but no notes.
    """
    found = index = 0
    for (unit, note_ids), new in _count_new_notes(source, state, min(NOTES_PER_UNIT, most)):
        if not new:
            continue
        if found and found + new > most:
            return
        yield replace(unit, index=index), note_ids
        found, index = found + new, index + 1


def has_new_notes(source: Source, state: State) -> bool:
    """Return whether the source has a note without a ledger entry."""
    return any(new for _, new in _count_new_notes(source, state, _LOOKUP_SIZE))


def _count_new_notes(source: Source, state: State, size: int) -> Iterator[tuple[PlannedUnit, int]]:
    """Return each unit with its number of new notes."""
    waiting: list[PlannedUnit] = []
    for planned in source.plan(size):
        waiting.append(planned)
        if sum(len(note_ids) for _, note_ids in waiting) >= _LOOKUP_SIZE:
            yield from _look_up_units(waiting, state)
            waiting = []
    yield from _look_up_units(waiting, state)


def _look_up_units(units: Sequence[PlannedUnit], state: State) -> Iterator[tuple[PlannedUnit, int]]:
    known = state.find_known([note_id for _, note_ids in units for note_id in note_ids])
    for unit, note_ids in units:
        yield (unit, note_ids), sum(note_id not in known for note_id in note_ids)

"""The notes of a source that the ledger has never seen, for small batches between two nights."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipeline.state.ledger import State
from pipeline.warehouse.note_rows import Unit
from pipeline.warehouse.warehouse import Source

UNIT = 50
"""Notes of a unit, known ones included: they are read again where a new one stands among them."""

_LOOK = 500
"""Ids that the ledger is asked for at a time."""

Planned = tuple[Unit, list[int]]


def find_new(source: Source, state: State, most: int) -> Iterator[Planned]:
    """Return the units that hold a new note, in order of the source, as far as `most` new ones.

    One unit at least, however many it holds. Costs a look at every id of the source, not at its
    notes.
    """
    found = index = 0
    for (unit, note_ids), new in _counted(source, state, min(UNIT, most)):
        if not new:
            continue
        if found and found + new > most:
            return
        yield replace(unit, index=index), note_ids
        found, index = found + new, index + 1


def has_new(source: Source, state: State) -> bool:
    """Return whether there is any note that the ledger has never seen."""
    return any(new for _, new in _counted(source, state, _LOOK))


def _counted(source: Source, state: State, size: int) -> Iterator[tuple[Planned, int]]:
    """Return each unit with the number of its notes that are new."""
    waiting: list[Planned] = []
    for planned in source.plan(size):
        waiting.append(planned)
        if sum(len(note_ids) for _, note_ids in waiting) >= _LOOK:
            yield from _told(waiting, state)
            waiting = []
    yield from _told(waiting, state)


def _told(units: Sequence[Planned], state: State) -> Iterator[tuple[Planned, int]]:
    known = state.known([note_id for _, note_ids in units for note_id in note_ids])
    for unit, note_ids in units:
        yield (unit, note_ids), sum(note_id not in known for note_id in note_ids)

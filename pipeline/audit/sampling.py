"""Draws released notes at random, as many of each kind, so that anybody can draw them again."""

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from pipeline.config.settings import SourceSettings
from pipeline.state.ledger import State
from pipeline.warehouse.warehouse import Source

_PAGE = 5_000
_COLUMNS = ("note_id", "note_class_concept_id")


@dataclass(frozen=True)
class Drawn:
    """The notes that were drawn, by kind, and how many released notes of each kind there were."""

    notes: dict[str, list[int]]
    population: dict[str, int] = field(default_factory=dict)


def draw(per_kind: int, seed: str, kinds: Iterable[tuple[int, str]]) -> Drawn:
    """Draw at most so many notes of each kind, without replacement.

    The notes with the smallest hashes of seed and id: a simple random sample within each kind that
    depends on nothing but seed and notes, found in one pass. `kinds` gives each note once.
    """
    population: Counter[str] = Counter()
    smallest: dict[str, list[tuple[int, int]]] = {}
    for note_id, kind in kinds:
        population[kind] += 1
        heap = smallest.setdefault(kind, [])
        entry = (-_rank(seed, note_id), note_id)
        if len(heap) < per_kind:
            heapq.heappush(heap, entry)
        else:
            heapq.heappushpop(heap, entry)
    notes = {kind: sorted(note_id for _, note_id in heap) for kind, heap in smallest.items()}
    return Drawn(dict(sorted(notes.items())), dict(sorted(population.items())))


def released_kinds(
    state: State, source: Source, settings: SourceSettings
) -> Iterator[tuple[int, str]]:
    """Stream the released notes with their kinds; what has left the source is left out."""
    released = state.released_ids()
    while page := list(islice(released, _PAGE)):
        for row in source.store.lookup("note", _COLUMNS, "note_id", page):
            concept = row.get("note_class_concept_id")
            yield row["note_id"], settings.kinds.get(str(concept), f"class-{concept or 0}")


def _rank(seed: str, note_id: int) -> int:
    digest = hashlib.blake2b(f"{seed}\0{note_id}".encode(), digest_size=16).digest()
    return int.from_bytes(digest, "big")

"""The units of a release: ranges of released person ids, each with the notes of its persons."""

from collections.abc import Iterable, Iterator

from pipeline.notes.worker_resources import WorkerResources
from pipeline.release.draft import ReleaseUnit
from pipeline.warehouse.databases import chunks
from pipeline.warehouse.parquet_source import ParquetStore
from pipeline.warehouse.warehouse import Source

_BITS = 62
"""Released ids are below 2**62: see docs/surrogates.md."""
_PERSONS = 2_000
_OF_FOLDERS = 16
_MOST = 14
EVERYTHING = (0, 2**_BITS - 1)
"""The range of a unit that is about no patients."""


def find_persons(source: Source, asked: Iterable[int]) -> list[int]:
    """Return which of these persons the source has."""
    known: list[int] = []
    for some in chunks(sorted(asked), _PERSONS):
        known += source.demographics(some)
    return known


def count_units(tools: WorkerResources, persons: int) -> int:
    """Return the number of units, a power of two: it depends on the number of persons alone.

    So one person more changes one unit. Files of Parquet are gone through once for each unit:
    it is larger there.
    """
    size = max(1, tools.settings.limits.notes_per_unit // 2)
    if isinstance(tools.source.store, ParquetStore):
        size *= _OF_FOLDERS
    wanted = -(-persons // size)
    return 1 << min((wanted - 1).bit_length() if wanted else 0, _MOST)


def plan_units(tools: WorkerResources, persons: list[int], count: int) -> Iterator[ReleaseUnit]:
    """Cut a cohort into units, those without persons among them: what they held is withdrawn."""
    cohort = tools.cohort
    placed = sorted((cohort.pseudonym("person", str(person)), person) for person in persons)
    at = 0
    for index in range(count):
        shift = _BITS - (count.bit_length() - 1)
        low, high = index << shift, ((index + 1) << shift) - 1
        mine: list[int] = []
        while at < len(placed) and placed[at][0] <= high:
            mine.append(placed[at][1])
            at += 1
        notes = [note for some in chunks(mine, _PERSONS) for note in tools.source.note_ids(some)]
        yield ReleaseUnit(index, low, high, mine, notes)


def units_of_range(low: int, high: int, count: int) -> range:
    """Name the units of a plan of `count` that hold the ids of an inclusive range."""
    shift = _BITS - (count.bit_length() - 1)
    return range(low >> shift, (high >> shift) + 1)

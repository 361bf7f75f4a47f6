"""Divides a release into units: ranges of released person ids, with the notes of their persons."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from pipeline.notes.worker_resources import WorkerResources
from pipeline.release.staging import ReleaseUnit
from pipeline.warehouse.databases import chunks
from pipeline.warehouse.export_source import ExportStore
from pipeline.warehouse.parquet_source import ParquetStore
from pipeline.warehouse.warehouse import Source

_PERSONS = 2_000
_FILES_FACTOR = 16
_MOST_BITS = 14
FULL_RANGE = (0, 2**62 - 1)
"""The id range of the units of tables without patients."""
_LEAST, _MOST = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class KeyRange:
    """One of the ranges, inclusive, that the keys of a table are divided into."""

    index: int
    low: int
    high: int


def divide_keys(bits: int, count: int) -> list[KeyRange]:
    """Divide keys in [0, 2**bits) into ranges of one size; `count` is a power of two.

    The first and the last range have all other keys, too.
    """
    shift = bits - (count.bit_length() - 1)
    edges = [_LEAST, *((index << shift) for index in range(1, count)), _MOST + 1]
    return [KeyRange(index, edges[index], edges[index + 1] - 1) for index in range(count)]


def find_persons(source: Source, person_ids: Iterable[int]) -> list[int]:
    """Return which of these persons are in the source."""
    known: list[int] = []
    for some in chunks(sorted(person_ids), _PERSONS):
        known += source.demographics(some)
    return known


def count_units(tools: WorkerResources, persons: int) -> int:
    """Return the number of units, a power of two that depends only on the number of persons.

    Thus one more person changes one unit. Files are scanned once per unit, so that units are
    larger there.
    """
    size = max(1, tools.settings.limits.notes_per_unit // 2)
    if isinstance(tools.source.store, ParquetStore | ExportStore):
        size *= _FILES_FACTOR
    wanted = -(-persons // size)
    return 1 << min((wanted - 1).bit_length() if wanted else 0, _MOST_BITS)


def plan_units(tools: WorkerResources, persons: list[int], count: int) -> Iterator[ReleaseUnit]:
    """Divide a cohort into units, empty ones included, so that their old rows are withdrawn."""
    cohort = tools.cohort
    drawn = cohort.pseudonyms("person", np.array(persons, np.int64)).tolist()
    placed, bits = sorted(zip(drawn, persons, strict=True)), cohort.id_bits
    at = 0
    for index in range(count):
        shift = bits - (count.bit_length() - 1)
        low, high = index << shift, ((index + 1) << shift) - 1
        mine: list[int] = []
        while at < len(placed) and placed[at][0] <= high:
            mine.append(placed[at][1])
            at += 1
        notes = [note for some in chunks(mine, _PERSONS) for note in tools.source.note_ids(some)]
        yield ReleaseUnit(index, low, high, mine, notes)


def units_of_range(low: int, high: int, count: int) -> range:
    """Return which of `count` units of persons hold the ids of an inclusive range.

    The ids are those of the first version of the surrogate algorithm.
    """
    shift = FULL_RANGE[1].bit_length() - (count.bit_length() - 1)
    return range(low >> shift, (high >> shift) + 1)

"""The backfill: notes that earlier detectors read are detected again, some of them each night."""

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil
from typing import Any

from pipeline.config.settings import PersonsSettings, Settings
from pipeline.night.withdrawals import contains
from pipeline.notes.worker_resources import resolve_urls
from pipeline.state.ledger import State
from pipeline.state.tables import pack_ids, unpack_ids
from pipeline.warehouse.note_rows import Unit
from pipeline.warehouse.person_lists import parse_person_ids, query_person_ids, read_text
from pipeline.warehouse.warehouse import Source

OTHERS = "others"
"""Name of the notes that belong to no cohort of the order."""

_PERSONS = 500


@dataclass(frozen=True)
class BackfillPlan:
    """The units of a backfill, a cohort after another; `ids` are the packed notes of each.

    `starts` are the index of the first unit of each cohort, and at the end the number of units.
    """

    cohorts: tuple[str, ...]
    starts: tuple[int, ...]
    units: Sequence[Unit] = field(repr=False)
    ids: Sequence[bytes] = field(repr=False)

    def planned(self) -> Iterator[tuple[Unit, list[int]]]:
        """Return each unit with its note ids, as `State.plan` stores them."""
        for unit, packed in zip(self.units, self.ids, strict=True):
            yield unit, unpack_ids(packed)

    def parts(self) -> Iterator[tuple[str, int, int]]:
        """Return each cohort with its first unit and that after its last."""
        for name, (first, before) in zip(self.cohorts, pairwise(self.starts), strict=True):
            yield name, first, before

    def count(self, first: int, before: int) -> int:
        """Count the notes in a range of units."""
        return sum(unit.count for unit in self.units[first:before])


def plan_backfill(
    source: Source, state: State, settings: Settings, configs: Collection[bytes]
) -> BackfillPlan:
    """Find the notes of the source that were last read under these configurations.

    A unit has notes of one cohort; a note of several belongs to the first in the order. Raises
    ConfigError where the persons of a cohort cannot be read.
    """
    cohorts = [(name, _find_notes(name, source, settings)) for name in settings.backfill.order]
    found: list[list[tuple[Unit, bytes]]] = [[] for _ in range(len(cohorts) + 1)]
    for unit, note_ids in source.plan(settings.limits.notes_per_unit):
        stale = sorted(state.detections.find_stale(note_ids, configs))
        for place, (_, members) in enumerate(cohorts):
            mine = [note_id for note_id in stale if contains(members, note_id)]
            _add(found[place], unit, mine)
            stale = sorted(set(stale).difference(mine))
        _add(found[-1], unit, stale)
    ordered = [pair for some in found for pair in some]
    sizes = [len(some) for some in found]
    return BackfillPlan(
        cohorts=(*settings.backfill.order, OTHERS),
        starts=tuple(sum(sizes[:place]) for place in range(len(sizes) + 1)),
        units=[replace(unit, index=index) for index, (unit, _) in enumerate(ordered)],
        ids=[packed for _, packed in ordered],
    )


def _add(units: list[tuple[Unit, bytes]], unit: Unit, note_ids: Sequence[int]) -> None:
    if note_ids:
        units.append((replace(unit, count=len(note_ids)), pack_ids(note_ids)))


def _find_notes(name: str, source: Source, settings: Settings) -> "array[int]":
    """Return the sorted ids of the notes of a cohort's persons."""
    persons = settings.cohorts[name].persons or PersonsSettings()
    setting = f"cohorts.{name}.persons"
    if persons.sql:
        where = resolve_urls(settings).source
        ids = list(query_person_ids(persons.sql, where, settings.base, setting))
    else:
        ids = parse_person_ids(read_text(settings.base / str(persons.file), setting), setting)
    found = array("q")
    distinct = sorted(set(ids))
    for start in range(0, len(distinct), _PERSONS):
        found.extend(source.note_ids(distinct[start : start + _PERSONS]))
    return array("q", sorted(found))


@dataclass(frozen=True)
class BackfillProgress:
    """What a backfill has done in a night, and what is left; `cohorts` in their order.

    `seconds` is the time it took; `left` counts notes that earlier detectors read.
    """

    minutes: float
    seconds: float
    done: Mapping[str, int]
    left: Mapping[str, int]

    @property
    def hours_left(self) -> float | None:
        """The estimated time for what is left; None while its speed is unknown."""
        done, left = sum(self.done.values()), sum(self.left.values())
        if not left:
            return 0.0
        return left * self.seconds / done / 3600 if done else None

    @property
    def nights_left(self) -> int | None:
        """The estimated number of further nights; None while it is unknown."""
        hours = self.hours_left
        if hours is None or (hours and not self.minutes):
            return None
        return ceil(hours * 60 / self.minutes) if hours else 0

    def to_json(self) -> dict[str, Any]:
        """Return the progress as an object for JSON."""
        return {
            "minutes": self.minutes,
            "seconds": self.seconds,
            "done": sum(self.done.values()),
            "left": sum(self.left.values()),
            "hours_left": self.hours_left,
            "nights_left": self.nights_left,
            "cohorts": [
                {"cohort": name, "done": self.done[name], "left": left}
                for name, left in self.left.items()
            ],
        }

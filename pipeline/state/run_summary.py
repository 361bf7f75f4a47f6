"""Tallies and summary of a run: mergeable counts by label, kind and day, never text."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from pipeline.config.energy import Energy
from pipeline.state.quality_counts import CellCounts, pack_cells, unpack_cells
from record.algorithms import ALGORITHM
from record.document import Document
from record.failure import Failure
from record.release import Release

MAX_SAMPLES = 10
"""Number of note ids kept per cause of quarantine."""

UNDATED = "undated"
NO_KIND = "other"
MAX_KIND_CHARACTERS = 40
"""A longer kind may be a typed title, which can name a patient: it counts as `other`."""

_DIGEST_BITS = 128


class Outcome(StrEnum):
    """Outcome of a note in a run, and stages on the way to it."""

    PLANNED = "planned"
    READ = "read"
    RELEASED = "released"
    UNCHANGED = "unchanged"
    QUARANTINED = "quarantined"
    DELETED = "deleted"


@dataclass
class Tally:
    """Counters of a batch, a worker or a run.

    `merge` is associative and commutative with `Tally()` as its neutral element, so that batches
    may arrive in any order and any grouping. Durations are whole microseconds because a sum of
    floats depends on the order. `digest` is the sum modulo 2**128 of one hash for each released
    note: equal for equal outputs, in whatever order they were written.

    `spans` counts by (label, kind of note, day written), `notes` the released notes by (kind,
    day), `quality` documents, refused ones included, by (kind, quality rounded down to tenths);
    `recognized` the pages read by OCR; `quarantine` the refused notes by (stage, error, reason,
    kind); `samples` keeps the smallest note ids per cause, at most `MAX_SAMPLES`. `cells` are the
    counts of the quality gate.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    characters: int = 0
    notes_without_spans: int = 0
    notes: Counter[tuple[str, str]] = field(default_factory=Counter)
    spans: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    detectors: Counter[str] = field(default_factory=Counter)
    quality: Counter[tuple[str, str]] = field(default_factory=Counter)
    recognized: int = 0
    quarantine: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    samples: dict[tuple[str, str, str, str], tuple[str, ...]] = field(default_factory=dict)
    microseconds: Counter[str] = field(default_factory=Counter)
    peak_memory: dict[str, int] = field(default_factory=dict)
    digest: int = 0
    cells: CellCounts = field(default_factory=Counter)

    def add(self, outcome: Outcome, count: int = 1) -> None:
        """Count notes whose outcome needs no detail (planned, read, unchanged, deleted)."""
        self.outcomes[outcome.value] += count

    def add_release(self, document: Document, release: Release) -> None:
        """Count a released note and its replaced spans."""
        kind, day = _normalize_kind(document.kind), _format_day(document.written)
        self.outcomes[Outcome.RELEASED.value] += 1
        self.characters += len(document.text)
        self.notes_without_spans += not release.spans
        self.notes[kind, day] += 1
        for span in release.spans:
            self.spans[span.label, kind, day] += 1
            self.detectors[span.detector] += 1
        row = hashlib.blake2b(digest_size=_DIGEST_BITS // 8)
        # The length distinguishes "1" + "2 mg" from "12" + " mg".
        for part in (str(len(release.note_id)), ":", release.note_id, release.text):
            row.update(part.encode("utf-8", "surrogatepass"))
        self.digest = (self.digest + int.from_bytes(row.digest())) % 2**_DIGEST_BITS

    def add_failure(self, failure: Failure, kind: str = "") -> None:
        """Count a note in quarantine under its cause."""
        cause = (failure.stage, failure.error, failure.reason, _normalize_kind(kind))
        self.outcomes[Outcome.QUARANTINED.value] += 1
        self.quarantine[cause] += 1
        self.samples[cause] = _keep_smallest((*self.samples.get(cause, ()), failure.note_id))

    def add_extraction(self, kind: str, score: float, *, recognized: int) -> None:
        """Count an extracted document by its quality from 0 to 1, and its pages read by OCR."""
        self.quality[_normalize_kind(kind), f"{min(int(score * 10), 9) / 10:.1f}"] += 1
        self.recognized += recognized

    def add_seconds(self, stage: str, seconds: float) -> None:
        """Count the time a stage took."""
        self.microseconds[stage] += round(seconds * 1_000_000)

    def add_memory(self, worker: str, kilobytes: int) -> None:
        """Record the peak memory of a worker; the largest value is kept."""
        self.peak_memory[worker] = max(kilobytes, self.peak_memory.get(worker, 0))

    def merge(self, other: "Tally") -> "Tally":
        """Return the sum of both tallies; neither is changed."""
        causes = self.samples.keys() | other.samples.keys()
        workers = self.peak_memory.keys() | other.peak_memory.keys()
        return Tally(
            outcomes=self.outcomes + other.outcomes,
            characters=self.characters + other.characters,
            notes_without_spans=self.notes_without_spans + other.notes_without_spans,
            notes=self.notes + other.notes,
            spans=self.spans + other.spans,
            detectors=self.detectors + other.detectors,
            quality=self.quality + other.quality,
            recognized=self.recognized + other.recognized,
            quarantine=self.quarantine + other.quarantine,
            samples={
                cause: _keep_smallest(self.samples.get(cause, ()) + other.samples.get(cause, ()))
                for cause in causes
            },
            microseconds=self.microseconds + other.microseconds,
            peak_memory={
                worker: max(self.peak_memory.get(worker, 0), other.peak_memory.get(worker, 0))
                for worker in workers
            },
            digest=(self.digest + other.digest) % 2**_DIGEST_BITS,
            cells=self.cells + other.cells,
        )

    def group_by_month(self, most_days: int = 31) -> "Tally":
        """Return counts by month (as its first day) if there are more days than `most_days`.

        The notes of most nights span few days; those of the first night may span ten years, and
        counts by day would then take as much space as the notes.
        """
        days = {day for _, day in self.notes} | {day for _, _, day in self.spans}
        if len(days) <= most_days:
            return self
        cells: CellCounts = Counter()
        for cell, count in self.cells.items():
            cells[cell._replace(day="")] += count
        notes: Counter[tuple[str, str]] = Counter()
        spans: Counter[tuple[str, str, str]] = Counter()
        for (kind, day), count in self.notes.items():
            notes[kind, _first_of_month(day)] += count
        for (label, kind, day), count in self.spans.items():
            spans[label, kind, _first_of_month(day)] += count
        return replace(self, notes=notes, spans=spans, cells=cells)

    def to_json(self) -> dict[str, Any]:
        """Return an object for JSON with sorted rows; equal tallies give equal objects."""
        return {
            "outcomes": _to_object(self.outcomes),
            "characters": self.characters,
            "notes_without_spans": self.notes_without_spans,
            "notes": _to_rows(self.notes),
            "spans": _to_rows(self.spans),
            "detectors": _to_object(self.detectors),
            "quality": _to_rows(self.quality),
            "recognized": self.recognized,
            "quarantine": [
                [*cause, count, list(self.samples.get(cause, ()))]
                for cause, count in sorted(self.quarantine.items())
                if count
            ],
            "microseconds": _to_object(self.microseconds),
            "peak_memory": dict(sorted(self.peak_memory.items())),
            "digest": f"{self.digest:032x}",
            "cells": pack_cells(self.cells),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Tally":
        """Return a tally from `to_json`; raises KeyError, TypeError or ValueError if malformed."""
        causes = [(_read_cause(row), int(row[4]), row[5]) for row in record["quarantine"]]
        return cls(
            outcomes=_read_counter(record["outcomes"]),
            characters=int(record["characters"]),
            notes_without_spans=int(record["notes_without_spans"]),
            notes=Counter({(str(k), str(day)): int(n) for k, day, n in record["notes"]}),
            spans=Counter(
                {(str(label), str(k), str(day)): int(n) for label, k, day, n in record["spans"]}
            ),
            detectors=_read_counter(record["detectors"]),
            quality=Counter({(str(k), str(tenth)): int(n) for k, tenth, n in record["quality"]}),
            recognized=int(record["recognized"]),
            quarantine=Counter({cause: count for cause, count, _ in causes}),
            samples={cause: _keep_smallest(map(str, ids)) for cause, _, ids in causes},
            microseconds=_read_counter(record["microseconds"]),
            peak_memory={str(worker): int(kb) for worker, kb in record["peak_memory"].items()},
            digest=int(record["digest"], 16),
            cells=unpack_cells(record.get("cells", "")),
        )


def merge_tallies(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of any number of tallies."""
    total = Tally()
    for tally in tallies:
        total = total.merge(tally)
    return total


@dataclass(frozen=True)
class RunSummary:
    """Summary of one run: configuration, versions, times and tally.

    `started` and `ended` are set by the caller. `max_quarantine_share` is the limit above which a
    run counts as failed (exit code 3). `held` are the alarms with which the quality gate holds the
    run; empty if it does not. `review` is the result of the latest reviewed sample, in counts;
    None if there is none. `reevaluation` is the series of such results, and whether another sample
    is due (`pipeline.quality.reevaluation`). `energy` is an estimate. `objections` are the persons
    who object, their notes, and those withdrawn by this run; None if no objections are configured.
    `waiting` is the number of withdrawals that earlier runs hold, `algorithm` the version of the
    surrogates, `detection` what takes part in detection, one sentence each. `backfill` tells how
    many notes that earlier detectors read were detected again and are left; None if there were
    none. `tables` are the checks of the output's tables against OMOP CDM; None if not made.
    """

    run_id: str
    cohort: str
    key_id: str
    policy_id: str
    code_version: str
    detector_version: str
    started: datetime
    ended: datetime
    workers: int
    tally: Tally
    max_quarantine_share: float = 1.0
    held: tuple[str, ...] = ()
    review: Mapping[str, Any] | None = None
    energy: Energy | None = None
    objections: Mapping[str, int] | None = None
    waiting: int = 0
    algorithm: int = ALGORITHM
    detection: tuple[str, ...] = ()
    backfill: Mapping[str, Any] | None = None
    tables: Mapping[str, Any] | None = None
    reevaluation: Mapping[str, Any] | None = None

    @property
    def seconds(self) -> float:
        """The time between start and end."""
        return (self.ended - self.started).total_seconds()

    @property
    def unaccounted(self) -> int:
        """Number of planned notes neither released, unchanged nor in quarantine; must be 0."""
        counted = (Outcome.RELEASED, Outcome.UNCHANGED, Outcome.QUARANTINED)
        planned = self.tally.outcomes[Outcome.PLANNED.value]
        return planned - sum(self.tally.outcomes[outcome.value] for outcome in counted)

    @property
    def quarantine_share(self) -> float:
        """Share of the processed notes in quarantine; unchanged notes are not processed."""
        refused = self.tally.outcomes[Outcome.QUARANTINED.value]
        processed = refused + self.tally.outcomes[Outcome.RELEASED.value]
        return refused / processed if processed else 0.0

    @property
    def within_limit(self) -> bool:
        """Return whether quarantine stayed at or below the configured share."""
        return self.quarantine_share <= self.max_quarantine_share


def _normalize_kind(kind: str) -> str:
    kind = " ".join(kind.split())
    return kind if 0 < len(kind) <= MAX_KIND_CHARACTERS else NO_KIND


def _format_day(written: datetime | None) -> str:
    return written.date().isoformat() if written else UNDATED


def _first_of_month(day: str) -> str:
    return day if day == UNDATED else f"{day[:7]}-01"


def _keep_smallest(note_ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(note_ids))[:MAX_SAMPLES])


def _to_rows(counts: Counter[Any]) -> list[list[Any]]:
    return [[*key, count] for key, count in sorted(counts.items()) if count]


def _to_object(counts: Counter[str]) -> dict[str, int]:
    return {key: count for key, count in sorted(counts.items()) if count}


def _read_counter(record: Mapping[str, Any]) -> Counter[str]:
    return Counter({str(key): int(count) for key, count in record.items()})


def _read_cause(row: list[Any]) -> tuple[str, str, str, str]:
    stage, error, reason, kind = map(str, row[:4])
    return stage, error, reason, kind

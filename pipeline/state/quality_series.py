"""Time series of counts: the counts of several runs arranged by night, for the drift test."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from pipeline.state.quality_counts import (
    DETECTED,
    MEASURES,
    NIGHTS,
    CountCell,
    Series,
    base_series,
    change_group,
    cluster_measures,
    series_of,
    weekday_index,
)
from record.count_drift import WEEKDAYS, CountSeries

Values = dict[Series, "array[float]"]
NewNormals = Mapping[tuple[str, str], int]


@dataclass(frozen=True)
class RunCounts:
    """The counts of one run.

    `unusual` are series that raised an alarm and were not accepted as the new normal: later runs
    are not compared with them. `config` is equal for runs that process the same note alike. The
    counts may be the sum of several `runs` of a night, the first of which is `run_id`. `version` is
    that of detectors, model and their settings.
    """

    run_id: int
    night: date
    config: str
    cells: Mapping[CountCell, int] = field(repr=False)
    unusual: frozenset[Series] = frozenset()
    runs: int = 1
    version: str = ""

    def is_like(self, other: "RunCounts") -> bool:
        """Return whether the same detectors counted both."""
        return self.version == other.version or self.config == other.config


@dataclass(frozen=True)
class ComparedSeries:
    """A series with its track; `nights` are the dates of the track, the judged night last."""

    series: Series
    track: CountSeries
    nights: Sequence[date]


def compare_runs(
    past: Sequence[RunCounts], run: RunCounts, since: NewNormals | None = None
) -> list[ComparedSeries]:
    """Arrange the counts of a run after those of earlier runs, sorted by series.

    Earlier runs of one night are added up; the judged run is a night of its own. `since` maps a
    change group to the run from which its counts are the new normal.
    """
    table = _CountTable(past, run, since or {})
    return list(table.compared())


class _CountTable:
    """Counts and exposures: for each series an array of nights times eight weekdays."""

    def __init__(self, past: Sequence[RunCounts], run: RunCounts, since: NewNormals) -> None:
        self.past, self.run, self.since = past, run, since
        self.nights = [*sorted({each.night for each in past}), run.night]
        self.size = len(self.nights) * WEEKDAYS
        self.counts: Values = {}
        self.bases: Values = {}
        self.groups: Counter[tuple[str, str]] = Counter()
        places = {night: place for place, night in enumerate(self.nights[:-1])}
        for each in past:
            self._add(each, places[each.night] * WEEKDAYS)
        self._add(run, self.size - WEEKDAYS)
        self.bases[Series(NIGHTS)] = self._nights()
        self.blank = self._blank(places)

    def _add(self, run: RunCounts, start: int) -> None:
        night, is_like = run.night.weekday(), self.run.is_like(run)
        for cell, number in run.cells.items():
            if is_like or cell.measure not in DETECTED:
                self.groups[cell.measure, cell.name] += number
            counted, shared = series_of(cell._replace(day=""))
            day = weekday_index(cell.day)
            for series in counted:
                # The notes of a night have many dates; their number depends on the night's weekday.
                place = night if MEASURES[series.measure].among == NIGHTS else day
                self._row(self.counts, series)[start + place] += number
            for series in shared:
                self._row(self.bases, series)[start + day] += number

    def _row(self, values: Values, series: Series) -> "array[float]":
        row = values.get(series)
        if row is None:
            row = values[series] = array("d", bytes(8 * self.size))
        return row

    def _nights(self) -> "array[float]":
        """Return 1 for each night of comparable volume: one run, a day after the previous."""
        row = array("d", bytes(8 * self.size))
        runs: Counter[date] = Counter()
        for each in (*self.past, self.run):
            runs[each.night] += each.runs
        configs = {each.night: each.config for each in (*self.past, self.run)}
        for place, night in enumerate(self.nights):
            before = night - timedelta(days=1)
            if runs[night] == 1 and configs.get(before) == configs[night]:
                row[place * WEEKDAYS + night.weekday()] = 1.0
        return row

    def _blank(self, places: Mapping[date, int]) -> dict[Series, set[int]]:
        """Return the nights to exclude per series: before its new normal, unusual, or counted by
        other detectors."""
        blank: dict[Series, set[int]] = {}
        for each in self.past:
            for series in each.unusual:
                blank.setdefault(series, set()).add(places[each.night])
        others = {places[each.night] for each in self.past if not self.run.is_like(each)}
        for series in self.counts:
            if others and MEASURES[series.measure].is_detected:
                blank.setdefault(series, set()).update(others)
            first = self.since.get(change_group(series))
            if first is not None:
                early = {places[each.night] for each in self.past if each.run_id < first}
                blank.setdefault(series, set()).update(early)
        return blank

    def compared(self) -> Iterator[ComparedSeries]:
        """Return every series that has a base series."""
        for series in sorted(self.counts):
            base = self.bases.get(base_series(series))
            if base is not None:
                yield ComparedSeries(series, self._track(series, base), self.nights)

    def _track(self, series: Series, base: "array[float]") -> CountSeries:
        counts = self.counts[series]
        blank = self.blank.get(series)
        if blank:
            counts, base = _zero_nights(counts, blank), _zero_nights(base, blank)
        squares, plain = cluster_measures(series)
        cluster = self.groups[squares] / max(self.groups[plain], 1) if squares[0] else 1.0
        measure = MEASURES[series.measure]
        return CountSeries(
            name=make_title(series),
            family=series.family,
            counts=counts,
            exposures=base,
            cluster=max(cluster, 1.0),
            least=measure.least,
        )


def _zero_nights(values: "array[float]", nights: Iterable[int]) -> "array[float]":
    kept = array("d", values)
    for night in nights:
        kept[night * WEEKDAYS : (night + 1) * WEEKDAYS] = array("d", bytes(8 * WEEKDAYS))
    return kept


_TITLES = {
    "spans": "{name}",
    "empty": "notes without spans",
    "refused": "notes in quarantine ({name})",
    "copies": "duplicate notes",
    "dates": "dates written {name}",
    "surrogates": "distinct surrogates of {name}",
    "scores": "scores from {name}",
    "lengths": "notes of {name} characters",
    "lines": "lines of class {name}",
    "notes": "notes",
}
_PLACES = {
    "detector": " by {}",
    "kind": " in kind {}",
    "site": " at site {}",
    "extractor": " read by {}",
}


def make_title(series: Series) -> str:
    """Return a title for people, such as `dates written 9999-99-99 at site north`."""
    words = _TITLES[series.measure].format(name=series.name)
    for facet, place in _PLACES.items():
        value = getattr(series, facet)
        if value != "*":
            words += place.format(value or "none")
    return words

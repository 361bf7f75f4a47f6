"""The counts of many runs, set out night by night for a judge."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from pipeline.state.count_cells import (
    MEASURES,
    NIGHTS,
    Cell,
    Series,
    among,
    group_of,
    kin,
    series_of,
    weekday,
)
from record.count_drift import WEEKDAYS, CountSeries

Values = dict[Series, "array[float]"]
Since = Mapping[tuple[str, str], int]


@dataclass(frozen=True)
class Counted:
    """What one run counted.

    `unusual` are series that alarmed in it and were not accepted as normal since: they are left out
    of what later runs are compared with. `config` is equal for runs that would make the same of the
    same note. The counts may be those of several `runs` of a night, the first of them `run_id`.
    """

    run_id: int
    night: date
    config: str
    cells: Mapping[Cell, int] = field(repr=False)
    unusual: frozenset[Series] = frozenset()
    runs: int = 1


@dataclass(frozen=True)
class Compared:
    """A series with its track; `nights` are the days of the track, the judged one last."""

    series: Series
    track: CountSeries
    nights: Sequence[date]


def compare(past: Sequence[Counted], run: Counted, since: Since | None = None) -> list[Compared]:
    """Set out the counts of a run behind those of the runs before it, in order of series.

    Runs of one night are one night, but for the judged run, which stands alone. `since` names by
    their kin series of which a change was called the new normal, with the run it begins at.
    """
    table = _Table(past, run, since or {})
    return list(table.compared())


class _Table:
    """Counts and what they are a share of: for each series eight weekdays times the nights."""

    def __init__(self, past: Sequence[Counted], run: Counted, since: Since) -> None:
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

    def _add(self, run: Counted, start: int) -> None:
        night = run.night.weekday()
        for cell, number in run.cells.items():
            self.groups[cell.measure, cell.name] += number
            counted, shared = series_of(cell._replace(day=""))
            day = weekday(cell.day)
            for series in counted:
                # The notes of a night have many days; how many they are depends on the night's.
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
        """Return 1 for each night whose volume means something: one run, a day after the last."""
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
        """Return the nights that say nothing of a series: before its normal began, or unusual."""
        blank: dict[Series, set[int]] = {}
        for each in self.past:
            for series in each.unusual:
                blank.setdefault(series, set()).add(places[each.night])
        for series in self.counts:
            first = self.since.get(kin(series))
            if first is not None:
                early = {places[each.night] for each in self.past if each.run_id < first}
                blank.setdefault(series, set()).update(early)
        return blank

    def compared(self) -> Iterator[Compared]:
        """Return every series that has something to be compared with."""
        for series in sorted(self.counts):
            base = self.bases.get(among(series))
            if base is not None:
                yield Compared(series, self._track(series, base), self.nights)

    def _track(self, series: Series, base: "array[float]") -> CountSeries:
        counts = self.counts[series]
        blank = self.blank.get(series)
        if blank:
            counts, base = _without(counts, blank), _without(base, blank)
        squares, plain = group_of(series)
        cluster = self.groups[squares] / max(self.groups[plain], 1) if squares[0] else 1.0
        measure = MEASURES[series.measure]
        return CountSeries(
            name=title(series),
            family=series.family,
            counts=counts,
            exposures=base,
            cluster=max(cluster, 1.0),
            least=measure.least,
        )


def _without(values: "array[float]", nights: Iterable[int]) -> "array[float]":
    kept = array("d", values)
    for night in nights:
        kept[night * WEEKDAYS : (night + 1) * WEEKDAYS] = array("d", bytes(8 * WEEKDAYS))
    return kept


_TITLES = {
    "spans": "{name}",
    "empty": "notes with nothing found",
    "refused": "notes in quarantine ({name})",
    "copies": "notes fed twice",
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


def title(series: Series) -> str:
    """Name a series for people, such as `dates written 9999-99-99 at site north`."""
    words = _TITLES[series.measure].format(name=series.name)
    for facet, place in _PLACES.items():
        value = getattr(series, facet)
        if value != "*":
            words += place.format(value or "none")
    return words

"""Entity counts gate the night: a run whose counts are not what they were is held."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from pipeline.config.settings import QualitySettings
from pipeline.state.count_cells import MEASURES, Cell, Cells, Series, kin
from pipeline.state.count_history import Compared, Counted, compare
from pipeline.state.quality_store import Alarm, Conclusion, JudgedRun, QualityStore
from pipeline.state.unit_results import RunRecord
from record.count_drift import WEEKDAYS, DriftTest, DriftVerdict

_DAYS_A_QUARTER = 365.25 / 4


def _night_of(run: RunRecord) -> date:
    return run.started.date()


@dataclass(frozen=True)
class Gate:
    """What judges a run; without a judge runs are counted and none is held.

    `night_of` tells the day that a run belongs to. `memory` keeps the counts of earlier nights for
    the next run that the same gate judges.
    """

    judge: DriftTest | None = None
    night_of: Callable[[RunRecord], date] = _night_of
    memory: dict[tuple[int, ...], Cells] = field(default_factory=dict, repr=False, compare=False)


OPEN = Gate()
"""Counts and holds nothing."""


@dataclass(frozen=True)
class Assessment:
    """A run beside the nights before it.

    `nights` is how many of them there were, of at least `min_days` that are needed; `alarms` come
    most surprising first.
    """

    run: Counted
    conclusion: Conclusion
    alarms: tuple[Alarm, ...]
    nights: int
    min_days: int
    compared: Sequence[Compared] = field(default=(), repr=False)
    verdicts: Mapping[Series, DriftVerdict] = field(default_factory=dict, repr=False)

    @property
    def is_held(self) -> bool:
        """Return whether nothing new of the run is published."""
        return self.conclusion == "held"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Name what is not as it was, in sentences for people."""
        return tuple(tell(alarm) for alarm in self.alarms)


def allowance(false_alarms_per_quarter: float, run_of_night: int = 1) -> float:
    """Return the probability with which one run may be held for nothing.

    The allowances of the runs of one night add up to that of a night whatever their number,
    since the sum of 1/(k(k+1)) is 1; those of a quarter's nights to the number that was asked for.
    """
    night = false_alarms_per_quarter / _DAYS_A_QUARTER
    return night / (run_of_night * (run_of_night + 1))


def assess(
    store: QualityStore, run: Counted, version: str, settings: QualitySettings, gate: Gate
) -> Assessment:
    """Store what a run counted and judge it; where it is held, nothing it staged is published.

    May be repeated: an interrupted run is counted once. A second run of a night that found nothing
    to do is not counted at all.
    """
    last = next((each for each in store.runs(2) if each.run_id != run.run_id), None)
    if last is not None and last.night == run.night and not worked(run.cells):
        return Assessment(run, "unjudged", (), 0, settings.min_days)
    counted = Counter(run.cells)
    counted.update(store.copies(run.run_id))
    run = Counted(run.run_id, run.night, run.config, counted)
    store.record(run, version)
    found = judged(store, run, settings, gate)
    store.conclude(run.run_id, found.conclusion, found.alarms)
    return found


def recall(store: QualityStore, run: Counted, settings: QualitySettings, gate: Gate) -> Assessment:
    """Return the assessment of a run that was judged before; the verdict stays what it was."""
    known = next((each for each in store.runs() if each.run_id == run.run_id), None)
    if known is None:  # it was begun by a version that counted nothing
        return Assessment(run, "unjudged", (), 0, settings.min_days)
    run = Counted(run.run_id, known.night, known.config, store.cells([run.run_id]))
    found = judged(store, run, settings, gate)
    return replace(found, conclusion=known.conclusion, alarms=known.alarms)


def judged(store: QualityStore, run: Counted, settings: QualitySettings, gate: Gate) -> Assessment:
    """Compare a run with those before it; nothing is written."""
    judge = gate.judge
    before = [
        each
        for each in store.runs(since=run.night - timedelta(days=settings.window_days))
        if each.run_id < run.run_id
    ]
    past = _past(store, before[::-1], gate)
    nights = len({each.night for each in past if each.cells})
    if judge is None:
        return Assessment(run, "unjudged", (), nights, settings.min_days)
    compared = compare(past, run, _since(store))
    rank = 1 + sum(each.night == run.night and each.notes > 0 for each in before)
    allowed = allowance(settings.false_alarms_per_quarter, rank)
    verdicts = judge([each.track for each in compared], allowed)
    by_title = {verdict.name: verdict for verdict in verdicts}
    by_series = {
        each.series: by_title[each.track.name] for each in compared if each.track.name in by_title
    }
    alarms = [
        _alarm(each, by_series[each.series], settings.min_days)
        for each in compared
        if each.series in by_series and by_series[each.series].is_alarm
    ]
    alarms.sort(key=lambda alarm: (not alarm.holds, alarm.p_value, alarm.title))
    conclusion = _conclude(alarms, nights, settings)
    return Assessment(
        run, conclusion, tuple(alarms), nights, settings.min_days, compared, by_series
    )


def _conclude(alarms: Sequence[Alarm], nights: int, settings: QualitySettings) -> Conclusion:
    if any(alarm.holds for alarm in alarms) and settings.gate == "hold":
        return "held"
    if alarms:
        return "warned"
    return "learning" if nights < settings.min_days else "clean"


def _past(store: QualityStore, runs: Sequence[JudgedRun], gate: Gate) -> list[Counted]:
    """Return what runs say of normal nights, those of a night as one where none alarmed.

    A rejected run says nothing.
    """
    groups: dict[tuple[date, int], list[JudgedRun]] = {}
    for run in runs:
        if run.decision is None or run.decision.decision != "rejected":
            alone = run.run_id if any(alarm.holds for alarm in run.alarms) else 0
            groups.setdefault((run.night, alone), []).append(run)
    past = []
    known = dict(gate.memory)
    gate.memory.clear()
    for group in groups.values():
        ids = tuple(run.run_id for run in group)
        cells = gate.memory[ids] = known[ids] if ids in known else store.cells(ids)
        last = group[-1]
        is_normal = last.decision is not None and last.decision.new_normal
        unusual = frozenset(a.series for a in last.alarms if a.holds and not is_normal)
        past.append(Counted(ids[0], last.night, last.config, cells, unusual, len(ids)))
    return past


def _since(store: QualityStore) -> dict[tuple[str, str], int]:
    """Tell from which run on series are compared, by kin, where a change is the new normal."""
    changed = {each.run_id for each in store.decisions() if each.new_normal}
    since: dict[tuple[str, str], int] = {}
    for run in reversed(store.runs()) if changed else ():
        if run.run_id in changed:
            since |= {kin(alarm.series): run.run_id for alarm in run.alarms if alarm.holds}
    return since


def _alarm(compared: Compared, verdict: DriftVerdict, min_days: int) -> Alarm:
    return Alarm(
        series=compared.series,
        title=verdict.name,
        observed=verdict.observed,
        expected=verdict.expected,
        low=verdict.low,
        high=verdict.high,
        p_value=verdict.p_value,
        nights=verdict.nights,
        exposure=sum(compared.track.exposures[-WEEKDAYS:]),
        is_learning=verdict.nights < min_days,
        is_notice=MEASURES[compared.series.measure].is_notice,
    )


def tell(alarm: Alarm) -> str:
    """Say what an alarm is about: counts, never text."""
    why = ""
    if alarm.is_notice:
        why = " (a notice: it holds nothing)"
    elif alarm.is_learning:
        why = f" (after {alarm.nights} nights: it holds nothing yet)"
    return (
        f"{alarm.title}: {_number(alarm.observed)}, where {_number(alarm.expected)} were expected"
        f" ({_number(alarm.low)} to {_number(alarm.high)}){why}"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def worked(cells: Mapping[Cell, int]) -> int:
    """Count the notes that a run worked on."""
    return sum(number for cell, number in cells.items() if cell.measure == "worked")

"""The quality gate: holds a run whose entity counts differ from those of earlier nights."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from pipeline.config.settings import QualitySettings
from pipeline.state.quality_counts import (
    MEASURES,
    VOLUME,
    WITHDRAWN,
    CellCounts,
    CountCell,
    Series,
    change_group,
)
from pipeline.state.quality_series import ComparedSeries, RunCounts, compare_runs
from pipeline.state.quality_store import Alarm, Conclusion, JudgedRun, QualityStore
from pipeline.state.unit_results import RunRecord
from record.count_drift import WEEKDAYS, DriftTest, DriftVerdict

_DAYS_A_QUARTER = 365.25 / 4


def _start_date(run: RunRecord) -> date:
    return run.started.date()


@dataclass(frozen=True)
class Gate:
    """How runs are judged; without a judge, runs are counted but never held.

    `night_of` returns the day that a run belongs to. `memory` caches the counts of earlier nights
    for the next run that the same gate judges. `excesses` are alarms of the run's withdrawals,
    which hold it whether or not there is a judge.
    """

    judge: DriftTest | None = None
    night_of: Callable[[RunRecord], date] = _start_date
    memory: dict[tuple[int, ...], CellCounts] = field(
        default_factory=dict, repr=False, compare=False
    )
    excesses: tuple[Alarm, ...] = ()


BACKFILL = "backfill"
"""Detector version of a backfill among the judged runs: no night is compared with one."""

COUNT_ONLY = Gate()
"""A gate that counts but holds no run."""


@dataclass(frozen=True)
class Assessment:
    """A run compared with the nights before it.

    `nights` is the number of nights compared with, of which at least `min_days` are needed, and
    `other_nights` that of nights counted by other detectors; `alarms` are sorted by p-value.
    """

    run: RunCounts
    conclusion: Conclusion
    alarms: tuple[Alarm, ...]
    nights: int
    min_days: int
    compared: Sequence[ComparedSeries] = field(default=(), repr=False)
    verdicts: Mapping[Series, DriftVerdict] = field(default_factory=dict, repr=False)
    other_nights: int = 0

    @property
    def is_held(self) -> bool:
        """Return whether the run is held: none of its new notes are published."""
        return self.conclusion == "held"

    @property
    def holds_withdrawals(self) -> bool:
        """Return whether the run is held for what it would withdraw."""
        return self.is_held and any(a.series.measure == WITHDRAWN for a in self.alarms)

    @property
    def baseline(self) -> str:
        """Return a sentence on the baseline after a change of detectors; empty without one."""
        if not self.other_nights or self.nights >= self.min_days:
            return ""
        return (
            f"no baseline of these detectors yet: {self.nights} of {self.min_days} nights, "
            f"{self.other_nights} of other detectors are not compared with"
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return a sentence for each alarm."""
        return tuple(describe_alarm(alarm) for alarm in self.alarms)


def compute_allowance(false_alarms_per_quarter: float, run_of_night: int = 1) -> float:
    """Return the false alarm probability allowed for one run.

    The allowances of the runs of one night add up to at most that of a night whatever their
    number, since the sum of 1/(k(k+1)) is 1; those of the nights of a quarter to the configured
    number.
    """
    night = false_alarms_per_quarter / _DAYS_A_QUARTER
    return night / (run_of_night * (run_of_night + 1))


def assess_backfill(
    store: QualityStore, run: RunCounts, settings: QualitySettings, gate: Gate
) -> Assessment:
    """Hold a backfill that would withdraw too much; its counts are not judged, nor stored."""
    if not gate.excesses:
        return Assessment(run, "unjudged", (), 0, settings.min_days)
    return assess_run(store, run, settings, replace(gate, judge=None))


def assess_run(
    store: QualityStore, run: RunCounts, settings: QualitySettings, gate: Gate
) -> Assessment:
    """Store the counts of a run and judge it; if it is held, its staged notes are not published.

    May be repeated: an interrupted run is counted once. A second run of a night without any notes
    to process is not counted.
    """
    last = next((each for each in store.runs(2) if each.run_id != run.run_id), None)
    is_idle = not count_processed_notes(run.cells) and not gate.excesses
    if last is not None and last.night == run.night and is_idle:
        return Assessment(run, "unjudged", (), 0, settings.min_days)
    counted = Counter(run.cells)
    counted.update(store.count_duplicates(run.run_id))
    run = replace(run, cells=counted)
    store.store_counts(run)
    found = judge_run(store, run, settings, gate)
    store.store_verdict(run.run_id, found.conclusion, found.alarms)
    return found


def load_assessment(
    store: QualityStore, run: RunCounts, settings: QualitySettings, gate: Gate
) -> Assessment:
    """Return the assessment of a run that was judged before, with the stored verdict."""
    known = next((each for each in store.runs() if each.run_id == run.run_id), None)
    if known is None:  # begun by a version without counts
        return Assessment(run, "unjudged", (), 0, settings.min_days)
    cells = store.cells([run.run_id])
    run = RunCounts(run.run_id, known.night, known.config, cells, version=known.version)
    found = judge_run(store, run, settings, gate)
    return replace(found, conclusion=known.conclusion, alarms=known.alarms)


def judge_run(
    store: QualityStore, run: RunCounts, settings: QualitySettings, gate: Gate
) -> Assessment:
    """Compare a run with earlier ones; nothing is stored."""
    judge = gate.judge
    before = [
        each
        for each in store.runs(since=run.night - timedelta(days=settings.window_days))
        if each.run_id < run.run_id and each.version != BACKFILL
    ]
    past = _load_past_counts(store, before[::-1], gate)
    nights = len({each.night for each in past if each.cells and run.is_like(each)})
    others = len({each.night for each in past if each.cells and not run.is_like(each)})
    if judge is None:
        conclusion: Conclusion = "held" if gate.excesses else "unjudged"
        return Assessment(
            run, conclusion, gate.excesses, nights, settings.min_days, other_nights=others
        )
    compared = compare_runs(past, run, _find_new_normals(store))
    rank = 1 + sum(each.night == run.night and each.notes > 0 for each in before)
    allowed = compute_allowance(settings.false_alarms_per_quarter, rank)
    verdicts = judge([each.track for each in compared], allowed)
    by_title = {verdict.name: verdict for verdict in verdicts}
    by_series = {
        each.series: by_title[each.track.name] for each in compared if each.track.name in by_title
    }
    alarms = [
        _make_alarm(each, by_series[each.series], settings)
        for each in compared
        if each.series in by_series and by_series[each.series].is_alarm
    ]
    alarms += gate.excesses
    alarms.sort(key=lambda alarm: (not alarm.holds, alarm.p_value, alarm.title))
    conclusion = "held" if gate.excesses else _conclude(alarms, nights, settings)
    return Assessment(
        run, conclusion, tuple(alarms), nights, settings.min_days, compared, by_series, others
    )


def _conclude(alarms: Sequence[Alarm], nights: int, settings: QualitySettings) -> Conclusion:
    if any(alarm.holds for alarm in alarms) and settings.gate == "hold":
        return "held"
    if alarms:
        return "warned"
    return "learning" if nights < settings.min_days else "clean"


def _load_past_counts(
    store: QualityStore, runs: Sequence[JudgedRun], gate: Gate
) -> list[RunCounts]:
    """Return the counts of earlier nights; runs of one night without alarms are added up, as far
    as they have the same detectors.

    Rejected runs are left out.
    """
    groups: dict[tuple[date, int, str], list[JudgedRun]] = {}
    for run in runs:
        if run.decision is None or run.decision.decision != "rejected":
            alone = run.run_id if any(alarm.holds for alarm in run.alarms) else 0
            groups.setdefault((run.night, alone, run.version), []).append(run)
    past = []
    known = dict(gate.memory)
    gate.memory.clear()
    for group in groups.values():
        ids = tuple(run.run_id for run in group)
        cells = gate.memory[ids] = known[ids] if ids in known else store.cells(ids)
        last = group[-1]
        is_normal = last.decision is not None and last.decision.new_normal
        unusual = frozenset(a.series for a in last.alarms if a.holds and not is_normal)
        past.append(
            RunCounts(ids[0], last.night, last.config, cells, unusual, len(ids), last.version)
        )
    return past


def _find_new_normals(store: QualityStore) -> dict[tuple[str, str], int]:
    """Return, by change group, the run from which series are compared after a new normal."""
    changed = {each.run_id for each in store.decisions() if each.new_normal}
    since: dict[tuple[str, str], int] = {}
    for run in reversed(store.runs()) if changed else ():
        if run.run_id in changed:
            since |= {change_group(alarm.series): run.run_id for alarm in run.alarms if alarm.holds}
    return since


def _is_extreme_volume(series: Series, verdict: DriftVerdict, factor: float) -> bool:
    """Return whether a run has so few or so many notes that it is more than a notice."""
    smaller, larger = sorted((verdict.observed, verdict.expected))
    return series == VOLUME and larger >= factor * smaller


def _make_alarm(
    compared: ComparedSeries, verdict: DriftVerdict, settings: QualitySettings
) -> Alarm:
    is_extreme = _is_extreme_volume(compared.series, verdict, settings.volume_factor)
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
        is_learning=verdict.nights < settings.min_days,
        is_notice=MEASURES[compared.series.measure].is_notice and not is_extreme,
    )


def describe_alarm(alarm: Alarm) -> str:
    """Describe an alarm in a sentence: counts, never text of notes."""
    if alarm.series.measure == WITHDRAWN:
        return (
            f"{alarm.title}: {alarm.observed:,.0f} of {alarm.exposure:,.0f} in the output; more "
            f"than {alarm.high:,.0f} need a decision"
        )
    why = ""
    if alarm.is_notice:
        why = " (notice only, does not hold the run)"
    elif alarm.is_learning:
        why = f" (learning after {alarm.nights} nights, does not hold the run)"
    return (
        f"{alarm.title}: {_format_count(alarm.observed)}, expected {_format_count(alarm.expected)}"
        f" ({_format_count(alarm.low)} to {_format_count(alarm.high)}){why}"
    )


def _format_count(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def count_processed_notes(cells: Mapping[CountCell, int]) -> int:
    """Count the notes that a run processed."""
    return sum(number for cell, number in cells.items() if cell.measure == "worked")

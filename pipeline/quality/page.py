"""The HTML page of the quality gate: alarms, decisions and entity counts over time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from pipeline.quality.gate import Assessment, describe_alarm
from pipeline.reports.charts import Panel, make_panel
from pipeline.reports.run_report import TEMPLATES
from pipeline.state.quality_counts import ALL, Series
from pipeline.state.quality_series import ComparedSeries
from pipeline.state.quality_store import GateDecision, JudgedRun
from record.count_drift import WEEKDAYS, DriftVerdict

MAX_CHARTS = 24
"""Charts drawn per family: the largest counts; alarms are always drawn."""

TABLE_NIGHTS = 14
"""Number of the latest nights shown in tables."""


@dataclass(frozen=True)
class CountFamily:
    """Charts of the series of one measure and set of facets; `hidden` others are not drawn."""

    name: str
    panels: tuple[Panel, ...]
    hidden: int


@dataclass(frozen=True)
class PageContents:
    """What the page shows besides an assessment: runs awaiting a decision, and past decisions.

    `versions` are the runs whose detector version differs from the previous run's, latest first.
    """

    waiting: Sequence[JudgedRun] = ()
    decisions: Sequence[GateDecision] = ()
    versions: Sequence[tuple[int, str]] = ()


def render_page(assessment: Assessment, contents: PageContents) -> str:
    """Return the page, which loads nothing: alarms first, then all counts."""
    alarmed = {alarm.series for alarm in assessment.alarms}
    panels = {each.series: _make_panel(each, assessment, alarmed) for each in assessment.compared}
    ordered = sorted(assessment.compared, key=lambda each: (each.series.family, each.series))
    families = [
        _group_panels(name, [panels[each.series] for each in group])
        for name, group in groupby(ordered, key=lambda each: each.series.family)
    ]
    nights = assessment.compared[0].nights if assessment.compared else ()
    return TEMPLATES.get_template("quality.html.j2").render(
        assessment=assessment,
        alarms=[
            (alarm, describe_alarm(alarm), panels.get(alarm.series)) for alarm in assessment.alarms
        ],
        families=families,
        nights=[night.isoformat() for night in nights],
        lately=[f"{night:%a %d %b}" for night in nights[-TABLE_NIGHTS:]],
        table_nights=TABLE_NIGHTS,
        contents=contents,
        detectors=sorted({each.series.detector for each in assessment.compared} - {ALL, ""}),
    )


def _group_panels(name: str, panels: Sequence[Panel]) -> CountFamily:
    ranked = sorted(panels, key=lambda panel: (not panel.is_alarm, -panel.total, panel.title))
    alarming = sum(panel.is_alarm for panel in panels)
    shown = tuple(ranked[: max(MAX_CHARTS, alarming)])
    return CountFamily(name, shown, len(panels) - len(shown))


def make_label_panels(assessment: Assessment) -> tuple[Panel, ...]:
    """Return a chart per label: spans per note, night by night up to the judged run."""
    alarmed = {alarm.series for alarm in assessment.alarms}
    found = (each for each in assessment.compared if each.series.family == "spans")
    panels = [_make_panel(each, assessment, alarmed) for each in found]
    return _group_panels("spans", panels).panels


def _make_panel(
    compared: ComparedSeries, assessment: Assessment, alarmed: Collection[Series]
) -> Panel:
    track = compared.track
    counts, exposures = _sum_by_night(track.counts), _sum_by_night(track.exposures)
    rates = [
        count / exposure if exposure else None
        for count, exposure in zip(counts, exposures, strict=True)
    ]
    limits = _scale_limits(assessment.verdicts.get(compared.series), exposures[-1])
    return make_panel(
        track.name,
        rates,
        total=sum(counts),
        limits=limits,
        is_alarm=compared.series in alarmed,
    )


def _sum_by_night(values: Sequence[float]) -> list[float]:
    return [sum(values[k : k + WEEKDAYS]) for k in range(0, len(values), WEEKDAYS)]


def _scale_limits(
    verdict: DriftVerdict | None, exposure: float
) -> tuple[float | None, float | None]:
    if verdict is None or not exposure:
        return None, None
    return verdict.low / exposure, verdict.high / exposure

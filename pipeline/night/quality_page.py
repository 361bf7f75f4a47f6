"""Entity counts over time as one HTML page that loads nothing and runs no script."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from pipeline.night.quality_gate import Assessment, tell
from pipeline.reports.charts import Panel, make_panel
from pipeline.reports.run_report import TEMPLATES
from pipeline.state.count_cells import Series
from pipeline.state.count_history import Compared
from pipeline.state.quality_store import GateDecision, JudgedRun
from record.count_drift import WEEKDAYS, DriftVerdict

MOST_CHARTS = 24
"""Of one family; the largest counts, and all that alarm."""

TABLE_NIGHTS = 14
"""How many of the last nights tables show."""


@dataclass(frozen=True)
class CountFamily:
    """Series of one measure by the same facets; `hidden` of them are not drawn."""

    name: str
    panels: tuple[Panel, ...]
    hidden: int


@dataclass(frozen=True)
class PageContents:
    """What the page tells beside one assessment: what waits, what was decided before.

    `versions` are runs that detected with another version than the one before, latest first.
    """

    waiting: Sequence[JudgedRun] = ()
    decisions: Sequence[GateDecision] = ()
    versions: Sequence[tuple[int, str]] = ()


def render(assessment: Assessment, desk: PageContents) -> str:
    """Draw an assessment for a data manager: what changed first, then everything over time."""
    alarmed = {alarm.series for alarm in assessment.alarms}
    panels = {each.series: _panel(each, assessment, alarmed) for each in assessment.compared}
    ordered = sorted(assessment.compared, key=lambda each: (each.series.family, each.series))
    families = [
        _family(name, [panels[each.series] for each in group])
        for name, group in groupby(ordered, key=lambda each: each.series.family)
    ]
    nights = assessment.compared[0].nights if assessment.compared else ()
    return TEMPLATES.get_template("quality.html.j2").render(
        assessment=assessment,
        alarms=[(alarm, tell(alarm), panels.get(alarm.series)) for alarm in assessment.alarms],
        families=families,
        nights=[night.isoformat() for night in nights],
        lately=[f"{night:%a %d %b}" for night in nights[-TABLE_NIGHTS:]],
        table_nights=TABLE_NIGHTS,
        desk=desk,
    )


def _family(name: str, panels: Sequence[Panel]) -> CountFamily:
    ranked = sorted(panels, key=lambda panel: (not panel.is_alarm, -panel.total, panel.title))
    alarming = sum(panel.is_alarm for panel in panels)
    shown = tuple(ranked[: max(MOST_CHARTS, alarming)])
    return CountFamily(name, shown, len(panels) - len(shown))


def label_panels(assessment: Assessment) -> tuple[Panel, ...]:
    """Draw how often each label was found in a note, night by night up to the judged run."""
    alarmed = {alarm.series for alarm in assessment.alarms}
    found = (each for each in assessment.compared if each.series.family == "spans")
    panels = [_panel(each, assessment, alarmed) for each in found]
    return _family("spans", panels).panels


def _panel(compared: Compared, assessment: Assessment, alarmed: Collection[Series]) -> Panel:
    track = compared.track
    counts, exposures = _by_night(track.counts), _by_night(track.exposures)
    rates = [
        count / exposure if exposure else None
        for count, exposure in zip(counts, exposures, strict=True)
    ]
    limits = _limits(assessment.verdicts.get(compared.series), exposures[-1])
    return make_panel(
        track.name,
        rates,
        total=sum(counts),
        limits=limits,
        is_alarm=compared.series in alarmed,
    )


def _by_night(values: Sequence[float]) -> list[float]:
    return [sum(values[k : k + WEEKDAYS]) for k in range(0, len(values), WEEKDAYS)]


def _limits(verdict: DriftVerdict | None, exposure: float) -> tuple[float | None, float | None]:
    if verdict is None or not exposure:
        return None, None
    return verdict.low / exposure, verdict.high / exposure

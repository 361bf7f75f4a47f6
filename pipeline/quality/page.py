"""Entity counts over time as one HTML page that loads nothing and runs no script."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from pipeline.charts import Mark, line, marks
from pipeline.quality.cells import Series
from pipeline.quality.gate import Assessment, tell
from pipeline.quality.history import Compared
from pipeline.quality.store import Decision, JudgedRun
from pipeline.report import TEMPLATES
from record.drift import WEEKDAYS, Verdict

MOST_CHARTS = 24
"""Of one family; the largest counts, and all that alarm."""

TABLE_NIGHTS = 14
"""How many of the last nights tables show."""

WIDTH, HEIGHT = 168.0, 44.0


@dataclass(frozen=True)
class Panel:
    """One series over the nights, as shares of what it is counted among.

    `rates` has None for nights that say nothing; the last is that of the judged run.
    """

    title: str
    rates: tuple[float | None, ...]
    path: str
    mark: Mark | None
    total: float
    verdict: Verdict | None
    is_alarm: bool
    hint: str

    @property
    def lately(self) -> tuple[float | None, ...]:
        """The rates of the last nights."""
        return self.rates[-TABLE_NIGHTS:]


@dataclass(frozen=True)
class Family:
    """Series of one measure by the same facets; `hidden` of them are not drawn."""

    name: str
    panels: tuple[Panel, ...]
    hidden: int


@dataclass(frozen=True)
class Desk:
    """What the page tells beside one assessment: what waits, what was decided before.

    `versions` are runs that detected with another version than the one before, latest first.
    """

    waiting: Sequence[JudgedRun] = ()
    decisions: Sequence[Decision] = ()
    versions: Sequence[tuple[int, str]] = ()


def render(assessment: Assessment, desk: Desk) -> str:
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
        desk=desk,
        chart=(WIDTH, HEIGHT),
    )


def _family(name: str, panels: Sequence[Panel]) -> Family:
    ranked = sorted(panels, key=lambda panel: (not panel.is_alarm, -panel.total, panel.title))
    alarming = sum(panel.is_alarm for panel in panels)
    shown = tuple(ranked[: max(MOST_CHARTS, alarming)])
    return Family(name, shown, len(panels) - len(shown))


def _panel(compared: Compared, assessment: Assessment, alarmed: Collection[Series]) -> Panel:
    track = compared.track
    counts, exposures = _by_night(track.counts), _by_night(track.exposures)
    rates = tuple(
        count / exposure if exposure else None
        for count, exposure in zip(counts, exposures, strict=True)
    )
    verdict = assessment.verdicts.get(compared.series)
    limits = _limits(verdict, exposures[-1])
    top = max([rate for rate in (*rates, limits[1]) if rate is not None], default=0.0)
    return Panel(
        title=track.name,
        rates=rates,
        path=line(rates, top, width=WIDTH, height=HEIGHT),
        mark=marks(rates[-1], limits, top, height=HEIGHT) if verdict else None,
        total=sum(counts),
        verdict=verdict,
        is_alarm=compared.series in alarmed,
        hint=_hint(track.name, rates[-1], limits),
    )


def _by_night(values: Sequence[float]) -> list[float]:
    return [sum(values[k : k + WEEKDAYS]) for k in range(0, len(values), WEEKDAYS)]


def _limits(verdict: Verdict | None, exposure: float) -> tuple[float | None, float | None]:
    if verdict is None or not exposure:
        return None, None
    return verdict.low / exposure, verdict.high / exposure


def _hint(title: str, rate: float | None, limits: tuple[float | None, float | None]) -> str:
    tonight = "nothing to count" if rate is None else f"{rate:.3g}"
    low, high = limits
    between = "" if low is None or high is None else f", usual {low:.3g} to {high:.3g}"
    return f"{title}: {tonight} in this run{between}"

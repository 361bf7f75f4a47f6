"""What the gate's report draws beside its numbers: shares by group, and curves. No text."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

BARS, CURVE = "bars", "curve"
_BINS = 20
_POINTS = 101


@dataclass(frozen=True)
class GateChart:
    """A chart: `bars` of each series by group, or the `curve` of each over 0 to 1 of the axis.

    Each series has a value for each group; those of a curve are at equal distances.
    """

    title: str
    kind: str
    groups: Sequence[str]
    series: Mapping[str, Sequence[float]]

    def to_json(self) -> dict[str, Any]:
        """Return the fields."""
        return asdict(self)


def read_charts(content: Mapping[str, Any]) -> list[GateChart]:
    """Return the charts that a file of measurements has; raises ValueError for other content."""
    charts = []
    for each in content.get("charts", ()):
        if not isinstance(each, Mapping) or set(each) != {"title", "kind", "groups", "series"}:
            raise ValueError("is no chart")
        groups = [str(group) for group in each["groups"]]
        series = {str(name): list(map(float, held)) for name, held in each["series"].items()}
        if each["kind"] not in (BARS, CURVE) or any(len(s) != len(groups) for s in series.values()):
            raise ValueError("is no chart")
        charts.append(GateChart(str(each["title"]), each["kind"], groups, series))
    return charts


def draw_histogram(
    title: str, values: Mapping[str, Sequence[float]], *, top: float | None = None
) -> GateChart:
    """Draw the shares of values in equal bins from 0 to `top`, or to the largest value."""
    most = top or max((max(some) for some in values.values() if len(some)), default=1.0) or 1.0
    edges = np.linspace(0.0, most, _BINS + 1)
    shares = {
        name: (np.histogram(np.minimum(some, most), edges)[0] / max(1, len(some))).tolist()
        for name, some in values.items()
    }
    return GateChart(title, BARS, [f"{edge:.3g}" for edge in edges[:-1]], shares)


def draw_shares(title: str, counts: Mapping[str, Counter[str]]) -> GateChart:
    """Draw what share of each series is of each name, the most frequent of the last first."""
    names = sorted(set().union(*counts.values()), key=lambda name: (-_last(counts)[name], name))
    shares = {
        series: [held[name] / max(1, held.total()) for name in names]
        for series, held in counts.items()
    }
    return GateChart(title, BARS, names, shares)


def _last(counts: Mapping[str, Counter[str]]) -> Counter[str]:
    return list(counts.values())[-1]


def draw_roc(
    title: str, scores: Mapping[str, tuple[Iterable[float], Iterable[float]]]
) -> GateChart:
    """Draw how many members are told at each share of others taken for members.

    `scores` are those of members and of others; the highest are taken first.
    """
    places = np.linspace(0.0, 1.0, _POINTS)
    series = {}
    for name, (members, others) in scores.items():
        inside, outside = (np.sort(np.fromiter(some, np.float64)) for some in (members, others))
        limits = np.unique(np.concatenate((inside, outside)))[::-1]
        told = [1 - np.searchsorted(some, limits, "left") / len(some) for some in (inside, outside)]
        right, wrong = (np.concatenate(([0.0], each, [1.0])) for each in told)
        # Between two limits notes with the same score are drawn in equal parts.
        series[name] = np.interp(places, wrong, right).tolist()
    return GateChart(title, CURVE, [f"{place:.2f}" for place in places], series)

"""Charts of reports as SVG: learning curves, bars over time, and small line charts of rates."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

CURVE = "learning_curve.svg"

_WIDTH, _HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 150, 16, 40
_LINES = (
    ("f1", "F1", "#2f6f9f"),
    ("zero_leak", "notes without a leak", "#1d7a46"),
    ("redacted", "words redacted", "#8a5a00"),
)


def write_learning_curve(folder: Path) -> None:
    """Write `learning_curve.svg` next to the `training.json` that it is drawn from."""
    training = json.loads((folder / "training.json").read_text("utf-8"))
    (folder / CURVE).write_text(render_learning_curve(training["history"]), "utf-8")


def render_learning_curve(history: Sequence[dict[str, float]]) -> str:
    """Render scores from 0 to 1 by epoch as an SVG image."""
    last = max((entry["epochs"] for entry in history), default=1.0) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12" role="img">',
        "<title>Scores by epoch</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        *(_rule(share / 4) for share in range(5)),
        _text(_x(0, last), _HEIGHT - 16, "0", "middle"),
        _text(_x(last, last), _HEIGHT - 16, f"{last:.3g} epochs", "middle"),
    ]
    for place, (key, name, color) in enumerate(_LINES):
        points = [(_x(entry["epochs"], last), _y(entry[key])) for entry in history]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in points]
        end = f" {history[-1][key]:.4f}" if history else ""
        legend = _text(_WIDTH - _RIGHT + 12, _TOP + 18 * (place + 1), name + end, "start")
        parts.append(legend.replace("<text", f'<text fill="{color}"'))
    return "\n".join([*parts, "</svg>\n"])


def render_threshold_curve(points: Sequence[tuple[float, float, float]]) -> str:
    """Render what thresholds leave as an SVG image: recall over touched tokens in a thousand.

    Points are (threshold, recall, touched).
    """
    most = max((touched for _, _, touched in points), default=1.0) or 1.0
    places = [(_x(touched, most), _y(recall)) for _, recall, touched in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    color = _LINES[0][2]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12" role="img">',
        "<title>Recall over touched tokens by threshold</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        *(_rule(share / 4) for share in range(5)),
        _text(_x(0, most), _HEIGHT - 16, "0", "middle"),
        _text(_x(most, most), _HEIGHT - 16, f"{most:.3g} of 1,000 other tokens", "end"),
        f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>',
    ]
    for (threshold, recall, touched), (x, y) in zip(points, places, strict=True):
        hint = f"threshold {threshold:g}: recall {recall:.4f}, {touched:.2f} in 1,000 touched"
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"><title>{hint}</title></circle>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _rule(share: float) -> str:
    y = _y(share)
    line = f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#dde2e7"/>'
    return line + _text(_LEFT - 8, y + 4, f"{share:g}", "end")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _x(epochs: float, last: float) -> float:
    return _LEFT + epochs / last * (_WIDTH - _LEFT - _RIGHT)


def _y(share: float) -> float:
    return _TOP + (1 - share) * (_HEIGHT - _TOP - _BOTTOM)


MOST_BINS = 48
"""The most bars that can be distinguished at the size of a table cell."""

# Strides no longer than the shortest bin of their unit, so that no bin is skipped.
_STRIDES = {"day": 1, "week": 7, "month": 28, "quarter": 90, "year": 365}


@dataclass(frozen=True)
class ChartAxis:
    """Consecutive bins of one unit (`day`, `week`, `month`, `quarter`, `year`), oldest first.

    `places` maps the days that the axis was made for to their bins, where they have one.
    """

    unit: str
    bins: tuple[str, ...]
    places: Mapping[str, int]


def make_axis(days: Iterable[str]) -> ChartAxis:
    """Choose the finest unit whose bins from the first to the last day are at most `MOST_BINS`.

    Values that are not ISO dates are ignored. If there are too many years, the latest are kept.
    """
    dated = {day: parsed for day in days if (parsed := _parsed(day))}
    if not dated:
        return ChartAxis("day", (), {})
    first, last = min(dated.values()), max(dated.values())
    unit = next((unit for unit in _STRIDES if _fits(first, last, unit)), "year")
    bins = _bins(first, last, unit)[-MOST_BINS:]
    order = {name: place for place, name in enumerate(bins)}
    found = {day: order.get(_bin(parsed, unit)) for day, parsed in dated.items()}
    return ChartAxis(unit, bins, {day: place for day, place in found.items() if place is not None})


def sum_by_bin(counts: Mapping[str, int], along: ChartAxis) -> list[int]:
    """Sum counts by day into the bins of an axis."""
    values = [0] * len(along.bins)
    for day, count in counts.items():
        if day in along.places:
            values[along.places[day]] += count
    return values


def draw_bars(values: Sequence[int], top: int, *, width: float, height: float) -> str:
    """Draw bars from a baseline at the bottom as the `d` of one SVG path.

    `top` is the value of a full-height bar. A value above zero is always visible.
    """
    if not values or top <= 0:
        return ""
    step = width / len(values)
    bar = min(step - min(1.0, step / 4), height)
    sizes = [max(value / top * height, 1.0) if value > 0 else 0 for value in values]
    return "".join(
        f"M{place * step:.1f} {height:g}v-{size:.1f}h{bar:.1f}V{height:g}z"
        for place, size in enumerate(sizes)
        if size
    )


def _parsed(day: str) -> date | None:
    try:
        return date.fromisoformat(day)
    except ValueError:
        return None


def _fits(first: date, last: date, unit: str) -> bool:
    # The cheap test avoids walking a million days when one note is dated in the year 1.
    strides = (last - first).days // _STRIDES[unit]
    return strides <= 2 * MOST_BINS and len(_bins(first, last, unit)) <= MOST_BINS


def _bins(first: date, last: date, unit: str) -> tuple[str, ...]:
    stride = _STRIDES[unit]
    steps = range((last - first).days // stride + 1)
    days = (first + timedelta(days=stride * step) for step in steps)
    return tuple(dict.fromkeys(_bin(day, unit) for day in (*days, last)))


def _bin(day: date, unit: str) -> str:
    names = {
        "week": f"{day.isocalendar().year}-W{day.isocalendar().week:02}",
        "month": f"{day:%Y-%m}",
        "quarter": f"{day.year}-Q{(day.month + 2) // 3}",
        "year": f"{day.year}",
    }
    return names.get(unit, day.isoformat())


@dataclass(frozen=True)
class ChartMark:
    """Vertical positions on a chart, from its top: the last value, and its expected range."""

    value: float | None
    low: float
    high: float


def draw_line(values: Sequence[float | None], top: float, *, width: float, height: float) -> str:
    """Draw values as the `d` of one SVG path, with gaps where there is none.

    `top` is the value of the full height.
    """
    if len(values) < 2 or top <= 0:
        return ""
    step = width / (len(values) - 1)
    parts = []
    is_down = False
    for place, value in enumerate(values):
        if value is not None:
            # A value between gaps is drawn as a dot: a very short line.
            pen = "L" if is_down else "M"
            alone = not is_down and (place + 1 == len(values) or values[place + 1] is None)
            parts.append(f"{pen}{place * step:.1f} {_from_top(value, top, height):.1f}")
            parts += ["h.1"] * alone
        is_down = value is not None
    return "".join(parts)


def place_mark(
    value: float | None, limits: tuple[float | None, float | None], top: float, *, height: float
) -> ChartMark | None:
    """Return the positions of the last value and its expected range; None without a range."""
    low, high = limits
    if low is None or high is None or top <= 0:
        return None
    place = None if value is None else _from_top(value, top, height)
    return ChartMark(place, _from_top(low, top, height), _from_top(high, top, height))


def _from_top(value: float, top: float, height: float) -> float:
    return height - min(max(value / top, 0.0), 1.0) * height


@dataclass(frozen=True)
class Panel:
    """A small chart of a rate by night or release; None in `rates` where nothing was counted.

    The last rate belongs to the run or release that is reported.
    """

    title: str
    rates: tuple[float | None, ...]
    path: str
    mark: ChartMark | None
    total: float
    is_alarm: bool
    hint: str


PANEL_WIDTH, PANEL_HEIGHT = 168.0, 44.0
"""The size of a panel's chart."""


def make_panel(
    title: str,
    rates: Sequence[float | None],
    *,
    total: float,
    limits: tuple[float | None, float | None] = (None, None),
    is_alarm: bool = False,
) -> Panel:
    """Draw a small chart; `limits` is the expected range of the last rate."""
    top = max([rate for rate in (*rates, limits[1]) if rate is not None], default=0.0)
    last = rates[-1] if rates else None
    return Panel(
        title=title,
        rates=tuple(rates),
        path=draw_line(rates, top, width=PANEL_WIDTH, height=PANEL_HEIGHT),
        mark=place_mark(last, limits, top, height=PANEL_HEIGHT),
        total=total,
        is_alarm=is_alarm,
        hint=_hint(title, last, limits),
    )


def _hint(title: str, rate: float | None, limits: tuple[float | None, float | None]) -> str:
    last = "nothing counted" if rate is None else f"{rate:.3g}"
    low, high = limits
    between = "" if low is None or high is None else f", usually {low:.3g} to {high:.3g}"
    return f"{title}: last {last}{between}"


@dataclass(frozen=True)
class IntervalMark:
    """A share with its interval on a chart: horizontal position, and vertical ones from the top."""

    x: float
    value: float | None
    low: float
    high: float


@dataclass(frozen=True)
class IntervalChart:
    """Shares with intervals, in order; the bottom of the chart is the share `bottom`, its top 1."""

    width: float
    height: float
    bottom: float
    marks: tuple[IntervalMark, ...]


_MARK_STEP, _INTERVAL_HEIGHT = 34.0, 90.0


def draw_intervals(
    shares: Sequence[tuple[float | None, float, float]],
) -> IntervalChart | None:
    """Draw shares from 0 to 1, each with its lower and upper bound; None for fewer than two.

    The bottom is the lowest bound, rounded down to tenths.
    """
    if len(shares) < 2:
        return None
    bottom = min(int(10 * low) / 10 for _, low, _ in shares)
    bottom = min(bottom, 0.9)

    def place(value: float) -> float:
        return _from_top(value - bottom, 1 - bottom, _INTERVAL_HEIGHT)

    marks = tuple(
        IntervalMark(
            (number + 0.5) * _MARK_STEP,
            None if rate is None else place(rate),
            place(low),
            place(high),
        )
        for number, (rate, low, high) in enumerate(shares)
    )
    return IntervalChart(len(shares) * _MARK_STEP, _INTERVAL_HEIGHT, bottom, marks)

"""Charts of the gate's report as SVG: grouped bars, and curves over the diagonal of a guess."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_WIDTH, _HEIGHT = 480, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 44, 34
_COLORS = ("#2f6f9f", "#1d7a46", "#b3261e", "#8a5a00")
_MOST_NAMES = 12
_LONGEST_NAME = 14


def draw_chart(chart: Mapping[str, Any]) -> str:
    """Draw a chart (see `evaluation.gate_charts.GateChart`) as an SVG image with its title."""
    is_curve = chart["kind"] == "curve"
    series: Mapping[str, Sequence[float]] = chart["series"]
    top = 1.0 if is_curve else max((max(s) for s in series.values() if s), default=1.0) or 1.0
    marks = _curves(series) if is_curve else _bars(chart["groups"], series, top)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="11" role="img">',
        f"<title>{escape(chart['title'])}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        _text(_LEFT, 16, chart["title"], size=13),
        *_legend(series),
        *(_rule(step / 4, top) for step in range(5)),
        *marks,
        *_names(chart["groups"], is_curve=is_curve),
        "</svg>",
    ]
    return "\n".join(parts)


def _bars(groups: Sequence[str], series: Mapping[str, Sequence[float]], top: float) -> list[str]:
    step = _span() / max(1, len(groups))
    width = 0.8 * step / max(1, len(series))
    found = []
    for place, (name, values) in enumerate(series.items()):
        for number, (group, value) in enumerate(zip(groups, values, strict=True)):
            x, y = _LEFT + number * step + 0.1 * step + place * width, _y(value / top)
            hint = escape(f"{name}, {group}: {value:.4f}")
            found.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_y(0) - y:.1f}" '
                f'fill="{_color(place)}"><title>{hint}</title></rect>'
            )
    return found


def _curves(series: Mapping[str, Sequence[float]]) -> list[str]:
    guess = f"M{_LEFT} {_y(0):.1f}L{_LEFT + _span()} {_y(1):.1f}"
    found = [f'<path d="{guess}" stroke="#9aa5b1" stroke-dasharray="4 4"/>']
    for place, values in enumerate(series.values()):
        last = max(1, len(values) - 1)
        points = (
            f"{_LEFT + n / last * _span():.1f},{_y(value):.1f}" for n, value in enumerate(values)
        )
        found.append(
            f'<polyline points="{" ".join(points)}" fill="none" stroke="{_color(place)}" '
            'stroke-width="2"/>'
        )
    return found


def _names(groups: Sequence[str], *, is_curve: bool) -> list[str]:
    if is_curve:
        ends = ((0.0, "0"), (1.0, "1"))
        return [_text(_LEFT + x * _span(), _HEIGHT - 16, told, "middle") for x, told in ends]
    step = _span() / max(1, len(groups))
    every = -(-len(groups) // _MOST_NAMES) or 1
    found = []
    for number in range(0, len(groups), every):
        name = groups[number]
        told = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
        low = 12 * (number // every % 2)  # in two lines, so that neighbours do not touch
        found.append(_text(_LEFT + (number + 0.5) * step, _HEIGHT - 20 + low, told, "middle", 9))
    return found


def _legend(series: Mapping[str, Sequence[float]]) -> list[str]:
    found, x = [], float(_LEFT)
    for place, name in enumerate(series):
        found += [
            f'<rect x="{x:.0f}" y="24" width="9" height="9" fill="{_color(place)}"/>',
            _text(x + 13, 32, name),
        ]
        x += 30 + 6.5 * len(name)
    return found


def _rule(share: float, top: float) -> str:
    y = _y(share)
    line = f'<path d="M{_LEFT} {y:.1f}H{_LEFT + _span()}" stroke="#dde2e7"/>'
    return line + _text(_LEFT - 6, y + 4, f"{share * top:.3g}", "end")


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 11) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="#1c2530">'
        f"{escape(text)}</text>"
    )


def _color(place: int) -> str:
    return _COLORS[place % len(_COLORS)]


def _span() -> int:
    return _WIDTH - _LEFT - _RIGHT


def _y(share: float) -> float:
    return _TOP + (1 - share) * (_HEIGHT - _TOP - _BOTTOM)

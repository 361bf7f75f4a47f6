"""How a tagger learnt, as a picture: scores on the notes selected by, after every evaluation."""

import json
from collections.abc import Sequence
from pathlib import Path

CURVE = "learning_curve.svg"

_WIDTH, _HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 150, 16, 40
_LINES = (
    ("f1", "F1", "#2f6f9f"),
    ("zero_leak", "notes without leak", "#1d7a46"),
    ("redacted", "words redacted", "#8a5a00"),
)


def draw(folder: Path) -> None:
    """Write `learning_curve.svg` beside the `training.json` it is drawn from."""
    held = json.loads((folder / "training.json").read_text("utf-8"))
    (folder / CURVE).write_text(picture(held["history"]), "utf-8")


def picture(history: Sequence[dict[str, float]]) -> str:
    """Draw shares from 0 to 1 over epochs as one SVG."""
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

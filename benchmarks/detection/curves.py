"""Learning curves as SVG: scores by number of training notes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

_LEFT, _WIDTH, _TOP, _HEIGHT = 60, 500, 20, 260


@dataclass(frozen=True)
class CurveLine:
    """Scores under one name, each with how many notes were learnt from."""

    name: str
    color: str
    points: Sequence[tuple[int, float]] = field(repr=False)


def draw_curves(lines: Sequence[CurveLine], title: str, below: str) -> str:
    """Draw lines of scores, as far apart as their numbers of notes come in order."""
    sizes = sorted({size for line in lines for size, _ in line.points})
    scores = [score for line in lines for _, score in line.points]
    low, high = min(scores), max(scores)
    across = {s: _LEFT + _WIDTH * at / max(len(sizes) - 1, 1) for at, s in enumerate(sizes)}
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 340" font-family="sans-serif" '
        f'font-size="12" role="img"><title>{escape(title)}</title>'
    ]

    def down(score: float) -> float:
        return _TOP + _HEIGHT * (high - score) / max(high - low, 1e-9)

    for size, x in across.items():
        parts.append(f'<text x="{x:.0f}" y="305" text-anchor="middle">{size}</text>')
    for score in (low, high):
        parts.append(f'<text x="52" y="{down(score) + 4:.0f}" text-anchor="end">{score:.3f}</text>')
    for line in lines:
        drawn = " ".join(f"{across[size]:.1f},{down(score):.1f}" for size, score in line.points)
        look = f'fill="none" stroke="{line.color}" stroke-width="2"'
        parts.append(f'<polyline points="{drawn}" {look}/>')
        x, y = across[line.points[-1][0]] + 8, down(line.points[-1][1]) + 4
        parts.append(
            f'<text x="{x:.0f}" y="{y:.0f}" fill="{line.color}">{escape(line.name)}</text>'
        )
    parts.append(f'<text x="310" y="328" text-anchor="middle">{escape(below)}</text></svg>')
    return "\n".join(parts) + "\n"

"""Lines of text with their position on a page, and sorting them into reading order."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

Box = tuple[float, float, float, float]


class GlyphRun(NamedTuple):
    """Characters `start` to `end` of a line, drawn in one font, and their box on the page."""

    start: int
    end: int
    box: Box


class Line(NamedTuple):
    """A line as the document draws it.

    `block` numbers the group of lines it was drawn with, from 0; a negative one is a ruled table.
    `direction` is the unit vector of the text direction, on a page with y downwards. `box` is x0,
    y0, x1, y1 in points, on the page rotated so that the text runs from left to right; `place` is
    the box on the page as displayed. `size` is the largest font size in points, 0 if unknown.
    `runs` are in order and cover the text; without any, only `place` is known.
    """

    text: str
    block: int
    box: Box
    direction: tuple[float, float] = (1.0, 0.0)
    place: Box = (0.0, 0.0, 0.0, 0.0)
    size: float = 0.0
    bold: bool = False
    runs: tuple[GlyphRun, ...] = ()

    def __repr__(self) -> str:
        return f"Line({len(self.text)} characters at {self.place})"


def rotate_upright(box: Box, direction: tuple[float, float]) -> Box:
    """Rotate a box such that text along `direction` runs from left to right."""
    dx, dy = direction
    x0, y0, x1, y1 = box
    left, right = sorted((x0 * dx, x1 * dx))
    start, end = sorted((y0 * dy, y1 * dy))
    top, bottom = sorted((y0 * dx, y1 * dx))
    low, high = sorted((x0 * dy, x1 * dy))
    return left + start, top - high, right + end, bottom - low


# Most programs write blocks in reading order, also in columns. If more than this share of steps
# goes back up the same column, the order on the page is used instead; if nearly every step does,
# the page is mirrored.
_MAX_STEPS_BACK = 0.2
_MIN_STEPS_BACK = 2
_MIRRORED = 0.8


def sort_reading_order(lines: Sequence[Line]) -> list[Line]:
    """Return lines in reading order: the drawing order, or the order on the page if implausible."""
    blocks: dict[int, list[Line]] = {}
    for line in lines:
        if line.text.strip():
            blocks.setdefault(line.block, []).append(line)
    framed = [(block, _bounding_box(block)) for block in blocks.values()]
    back = sum(_goes_back_up(before, after) for before, after in pairwise(framed))
    steps = max(len(blocks) - 1, 1)
    if back >= _MIN_STEPS_BACK and _MAX_STEPS_BACK < back / steps < _MIRRORED:
        turns = list(dict.fromkeys(line.direction for line in lines))
        rows: list[list[Line]] = []
        places = [
            (turns.index(line.direction), line.box[1] + line.box[3], line.box[0]) for line in lines
        ]
        for number in sorted(range(len(lines)), key=places.__getitem__):
            line = lines[number]
            if rows and are_on_same_row(rows[-1][0], line):
                rows[-1].append(line)
            else:
                rows.append([line])
        return [line for row in rows for line in sorted(row, key=lambda line: line.box[0])]
    return list(lines)


def _bounding_box(lines: Sequence[Line]) -> Box:
    if len(lines) == 1:
        return lines[0].box
    x0, y0, x1, y1 = zip(*[line.box for line in lines], strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _goes_back_up(one: tuple[Sequence[Line], Box], other: tuple[Sequence[Line], Box]) -> bool:
    (above, before), (below, after) = one, other
    if after[3] > (before[1] + before[3]) / 2 or above[-1].direction != below[0].direction:
        return False
    overlap = min(before[2], after[2]) - max(before[0], after[0])
    narrower = min(before[2] - before[0], after[2] - after[0])
    return overlap > narrower / 2


def are_on_same_row(one: Line, other: Line) -> bool:
    """Return whether two lines are side by side in one row."""
    _, top, _, bottom = one.box
    _, above, _, below = other.box
    overlap = min(bottom, below) - max(top, above)
    lower = min(bottom - top, below - above)
    return overlap > 0.6 * lower and one.direction == other.direction

"""Lines of text on a page: in which order they are read and which of them share a row."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A line as the document draws it.

    `block` numbers the group of lines it was drawn with. `direction` is the unit vector that the
    text runs along, on a page with y downwards. `box` is x0, y0, x1, y1 in points, on the page
    turned so that the text runs from left to right.
    """

    text: str = field(repr=False)
    block: int
    box: Box
    direction: tuple[float, float] = (1.0, 0.0)


def turned(box: Box, direction: tuple[float, float]) -> Box:
    """Turn a box of the page so that text which runs along `direction` runs from left to right."""
    dx, dy = direction
    corners = [(x, y) for x in (box[0], box[2]) for y in (box[1], box[3])]
    across = [x * dx + y * dy for x, y in corners]
    down = [y * dx - x * dy for x, y in corners]
    return min(across), min(down), max(across), max(down)


# Programs write blocks in reading order, columns too. Above this share of steps that lead back up
# the same column, they did not, and the place on the page decides; where nearly every step leads
# back up, the page is mirrored.
_MAX_STEPS_BACK = 0.2
_MIN_STEPS_BACK = 2
_MIRRORED = 0.8


def in_order(lines: Sequence[Line]) -> list[Line]:
    """Put lines in reading order: the order they were drawn in, unless that makes no sense."""
    blocks = _blocks(lines)
    back = sum(_steps_back(before, after) for before, after in pairwise(blocks))
    steps = max(len(blocks) - 1, 1)
    if back >= _MIN_STEPS_BACK and _MAX_STEPS_BACK < back / steps < _MIRRORED:
        return _by_place(lines)
    return list(lines)


def join_rows(lines: Iterable[Line]) -> str:
    """Write lines one below the other; neighbours that share a row share a line.

    They are parted by a space, by a tab where the gap is wider than the letters are high. Blanks
    around a line go; several empty lines become one.
    """
    parts: list[str] = []
    before: Line | None = None
    for line in lines:
        if before is not None:
            parts.append(_between(before, line))
        parts.append(line.text)
        before = line
    rows = "\n".join(row.strip() for row in "".join(parts).split("\n"))
    return _EMPTY_LINES.sub("\n\n", rows).strip("\n")


_EMPTY_LINES = re.compile("\n{3,}")


def _blocks(lines: Sequence[Line]) -> list[list[Line]]:
    blocks: dict[int, list[Line]] = {}
    for line in lines:
        if line.text.strip():
            blocks.setdefault(line.block, []).append(line)
    return list(blocks.values())


def _around(lines: Iterable[Line]) -> Box:
    x0, y0, x1, y1 = zip(*(line.box for line in lines), strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _steps_back(one: Sequence[Line], other: Sequence[Line]) -> bool:
    before, after = _around(one), _around(other)
    above = after[3] <= (before[1] + before[3]) / 2
    overlap = min(before[2], after[2]) - max(before[0], after[0])
    narrower = min(before[2] - before[0], after[2] - after[0])
    return one[-1].direction == other[0].direction and above and overlap > narrower / 2


def _by_place(lines: Sequence[Line]) -> list[Line]:
    turns = list(dict.fromkeys(line.direction for line in lines))
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (turns.index(line.direction), *_place(line.box))):
        if rows and _share_row(rows[-1][0], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.box[0])]


def _place(box: Box) -> tuple[float, float]:
    return box[1] + box[3], box[0]


def _share_row(one: Line, other: Line) -> bool:
    overlap = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    lower = min(one.box[3] - one.box[1], other.box[3] - other.box[1])
    return one.direction == other.direction and overlap > 0.6 * lower


def _between(before: Line, after: Line) -> str:
    gap = after.box[0] - before.box[2]
    height = before.box[3] - before.box[1]
    if not _share_row(before, after) or gap < -height / 2:
        return "\n"
    if before.text[-1:].isspace() or after.text[:1].isspace():
        return "" if gap <= height else "\t"
    return " " if gap <= height else "\t"

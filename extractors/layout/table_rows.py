"""Joining the lines of ruled tables row by row, so that a value stands beside its name."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from extractors.document.lines import Box, GlyphRun, Line, are_on_same_row, rotate_upright

_MIN_ROWS = 2
_MIN_COLUMNS = 2
_MANY = 3  # rows or columns; frames around addresses have two of both
_STACKED = 3
_STACKED_ROWS = 2
_WRAPPED = 4  # lines; with more, a cell holds prose or a list


def join_table_rows(
    lines: Sequence[Line], tables: Iterable[Sequence[Box]]
) -> list[tuple[Line, Line]]:
    """Join the lines of each row of tables to one line, with tabs between cells.

    `tables` hold the cells of each table, on the page as displayed. Returns each line with the
    first of those it consists of, in the order of `lines`; a table is where its first line was.
    Joined lines have a negative block, the same in one table, and runs with the boxes of their
    parts; separators have none. Lines outside tables, in a frame rather than a table, or in a row
    with a single cell stay as they are.
    """
    joined: dict[int, list[tuple[Line, Line]]] = {}  # by the index of the first line
    inside: set[int] = set()
    for number, cells in enumerate(tables):
        table = _Table(lines, [index for index in range(len(lines)) if index not in inside], cells)
        if table.is_frame():
            continue
        joined[min(table.cell_of)] = list(table.rows(-1 - number))
        inside.update(table.cell_of)
    parts = (
        joined.get(index, () if index in inside else ((line, line),))
        for index, line in enumerate(lines)
    )
    return [pair for part in parts for pair in part]


class _InCell(NamedTuple):
    number: int
    line: Line
    cell: int


class _Table:
    """The lines of a table by row; `cell_of` maps the index of each line to that of its cell."""

    def __init__(self, lines: Sequence[Line], free: Sequence[int], cells: Sequence[Box]) -> None:
        self._lines = lines
        self._cells: Sequence[Box] = cells
        self.cell_of: dict[int, int] = {}
        self._rows: list[list[_InCell]] = []
        free = [index for index in free if lines[index].text.strip()]
        located = _locate([lines[index].place for index in free], cells)
        found = dict(zip(free, located, strict=True))
        ways = Counter(lines[index].direction for index, cell in found.items() if cell >= 0)
        [(way, _)] = ways.most_common(1) or [((0.0, 0.0), 0)]
        if sorted(map(abs, way)) != [0.0, 1.0]:
            return
        self._cells = [rotate_upright(cell, way) for cell in cells]
        self.cell_of = {
            index: cell
            for index, cell in found.items()
            if cell >= 0 and lines[index].direction == way
        }
        rows: dict[float, list[_InCell]] = {}
        for index, cell in self.cell_of.items():
            rows.setdefault(self._cells[cell][1], []).append(_InCell(index, lines[index], cell))
        self._rows = [rows[top] for top in sorted(rows)]

    def is_frame(self) -> bool:
        columns = max((len({one.cell for one in row}) for row in self._rows), default=0)
        rows = len(self._rows)
        return rows < _MIN_ROWS or columns < _MIN_COLUMNS or max(rows, columns) < _MANY

    def rows(self, block: int) -> Iterator[tuple[Line, Line]]:
        for row in self._rows:
            cells = {one.cell for one in row}
            if len(cells) == 1:
                yield from ((one.line, one.line) for one in sorted(row))
                continue
            beside = list(_group_beside(row))
            # Wrapped text cannot be told where a line runs on into other cells.
            divided = any(map(self._spans_cells, row)) or _is_stack(beside, len(cells))
            for part in beside if divided else [row]:
                yield self._join(part, block)

    def _spans_cells(self, one: _InCell) -> bool:
        left, _, right, _ = self._cells[one.cell]
        over = (one.line.box[3] - one.line.box[1]) / 2
        return one.line.box[0] < left - over or one.line.box[2] > right + over

    def _join(self, row: Sequence[_InCell], block: int) -> tuple[Line, Line]:
        by_cell: dict[int, list[Line]] = {}
        for one in sorted(row, key=lambda one: _position(one.line)):
            by_cell.setdefault(one.cell, []).append(one.line)
        text = ""
        runs: list[GlyphRun] = []
        for cell in sorted(by_cell, key=lambda cell: self._cells[cell][0]):
            for number, line in enumerate(by_cell[cell]):
                part = line.text.strip()
                if text:
                    text += _separator(text, part, len(by_cell[cell])) if number else "\t"
                runs += _shift_runs(line, part, len(text))
                text += part
        parts = [one.line for one in row]
        first = by_cell[min(by_cell, key=lambda cell: self._cells[cell][0])][0]
        whole = first._replace(
            text=text,
            block=block,
            box=_bounding_box(line.box for line in parts),
            place=_bounding_box(line.place for line in parts),
            size=max(line.size for line in parts),
            bold=all(line.bold for line in parts),
            runs=tuple(runs),
        )
        return whole, first


def _locate(places: Sequence[Box], cells: Sequence[Box]) -> list[int]:
    """Return the number of the cell around the centre of each place, or -1."""
    if not places or not cells:
        return [-1] * len(places)
    box = np.array(places, np.float64)
    x, y = (box[:, :1] + box[:, 2:3]) / 2, (box[:, 1:2] + box[:, 3:]) / 2
    x0, y0, x1, y1 = np.array(cells, np.float64).T
    inside = (x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1)
    found: list[int] = np.where(inside.any(axis=1), inside.argmax(axis=1), -1).tolist()
    return found


def _group_beside(row: Iterable[_InCell]) -> Iterator[list[_InCell]]:
    group: list[_InCell] = []
    for one in sorted(row, key=lambda one: _position(one.line)):
        if group and not are_on_same_row(group[0].line, one.line):
            yield group
            group = []
        group.append(one)
    yield group


def _is_stack(groups: Sequence[Sequence[_InCell]], columns: int) -> bool:
    # Rows with no rule between them: each line has its neighbours, or at least three cells hold
    # several lines side by side. In two cells, they may be wrapped text.
    if len(groups) < _STACKED_ROWS:
        return False
    sides = [len({one.cell for one in group}) for group in groups]
    lines = Counter(one.cell for group in groups for one in group)
    return all(side == columns for side in sides) or (
        sum(side >= _STACKED for side in sides) >= _STACKED_ROWS
        and sum(count > 1 for count in lines.values()) >= _STACKED
    )


def _position(line: Line) -> tuple[float, float]:
    return line.box[1] + line.box[3], line.box[0]


def _separator(text: str, part: str, lines: int) -> str:
    # Words that are broken at the end of a line are mended later, before a small letter.
    if text[-1] in "-\u2010\u00ad" and text[-2:-1].isalpha() and part[:1].isalpha():
        return "" if part[0].isupper() and text[-1] != "\u00ad" else "\n"
    return " " if lines <= _WRAPPED else "\n"


def _shift_runs(line: Line, text: str, at: int) -> Iterator[GlyphRun]:
    start = line.text.index(text)
    for run in line.runs or (GlyphRun(0, len(line.text), line.place),):
        first, last = max(run.start - start, 0), min(run.end - start, len(text))
        if first < last:
            yield GlyphRun(at + first, at + last, run.box)


def _bounding_box(boxes: Iterable[Box]) -> Box:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)

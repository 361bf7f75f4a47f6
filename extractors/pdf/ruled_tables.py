"""Tables of PDF pages with ruled borders: their cells, and joining the lines of each cell."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Any

import pdfplumber
from pdfplumber import table

from extractors.document.lines import Box, GlyphRun, Line, are_on_same_row, rotate_upright


def table_rows(page: pdfplumber.page.Page) -> list[list[Box]]:
    """Return the cells of a page's ruled tables, row by row.

    Boxes refer to the page as displayed, in points, y downwards.
    """
    left, top = page.mediabox[0], page.mediabox[1]
    rules = [(edge["x0"], edge["top"], edge["x1"], edge["bottom"]) for edge in page.edges]
    return ruled_rows((x0 - left, y0 - top, x1 - left, y1 - top) for x0, y0, x1, y1 in rules)


# More rules are a drawing; comparing them all would take seconds.
_MAX_RULES = 2000
_MAX_JOINED = 300
_SNAP = 3.0
_SHORTEST = 3.0


def ruled_rows(rules: Iterable[Box]) -> list[list[Box]]:
    """Return the cells enclosed by rules, row by row; a rule is a very thin box.

    Thicker boxes count as their four sides. A cell that spans several rows is in the topmost one.
    """
    edges = list(islice(_rule_edges(rules), _MAX_RULES + 1))
    if not 4 <= len(edges) <= _MAX_RULES:
        return []
    joined = table.merge_edges(edges, _SNAP, _SNAP, _SNAP, _SNAP)
    joined = [edge for edge in joined if max(edge["width"], edge["height"]) >= _SHORTEST]
    if len(joined) > _MAX_JOINED:
        return []
    cells = table.intersections_to_cells(table.edges_to_intersections(joined, _SNAP, _SNAP))
    return [row for group in table.cells_to_tables(cells) for row in _group_by_top(group)]


def _group_by_top(cells: Iterable[Box]) -> list[list[Box]]:
    tops: dict[float, list[Box]] = {}
    for cell in sorted(cells, key=lambda cell: (cell[1], cell[0])):
        tops.setdefault(cell[1], []).append(cell)
    return list(tops.values())


def _rule_edges(rules: Iterable[Box]) -> Iterator[dict[str, Any]]:
    for x0, y0, x1, y1 in rules:
        if x1 - x0 <= _SNAP and y1 - y0 > _SNAP:
            yield _make_edge("v", (x0 + x1) / 2, y0, (x0 + x1) / 2, y1)
        elif y1 - y0 <= _SNAP:
            yield _make_edge("h", x0, (y0 + y1) / 2, x1, (y0 + y1) / 2)
        else:
            yield from (_make_edge("h", x0, y, x1, y) for y in (y0, y1))
            yield from (_make_edge("v", x, y0, x, y1) for x in (x0, x1))


def _make_edge(orientation: str, x0: float, top: float, x1: float, bottom: float) -> dict[str, Any]:
    return {
        "orientation": orientation,
        "x0": x0,
        "x1": x1,
        "top": top,
        "bottom": bottom,
        "doctop": top,
        "width": x1 - x0,
        "height": bottom - top,
    }


def in_cells(lines: Sequence[Line], rows: Sequence[Sequence[Box]]) -> list[Line]:
    """Join the lines of each cell to one line, row by row.

    The joined lines replace the first line that lies in any cell. A line ends with a tab where
    the gap to the next cell is narrow. Runs keep the boxes of the joined lines; separators have
    none. Lines outside cells are not changed, nor are those of a cell with several directions or
    columns, or of a row that holds several rows without a rule between them.
    """
    cells = [cell for row in rows if not _is_stack(lines, row) for cell in row]
    inside: dict[int, list[Line]] = {}
    others: list[Line | None] = []
    for line in lines:
        index = _cell_of(line, cells)
        if index is None:
            others.append(line)
            continue
        if not inside:
            others.append(None)  # position of the joined lines
        inside.setdefault(index, []).append(line)
    joined = [one for index in sorted(inside) for one in _join_cell(inside[index], cells[index])]
    joined = [_end_with_tab(line, after) for line, after in zip_longest(joined, joined[1:])]
    return [one for line in others for one in (joined if line is None else [line])]


_STACKED = 3
_STACKED_ROWS = 2


def _is_stack(lines: Iterable[Line], row: Sequence[Box]) -> bool:
    # Lines side by side in at least three cells, more than once, are separate rows; with two
    # cells, they may be two columns of wrapped text.
    inside = [(line, index) for line in lines if (index := _cell_of(line, row)) is not None]
    cells = [{index for _, index in side} for side in _group_rows(inside)]
    return sum(len(one) >= _STACKED for one in cells) >= _STACKED_ROWS


def _group_rows(lines: Iterable[tuple[Line, int]]) -> list[list[tuple[Line, int]]]:
    rows: list[list[tuple[Line, int]]] = []
    for pair in sorted(lines, key=lambda pair: pair[0].box[1] + pair[0].box[3]):
        if rows and are_on_same_row(rows[-1][0][0], pair[0]):
            rows[-1].append(pair)
        else:
            rows.append([pair])
    return rows


def _end_with_tab(line: Line, after: Line | None) -> Line:
    # Lines side by side are separated by a tab if the gap is wider than they are high. Joined
    # cells are high, so they need a tab of their own.
    if after is None or not are_on_same_row(line, after):
        return line
    gap = after.box[0] - line.box[2]
    return line._replace(text=line.text + "\t") if gap <= line.box[3] - line.box[1] else line


def _cell_of(line: Line, cells: Sequence[Box]) -> int | None:
    x, y = (line.place[0] + line.place[2]) / 2, (line.place[1] + line.place[3]) / 2
    for index, (x0, y0, x1, y1) in enumerate(cells):
        if x0 <= x <= x1 and y0 <= y <= y1 and line.text.strip():
            return index
    return None


def _join_cell(lines: Sequence[Line], cell: Box) -> list[Line]:
    rows = _group_rows((line, 0) for line in lines)
    # A cell with columns is the frame around another table.
    is_laid_out = sum(len(row) > 1 for row in rows) >= _STACKED_ROWS
    if is_laid_out or len({line.direction for line in lines}) > 1:
        return list(lines)
    lines = sorted(lines, key=lambda line: (line.box[1] + line.box[3], line.box[0]))
    texts = [line.text.strip() for line in lines]
    runs: list[GlyphRun] = []
    at = 0
    for line, text in zip(lines, texts, strict=True):
        runs += _shift_runs(line, text, at)
        at += len(text) + 1
    # As high as the cell, so that the cells of a row are side by side.
    upright = rotate_upright(cell, lines[0].direction)
    left, right = min(line.box[0] for line in lines), max(line.box[2] for line in lines)
    return [
        lines[0]._replace(
            text=" ".join(texts),
            box=(left, upright[1], right, upright[3]),
            place=lines[0].place if len(lines) == 1 else cell,
            runs=tuple(runs),
        )
    ]


def _shift_runs(line: Line, text: str, at: int) -> Iterator[GlyphRun]:
    start = line.text.index(text)
    for run in line.runs or (GlyphRun(0, len(line.text), line.place),):
        first, last = max(run.start - start, 0), min(run.end - start, len(text))
        if first < last:
            yield GlyphRun(at + first, at + last, run.box)

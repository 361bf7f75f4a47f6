"""Tables of PDF pages with ruled borders: the cells that rules enclose, as in pdfplumber."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

from pdfplumber import table

from extractors.document.lines import Box

MIN_RULES = 4
"""Fewer lines and rectangles than this make no table."""
MAX_RULES = 2000
"""More lines and rectangles than this are a drawing; comparing them all would take seconds."""

_MAX_JOINED = 300
_MAX_CROSSINGS = 2000
_MIN_EDGES = 6  # of two rows and two columns
_MIN_CELLS = 4
_SNAP = 3.0
_LEVEL = 1.0
_SHORTEST = 3.0


_Point = tuple[float, float]


def find_rules(points: Sequence[_Point]) -> Iterator[Box]:
    """Return the horizontal and vertical lines of a path of straight lines."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if abs(x0 - x1) < _LEVEL or abs(y0 - y1) < _LEVEL:
            yield min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def find_tables(rules: Iterable[Box]) -> tuple[tuple[Box, ...], ...]:
    """Return the cells of each table that rules enclose; a rule is a very thin box.

    Thicker boxes count as their four sides. More rules than a table has that can be read are a
    drawing, and give nothing.
    """
    edges = list(islice(_rule_edges(rules), 4 * MAX_RULES + 1))
    if not _MIN_EDGES <= len(edges) <= 4 * MAX_RULES:
        return ()
    joined = table.merge_edges(edges, _SNAP, _SNAP, _SNAP, _SNAP)
    joined = [edge for edge in joined if max(edge["width"], edge["height"]) >= _SHORTEST]
    if len(joined) > _MAX_JOINED:
        return ()
    crossings = table.edges_to_intersections(joined, _SNAP, _SNAP)
    if len(crossings) > _MAX_CROSSINGS:
        return ()
    found = table.cells_to_tables(list(find_cells(crossings)))
    return tuple(tuple(cells) for cells in found if len(cells) >= _MIN_CELLS)


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


_Crossings = Mapping[_Point, Mapping[str, Collection[Mapping[str, Any]]]]


def find_cells(crossings: _Crossings) -> Iterator[Box]:
    """Return the smallest cell to the lower right of each crossing, if there is one.

    The same cells as pdfplumber's `intersections_to_cells`, whose time grows with the square of
    the crossings: 5 ms for a page of laboratory values, more than reading its text takes.
    """
    lines: dict[str, dict[_Point, frozenset[int]]] = {
        way: {point: frozenset(map(id, meets[way])) for point, meets in crossings.items()}
        for way in ("v", "h")
    }
    columns: dict[float, list[_Point]] = {}
    rows: dict[float, list[_Point]] = {}
    for point in sorted(crossings):
        columns.setdefault(point[0], []).append(point)
        rows.setdefault(point[1], []).append(point)
    for column in columns.values():
        for number, point in enumerate(column):
            row = rows[point[1]]
            below = list(_along(lines["v"], point, column[number + 1 :]))
            beside = list(_along(lines["h"], point, row[row.index(point) + 1 :])) if below else ()
            corners = ((right, low, (right[0], low[1])) for low in below for right in beside)
            for right, low, corner in corners:
                if (
                    corner in crossings
                    and lines["v"][corner] & lines["v"][right]
                    and lines["h"][corner] & lines["h"][low]
                ):
                    yield (*point, *corner)
                    break


def _along(
    lines: Mapping[_Point, frozenset[int]], start: _Point, points: Iterable[_Point]
) -> Iterator[_Point]:
    # Merged lines do not overlap: where one ends, no later point is on it.
    for point in points:
        if lines[start].isdisjoint(lines[point]):
            return
        yield point

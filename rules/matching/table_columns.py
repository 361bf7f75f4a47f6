"""The cells of tables in plain text, by the heading of their column.

Columns are parted by tabs, by `|`, or by two blanks and more: a cell stands under its heading.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

_FEWEST_HEADINGS, _FEWEST_ROWS = 3, 2
_MOST_ROWS = 400
_LONGEST_LINE = 400
_NEAR = 3
"""How many characters before or behind its heading a cell may begin."""
_CELL = re.compile(r"[^\s|](?:[^\n|\t ]| (?! ))*")


class _Line(NamedTuple):
    start: int
    cells: tuple[tuple[int, int], ...]
    sign: str


def cells_under(folded: str, headings: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield start and end of the cells that stand under one of the headings (folded).

    A table has a line of three headings or more and two rows at least, and ends with a blank line
    or one that is no row.
    """
    for columns in _tables(folded):
        for heading, cells in columns:
            if heading in headings:
                yield from cells


@lru_cache(4)
def _tables(folded: str) -> tuple[tuple[tuple[str, tuple[tuple[int, int], ...]], ...], ...]:
    """Return for each table its columns, as a heading and the cells under it."""
    if "  " not in folded and "\t" not in folded and "|" not in folded:
        return ()
    lines = list(_lines(folded))
    found = []
    at = 0
    while at < len(lines):
        head = lines[at]
        rows = _rows_behind(lines, at) if _is_heading(folded, head) else []
        if len(rows) < _FEWEST_ROWS:
            at += 1
            continue
        found.append(
            tuple(
                (
                    folded[start:end].strip(" .:*"),
                    tuple(cell for row in rows if (cell := _cell_of(head, number, row))),
                )
                for number, (start, end) in enumerate(head.cells)
            )
        )
        at += len(rows) + 1
    return tuple(found)


def _lines(folded: str) -> Iterator[_Line]:
    start = 0
    for written in folded.split("\n"):
        sign = "\t" if "\t" in written else "|" if written.count("|") > 1 else " "
        cells: tuple[tuple[int, int], ...] = ()
        # Most lines have one cell, and are neither a heading nor a row.
        if len(written) <= _LONGEST_LINE and (sign != " " or "  " in written or "|" in written):
            if sign == " ":
                cells = tuple((m.start() + start, m.end() + start) for m in _CELL.finditer(written))
            else:
                cells = tuple(_split(written, sign, start))
        yield _Line(start, cells, sign)
        start += len(written) + 1


def _split(written: str, sign: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the cells between signs; an empty one has its start as its end."""
    at = 0
    for part in written.split(sign):
        lead = len(part) - len(part.lstrip())
        stripped = part.strip()
        first = start + at + (lead if stripped else 0)
        yield first, first + len(stripped)
        at += len(part) + 1


def _is_heading(folded: str, line: _Line) -> bool:
    """Return whether a line has several cells, most of them words."""
    cells = [folded[start:end] for start, end in line.cells if start < end]
    words = [cell for cell in cells if any(map(str.isalpha, cell)) and not cell[0].isdigit()]
    return len(cells) >= _FEWEST_HEADINGS and len(words) * 3 >= len(cells) * 2


def _rows_behind(lines: list[_Line], at: int) -> list[_Line]:
    rows: list[_Line] = []
    for line in lines[at + 1 : at + 1 + _MOST_ROWS]:
        if len(line.cells) < 2 or line.sign != lines[at].sign:
            break
        rows.append(line)
    return rows


def _cell_of(head: _Line, number: int, row: _Line) -> tuple[int, int] | None:
    if head.sign != " ":
        cell = row.cells[number] if len(row.cells) == len(head.cells) else None
        return cell if cell and cell[0] < cell[1] else None
    start, end = (edge - head.start for edge in head.cells[number])
    for first, last in row.cells:
        begins = first - row.start
        # Right-aligned numbers end under their heading.
        if abs(begins - start) <= _NEAR or (start < begins and last - row.start <= end):
            return first, last
    return None

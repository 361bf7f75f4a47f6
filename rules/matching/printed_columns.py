"""Columns of a text that is printed row by row, each read downwards, with offsets back.

A value that is broken at the edge of a column has the text of the other columns between its
halves: `06 63 10      la temperature` above `42 13 et le      est stable`.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

# A tab, a rule or three blanks and more part columns; two blanks do so only at a steady place.
_BLANKS = " \u00a0\u2000-\u200a\u202f\u3000"
_SIGNS = "\t|¦│┃║"
_SIGN = re.compile(f"[{_SIGNS}]")
_TRIMMED = f"{_SIGNS} \u00a0\u202f\u3000{''.join(map(chr, range(0x2000, 0x200B)))}"
_MAY_PART = re.compile(f"  |[{_SIGNS}{_BLANKS[1:]}]")
_PARTING = re.compile(f"[{_SIGNS}{_BLANKS}]{{2,}}|[{_SIGNS}]")
_LINE = re.compile("[^\n\r\v\f\x85\u2028\u2029]+")
_WIDE = 3
# Lines in which a column begins at one place: with wide gutters before it, with any.
_FEWEST_WIDE, _FEWEST_NARROW = 2, 3
# A line whose first cell is missing.
_PUSHED = re.compile(rf"[{_BLANKS}]{{13}}|[{_BLANKS}]*(?:\t|[|│][{_BLANKS}]*[|│])")
# So many lines without a gutter may stand between those that have one, and beside them.
_NEAR = 3
# So many cells before and behind those that newly stand one below the other are read as well,
# and so much of the ends of a long one.
_AROUND, _EDGE = 2, 64
# Cells are read as they are printed where nothing but so many blanks stands between them.
_CLOSE = 12
# What parts readings: more than any known value may have between its parts.
_APART = "\n" * 80
_RECENT = 32

_Cell = tuple[int, int]
_Reading = list[list[tuple[int, _Cell]]]


class ReadColumns:
    """The columns of a text, read downwards: lines of cells, with their places in the text."""

    __slots__ = ("_cells", "_starts", "text")

    def __init__(self, source: str, runs: Sequence[Sequence[_Cell]]) -> None:
        self._cells: list[_Cell] = []
        self._starts: list[int] = []
        pieces: list[str] = []
        at = 0
        for run in runs:
            for start, end in run:
                self._cells.append((start, end))
                self._starts.append(at)
                pieces += (source[start:end], "\n")
                at += end - start + 1
            pieces.append(_APART)
            at += len(_APART)
        self.text = "".join(pieces)

    def pieces(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the stretches of the source that a stretch stands for, one for each cell."""
        found: list[tuple[int, int]] = []
        for number in range(bisect_right(self._starts, start) - 1, len(self._cells)):
            begins, (first, last) = self._starts[number], self._cells[number]
            if begins >= end:
                break
            piece = (first + max(0, start - begins), min(last, first + end - begins))
            if piece[0] < piece[1]:
                found.append(piece)
        return found

    def __repr__(self) -> str:
        return f"ReadColumns({len(self.text)} code points)"


class _Gutter(NamedTuple):
    """What parts two cells: tabs and rules, by their number, or so many blanks."""

    start: int
    end: int
    signs: int

    @property
    def is_wide(self) -> bool:
        return self.signs > 0 or self.end - self.start >= _WIDE


class _Row:
    """A line that is not blank: where it begins, where its text does, and its cells."""

    __slots__ = ("cells", "gutters", "indent", "line")

    def __init__(self, text: str, line: _Cell, gutters: list[_Gutter]) -> None:
        written = text[slice(*line)]
        start = line[1] - len(written.lstrip(_TRIMMED))
        end = line[0] + len(written.rstrip(_TRIMMED))
        before = text[line[0] : start]
        self.line = line[0]
        self.indent = before.count("\t") or int(len(before) >= _WIDE and "|" not in before)
        self.gutters = [gutter for gutter in gutters if start < gutter.start < end]
        edges = [start, *(edge for one in self.gutters for edge in one[:2]), max(start, end)]
        self.cells: list[_Cell] = list(zip(edges[::2], edges[1::2], strict=True))


@lru_cache(maxsize=_RECENT)
def read_downwards(text: str) -> ReadColumns | None:
    """Read the columns of a text downwards; None where it has none.

    Columns are parted by a tab, a rule or three blanks and more, by fewer where they begin at a
    steady place. Only what this brings together is read, with the cells around it. As cells of a
    table may be missing, they are counted from the left, from the right and by their places.
    """
    if not _MAY_PART.search(text):
        return None
    runs: list[list[_Cell]] = []
    seen: set[tuple[_Cell, _Cell]] = set()
    for rows in _blocks(text):
        for reading in _readings(text, rows):
            for run in _unread(text, reading, seen):
                runs += _without_middles(text, run)
    return ReadColumns(text, runs) if runs else None


def _blocks(text: str) -> Iterator[list[_Row]]:
    """Yield rows with gutters, with some before and behind them and all that lack the left cell."""
    gutters = [
        _Gutter(start, end, len(_SIGN.findall(text, start, end)))
        for start, end in map(re.Match.span, _PARTING.finditer(text))
        if start and end < len(text) and not (text[start - 1].isspace() or text[end].isspace())
    ]
    if not gutters:
        return
    lines = [span for span in map(re.Match.span, _LINE.finditer(text)) if _is_filled(text, span)]
    starts = [start for start, _ in lines]
    places = [bisect_right(starts, gutter.start) - 1 for gutter in gutters]
    begins = Counter(
        gutter.end - starts[place] for gutter, place in zip(gutters, places, strict=True)
    )
    having: dict[int, list[_Gutter]] = {}
    for gutter, place in zip(gutters, places, strict=True):
        if gutter.is_wide or begins[gutter.end - starts[place]] >= _FEWEST_NARROW:
            having.setdefault(place, []).append(gutter)
    numbers = list(having)
    past = 0
    while numbers:
        size = 1
        while size < len(numbers) and numbers[size] - numbers[size - 1] <= _NEAR + 1:
            size += 1
        first = max(0, numbers[0] - _NEAR)
        last = min(len(lines), numbers[size - 1] + 1 + _NEAR)
        beyond = numbers[size] if size < len(numbers) else len(lines)
        while first > past and _PUSHED.match(text, starts[first]):
            first -= 1
        while last < beyond and _PUSHED.match(text, starts[last - 1]):
            last += 1
        # A single line with rules is a heading.
        others = {*range(first, last)} - {numbers[0]}
        if (
            size > 1
            or not all(_is_rule(text, gutter) for gutter in having[numbers[0]])
            or any("|" in text[slice(*lines[at])] for at in others)
        ):
            yield [_Row(text, lines[at], having.get(at, [])) for at in range(first, last)]
        past = last
        del numbers[:size]


def _is_rule(text: str, gutter: _Gutter) -> bool:
    return gutter.signs > 0 and not text[gutter.start : gutter.end].isspace()


def _is_filled(text: str, line: _Cell) -> bool:
    return not text[slice(*line)].isspace()


def _readings(text: str, rows: list[_Row]) -> Iterator[list[_Cell]]:
    """Yield the cells of some rows, column by column, in each order in which they may stand."""
    yield _in_columns([list(_counted(row)) for row in rows])
    yield _in_columns([list(enumerate(row.cells)) for row in rows])
    most = max(len(row.cells) for row in rows)
    yield _in_columns([list(enumerate(row.cells, most - len(row.cells))) for row in rows])
    begins = Counter(
        gutter.end - row.line for row in rows for gutter in row.gutters if gutter.is_wide
    )
    steady = sorted(at for at, count in begins.items() if count >= _FEWEST_WIDE)
    if steady:
        yield _in_columns([list(_by_place(text, row, steady)) for row in rows])


def _counted(row: _Row) -> Iterator[tuple[int, _Cell]]:
    """Yield the cells of a row with their numbers, where each tab or rule begins a column."""
    at = row.indent
    yield at, row.cells[0]
    for gutter, cell in zip(row.gutters, row.cells[1:], strict=True):
        at += max(1, gutter.signs)
        yield at, cell


def _by_place(text: str, row: _Row, steady: list[int]) -> Iterator[tuple[int, _Cell]]:
    """Yield the cells of a row by where they begin; columns part it where a word begins."""
    for start, end in row.cells:
        at = start
        first, last = (bisect_right(steady, edge - row.line) for edge in (start, end - 1))
        for place in steady[first:last]:
            border = row.line + place
            if text[border - 1].isspace() and not text[border].isspace():
                yield (
                    bisect_right(steady, at - row.line),
                    (at, at + len(text[at:border].rstrip())),
                )
                at = border
        yield bisect_right(steady, at - row.line), (at, end)


def _in_columns(rows: _Reading) -> list[_Cell]:
    columns: dict[int, list[_Cell]] = {}
    for row in rows:
        for at, cell in row:
            columns.setdefault(at, []).append(cell)
    return [cell for at in sorted(columns) for cell in columns[at]]


def _unread(text: str, cells: list[_Cell], seen: set[tuple[_Cell, _Cell]]) -> Iterator[list[_Cell]]:
    """Yield the cells that follow one another only in this reading, with those around them."""
    first = last = -1
    for number, pair in enumerate(pairwise(cells)):
        (_, end), (start, _) = pair
        if pair in seen or (0 <= start - end <= _CLOSE and text[end:start].isspace()):
            continue
        seen.add(pair)
        if first >= 0 and number - _AROUND > last:
            yield cells[first:last]
            first = -1
        if first < 0:
            first = max(0, number - _AROUND)
        last = number + 2 + _AROUND
    if first >= 0:
        yield cells[first:last]


def _without_middles(text: str, cells: list[_Cell]) -> Iterator[list[_Cell]]:
    """Yield runs of cells in which of each long cell only the ends are left."""
    run: list[_Cell] = []
    for start, end in cells:
        if end - start <= 2 * _EDGE:
            run.append((start, end))
            continue
        head = text.rfind(" ", start, start + _EDGE)
        tail = text.find(" ", end - _EDGE, end)
        if run:
            yield [*run, (start, head if head > start else start + _EDGE)]
        run = [(tail + 1 if tail >= 0 else end - _EDGE, end)]
    if len(run) > 1:
        yield run

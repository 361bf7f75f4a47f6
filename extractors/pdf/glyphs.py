"""Glyphs as they are drawn, gathered to lines of text."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from extractors.document.lines import (
    Box,
    Line,
    Run,
)
from extractors.layout.dehyphenation import clean_line
from extractors.plain.plain_text import clean

# Distances in heights of a letter, as MuPDF has them: from the first on two letters stand apart,
# from the second on they belong to different lines, from the third on to different blocks.
_SPACE = 0.15
_GAP = 0.8
_PARAGRAPH = 1.4
_BACKWARDS = 0.5
_SAME_ROW = 0.5

# A letter drawn again next to itself makes it look bold.
_DRAWN_AGAIN = 1.0
_BOLD = ("bold", "black", "heavy", "demi")


@dataclass(frozen=True, slots=True)
class Glyph:
    """A letter, or several that are drawn as one; `place` and `box` are those of `Line`."""

    text: str = field(repr=False)
    font: str
    direction: tuple[float, float]
    place: Box
    box: Box


@dataclass(slots=True)
class _Row:
    glyphs: list[Glyph] = field(repr=False)
    box: Box
    block: int = 0


def rows(glyphs: Iterable[Glyph]) -> Iterator[Line]:
    """Gather glyphs, in the order they were drawn, to lines; gaps between words become spaces."""
    row: _Row | None = None
    for glyph in _drawn_once(glyphs):
        if row is not None and _goes_on(row, glyph):
            row.glyphs.append(glyph)
            row.box = around((row.box, glyph.box))
            continue
        if row is not None:
            yield _line(row)
        row = _Row([glyph], glyph.box, _block(row, glyph))
    if row is not None:
        yield _line(row)


def _drawn_once(glyphs: Iterable[Glyph]) -> Iterator[Glyph]:
    drawn: dict[tuple[str, int, int], list[Box]] = {}
    for glyph in glyphs:
        x0, y0, x1, y1 = glyph.place
        near = min(_DRAWN_AGAIN, (x1 - x0) / 4, (y1 - y0) / 4)
        column, row = round(x0), round(y0)
        others = (
            other
            for x in (column - 1, column, column + 1)
            for y in (row - 1, row, row + 1)
            for other in drawn.get((glyph.text, x, y), ())
        )
        if glyph.text.strip():
            if any(abs(other[0] - x0) <= near and abs(other[1] - y0) <= near for other in others):
                continue
            drawn.setdefault((glyph.text, column, row), []).append(glyph.place)
        yield glyph


def _goes_on(row: _Row, glyph: Glyph) -> bool:
    height = _height(glyph.box)
    overlap = min(row.box[3], glyph.box[3]) - max(row.box[1], glyph.box[1])
    if glyph.direction != row.glyphs[0].direction:
        return False
    if overlap < _SAME_ROW * min(height, _height(row.box)):
        return False
    if -_BACKWARDS * height < glyph.box[0] - row.box[2] <= _GAP * height:
        return True
    leftwards = _strength(glyph.text) < 0 or glyph.text.isspace()
    return leftwards and -_BACKWARDS * height < row.box[0] - glyph.box[2] <= _GAP * height


def _block(before: _Row | None, glyph: Glyph) -> int:
    if before is None:
        return 0
    height = _height(glyph.box)
    down = glyph.box[3] - before.box[3]
    aside = min(before.box[2], glyph.box[2]) - max(before.box[0], glyph.box[0])
    same_row = abs(down) < _SAME_ROW * height
    below = 0 < down <= _PARAGRAPH * height and aside > 0
    turns = glyph.direction != before.glyphs[0].direction
    return before.block + (turns or not (same_row or below))


def _height(box: Box) -> float:
    return box[3] - box[1]


def _line(row: _Row) -> Line:
    parts = _parts(row.glyphs)
    text = clean_line("".join(part for _, part in parts))
    fonts = {glyph.font.lower() for glyph, part in parts if part.strip()}
    return Line(
        text=text,
        block=row.block,
        box=row.box,
        direction=row.glyphs[0].direction,
        place=around(glyph.place for glyph in row.glyphs),
        size=max(_height(glyph.box) for glyph in row.glyphs),
        bold=bool(fonts) and all(any(word in font for word in _BOLD) for font in fonts),
        runs=tuple(_runs(parts, text)),
    )


_Part = tuple[Glyph, str]  # a glyph and its text, or a space beside it


def _parts(glyphs: Sequence[Glyph]) -> list[_Part]:
    if any(_strength(glyph.text) < 0 for glyph in glyphs):
        return _logical(list(_spaced(sorted(glyphs, key=lambda glyph: glyph.box[0]))))
    return list(_spaced(glyphs))


def _spaced(glyphs: Iterable[Glyph]) -> Iterator[_Part]:
    before: Glyph | None = None
    for glyph in glyphs:
        if before is not None and _stand_apart(before, glyph):
            yield glyph, " "
        yield glyph, glyph.text
        before = glyph


def _stand_apart(before: Glyph, glyph: Glyph) -> bool:
    gap = glyph.box[0] - before.box[2]
    words = bool(before.text.strip() and glyph.text.strip())
    return words and gap > _SPACE * _height(glyph.box)


def _runs(parts: Sequence[_Part], text: str) -> Iterator[Run]:
    fonts = [list(group) for _, group in groupby(parts, key=lambda part: part[0].font)]
    if len(fonts) < 2:
        return  # the line's own box says it all
    texts = ["".join(part for _, part in group) for group in fonts]
    if "".join(texts) != text:
        texts = [clean(part) for part in texts]
    if "".join(texts) != text:
        return  # an accent in another font than its letter
    at = 0
    for group, part in zip(fonts, texts, strict=True):
        yield Run(at, at + len(part), around(glyph.place for glyph, _ in group))
        at += len(part)


def around(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around others, at least one."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _strength(text: str) -> int:
    """Return which way letters are read: 1 from left to right, -1 the other way, 0 either."""
    kinds = {unicodedata.bidirectional(char) for char in text}
    if kinds & {"R", "AL"}:
        return -1
    return 1 if kinds & {"L", "EN", "AN"} else 0


def _logical(parts: list[_Part]) -> list[_Part]:
    """Put what stands from left to right into the order in which it is read."""
    ways = [_strength(text) for _, text in parts]
    against = -1
    if ways.count(-1) > ways.count(1):
        parts, ways, against = parts[::-1], ways[::-1], 1
    at = 0
    while at < len(parts):
        if ways[at] == against:
            end = at  # the stretch that runs against the line goes on to its last such letter
            for index in range(at, len(parts)):
                if ways[index] == -against:
                    break
                if ways[index] == against:
                    end = index
            parts[at : end + 1] = parts[at : end + 1][::-1]
            at = end
        at += 1
    return parts

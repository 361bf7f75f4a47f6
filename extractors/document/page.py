"""Pages of lines, the classes of lines, and the position of text on pages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from extractors.document.lines import Box, Line


class LineClass(StrEnum):
    """The role of a line on a page; `body` and `table` hold the clinical content."""

    BODY = "body"
    TABLE = "table"
    HEADER = "header"
    FOOTER = "footer"
    MARGIN_NOTE = "margin-note"
    PAGE_NUMBER = "page-number"
    STAMP = "stamp"
    SIGNATURE = "signature"


BODY_CLASSES = frozenset((LineClass.BODY, LineClass.TABLE))
"""The classes that the `body` layout keeps."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its number from 0, its size in points as displayed, and its lines.

    `tables` are the cells of each table with ruled borders, on the page as displayed, in no order.
    """

    number: int
    width: float
    height: float
    lines: tuple[Line, ...] = field(repr=False)
    tables: tuple[tuple[Box, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a document, and the results of OCR.

    `recognized` maps the number of a page read by OCR to its confidence, from 0 to 1. `wordless`
    counts pages that are not blank but in which OCR found no text.
    """

    pages: tuple[Page, ...]
    recognized: Mapping[int, float] = field(default_factory=dict)
    wordless: int = 0


class LocatedText(NamedTuple):
    """Characters `start` to `end` of a text: part of one line of one page.

    `box` is x0, y0, x1, y1 in points, y downwards, on the page as displayed; the characters run
    along `direction`. `kind` is None where lines were not classified.
    """

    start: int
    end: int
    page: int
    box: Box
    direction: tuple[float, float] = (1.0, 0.0)
    kind: LineClass | None = None


def locate_boxes(pieces: Sequence[LocatedText], start: int, end: int) -> Iterator[tuple[int, Box]]:
    """Return the page and the box of each part of characters `start` to `end`.

    Characters of a piece count as equally wide, so pad the box before covering it.
    """
    for piece in pieces:
        if piece.end > start and piece.start < end:
            yield piece.page, _box_of_part(piece, max(start, piece.start), min(end, piece.end))


def _box_of_part(piece: LocatedText, start: int, end: int) -> Box:
    length = piece.end - piece.start
    low, high = (start - piece.start) / length, (end - piece.start) / length
    x0, y0, x1, y1 = piece.box
    dx, dy = piece.direction
    if abs(dx) >= abs(dy):
        low, high = (low, high) if dx > 0 else (1 - high, 1 - low)
        return x0 + low * (x1 - x0), y0, x0 + high * (x1 - x0), y1
    low, high = (low, high) if dy > 0 else (1 - high, 1 - low)
    return x0, y0 + low * (y1 - y0), x1, y0 + high * (y1 - y0)

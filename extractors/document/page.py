"""Pages and the classes of their lines, and where each character of a text lies."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from extractors.document.lines import Box, Line


class BoxClass(StrEnum):
    """What a line of a page is; the medicine is in `body` and `table`."""

    BODY = "body"
    TABLE = "table"
    HEADER = "header"
    FOOTER = "footer"
    MARGIN_NOTE = "margin-note"
    PAGE_NUMBER = "page-number"
    STAMP = "stamp"
    SIGNATURE = "signature"


MEDICINE = frozenset((BoxClass.BODY, BoxClass.TABLE))
"""The classes that the `body` layout keeps."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its number from 0, its size in points as it is shown, and its lines."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a document, and those that were recognized in a picture.

    `recognized` maps the number of a page to the confidence in it, from 0 to 1. `wordless` counts
    pages that show something in which no writing was found.
    """

    pages: tuple[Page, ...]
    recognized: Mapping[int, float] = field(default_factory=dict)
    wordless: int = 0


class Piece(NamedTuple):
    """Characters `start` to `end` of a text: part of one line of one page.

    `box` is x0, y0, x1, y1 in points, y downwards, on the page as it is shown; the characters run
    along `direction`. `kind` is None where nothing told what the line is.
    """

    start: int
    end: int
    page: int
    box: Box
    direction: tuple[float, float] = (1.0, 0.0)
    kind: BoxClass | None = None


def boxes(pieces: Sequence[Piece], start: int, end: int) -> Iterator[tuple[int, Box]]:
    """Return the page and the box of each part of characters `start` to `end`.

    Within a piece, characters count as equally wide: pad the box before covering it with ink.
    """
    for piece in pieces:
        if piece.end > start and piece.start < end:
            yield piece.page, _part(piece, max(start, piece.start), min(end, piece.end))


def _part(piece: Piece, start: int, end: int) -> Box:
    length = piece.end - piece.start
    low, high = (start - piece.start) / length, (end - piece.start) / length
    x0, y0, x1, y1 = piece.box
    dx, dy = piece.direction
    if abs(dx) >= abs(dy):
        low, high = (low, high) if dx > 0 else (1 - high, 1 - low)
        return x0 + low * (x1 - x0), y0, x0 + high * (x1 - x0), y1
    low, high = (low, high) if dy > 0 else (1 - high, 1 - low)
    return x0, y0 + low * (y1 - y0), x1, y0 + high * (y1 - y0)

"""Pictures of pages: what each line was taken for, and pages with stretches of their text covered.

A picture shows the document: whoever may not read the one must not see the other.
"""

# mypy: allow-untyped-calls
# PyMuPDF says it is typed, but most of its methods are not.

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pymupdf

from extractors.document.lines import Box
from extractors.document.page import (
    BoxClass,
    Page,
    Piece,
)
from extractors.plain.plain_text import clean
from record.errors import Unreadable

_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP

_COLOURS: dict[BoxClass, tuple[float, float, float]] = {
    BoxClass.BODY: (0.10, 0.60, 0.20),
    BoxClass.TABLE: (0.00, 0.55, 0.65),
    BoxClass.HEADER: (0.85, 0.10, 0.10),
    BoxClass.FOOTER: (0.95, 0.55, 0.00),
    BoxClass.MARGIN_NOTE: (0.50, 0.20, 0.75),
    BoxClass.PAGE_NUMBER: (0.45, 0.35, 0.25),
    BoxClass.STAMP: (0.10, 0.25, 0.85),
    BoxClass.SIGNATURE: (0.90, 0.10, 0.60),
}
_LEGEND = 16.0  # points above the page, so that nothing of it is hidden
_LETTERS = 8.0
_MOST_PIXELS = 4000  # on the longer side, however large the page
_POINTS_PER_INCH = 72

Passwords = Sequence[str]


def classes_picture(
    data: bytes,
    pages: Sequence[Page],
    classes: Sequence[Sequence[BoxClass]],
    *,
    passwords: Passwords = (),
    dpi: int = 110,
) -> bytes:
    """Draw the class of each line over the pages of a PDF; returns a PDF of pictures.

    It has neither text nor metadata, but shows the document: it is as confidential.
    Raises Unreadable: `broken`, `encrypted`.
    """
    with _opened(data, passwords) as source, pymupdf.open() as target:
        for page, kinds in zip(pages, classes, strict=True):
            picture = _picture(source.load_page(page.number), dpi)
            marks = [(line.place, kind) for line, kind in zip(page.lines, kinds, strict=True)]
            with pymupdf.open() as sketch:
                drawn = sketch.new_page(width=page.width, height=page.height + _LEGEND)
                drawn.insert_image((0, _LEGEND, page.width, page.height + _LEGEND), pixmap=picture)
                _draw_marks(drawn, marks)
                _draw_legend(drawn)
                _append(target, _picture(drawn, dpi), drawn.rect)
        return _written(target)


def redacted_picture(
    data: bytes,
    pieces: Sequence[Piece],
    spans: Iterable[tuple[int, int]],
    *,
    text: str,
    passwords: Passwords = (),
    dpi: int = 150,
) -> bytes:
    """Draw a PDF with the characters of `spans`, offsets in `text`, under black; pictures alone.

    `text` and `pieces` belong together, as `extractors.layout.page_text` gives them. Where the
    letters of a piece are not found on the page as they stand in the text, all of the piece is
    covered. Whatever no span names stays readable, and so does what is part of a picture
    in the document.
    Raises Unreadable: `broken`, `encrypted`.
    """
    wanted = sorted(spans)
    with _opened(data, passwords) as source, pymupdf.open() as target:
        for page in map(source.load_page, range(source.page_count)):
            own = [piece for piece in pieces if piece.page == page.number]
            boxes = _covers(page, own, wanted, text)
            picture = _picture(page, dpi)
            scale = picture.width / page.rect.width, picture.height / page.rect.height
            for box in boxes:
                picture.set_rect(_pixels(box, scale), (0, 0, 0))
            _append(target, picture, page.rect)
        return _written(target)


@contextmanager
def _opened(data: bytes, passwords: Passwords) -> Iterator[pymupdf.Document]:
    try:
        with pymupdf.open(stream=data, filetype="pdf") as document:
            if document.needs_pass and not any(map(document.authenticate, passwords)):
                raise Unreadable("encrypted")
            yield document
    except (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable("broken") from None


def _picture(page: pymupdf.Page, dpi: int) -> pymupdf.Pixmap:
    longest = max(page.rect.width, page.rect.height, 1.0)
    scale = min(dpi / _POINTS_PER_INCH, _MOST_PIXELS / longest)
    return page.get_pixmap(
        matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False
    )


def _append(target: pymupdf.Document, picture: pymupdf.Pixmap, size: pymupdf.Rect) -> None:
    page = target.new_page(width=size.width, height=size.height)
    page.insert_image(page.rect, pixmap=picture, keep_proportion=False)


def _written(target: pymupdf.Document) -> bytes:
    return bytes(target.tobytes(deflate=True, garbage=3, no_new_id=True))


def _draw_marks(page: pymupdf.Page, marks: Iterable[tuple[Box, BoxClass]]) -> None:
    shape = page.new_shape()
    for (x0, y0, x1, y1), kind in marks:
        if x1 > x0 and y1 > y0:
            shape.draw_rect(pymupdf.Rect(x0, y0 + _LEGEND, x1, y1 + _LEGEND))
            colour = _COLOURS[kind]
            shape.finish(color=colour, fill=colour, width=0.5, fill_opacity=0.25)
    shape.commit()


def _draw_legend(page: pymupdf.Page) -> None:
    step = page.rect.width / len(_COLOURS)
    size = min(_LETTERS, step / 7)
    for number, (kind, colour) in enumerate(_COLOURS.items()):
        left = number * step + 2
        swatch = pymupdf.Rect(left, 4, left + size, 4 + size)
        page.draw_rect(swatch, color=colour, fill=colour)
        page.insert_text((left + size + 2, 4 + size), kind.value, fontsize=size)


# Covering ----------------------------------------------------------------------------------------

# Ink leaves its box: italics lean, and edges are smoothed.
_PADDING = 1.0


@dataclass(frozen=True, slots=True)
class _Glyph:
    text: str = field(repr=False)
    box: Box


def _covers(
    page: pymupdf.Page, pieces: Sequence[Piece], spans: Sequence[tuple[int, int]], text: str
) -> list[Box]:
    touched = [
        (piece, max(start, piece.start), min(end, piece.end))
        for piece in pieces
        for start, end in spans
        if start < piece.end and piece.start < end
    ]
    glyphs = list(_glyphs(page)) if touched else []
    return [
        box
        for piece, start, end in touched
        for box in _cover(piece, start, end, [g for g in glyphs if _stands_in(g, piece)], text)
    ]


def _cover(
    piece: Piece, start: int, end: int, glyphs: Sequence[_Glyph], text: str
) -> Iterator[Box]:
    drawn = _letters([glyph.text for glyph in glyphs])
    written = _letters(text[piece.start : piece.end])
    at = "".join(char for char, _ in drawn).find("".join(char for char, _ in written))
    if at < 0 or not written:
        yield piece.box
        return
    # Where bold was made by drawing twice, only the first copy is found: the second lies beside.
    boxes = [
        glyphs[glyph].box
        for (_, glyph), (_, offset) in zip(drawn[at:], written, strict=False)
        if start <= piece.start + offset < end
    ]
    if boxes:
        x0, y0, x1, y1 = zip(*boxes, strict=True)
        yield min(x0), min(y0), max(x1), max(y1)


def _letters(parts: Iterable[str]) -> list[tuple[str, int]]:
    """Return the letters and the accents of parts, each with the number of its part; no blanks."""
    return [
        (char, number)
        for number, part in enumerate(parts)
        for char in unicodedata.normalize("NFD", clean(part))
        if not char.isspace()
    ]


def _glyphs(page: pymupdf.Page) -> Iterator[_Glyph]:
    # PyMuPDF gives the places on the page before it is turned.
    turn = page.rotation_matrix
    for block in page.get_text("rawdict", flags=_FLAGS)["blocks"]:
        for line in block.get("lines", ()):
            for char in _characters(line):
                yield _Glyph(char["c"], tuple(pymupdf.Rect(char["bbox"]) * turn))


def _characters(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for span in line["spans"]:
        yield from span["chars"]


def _stands_in(glyph: _Glyph, piece: Piece) -> bool:
    x, y = (glyph.box[0] + glyph.box[2]) / 2, (glyph.box[1] + glyph.box[3]) / 2
    x0, y0, x1, y1 = piece.box
    return x0 - 0.5 <= x <= x1 + 0.5 and y0 - 0.5 <= y <= y1 + 0.5


def _pixels(box: Box, scale: tuple[float, float]) -> pymupdf.IRect:
    x0, y0, x1, y1 = box
    padded = pymupdf.Rect(x0 - _PADDING, y0 - _PADDING, x1 + _PADDING, y1 + _PADDING)
    pixels: pymupdf.IRect = (padded * pymupdf.Matrix(*scale)).irect
    return pixels

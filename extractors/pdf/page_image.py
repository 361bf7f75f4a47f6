"""Rendering of PDF pages with the class of each line drawn over it.

The images show the document and are as confidential.
"""

# mypy: allow-untyped-calls
# PyMuPDF is marked as typed, but most of its methods are not.

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import pymupdf

from extractors.document.lines import Box
from extractors.document.page import LineClass, Page
from record.errors import Unreadable

_COLOURS: dict[LineClass, tuple[float, float, float]] = {
    LineClass.BODY: (0.10, 0.60, 0.20),
    LineClass.TABLE: (0.00, 0.55, 0.65),
    LineClass.HEADER: (0.85, 0.10, 0.10),
    LineClass.FOOTER: (0.95, 0.55, 0.00),
    LineClass.MARGIN_NOTE: (0.50, 0.20, 0.75),
    LineClass.PAGE_NUMBER: (0.45, 0.35, 0.25),
    LineClass.STAMP: (0.10, 0.25, 0.85),
    LineClass.SIGNATURE: (0.90, 0.10, 0.60),
}
_LEGEND = 16.0  # points above the page
_LETTERS = 8.0
_MOST_PIXELS = 4000  # on the longer side, however large the page
_POINTS_PER_INCH = 72

Passwords = Sequence[str]


def render_line_classes(
    data: bytes,
    pages: Sequence[Page],
    classes: Sequence[Sequence[LineClass]],
    *,
    passwords: Passwords = (),
    dpi: int = 110,
) -> bytes:
    """Return a PDF of page images with the class of each line drawn over them.

    It has neither a text layer nor metadata. Raises Unreadable: `broken`, `encrypted`.
    """
    with _open_document(data, passwords) as source, pymupdf.open() as target:
        for page, kinds in zip(pages, classes, strict=True):
            picture = _render_page(source.load_page(page.number), dpi)
            marks = [(line.place, kind) for line, kind in zip(page.lines, kinds, strict=True)]
            with pymupdf.open() as sketch:
                drawn = sketch.new_page(width=page.width, height=page.height + _LEGEND)
                drawn.insert_image((0, _LEGEND, page.width, page.height + _LEGEND), pixmap=picture)
                _draw_marks(drawn, marks)
                _draw_legend(drawn)
                _append_image(target, _render_page(drawn, dpi), drawn.rect)
        return _save(target)


@contextmanager
def _open_document(data: bytes, passwords: Passwords) -> Iterator[pymupdf.Document]:
    try:
        with pymupdf.open(stream=data, filetype="pdf") as document:
            if document.needs_pass and not any(map(document.authenticate, passwords)):
                raise Unreadable("encrypted")
            yield document
    except (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable("broken") from None


def _render_page(page: pymupdf.Page, dpi: int) -> pymupdf.Pixmap:
    longest = max(page.rect.width, page.rect.height, 1.0)
    scale = min(dpi / _POINTS_PER_INCH, _MOST_PIXELS / longest)
    return page.get_pixmap(
        matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False
    )


def _append_image(target: pymupdf.Document, picture: pymupdf.Pixmap, size: pymupdf.Rect) -> None:
    page = target.new_page(width=size.width, height=size.height)
    page.insert_image(page.rect, pixmap=picture, keep_proportion=False)


def _save(target: pymupdf.Document) -> bytes:
    return bytes(target.tobytes(deflate=True, garbage=3, no_new_id=True))


def _draw_marks(page: pymupdf.Page, marks: Iterable[tuple[Box, LineClass]]) -> None:
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

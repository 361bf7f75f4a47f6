"""Reading of PDFs with MuPDF: the lines of each page, by text layer or OCR, and their images."""

# mypy: allow-untyped-calls
# PyMuPDF is marked as typed, but most of its methods are not.

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np
import pymupdf

from extractors.document.limits import Limits
from extractors.document.lines import Box, GlyphRun, Line, rotate_upright
from extractors.document.page import LineClass, Page, Pages
from extractors.layout.page_text import clean_lines
from extractors.pdf.lying_fonts import FontCheck
from extractors.pdf.mupdf_page import Blocks, MupdfPage
from extractors.pdf.ocr import RecognizedPage, Recognizer
from extractors.pdf.ruled_tables import find_tables
from extractors.pdf.text_layer import (
    TextLayer,
    drop_undrawn,
    judge_text_layer,
    matches_recognized,
)
from extractors.pdf.whole_document import refuse_partial
from extractors.plain.plain_text import clean
from record.errors import Unreadable

# MuPDF's messages can quote the document.
pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)

# MuPDF's warnings when it skips a part of a page.
_LOST_CONTENT = (
    "cannot load content stream",
    "ignoring error during interpretation",
    "ignoring zlib error",
    "premature end of data",
    "not closed before end of file",
    "read error; treating as end of file",
    "unknown filter name",
    "non-page object in page tree",
    "page tree load failed",
    "too many kids in page tree",
    "too many syntax errors",
    "ignoring xobject with unknown subtype",
)
# A skipped operator may have shown text. These skip none that did: words that are no operators,
# and colours.
_SKIPPED_OPERATORS = "encountered syntax errors"
_SYNTAX_ERROR = re.compile(
    r"^syntax error: (?!unknown keyword|unknown colorspace|icc profile)", re.MULTILINE
)
_OUT_OF_MEMORY = re.compile(r"\b(?:malloc|calloc|realloc)\b.*\bfailed")
_END_MARK = b"%%EOF"
_END_MARK_WITHIN = 2048

_SHAPE_ERRORS = (RuntimeError, ValueError, LookupError, TypeError, AttributeError)

_TOGETHER = 8  # pages
_BOLD = 16
# Annotations whose text is drawn on the page, or that have none of their own.
_SHOWN_ON_THE_PAGE = frozenset(("Link", "FreeText", "Stamp", "Popup", "Widget"))


def read_pages(
    data: bytes,
    limits: Limits,
    *,
    passwords: Sequence[str] = (),
    recognizer: Recognizer | None = None,
) -> Pages:
    """Read each page of a PDF: its text layer, or by `recognizer` where that is unreliable.

    Metadata is never read. Raises Unreadable: `too-large`, `broken`, `encrypted`,
    `too-many-pages`, `dynamic-form` for a form whose pages do not show it, `unread-part` for a
    portfolio, `too-long`, `no-text` if all pages are blank. Without a recognizer, also
    `garbled-text`, `hidden-text`, `no-text-layer` if no page has text and `page-without-text` if
    a non-blank page has none; with it, `nothing-recognized` if no text is found on any page.
    Raises MemoryError.
    """
    if len(data) > limits.max_bytes:
        raise Unreadable("too-large")
    pymupdf.TOOLS.reset_mupdf_warnings()
    try:
        with _mupdf_errors(), _Document(stream=data, filetype="pdf") as document:
            if document.needs_pass and not any(map(document.authenticate, passwords)):
                raise Unreadable("encrypted")
            if document.is_repaired and _END_MARK not in data[-_END_MARK_WITHIN:]:
                raise Unreadable("broken")  # truncated
            pages = document.page_count
            if pages < 1:
                raise Unreadable("broken")
            if pages > limits.max_pages:
                raise Unreadable("too-many-pages")
            refuse_partial(document)
            return _PdfReading(document, limits, recognizer).pages()
    finally:
        pymupdf.TOOLS.store_shrink(100)


class _Document(pymupdf.Document):
    # Skip reading metadata and bookmarks, which PyMuPDF does on opening.
    def init_doc(self) -> None:
        self._outline = None
        self.metadata: dict[str, str] = {}


class _PdfReading:
    """Reads the pages of one document and collects the results of OCR."""

    def __init__(
        self, document: pymupdf.Document, limits: Limits, recognizer: Recognizer | None
    ) -> None:
        self.document = document
        self.limits = limits
        self.recognizer = recognizer
        self.fonts = FontCheck()
        self.length = 0
        self.recognized: dict[int, float] = {}
        self.wordless = 0
        self.unread: set[TextLayer] = set()

    def pages(self) -> Pages:
        count = self.document.page_count
        starts = range(0, count, _TOGETHER)
        parts = (self._read(range(start, min(start + _TOGETHER, count))) for start in starts)
        pages = tuple(page for part in parts for page in part)
        has_text = any(page.lines for page in pages)
        if self.unread:
            if TextLayer.GARBLED in self.unread:
                reason = "garbled-text"
            elif TextLayer.HIDDEN in self.unread:
                reason = "hidden-text"
            else:
                reason = "page-without-text" if has_text else "no-text-layer"
            raise Unreadable(reason)
        if not has_text:
            raise Unreadable("nothing-recognized" if self.wordless else "no-text-layer")
        return Pages(pages, self.recognized, self.wordless)

    def _read(self, numbers: Sequence[int]) -> list[Page]:
        # Each step runs for several pages at once: alternating between MuPDF and Python on every
        # page would thrash the processor's caches.
        sheets = [MupdfPage(self.document, number) for number in numbers]
        drawn = [sheet.blocks() for sheet in sheets]
        _refuse_lost_content()
        return list(map(self.page, numbers, sheets, drawn))

    def page(self, number: int, sheet: MupdfPage, blocks: Blocks) -> Page:
        lines = tuple(_to_lines(blocks))
        if sheet.rotation:
            lines = tuple(_rotate_lines(lines, sheet.turn))
        layer = judge_text_layer(sheet, blocks, self.fonts)
        if layer is TextLayer.SOUND and drop_undrawn(blocks):
            lines = tuple(_to_lines(blocks))
            if sheet.rotation:
                lines = tuple(_rotate_lines(lines, sheet.turn))
        if layer is TextLayer.BLANK:
            lines = ()
        elif layer is TextLayer.OVERLAID:
            lines = self.verify_overlaid(sheet.page, lines)
        elif layer is not TextLayer.SOUND:
            lines = self.recognize(sheet.page, layer)
        if sheet.annotated:
            lines += tuple(_annotation_lines(sheet.page, len(blocks)))
        _refuse_lost_content()
        self.length += sum([len(line.text) for line in lines])
        if self.length > self.limits.max_characters:
            raise Unreadable("too-long")
        tables = find_tables(sheet.rules()) if layer is TextLayer.SOUND else ()
        return Page(number, *sheet.size, lines, tables)

    def recognize(self, page: pymupdf.Page, layer: TextLayer) -> tuple[Line, ...]:
        """Read the page by OCR, or note that it could not be read."""
        if self.recognizer is None:
            self.unread.add(layer)
            return ()
        return self.accept_recognized(page, self.recognizer.read(page))

    def verify_overlaid(self, page: pymupdf.Page, lines: tuple[Line, ...]) -> tuple[Line, ...]:
        """Keep the text layer of a scan, made by another OCR program, if our own OCR agrees."""
        if self.recognizer is None:
            return lines
        seen = self.recognizer.read(page)
        return (
            lines if matches_recognized(lines, seen.lines) else self.accept_recognized(page, seen)
        )

    def accept_recognized(self, page: pymupdf.Page, seen: RecognizedPage) -> tuple[Line, ...]:
        if seen.lines:
            self.recognized[page.number] = seen.confidence
        else:
            self.wordless += 1
        return seen.lines


def _to_lines(blocks: Blocks) -> list[Line]:
    drawn = [
        (number, line) for number, block in enumerate(blocks) for line in block.get("lines", ())
    ]
    raws = ["".join([span["text"] for span in line["spans"]]) for _, line in drawn]
    texts = clean_lines(raws)
    lines: list[Line] = []
    for (number, line), raw, text in zip(drawn, raws, texts, strict=True):
        spans = line["spans"]
        if len(spans) == 1 and line["dir"] == _ALONG:
            span, box = spans[0], line["bbox"]
            bold = span["flags"] & _BOLD != 0
            # The case of nearly all lines; the constructor of the named tuple would be slow.
            parts = (text, number, box, _ALONG, box, span["size"], bold, ())
            lines.append(tuple.__new__(Line, parts))
        else:
            lines.append(_to_line(line, number, raw, text))
    return lines


_ALONG = (1.0, 0.0)


def _to_line(line: dict[str, Any], block: int, raw: str, text: str) -> Line:
    spans = line["spans"]
    direction: tuple[float, float] = line["dir"]
    box = place = line["bbox"]
    if direction != _ALONG:
        direction = (round(direction[0], 2), round(direction[1], 2))
        box = place if direction == _ALONG else rotate_upright(place, direction)
    return Line(
        text=text,
        block=block,
        box=box,
        direction=direction,
        place=place,
        size=max((span["size"] for span in spans), default=0.0),
        bold=bool(spans) and all(span["flags"] & _BOLD for span in spans),
        runs=tuple(_glyph_runs(spans, raw, text)),
    )


def _rotate_lines(lines: Sequence[Line], rotation: Sequence[float]) -> Iterator[Line]:
    """Rotate lines with their page, which MuPDF reads unrotated."""
    a, b, c, d, _, _ = rotation
    places = [line.place for line in lines]
    runs = [run.box for line in lines for run in line.runs]
    boxes = places + runs
    # Multiples of 90 degrees: two opposite corners suffice. In float32, as in MuPDF.
    corners = np.array(boxes, np.float32).reshape(-1, 2, 2)
    matrix = np.array(rotation, np.float32).reshape(3, 2)
    x, y = corners[..., :1], corners[..., 1:]
    moved = x * matrix[0] + y * matrix[1] + matrix[2]
    shown = iter(list(map(tuple, np.concatenate([moved.min(1), moved.max(1)], axis=1).tolist())))
    for line, place in zip(lines, list(islice(shown, len(lines))), strict=True):
        dx, dy = line.direction
        direction = (dx * a + dy * c, dx * b + dy * d)
        yield line._replace(
            place=place,
            box=rotate_upright(place, direction),
            direction=direction,
            runs=tuple([run._replace(box=next(shown)) for run in line.runs]),
        )


def _glyph_runs(spans: Sequence[dict[str, Any]], raw: str, text: str) -> Iterator[GlyphRun]:
    if len(spans) < 2:
        return  # the box of the line suffices
    parts = [span["text"] for span in spans]
    if raw != text:
        parts = [clean(part) for part in parts]
        if "".join(parts) != text:
            return  # an accent in another font than its letter
    at = 0
    for span, part in zip(spans, parts, strict=True):
        yield GlyphRun(at, at + len(part), span["bbox"])
        at += len(part)


def _annotation_lines(page: pymupdf.Page, block: int) -> Iterator[Line]:
    """Return the text of annotations that viewers show on a click."""
    # They come last, as if they were below the page.
    bottom = page.rect.height
    for annotation in page.annots():
        if annotation.type[1] in _SHOWN_ON_THE_PAGE:
            continue
        place = tuple(annotation.rect)
        for text in clean(annotation.info.get("content") or "").split("\n"):
            bottom += 20
            yield Line(text, block, (0, bottom, page.rect.width, bottom + 10), place=place)
        block += 1


def _refuse_lost_content() -> None:
    said = pymupdf.TOOLS.mupdf_warnings().lower()
    if not said:
        return
    if _OUT_OF_MEMORY.search(said):
        raise MemoryError
    if any(phrase in said for phrase in _LOST_CONTENT):
        raise Unreadable("broken")
    if _SKIPPED_OPERATORS in said and _SYNTAX_ERROR.search(said):
        raise Unreadable("broken")


@contextmanager
def _mupdf_errors() -> Iterator[None]:
    # Errors of MuPDF, and of PyMuPDF on unexpected objects.
    try:
        yield
    except (pymupdf.mupdf.FzErrorBase, *_SHAPE_ERRORS) as error:
        if _OUT_OF_MEMORY.search(str(error)):
            raise MemoryError from None
        raise Unreadable("broken") from None


# Rendering ----------------------------------------------------------------------------------------

# The images show the document and are as confidential.
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
                image = target.new_page(width=drawn.rect.width, height=drawn.rect.height)
                image.insert_image(
                    image.rect, pixmap=_render_page(drawn, dpi), keep_proportion=False
                )
        return bytes(target.tobytes(deflate=True, garbage=3, no_new_id=True))


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

"""`MupdfPage`: the size, rotation, content stream and text blocks of a PDF page, cached.

Calls MuPDF's functions directly where every page needs them: PyMuPDF's wrappers would take a
tenth of the time of reading a page.

Also the filled areas under the text of a page, to decide whether text in a pale colour is visible.
If the content stream holds only rectangles, lines and plain colours before its first text, it is
interpreted here (ISO 32000-1, 8.4 to 8.6), which takes a tenth of the time of rendering the page.
"""

# mypy: allow-untyped-calls
# PyMuPDF is marked as typed, but most of its methods are not.

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pymupdf
from numpy.typing import NDArray
from pymupdf import mupdf

from extractors.document.lines import Box
from extractors.pdf.ruled_tables import MAX_RULES, MIN_RULES, find_rules
from record.errors import Unreadable

Blocks = list[dict[str, Any]]
"""Blocks of lines of spans, as `get_text("dict")` has them."""

# Not TEXT_CID_FOR_UNKNOWN_UNICODE, which returns glyph numbers as characters. Ligatures are
# expanded, and text outside the page is left out.
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
_AS_IT_IS = pymupdf.Matrix(1, 1)


class MupdfPage:
    """A page by its number; raises Unreadable (`broken`) if its content is missing."""

    def __init__(self, document: pymupdf.Document, number: int) -> None:
        self._document = document
        self._number = number
        self._loaded = mupdf.fz_load_page(document.this, number)
        self._pdf = mupdf.pdf_page_from_fz_page(self._loaded)
        if not self._pdf.m_internal:
            raise Unreadable("broken")
        self._entries = self._pdf.obj()
        self._contents = mupdf.pdf_dict_get(self._entries, mupdf.PDF_ENUM_NAME_Contents)
        self._is_one_stream = mupdf.pdf_is_stream(self._contents)
        if not self._is_one_stream:
            # MuPDF takes a page without its content for a blank one.
            document = self.page.parent
            streams = self.page.get_contents()
            lost = not streams and document.xref_get_key(self.page.xref, "Contents")[0] == "xref"
            if lost or not all(map(document.xref_is_stream, streams)):
                raise Unreadable("broken")

    @cached_property
    def page(self) -> pymupdf.Page:
        """The page in PyMuPDF, for what is not needed of every page."""
        page: pymupdf.Page = self._document.load_page(self._number)
        return page

    @cached_property
    def size(self) -> tuple[float, float]:
        """Width and height of the page as displayed, in points."""
        box = mupdf.fz_bound_page(self._loaded)
        if mupdf.fz_is_infinite_rect(box):
            return self.page.rect.width, self.page.rect.height
        return box.x1 - box.x0, box.y1 - box.y0

    @cached_property
    def rotation(self) -> int:
        """The rotation of the page when displayed, in degrees."""
        turned = mupdf.pdf_dict_get_inheritable(self._entries, mupdf.PDF_ENUM_NAME_Rotate)
        return int(self.page.rotation) if mupdf.pdf_to_int(turned) else 0

    @property
    def as_pdf(self) -> Any:
        """The page as MuPDF's `PdfPage`."""
        return self._pdf

    @property
    def turn(self) -> tuple[float, ...]:
        """The matrix of this rotation."""
        turn: Any = self.page.rotation_matrix
        return tuple(turn)

    @cached_property
    def annotated(self) -> bool:
        """Whether the page has annotations."""
        return bool(mupdf.pdf_first_annot(self._pdf).m_internal)

    @cached_property
    def contents(self) -> bytes:
        """The decoded content stream."""
        if not self._is_one_stream:
            return bytes(self.page.read_contents())
        decoded = mupdf.pdf_load_stream(self._contents)
        # MuPDF interprets the stream for each request: store it decoded.
        mupdf.pdf_update_stream(self._pdf.doc(), self._contents, decoded, 0)
        return bytes(mupdf.fz_buffer_extract_copy(decoded))

    def characters(self) -> Blocks:
        """Return the blocks of `get_text("rawdict")`: each character with its place."""
        blocks: Blocks = self.page.get_text("rawdict", flags=_FLAGS)["blocks"]
        return blocks

    def rules(self) -> list[Box]:
        """Return the lines and rectangles drawn on the page as displayed.

        They are empty if there are too few for a table, or so many that they are a drawing.
        """
        if not MIN_RULES <= self._count_rules() <= MAX_RULES:
            return []
        found = [box for drawing in self.page.get_cdrawings() for box in _straight_parts(drawing)]
        if not self.rotation:
            return found
        turn = self.page.rotation_matrix
        return [tuple((pymupdf.Rect(box) * turn).normalize()) for box in found]

    def _count_rules(self) -> int:
        # At most as many as the operators for them, which text may hold too: a cheap test, as most
        # pages have no tables.
        count = _count_rule_operators(self.contents)
        if _DRAWS in self.contents:
            forms = {form[0] for form in self.page.get_xobjects()}
            streams = map(self._document.xref_stream, islice(forms, MAX_RULES))
            count += sum(_count_rule_operators(stream or b"") for stream in streams)
        return count

    def blocks(self) -> Blocks:
        """Return the blocks of `get_text("dict")` on the unrotated page.

        Glyphs without a character are U+FFFD.
        """
        if self._is_one_stream:
            self.contents  # noqa: B018 # decodes it for MuPDF too
        found: dict[str, Any] = {}
        if self.rotation:
            text = self.page.get_textpage(flags=_FLAGS).this
            pymupdf.extra.JM_make_textpage_dict(text.m_internal, found, False)
        else:
            drawn = pymupdf.extra.page_get_textpage(self._loaded, None, _FLAGS, _AS_IT_IS)
            try:
                pymupdf.extra.JM_make_textpage_dict(drawn, found, False)
            finally:
                mupdf.ll_fz_drop_stext_page(drawn)
        blocks: Blocks = found["blocks"]
        return blocks


_RULE_OPERATORS = tuple(
    operator + blank for operator in (b" re", b" l") for blank in (b"\n", b" ", b"\r")
)
_DRAWS = b" Do"


def _count_rule_operators(content: bytes) -> int:
    return sum(map(content.count, _RULE_OPERATORS))


def _straight_parts(drawing: Mapping[str, Any]) -> Iterator[Box]:
    for kind, *points in drawing["items"]:
        if kind == "re":
            yield tuple(points[0])
        elif kind == "l":
            yield from find_rules(points)


_PIXELS = 1_000
_MAX_SCALE = 2.0
_FEW_PLACES = 4  # with more, the whole page is rendered at once
_BESIDE, _ABOVE, _EDGE = 600.0, 30.0, 2.0  # points


class GreyRendering:
    """A page in shades of grey; regions of it, or all of it, are rendered on demand."""

    def __init__(self, page: pymupdf.Page) -> None:
        self._drawn = page.get_displaylist()
        self._frame = page.rect
        self._scale = _scale(page)
        self._rendered: list[tuple[pymupdf.Rect, pymupdf.Pixmap]] = []

    def shades(self, box: pymupdf.Rect) -> NDArray[np.uint8]:
        """Return the grey values in a box of the page."""
        picture = self._render_around(box & self._frame)
        if picture is None:
            return np.empty((0, 0), np.uint8)
        grey = np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.stride)
        x0, y0 = box.x0 * self._scale - picture.x, box.y0 * self._scale - picture.y
        x1, y1 = box.x1 * self._scale - picture.x, box.y1 * self._scale - picture.y
        grey = grey[max(int(y0), 0) : math.ceil(y1), : picture.width]
        return grey[:, max(int(x0), 0) : math.ceil(x1)]

    def is_blank(self) -> bool:
        """Return whether the whole page has one grey value."""
        matrix = pymupdf.Matrix(self._scale, self._scale)
        picture = self._drawn.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=0)
        return bool(picture.is_unicolor)

    def _render_around(self, box: pymupdf.Rect) -> pymupdf.Pixmap | None:
        if box.is_empty:
            return None
        for place, picture in self._rendered:
            if box in place:
                return picture
        # The next box is often close by: a banner, the cells of a table.
        around = box + pymupdf.Rect(-_BESIDE, -_ABOVE, _BESIDE, _ABOVE)
        place = (around if len(self._rendered) < _FEW_PLACES else self._frame) & self._frame
        clip = (place + pymupdf.Rect(-_EDGE, -_EDGE, _EDGE, _EDGE)) & self._frame
        matrix = pymupdf.Matrix(self._scale, self._scale)
        printed: pymupdf.Pixmap = self._drawn.get_pixmap(
            matrix=matrix, colorspace=pymupdf.csGRAY, alpha=0, clip=clip
        )
        self._rendered.append((place, printed))
        return printed


def _scale(page: pymupdf.Page) -> float:
    return float(min(_PIXELS / max(page.rect.width, page.rect.height, 1), _MAX_SCALE))


Matrix = tuple[float, float, float, float, float, float]

_DARK = 0.6
_TEXT = re.compile(rb"[(<]")
_THIN = 2.0  # points; thinner lines hide no letters
_IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_NUMBERS = {b"cm": 6, b"re": 4, b"rg": 3, b"g": 1, b"w": 1}
_FILLS = frozenset((b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*"))
_STROKES = frozenset((b"S", b"s", b"B", b"B*", b"b", b"b*"))
_ENDS = frozenset((b"S", b"s", b"n"))
# Operators for lines, stroke colours and text state: none of them fills an area.
_IDLE = frozenset(
    b"h J j M d i ri RG G K BT ET Tf Tm Td TD T* TL Tc Tw Tz Tr Ts BMC BDC EMC".split()
)
_LINES = frozenset((b"m", b"l", b"c", b"v", b"y"))


class Area(NamedTuple):
    """A rectangle filled with one colour; `box` in points, y downwards, of the unrotated page."""

    box: Box
    darkest: float
    """The largest of red, green and blue in its colour, from 0 to 1."""
    plain: bool
    """Whether the path is a single upright rectangle."""

    def touches(self, box: Box) -> bool:
        """Return whether a box overlaps the area."""
        x0, y0, x1, y1 = self.box
        return not (x0 >= box[2] or x1 <= box[0] or y0 >= box[3] or y1 <= box[1])

    def is_dark_under(self, box: Box) -> bool:
        """Return whether a box lies entirely on a dark colour."""
        x0, y0, x1, y1 = self.box
        inside = x0 <= box[0] and y0 <= box[1] and box[2] <= x1 and box[3] <= y1
        return self.plain and inside and self.darkest < _DARK


def drawn_areas(page: pymupdf.Page) -> list[Area]:
    """Return everything drawn on a page, lines too, in drawing order."""
    return [
        Area(drawing["rect"], max(drawing.get("fill") or (1.0,)), _is_plain(drawing))
        for drawing in page.get_cdrawings()
        if drawing["type"] != "clip"
    ]


def _is_plain(drawing: Mapping[str, Any]) -> bool:
    items = drawing["items"]
    if drawing["type"] == "s" or len(items) != 1 or items[0][0] != "re":
        return False
    return bool(drawing["fill_opacity"] == 1)


def plain_areas(content: bytes, to_page: Matrix) -> list[Area] | None:
    """Return the areas filled before any text is shown, in order, or None if uncertain.

    `content` is a content stream, `to_page` transforms its units to points of the page. Anything
    but plain rectangles, plain colours and thin lines makes the result None.
    """
    return _AreaInterpreter(to_page).areas(_words_before_text(content))


def _words_before_text(content: bytes) -> list[bytes]:
    text = _TEXT.search(content)
    if text is None:
        return content.split()
    words = content[: text.start()].split()
    return words if content[: text.start()][-1:].isspace() else words[:-1]


class _AreaInterpreter:
    def __init__(self, to_page: Matrix) -> None:
        self._to_page = to_page
        self._matrix = _IDENTITY
        self._colour = 0.0
        self._width = 1.0
        self._saved_states: list[tuple[Matrix, float, float]] = []
        self._path: list[Box] = []
        self._upright = True
        self._lines = False
        self._found: list[Area] = []
        self._handlers: dict[bytes, Callable[[list[float]], None]] = {
            b"cm": self._transform,
            b"re": self._add_rectangle,
            b"rg": self._set_colour,
            b"g": self._set_colour,
            b"w": self._set_width,
        }

    def areas(self, words: Iterable[bytes]) -> list[Area] | None:
        operands: list[bytes] = []
        for word in words:
            if word[0] in b"0123456789.-+/[]":
                operands.append(word)
                continue
            if not self._apply_operator(word, operands):
                return None
            operands = []
        return self._found

    def _apply_operator(self, operator: bytes, operands: list[bytes]) -> bool:
        if operator in self._handlers:
            numbers = _parse_numbers(operands, _NUMBERS[operator])
            if numbers is None:
                return False
            self._handlers[operator](numbers)
        elif operator == b"q":
            self._saved_states.append((self._matrix, self._colour, self._width))
        elif operator == b"Q":
            if not self._saved_states:
                return False
            self._matrix, self._colour, self._width = self._saved_states.pop()
        elif operator in _FILLS:
            return self._fill() and (operator not in _STROKES or self._is_thin())
        elif operator in _ENDS:
            self._path, self._lines = [], False
            return operator not in _STROKES or self._is_thin()
        elif operator in _LINES:
            self._lines = True
        else:
            return operator in _IDLE
        return True

    def _transform(self, by: list[float]) -> None:
        self._matrix = _multiply((by[0], by[1], by[2], by[3], by[4], by[5]), self._matrix)

    def _add_rectangle(self, numbers: list[float]) -> None:
        matrix = _multiply(self._matrix, self._to_page)
        self._upright = matrix[1] == matrix[2] == 0
        x, y, width, height = numbers
        a, b, c, d, e, f = matrix
        corners = [(p, q) for p in (x, x + width) for q in (y, y + height)]
        across = [p * a + q * c + e for p, q in corners]
        down = [p * b + q * d + f for p, q in corners]
        self._path.append((min(across), min(down), max(across), max(down)))

    def _set_colour(self, shares: list[float]) -> None:
        self._colour = max(shares)

    def _set_width(self, width: list[float]) -> None:
        self._width = width[0]

    def _fill(self) -> bool:
        if self._lines or not self._path:
            return False  # another shape, which only rendering can resolve
        plain = len(self._path) == 1 and self._upright
        x0, y0, x1, y1 = zip(*self._path, strict=True)
        self._found.append(Area((min(x0), min(y0), max(x1), max(y1)), self._colour, plain))
        self._path = []
        return True

    def _is_thin(self) -> bool:
        return self._width * max(map(abs, self._matrix[:4])) <= _THIN


def _parse_numbers(operands: list[bytes], count: int) -> list[float] | None:
    if len(operands) != count:
        return None
    try:
        return [float(operand) for operand in operands]
    except ValueError:
        return None


def _multiply(one: Matrix, other: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return (
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + m,
    )

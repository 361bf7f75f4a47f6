"""Reading of PDFs with pdfplumber: text layers only, for sites that do not install PyMuPDF."""

# mypy: allow-untyped-calls
# Parts of pdfminer, which pdfplumber reads with, have no types.

import io
import logging
import math
import struct
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any

import pdfplumber
from pdfminer import settings
from pdfminer.layout import LTChar, LTContainer, LTCurve, LTFigure, LTLine, LTRect
from pdfminer.pdfdocument import PDFEncryptionError, PDFXRefFallback
from pdfminer.pdfpage import PDFPage
from pdfminer.pdftypes import PDFStream, resolve1
from pdfminer.psexceptions import PSException
from pdfminer.psparser import LIT, PSLiteral
from pdfminer.utils import apply_matrix_rect, decode_text
from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

from extractors.document.limits import Limits
from extractors.document.lines import Box, GlyphRun, Line, rotate_upright
from extractors.document.page import Page
from extractors.document.quality import BROKEN_CHARACTER, has_garbled_characters
from extractors.layout.page_text import clean_line
from extractors.pdf.ruled_tables import find_rules, find_tables
from extractors.plain.plain_text import clean
from record.errors import Unreadable

# Distances in letter heights, as in MuPDF: above the first there is a space between two letters,
# above the second they belong to different lines, above the third to different blocks.
_SPACE = 0.15
_GAP = 0.8
_PARAGRAPH = 1.4
_BACKWARDS = 0.5
_SAME_ROW = 0.5

# Drawing a letter twice, slightly shifted, makes it look bold.
_DRAWN_AGAIN = 1.0
_BOLD = ("bold", "black", "heavy", "demi")


@dataclass(frozen=True, slots=True)
class Glyph:
    """A letter, or a ligature; `place` and `box` are defined as in `Line`."""

    text: str = field(repr=False)
    font: str
    direction: tuple[float, float]
    place: Box
    box: Box


@dataclass(slots=True)
class _GlyphRow:
    glyphs: list[Glyph] = field(repr=False)
    box: Box
    block: int = 0


def group_into_lines(glyphs: Iterable[Glyph]) -> Iterator[Line]:
    """Group glyphs, in drawing order, into lines; gaps between words become spaces."""
    row: _GlyphRow | None = None
    for glyph in _drop_repeats(glyphs):
        if row is not None and _continues_row(row, glyph):
            row.glyphs.append(glyph)
            row.box = bounding_box((row.box, glyph.box))
            continue
        if row is not None:
            yield _to_line(row)
        if row is None:
            block_number = 0
        else:
            height = _height(glyph.box)
            down = glyph.box[3] - row.box[3]
            aside = min(row.box[2], glyph.box[2]) - max(row.box[0], glyph.box[0])
            same_row = abs(down) < _SAME_ROW * height
            below = 0 < down <= _PARAGRAPH * height and aside > 0
            turns = glyph.direction != row.glyphs[0].direction
            block_number = row.block + (turns or not (same_row or below))
        row = _GlyphRow([glyph], glyph.box, block_number)
    if row is not None:
        yield _to_line(row)


def _drop_repeats(glyphs: Iterable[Glyph]) -> Iterator[Glyph]:
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


def _continues_row(row: _GlyphRow, glyph: Glyph) -> bool:
    height = _height(glyph.box)
    overlap = min(row.box[3], glyph.box[3]) - max(row.box[1], glyph.box[1])
    if glyph.direction != row.glyphs[0].direction:
        return False
    if overlap < _SAME_ROW * min(height, _height(row.box)):
        return False
    if -_BACKWARDS * height < glyph.box[0] - row.box[2] <= _GAP * height:
        return True
    leftwards = _direction_of(glyph.text) < 0 or glyph.text.isspace()
    return leftwards and -_BACKWARDS * height < row.box[0] - glyph.box[2] <= _GAP * height


def _height(box: Box) -> float:
    return box[3] - box[1]


def _to_line(row: _GlyphRow) -> Line:
    parts = (
        _reorder_bidirectional(
            list(_insert_spaces(sorted(row.glyphs, key=lambda glyph: glyph.box[0])))
        )
        if any(_direction_of(glyph.text) < 0 for glyph in row.glyphs)
        else list(_insert_spaces(row.glyphs))
    )
    text = clean_line("".join(part for _, part in parts))
    fonts = {glyph.font.lower() for glyph, part in parts if part.strip()}
    return Line(
        text=text,
        block=row.block,
        box=row.box,
        direction=row.glyphs[0].direction,
        place=bounding_box(glyph.place for glyph in row.glyphs),
        size=max(_height(glyph.box) for glyph in row.glyphs),
        bold=bool(fonts) and all(any(word in font for word in _BOLD) for font in fonts),
        runs=tuple(_glyph_runs(parts, text)),
    )


_Part = tuple[Glyph, str]  # a glyph and its text, or a space beside it


def _insert_spaces(glyphs: Iterable[Glyph]) -> Iterator[_Part]:
    before: Glyph | None = None
    for glyph in glyphs:
        if before is not None:
            gap = glyph.box[0] - before.box[2]
            words = bool(before.text.strip() and glyph.text.strip())
            if words and gap > _SPACE * _height(glyph.box):
                yield glyph, " "
        yield glyph, glyph.text
        before = glyph


def _glyph_runs(parts: Sequence[_Part], text: str) -> Iterator[GlyphRun]:
    fonts = [list(group) for _, group in groupby(parts, key=lambda part: part[0].font)]
    if len(fonts) < 2:
        return  # the box of the line suffices
    texts = ["".join(part for _, part in group) for group in fonts]
    if "".join(texts) != text:
        texts = [clean(part) for part in texts]
    if "".join(texts) != text:
        return  # an accent in another font than its letter
    at = 0
    for group, part in zip(fonts, texts, strict=True):
        yield GlyphRun(at, at + len(part), bounding_box(glyph.place for glyph, _ in group))
        at += len(part)


def bounding_box(boxes: Iterable[Box]) -> Box:
    """Return the smallest box that contains all of the boxes, of which there is at least one."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _direction_of(text: str) -> int:
    """Return the direction of letters: 1 for left to right, -1 for right to left, 0 for either."""
    kinds = {unicodedata.bidirectional(char) for char in text}
    if kinds & {"R", "AL"}:
        return -1
    return 1 if kinds & {"L", "EN", "AN"} else 0


def _reorder_bidirectional(parts: list[_Part]) -> list[_Part]:
    """Reorder parts from visual to logical (reading) order."""
    ways = [_direction_of(text) for _, text in parts]
    against = -1
    if ways.count(-1) > ways.count(1):
        parts, ways, against = parts[::-1], ways[::-1], 1
    at = 0
    while at < len(parts):
        if ways[at] == against:
            end = at  # the run against the direction of the line ends with its last such letter
            for index in range(at, len(parts)):
                if ways[index] == -against:
                    break
                if ways[index] == against:
                    end = index
            parts[at : end + 1] = parts[at : end + 1][::-1]
            at = end
        at += 1
    return parts


# Log messages of these libraries can quote the document.
for _name in ("pdfminer", "pdfplumber"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)

_ERRORS = (
    PSException,  # base class of pdfminer's errors
    PdfminerException,
    MalformedPDFException,
    # Unexpected objects; endless recursion is a RuntimeError.
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
_END_MARK = b"%%EOF"
_END_MARK_WITHIN = 2048


_HIDDEN = 2 | 32  # flags of an annotation: hidden, no view
_NOTE = "CryptonymNote"
_PROOF_DPI = 72


def read_pages(data: bytes, limits: Limits, passwords: Sequence[str] = ()) -> list[Page]:
    """Read the text layer of each page of a PDF, some thirty times slower than with PyMuPDF.

    Hidden text is not detected. Raises Unreadable: `too-large`, `broken`, `encrypted`,
    `too-many-pages`, `dynamic-form`, `unread-part`, `too-long`, `garbled-text`, `no-text-layer` if
    no page has text, `page-without-text` if a non-blank page has none. Raises MemoryError.
    """
    if len(data) > limits.max_bytes:
        raise Unreadable("too-large")
    with _pdfminer_errors(), _open(data, passwords) as document:
        repaired = any(isinstance(xref, PDFXRefFallback) for xref in document.doc.xrefs)
        if repaired and _END_MARK not in data[-_END_MARK_WITHIN:]:
            raise Unreadable("broken")  # truncated
        _refuse_partial(document.doc.catalog)
        count = resolve1(resolve1(document.doc.catalog["Pages"])["Count"])
        if not isinstance(count, int) or count < 1:
            raise Unreadable("broken")
        if count > limits.max_pages:
            raise Unreadable("too-many-pages")
        found = sum(1 for _ in islice(PDFPage.create_pages(document.doc), count + 1))
        if found != count:
            raise Unreadable("broken")
        return _read_document(document, limits)


def _refuse_partial(catalog: Mapping[str, Any]) -> None:
    if catalog.get("Collection") is not None:
        raise Unreadable("unread-part")  # a portfolio of embedded files
    form = resolve1(catalog.get("AcroForm")) or {}
    if form.get("XFA") is not None and (
        resolve1(catalog.get("NeedsRendering")) or not resolve1(form.get("Fields"))
    ):
        raise Unreadable("dynamic-form")


def _open(data: bytes, passwords: Sequence[str]) -> pdfplumber.pdf.PDF:
    for password in ("", *passwords):
        try:
            return pdfplumber.open(io.BytesIO(data), password=password, raise_unicode_errors=False)
        except PdfminerException as error:
            if not isinstance(_original_error(error), PDFEncryptionError):
                raise
    raise Unreadable("encrypted")


def _read_document(document: pdfplumber.pdf.PDF, limits: Limits) -> list[Page]:
    pages: list[Page] = []
    length = 0
    unread = False
    for number, source in enumerate(document.pages):
        page = _read_page(source, number)
        length += sum(len(line.text) for line in page.lines)
        if length > limits.max_characters:
            raise Unreadable("too-long")
        unread = unread or not (page.lines or _is_blank(source))
        source.close()
        pages.append(page)
    if not any(page.lines for page in pages):
        raise Unreadable("no-text-layer")
    if unread:
        raise Unreadable("page-without-text")
    return pages


def _read_page(source: pdfplumber.page.Page, number: int) -> Page:
    page = source.page_obj
    if page.attrs.get("Contents") is not None and not page.contents:
        raise Unreadable("broken")
    for content in page.contents:
        _refuse_damaged(content)
    _refuse_damaged_drawings(page.resources, set())
    notes = [note for note in _resolve_dictionaries(source.page_obj.annots) if _is_shown(note)]
    _draw_annotations(notes, source.page_obj)
    # The visible part of the media box, in the coordinates of pdfminer.
    x0, y0, x1, y1 = source.page_obj.mediabox
    left, bottom, right, top = source.page_obj.cropbox
    crop = max(x0, left), max(y0, bottom), min(x1, right), min(y1, top)
    if crop[0] >= crop[2] or crop[1] >= crop[3]:
        crop = (x0, y0, x1, y1)
    left, bottom, right, top = apply_matrix_rect(_page_matrix(source.page_obj), crop)
    shown = (left, bottom, right, top)
    glyphs = list(_read_glyphs(source.layout, shown))
    if has_garbled_characters("".join(glyph.text for glyph in glyphs)):
        raise Unreadable("garbled-text")
    lines = list(group_into_lines(glyphs))
    if not any(BROKEN_CHARACTER.sub("", line.text).strip() for line in lines):
        lines = []
    block = lines[-1].block + 1 if lines else 0
    # The annotations whose appearance does not show their text
    figures = {item.name: item for item in source.layout if isinstance(item, LTFigure)}
    drawn = {name for name, figure in figures.items() if any(True for _ in _iterate_glyphs(figure))}
    undrawn_annotations = [
        note
        for number, note in enumerate(notes)
        if f"{_NOTE}{number}" not in drawn or resolve1(note.get("Subtype")) not in _DRAWN_WHOLE
    ]
    lines += _annotation_lines(undrawn_annotations, block, _page_matrix(source.page_obj), shown)
    tables = find_tables(_rules(source.layout, shown))
    return Page(number, shown[2] - shown[0], shown[3] - shown[1], tuple(lines), tables)


def _page_matrix(page: PDFPage) -> tuple[float, float, float, float, float, float]:
    # From the coordinates of the file to those of pdfminer: as displayed, y upwards.
    x0, y0, x1, y1 = page.mediabox
    if page.rotate == 90:
        return 0, -1, 1, 0, -y0, x1
    if page.rotate == 180:
        return -1, 0, 0, -1, x1, y1
    if page.rotate == 270:
        return 0, 1, -1, 0, y1, -x0
    return 1, 0, 0, 1, -x0, -y0


def _to_page_box(box: Box, shown: Box) -> Box:
    return box[0] - shown[0], shown[3] - box[3], box[2] - shown[0], shown[3] - box[1]


def _read_glyphs(layout: LTContainer[Any], shown: Box) -> Iterator[Glyph]:
    for item in _iterate_glyphs(layout):
        x0, y0, x1, y1 = item.bbox
        if x1 < shown[0] or x0 > shown[2] or y1 < shown[1] or y0 > shown[3]:
            continue  # off the page
        place = _to_page_box(item.bbox, shown)
        a, b = item.matrix[:2]
        length = math.hypot(a, b) or 1.0
        direction = (round(a / length, 2) + 0.0, round(-b / length, 2) + 0.0)
        if not any(direction):
            direction = (1.0, 0.0)
        # Rotate the box of a glyph `width` wide such that its text runs from left to right
        width = item.adv * length
        dx, dy = direction
        if not dx or not dy:
            box = rotate_upright(place, direction)
        else:
            width = abs(width)
            height = max((place[2] - place[0] - width * abs(dx)) / abs(dy), 0.0)
            x, y = (place[0] + place[2]) / 2, (place[1] + place[3]) / 2
            across, down = x * dx + y * dy, y * dx - x * dy
            box = (across - width / 2, down - height / 2, across + width / 2, down + height / 2)
        yield Glyph(item.get_text(), str(item.fontname), direction, place, box)


def _iterate_glyphs(layout: LTContainer[Any]) -> Iterator[LTChar]:
    # Glyphs of annotations come last, although they are drawn first (`_draw_annotations`).
    notes: list[LTFigure] = []
    for item in layout:
        if isinstance(item, LTChar):
            yield item
        elif isinstance(item, LTFigure) and str(item.name).startswith(_NOTE):
            notes.append(item)
        elif isinstance(item, LTFigure):
            yield from _iterate_glyphs(item)
    for note in notes:
        yield from _iterate_glyphs(note)


def _rules(layout: LTContainer[Any], shown: Box) -> Iterator[Box]:
    for item in layout:
        if isinstance(item, LTLine | LTRect):
            yield _to_page_box(item.bbox, shown)
        elif isinstance(item, LTCurve):
            if all(step[0] != "c" for step in item.original_path or ()):
                yield from (_to_page_box(box, shown) for box in find_rules(item.pts))
        elif isinstance(item, LTFigure):
            yield from _rules(item, shown)


def _refuse_damaged_drawings(resources: Any, seen: set[int]) -> None:
    drawings = resolve1(resources.get("XObject") or {})
    for reference in drawings.values():
        drawing = resolve1(reference)
        if not isinstance(drawing, PDFStream) or drawing.get("Subtype") is not LIT("Form"):
            continue
        if id(drawing) not in seen:
            seen.add(id(drawing))
            _refuse_damaged(drawing)
            _refuse_damaged_drawings(resolve1(drawing.get("Resources")) or {}, seen)


def _refuse_damaged(reference: Any) -> None:
    stream = resolve1(reference)
    if not isinstance(stream, PDFStream):
        raise Unreadable("broken")
    # Otherwise pdfminer keeps what it could decompress and ignores the rest.
    settings.STRICT = True
    try:
        stream.get_data()
    finally:
        settings.STRICT = False


def _resolve_dictionaries(references: Any) -> list[dict[str, Any]]:
    resolved = map(resolve1, resolve1(references) or ())
    return [item for item in resolved if isinstance(item, dict)]


def _is_shown(note: dict[str, Any]) -> bool:
    flags = resolve1(note.get("F")) or 0
    return not flags & _HIDDEN and resolve1(note.get("Subtype")) is not LIT("Popup")


def _draw_annotations(notes: Sequence[dict[str, Any]], page: PDFPage) -> None:
    """Add the appearances of form fields and annotations to the page, which pdfminer ignores."""
    drawings: dict[str, PDFStream] = {}
    calls: list[bytes] = []
    for number, note in enumerate(notes):
        normal = resolve1((resolve1(note.get("AP")) or {}).get("N"))
        if isinstance(normal, dict):
            state = resolve1(note.get("AS"))
            normal = resolve1(normal.get(state.name)) if isinstance(state, PSLiteral) else None
        if not isinstance(normal, PDFStream) or "BBox" not in normal:
            picture = None
        else:
            normal.attrs["Subtype"] = LIT("Form")
            _refuse_damaged(normal)
            picture = normal
        if picture is not None:
            name = f"{_NOTE}{number}"
            drawings[name] = picture
            calls.append(b"q %s cm /%s Do Q" % (_placement_matrix(picture, note), name.encode()))
    if drawings:
        others = resolve1(page.resources.get("XObject")) or {}
        page.resources = {**page.resources, "XObject": {**others, **drawings}}
        # First, since the page may leave the coordinate system changed.
        page.contents = [PDFStream({}, b"\n".join(calls) + b"\n"), *page.contents]


def _placement_matrix(picture: PDFStream, note: dict[str, Any]) -> bytes:
    # ISO 32000-1, 12.5.5: the transformed bounding box is fitted to the annotation's rectangle.
    x0, y0, x1, y1 = apply_matrix_rect(
        _to_numbers(picture.get("Matrix") or (1, 0, 0, 1, 0, 0)), _to_numbers(picture["BBox"])
    )
    left, bottom, right, top = _to_numbers(note["Rect"])
    left, right, bottom, top = (
        min(left, right),
        max(left, right),
        min(bottom, top),
        max(bottom, top),
    )
    wide = (right - left) / (x1 - x0) if x1 > x0 else 1.0
    high = (top - bottom) / (y1 - y0) if y1 > y0 else 1.0
    return b"%f 0 0 %f %f %f" % (wide, high, left - wide * x0, bottom - high * y0)


def _to_numbers(values: Any) -> Any:
    return tuple(float(resolve1(value)) for value in resolve1(values))


_DRAWN_WHOLE = (LIT("Widget"), LIT("FreeText"), LIT("Stamp"))


def _annotation_lines(
    notes: Iterable[dict[str, Any]], block: int, turn: Any, shown: Box
) -> Iterator[Line]:
    # They come last, as if they were below the page.
    width, bottom = shown[2] - shown[0], shown[3] - shown[1]
    for number, note in enumerate(notes, block):
        kind = resolve1(note.get("Subtype"))
        content = resolve1(note.get("V" if kind is LIT("Widget") else "Contents"))
        text = clean(decode_text(content)) if isinstance(content, bytes) else ""
        if kind is LIT("Link") or not text.strip():
            continue
        place = _to_page_box(apply_matrix_rect(turn, _to_numbers(note["Rect"])), shown)
        for part in filter(str.strip, text.split("\n")):
            bottom += 20
            box = place if kind in _DRAWN_WHOLE else (0, bottom, width, bottom + 10)
            yield Line(part, number, box, place=place)


def _is_blank(page: pdfplumber.page.Page) -> bool:
    if not len(page.layout):
        return True
    # The page may be drawn white on white: only rendering can tell.
    lowest, highest = page.to_image(resolution=_PROOF_DPI).original.convert("L").getextrema()
    return bool(lowest == highest)


def _original_error(error: BaseException) -> object:
    return error.args[0] if isinstance(error, PdfminerException) and error.args else error


@contextmanager
def _pdfminer_errors() -> Iterator[None]:
    try:
        yield
    except _ERRORS as error:
        if isinstance(_original_error(error), MemoryError):
            raise MemoryError from None
        raise Unreadable("broken") from None

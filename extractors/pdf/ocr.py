"""OCR of pages with tesseract (through tesserocr, in this process), with deskewing."""

# mypy: allow-untyped-calls
# PyMuPDF is marked as typed, but most of its methods are not.

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from types import TracebackType
from typing import Any, Self

import numpy as np
import pymupdf
from numpy.typing import NDArray

from extractors.document.lines import Box, GlyphRun, Line, rotate_upright
from extractors.pdf.tessdata import find_tessdata
from extractors.plain.plain_text import clean
from record.errors import Unavailable, Unreadable

_Numbers = NDArray[np.float64]

# In degrees.
_MAX_ANGLE = 3.0
_COARSE_STEP = 0.2
_FINE_STEP = 0.05

_SKEW_PIXELS = 1_200  # along the longer side
_INK_CONTRAST = 60  # than the paper
_MIN_INK_PIXELS = 200
_MAX_INK_PIXELS = 200_000


def measure_skew(page: pymupdf.Page) -> float:
    """Return the clockwise skew of a page in degrees, ignoring quarter turns; 0 if undetectable.

    The angle is the one that concentrates the ink in the fewest rows of pixels, or columns for a
    page on its side (projection profile; Postl 1986).
    """
    down, across = _find_ink(page)
    if down.size < _MIN_INK_PIXELS:
        return 0.0
    angle, _ = max(_find_angle(down, across), _find_angle(-across, down), key=lambda pair: pair[1])
    return angle if abs(angle) < _MAX_ANGLE else 0.0


def _find_angle(down: _Numbers, across: _Numbers) -> tuple[float, float]:
    angles = np.arange(-_MAX_ANGLE, _MAX_ANGLE + _COARSE_STEP / 2, _COARSE_STEP)
    coarse, _ = _sharpest_angle(down, across, angles)
    return _sharpest_angle(
        down, across, np.arange(coarse - _COARSE_STEP, coarse + _COARSE_STEP, _FINE_STEP)
    )


def _find_ink(page: pymupdf.Page) -> tuple[_Numbers, _Numbers]:
    scale = _SKEW_PIXELS / max(page.rect.width, page.rect.height, 1)
    matrix = pymupdf.Matrix(scale, scale)
    picture = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.stride)
    dark = grey[:, : picture.width].astype(np.int16) < int(np.median(grey)) - _INK_CONTRAST
    down, across = np.nonzero(dark)
    step = down.size // _MAX_INK_PIXELS + 1
    return down[::step].astype(np.float64), across[::step].astype(np.float64)


def _sharpest_angle(down: _Numbers, across: _Numbers, angles: _Numbers) -> tuple[float, float]:
    sharpness = [_row_sharpness(down, across, float(angle)) for angle in angles]
    best = int(np.argmax(sharpness))
    return round(float(angles[best]), 2), sharpness[best]


def _row_sharpness(down: _Numbers, across: _Numbers, angle: float) -> float:
    rows = down - across * math.tan(math.radians(angle))
    counts = np.bincount((rows - rows.min()).astype(np.int64)).astype(np.float64)
    return float(counts @ counts)


_POINTS = 72
_MAX_PIXELS = 20_000_000
_MIN_DPI = 100

# Pages read correctly, also those on their side, score above 0.85; those upside down below 0.6.
_DOUBTFUL = 0.70

# The height from ascender to descender is a little less than the font size.
_SHARE_OF_SIZE = 0.9
_PARAGRAPH, _LINE, _WORD = 1, 2, 3  # tesseract's PageIteratorLevel
_TEXT = frozenset((1, 2, 3, 4, 5, 6, 7, 8))  # tesseract's PolyBlockType: all but pictures and rules

_TALL = 1.5  # times as wide

# The widest gap between the parts of an e-mail address, in heights of a row.
_WIDE_SIGN = 0.5

_UPRIGHT_RULE = frozenset("|¦‖[]{}!")
_DARK = 140


@dataclass(frozen=True, slots=True)
class RecognizedPage:
    """The result of OCR on a page.

    `lines` are in reading order and include doubtful ones. `confidence` is the mean over their
    characters, from 0 to 1; 0 without any.
    """

    lines: tuple[Line, ...] = field(repr=False)
    confidence: float


class Recognizer:
    """Reads pages by OCR; the engine is loaded at the first page and kept until `close`.

    `languages` are names of tesseract's data, which is looked for in `tessdata` only, if given.
    The result of a page does not depend on earlier pages. Not thread-safe.
    """

    def __init__(
        self, languages: Sequence[str], *, dpi: int = 300, tessdata: str | None = None
    ) -> None:
        self._languages = tuple(languages)
        self._dpi = dpi
        self._folder = find_tessdata(languages, tessdata)

    @property
    def available(self) -> bool:
        """Whether the library and the data of every language are installed."""
        return self._folder is not None

    def read(self, page: pymupdf.Page) -> RecognizedPage:
        """Recognize the text of a page, deskewed, and rotated if it is upside down.

        Boxes refer to the page as displayed. Raises Unreadable: `page-too-large` if the page
        cannot be rendered at a sufficient resolution, `not-recognized` when tesseract fails.
        Raises Unavailable when tesseract cannot be loaded.
        """
        inches = page.rect.width * page.rect.height / _POINTS**2
        most = math.sqrt(_MAX_PIXELS / max(inches, 0.01))
        if most < min(_MIN_DPI, self._dpi):
            raise Unreadable("page-too-large")
        dpi, angle = min(float(self._dpi), most), measure_skew(page)
        upright = self._read(_PageRendering(page, dpi, -angle))
        if upright.confidence >= _DOUBTFUL or not upright.lines:
            return upright
        reversed_ = self._read(_PageRendering(page, dpi, 180 - angle))
        return max(upright, reversed_, key=lambda seen: seen.confidence)

    def close(self) -> None:
        """Unload the engine; the next page loads it again."""
        engine = self.__dict__.pop("_engine", None)
        if engine is not None:
            engine.End()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @cached_property
    def _engine(self) -> Any:
        import tesserocr  # type: ignore[import-untyped] # noqa: PLC0415 # not installed everywhere

        if self._folder is None:
            raise Unavailable("tesseract", "not installed", _REMEDY)
        tesserocr.set_leptonica_log_level(tesserocr.LeptLogLevel.NONE)
        try:
            return tesserocr.PyTessBaseAPI(
                path=str(self._folder),
                lang="+".join(self._languages),
                psm=tesserocr.PSM.AUTO,
                oem=tesserocr.OEM.LSTM_ONLY,
                variables=_VARIABLES,
            )
        except RuntimeError as error:
            raise Unavailable("tesseract", type(error).__name__, _REMEDY) from None

    def _read(self, picture: "_PageRendering") -> RecognizedPage:
        engine = self._engine
        engine.SetImageBytes(picture.samples, picture.width, picture.height, 1, picture.stride)
        engine.SetSourceResolution(round(picture.dpi))
        try:
            if not engine.Recognize():
                raise Unreadable("not-recognized")
            made: list[_Word] = []
            found = engine.GetIterator()
            block = line = -1
            more = found is not None
            while more:
                block += found.IsAtBeginningOf(_PARAGRAPH)
                line += found.IsAtBeginningOf(_LINE)
                if word := _read_word(found, block, line):
                    made.append(word)
                more = found.Next(_WORD)
            return _assemble_page(picture, made)
        except RuntimeError:
            raise Unreadable("not-recognized") from None
        finally:
            engine.Clear()
            engine.ClearAdaptiveClassifier()


_REMEDY = "install tesserocr and tesseract's data for each language (Debian: tesseract-ocr-fra)"

_VARIABLES = {
    "debug_file": "/dev/null",  # messages can quote the page
    "tessedit_enable_doc_dict": "0",  # do not learn words of a document
}


class _PageRendering:
    """A page rendered in shades of grey, rotated clockwise by an angle in degrees."""

    def __init__(self, page: pymupdf.Page, dpi: float, angle: float) -> None:
        scale = dpi / _POINTS
        matrix = pymupdf.Matrix(scale, scale).prerotate(angle)
        pixmap = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
        self.dpi = dpi
        self.samples: bytes = pixmap.samples
        self.width, self.height, self.stride = pixmap.width, pixmap.height, pixmap.stride
        self.is_reversed = abs(angle) > 90
        self._origin = pixmap.x, pixmap.y
        self._back = ~matrix
        self._rect = page.rect

    def place(self, box: Box) -> Box:
        """Return the box on the page for a box in pixels."""
        x, y = self._origin
        moved = pymupdf.Rect(box[0] + x, box[1] + y, box[2] + x, box[3] + y)
        x0, y0, x1, y1 = (moved * self._back) & self._rect
        return x0, y0, x1, y1

    def is_dark(self, x: int, y: int) -> bool:
        """Return whether a pixel is dark."""
        inside = 0 <= x < self.width and 0 <= y < self.height
        return bool(inside and self.samples[y * self.stride + x] < _DARK)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str = field(repr=False)
    confidence: float
    box: Box  # in pixels
    row: Box
    size: float
    block: int
    line: int


def _read_word(found: Any, block: int, line: int) -> _Word | None:
    if found.BlockType() not in _TEXT or found.Empty(_WORD):
        return None
    text = clean(found.GetUTF8Text(_WORD)).strip()
    if not text:
        return None
    return _Word(
        text=text,
        confidence=found.Confidence(_WORD) / 100,
        box=found.BoundingBox(_WORD),
        row=found.BoundingBox(_LINE),
        size=found.RowAttributes()["row_height"],
        block=block,
        line=line,
    )


def _assemble_page(picture: _PageRendering, words: Iterable[_Word]) -> RecognizedPage:
    rows = [list(row) for _, row in groupby(words, key=lambda word: word.line)]
    vertical = [row for row in rows if len(row) > 1 and _is_vertical(row)]
    steps = [math.copysign(1, _center(row[-1].box)[1] - _center(row[0].box)[1]) for row in vertical]
    upwards = sum(steps) <= 0
    lines: list[Line] = []
    letters = sure = 0.0
    for row in rows:
        down = _is_vertical(row)
        kept = [word for word in row if down or not _is_rule(picture, word)]
        letters += sum(len(word.text) for word in kept)
        sure += sum(len(word.text) * word.confidence for word in kept)
        if kept:
            way = (0.0, -1.0 if upwards else 1.0) if down else (1.0, 0.0)
            lines.append(_assemble_line(picture, list(_join_address_parts(kept, int(down))), way))
    return RecognizedPage(tuple(lines), sure / letters if letters else 0.0)


def _is_vertical(row: Sequence[_Word]) -> bool:
    # Tesseract reports the orientation of a block, but not that it rotated the whole page.
    (x0, y0), (x1, y1) = _center(row[0].box), _center(row[-1].box)
    if len(row) > 1:
        return abs(y1 - y0) > abs(x1 - x0)
    left, top, right, bottom = row[0].box
    return len(row[0].text) > 2 and bottom - top > _TALL * (right - left)


def _center(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _join_address_parts(words: Iterable[_Word], axis: int) -> Iterator[_Word]:
    """Join the parts of an e-mail address: the @ is wide, and tesseract sees gaps around it."""
    before: _Word | None = None
    for word in words:
        joins = before is not None and (
            before.text.endswith(("@", "www."))
            or word.text.startswith("@")
            or (
                "@" in word.text and before.text.islower() and before.text.endswith((".", "-", "_"))
            )
        )
        if before is not None and joins and _are_near(before, word, axis):
            lengths = len(before.text), len(word.text)
            sure = before.confidence * lengths[0] + word.confidence * lengths[1]
            before = replace(
                before,
                text=before.text + word.text,
                box=_bounding_box((before.box, word.box)),
                confidence=sure / sum(lengths),
            )
            continue
        if before is not None:
            yield before
        before = word
    if before is not None:
        yield before


def _are_near(one: _Word, other: _Word, axis: int) -> bool:
    near, far = sorted((one.box, other.box), key=lambda box: box[axis])
    return far[axis] - near[axis + 2] < _WIDE_SIGN * one.size


def _is_rule(picture: _PageRendering, word: _Word) -> bool:
    # The side of a frame continues above and below the row.
    if not _UPRIGHT_RULE.issuperset(word.text):
        return False
    x0, y0, x1, y1 = map(int, word.box)
    _, top, _, bottom = map(int, word.row)
    reach = max((bottom - top) // 3, 3)
    above = range(min(y0, top) - reach, y0)
    below = range(y1, max(y1, bottom) + reach)
    return _is_crossed(picture, (x0, x1), above) and _is_crossed(picture, (x0, x1), below)


def _is_crossed(picture: _PageRendering, between: tuple[int, int], rows: range) -> bool:
    """Return whether nearly all of the rows of pixels have a dark pixel."""
    x0, x1 = between
    inked = sum(any(picture.is_dark(x, y) for x in range(x0 - 2, x1 + 3)) for y in rows)
    return inked >= 0.9 * len(rows)


def _assemble_line(
    picture: _PageRendering, words: Sequence[_Word], way: tuple[float, float]
) -> Line:
    dx, dy = way
    direction = (-dx or 0.0, -dy or 0.0) if picture.is_reversed else way
    places = [picture.place(word.box) for word in words]
    around = _bounding_box(places)
    return Line(
        text=" ".join(word.text for word in words),
        block=words[0].block,
        box=rotate_upright(around, direction),
        direction=direction,
        place=around,
        size=max(word.size for word in words) * _POINTS / picture.dpi / _SHARE_OF_SIZE,
        runs=tuple(_glyph_runs(words, places, direction)),
    )


def _glyph_runs(
    words: Sequence[_Word], places: Sequence[Box], direction: tuple[float, float]
) -> Iterator[GlyphRun]:
    at = 0
    for word, place, after in zip(words, places, [*places[1:], None], strict=True):
        end = at + len(word.text) + (after is not None)  # including the blank
        yield GlyphRun(at, end, _extend_to_next(place, after, direction) if after else place)
        at = end


def _extend_to_next(place: Box, after: Box, direction: tuple[float, float]) -> Box:
    x0, y0, x1, y1 = place
    dx, dy = direction
    if dx:
        return (x0, y0, max(x1, after[0]), y1) if dx > 0 else (min(x0, after[2]), y0, x1, y1)
    return (x0, y0, x1, max(y1, after[1])) if dy > 0 else (x0, min(y0, after[3]), x1, y1)


def _bounding_box(boxes: Sequence[Box]) -> Box:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)

"""Drawing of pages: positioned lines and shapes, and their output as PDF and as text."""

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Literal

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from synthesis.fictional.pdf_letters.layouts import Colour, PrintStyle
from synthesis.fictional.pdf_letters.marked_lines import MarkedLine, Measure, Transcript, wrap


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line at its base line; x is its left end, its middle or its right end by `align`.

    `angle` turns it around that point, in degrees. `spread` is added to every blank, in points.
    `kind` says what the line is to a reader: "body", "table", "header", "footer", "margin-note",
    "page-number", "stamp" or "signature".
    """

    line: MarkedLine
    x: float
    y: float
    face: PrintStyle
    align: Literal["left", "centre", "right"] = "left"
    angle: float = 0.0
    spread: float = 0.0
    kind: str = "body"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with its lower left corner at x, y; filled, outlined or both."""

    x: float
    y: float
    width: float
    height: float
    fill: Colour | None = None
    edge: Colour | None = None
    angle: float = 0.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """A pen stroke: a start and triples of Bezier control points."""

    points: tuple[tuple[float, float], ...]

    def moved(self, x: float, y: float) -> "Stroke":
        """Return the stroke so far to the right and up."""
        return Stroke(tuple((a + x, b + y) for a, b in self.points))


@dataclass
class PaperSheet:
    """A page: shapes below, lines above, both in drawing order."""

    shapes: list[Box | Stroke] = field(default_factory=list)
    placed: list[PlacedLine] = field(default_factory=list)


def measure(face: PrintStyle) -> Measure:
    """A measure of text in a face, in points."""
    font, size = face.font, face.size
    return lambda text: _unit_width(text, font) * size


def spread_blanks(text: str, width: float, face: PrintStyle, *, most: float) -> float:
    """Return the points to add to every blank so that a line fills its column.

    0 where a blank would gape: where it takes more than `most` of the letters' size.
    """
    blanks = text.count(" ")
    room = width - measure(face)(text)
    return room / blanks if blanks and 0 < room < blanks * face.size * most else 0.0


def draw_bars(
    random: Random, width: float, bars: Sequence[float], gaps: Sequence[float]
) -> Iterator[tuple[float, float]]:
    """Draw the bars of a bar code: the offset and width of each."""
    at = 0.0
    while at < width:
        bar = random.choice(bars)
        yield at, bar
        at += bar + random.choice(gaps)


@lru_cache(maxsize=1 << 15)
def _unit_width(text: str, font: str) -> float:
    return float(stringWidth(text, font, 1.0))


@dataclass
class Column:
    """A column into which lines are stacked from the top; `top` moves down as it fills."""

    sheet: PaperSheet
    x: float
    top: float
    width: float
    kind: str = "body"

    def stack(
        self,
        rows: Iterable[MarkedLine],
        face: PrintStyle,
        *,
        align: Literal["left", "centre", "right"] = "left",
    ) -> None:
        """Wrap lines to the column's width and put them below what is there."""
        at = self.x + {"left": 0.0, "centre": self.width / 2, "right": self.width}[align]
        for row in rows:
            for part in wrap(row, self.width, measure(face)):
                self.top -= face.leading
                base = self.top + 0.25 * face.leading
                self.sheet.placed.append(PlacedLine(part, at, base, face, align, kind=self.kind))

    def skip(self, points: float) -> None:
        """Leave room."""
        self.top -= points


def draw_pdf(
    sheets: Sequence[PaperSheet],
    size: tuple[float, float],
    *,
    about: dict[str, str],
    turned: bool = False,
) -> bytes:
    """Draw sheets into a PDF, deterministically.

    `about` holds the document information: `title`, `author`, `subject`. Pages that are `turned`
    are stored lying on their side and shown upright.
    """
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=size, invariant=1, pageCompression=1)
    canvas.setTitle(about.get("title", ""))
    canvas.setAuthor(about.get("author", ""))
    canvas.setSubject(about.get("subject", ""))
    for sheet in sheets:
        if turned:
            canvas.setPageRotation(90)  # which also swaps the width and the height of the paper
            canvas.transform(0, 1, -1, 0, size[1], 0)
        for shape in sheet.shapes:
            _draw_shape(canvas, shape)
        for placed in sheet.placed:
            _draw_line(canvas, placed)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def to_transcript(sheets: Sequence[PaperSheet]) -> Transcript:
    """Return all lines of the sheets in drawing order."""
    script = Transcript()
    for sheet in sheets:
        for placed in sheet.placed:
            script.write(placed.line)
    return script


def _draw_shape(canvas: Canvas, shape: Box | Stroke) -> None:
    canvas.saveState()
    if isinstance(shape, Stroke):
        canvas.setStrokeColorRGB(0.1, 0.15, 0.5)
        canvas.setLineWidth(1.1)
        path = canvas.beginPath()
        path.moveTo(*shape.points[0])
        for a, b, c in zip(*(shape.points[k::3] for k in (1, 2, 3)), strict=True):
            path.curveTo(*a, *b, *c)
        canvas.drawPath(path)
    else:
        canvas.translate(shape.x, shape.y)
        canvas.rotate(shape.angle)
        if shape.fill:
            canvas.setFillColorRGB(*shape.fill)
        if shape.edge:
            canvas.setStrokeColorRGB(*shape.edge)
            canvas.setLineWidth(0.7)
        canvas.rect(
            0,
            0,
            shape.width,
            shape.height,
            stroke=int(bool(shape.edge)),
            fill=int(bool(shape.fill)),
        )
    canvas.restoreState()


def _draw_line(canvas: Canvas, placed: PlacedLine) -> None:
    face, text = placed.face, placed.line.text
    canvas.setFont(face.font, face.size)
    canvas.setFillColorRGB(*face.colour)
    draw = {
        "left": canvas.drawString,
        "centre": canvas.drawCentredString,
        "right": canvas.drawRightString,
    }[placed.align]
    if placed.angle:
        canvas.saveState()
        canvas.translate(placed.x, placed.y)
        canvas.rotate(placed.angle)
        draw(0, 0, text)
        canvas.restoreState()
    elif placed.spread:
        canvas.drawString(placed.x, placed.y, text, wordSpace=placed.spread)
    else:
        draw(placed.x, placed.y, text)

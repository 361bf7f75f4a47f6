"""The context of drawing a labelled page: letter, layout, text styles, free area and lines."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from synthesis.fictional.labelled_pages.bodies import BodyCase
from synthesis.fictional.labelled_pages.layouts import PageLayout
from synthesis.fictional.labelled_pages.vocabulary import PAGE_WORDS, PageWords
from synthesis.fictional.pdf_letters.drawing import Box, Column, PaperSheet, PlacedLine, Stroke
from synthesis.fictional.pdf_letters.layouts import Colour, PrintStyle
from synthesis.fictional.pdf_letters.letterhead import Letter, LetterWording, wording
from synthesis.fictional.pdf_letters.marked_lines import MarkedLine

Align = Literal["left", "centre", "right"]

BLACK = (0.0, 0.0, 0.0)
WHITE = (1.0, 1.0, 1.0)
RULE = (0.6, 0.6, 0.62)


@dataclass
class Frame:
    """The free area of a page, in points from its lower left corner."""

    left: float
    right: float
    top: float
    bottom: float

    @property
    def width(self) -> float:
        """The distance of the left and the right edge."""
        return self.right - self.left


@dataclass(frozen=True)
class PageContext:
    """A letter and its layout, with the random generator for small variations."""

    case: BodyCase
    layout: PageLayout
    random: Random

    @property
    def letter(self) -> Letter:
        """The letter that is laid out."""
        return self.case.letter

    @property
    def words(self) -> LetterWording:
        """The words of every printed letter."""
        return wording(self.letter)

    @property
    def page_words(self) -> PageWords:
        """The words of labelled pages."""
        return PAGE_WORDS[self.letter.note.lang]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the paper."""
        return self.layout.paper

    def habit(self, name: str) -> Random:
        """Return a random generator that is the same for each use of a name in this letter."""
        return Random(f"habit:{name}:{self.layout.name}:{self.letter.note.note_id}")

    def frame(self) -> Frame:
        """A page with nothing but its margins taken."""
        (width, height), (left, top, right, bottom) = self.size, self.layout.margins
        return Frame(left, width - right, height - top, bottom)

    def body(self, *, bold: bool = False, colour: Colour = BLACK) -> PrintStyle:
        """The face of the body."""
        family, size = self.layout.fonts[0], self.layout.size
        return PrintStyle(
            family.bold if bold else family.plain, size, size * self.layout.leading, colour
        )

    def head(self, size: float, *, bold: bool = False, colour: Colour | None = None) -> PrintStyle:
        """The face of what stands around the body."""
        family = self.layout.fonts[1]
        font = family.bold if bold else family.plain
        return PrintStyle(font, size, size * 1.24, self.layout.accent if colour is None else colour)

    def small(self, scale: float = 1.0) -> PrintStyle:
        """The face of small print."""
        grey = self.layout.grey
        return self.head(self.layout.small * scale, colour=(grey, grey, grey))


@dataclass(frozen=True)
class StackedLines:
    """Lines stacked independently of a page, and the height and width they take."""

    placed: tuple[PlacedLine, ...]
    height: float

    def put(self, sheet: PaperSheet, x: float, top: float) -> None:
        """Draw them with the upper left corner of their column at a position."""
        sheet.placed += [replace(p, x=p.x + x, y=p.y + top) for p in self.placed]


def draft(
    rows: Iterable[tuple[MarkedLine, PrintStyle]], width: float, kind: str, align: Align = "left"
) -> StackedLines:
    """Stack lines, each in its face, in a column of a width; nothing is drawn yet."""
    column = Column(PaperSheet(), 0.0, 0.0, width, kind)
    for row, face in rows:
        column.stack([row], face, align=align)
    return StackedLines(tuple(column.sheet.placed), -column.top)


Part = tuple[MarkedLine, float, PrintStyle, float]


@dataclass(frozen=True, slots=True)
class TypesetLine:
    """The content of one base line of a column: parts with offset, style and word spacing.

    `above` is the room over it where it does not begin a column. `rules` and `strokes` are drawn
    relative to the column's left edge and the base line. `keep` holds it to the slug that follows.
    """

    parts: tuple[Part, ...]
    leading: float
    above: float = 0.0
    kind: str = "body"
    rules: tuple[Box, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    keep: bool = False

    def without_continuation(self) -> "TypesetLine":
        """Return the line for a new page; see `MarkedLine.without_continuation`."""
        parts = tuple(
            (row.without_continuation(), x, face, spread) for row, x, face, spread in self.parts
        )
        return replace(self, parts=parts)


_GUTTER = 18.0


def columns(frame: Frame, count: int) -> list[Frame]:
    """Cut a frame into columns of one width."""
    width = (frame.width - _GUTTER * (count - 1)) / count
    lefts = [frame.left + number * (width + _GUTTER) for number in range(count)]
    return [Frame(left, left + width, frame.top, frame.bottom) for left in lefts]

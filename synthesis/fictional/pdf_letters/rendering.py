"""Renders notes of the fictional hospital as PDF, printed or scanned, with exact spans."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import cos, radians, sin
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pymupdf
from PIL import Image

from record.document import Annotated
from synthesis.fictional.pdf_letters import letterhead
from synthesis.fictional.pdf_letters.drawing import (
    Box,
    Column,
    PaperSheet,
    PlacedLine,
    Stroke,
    draw_bars,
    draw_pdf,
    measure,
    spread_blanks,
    to_transcript,
)
from synthesis.fictional.pdf_letters.layouts import (
    A4,
    LETTER,
    Colour,
    LetterLayout,
    PrintStyle,
    choose,
)
from synthesis.fictional.pdf_letters.letterhead import (
    Letter,
    LetterDirectory,
    clinician_line,
    name_line,
)
from synthesis.fictional.pdf_letters.marked_lines import MarkedLine, joined, line, paragraphs, wrap
from synthesis.fictional.people.records import FictionalNote, Hospital

_EDGE = 42.0
_FOOT = 74.0
_GUTTER = 20.0
_SHORT = 2100  # characters that would leave a second column empty
_RULE = (0.6, 0.6, 0.62)
_SMALL = (0.35, 0.35, 0.38)


@dataclass(frozen=True, slots=True)
class _Item:
    """A line of the body, wrapped to its column; `above` is the space above it."""

    line: MarkedLine
    face: PrintStyle
    above: float = 0.0
    spread: float = 0.0
    signed: bool = False
    kind: str = "body"


class Composer:
    """Arranges one letter on sheets in one layout; `random` decides small variations."""

    def __init__(self, letter: Letter, layout: LetterLayout, random: Random) -> None:
        self._letter = letter
        self._layout = layout
        self._random = random
        self.size = LETTER if letter.note.lang == "en" else A4
        short = len(letter.note.annotated.document.text) < _SHORT
        self._columns = 1 if short else layout.columns
        self._left = _EDGE + (layout.staff + 14.0 if layout.staff else 0.0)
        self._right = self.size[0] - _EDGE
        self._body = PrintStyle(layout.family.plain, layout.size, layout.size * 1.28)
        self._bold = replace(self._body, font=layout.family.bold)
        self._small = PrintStyle(layout.family.plain, 7.4, 9.2, _SMALL)

    def sheets(self) -> list[PaperSheet]:
        """Compose all pages."""
        first = PaperSheet()
        top = {
            "stamp": self._stamp,
            "label": self._label,
            "grid": self._grid,
            "strip": self._strip,
            "window": self._window,
        }[self._layout.identity](first, self._staff(first, self._letterhead(first)))
        column = Column(first, self._left, top - 8.0, self._right - self._left, "header")
        if self._layout.identity not in ("strip", "grid"):
            column.stack([letterhead.dateline(self._letter)], self._body, align="right")
            column.skip(6.0)
        column.kind = "body"
        title = letterhead.title_line(self._letter)
        column.stack([title] if title.text else [], self._face(12.5, bold=True), align="centre")
        column.skip(8.0)
        top = column.top
        sheets = self._flow(first, top)
        for number, sheet in enumerate(sheets, 1):
            self._foot(sheet, number, len(sheets))
        return sheets

    # The letterhead ---------------------------------------------------------------------------

    def _letterhead(self, sheet: PaperSheet) -> float:
        head = self._layout.head
        if head == "none":
            return self.size[1] - 44.0
        if head == "banner":
            return self._banner(sheet)
        name, rest = self._site_lines()
        width = self.size[0] - 2 * _EDGE
        x, align = _EDGE, "centre" if head == "centre" else "left"
        if head == "left":
            y = self.size[1] - 84.0
            accent = self._layout.accent
            white = (1.0, 1.0, 1.0)
            sheet.shapes += [
                Box(_EDGE, y, 42.0, 42.0, fill=accent),
                Box(_EDGE + 17.0, y + 7.0, 8.0, 28.0, fill=white),
                Box(_EDGE + 7.0, y + 17.0, 28.0, 8.0, fill=white),
            ]
            x, width = _EDGE + 54.0, width - 54.0 - (190.0 if self._beside else 0.0)
        column = Column(sheet, x, self.size[1] - 36.0, width, "header")
        column.stack(name, self._face(13.0, bold=True), align=align)  # type: ignore[arg-type]
        if head == "split":
            half = column.width / 2
            left = Column(column.sheet, column.x, column.top, half, "header")
            right = Column(column.sheet, column.x + half, column.top, half, "header")
            left.stack(rest[: len(rest) // 2], self._small)
            right.stack(rest[len(rest) // 2 :], self._small, align="right")
            column.top = min(left.top, right.top)
        else:
            column.stack(rest, self._small, align=align)  # type: ignore[arg-type]
        bottom = min(column.top, self.size[1] - 90.0) - 8.0
        sheet.shapes.append(Box(_EDGE, bottom, width, 0.8, fill=self._layout.accent))
        return bottom

    @property
    def _beside(self) -> bool:
        """Whether the identity stands beside the letterhead and not below it."""
        return self._layout.identity in ("stamp", "window")

    def _banner(self, sheet: PaperSheet) -> float:
        white = (1.0, 1.0, 1.0)
        name, rest = self._site_lines()
        width = self.size[0] - 2 * _EDGE
        column = Column(sheet, _EDGE, self.size[1] - 18.0, width, "header")
        column.stack(name, replace(self._face(15.0, bold=True), colour=white))
        joined_rest = [joined(rest, "  |  ")]
        column.stack(joined_rest, replace(self._small, colour=white))
        bottom = column.top - 10.0
        height = self.size[1] - bottom
        sheet.shapes.append(Box(0, bottom, self.size[0], height, fill=self._layout.accent))
        return bottom

    def _site_lines(self) -> tuple[tuple[MarkedLine, ...], tuple[MarkedLine, ...]]:
        rows = letterhead.site_lines(self._letter)
        return rows[:1], rows[1:]

    # The margin and the identity --------------------------------------------------------------

    def _staff(self, sheet: PaperSheet, top: float) -> float:
        if not self._layout.staff:
            return top
        column = Column(sheet, _EDGE, top - 10.0, self._layout.staff, "margin-note")
        team = line(letterhead.wording(self._letter).team)
        column.stack([team], self._face(8.6, bold=True))
        plain, bold = self._face(6.9), replace(self._face(7.4, bold=True), colour=(0.0, 0.0, 0.0))
        for name, *rest in letterhead.staff_lines(self._letter):
            column.skip(6.0)
            column.stack([name], bold)
            column.stack(rest, replace(plain, colour=_SMALL))
        rule = Box(_EDGE + column.width + 6.0, _FOOT, 0.6, top - 10.0 - _FOOT, fill=_RULE)
        sheet.shapes.append(rule)
        return top

    def _stamp(self, sheet: PaperSheet, top: float) -> float:
        rows = letterhead.identity_lines(self._letter, full=self._random.random() < 0.7)
        column = Column(sheet, self._right - 172.0, self.size[1] - 34.0, 166.0, "stamp")
        column.stack(rows[:1], self._face(9.0, bold=True, colour=(0.0, 0.0, 0.0)))
        column.stack(rows[1:], self._face(8.0, colour=(0.0, 0.0, 0.0)))
        height = self.size[1] - 30.0 - column.top + 5.0
        sheet.shapes.append(
            Box(self._right - 179.0, column.top - 5.0, 179.0, height, edge=self._layout.accent)
        )
        return min(top, column.top - 12.0)

    def _label(self, sheet: PaperSheet, top: float) -> float:
        """An adhesive label with bars, stuck on a little askew."""
        rows = letterhead.identity_lines(self._letter, full=True)
        angle = self._random.uniform(-2.5, 2.5) or 1.0
        draft = Column(PaperSheet(), 0.0, 0.0, 190.0, "stamp")
        draft.stack(rows, PrintStyle("Helvetica", 8.2, 10.4))
        height = 30.0 - draft.top
        x, y = self._right - 205.0, top - 16.0 - height

        def stuck(right: float, up: float) -> tuple[float, float]:
            turn = radians(angle)
            return x + right * cos(turn) - up * sin(turn), y + right * sin(turn) + up * cos(turn)

        paper = Box(x, y, 205.0, height, fill=(0.98, 0.98, 0.95), edge=_RULE, angle=angle)
        sheet.shapes.append(paper)
        for offset, width in draw_bars(self._random, 150.0, (0.8, 1.6, 2.4), (0.9, 1.7)):
            bar = Box(*stuck(10.0 + offset, 7.0), width, 15.0, fill=(0, 0, 0), angle=angle)
            sheet.shapes.append(bar)
        for placed in draft.sheet.placed:
            left, base = stuck(9.0, height - 5.0 + placed.y)
            sheet.placed.append(replace(placed, x=left, y=base, angle=angle))
        return y - 12.0

    def _grid(self, sheet: PaperSheet, top: float) -> float:
        rows = letterhead.identity_lines(self._letter, full=True)
        width = (self._right - self._left) / 2
        face = replace(self._body, size=8.2, leading=11.0)
        y = top - 12.0
        for start in range(0, len(rows), 2):
            lefts = [self._left + k * width + 5.0 for k in (0, 1)]
            cells = [Column(sheet, left, y - 2.0, width - 10.0, "stamp") for left in lefts]
            for cell, row in zip(cells, rows[start : start + 2], strict=False):
                cell.stack([row], replace(face, font=self._bold.font) if start == 0 else face)
            bottom = min(cell.top for cell in cells) - 3.0
            sheet.shapes += [
                Box(self._left + k * width, bottom, width, y - bottom, edge=_RULE) for k in (0, 1)
            ]
            y = bottom
        return y - 4.0

    def _strip(self, sheet: PaperSheet, top: float) -> float:
        rows = letterhead.identity_lines(self._letter, full=False)
        width = self._right - self._left
        column = Column(sheet, self._left + 6.0, top - 12.0, width - 12.0, "header")
        column.stack([joined(rows, "   ")], self._face(8.8, bold=True, colour=(0.1, 0.1, 0.1)))
        height = top - 8.0 - column.top + 5.0
        fill = (0.92, 0.93, 0.95)
        sheet.shapes.append(Box(self._left, column.top - 5.0, width, height, fill=fill))
        return column.top - 12.0

    def _window(self, sheet: PaperSheet, top: float) -> float:
        column = Column(sheet, self._right - 200.0, self.size[1] - 118.0, 200.0, "header")
        column.stack(letterhead.recipient_lines(self._letter), self._body)
        facts = letterhead.identity_lines(self._letter, full=False)[1:]
        width = self._right - self._left - 210.0
        left = Column(sheet, self._left, top - 12.0, width, "header")
        left.stack(facts, self._small)
        return min(column.top, left.top) - 14.0

    # The body ---------------------------------------------------------------------------------

    def _items(self, width: float) -> Iterator[_Item]:
        above = 0.0
        for paragraph in paragraphs(self._letter.note.annotated):
            if not paragraph.text.strip():
                above = 0.6 * self._body.leading
                continue
            text = paragraph.text
            text = text.strip()
            face = (
                self._bold
                if (len(text) <= 60 and (text.endswith(":") or (text.isupper() and len(text) > 3)))
                else self._body
            )
            parts = wrap(paragraph, width, measure(face))
            for part in parts:
                last = part is parts[-1] or not self._layout.justified
                spread = 0.0 if last else spread_blanks(part.text, width, face, most=0.5)
                yield _Item(part, face, above, spread)
                above = 0.0
        above = 16.0
        rows = letterhead.signature_lines(self._letter, electronic=self._layout.electronic)
        for row in rows:
            for part in wrap(row, width, measure(self._body)):
                yield _Item(part, self._body, above, signed=above > 0, kind="signature")
                above = 0.0

    def _flow(self, first: PaperSheet, top: float) -> list[PaperSheet]:
        sheets = [first]
        columns = self._columns
        width = (self._right - self._left - _GUTTER * (columns - 1)) / columns
        number, spot = 0, Column(first, self._left, top, width)
        for item in self._items(width):
            row = item.line
            if spot.top - item.above - item.face.leading < _FOOT:
                number += 1
                if number % columns == 0:
                    first, row = PaperSheet(), row.without_continuation()
                    sheets.append(first)
                    top = self._running(first)
                at = self._left + (number % columns) * (width + _GUTTER)
                spot = Column(first, at, top, width)
            else:
                spot.skip(item.above)
            self._put(spot, replace(item, line=row))
        return sheets

    def _put(self, spot: Column, item: _Item) -> None:
        spot.top -= item.face.leading
        if item.signed and not self._layout.electronic:
            x = spot.x + 30.0
            y = spot.top + 4.0
            draw = self._random.uniform
            steps = [(x + 5.0 * k + draw(-5, 5), y + draw(-8, 13)) for k in range(19)]
            spot.sheet.shapes.append(Stroke(tuple(steps)))
        base = spot.top + 2.5
        placed = PlacedLine(item.line, spot.x, base, item.face, spread=item.spread, kind=item.kind)
        spot.sheet.placed.append(placed)

    def _running(self, sheet: PaperSheet) -> float:
        width = self._right - self._left
        column = Column(sheet, self._left, self.size[1] - 30.0, width, "header")
        column.stack([letterhead.running_line(self._letter)], self._small)
        rule = Box(self._left, column.top - 3.0, column.width, 0.5, fill=_RULE)
        sheet.shapes.append(rule)
        return column.top - 14.0

    # The foot ---------------------------------------------------------------------------------

    def _foot(self, sheet: PaperSheet, number: int, total: int) -> None:
        rows = letterhead.foot_lines(self._letter)
        page = letterhead.page_line(self._letter, number, total)
        width = self.size[0] - 2 * _EDGE
        colour = _SMALL
        if self._layout.foot == "band":
            colour = (1.0, 1.0, 1.0)
            sheet.shapes.append(Box(0, 0, self.size[0], 48.0, fill=self._layout.accent))
        else:
            sheet.shapes.append(Box(_EDGE, 58.0, width, 0.6, fill=self._layout.accent))
        face = replace(self._small, size=6.8, leading=8.6, colour=colour)
        if self._layout.foot == "split":
            Column(sheet, _EDGE, 56.0, width * 0.8, "footer").stack(rows, face)
            Column(sheet, _EDGE, 56.0, width, "page-number").stack([page], face, align="right")
        else:
            column = Column(sheet, _EDGE, 46.0, width, "footer")
            column.stack(rows, face, align="centre")
            column.kind = "page-number"
            column.stack([page], face, align="centre")
        if self._layout.imprint:
            spot = (self.size[0] - 16.0, 120.0)
            row = letterhead.imprint_line(self._letter)
            edge = PlacedLine(row, *spot, self._small, angle=90.0, kind="margin-note")
            sheet.placed.append(edge)

    def _face(self, size: float, *, bold: bool = False, colour: Colour | None = None) -> PrintStyle:
        family = self._layout.family
        font = family.bold if bold else family.plain
        return PrintStyle(font, size, size * 1.22, colour or self._layout.accent)


_DPI = 200
_QUALITY = 30

# The library's classes come without annotations.
_document: Any = pymupdf.open
_matrix: Any = pymupdf.Matrix

Grey = npt.NDArray[np.uint8]


def scan(pdf: bytes, *, seed: int, dpi: int = _DPI) -> bytes:
    """Make an image-only PDF, slightly rotated and noisy, deterministically for a seed."""
    random = np.random.default_rng(seed)
    with _document(stream=pdf, filetype="pdf") as printed, _document() as scanned:
        for page in printed:
            sheet = scanned.new_page(width=page.rect.width, height=page.rect.height)
            turn = _matrix(dpi / 72, dpi / 72).prerotate(random.uniform(-0.9, 0.9))
            pixmap = page.get_pixmap(matrix=turn, colorspace=pymupdf.csGRAY, alpha=False)
            grey = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width)
            stream = io.BytesIO()
            # Grain, paler ink, paper that is not quite white, and a few specks of dust.
            height, width = grey.shape
            grain = random.integers(0, 16, (height, width), np.uint8)
            worn: Grey = np.clip(grey, 28, 251) - grain
            specks = random.integers(0, height, 60), random.integers(0, width, 60)
            worn[specks] = 60
            Image.fromarray(worn).save(stream, "JPEG", quality=_QUALITY)
            sheet.insert_image(sheet.rect, stream=stream.getvalue(), keep_proportion=False)
        scanned.set_metadata({"producer": "Scanner", "creator": "Scanner"})
        return bytes(scanned.tobytes(no_new_id=True, garbage=0, deflate=False))


def render(note: FictionalNote, hospital: Hospital, *, seed: int) -> tuple[bytes, Annotated]:
    """Render a note; return the PDF and the text of everything on it, with all spans.

    The text holds, page by page, letterhead, margin, identity, body and foot, as they are drawn.
    An identifier broken over lines or columns is one span over the line break; broken over pages
    it is two spans. A note whose rendering is `scan` gets pictures of its pages, without a text
    layer. The document information names people, as that of real producers does.
    The bytes depend on the note, the hospital and the seed alone.
    Raises KeyError for a note of somebody unknown to the hospital.
    """
    return render_letter(LetterDirectory(hospital).letter(note, seed=seed), seed=seed)


def render_letter(letter: Letter, *, seed: int) -> tuple[bytes, Annotated]:
    """Render a prepared letter; see `render`."""
    note = letter.note
    random = Random(f"pdf:{seed}:{note.note_id}")
    composer = Composer(letter, choose(seed, note.note_id), random)
    sheets = composer.sheets()
    about = {"title": letter.note.title, "author": clinician_line(letter.author).text}
    if random.random() < 0.5:
        about["title"] = f"{letter.note.title} - {name_line(letter).text}"
    if random.random() < 0.3:
        about["subject"] = f"note {letter.note.note_id}"
    data = draw_pdf(sheets, composer.size, about=about)
    if note.rendering == "scan":
        data = scan(data, seed=random.getrandbits(32))
    return data, to_transcript(sheets).annotated(note.annotated.document)

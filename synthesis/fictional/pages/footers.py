"""What labelled pages repeat: footers, page numbers, running heads, and print along the edges."""

from collections.abc import Callable
from dataclasses import replace

from synthesis.fictional.letters import letterhead
from synthesis.fictional.letters.lines import (
    Line,
    joined,
    line,
)
from synthesis.fictional.letters.paper import (
    Box,
    Placed,
    Sheet,
    measure,
)
from synthesis.fictional.pages.letterheads import (
    Rows,
    site_rows,
)
from synthesis.fictional.pages.page_context import (
    BLACK,
    RULE,
    WHITE,
    Align,
    Desk,
    Drawn,
    Frame,
    draft,
)


class Foot:
    """The footer of a letter: drawn on every page, with the page's number in its place."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._width = desk.frame().width
        self._parts = _FEET[desk.layout.foot](desk, self._width)
        words = desk.page_words
        novel = "number_at" in desk.layout.novel
        self._form = desk.random.choice(words.novel_numbers if novel else words.numbers)
        self._high = max((part.height for part, _ in self._parts), default=0.0)
        self._everywhere = desk.random.random() < 0.85

    def clear(self, frame: Frame) -> None:
        """Take the room of the footer and of the number from a frame."""
        where = self._desk.layout.number_at
        below = where in ("bottom-right", "bottom-centre", "bottom-left")
        frame.bottom += self._high + (14.0 if below else 0.0) + (12.0 if self._high else 0.0)
        if where.startswith("top"):
            frame.top -= self._desk.layout.small * 1.4 + 6.0

    def draw(self, sheet: Sheet, number: int, total: int) -> None:
        """Draw the footer of a page, counted from 1."""
        desk = self._desk
        frame = desk.frame()
        below = 14.0 if desk.layout.number_at.startswith("bottom") else 0.0
        if self._drawn(first=number == 1):
            top = frame.bottom + below + self._high
            self._shapes(sheet, frame, top)
            for part, x in self._parts:
                part.put(sheet, frame.left + x, top)
        self._number(sheet, frame, line(self._form.format(n=number, of=total)), first=number == 1)

    def _drawn(self, *, first: bool) -> bool:
        return bool(self._high) and (self._everywhere or first)

    def _shapes(self, sheet: Sheet, frame: Frame, top: float) -> None:
        kind, accent = self._desk.layout.foot, self._desk.layout.accent
        if kind == "band":
            band = Box(0, 0, self._desk.size[0], top + 5.0, fill=(0.15, 0.2, 0.35))
            sheet.shapes.append(band)
        elif kind == "boxed":
            low = top - self._high - 4.0
            sheet.shapes.append(
                Box(frame.left - 4, low, frame.width + 8, self._high + 8, edge=accent)
            )
        elif kind in ("rule", "centre", "thirds"):
            sheet.shapes.append(Box(frame.left, top + 4.0, frame.width, 0.6, fill=accent))

    def _number(self, sheet: Sheet, frame: Frame, row: Line, *, first: bool) -> None:
        layout, face = self._desk.layout, self._desk.small(1.05)
        where = layout.number_at
        if where == "none":
            return
        if where == "edge":
            sheet.placed.append(Placed(row, 14.0, 30.0, face, angle=90.0, kind="page-number"))
            return
        x = {"left": frame.left, "centre": (frame.left + frame.right) / 2, "right": frame.right}
        side = where.rsplit("-", 1)[1]
        align: Align = "centre" if side == "centre" else "left" if side == "left" else "right"
        y = frame.top - face.size if where.startswith("top") else frame.bottom - 2.0
        on_band = layout.foot == "band" and where.startswith("bottom") and self._drawn(first=first)
        if where.startswith("top") and layout.head == "banner" and first:
            on_band, y = True, self._desk.size[1] - 10.0
        if where == "in-foot":
            y = frame.bottom + self._high + 7.0 if self._high else frame.bottom
        face = replace(face, colour=WHITE) if on_band else face
        sheet.placed.append(Placed(row, x[align], y, face, align, kind="page-number"))


# Footers ------------------------------------------------------------------------------------------

_Parts = list[tuple[Drawn, float]]


def _rows(desk: Desk, count: int) -> Rows:
    where, *rest = letterhead.foot_lines(desk.letter)
    legal = [line(text) for text in desk.random.sample(desk.page_words.legal, count)]
    return [(row, desk.small(0.95)) for row in (where, *rest[:1], *legal)]


def _aligned(align: Align, count: int) -> Callable[[Desk, float], _Parts]:
    return lambda desk, width: [(draft(_rows(desk, count), width, "footer", align), 0.0)]


def _band(desk: Desk, width: float) -> _Parts:
    white = [(row, replace(face, colour=WHITE)) for row, face in _rows(desk, 1)]
    return [(draft(white, width, "footer", "centre"), 0.0)]


def _split(desk: Desk, width: float) -> _Parts:
    rows, half = _rows(desk, 2), width / 2 - 8.0
    left, right = draft(rows[:2], half, "footer"), draft(rows[2:], half, "footer", "right")
    return [(left, 0.0), (right, width - half)]


def _thirds(desk: Desk, width: float) -> _Parts:
    """Clinicians in three columns below the body."""
    entries = letterhead.staff_lines(desk.letter)
    step = width / 3
    columns: list[Rows] = [[], [], []]
    for number, entry in enumerate(entries):
        columns[number % 3] += [(row, desk.small(0.9)) for row in entry[:4]]
    return [(draft(rows, step - 8.0, "footer"), k * step) for k, rows in enumerate(columns)]


def _tall(desk: Desk, width: float) -> _Parts:
    staff = [
        (row, desk.small(0.9)) for entry in letterhead.staff_lines(desk.letter)[:2] for row in entry
    ]
    return [(draft([*_rows(desk, 3), *staff], width, "footer"), 0.0)]


_FEET: dict[str, Callable[[Desk, float], _Parts]] = {
    "centre": _aligned("centre", 1),
    "rule": _aligned("left", 1),
    "lines": _aligned("left", 2),
    "right": _aligned("right", 2),
    "boxed": _aligned("centre", 2),
    "band": _band,
    "split": _split,
    "thirds": _thirds,
    "tall": _tall,
    "none": lambda _desk, _width: [],
}


# Running heads ------------------------------------------------------------------------------------


def running(desk: Desk, sheet: Sheet, frame: Frame) -> None:
    """Draw what heads every page but the first and take its room from the frame."""
    kind = desk.layout.running
    if kind == "none":
        return
    align: Align = "right" if kind == "right" else "left"
    drawn = draft(_running_rows(desk), frame.width - 8.0, "header", align)
    drawn.put(sheet, frame.left + 4.0, frame.top - 3.0)
    height = drawn.height + 8.0
    if kind == "boxed":
        box = Box(frame.left, frame.top - height, frame.width, height, edge=desk.layout.accent)
        sheet.shapes.append(box)
    elif kind == "ruled":
        sheet.shapes.append(Box(frame.left, frame.top - height, frame.width, 0.6, fill=RULE))
    frame.top -= height + 8.0


def _running_rows(desk: Desk) -> Rows:
    kind, face = desk.layout.running, desk.small(1.1)
    last = (letterhead.running_line(desk.letter), face)
    if kind == "repeat":
        name, rest = site_rows(desk)
        return [
            (name[0][0], desk.head(9.0, bold=True)),
            *rest[:2],
            (letterhead.running_line(desk.letter), face),
        ]
    if kind == "two-lines":
        rows = letterhead.identity_lines(desk.letter, full=False)
        return [(rows[0], replace(face, colour=BLACK)), (joined(rows[1:], " - "), face)]
    return [last]


# The edges ----------------------------------------------------------------------------------------

_EDGES = {
    "right-90": (("right", 90.0),),
    "left-90": (("left", 90.0),),
    "left-270": (("left", 270.0),),
    "right-270": (("right", 270.0),),
    "both": (("left", 90.0), ("right", 270.0)),
    "top": (("top", 0.0),),
}


def edges(desk: Desk, sheet: Sheet) -> None:
    """Draw the small print along the edges of a page."""
    for side, angle in _EDGES.get(desk.layout.edge, ()):
        row = _edge_line(desk, side)
        face = desk.small(0.9)
        width, height = desk.size
        length = measure(face)(row.text)
        if side == "top":
            x, y = desk.random.uniform(30.0, max(31.0, width - 30.0 - length)), height - 12.0
        else:
            x = 15.0 if side == "left" else width - 11.0
            low = desk.random.uniform(84.0, max(85.0, height - 80.0 - length))
            y = low if angle == 90.0 else low + min(length, height - 80.0)
        sheet.placed.append(Placed(row, x, y, face, angle=angle, kind="margin-note"))


def _edge_line(desk: Desk, side: str) -> Line:
    habit = desk.habit(f"edge-{side}")
    imprint = line(habit.choice(desk.page_words.imprints))
    if habit.random() < 0.35:
        return imprint
    return joined([imprint, letterhead.imprint_line(desk.letter)], " - ")

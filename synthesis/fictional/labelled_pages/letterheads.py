"""Letterheads, clinician columns, footers and page edges of labelled pages."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from record.label import Label
from synthesis.fictional.labelled_pages.page_context import (
    BLACK,
    RULE,
    WHITE,
    Align,
    Frame,
    PageContext,
    StackedLines,
    draft,
)
from synthesis.fictional.pdf_letters import letterhead
from synthesis.fictional.pdf_letters.drawing import Box, PaperSheet, PlacedLine, measure
from synthesis.fictional.pdf_letters.layouts import PrintStyle
from synthesis.fictional.pdf_letters.marked_lines import MarkedLine, joined, line

Rows = list[tuple[MarkedLine, PrintStyle]]
_BESIDE = 186.0  # what a letterhead leaves free beside it for an identity


def head(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    """Draw the letterhead of the first page and take its room from the frame."""
    _HEADS[context.layout.head](context, sheet, frame)


def staff(context: PageContext, sheet: PaperSheet, frame: Frame, *, first: bool) -> None:
    """Draw the clinicians of the ward beside or above the body; only `-all` does on every page."""
    where = context.layout.staff
    if where in ("", "foot") or not (first or where.endswith("-all")):
        return
    if where in ("row", "middle"):
        count = 3 if where == "row" else 2
        entries = letterhead.staff_lines(context.letter)
        share = -(-len(entries) // count)
        face = context.small(0.95)
        parts = [
            [(row, face) for entry in entries[k : k + share] for row in entry]
            for k in range(0, len(entries), share)
        ]
        frame.top -= _abreast(sheet, parts, frame, "header") + 8.0
    else:
        right = where.startswith("right")
        width = min(context.random.uniform(96.0, 136.0), frame.width * 0.27)
        x = frame.right - width if right else frame.left
        rows = staff_rows(context)
        if context.random.random() < 0.6:
            rows.insert(
                0, (line(context.words.team), context.head(context.layout.small * 1.15, bold=True))
            )
        drawn = _fitting(rows, width, frame.top - 8.0 - frame.bottom)
        drawn.put(sheet, x, frame.top - 8.0)
        edge = x - 7.0 if right else x + width + 6.0
        if context.random.random() < 0.5:
            sheet.shapes.append(
                Box(edge, frame.bottom, 0.6, frame.top - frame.bottom - 8.0, fill=RULE)
            )
        if right:
            frame.right -= width + 14.0
        else:
            frame.left += width + 14.0


def site_rows(context: PageContext) -> tuple[Rows, Rows]:
    """Return the hospital's name in large, and all the rest in small."""
    name, *rest = letterhead.site_lines(context.letter)
    large = context.head(context.habit("name").uniform(10.5, 15.0), bold=True)
    return [(name, large)], [(row, context.small()) for row in (*rest, *service_lines(context))]


def service_lines(context: PageContext) -> tuple[MarkedLine, ...]:
    """Name the service, its chief and its secretariat."""
    words, author = context.page_words, context.letter.author
    specialty = letterhead.specialty_line(author, context.letter.note.lang).text.lower()
    chief = joined([line(words.chief.rstrip()), letterhead.clinician_line(context.letter.team[1])])
    phone = line(words.secretary, (author.phone, Label.PHONE))
    mail = line((author.email, Label.EMAIL))
    rows = [line(words.service + specialty), chief, phone, mail]
    return tuple(rows[: context.habit("service").randint(1, 4)])


# Letterheads --------------------------------------------------------------------------------------


def _plain_head(align: Align) -> Callable[[PageContext, PaperSheet, Frame], None]:
    def place(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
        name, rest = site_rows(context)
        beside = context.layout.identity in ("stamp", "window") and align == "left"
        width = frame.width - (_BESIDE if beside else 0.0)
        logo = 48.0 if align != "centre" and width > 250.0 else 0.0
        drawn = draft([*name, *rest], width - logo, "header", align)
        drawn.put(sheet, frame.left + (logo if align == "left" else 0.0), frame.top)
        if logo:
            x = frame.left if align == "left" else frame.right - 38.0
            y = frame.top - 42.0
            cross = [Box(x + 15, y + 6, 8, 26, fill=WHITE), Box(x + 6, y + 15, 26, 8, fill=WHITE)]
            sheet.shapes.extend([Box(x, y, 38.0, 38.0, fill=context.layout.accent), *cross])
        frame.top -= max(drawn.height, logo) + 6.0
        if context.random.random() < 0.6:
            sheet.shapes.append(Box(frame.left, frame.top, width, 0.8, fill=context.layout.accent))
        frame.top -= 4.0

    return place


def _banner(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    name, rest = site_rows(context)
    joined_rest = joined([row for row, _ in rest], "  |  ")
    rows = [*name, (joined_rest, context.small())]
    white = [(row, replace(face, colour=WHITE)) for row, face in rows]
    drawn = draft(white, frame.width, "header")
    top = context.size[1] - 14.0
    drawn.put(sheet, frame.left, top)
    bottom = top - drawn.height - 8.0
    band = Box(0, bottom, context.size[0], context.size[1] - bottom, fill=(0.15, 0.2, 0.35))
    sheet.shapes.append(band)
    frame.top = min(frame.top, bottom - 6.0)


def _split(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    name, rest = site_rows(context)
    half = frame.width / 2 - 6.0
    middle = (len(rest) + 1) // 2
    left = draft([*name, *rest[:middle]], half, "header")
    right = draft(rest[middle:], half, "header", "right")
    left.put(sheet, frame.left, frame.top)
    right.put(sheet, frame.right - half, frame.top)
    frame.top -= max(left.height, right.height) + 8.0
    sheet.shapes.append(Box(frame.left, frame.top, frame.width, 0.6, fill=context.layout.accent))
    frame.top -= 4.0


def _boxed(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    name, rest = site_rows(context)
    drawn = draft([*name, *rest], frame.width - 16.0, "header", "centre")
    drawn.put(sheet, frame.left + 8.0, frame.top - 4.0)
    height = drawn.height + 10.0
    edge = Box(frame.left, frame.top - height, frame.width, height, edge=context.layout.accent)
    sheet.shapes.append(edge)
    frame.top -= height + 8.0


def _names(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    """A letterhead that runs on in capitals and names the physicians one after the other."""
    name, rest = site_rows(context)
    doctors = joined([letterhead.clinician_line(c) for c in context.letter.team], " - ")
    drawn = draft([*name, *rest[:3], (doctors, context.small(1.1))], frame.width, "header")
    drawn.put(sheet, frame.left, frame.top)
    frame.top -= drawn.height + 8.0


def _side_by_side(count: int) -> Callable[[PageContext, PaperSheet, Frame], None]:
    def place(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
        name, rest = site_rows(context)
        entries = [row for entry in letterhead.staff_lines(context.letter)[:2] for row in entry]
        people = [(row, context.small()) for row in entries]
        parts: list[Rows] = [[(name[0][0], context.head(9.5, bold=True)), *rest], people]
        if count == 3:
            parts.insert(1, [(row, context.small()) for row in service_lines(context)])
        frame.top -= _abreast(sheet, parts, frame, "header") + 8.0
        sheet.shapes.append(Box(frame.left, frame.top, frame.width, 0.6, fill=RULE))
        frame.top -= 4.0

    return place


def _abreast(sheet: PaperSheet, parts: Sequence[Rows], frame: Frame, kind: str) -> float:
    """Draw parts side by side at the top of a frame; returns the height of the highest."""
    step = frame.width / len(parts)
    drawn = [draft(rows, step - 10.0, kind) for rows in parts]
    for number, part in enumerate(drawn):
        part.put(sheet, frame.left + number * step, frame.top)
    return max(part.height for part in drawn)


def _bottom(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    """A letterhead at the foot of the first page; its body begins near the top."""
    name, rest = site_rows(context)
    drawn = draft([*name, *rest], frame.width, "header", "centre")
    drawn.put(sheet, frame.left, frame.bottom + drawn.height)
    frame.bottom += drawn.height + 8.0
    sheet.shapes.append(Box(frame.left, frame.bottom - 4.0, frame.width, 0.8, fill=RULE))


def _low(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    frame.top -= context.random.uniform(50.0, 110.0)
    _plain_head("centre")(context, sheet, frame)


def _side(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    """A letterhead in a narrow column of its own at the left, which the body keeps clear of."""
    width = min(118.0, frame.width * 0.26)
    name, rest = site_rows(context)
    drawn = draft([(name[0][0], context.head(10.0, bold=True)), *rest], width, "header")
    drawn.put(sheet, frame.left, frame.top)
    frame.left += width + 12.0


_HEADS: dict[str, Callable[[PageContext, PaperSheet, Frame], None]] = {
    "left": _plain_head("left"),
    "right": _plain_head("right"),
    "centre": _plain_head("centre"),
    "banner": _banner,
    "split": _split,
    "boxed": _boxed,
    "names": _names,
    "columns": _side_by_side(2),
    "thirds": _side_by_side(3),
    "bottom": _bottom,
    "low": _low,
    "side": _side,
    "none": lambda _context, _sheet, _frame: None,
}


# Clinicians ---------------------------------------------------------------------------------------


def staff_rows(context: PageContext, *, scale: float = 1.0) -> Rows:
    """Return the clinicians one below the other, each a bold name over lines in small print."""
    bold = replace(context.head(context.layout.small * scale, bold=True), colour=(0.0, 0.0, 0.0))
    rows: Rows = []
    for name, *rest in letterhead.staff_lines(context.letter):
        rows += [(name, bold), *((row, context.small(0.95 * scale)) for row in rest)]
    return rows


def _fitting(rows: Rows, width: float, height: float) -> StackedLines:
    """Stack as many of the rows as there is room for."""
    drawn = draft(rows, width, "margin-note")
    while drawn.height > height and rows:
        rows = rows[:-1]
        drawn = draft(rows, width, "margin-note")
    return drawn


class PageFooter:
    """The footer of a letter: drawn on every page, with the page number in its place."""

    def __init__(self, context: PageContext) -> None:
        self._desk = context
        self._width = context.frame().width
        self._parts = _FEET[context.layout.foot](context, self._width)
        words = context.page_words
        novel = "number_at" in context.layout.novel
        self._form = context.random.choice(words.novel_numbers if novel else words.numbers)
        self._high = max((part.height for part, _ in self._parts), default=0.0)
        self._everywhere = context.random.random() < 0.85

    def clear(self, frame: Frame) -> None:
        """Take the room of the footer and of the number from a frame."""
        where = self._desk.layout.number_at
        below = where in ("bottom-right", "bottom-centre", "bottom-left")
        frame.bottom += self._high + (14.0 if below else 0.0) + (12.0 if self._high else 0.0)
        if where.startswith("top"):
            frame.top -= self._desk.layout.small * 1.4 + 6.0

    def draw(self, sheet: PaperSheet, number: int, total: int) -> None:
        """Draw the footer of a page, counted from 1."""
        context = self._desk
        frame = context.frame()
        below = 14.0 if context.layout.number_at.startswith("bottom") else 0.0
        if self._drawn(first=number == 1):
            top = frame.bottom + below + self._high
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
            for part, x in self._parts:
                part.put(sheet, frame.left + x, top)
        self._number(sheet, frame, line(self._form.format(n=number, of=total)), first=number == 1)

    def _drawn(self, *, first: bool) -> bool:
        return bool(self._high) and (self._everywhere or first)

    def _number(self, sheet: PaperSheet, frame: Frame, row: MarkedLine, *, first: bool) -> None:
        layout, face = self._desk.layout, self._desk.small(1.05)
        where = layout.number_at
        if where == "none":
            return
        if where == "edge":
            sheet.placed.append(PlacedLine(row, 14.0, 30.0, face, angle=90.0, kind="page-number"))
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
        sheet.placed.append(PlacedLine(row, x[align], y, face, align, kind="page-number"))


# Footers ------------------------------------------------------------------------------------------

_Parts = list[tuple[StackedLines, float]]


def _rows(context: PageContext, count: int) -> Rows:
    where, *rest = letterhead.foot_lines(context.letter)
    legal = [line(text) for text in context.random.sample(context.page_words.legal, count)]
    return [(row, context.small(0.95)) for row in (where, *rest[:1], *legal)]


def _aligned(align: Align, count: int) -> Callable[[PageContext, float], _Parts]:
    return lambda context, width: [(draft(_rows(context, count), width, "footer", align), 0.0)]


def _band(context: PageContext, width: float) -> _Parts:
    white = [(row, replace(face, colour=WHITE)) for row, face in _rows(context, 1)]
    return [(draft(white, width, "footer", "centre"), 0.0)]


def _split_footer(context: PageContext, width: float) -> _Parts:
    rows, half = _rows(context, 2), width / 2 - 8.0
    left, right = draft(rows[:2], half, "footer"), draft(rows[2:], half, "footer", "right")
    return [(left, 0.0), (right, width - half)]


def _thirds(context: PageContext, width: float) -> _Parts:
    """Clinicians in three columns below the body."""
    entries = letterhead.staff_lines(context.letter)
    step = width / 3
    columns: list[Rows] = [[], [], []]
    for number, entry in enumerate(entries):
        columns[number % 3] += [(row, context.small(0.9)) for row in entry[:4]]
    return [(draft(rows, step - 8.0, "footer"), k * step) for k, rows in enumerate(columns)]


def _tall(context: PageContext, width: float) -> _Parts:
    staff = [
        (row, context.small(0.9))
        for entry in letterhead.staff_lines(context.letter)[:2]
        for row in entry
    ]
    return [(draft([*_rows(context, 3), *staff], width, "footer"), 0.0)]


_FEET: dict[str, Callable[[PageContext, float], _Parts]] = {
    "centre": _aligned("centre", 1),
    "rule": _aligned("left", 1),
    "lines": _aligned("left", 2),
    "right": _aligned("right", 2),
    "boxed": _aligned("centre", 2),
    "band": _band,
    "split": _split_footer,
    "thirds": _thirds,
    "tall": _tall,
    "none": lambda _desk, _width: [],
}


# Running heads ------------------------------------------------------------------------------------


def running(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    """Draw what heads every page but the first and take its room from the frame."""
    kind = context.layout.running
    if kind == "none":
        return
    align: Align = "right" if kind == "right" else "left"
    drawn = draft(_running_rows(context), frame.width - 8.0, "header", align)
    drawn.put(sheet, frame.left + 4.0, frame.top - 3.0)
    height = drawn.height + 8.0
    if kind == "boxed":
        box = Box(frame.left, frame.top - height, frame.width, height, edge=context.layout.accent)
        sheet.shapes.append(box)
    elif kind == "ruled":
        sheet.shapes.append(Box(frame.left, frame.top - height, frame.width, 0.6, fill=RULE))
    frame.top -= height + 8.0


def _running_rows(context: PageContext) -> Rows:
    kind, face = context.layout.running, context.small(1.1)
    last = (letterhead.running_line(context.letter), face)
    if kind == "repeat":
        name, rest = site_rows(context)
        return [
            (name[0][0], context.head(9.0, bold=True)),
            *rest[:2],
            (letterhead.running_line(context.letter), face),
        ]
    if kind == "two-lines":
        rows = letterhead.identity_lines(context.letter, full=False)
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


def edges(context: PageContext, sheet: PaperSheet) -> None:
    """Draw the small print along the edges of a page."""
    for side, angle in _EDGES.get(context.layout.edge, ()):
        habit = context.habit(f"edge-{side}")
        imprint = line(habit.choice(context.page_words.imprints))
        row = (
            imprint
            if habit.random() < 0.35
            else joined([imprint, letterhead.imprint_line(context.letter)], " - ")
        )
        face = context.small(0.9)
        width, height = context.size
        length = measure(face)(row.text)
        if side == "top":
            x, y = context.random.uniform(30.0, max(31.0, width - 30.0 - length)), height - 12.0
        else:
            x = 15.0 if side == "left" else width - 11.0
            low = context.random.uniform(84.0, max(85.0, height - 80.0 - length))
            y = low if angle == 90.0 else low + min(length, height - 80.0)
        sheet.placed.append(PlacedLine(row, x, y, face, angle=angle, kind="margin-note"))

"""Patient identity and recipient on labelled pages: labels, boxes, addresses, rubber stamps."""

from collections.abc import Callable
from dataclasses import replace
from math import cos, radians, sin

from record.label import Label
from record.patient import Address
from synthesis.fictional.labelled_pages.page_context import (
    BLACK,
    RULE,
    Align,
    Frame,
    PageContext,
    StackedLines,
    draft,
)
from synthesis.fictional.pdf_letters import letterhead
from synthesis.fictional.pdf_letters.drawing import Box, PaperSheet, PlacedLine, draw_bars, measure
from synthesis.fictional.pdf_letters.layouts import Colour, PrintStyle
from synthesis.fictional.pdf_letters.marked_lines import MarkedLine, joined, line

_WIDTH = 172.0


def identity(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    """Draw who the patient is and take the room from the frame."""
    _IDENTITIES[context.layout.identity](context, sheet, frame)


def address(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    """Draw the recipient and the date line of a letter and take the room from the frame."""
    where = context.layout.address
    if where == "none":
        return
    face = replace(context.body(), leading=context.layout.size * 1.2)
    width = min(190.0, frame.width * 0.55)
    drawn = draft([(row, face) for row in _recipient(context)], width, "header")
    left = {"right": frame.right - width, "centre": (frame.left + frame.right - width) / 2}
    x = left.get(where, frame.left)
    if where == "bottom-left":
        drawn.put(sheet, x, frame.bottom + drawn.height)
        frame.bottom += drawn.height + 10.0
    else:
        frame.top -= 8.0
        drawn.put(sheet, x, frame.top)
        frame.top -= drawn.height
    align: Align = context.random.choice(("left", "right", "right"))
    rows = [(letterhead.dateline(context.letter), context.body())]
    drawn = draft(rows, frame.width, "header", align)
    frame.top -= 6.0
    drawn.put(sheet, frame.left, frame.top)
    frame.top -= drawn.height + 4.0


def _recipient(context: PageContext) -> list[MarkedLine]:
    case = context.case
    lead = context.random.choice(context.page_words.doctor_to).rstrip()
    name = letterhead.clinician_line(case.recipient)
    first = joined([line(lead), name]) if lead else name
    return [first, *letterhead.address_lines(case.practice)]


# Identities ---------------------------------------------------------------------------------------


def _rows(
    context: PageContext, size: float = 8.2, *, full: bool = True
) -> list[tuple[MarkedLine, PrintStyle]]:
    name, *rest = letterhead.identity_lines(context.letter, full=full)
    bold, plain = (
        context.head(size * 1.08, bold=True, colour=BLACK),
        context.head(size, colour=BLACK),
    )
    rows = [(name, bold), *((row, plain) for row in rest)]
    if full and context.random.random() < 0.5:
        home = context.letter.patient.addresses
        rows += [(row, plain) for row in letterhead.address_lines(home[0] if home else Address())]
    return rows


def _boxed(
    sheet: PaperSheet, drawn: StackedLines, at: tuple[float, float, float], edge: Colour
) -> None:
    """Draw lines in a box whose upper left corner and width are given."""
    x, top, width = at
    drawn.put(sheet, x + 6.0, top - 4.0)
    height = drawn.height + 10.0
    sheet.shapes.append(Box(x, top - height, width, height, edge=edge))


def _stamp(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    drawn = draft(_rows(context, full=context.random.random() < 0.7), _WIDTH - 12.0, "stamp")
    if context.layout.head == "left":
        top = context.size[1] - context.layout.margins[1]
        _boxed(sheet, drawn, (frame.right - _WIDTH, top, _WIDTH), context.layout.accent)
        frame.top = min(frame.top, top - drawn.height - 16.0)
    else:
        frame.top -= 4.0
        _boxed(sheet, drawn, (frame.right - _WIDTH, frame.top, _WIDTH), context.layout.accent)
        frame.top -= drawn.height + 14.0


def _box(
    where: Callable[[Frame, float], float],
) -> Callable[[PageContext, PaperSheet, Frame], None]:
    def place(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
        width = min(context.random.uniform(160.0, 240.0), frame.width)
        drawn = draft(_rows(context), width - 12.0, "stamp")
        frame.top -= 4.0
        _boxed(sheet, drawn, (where(frame, width), frame.top, width), context.layout.accent)
        frame.top -= drawn.height + 14.0

    return place


def _label(*, right: bool, tilt: float) -> Callable[[PageContext, PaperSheet, Frame], None]:
    def place(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
        angle = context.random.uniform(0.4, tilt) * context.random.choice((-1.0, 1.0))
        width = min(200.0, frame.width - 20.0)
        rows = [(row, PrintStyle("Helvetica", 8.0, 10.0)) for row, _ in _rows(context)]
        drawn = draft(rows, width - 18.0, "stamp")
        height = drawn.height + 30.0
        slope = abs(sin(radians(angle))) * width
        x = frame.right - width - 4.0 if right else frame.left + 4.0 + slope / 4
        y = frame.top - height - slope - 4.0
        base = y if angle > 0 else y + slope
        _stick(context, sheet, (x, base, width, height, angle), drawn)
        frame.top = y - 8.0 - slope / 2

    return place


def _stick(
    context: PageContext,
    sheet: PaperSheet,
    at: tuple[float, float, float, float, float],
    drawn: StackedLines,
) -> None:
    x, y, width, height, angle = at
    turn = radians(angle)

    def stuck(right: float, up: float) -> tuple[float, float]:
        return x + right * cos(turn) - up * sin(turn), y + right * sin(turn) + up * cos(turn)

    sheet.shapes.append(Box(x, y, width, height, fill=(0.98, 0.98, 0.95), edge=RULE, angle=angle))
    for offset, bar in draw_bars(context.random, width - 60.0, (1.2, 2.4, 3.6), (1.5, 3.0)):
        sheet.shapes.append(Box(*stuck(10.0 + offset, 6.0), bar, 14.0, fill=BLACK, angle=angle))
    for placed in drawn.placed:
        left, up = stuck(9.0 + placed.x, height - 4.0 + placed.y)
        sheet.placed.append(replace(placed, x=left, y=up, angle=angle))


def _grid(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    rows = _rows(context)
    half = frame.width / 2
    frame.top -= 6.0
    for start in range(0, len(rows), 2):
        cells = [draft([row], half - 10.0, "stamp") for row in rows[start : start + 2]]
        height = max(cell.height for cell in cells) + 4.0
        for number, cell in enumerate(cells):
            x = frame.left + number * half
            cell.put(sheet, x + 5.0, frame.top - 1.0)
            sheet.shapes.append(Box(x, frame.top - height, half, height, edge=RULE))
        frame.top -= height
    frame.top -= 6.0


def _strip(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    rows = letterhead.identity_lines(context.letter, full=False)
    separator = context.random.choice(("   ", " - ", " | ", "  /  "))
    face = context.head(8.4, bold=True, colour=BLACK)
    drawn = draft([(joined(rows, separator), face)], frame.width - 8.0, "header")
    frame.top -= 4.0
    drawn.put(sheet, frame.left + 4.0, frame.top)
    frame.top -= drawn.height + 4.0
    sheet.shapes.append(Box(frame.left, frame.top, frame.width, 0.6, fill=RULE))
    frame.top -= 6.0


def _window(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    face = context.head(10.0, colour=BLACK)
    rows = [(row, face) for row in letterhead.recipient_lines(context.letter)]
    width = min(220.0, frame.width * 0.5)
    facts = [(row, context.small()) for row, _ in _rows(context, full=False)[1:]]
    right, left = draft(rows, width, "header"), draft(facts, frame.width - width - 14.0, "header")
    frame.top -= 14.0
    right.put(sheet, frame.right - width, frame.top)
    left.put(sheet, frame.left, frame.top)
    frame.top -= max(left.height, right.height) + 10.0


def _plain(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    face = replace(context.body(), leading=context.layout.size * 1.25)
    drawn = draft([(row, face) for row, _ in _rows(context)], frame.width, "header")
    frame.top -= 4.0
    drawn.put(sheet, frame.left, frame.top)
    frame.top -= drawn.height + 6.0


def _middle_right(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    width = min(136.0, frame.width * 0.3)
    drawn = draft(_rows(context, 7.2), width - 12.0, "stamp")
    top = min(context.size[1] * context.random.uniform(0.42, 0.62), frame.top - 10.0)
    _boxed(sheet, drawn, (frame.right - width, top, width), context.layout.accent)
    frame.right -= width + 12.0


def _bottom_right(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    width = min(200.0, frame.width)
    drawn = draft(_rows(context, 7.6), width - 12.0, "stamp")
    top = frame.bottom + drawn.height + 12.0
    _boxed(sheet, drawn, (frame.right - width, top, width), context.layout.accent)
    frame.bottom = top + 8.0


def _columns(context: PageContext, sheet: PaperSheet, frame: Frame) -> None:
    """The patient at the left and the stay at the right, without any box."""
    rows = _rows(context)
    middle = (len(rows) + 1) // 2
    half = frame.width / 2 - 8.0
    parts = draft(rows[:middle], half, "stamp"), draft(rows[middle:], half, "stamp")
    frame.top -= 6.0
    parts[0].put(sheet, frame.left, frame.top)
    parts[1].put(sheet, frame.right - half, frame.top)
    frame.top -= max(part.height for part in parts) + 8.0


_IDENTITIES: dict[str, Callable[[PageContext, PaperSheet, Frame], None]] = {
    "stamp": _stamp,
    "label": _label(right=True, tilt=2.5),
    "label-left": _label(right=False, tilt=5.0),
    "grid": _grid,
    "strip": _strip,
    "window": _window,
    "box-left": _box(lambda frame, _: frame.left),
    "centre-box": _box(lambda frame, width: (frame.left + frame.right - width) / 2),
    "plain": _plain,
    "middle-right": _middle_right,
    "bottom-right": _bottom_right,
    "columns": _columns,
    "none": lambda _context, _sheet, _frame: None,
}


# Rubber stamps ------------------------------------------------------------------------------------

_INKS = ((0.65, 0.08, 0.12), (0.15, 0.15, 0.55), (0.3, 0.3, 0.3), (0.55, 0.2, 0.5))
_PLACES = {  # share of the width, share of the height, largest angle, whether upright is allowed
    "corner": (0.72, 0.90, 14.0),
    "across": (0.50, 0.52, 45.0),
    "end": (0.68, 0.17, 18.0),
    "left-side": (0.10, 0.40, 80.0),
    "foot": (0.30, 0.10, 12.0),
    "steep": (0.80, 0.60, 70.0),
}


def stamps(context: PageContext, sheet: PaperSheet) -> None:
    """Draw the rubber stamps of the first page, always a little askew, over whatever is there."""
    where = context.layout.stamp
    for place in ("corner", "end") if where == "pair" else (where,) if where else ():
        across, up, tilt = _PLACES[place]
        angle = context.random.uniform(0.5, 1.0) * tilt * context.random.choice((-1.0, 1.0))
        size = (
            context.random.uniform(34.0, 60.0)
            if place == "across"
            else context.random.uniform(10.0, 17.0)
        )
        draw_pdf = (0.82, 0.82, 0.84) if place == "across" else context.random.choice(_INKS)
        face = PrintStyle("Helvetica-Bold", size, size * 1.2, draw_pdf)
        x = context.size[0] * across + context.random.uniform(-20.0, 20.0)
        y = context.size[1] * up + context.random.uniform(-20.0, 20.0)
        turn = radians(angle)
        dated = place != "across"
        words = context.page_words
        if not dated or context.random.random() < 0.4:
            impression = [line(context.random.choice(words.stamps))]
        else:
            when = letterhead.written_date(context.letter.note.written, context.words)
            before, _, after = context.random.choice(words.dated_stamps).partition("{}")
            *above, last = before.split("\n")
            impression = [*(line(text) for text in above), line(last, (when, Label.DATE), after)]
        for number, row in enumerate(impression):
            down = -number * face.leading
            half = measure(face)(row.text) / 2
            left, base = (
                x - half * cos(turn) - down * sin(turn),
                y - half * sin(turn) + down * cos(turn),
            )
            left = min(max(left, 14.0), context.size[0] - 14.0 - 2 * half * cos(turn))
            sheet.placed.append(PlacedLine(row, left, base, face, angle=angle, kind="stamp"))

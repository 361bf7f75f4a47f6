"""Letterheads of labelled pages in all their places, and the columns of clinicians."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from record.label import Label
from synthesis.fictional.letters import letterhead
from synthesis.fictional.letters.layouts import Face
from synthesis.fictional.letters.lines import (
    Line,
    joined,
    line,
)
from synthesis.fictional.letters.paper import (
    Box,
    Sheet,
)
from synthesis.fictional.pages.page_context import (
    RULE,
    WHITE,
    Align,
    Desk,
    Drawn,
    Frame,
    draft,
)

Rows = list[tuple[Line, Face]]
_BESIDE = 186.0  # what a letterhead leaves free beside it for an identity


def head(desk: Desk, sheet: Sheet, frame: Frame) -> None:
    """Draw the letterhead of the first page and take its room from the frame."""
    _HEADS[desk.layout.head](desk, sheet, frame)


def staff(desk: Desk, sheet: Sheet, frame: Frame, *, first: bool) -> None:
    """Draw the clinicians of the ward beside or above the body; only `-all` does on every page."""
    where = desk.layout.staff
    if where in ("", "foot") or not (first or where.endswith("-all")):
        return
    if where in ("row", "middle"):
        _staff_row(desk, sheet, frame, 3 if where == "row" else 2)
    else:
        _staff_column(desk, sheet, frame, right=where.startswith("right"))


def site_rows(desk: Desk) -> tuple[Rows, Rows]:
    """Return the hospital's name in large, and all the rest in small."""
    name, *rest = letterhead.site_lines(desk.letter)
    large = desk.head(desk.habit("name").uniform(10.5, 15.0), bold=True)
    return [(name, large)], [(row, desk.small()) for row in (*rest, *service_lines(desk))]


def service_lines(desk: Desk) -> tuple[Line, ...]:
    """Name the service, its chief and its secretariat."""
    words, author = desk.page_words, desk.letter.author
    specialty = letterhead.specialty_line(author, desk.letter.note.lang).text.lower()
    chief = joined([line(words.chief.rstrip()), letterhead.clinician_line(desk.letter.team[1])])
    phone = line(words.secretary, (author.phone, Label.PHONE))
    mail = line((author.email, Label.EMAIL))
    rows = [line(words.service + specialty), chief, phone, mail]
    return tuple(rows[: desk.habit("service").randint(1, 4)])


# Letterheads --------------------------------------------------------------------------------------


def _plain_head(align: Align) -> Callable[[Desk, Sheet, Frame], None]:
    def place(desk: Desk, sheet: Sheet, frame: Frame) -> None:
        name, rest = site_rows(desk)
        beside = desk.layout.identity in ("stamp", "window") and align == "left"
        width = frame.width - (_BESIDE if beside else 0.0)
        logo = 48.0 if align != "centre" and width > 250.0 else 0.0
        drawn = draft([*name, *rest], width - logo, "header", align)
        drawn.put(sheet, frame.left + (logo if align == "left" else 0.0), frame.top)
        if logo:
            x = frame.left if align == "left" else frame.right - 38.0
            sheet.shapes.extend(_logo(desk, x, frame.top - 42.0))
        frame.top -= max(drawn.height, logo) + 6.0
        if desk.random.random() < 0.6:
            sheet.shapes.append(Box(frame.left, frame.top, width, 0.8, fill=desk.layout.accent))
        frame.top -= 4.0

    return place


def _logo(desk: Desk, x: float, y: float) -> list[Box]:
    cross = [Box(x + 15, y + 6, 8, 26, fill=WHITE), Box(x + 6, y + 15, 26, 8, fill=WHITE)]
    return [Box(x, y, 38.0, 38.0, fill=desk.layout.accent), *cross]


def _banner(desk: Desk, sheet: Sheet, frame: Frame) -> None:
    name, rest = site_rows(desk)
    joined_rest = joined([row for row, _ in rest], "  |  ")
    rows = [*name, (joined_rest, desk.small())]
    white = [(row, replace(face, colour=WHITE)) for row, face in rows]
    drawn = draft(white, frame.width, "header")
    top = desk.size[1] - 14.0
    drawn.put(sheet, frame.left, top)
    bottom = top - drawn.height - 8.0
    band = Box(0, bottom, desk.size[0], desk.size[1] - bottom, fill=(0.15, 0.2, 0.35))
    sheet.shapes.append(band)
    frame.top = min(frame.top, bottom - 6.0)


def _split(desk: Desk, sheet: Sheet, frame: Frame) -> None:
    name, rest = site_rows(desk)
    half = frame.width / 2 - 6.0
    middle = (len(rest) + 1) // 2
    left = draft([*name, *rest[:middle]], half, "header")
    right = draft(rest[middle:], half, "header", "right")
    left.put(sheet, frame.left, frame.top)
    right.put(sheet, frame.right - half, frame.top)
    frame.top -= max(left.height, right.height) + 8.0
    sheet.shapes.append(Box(frame.left, frame.top, frame.width, 0.6, fill=desk.layout.accent))
    frame.top -= 4.0


def _boxed(desk: Desk, sheet: Sheet, frame: Frame) -> None:
    name, rest = site_rows(desk)
    drawn = draft([*name, *rest], frame.width - 16.0, "header", "centre")
    drawn.put(sheet, frame.left + 8.0, frame.top - 4.0)
    height = drawn.height + 10.0
    edge = Box(frame.left, frame.top - height, frame.width, height, edge=desk.layout.accent)
    sheet.shapes.append(edge)
    frame.top -= height + 8.0


def _names(desk: Desk, sheet: Sheet, frame: Frame) -> None:
    """A letterhead that runs on in capitals and names the physicians one after the other."""
    name, rest = site_rows(desk)
    doctors = joined([letterhead.clinician_line(c) for c in desk.letter.team], " - ")
    drawn = draft([*name, *rest[:3], (doctors, desk.small(1.1))], frame.width, "header")
    drawn.put(sheet, frame.left, frame.top)
    frame.top -= drawn.height + 8.0


def _side_by_side(count: int) -> Callable[[Desk, Sheet, Frame], None]:
    def place(desk: Desk, sheet: Sheet, frame: Frame) -> None:
        name, rest = site_rows(desk)
        entries = [row for entry in letterhead.staff_lines(desk.letter)[:2] for row in entry]
        people = [(row, desk.small()) for row in entries]
        parts: list[Rows] = [[(name[0][0], desk.head(9.5, bold=True)), *rest], people]
        if count == 3:
            parts.insert(1, [(row, desk.small()) for row in service_lines(desk)])
        frame.top -= _abreast(sheet, parts, frame, "header") + 8.0
        sheet.shapes.append(Box(frame.left, frame.top, frame.width, 0.6, fill=RULE))
        frame.top -= 4.0

    return place


def _abreast(sheet: Sheet, parts: Sequence[Rows], frame: Frame, kind: str) -> float:
    """Draw parts side by side at the top of a frame; returns the height of the highest."""
    step = frame.width / len(parts)
    drawn = [draft(rows, step - 10.0, kind) for rows in parts]
    for number, part in enumerate(drawn):
        part.put(sheet, frame.left + number * step, frame.top)
    return max(part.height for part in drawn)


def _bottom(desk: Desk, sheet: Sheet, frame: Frame) -> None:
    """A letterhead at the foot of the first page; its body begins near the top."""
    name, rest = site_rows(desk)
    drawn = draft([*name, *rest], frame.width, "header", "centre")
    drawn.put(sheet, frame.left, frame.bottom + drawn.height)
    frame.bottom += drawn.height + 8.0
    sheet.shapes.append(Box(frame.left, frame.bottom - 4.0, frame.width, 0.8, fill=RULE))


def _low(desk: Desk, sheet: Sheet, frame: Frame) -> None:
    frame.top -= desk.random.uniform(50.0, 110.0)
    _plain_head("centre")(desk, sheet, frame)


def _side(desk: Desk, sheet: Sheet, frame: Frame) -> None:
    """A letterhead in a narrow column of its own at the left, which the body keeps clear of."""
    width = min(118.0, frame.width * 0.26)
    name, rest = site_rows(desk)
    drawn = draft([(name[0][0], desk.head(10.0, bold=True)), *rest], width, "header")
    drawn.put(sheet, frame.left, frame.top)
    frame.left += width + 12.0


def _none(_desk: Desk, _sheet: Sheet, _frame: Frame) -> None:
    pass


_HEADS: dict[str, Callable[[Desk, Sheet, Frame], None]] = {
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
    "none": _none,
}


# Clinicians ---------------------------------------------------------------------------------------


def staff_rows(desk: Desk, *, scale: float = 1.0) -> Rows:
    """Return the clinicians one below the other, each a bold name over lines in small print."""
    bold = replace(desk.head(desk.layout.small * scale, bold=True), colour=(0.0, 0.0, 0.0))
    rows: Rows = []
    for name, *rest in letterhead.staff_lines(desk.letter):
        rows += [(name, bold), *((row, desk.small(0.95 * scale)) for row in rest)]
    return rows


def _staff_column(desk: Desk, sheet: Sheet, frame: Frame, *, right: bool) -> None:
    width = min(desk.random.uniform(96.0, 136.0), frame.width * 0.27)
    x = frame.right - width if right else frame.left
    rows = staff_rows(desk)
    if desk.random.random() < 0.6:
        rows.insert(0, (line(desk.words.team), desk.head(desk.layout.small * 1.15, bold=True)))
    drawn = _fitting(rows, width, frame.top - 8.0 - frame.bottom)
    drawn.put(sheet, x, frame.top - 8.0)
    edge = x - 7.0 if right else x + width + 6.0
    if desk.random.random() < 0.5:
        sheet.shapes.append(Box(edge, frame.bottom, 0.6, frame.top - frame.bottom - 8.0, fill=RULE))
    if right:
        frame.right -= width + 14.0
    else:
        frame.left += width + 14.0


def _fitting(rows: Rows, width: float, height: float) -> Drawn:
    """Stack as many of the rows as there is room for."""
    drawn = draft(rows, width, "margin-note")
    while drawn.height > height and rows:
        rows = rows[:-1]
        drawn = draft(rows, width, "margin-note")
    return drawn


def _staff_row(desk: Desk, sheet: Sheet, frame: Frame, count: int) -> None:
    entries = letterhead.staff_lines(desk.letter)
    share = -(-len(entries) // count)
    face = desk.small(0.95)
    parts = [
        [(row, face) for entry in entries[k : k + share] for row in entry]
        for k in range(0, len(entries), share)
    ]
    frame.top -= _abreast(sheet, parts, frame, "header") + 8.0

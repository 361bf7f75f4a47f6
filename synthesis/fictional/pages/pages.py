"""Labelled pages: letters in layouts without number, and what each line on them is."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import cos, radians, sin
from random import Random

from synthesis.fictional.letters.layouts import A4
from synthesis.fictional.letters.paper import (
    Placed,
    Sheet,
    ink,
    measure,
)
from synthesis.fictional.pages import (
    footers,
    identity_blocks,
    letterheads,
)
from synthesis.fictional.pages.bodies import (
    Volume,
    make_case,
)
from synthesis.fictional.pages.charts import signature
from synthesis.fictional.pages.layouts import (
    HELD_OUT_LAYOUTS,
    TRAINING_LAYOUTS,
    PageLayout,
    sample_layout,
    simpler,
)
from synthesis.fictional.pages.page_context import (
    Desk,
    Frame,
)
from synthesis.fictional.pages.text_lines import Slug
from synthesis.fictional.pages.typesetting import (
    Setter,
    columns,
    pour,
)

__all__ = [
    "HELD_OUT_LAYOUTS",
    "TRAINING_LAYOUTS",
    "LabelledPdf",
    "Mark",
    "PageLayout",
    "labelled_letter",
    "sample_layout",
]

_VOLUMES: tuple[Volume, ...] = ("tiny", "short", "short", "page", "page", "page", "long", "long")
_ASCENT, _DESCENT = 0.76, 0.22
MEDICINE = ("body", "table")
"""The kinds of lines that tell of the illness."""
_FLOW = ("body", "table", "signature")


@dataclass(frozen=True, slots=True)
class Mark:
    """One drawn line of text and what it is.

    `page` counts from 0. `box` is x0, y0, x1, y1 in points, y downwards, on the page as it is
    shown. `kind` is "body", "table", "header", "footer", "margin-note", "page-number", "stamp" or
    "signature". `identifiers` are the identifying strings that were planted in the line.
    """

    page: int
    box: tuple[float, float, float, float]
    text: str = field(repr=False)
    kind: str
    identifiers: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class LabelledPdf:
    """A PDF, its layout's name, and a mark for every line on it, in the order they are drawn."""

    data: bytes = field(repr=False)
    marks: tuple[Mark, ...]
    layout: str

    def outside(self) -> frozenset[str]:
        """Return the identifiers planted outside the medicine that are nowhere in the medicine.

        The medicine is what is "body" or "table". Parts of less than four characters are left out.
        """
        text = " ".join(mark.text for mark in self.marks if mark.kind in MEDICINE)
        rest = [mark for mark in self.marks if mark.kind not in MEDICINE]
        found = {value for mark in rest for value in mark.identifiers}
        return frozenset(value for value in found if len(value) > 3 and value not in text)


def labelled_letter(seed: int, lang: str = "fr", *, held_out: bool = False) -> LabelledPdf:
    """Make a letter with the layout of that seed; the same bytes for the same arguments.

    Raises ConfigError for a language there are no templates for.
    """
    random = Random(f"labelled:{held_out}:{lang}:{seed}")
    layout = sample_layout(seed, held_out=held_out)
    case = make_case(seed, lang, held_out=held_out, volume=random.choice(_VOLUMES))
    sheets = _compose(Desk(case, layout, random))
    data = ink(sheets, layout.paper, about={}, turned=layout.turned)
    marks = tuple(_marks(sheets, layout.paper[1]))
    return LabelledPdf(data, marks, layout.name)


def _compose(desk: Desk) -> list[Sheet]:
    desk, foot, first, frame = _begin(desk)
    count = desk.layout.columns if frame.width > 150.0 * desk.layout.columns else 1

    def turn() -> tuple[Sheet, list[Frame]]:
        sheet = Sheet()
        return sheet, columns(_further(desk, sheet, foot), count)

    frames = columns(frame, count)
    body = pour(_slugs(desk, frames[0].width), (first, frames), turn)
    for number, sheet in enumerate(body, 1):
        _finish(desk, sheet, foot, (number, len(body)))
    return body


def _slugs(desk: Desk, width: float) -> Sequence[Slug]:
    return [*Setter(desk, width).slugs(desk.case.rows), *signature(desk, width)]


def _begin(desk: Desk) -> tuple[Desk, footers.Foot, Sheet, Frame]:
    """Lay out what surrounds the first body; where it leaves no room, with less of it."""
    for layout in simpler(desk.layout):
        desk = replace(desk, layout=layout)
        foot, sheet = footers.Foot(desk), Sheet()
        frame = _first(desk, sheet, foot)
        if frame.top - frame.bottom > 0.2 * desk.size[1] and frame.width > 0.4 * desk.size[0]:
            break
    return desk, foot, sheet, frame


def _first(desk: Desk, sheet: Sheet, foot: footers.Foot) -> Frame:
    frame = desk.frame()
    foot.clear(frame)
    letterheads.head(desk, sheet, frame)
    letterheads.staff(desk, sheet, frame, first=True)
    identity_blocks.identity(desk, sheet, frame)
    identity_blocks.address(desk, sheet, frame)
    frame.top -= desk.layout.drop * desk.size[1] / A4[1]
    return frame


def _further(desk: Desk, sheet: Sheet, foot: footers.Foot) -> Frame:
    frame = desk.frame()
    foot.clear(frame)
    footers.running(desk, sheet, frame)
    letterheads.staff(desk, sheet, frame, first=False)
    return frame


def _finish(desk: Desk, sheet: Sheet, foot: footers.Foot, at: tuple[int, int]) -> None:
    """Draw what pages repeat; the layout tells when that is drawn."""
    above = [placed for placed in sheet.placed if placed.kind not in _FLOW]
    body = [placed for placed in sheet.placed if placed.kind in _FLOW]
    rest = Sheet(sheet.shapes)
    foot.draw(rest, *at)
    footers.edges(desk, rest)
    if at[0] == 1:
        identity_blocks.stamps(desk, rest)
    order = {
        "head-first": (above, body, rest.placed),
        "body-last": (above, rest.placed, body),
        "foot-first": (rest.placed, above, body),
        "body-first": (body, above, rest.placed),
    }[desk.layout.order]
    sheet.placed[:] = [placed for part in order for placed in part]


# Marks --------------------------------------------------------------------------------------------


def _marks(sheets: Sequence[Sheet], height: float) -> list[Mark]:
    return [
        Mark(number, _box(placed, height), placed.line.text, placed.kind, _identifiers(placed))
        for number, sheet in enumerate(sheets)
        for placed in sheet.placed
    ]


def _identifiers(placed: Placed) -> tuple[str, ...]:
    text = placed.line.text
    return tuple(text[mark.start : mark.end] for mark in placed.line.marks)


def _box(placed: Placed, height: float) -> tuple[float, float, float, float]:
    """The box of a line, turned as it is drawn, on the page with y downwards."""
    face, text = placed.face, placed.line.text
    width = measure(face)(text) + placed.spread * text.count(" ")
    left = -width * {"left": 0.0, "centre": 0.5, "right": 1.0}[placed.align]
    turn = radians(placed.angle)
    corners = [
        (
            placed.x + x * cos(turn) - y * sin(turn),
            height - (placed.y + x * sin(turn) + y * cos(turn)),
        )
        for x in (left, left + width)
        for y in (-_DESCENT * face.size, _ASCENT * face.size)
    ]
    xs, ys = zip(*corners, strict=True)
    return round(min(xs), 2), round(min(ys), 2), round(max(xs), 2), round(max(ys), 2)

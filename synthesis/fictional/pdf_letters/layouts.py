"""The nine fixed letter layouts of the fictional hospital, with fonts and colours."""

from dataclasses import dataclass
from random import Random
from typing import Literal

Colour = tuple[float, float, float]

A4 = (595.3, 841.9)
LETTER = (612.0, 792.0)


@dataclass(frozen=True, slots=True)
class PrintStyle:
    """A font with its size, leading and colour, in points."""

    font: str
    size: float
    leading: float
    colour: Colour = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class FontFamily:
    """The regular and bold font of a family; both among the standard fonts of PDF."""

    plain: str
    bold: str


SANS = FontFamily("Helvetica", "Helvetica-Bold")
SERIF = FontFamily("Times-Roman", "Times-Bold")
MONO = FontFamily("Courier", "Courier-Bold")

_NAVY = (0.09, 0.22, 0.42)
_TEAL = (0.0, 0.42, 0.45)
_WINE = (0.48, 0.09, 0.18)
_GREY = (0.25, 0.25, 0.28)
_GREEN = (0.10, 0.38, 0.20)
_BLACK = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class LetterLayout:
    """How a letter is arranged on its pages.

    `head` is where the letterhead stands, `identity` how the patient's identity is shown, `foot`
    how pages end. `staff` is the width of the left margin column of clinicians, in points, 0 for
    none. `imprint` prints small text along the right edge. `electronic` is the kind of signature.
    """

    name: str
    head: Literal["left", "centre", "banner", "split", "none"]
    identity: Literal["stamp", "label", "grid", "strip", "window"]
    foot: Literal["centre", "split", "band"]
    family: FontFamily
    accent: Colour
    size: float = 9.5
    columns: int = 1
    staff: float = 0.0
    justified: bool = False
    imprint: bool = False
    electronic: bool = False


LAYOUTS = (
    LetterLayout("classic", "left", "stamp", "centre", SANS, _NAVY),
    LetterLayout("staff", "left", "stamp", "split", SANS, _TEAL, size=9.0, staff=128.0),
    LetterLayout("banner", "banner", "strip", "band", SANS, _NAVY, size=8.8, columns=2,
        electronic=True),
    LetterLayout("label", "centre", "label", "centre", SERIF, _BLACK, size=10.5, imprint=True),
    LetterLayout("form", "split", "grid", "split", MONO, _GREY, size=8.6, electronic=True),
    LetterLayout("window", "left", "window", "centre", SERIF, _WINE, size=10.5, justified=True),
    LetterLayout("university", "centre", "strip", "split", SERIF, _GREEN, staff=120.0,
        justified=True),
    LetterLayout("plain", "none", "strip", "split", SANS, _GREY, size=10.0, imprint=True),
    LetterLayout("results", "banner", "grid", "band", SANS, _TEAL, size=8.8, columns=2,
        staff=104.0),
)  # fmt: skip


def choose(seed: int, note_id: int) -> LetterLayout:
    """Choose a note's layout; the same one for the same seed and note."""
    return Random(f"layout:{seed}:{note_id}").choice(LAYOUTS)

"""Slugs: lines of type that are set but not yet on a page."""

from dataclasses import dataclass, replace

from synthesis.fictional.letters.layouts import Face
from synthesis.fictional.letters.lines import MarkedLine
from synthesis.fictional.letters.paper import Box, Stroke

Part = tuple[MarkedLine, float, Face, float]


@dataclass(frozen=True, slots=True)
class Slug:
    """What stands on one base line of a column: parts with their shift, face and spread of blanks.

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

    def severed(self) -> "Slug":
        """Return the slug as it stands after the end of a page; see `Line.severed`."""
        parts = tuple((row.severed(), x, face, spread) for row, x, face, spread in self.parts)
        return replace(self, parts=parts)

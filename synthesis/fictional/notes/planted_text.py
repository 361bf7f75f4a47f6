"""A text built from plain pieces and planted identifiers, with exact spans."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from record.document import Annotated, Document
from record.span import Span
from synthesis.age_spans import cover_age_units


class TextPiece(NamedTuple):
    """A piece of a text; `label` is empty for plain text, `who` if it names no person."""

    text: str
    label: str = ""
    who: str = ""


class DraftText:
    """Pieces in reading order."""

    def __init__(self) -> None:
        self.pieces: list[TextPiece] = []
        self.length = 0

    def write(self, text: str) -> None:
        """Append plain text."""
        if text:
            self.pieces.append(TextPiece(text))
            self.length += len(text)

    def plant(self, value: str, label: str, who: str = "") -> None:
        """Append an identifier; raises ValueError if it is empty or padded with blanks.

        `who` tells one person of the patient's file from the others where it names somebody.
        """
        if not value or value != value.strip():
            raise ValueError(f"a value of {label} must not be empty or padded with blanks")
        self.pieces.append(TextPiece(value, label, who))
        self.length += len(value)


def annotate(document: Document, pieces: Iterable[TextPiece]) -> Annotated:
    """Join pieces into the document's text; the spans are in order and disjoint by construction.

    The span of an age covers the unit after it.
    """
    spans: list[Span] = []
    texts: list[str] = []
    position = 0
    for text, label, _ in pieces:
        if label:
            spans.append(Span(position, position + len(text), label))
        texts.append(text)
        position += len(text)
    joined = "".join(texts)
    return Annotated(replace(document, text=joined), cover_age_units(joined, spans))


def named(pieces: Iterable[TextPiece]) -> tuple[str, ...]:
    """Return the person that each span names; empty if it names none."""
    return tuple(piece.who for piece in pieces if piece.label)

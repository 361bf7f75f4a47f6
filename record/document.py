"""A note as text, and the same note with the spans somebody put on it."""

from dataclasses import dataclass, field
from datetime import datetime

from record.patient import Identifier, PersonName
from record.span import Span


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one note and what is known of that note itself.

    `text` never appears in a repr. `person_id` is None where nobody is named. `lang` is an
    ISO 639-1 code or empty. `written` is when the note was written. `kind` is the kind of note
    (`discharge`, `imaging`). `origin` tells where the text came from (`note_text`, `pdf`).
    `clinicians` and `identifiers` are known of this very note (its author, its visit number).
    """

    note_id: str
    text: str = field(repr=False)
    person_id: str | None = field(default=None, repr=False)
    lang: str = ""
    written: datetime | None = field(default=None, repr=False)
    kind: str = ""
    origin: str = "note_text"
    clinicians: tuple[PersonName, ...] = field(default=(), repr=False)
    identifiers: tuple[Identifier, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Annotated:
    """A document with spans: the one carrier for gold, predicted and synthetic annotation."""

    document: Document
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        length = len(self.document.text)
        if any(span.end > length for span in self.spans):
            raise ValueError("a span ends beyond its document")

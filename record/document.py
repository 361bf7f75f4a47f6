"""The text of a note with its metadata, and a note together with annotated spans."""

from dataclasses import dataclass, field
from datetime import datetime

from record.patient import Identifier, PersonName
from record.span import Span


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one note and its metadata.

    `text` never appears in a repr. `person_id` is None where the note has no patient. `lang` is
    an ISO 639-1 code or empty. `written` is when the note was written. `kind` is the kind of note
    (`discharge`, `imaging`). `origin` is the source of the text (`note_text`, `pdf`).
    `clinicians` and `identifiers` belong to this note (its author, its visit number).
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
    """A document with spans, whether gold, predicted or synthetic."""

    document: Document
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        length = len(self.document.text)
        if any(span.end > length for span in self.spans):
            raise ValueError("span ends after the end of its document")

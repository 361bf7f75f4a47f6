"""The mark that a reader leaves on each note: an export without it has not been read by anybody."""

from collections.abc import Iterable
from dataclasses import replace

from record.document import Annotated

READ = "READ"
"""A label of no identifier: a reader puts it on any word of a note that was read to its end."""


def keep_read(notes: Iterable[Annotated]) -> list[Annotated]:
    """Return the notes that hold the mark, without it."""
    return [
        replace(note, spans=tuple(span for span in note.spans if span.label != READ))
        for note in notes
        if any(span.label == READ for span in note.spans)
    ]

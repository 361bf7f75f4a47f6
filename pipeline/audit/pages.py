"""A note as its reviewer sees it: title and text in one, with the spans that the job stored."""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from pipeline.notes.batch import (
    Batch,
    Item,
)
from pipeline.notes.stages import (
    attach,
    extract,
    fetch,
    taken,
)
from pipeline.notes.stored_spans import recall
from pipeline.notes.worker_resources import Tools
from pipeline.warehouse.note_rows import Unit
from record.document import Annotated, Document
from record.errors import Unsafe
from record.span import Span

BETWEEN = "\n\n"
"""What parts a title from its text, since both are released and one page shows both."""


@dataclass(frozen=True)
class Page:
    """A note with its detected spans, and the version of it that they were found in."""

    annotated: Annotated = field(repr=False)
    content: bytes

    @property
    def note_id(self) -> int:
        """The note's id in the source."""
        return int(self.annotated.document.note_id)

    @property
    def kind(self) -> str:
        """The kind of note."""
        return self.annotated.document.kind


def read_pages(tools: Tools, note_ids: Collection[int]) -> Iterator[Page]:
    """Read notes with the spans that the nightly job stored; nothing is detected.

    Left out are those that have changed since, or that cannot be read any more.
    """
    size = tools.settings.limits.notes_per_unit
    for index, rows in enumerate(tools.source.pick(note_ids, size)):
        batch = taken(Unit(index, "", 0, 0, len(rows)), rows, tools)
        for stage in (attach, fetch, recall, extract):
            batch = stage(batch, tools)
        yield from _pages(batch)


def _pages(batch: Batch) -> Iterator[Page]:
    for item in batch.items:
        yield Page(_joined(item), item.content)


def _joined(item: Item) -> Annotated:
    document, title = item.document, item.title
    if document is None or title is None:
        raise Unsafe("not-extracted")
    head = title.text + BETWEEN if title.text else ""
    shifted = (
        replace(span, start=span.start + len(head), end=span.end + len(head)) for span in item.found
    )
    whole = Document(document.note_id, head + document.text, lang=document.lang, kind=document.kind)
    return Annotated(whole, (*item.title_found, *shifted))


def digest(text: str, key: bytes) -> bytes:
    """Hash a text under a key, so that a changed one is found out and nobody can guess it."""
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=16, key=key[:64]).digest()


def line_pieces(spans: Collection[Span], text: str) -> tuple[Span, ...]:
    """Cut spans at line breaks and trim them: not every format lets a mark run over lines."""
    pieces = []
    for span in sorted(spans):
        start = span.start
        for line in text[span.start : span.end].splitlines(keepends=True):
            kept = line.strip()
            if kept:
                first = start + line.index(kept)
                pieces.append(replace(span, start=first, end=first + len(kept)))
            start += len(line)
    return tuple(dict.fromkeys(pieces))

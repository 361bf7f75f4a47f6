"""A batch on its way through the stages: a unit of work and the notes that are still in it."""

import contextlib
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter

from pipeline.notes.error_boundary import attempt
from pipeline.state.run_summary import Tally
from pipeline.warehouse.note_rows import NOTE_COLUMNS, NoteRow, PersonRow, Unit, moment
from record.document import Document
from record.errors import Unreadable
from record.failure import Failure
from record.patient import Identifier, PatientRecord, PersonName
from record.release import Release
from record.span import Span

NOTHING = bytes(16)
"""Stands for the hash of what is not there, such as the identity of an unknown patient."""


@dataclass(frozen=True, slots=True)
class Item:
    """One note on its way; each stage fills in what it finds out.

    `content` and `identity` are the hashes (16 bytes) the ledger compares. `document` and
    `title` are the two texts of a note; spans and releases come in the same two parts. `read` is
    the text of a document and how it was read, `classes` counts its lines by what they are.
    """

    row: NoteRow = field(repr=False)
    kind: str = ""
    site: str = ""
    content: bytes = NOTHING
    identity: bytes = NOTHING
    patient: PatientRecord | None = None
    person: PersonRow | None = None
    clinicians: tuple[PersonName, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    data: bytes | None = field(default=None, repr=False)
    read: tuple[str, str] | None = field(default=None, repr=False)
    classes: Mapping[str, int] = field(default_factory=dict)
    document: Document | None = None
    title: Document | None = None
    found: tuple[Span, ...] = ()
    title_found: tuple[Span, ...] = ()
    sealed: bytes = field(default=b"", repr=False)
    release: Release | None = None
    title_release: Release | None = None

    @property
    def note_id(self) -> str:
        """The note's id as text, as documents and failures carry it."""
        return str(self.row.note_id)


@dataclass(frozen=True, slots=True)
class Refused:
    """A note in quarantine with what the ledger must remember of it."""

    item: Item
    failure: Failure


@dataclass(frozen=True, slots=True)
class Batch:
    """The notes of one unit of work between two stages.

    Every id of `read_ids` is in exactly one of `items`, `unchanged` and `refused`.
    """

    unit: Unit
    read_ids: tuple[int, ...] = ()
    items: tuple[Item, ...] = ()
    unchanged: tuple[int, ...] = ()
    refused: tuple[Refused, ...] = ()
    tally: Tally = field(default_factory=Tally)

    def each(self, stage: str, step: Callable[[Item], Item]) -> "Batch":
        """Take every note one step further; those that fail are set apart, the others go on."""
        going_on: list[Item] = []
        refused = list(self.refused)
        for item in self.items:
            result = attempt(item.note_id, stage, lambda item=item: step(item))  # type: ignore[misc]
            if isinstance(result, Failure):
                refused.append(Refused(item, result))
            else:
                going_on.append(result)
        return replace(self, items=tuple(going_on), refused=tuple(refused))


def hash_row(row: NoteRow) -> bytes:
    """Hash every column of a note as it was read (BLAKE2b, 16 bytes)."""
    digest = hashlib.blake2b(digest_size=16)
    for name, value in zip(NOTE_COLUMNS, _VALUES(row), strict=True):
        text = _canonical(value, is_date=name in _DATES)
        digest.update(f"{name}:{len(text)}:".encode())
        digest.update(text)
    return digest.digest()


_DATES = ("note_date", "note_datetime")
_VALUES = attrgetter(*NOTE_COLUMNS)


def _canonical(value: object, *, is_date: bool) -> bytes:
    if is_date:
        # Drivers give dates as text or as dates; both mean the same row.
        with contextlib.suppress(Unreadable):
            value = moment(value)
    if isinstance(value, bytes | memoryview):
        return b"b" + bytes(value)
    if isinstance(value, str):
        return b"s" + value.encode("utf-8", "surrogatepass")
    return b"o" + repr(value).encode("utf-8", "surrogatepass")

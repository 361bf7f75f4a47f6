"""A batch of notes in process: the notes of one unit, and those already refused or unchanged."""

import contextlib
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter

from pipeline.notes.error_boundary import attempt
from pipeline.state.run_summary import Tally
from pipeline.warehouse.note_rows import NOTE_COLUMNS, NoteRow, PersonRow, Unit, parse_datetime
from record.document import Document
from record.errors import Unreadable
from record.failure import Failure
from record.patient import Identifier, PatientRecord, PersonName
from record.release import Release
from record.span import Span

EMPTY_HASH = bytes(16)
"""Hash of a missing value, such as the identity of an unknown patient."""


@dataclass(frozen=True, slots=True)
class BatchNote:
    """One note in process; each stage fills in its results.

    `content` and `identity` are the hashes (16 bytes) that the ledger compares, `digest` that of
    the same content by the source's database, not keyed, or empty where there is none. `document`
    and `title` are the two texts of a note; spans and releases come in the same two parts. `read`
    is the text of an extracted document and its origin, `classes` the number of its lines by class.
    `is_recalled` is whether the spans are those of an earlier run, `read_by` the detectors that
    found stored spans.
    """

    row: NoteRow = field(repr=False)
    kind: str = ""
    site: str = ""
    content: bytes = EMPTY_HASH
    identity: bytes = EMPTY_HASH
    digest: bytes = b""
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
    is_recalled: bool = False
    read_by: str = ""
    sealed: bytes = field(default=b"", repr=False)
    release: Release | None = None
    title_release: Release | None = None

    @property
    def note_id(self) -> str:
        """The note's id as text, as in documents and failures."""
        return str(self.row.note_id)


@dataclass(frozen=True, slots=True)
class RefusedNote:
    """A note that goes to quarantine, with its failure."""

    item: BatchNote
    failure: Failure


@dataclass(frozen=True, slots=True)
class Batch:
    """The notes of one unit between two stages.

    Every id of `read_ids` is in exactly one of `items`, `unchanged` and `refused`. `digests` are
    the keyed ones of unchanged notes that the ledger does not have yet.
    """

    unit: Unit
    read_ids: tuple[int, ...] = ()
    items: tuple[BatchNote, ...] = ()
    unchanged: tuple[int, ...] = ()
    refused: tuple[RefusedNote, ...] = ()
    digests: Mapping[int, bytes] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)

    def apply(self, stage: str, step: Callable[[BatchNote], BatchNote]) -> "Batch":
        """Apply a step to every note; notes on which it fails are moved to `refused`."""
        passed: list[BatchNote] = []
        refused = list(self.refused)
        for item in self.items:
            result = attempt(item.note_id, stage, lambda item=item: step(item))  # type: ignore[misc]
            if isinstance(result, Failure):
                refused.append(RefusedNote(item, result))
            else:
                passed.append(result)
        return replace(self, items=tuple(passed), refused=tuple(refused))


def hash_row(row: NoteRow) -> bytes:
    """Hash all columns of a note row (BLAKE2b, 16 bytes)."""
    digest = hashlib.blake2b(digest_size=16)
    for name, value in zip(NOTE_COLUMNS, _VALUES(row), strict=True):
        text = _canonicalize(value, is_date=name in _DATES)
        digest.update(f"{name}:{len(text)}:".encode())
        digest.update(text)
    return digest.digest()


_DATES = ("note_date", "note_datetime")
_VALUES = attrgetter(*NOTE_COLUMNS)


def _canonicalize(value: object, *, is_date: bool) -> bytes:
    if is_date:
        # Drivers return dates as text or as dates; both must hash alike.
        with contextlib.suppress(Unreadable):
            value = parse_datetime(value)
    if isinstance(value, bytes | memoryview):
        return b"b" + bytes(value)
    if isinstance(value, str):
        return b"s" + value.encode("utf-8", "surrogatepass")
    return b"o" + repr(value).encode("utf-8", "surrogatepass")

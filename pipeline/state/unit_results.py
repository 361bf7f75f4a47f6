"""What the state database takes in and gives back: runs, versions of notes, results of units."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run that is under way; `resumed` tells that an earlier process began it."""

    run_id: int
    resumed: bool
    phase: str
    started: datetime


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The version of a note that the ledger knows and what became of it.

    `outcome` is `staged`, `released` or `quarantined`.
    """

    content: bytes
    identity: bytes
    config: bytes
    outcome: str


@dataclass(frozen=True, slots=True)
class StagedNote:
    """A note ready to be released; `payload` is its output row, `sealed` its spans under seal."""

    note_id: int
    person_id: int | None = field(repr=False)
    content: bytes
    identity: bytes
    config: bytes
    sealed: bytes = field(repr=False)
    payload: bytes = field(repr=False)
    kind: str
    day: str | None = field(repr=False)
    characters: int


@dataclass(frozen=True, slots=True)
class FailedNote:
    """A note that was refused: which version, where and why."""

    note_id: int
    person_id: int | None = field(repr=False)
    content: bytes
    identity: bytes
    config: bytes
    stage: str
    error: str
    reason: str
    kind: str
    day: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Print:
    """A keyed fingerprint of a note's patient and text, and where the note is counted."""

    note_id: int
    print: int
    kind: str
    site: str
    extractor: str
    day: str


@dataclass(frozen=True, slots=True)
class UnitResult:
    """All that came of a unit; `tally` is JSON and only handed back.

    `prints` are the fingerprints of the staged notes.
    """

    read_ids: list[int]
    unchanged_ids: list[int]
    releases: list[StagedNote]
    failures: list[FailedNote]
    tally: str
    prints: list[Print] = field(default_factory=list)

    def accounted(self) -> set[int]:
        """Return the ids that something became of."""
        done = {note.note_id for note in self.releases}
        return done | {note.note_id for note in self.failures} | set(self.unchanged_ids)


@dataclass(frozen=True, slots=True)
class SealedSpans:
    """The spans of a note under seal, and the version of the note that they belong to."""

    content: bytes
    config: bytes
    sealed: bytes = field(repr=False)

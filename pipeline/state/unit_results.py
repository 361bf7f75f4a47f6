"""Records exchanged with the state database: runs, ledger entries, staged notes, unit results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pipeline.state.span_sealing import NoteVersion


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run in progress; `resumed` if an earlier process began it."""

    run_id: int
    resumed: bool
    phase: str
    started: datetime


@dataclass(frozen=True, slots=True)
class RunningRun:
    """The run in progress, -1 if there is none.

    Notes that were not touched since `since` (UTC, without time zone) are not compared; all are
    where it is None.
    """

    run_id: int = -1
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The version and outcome of a note in the ledger.

    `outcome` is `staged`, `released` or `quarantined`, `digest` what the source's database computed
    of the same version, keyed; None where it did not.
    """

    content: bytes
    identity: bytes
    config: bytes
    outcome: str
    digest: bytes | None = None


@dataclass(frozen=True, slots=True)
class StagedNote:
    """A note ready for release; `payload` is its output row and `sealed` its spans, both sealed."""

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
    digest: bytes | None = None

    @property
    def version(self) -> NoteVersion:
        """The version that payload and spans are bound to."""
        return NoteVersion(self.note_id, self.content, self.identity, self.config)


@dataclass(frozen=True, slots=True)
class FailedNote:
    """A refused note: version, stage, error and reason."""

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
    digest: bytes | None = None


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A keyed fingerprint of a note's patient and text, with the fields of its count cell."""

    note_id: int
    print: int
    kind: str
    site: str
    extractor: str
    day: str


@dataclass(frozen=True, slots=True)
class UnitResult:
    """The result of a unit; `tally` is JSON and stored as it is.

    `prints` are the fingerprints of the staged notes. `digests` are those of unchanged notes whose
    ledger row has another one, or none.
    """

    read_ids: list[int]
    unchanged_ids: list[int]
    releases: list[StagedNote]
    failures: list[FailedNote]
    tally: str
    prints: list[Fingerprint] = field(default_factory=list)
    digests: Mapping[int, bytes] = field(default_factory=dict)

    def accounted(self) -> set[int]:
        """Return the ids of the notes with an outcome."""
        done = {note.note_id for note in self.releases}
        return done | {note.note_id for note in self.failures} | set(self.unchanged_ids)


@dataclass(frozen=True, slots=True)
class SealedSpans:
    """The sealed spans of a note, and the version of the note that they belong to."""

    version: NoteVersion
    sealed: bytes = field(repr=False)

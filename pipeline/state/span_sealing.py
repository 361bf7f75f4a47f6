"""Keys of the state database: seals of findings and staged notes, digests and codes of rows."""

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from record.errors import Unsafe
from record.span import Span
from surrogates.keys.keys import Mac, MasterKey, expand

PURPOSE = "span-store"
"""Purpose from which the sealing key is derived."""

CODE_BYTES = 16
"""Length of digests, of configurations' hashes, and of the code at the head of sealed data."""

_STATE_PURPOSE = "state-database"
_FINDINGS, _STAGED = b"cryptonym-findings-v2", b"cryptonym-staged-v2"
_PIECE = b"cryptonym-release-piece-v1"
_READ = "document"

Spans = Mapping[str, Sequence[Span]]


@dataclass(frozen=True, slots=True)
class NoteFindings:
    """The findings for a note: the spans of each part (`text`, `title`).

    `read` is the text of the note's document and its origin; None if the text is in the source's
    table, or must not be stored.
    """

    spans: Spans
    read: tuple[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class NoteVersion:
    """The version of a note that its ledger row names: what sealed data are bound to."""

    note_id: int
    content: bytes
    identity: bytes
    config: bytes

    def bind(self, kind: bytes) -> list[bytes]:
        """Return the associated data of a kind of sealed data."""
        return [kind, str(self.note_id).encode(), self.content, self.identity, self.config]


@dataclass(frozen=True)
class Seal:
    """Seals and opens the data of a note (AES-SIV, RFC 5297).

    What the data belong to is authenticated too: for findings and staged notes the note's id, the
    digests of its content and patient, and the hash of the configuration. They cannot be used for
    another note, version or configuration. Deterministic: equal data give equal bytes, and
    repeating a run changes nothing.
    """

    key: bytes = field(repr=False)
    _cipher: AESSIV = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_cipher", AESSIV(self.key))

    def seal_findings(self, version: NoteVersion, found: NoteFindings) -> bytes:
        """Seal the findings for a version of a note."""
        return self._cipher.encrypt(_pack(found), version.bind(_FINDINGS))

    def open_findings(self, version: NoteVersion, sealed: bytes) -> NoteFindings:
        """Open sealed findings; raises Unsafe(`broken-seal`) if data or version differ."""
        return _unpack(self._decrypt(sealed, version.bind(_FINDINGS)))

    def seal_staged(self, version: NoteVersion, payload: bytes) -> bytes:
        """Seal the output row of a staged note."""
        return self._cipher.encrypt(payload, version.bind(_STAGED))

    def open_staged(self, version: NoteVersion, sealed: bytes) -> bytes:
        """Open a staged output row; raises Unsafe(`broken-seal`) if data or version differ."""
        return self._decrypt(sealed, version.bind(_STAGED))

    def seal_piece(self, place: str, data: bytes) -> bytes:
        """Seal a piece of a released file for its place: which release, unit, file and piece."""
        return self._cipher.encrypt(data, [_PIECE, place.encode()])

    def open_piece(self, place: str, sealed: bytes) -> bytes:
        """Open a piece of a released file; raises Unsafe(`broken-seal`) if data or place differ."""
        return self._decrypt(sealed, [_PIECE, place.encode()])

    def close(self, note_id: str, content: bytes, found: NoteFindings) -> bytes:
        """Seal findings for a note and one digest, as on pages for review.

        The findings of earlier versions were sealed so, without their configuration.
        """
        return self._cipher.encrypt(_pack(found), [note_id.encode(), content])

    def open(self, note_id: str, content: bytes, sealed: bytes) -> NoteFindings:
        """Open what `close` sealed; raises Unsafe(`broken-seal`) if data, note or digest differ."""
        return _unpack(self._decrypt(sealed, [note_id.encode(), content]))

    def bind_to_version(self, content: bytes, version: NoteVersion, sealed: bytes) -> bytes:
        """Seal findings for a version that `close` sealed for its note and another digest.

        Raises Unsafe(`broken-seal`) if data, note or digest differ.
        """
        data = self._decrypt(sealed, [str(version.note_id).encode(), content])
        return self._cipher.encrypt(data, version.bind(_FINDINGS))

    def _decrypt(self, sealed: bytes, bound: list[bytes]) -> bytes:
        try:
            return self._cipher.decrypt(sealed, bound)
        except InvalidTag:
            raise Unsafe("broken-seal") from None

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a sealing key must not be serialized")


def _pack(found: NoteFindings) -> bytes:
    packed: dict[str, object] = {
        part: [[s.start, s.end, s.label, s.detector, s.score] for s in spans]
        for part, spans in found.spans.items()
    }
    if found.read is not None:
        packed[_READ] = found.read
    data = json.dumps(packed, separators=(",", ":"), sort_keys=True).encode()
    return data if found.read is None else zlib.compress(data)


def _unpack(data: bytes) -> NoteFindings:
    # JSON begins with a brace, zlib data never does.
    packed = json.loads(data if data.startswith(b"{") else zlib.decompress(data))
    read = packed.pop(_READ, None)
    spans = {part: tuple(Span(*span) for span in found) for part, found in packed.items()}
    return NoteFindings(spans, None if read is None else (read[0], read[1]))


class StateKeys:
    """The keys of a state database, all derived from the master key."""

    __slots__ = ("_configs", "_digests", "_rows", "seal")

    def __init__(self, master: MasterKey) -> None:
        secret = master.derive(_STATE_PURPOSE)
        self.seal = Seal(master.derive(PURPOSE))
        self._digests = Mac(expand(secret, b"digests"))
        self._rows = Mac(expand(secret, b"rows"))
        self._configs = Mac(expand(secret, b"configurations"))

    def key_digest(self, kind: str, digest: bytes) -> bytes:
        """Return the keyed form of a digest (`content`, `identity`): it confirms no guess.

        An empty digest, which marks a note to be processed again, stays empty.
        """
        return digest and self._digests.digest(f"{kind}:".encode() + digest)[:CODE_BYTES]

    def key_row_digest(self, note_id: int, content: bytes, digest: bytes) -> bytes:
        """Return the keyed form of what the source's database computed of a note's row, 16 bytes.

        It belongs to the note with this keyed content alone: put into another row of the ledger,
        or into that of another version, it tells nothing.
        """
        head = struct.pack(">qB", note_id, len(content))
        return self._digests.digest(b"row:" + head + content + digest)[:CODE_BYTES]

    def code_row(self, row: bytes) -> bytes:
        """Return the authentication code of a row or of a block of rows, 32 bytes."""
        return self._rows.digest(row)

    def code_configs(self, configs: bytes) -> bytes:
        """Return the authentication code of a list of configurations, 32 bytes."""
        return self._configs.digest(configs)

    def __repr__(self) -> str:
        return "StateKeys()"

    def __reduce__(self) -> NoReturn:
        raise TypeError("the keys of a state database must not be serialized")

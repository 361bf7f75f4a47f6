"""Sealing of stored spans: authenticated encryption with a key derived from the master key."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from record.errors import Unsafe
from record.span import Span

PURPOSE = "span-store"
"""Purpose from which the sealing key is derived."""

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


@dataclass(frozen=True)
class Seal:
    """Seals and opens the findings for a note (AES-SIV, RFC 5297).

    The note's id and content hash are authenticated too, so that spans cannot be used for another
    note or version. Deterministic: the same findings give the same bytes, and repeating a run
    changes nothing.
    """

    key: bytes = field(repr=False)
    _cipher: AESSIV = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_cipher", AESSIV(self.key))

    def close(self, note_id: str, content: bytes, found: NoteFindings) -> bytes:
        """Seal the findings for a note."""
        packed: dict[str, object] = {
            part: [[s.start, s.end, s.label, s.detector, s.score] for s in spans]
            for part, spans in found.spans.items()
        }
        if found.read is not None:
            packed[_READ] = found.read
        data = json.dumps(packed, separators=(",", ":"), sort_keys=True).encode()
        if found.read is not None:
            data = zlib.compress(data)
        return self._cipher.encrypt(data, [note_id.encode(), content])

    def open(self, note_id: str, content: bytes, sealed: bytes) -> NoteFindings:
        """Open sealed findings; raises Unsafe(`broken-seal`) if data, note or version differ."""
        try:
            data = self._cipher.decrypt(sealed, [note_id.encode(), content])
        except InvalidTag:
            raise Unsafe("broken-seal") from None
        # JSON begins with a brace, zlib data never does.
        packed = json.loads(data if data.startswith(b"{") else zlib.decompress(data))
        read = packed.pop(_READ, None)
        spans = {part: tuple(Span(*span) for span in found) for part, found in packed.items()}
        return NoteFindings(spans, None if read is None else (read[0], read[1]))

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a sealing key must not be serialized")

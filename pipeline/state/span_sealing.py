"""What was found in a note under seal: readable and changeable only with the master key."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from record.errors import Unsafe
from record.span import Span

PURPOSE = "span-store"
"""What the sealing key is derived from the master key for."""

_READ = "document"

Spans = Mapping[str, Sequence[Span]]


@dataclass(frozen=True, slots=True)
class Found:
    """What a run found out about a note: the spans of each part (`text`, `title`).

    `read` is the text of the document that the note points to, with how it was read (`origin`);
    none where the text stands in the source's own table, or is not to be kept.
    """

    spans: Spans
    read: tuple[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Seal:
    """Closes and opens what was found in a note (AES-SIV, RFC 5297).

    The note's id and content hash are authenticated with it, so that spans can never be replayed
    on another note or another version. Deterministic: the same findings give the same bytes, and
    a run that is repeated changes nothing.
    """

    key: bytes = field(repr=False)
    _cipher: AESSIV = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_cipher", AESSIV(self.key))

    def close(self, note_id: str, content: bytes, found: Found) -> bytes:
        """Seal what was found in a note."""
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

    def open(self, note_id: str, content: bytes, sealed: bytes) -> Found:
        """Open what was sealed; raises Unsafe(`broken-seal`) when anything about it was changed."""
        try:
            data = self._cipher.decrypt(sealed, [note_id.encode(), content])
        except InvalidTag:
            raise Unsafe("broken-seal") from None
        # JSON begins with a brace, what zlib makes never does.
        packed = json.loads(data if data.startswith(b"{") else zlib.decompress(data))
        read = packed.pop(_READ, None)
        spans = {part: tuple(Span(*span) for span in found) for part, found in packed.items()}
        return Found(spans, None if read is None else (read[0], read[1]))

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a sealing key is never serialized")

"""Spans under seal: what was found in a note, readable and changeable only with the master key."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from record.errors import Unsafe
from record.span import Span

PURPOSE = "span-store"
"""What the sealing key is derived from the master key for."""

Spans = Mapping[str, Sequence[Span]]


@dataclass(frozen=True)
class Seal:
    """Closes and opens the spans of a note (AES-SIV, RFC 5297).

    The note's id and content hash are authenticated with them, so that spans can never be
    replayed on another note or another version. Deterministic: the same spans give the same
    bytes, and a run that is repeated changes nothing.
    """

    key: bytes = field(repr=False)

    def close(self, note_id: str, content: bytes, spans: Spans) -> bytes:
        """Seal the spans of each part of a note (`text`, `title`)."""
        packed = {
            part: [[s.start, s.end, s.label, s.detector, s.score] for s in found]
            for part, found in spans.items()
        }
        data = json.dumps(packed, separators=(",", ":"), sort_keys=True).encode()
        return AESSIV(self.key).encrypt(data, [note_id.encode(), content])

    def open(self, note_id: str, content: bytes, sealed: bytes) -> dict[str, tuple[Span, ...]]:
        """Open sealed spans; raises Unsafe(`broken-seal`) when anything about them was changed."""
        try:
            data = AESSIV(self.key).decrypt(sealed, [note_id.encode(), content])
        except InvalidTag:
            raise Unsafe("broken-seal") from None
        return {
            part: tuple(Span(*span) for span in spans) for part, spans in json.loads(data).items()
        }

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a sealing key is never serialized")

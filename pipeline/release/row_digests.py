"""Order-independent digests of table rows, and the difference between two versions of a table."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from itertools import groupby
from typing import Any

Row = tuple[Any, ...]

MODULUS = 2**256
"""Sums of digests are modulo this."""
_SPAN_COLUMNS = 4


def iso(value: date) -> str:
    """Format a date, or a datetime with its time (`date.isoformat` itself would drop that)."""
    return value.isoformat()


_ENCODER = json.JSONEncoder(separators=(",", ":"), default=iso)


def canonical_line(row: Sequence[Any]) -> bytes:
    """Encode a row as one line, the same for equal rows wherever they were read."""
    if len(row) == _SPAN_COLUMNS and row[3].isidentifier() and row[3].isascii():
        # The same bytes as the encoder's, faster: a note has dozens of spans.
        return f'[{row[0]},{row[1]},{row[2]},"{row[3]}"]\n'.encode()
    return _ENCODER.encode(row).encode() + b"\n"


def row_key(row: Row) -> int:
    """Return the key of a row: its first value, or 0 in a table without a key."""
    return row[0] if isinstance(row[0], int) else 0


@dataclass
class TableHashes:
    """The digests of a table's rows by key, at about a hundred bytes per key.

    `keyed` has for each key the sum of the SHA-256 of its lines, which does not depend on their
    order. Adding the rows of one key consecutively is faster.
    """

    keyed: dict[int, int] = field(default_factory=dict)
    rows: int = 0

    def add(self, rows: Iterable[Row]) -> list[bytes]:
        """Add rows; return the digest of each."""
        keyed, made = self.keyed, list[bytes]()
        for key, same in groupby(rows, row_key):
            digests = [sha256(canonical_line(row)).digest() for row in same]
            total = sum(int.from_bytes(digest, "big") for digest in digests)
            keyed[key] = (keyed.get(key, 0) + total) % MODULUS
            made += digests
        self.rows += len(made)
        return made

    def add_digests(self, keys: Iterable[int], digests: Iterable[bytes]) -> None:
        """Add rows by their keys and digests, as `add` returned them."""
        keyed = self.keyed
        for key, digest in zip(keys, digests, strict=True):
            keyed[key] = (keyed.get(key, 0) + int.from_bytes(digest, "big")) % MODULUS
            self.rows += 1

    @property
    def total(self) -> int:
        """The sum of the SHA-256 of all lines."""
        return sum(self.keyed.values()) % MODULUS


def add_totals(totals: Iterable[int]) -> str:
    """Return the hexadecimal digest of a table from the totals of its parts."""
    return f"{sum(totals) % MODULUS:064x}"


@dataclass(frozen=True, slots=True)
class Change:
    """How a table differs from its published version: counts of keys, not of rows."""

    added: int = 0
    changed: int = 0
    withdrawn: int = 0
    unchanged: int = 0

    @property
    def is_empty(self) -> bool:
        """Return whether nothing differs."""
        return not (self.added or self.changed or self.withdrawn)

    @property
    def published(self) -> int:
        """The number of keys in the published version."""
        return self.changed + self.withdrawn + self.unchanged

    def __add__(self, other: "Change") -> "Change":
        return Change(
            self.added + other.added,
            self.changed + other.changed,
            self.withdrawn + other.withdrawn,
            self.unchanged + other.unchanged,
        )


Changes = dict[str, Change]


@dataclass(frozen=True)
class Difference:
    """The sorted keys that were added, changed or withdrawn since the published version."""

    added: list[int]
    changed: list[int]
    withdrawn: list[int]
    unchanged: int

    @property
    def change(self) -> Change:
        """The difference in counts."""
        return Change(len(self.added), len(self.changed), len(self.withdrawn), self.unchanged)


def compare_rows(before: TableHashes, after: TableHashes) -> Difference:
    """Compare the published rows of a table with the new ones."""
    old, new = before.keyed, after.keyed
    changed = [key for key, hashed in new.items() if key in old and old[key] != hashed]
    added = [key for key in new if key not in old]
    return Difference(
        sorted(added),
        sorted(changed),
        sorted(key for key in old if key not in new),
        len(new) - len(added) - len(changed),
    )

"""Rows as they are compared and vouched for: canonical lines, hashes that any order gives."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from itertools import groupby
from typing import Any

Row = tuple[Any, ...]

_MODULUS = 2**256
_OF_SPAN = 4


def iso(value: date) -> str:
    """Write a date, or a moment with its time of day (`date.isoformat` itself would drop that)."""
    return value.isoformat()


_ENCODER = json.JSONEncoder(separators=(",", ":"), default=iso)


def canonical(row: Sequence[Any]) -> bytes:
    """Write a row as one line that is the same for equal rows, wherever they were read."""
    if len(row) == _OF_SPAN and row[3].isidentifier() and row[3].isascii():
        # What the encoder gives, quicker: a note has dozens of spans.
        return f'[{row[0]},{row[1]},{row[2]},"{row[3]}"]\n'.encode()
    return _ENCODER.encode(row).encode() + b"\n"


def key_of(row: Row) -> int:
    """Return the key of a row: its first value, or 0 where a table has no key."""
    return row[0] if isinstance(row[0], int) else 0


@dataclass
class Hashes:
    """What a comparison needs of the rows of a table, at a hundred bytes a key.

    `keyed` has for each key the sum of the SHA-256 of its lines: the same in whatever order rows
    come. Those of one key should come together, or else it takes longer.
    """

    keyed: dict[int, int] = field(default_factory=dict)
    rows: int = 0

    def add(self, rows: Iterable[Row]) -> None:
        """Take in rows."""
        keyed = self.keyed
        for key, same in groupby(rows, key_of):
            digests = [int.from_bytes(sha256(canonical(row)).digest(), "big") for row in same]
            keyed[key] = (keyed.get(key, 0) + sum(digests)) % _MODULUS
            self.rows += len(digests)

    @property
    def total(self) -> int:
        """The sum of the SHA-256 of all lines."""
        return sum(self.keyed.values()) % _MODULUS


def add_totals(totals: Iterable[int]) -> str:
    """Return the digest of a table from the sums of its parts, in hexadecimal."""
    return f"{sum(totals) % _MODULUS:064x}"


@dataclass(frozen=True, slots=True)
class Change:
    """How a table differs from what was visible: numbers of keys, not of rows."""

    added: int = 0
    changed: int = 0
    withdrawn: int = 0
    unchanged: int = 0

    @property
    def is_none(self) -> bool:
        """Return whether nothing differs."""
        return not (self.added or self.changed or self.withdrawn)

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
    """The keys, in order, that are new, differ from what is visible, or are there no more."""

    added: list[int]
    changed: list[int]
    withdrawn: list[int]
    unchanged: int

    @property
    def change(self) -> Change:
        """The same in numbers."""
        return Change(len(self.added), len(self.changed), len(self.withdrawn), self.unchanged)


def differ(before: Hashes, after: Hashes) -> Difference:
    """Compare what is visible with what was made."""
    old, new = before.keyed, after.keyed
    changed = [key for key, hashed in new.items() if key in old and old[key] != hashed]
    added = [key for key in new if key not in old]
    return Difference(
        sorted(added),
        sorted(changed),
        sorted(key for key in old if key not in new),
        len(new) - len(added) - len(changed),
    )

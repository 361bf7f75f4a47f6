"""Authentication codes over blocks of ledger rows and their spans: rows put back are detected.

A block is the notes of `BLOCK` consecutive ids. Its total is the sum, modulo 2**256, of the keyed
hashes of its rows (MSet-Add-Hash of Clarke et al., ASIACRYPT 2003); the row `ROOT` has the sum over
all blocks. Writing a note subtracts its old row and adds the new one, so that a row changed outside
the program leaves its block wrong for good.
"""

import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, LargeBinary, Select, delete, func, select

from pipeline.state.span_sealing import CODE_BYTES, StateKeys
from pipeline.state.tables import LEDGER, QUARANTINED, ROW_CODE, SPAN_STORE
from pipeline.warehouse.databases import chunks, retrying, transaction, upsert
from record.errors import CryptonymError

ROOT = -(2**62)
"""Number of the row with the sum over all blocks; no block has it."""

_WHAT = "state"
_BLOCK = 512
_MODULUS = 2**256
_PAGE = 5_000

Sums = Counter[int]


class AlteredState(CryptonymError):
    """Rows of the state database were changed outside the program (exit code 1)."""


@dataclass(frozen=True)
class AlteredRows:
    """What does not match its code: some blocks, or the sum over all of them (`is_whole`)."""

    blocks: tuple[int, ...]
    is_whole: bool

    @property
    def is_empty(self) -> bool:
        """Return whether everything matches."""
        return not (self.blocks or self.is_whole)

    def contains(self, note_id: int) -> bool:
        """Return whether a note may be among the altered rows."""
        return self.is_whole or find_block(note_id) in self.blocks


def find_block(note_id: int) -> int:
    """Return the number of a note's block."""
    return note_id // _BLOCK


@contextmanager
def update_codes(
    connection: Connection, keys: StateKeys | None, note_ids: Sequence[int]
) -> Iterator[None]:
    """Bring the codes up to date with what is written to these notes within the context.

    Without keys nothing is done: what was written then counts as altered.
    """
    if keys is None:
        yield
        return
    before = _sum_notes(connection, keys, note_ids)
    yield
    after = _sum_notes(connection, keys, note_ids)
    changes = {block: after[block] - before[block] for block in after.keys() | before.keys()}
    _add_to_blocks(connection, keys, {block: n for block, n in changes.items() if n})


def add_codes(connection: Connection, keys: StateKeys, note_ids: Sequence[int]) -> None:
    """Add rows that no code covers yet."""
    _add_to_blocks(connection, keys, _sum_notes(connection, keys, note_ids))


@retrying
def find_altered_rows(engine: Engine, keys: StateKeys) -> AlteredRows:
    """Compare all rows with their codes; requires that nothing writes meanwhile."""
    with transaction(engine, _WHAT) as connection:
        found = _sum_everything(connection, keys)
        stored = _read_totals(connection, keys, None)
    root, blocks = stored.pop(ROOT, None), found.keys() | stored.keys()
    altered = sorted(block for block in blocks if found[block] != stored.get(block, 0))
    return AlteredRows(tuple(altered), root is None or root != _sum_blocks(keys, stored))


def rebuild_codes(connection: Connection, keys: StateKeys) -> None:
    """Compute all codes from the rows as they are."""
    connection.execute(delete(ROW_CODE))
    _add_to_blocks(connection, keys, _sum_everything(connection, keys))


def _add_to_blocks(connection: Connection, keys: StateKeys, changes: Mapping[int, int]) -> None:
    # The root is locked first: transactions that change codes follow one another.
    empty = {"block": ROOT, "total": _pack(0), "code": _code(keys, ROOT, 0)}
    upsert(connection, ROW_CODE, [empty], keep=["total", "code"])
    locked = select(ROW_CODE.c.total).where(ROW_CODE.c.block == ROOT).with_for_update()
    root = int.from_bytes(connection.scalar(locked) or b"", "big")
    before = _read_totals(connection, keys, sorted(changes))
    after = {block: (before.get(block, 0) + n) % _MODULUS for block, n in changes.items()}
    root += _sum_blocks(keys, after) - _sum_blocks(keys, before)
    totals = after | {ROOT: root % _MODULUS}
    rows = [
        {"block": block, "total": _pack(total), "code": _code(keys, block, total)}
        for block, total in totals.items()
    ]
    upsert(connection, ROW_CODE, rows)


def _read_totals(
    connection: Connection, keys: StateKeys, blocks: Sequence[int] | None
) -> dict[int, int]:
    """Read totals, all of them or those of some blocks; one with a wrong code is left out."""
    found: dict[int, int] = {}
    wanted = select(ROW_CODE)
    parts = (
        [wanted]
        if blocks is None
        else [wanted.where(ROW_CODE.c.block.in_(some)) for some in chunks(blocks)]
    )
    for statement in parts:
        for row in connection.execute(statement):
            total = int.from_bytes(row.total, "big")
            if row.code == _code(keys, row.block, total):
                found[row.block] = total
    return found


def _sum_blocks(keys: StateKeys, totals: Mapping[int, int]) -> int:
    codes = (_code(keys, block, total) for block, total in totals.items())
    return sum(int.from_bytes(code, "big") for code in codes) % _MODULUS


def _code(keys: StateKeys, block: int, total: int) -> bytes:
    return keys.code_row(b"block:" + struct.pack(">q", block) + _pack(total))


def _pack(total: int) -> bytes:
    return total.to_bytes(32, "big")


def _sum_notes(connection: Connection, keys: StateKeys, note_ids: Sequence[int]) -> Sums:
    sums: Sums = Counter()
    for some in chunks(sorted(note_ids)):
        _add_rows(sums, keys, connection.execute(_ROWS.where(LEDGER.c.note_id.in_(some))))
    return sums


def _sum_everything(connection: Connection, keys: StateKeys) -> Sums:
    sums: Sums = Counter()
    page = _ROWS.order_by(LEDGER.c.note_id).limit(_PAGE)
    after: int | None = None
    while True:
        wanted = page if after is None else page.where(LEDGER.c.note_id > after)
        rows = connection.execute(wanted).all()
        if not rows:
            return sums
        _add_rows(sums, keys, rows)
        after = rows[-1][0]


_ROWS: Select[Any] = select(
    LEDGER.c.note_id,
    LEDGER.c.content,
    LEDGER.c.identity,
    LEDGER.c.config,
    # Sealed data begin with a code of all that they hold and are bound to.
    func.substr(SPAN_STORE.c.sealed, 1, CODE_BYTES, type_=LargeBinary),
    LEDGER.c.outcome,
).outerjoin_from(LEDGER, SPAN_STORE, SPAN_STORE.c.note_id == LEDGER.c.note_id)


def _add_rows(sums: Sums, keys: StateKeys, rows: Iterable[Any]) -> None:
    code_row = keys.code_row
    for note_id, *values, outcome in rows:
        parts = [value if type(value) is bytes else repr(value).encode() for value in values]
        # Whether it is in the output changes when it is published, and is compared with that.
        head = _HEAD(note_id, outcome == QUARANTINED, *map(len, parts))
        code = code_row(b"".join((b"note:", head, *parts)))
        block = note_id // _BLOCK
        sums[block] = (sums[block] + int.from_bytes(code, "big")) % _MODULUS


_HEAD = struct.Struct(">q?IIII").pack

"""Seals what earlier versions stored in clear, in batches that go on where they were interrupted.

Earlier versions stored staged notes in clear, digests of notes and patients without a key, and
findings whose seal did not name their configuration. Each batch is one transaction together with
the row of `sealing` that says how far it came; at last the database is compacted, so that free
pages keep nothing of the earlier form. It needs the master key, and is therefore part of a run and
not of the migrations of the tables.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    Table,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from pipeline.state.reconciliation import discard_results
from pipeline.state.row_codes import add_codes
from pipeline.state.span_sealing import NoteVersion, StateKeys
from pipeline.state.tables import AUDIT_NOTE, LEDGER, SEALING, SPAN_STORE, STAGE
from pipeline.warehouse.databases import compact, retrying, transaction, upsert
from record.errors import ConfigError, Unsafe

VERSION = 2
"""Version of the form of rows; 1 are rows in clear."""

BATCH = 500

_WHAT = "state"
_NOTES, _SAMPLES, _SPACE = "notes", "samples", "space"
_PARTS = (_NOTES, _SAMPLES, _SPACE)
_COMPACTED = (STAGE, SPAN_STORE, LEDGER, AUDIT_NOTE)


def is_sealed(engine: Engine) -> bool:
    """Return whether every row has the form of this version."""
    done = SEALING.c.done == 1, SEALING.c.version == VERSION
    with transaction(engine, _WHAT) as connection:
        return set(connection.scalars(select(SEALING.c.part).where(*done))) == set(_PARTS)


def require_sealed(engine: Engine) -> None:
    """Raise ConfigError if rows have the form of an earlier version."""
    if is_sealed(engine):
        return
    with transaction(engine, _WHAT) as connection:
        has_notes = connection.scalar(select(LEDGER.c.note_id).limit(1)) is not None
    if has_notes:
        raise ConfigError(
            "state.url",
            "the state database holds rows of an earlier version",
            "run `cryptonym run` once: it seals them",
        )


def seal_at_rest(engine: Engine, keys: StateKeys, watch: Callable[[], None] = lambda: None) -> int:
    """Seal the rows of earlier versions; return the number of batches.

    Requires the run lock. Idempotent: interrupted anywhere it goes on, and ends in the same state.
    `watch` is called after each batch.
    """
    if is_sealed(engine):
        return 0
    count = 0
    for part, seal_batch in ((_NOTES, _seal_notes), (_SAMPLES, _seal_samples)):
        while _run_batch(engine, keys, part, seal_batch):
            count += 1
            watch()
    retrying(compact)(engine, _WHAT, _COMPACTED)
    watch()
    with transaction(engine, _WHAT, write=True) as connection:
        _mark(connection, _SPACE, None, done=True)
    return count


_SealBatch = Callable[[Connection, StateKeys, int | None], int | None]


@retrying
def _run_batch(engine: Engine, keys: StateKeys, part: str, seal_batch: _SealBatch) -> bool:
    """Seal one batch of a part; return whether there may be another."""
    with transaction(engine, _WHAT, write=True) as connection:
        mine = SEALING.c.part == part, SEALING.c.version == VERSION
        here = connection.execute(select(SEALING).where(*mine)).first()
        if here is not None and here.done:
            return False
        last = seal_batch(connection, keys, here.after if here else None)
        _mark(connection, part, last, done=last is None)
        return last is not None


def _mark(connection: Connection, part: str, after: int | None, *, done: bool) -> None:
    row = {"part": part, "version": VERSION, "after": after, "done": int(done)}
    upsert(connection, SEALING, [row])


def _seal_notes(connection: Connection, keys: StateKeys, after: int | None) -> int | None:
    """Seal the notes of the ledger after an id; return the last one, None if there was none."""
    found = (
        select(
            LEDGER.c.note_id, LEDGER.c.content, LEDGER.c.identity, LEDGER.c.config,
            SPAN_STORE.c.content.label("found_in"), SPAN_STORE.c.config.label("found_under"),
            SPAN_STORE.c.sealed, STAGE.c.payload,
        )
        .outerjoin_from(LEDGER, SPAN_STORE, SPAN_STORE.c.note_id == LEDGER.c.note_id)
        .outerjoin(STAGE, STAGE.c.note_id == LEDGER.c.note_id)
        .order_by(LEDGER.c.note_id)
        .limit(BATCH)
    )  # fmt: skip
    rows = connection.execute(found if after is None else found.where(LEDGER.c.note_id > after))
    notes = rows.all()
    if not notes:
        _delete_orphans(connection)
        add_codes(connection, keys, [])
        return None
    sealed = [_seal_note(keys, row) for row in notes]
    for table, column in ((LEDGER, "ledger"), (STAGE, "staged"), (SPAN_STORE, "findings")):
        _update(connection, table, [row for each in sealed if (row := getattr(each, column))])
    discard_results(connection, [each.ledger["note_id"] for each in sealed if each.is_broken])
    add_codes(connection, keys, [row.note_id for row in notes])
    return int(notes[-1].note_id)


@dataclass(frozen=True)
class _SealedRows:
    """The new values of a note's rows; empty where there is no row."""

    ledger: dict[str, Any]
    staged: dict[str, Any]
    findings: dict[str, Any]
    is_broken: bool = False


def _seal_note(keys: StateKeys, row: Any) -> _SealedRows:
    """Seal a note's rows; they are broken if the findings cannot be opened."""
    content = keys.key_digest("content", row.content)
    identity = keys.key_digest("identity", row.identity)
    version = NoteVersion(row.note_id, content, identity, row.config)
    ledger = {"note_id": row.note_id, "content": content, "identity": identity}
    staged: dict[str, Any] = {}
    if row.payload is not None:
        payload = keys.seal.seal_staged(version, row.payload)
        staged = {"note_id": row.note_id, "payload": payload}
    if row.sealed is None:
        return _SealedRows(ledger, staged, {})
    found_in = keys.key_digest("content", row.found_in)
    version = NoteVersion(row.note_id, found_in, identity, row.found_under)
    try:
        sealed = keys.seal.bind_to_version(row.found_in, version, row.sealed)
    except Unsafe:
        return _SealedRows(ledger, staged, {}, is_broken=True)
    findings = {"note_id": row.note_id, "content": found_in, "sealed": sealed}
    return _SealedRows(ledger, staged, findings)


def _update(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        mine = update(table).where(table.c.note_id == bindparam("this"))
        values: dict[str, Any] = {name: bindparam(name) for name in rows[0] if name != "note_id"}
        numbered = [row | {"this": row["note_id"]} for row in rows]
        connection.execute(mine.values(values), numbered)


def _delete_orphans(connection: Connection) -> None:
    for table in (STAGE, SPAN_STORE):
        known = exists().where(LEDGER.c.note_id == table.c.note_id)
        connection.execute(delete(table).where(~known))


def _seal_samples(connection: Connection, keys: StateKeys, after: int | None) -> int | None:
    """Key the digests of all notes of the first sample after a number; return that number."""
    first = select(func.min(AUDIT_NOTE.c.sample_id))
    if after is not None:
        first = first.where(AUDIT_NOTE.c.sample_id > after)
    number = connection.scalar(first)
    if number is None:
        return None
    mine = AUDIT_NOTE.c.sample_id == number
    rows: Sequence[Any] = connection.execute(select(AUDIT_NOTE).where(mine)).all()
    connection.execute(delete(AUDIT_NOTE).where(mine))
    keyed = [
        dict(row._mapping) | {"content": keys.key_digest("content", row.content)} for row in rows
    ]
    connection.execute(insert(AUDIT_NOTE), keyed)
    return int(number)

"""What came of a unit of work, written into ledger, stage, span store and quarantine."""

from collections.abc import Sequence

from sqlalchemy import Connection, delete

from pipeline.state.quality_store import enter_unit
from pipeline.state.tables import (
    LEDGER,
    QUARANTINE,
    QUARANTINED,
    SPAN_STORE,
    STAGE,
    STAGED,
)
from pipeline.state.unit_results import (
    FailedNote,
    StagedNote,
    UnitResult,
)
from pipeline.warehouse.databases import (
    chunks,
    upsert,
)


def take_in(connection: Connection, run_id: int, result: UnitResult) -> None:
    """Write what came of a unit, inside the transaction that calls the unit done."""
    _release(connection, result.releases)
    _refuse(connection, result.failures)
    enter_unit(connection, run_id, result)


def _release(connection: Connection, notes: Sequence[StagedNote]) -> None:
    _enter(connection, notes, STAGED)
    spans = [{c.name: getattr(note, c.name) for c in SPAN_STORE.columns} for note in notes]
    upsert(connection, SPAN_STORE, spans)
    stage = [{c.name: getattr(note, c.name) for c in STAGE.columns} for note in notes]
    upsert(connection, STAGE, stage)
    for some in chunks([note.note_id for note in notes]):
        connection.execute(delete(QUARANTINE).where(QUARANTINE.c.note_id.in_(some)))


def _refuse(connection: Connection, notes: Sequence[FailedNote]) -> None:
    _enter(connection, notes, QUARANTINED)
    rows = [{c.name: getattr(note, c.name) for c in QUARANTINE.columns} for note in notes]
    upsert(connection, QUARANTINE, rows)
    for some in chunks([note.note_id for note in notes]):
        for table in (STAGE, SPAN_STORE):
            connection.execute(delete(table).where(table.c.note_id.in_(some)))


def _enter(connection: Connection, notes: Sequence[StagedNote | FailedNote], outcome: int) -> None:
    rows = [
        {
            "note_id": note.note_id,
            "content": note.content,
            "identity": note.identity,
            "config": note.config,
            "outcome": outcome,
            "was_released": 0,
        }
        for note in notes
    ]
    # Whether the output holds an earlier version is not for this version to say.
    upsert(connection, LEDGER, rows, keep=["was_released"])

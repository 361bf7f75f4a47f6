"""Reconciliation: checks by id that every planned note is accounted for in the state database."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    Table,
    and_,
    delete,
    exists,
    func,
    select,
    update,
)

from pipeline.state.quality_store import release_holds
from pipeline.state.row_codes import update_codes
from pipeline.state.span_sealing import StateKeys
from pipeline.state.tables import (
    ABANDONED,
    DONE,
    LEDGER,
    QUARANTINE,
    QUARANTINED,
    RELEASED,
    REOPENED,
    RUN,
    RUN_UNIT,
    SPAN_STORE,
    STAGE,
    STAGED,
    unpack_ids,
)
from pipeline.state.unit_leases import RunEnded
from pipeline.warehouse.databases import chunks, retrying, transaction

_WHAT = "state"
_UNITS = 100
_FIRST = -(2**31)
_LEDGER_PAGE = 20_000
_CHUNK = 500
_SHOWN = 20


class PresenceLookup(Protocol):
    """A source that can be queried for the presence of notes."""

    def present(self, note_ids: Sequence[int]) -> set[int]:
        """Return which of these notes exist now."""
        ...


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """The result of a reconciliation.

    `missing` notes were planned or read, are still in the source, but have no outcome in the
    ledger. `inconsistent` is the number of notes whose ledger, stage and quarantine rows disagree.
    """

    planned: int = 0
    accounted: int = 0
    missing: int = 0
    missing_ids: tuple[int, ...] = ()
    deleted_meanwhile: int = 0
    inconsistent: int = 0

    @property
    def ok(self) -> bool:
        """Return whether the run may be released."""
        return not self.missing and not self.inconsistent


@dataclass
class _ReconciledCounts:
    """The counts summed over units."""

    planned: int = 0
    accounted: int = 0
    missing: int = 0
    deleted: int = 0
    first: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)


def reconcile_run(
    engine: Engine, run_id: int, source: PresenceLookup, keys: StateKeys | None = None
) -> Reconciliation:
    """Compare, unit by unit, the planned and read notes with the ledger.

    Units with missing notes become pending again; if notes are inconsistent, all units do, and
    those notes count as changed, so that the next attempt processes them again.
    """
    account = _ReconciledCounts()
    for row in _stream_units(engine, run_id):
        planned = set(unpack_ids(row.planned))
        accounted = set(unpack_ids(row.accounted if row.done == DONE else None))
        lost = (planned | set(unpack_ids(row.read_ids))) - accounted
        # What a worker reported must be present in the ledger.
        lost |= accounted - find_ledger_ids(engine, sorted(accounted))
        still = source.present(sorted(lost)) if lost else set()
        account.planned += len(planned)
        account.accounted += len(accounted - lost)
        account.missing += len(still)
        account.deleted += len(lost - still)
        account.first += sorted(still)[: _SHOWN - len(account.first)]
        account.units += [row.unit] if still else []
    inconsistent = _count_inconsistent(engine)
    if account.units or inconsistent:
        _reopen_units(engine, run_id, None if inconsistent else account.units, keys)
    return Reconciliation(
        planned=account.planned,
        accounted=account.accounted,
        missing=account.missing,
        missing_ids=tuple(account.first),
        deleted_meanwhile=account.deleted,
        inconsistent=inconsistent,
    )


def find_deleted_notes(engine: Engine, run_id: int) -> Iterator[list[int]]:
    """Stream the notes of the ledger that are in no unit of the run, in order of id.

    For a completed unit the notes read count, for others the notes planned. Each page of the
    ledger is compared with the units that overlap it: memory is bounded for any order of units.
    Raises RunEnded where another run has begun: it may have deleted the units of this one.
    """
    after: int | None = None
    while page := _read_ledger_page(engine, after):
        after = page[-1]
        gone = set(page)
        for row in _stream_units(engine, run_id, between=(page[0], page[-1])):
            gone.difference_update(unpack_ids(row.read_ids if row.done == DONE else row.planned))
        _check_in_progress(engine, run_id)
        yield from (list(some) for some in chunks(sorted(gone), _CHUNK))


@retrying
def _check_in_progress(engine: Engine, run_id: int) -> None:
    with transaction(engine, _WHAT) as connection:
        phase = connection.scalar(select(RUN.c.phase).where(RUN.c.run_id == run_id))
    if phase == ABANDONED:
        raise RunEnded(run_id)


def _stream_units(
    engine: Engine, run_id: int, between: tuple[int, int] | None = None
) -> "Iterator[Row[tuple[object, ...]]]":
    after = _FIRST
    while page := _read_unit_page(engine, run_id, after, between):
        yield from page
        after = page[-1].unit


# Without the tally, which is larger than all other columns.
_UNIT_COLUMNS = [RUN_UNIT.c[name] for name in ("unit", "done", "planned", "read_ids", "accounted")]


@retrying
def _read_unit_page(
    engine: Engine, run_id: int, after: int, between: tuple[int, int] | None
) -> "Sequence[Row[tuple[object, ...]]]":
    found = select(*_UNIT_COLUMNS).where(RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.unit > after)
    if between:
        found = found.where(RUN_UNIT.c.first_id <= between[1], RUN_UNIT.c.last_id >= between[0])
    with transaction(engine, _WHAT) as connection:
        return connection.execute(found.order_by(RUN_UNIT.c.unit).limit(_UNITS)).all()


@retrying
def find_ledger_ids(engine: Engine, note_ids: Sequence[int]) -> set[int]:
    """Return which of these notes have a ledger entry, of whatever version."""
    with transaction(engine, _WHAT) as connection:
        found: set[int] = set()
        for some in chunks(note_ids):
            found.update(
                connection.scalars(select(LEDGER.c.note_id).where(LEDGER.c.note_id.in_(some)))
            )
    return found


@retrying
def _read_ledger_page(engine: Engine, after: int | None) -> list[int]:
    found = select(LEDGER.c.note_id).order_by(LEDGER.c.note_id).limit(_LEDGER_PAGE)
    if after is not None:
        found = found.where(LEDGER.c.note_id > after)
    with transaction(engine, _WHAT) as connection:
        return list(connection.scalars(found))


_OUTCOME_TABLES = ((STAGE, STAGED), (SPAN_STORE, STAGED), (QUARANTINE, QUARANTINED))


def _lacks_table_row(table: Table, outcome: int) -> ColumnElement[bool]:
    """Return the condition that a ledger row lacks the row required by its outcome."""
    return and_(LEDGER.c.outcome == outcome, ~exists().where(table.c.note_id == LEDGER.c.note_id))


def _lacks_ledger_row(table: Table, outcome: int) -> ColumnElement[bool]:
    """Return the condition that a row of the stage or quarantine has no ledger row."""
    return ~exists().where(LEDGER.c.note_id == table.c.note_id, LEDGER.c.outcome == outcome)


@retrying
def _count_inconsistent(engine: Engine) -> int:
    """Count ledger rows without their stage or quarantine row, and the reverse."""
    counts = [
        select(func.count()).select_from(LEDGER).where(_lacks_table_row(*home))
        for home in _OUTCOME_TABLES
    ]
    for home in _OUTCOME_TABLES:
        if home[0] is not SPAN_STORE:
            counts.append(select(func.count()).select_from(home[0]).where(_lacks_ledger_row(*home)))
    with transaction(engine, _WHAT) as connection:
        return sum(connection.scalar(count) or 0 for count in counts)


@retrying
def _reopen_units(
    engine: Engine, run_id: int, units: Sequence[int] | None, keys: StateKeys | None
) -> None:
    mine = update(RUN_UNIT).where(RUN_UNIT.c.run_id == run_id)
    with transaction(engine, _WHAT, write=True) as connection:
        if units is not None:
            for some in chunks(units):
                connection.execute(mine.where(RUN_UNIT.c.unit.in_(some)).values(REOPENED))
            return
        for home in _OUTCOME_TABLES:
            homeless = select(LEDGER.c.note_id).where(_lacks_table_row(*home))
            note_ids = list(connection.scalars(homeless))
            with update_codes(connection, keys, note_ids):
                for some in chunks(note_ids):
                    _forget_outcome(connection, some)
            if home[0] is not SPAN_STORE:
                connection.execute(delete(home[0]).where(_lacks_ledger_row(*home)))
        connection.execute(mine.values(REOPENED))


def _forget_outcome(connection: Connection, note_ids: Sequence[int]) -> None:
    # Notes that may be in the output stay in the ledger, or they could never be withdrawn.
    here = LEDGER.c.note_id.in_(note_ids)
    seen = update(LEDGER).where(here, LEDGER.c.was_released == 1)
    connection.execute(seen.values(outcome=RELEASED, content=b""))
    connection.execute(delete(LEDGER).where(here, LEDGER.c.was_released == 0))


def discard_results(connection: Connection, note_ids: Sequence[int]) -> None:
    """Delete what is stored for notes, so that the next run processes them again.

    Those in the output stay there until then. A run that was interrupted processes all its units
    again: those with such notes would otherwise count as done.
    """
    if not note_ids:
        return
    connection.execute(update(RUN_UNIT).values(REOPENED))
    for some in chunks(note_ids):
        _forget_outcome(connection, some)
        for table in (STAGE, SPAN_STORE, QUARANTINE):
            connection.execute(delete(table).where(table.c.note_id.in_(some)))
    release_holds(connection, note_ids, erase=False)

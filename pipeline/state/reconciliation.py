"""Is every note accounted for: what was planned against what the state database holds, by id."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlalchemy import ColumnElement, Engine, Row, Table, and_, delete, exists, func, select, update

from pipeline.state.tables import (
    LEDGER,
    QUARANTINE,
    QUARANTINED,
    RELEASED,
    RUN_UNIT,
    SPAN_STORE,
    STAGE,
    STAGED,
    unpack_ids,
)
from pipeline.warehouse.databases import chunks, retrying, transaction

_WHAT = "state"
_UNITS = 100
_LEDGER_PAGE = 20_000
_CHUNK = 500
_SHOWN = 20


class Rereadable(Protocol):
    """A source that can be asked again whether notes are there."""

    def present(self, note_ids: Sequence[int]) -> set[int]:
        """Return which of these notes are there now."""
        ...


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What became of the notes that a run planned.

    `missing` notes were planned or read, are still in the source, and nothing became of them
    that the ledger knows. `astray` counts notes whose ledger, stage and quarantine disagree.
    """

    planned: int = 0
    accounted: int = 0
    missing: int = 0
    missing_ids: tuple[int, ...] = ()
    deleted_meanwhile: int = 0
    astray: int = 0

    @property
    def ok(self) -> bool:
        """Return whether everything may be released."""
        return not self.missing and not self.astray


@dataclass
class _Account:
    """The sums while units are gone through."""

    planned: int = 0
    accounted: int = 0
    missing: int = 0
    deleted: int = 0
    first: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)


def reconcile(engine: Engine, run_id: int, source: Rereadable) -> Reconciliation:
    """Compare, unit by unit, what was planned and read with what the ledger holds.

    Units with missing notes are pending again afterwards; all are when notes are astray, and
    those notes count as changed: the next attempt makes good what went wrong.
    """
    account = _Account()
    for row in _units(engine, run_id):
        planned = set(unpack_ids(row.planned))
        accounted = set(unpack_ids(row.accounted))
        lost = (planned | set(unpack_ids(row.read_ids))) - accounted
        # What a worker said it did must be there to be read.
        lost |= accounted - entered(engine, sorted(accounted))
        still = source.present(sorted(lost)) if lost else set()
        account.planned += len(planned)
        account.accounted += len(accounted - lost)
        account.missing += len(still)
        account.deleted += len(lost - still)
        account.first += sorted(still)[: _SHOWN - len(account.first)]
        account.units += [row.unit] if still else []
    astray = _astray(engine)
    if account.units or astray:
        _reopen(engine, run_id, None if astray else account.units)
    return Reconciliation(
        planned=account.planned,
        accounted=account.accounted,
        missing=account.missing,
        missing_ids=tuple(account.first),
        deleted_meanwhile=account.deleted,
        astray=astray,
    )


def find_tombstones(engine: Engine, run_id: int) -> Iterator[list[int]]:
    """Stream the notes of the ledger that no unit of the run holds, in order of id.

    A unit that is done holds what was read, another what was planned. A page of the ledger is
    compared with the units that reach into it: memory is bounded whatever the order of the plan.
    """
    after: int | None = None
    while page := _ledger_page(engine, after):
        after = page[-1]
        gone = set(page)
        for row in _units(engine, run_id, between=(page[0], page[-1])):
            gone.difference_update(unpack_ids(row.read_ids if row.done else row.planned))
        yield from (list(some) for some in chunks(sorted(gone), _CHUNK))


def _units(
    engine: Engine, run_id: int, between: tuple[int, int] | None = None
) -> "Iterator[Row[tuple[object, ...]]]":
    after = -1
    while page := _unit_page(engine, run_id, after, between):
        yield from page
        after = page[-1].unit


# Not the tally of a unit, which is larger than all else about it.
_ACCOUNTS = [RUN_UNIT.c[name] for name in ("unit", "done", "planned", "read_ids", "accounted")]


@retrying
def _unit_page(
    engine: Engine, run_id: int, after: int, between: tuple[int, int] | None
) -> "Sequence[Row[tuple[object, ...]]]":
    found = select(*_ACCOUNTS).where(RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.unit > after)
    if between:
        found = found.where(RUN_UNIT.c.first_id <= between[1], RUN_UNIT.c.last_id >= between[0])
    with transaction(engine, _WHAT) as connection:
        return connection.execute(found.order_by(RUN_UNIT.c.unit).limit(_UNITS)).all()


@retrying
def entered(engine: Engine, note_ids: Sequence[int]) -> set[int]:
    """Return which of these notes the ledger knows, in whatever version."""
    with transaction(engine, _WHAT) as connection:
        found: set[int] = set()
        for some in chunks(note_ids):
            found.update(
                connection.scalars(select(LEDGER.c.note_id).where(LEDGER.c.note_id.in_(some)))
            )
    return found


@retrying
def _ledger_page(engine: Engine, after: int | None) -> list[int]:
    found = select(LEDGER.c.note_id).order_by(LEDGER.c.note_id).limit(_LEDGER_PAGE)
    if after is not None:
        found = found.where(LEDGER.c.note_id > after)
    with transaction(engine, _WHAT) as connection:
        return list(connection.scalars(found))


_HOMES = ((STAGE, STAGED), (SPAN_STORE, STAGED), (QUARANTINE, QUARANTINED))


def _homeless(table: Table, outcome: int) -> ColumnElement[bool]:
    """Say which rows of the ledger lack the row that goes with their outcome."""
    return and_(LEDGER.c.outcome == outcome, ~exists().where(table.c.note_id == LEDGER.c.note_id))


def _stray(table: Table, outcome: int) -> ColumnElement[bool]:
    """Say which rows of the stage or quarantine the ledger knows nothing of."""
    return ~exists().where(LEDGER.c.note_id == table.c.note_id, LEDGER.c.outcome == outcome)


@retrying
def _astray(engine: Engine) -> int:
    """Count staged or refused notes without their row, and rows of notes that are neither."""
    counts = [select(func.count()).select_from(LEDGER).where(_homeless(*home)) for home in _HOMES]
    for home in _HOMES:
        if home[0] is not SPAN_STORE:
            counts.append(select(func.count()).select_from(home[0]).where(_stray(*home)))
    with transaction(engine, _WHAT) as connection:
        return sum(connection.scalar(count) or 0 for count in counts)


@retrying
def _reopen(engine: Engine, run_id: int, units: Sequence[int] | None) -> None:
    mine = update(RUN_UNIT).where(RUN_UNIT.c.run_id == run_id)
    with transaction(engine, _WHAT, write=True) as connection:
        if units is not None:
            for some in chunks(units):
                connection.execute(mine.where(RUN_UNIT.c.unit.in_(some)).values(done=0))
            return
        for home in _HOMES:
            homeless = _homeless(*home)
            # What the output may hold must stay known, or nothing would ever withdraw it.
            seen = update(LEDGER).where(homeless, LEDGER.c.was_released == 1)
            connection.execute(seen.values(outcome=RELEASED, content=b""))
            connection.execute(delete(LEDGER).where(homeless))
            if home[0] is not SPAN_STORE:
                connection.execute(delete(home[0]).where(_stray(*home)))
        connection.execute(mine.values(done=0))

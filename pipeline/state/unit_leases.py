"""Leases of units: workers claim the units of a run, one after another, in the state database.

A claim has an attempt number, and the transaction that stores a result checks it: a worker that was
suspended, or cut off, until its lease ran out and another one claimed the unit stores nothing.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    CursorResult,
    Engine,
    Select,
    Update,
    bindparam,
    cast,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from pipeline.state.tables import (
    OPEN,
    REOPENED,
    RUN,
    RUN_UNIT,
    UNRETURNED,
    WORKING,
    pack_ids,
    unpack_ids,
)
from pipeline.warehouse.databases import retrying, transaction
from pipeline.warehouse.note_rows import Unit
from record.errors import CryptonymError

MOST_FAILURES = 3
"""Claims without a result, after which a unit is halved and a single note is condemned."""
HOPELESS = 2 * MOST_FAILURES
"""Claims without a result, after which a condemned note is not even read any more."""

KILLED = "the worker ended"
"""The error of a unit whose worker died, or let its lease run out."""

_WHAT = "state"
_LEAST_CONDEMNED = 10
_CONDEMNED_PER_NOTE = 1e-4
_RANGE = ("unit", "part", "low", "high", "count", "planned")
_CLAIMS = ("attempt", "lease_ends", "failures", "error", "origin")
_READ = [RUN_UNIT.c[name] for name in (*_RANGE, *_CLAIMS)]


class RunEnded(CryptonymError):
    """Another run has begun since this one: it writes nothing any more (exit code 1)."""

    def __init__(self, run_id: int) -> None:
        super().__init__(
            f"run {run_id} was abandoned: another one has begun since. Remedy: look for a second "
            "machine that runs with the same state database"
        )


class UnitsFailed(CryptonymError):
    """Too many notes fail, or end their worker: the cause is not in the notes (exit code 1)."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A unit that was claimed; `is_hopeless` where it is not to be read any more."""

    unit: Unit
    is_hopeless: bool = False


class UnitLeases:
    """Claims units and keeps the leases of this process; every method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._held: dict[tuple[int, int], int] = {}
        self._worked: dict[tuple[int, int], int] = {}
        self._heard: dict[tuple[int, int], float] = {}
        self._guard = Lock()

    @retrying
    def claim(
        self, run_id: int, holder: str, seconds: float, *, before: int | None = None
    ) -> Claim | None:
        """Claim the next unit of a run for some seconds; None if there is none at the moment.

        A run that is not in the phase `working` has none: it was abandoned, or is published.
        A lease that ran out counts as a failure of its unit. A unit that failed three times is
        halved, and each half again as soon as it fails, until a note is alone; one that fails three
        times alone is condemned. Of a backfill only the units below `before` are claimed; None for
        other runs. Raises UnitsFailed where too many notes are condemned.
        """
        with transaction(self._engine, _WHAT, write=True) as connection:
            while True:
                row = _find_claimable(connection, run_id, before)
                if row is None:
                    return None
                failures = (row.failures or 0) + (row.lease_ends is not None)
                ids = unpack_ids(row.planned) if failures else []
                if len(ids) > 1 and failures >= (1 if row.unit < 0 else MOST_FAILURES):
                    _halve(connection, run_id, row, ids)
                    continue
                if failures >= MOST_FAILURES:
                    _check_condemned(connection, run_id, row)
                break
            attempt = (row.attempt or 0) + 1
            held = {
                "asked_run": run_id,
                "asked_unit": row.unit,
                "new_attempt": attempt,
                "new_holder": holder,
                "new_milliseconds": round(seconds * 1000),
                "new_failures": failures,
            }
            connection.execute(_hold(connection.dialect.name), held)
        with self._guard:
            self._held[run_id, row.unit] = attempt
            self._heard[row.unit, attempt] = time.monotonic()
        unit = Unit(
            row.unit,
            row.part,
            row.low,
            row.high,
            row._mapping["count"],
            wanted=row.planned if before is not None or row.unit < 0 or failures else b"",
            attempt=attempt,
            is_backfill=before is not None,
            is_condemned=failures >= MOST_FAILURES,
        )
        return Claim(unit, failures >= HOPELESS)

    @retrying
    def is_finished(self, run_id: int, *, before: int | None = None) -> bool:
        """Return whether no unit of a run is left to be claimed, now or later, or it has ended."""
        left = select(RUN_UNIT.c.unit).where(*_is_left(run_id, before)).limit(1)
        with transaction(self._engine, _WHAT) as connection:
            return connection.execute(left).first() is None

    def note_progress(self, unit: Unit, worked: int) -> None:
        """Keep how many notes of a unit are worked on; the next renewal of its lease stores it."""
        with self._guard:
            self._worked[unit.index, unit.attempt] = worked
            self._heard[unit.index, unit.attempt] = time.monotonic()

    def is_hung(self, seconds: float) -> bool:
        """Return whether a unit of this process has not come further for so long."""
        since = time.monotonic() - seconds
        with self._guard:
            claims = [(unit, attempt) for (_, unit), attempt in self._held.items()]
            self._heard = {claim: self._heard[claim] for claim in claims}
            return any(heard < since for heard in self._heard.values())

    def renew(self, seconds: float) -> None:
        """Extend the leases of this process; those taken away, or of ended runs, are forgotten.

        How far their units are is stored with them.
        """
        with self._guard:
            held = list(self._held.items())
            claims = {(unit, attempt) for (_, unit), attempt in held}
            self._worked = {claim: n for claim, n in self._worked.items() if claim in claims}
            worked = dict(self._worked)
        if not held:
            return
        with transaction(self._engine, _WHAT, write=True) as connection:
            ends = database_clock(connection) + round(seconds * 1000)
            lost = [
                (key, attempt)
                for key, attempt in held
                if not _change(
                    connection, *key, attempt, lease_ends=ends, worked=worked.get((key[1], attempt))
                )
            ]
        with self._guard:
            for key, attempt in lost:
                if self._held.get(key) == attempt:
                    del self._held[key]

    def fail(self, run_id: int, unit: Unit, error: str) -> bool:
        """Give a unit back as failed; return whether this process held it.

        `error` names stage and class of the error, without text of a note.
        """
        return self._end(run_id, unit, lease_ends=0, error=error)

    def release(self, run_id: int, unit: Unit) -> bool:
        """Give a unit back that was not worked on, without counting it."""
        return self._end(run_id, unit, lease_ends=None)

    def mark_unreturned(self, run_id: int, unit: Unit) -> bool:
        """Mark a unit that came back from the runner without a result: the run fails by it.

        Nothing happens to one that was stored, given back or lost, or whose run has ended.
        """
        return self._end(run_id, unit, done=UNRETURNED, lease_ends=None)

    def forget(self, run_id: int, unit: Unit) -> None:
        """Forget a unit whose result is stored."""
        with self._guard:
            self._held.pop((run_id, unit.index), None)

    def _end(self, run_id: int, unit: Unit, **values: Any) -> bool:
        with self._guard:
            if self._held.get((run_id, unit.index)) != unit.attempt:
                return False
            del self._held[run_id, unit.index]
        self._end_stored(run_id, unit, values)
        return True

    @retrying
    def _end_stored(self, run_id: int, unit: Unit, values: dict[str, Any]) -> None:
        with transaction(self._engine, _WHAT, write=True) as connection:
            _change(connection, run_id, unit.index, unit.attempt, **values)

    @retrying
    def take_from(self, run_id: int, holder: str, *, as_failed: bool) -> int:
        """Take the leases of a process that is dead; return how many units it held."""
        mine = RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.holder == holder
        taken = update(RUN_UNIT).where(*mine, *_IS_HELD).values(_make_end(as_failed))
        with transaction(self._engine, _WHAT, write=True) as connection:
            return connection.execute(taken).rowcount

    @retrying
    def revoke(self, run_id: int, *, as_failed: bool) -> None:
        """Take all leases of a run, whose workers then store nothing; units can be claimed again.

        `as_failed` counts what they had begun as failed.
        """
        mine = update(RUN_UNIT).where(RUN_UNIT.c.run_id == run_id)
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(mine.where(*_IS_HELD).values(_make_end(as_failed)))
            connection.execute(mine.where(RUN_UNIT.c.done == UNRETURNED).values(REOPENED))


def is_lease_kept(planned: Any, unit: Unit) -> bool:
    """Return whether a row of the table still belongs to the claim that a unit was given out with.

    `planned` must be locked by the transaction that relies on it.
    """
    if (planned.attempt or 0) != unit.attempt:
        return False
    return unit.attempt == 0 or bool(planned.lease_ends)


def count_most_deaths(notes: int) -> int:
    """Return how often a worker can end in a run with units of so many notes, at most.

    A run ends by itself where more notes end their worker than those counted here.
    """
    halvings = (notes - 1).bit_length()
    # Whole, then once for each half that the note is in, then alone until it is not even read.
    by_one_note = HOPELESS if not halvings else MOST_FAILURES + halvings - 1 + HOPELESS
    return _LEAST_CONDEMNED * by_one_note


def _make_end(as_failed: bool) -> dict[str, Any]:
    return {"lease_ends": 0, "error": KILLED} if as_failed else {"lease_ends": None}


_IS_HELD = (RUN_UNIT.c.done == OPEN, RUN_UNIT.c.lease_ends > 0)


def _of(run_id: int, unit: int) -> Any:
    return update(RUN_UNIT).where(RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.unit == unit)


def _change(connection: Connection, run_id: int, unit: int, attempt: int, **values: Any) -> bool:
    """Change a unit if a claim still holds it."""
    mine = _of(run_id, unit).where(RUN_UNIT.c.attempt == attempt, *_IS_HELD, _is_working(run_id))
    changed: CursorResult[Any] = connection.execute(mine.values(values))
    return changed.rowcount == 1


def _is_left(run_id: Any, before: Any) -> list[ColumnElement[bool]]:
    mine = [RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.done == OPEN, _is_working(run_id)]
    return mine if before is None else [*mine, RUN_UNIT.c.unit < before]


def _is_working(run_id: Any) -> ColumnElement[bool]:
    return exists().where(RUN.c.run_id == run_id, RUN.c.phase == WORKING)


def _find_claimable(connection: Connection, run_id: int, before: int | None) -> Any:
    """Return the first unit that nobody holds, locked; parts of units come before units."""
    statement = _select_claimable(connection.dialect.name, before is not None)
    asked = {"asked_run": run_id} | ({} if before is None else {"asked_before": before})
    return connection.execute(statement, asked).first()


# Building the statements takes longer than running them: half of a claim's processor time.
@cache
def _select_claimable(dialect: str, is_backfill: bool) -> Select[Any]:
    run_id: Any = bindparam("asked_run")
    before: Any = bindparam("asked_before") if is_backfill else None
    is_free = or_(RUN_UNIT.c.lease_ends.is_(None), RUN_UNIT.c.lease_ends < _clock_of(dialect))
    first = select(*_READ).where(*_is_left(run_id, before), is_free).order_by(RUN_UNIT.c.unit)
    # SQLite has one writer at a time, and no such clause.
    return first.limit(1).with_for_update(skip_locked=True)


@cache
def _hold(dialect: str) -> Update:
    """Return the statement by which a unit, found and locked, is held for some milliseconds."""
    values: dict[str, Any] = {
        name: bindparam(f"new_{name}") for name in ("attempt", "holder", "failures")
    }
    ends = _clock_of(dialect) + bindparam("new_milliseconds", type_=BigInteger)
    asked = RUN_UNIT.c.run_id == bindparam("asked_run"), RUN_UNIT.c.unit == bindparam("asked_unit")
    return update(RUN_UNIT).where(*asked).values(values | {"lease_ends": ends, "worked": None})


def database_clock(connection: Connection) -> ColumnElement[int]:
    """Return the time in milliseconds since 1970, by the clock of the database server."""
    return _clock_of(connection.dialect.name)


def _clock_of(dialect: str) -> ColumnElement[int]:
    if dialect == "postgresql":
        # Not now(), which is when the transaction began: it may have waited for a lock.
        return cast(func.extract("epoch", func.clock_timestamp()) * 1000, BigInteger)
    return cast((func.julianday("now") - 2440587.5) * 86_400_000, BigInteger)


def _halve(connection: Connection, run_id: int, row: Any, ids: Sequence[int]) -> None:
    """Replace a unit with its two halves, numbered below all others."""
    # Two workers may halve units of their own at once, and number the halves.
    connection.execute(select(RUN.c.run_id).where(RUN.c.run_id == run_id).with_for_update())
    lowest = select(func.min(RUN_UNIT.c.unit)).where(RUN_UNIT.c.run_id == run_id)
    first = min(connection.scalar(lowest) or 0, 0) - 2
    middle = len(ids) // 2
    halves = [
        {
            "run_id": run_id,
            "unit": first + number,
            "part": row.part,
            # In files the range is one of rows: the whole is read, and what is planned processed.
            "low": row.low,
            "high": row.high,
            "count": len(some),
            "first_id": some[0],
            "last_id": some[-1],
            "planned": pack_ids(some),
            "done": OPEN,
            "error": row.error,
            "origin": row.unit if row.origin is None else row.origin,
        }
        for number, some in enumerate((ids[:middle], ids[middle:]))
    ]
    connection.execute(
        delete(RUN_UNIT).where(RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.unit == row.unit)
    )
    connection.execute(insert(RUN_UNIT), halves)


def _check_condemned(connection: Connection, run_id: int, row: Any) -> None:
    """Raise UnitsFailed where so many notes are condemned that the notes cannot be the cause."""
    number = 1 + len(find_condemned(connection, run_id, RUN_UNIT.c.unit != row.unit))
    if number > most_condemned(connection, run_id):
        raise UnitsFailed(
            f"{number} notes failed, or ended their worker, {MOST_FAILURES} times each; the last "
            f"error: {row.error or KILLED}. Remedy: look for a lack of memory, or for what they "
            "have in common; the next run processes them again"
        )


def find_condemned(
    connection: Connection, run_id: int, *conditions: ColumnElement[bool]
) -> list[int]:
    """Return the units of a run, of a single note each, that failed three times."""
    single = RUN_UNIT.c["count"] <= 1, RUN_UNIT.c.failures >= MOST_FAILURES
    found = select(RUN_UNIT.c.unit).where(RUN_UNIT.c.run_id == run_id, *single, *conditions)
    return list(connection.scalars(found))


def most_condemned(connection: Connection, run_id: int) -> float:
    """Return how many notes of a run may be condemned before the run ends."""
    total = select(func.sum(RUN_UNIT.c["count"])).where(RUN_UNIT.c.run_id == run_id)
    return max(_LEAST_CONDEMNED, _CONDEMNED_PER_NOTE * (connection.scalar(total) or 0))

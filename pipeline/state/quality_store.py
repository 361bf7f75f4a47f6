"""Store of the quality gate in the state database: counts, verdicts, held notes, decisions."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from sys import intern
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Table,
    and_,
    delete,
    exists,
    func,
    insert,
    inspect,
    or_,
    select,
    update,
)

from pipeline.state.quality_counts import CellCounts, CountCell, Series
from pipeline.state.quality_series import RunCounts
from pipeline.state.quality_tables import (
    QUALITY_COUNT,
    QUALITY_DECISION,
    QUALITY_HELD,
    QUALITY_PRINT,
    QUALITY_RUN,
    TABLES,
)
from pipeline.state.row_codes import update_codes
from pipeline.state.span_sealing import StateKeys
from pipeline.state.tables import LEDGER, QUARANTINE, QUARANTINED, SPAN_STORE, STAGE, STATE
from pipeline.state.unit_results import UnitResult
from pipeline.warehouse.databases import chunks, retrying, retrying_briefly, transaction, upsert

KEPT_DAYS = 800

_WHAT = "state"
_ROWS = 250

Conclusion = Literal["unjudged", "learning", "clean", "warned", "held"]


@dataclass(frozen=True, slots=True)
class Alarm:
    """One series whose counts drifted; `holds` distinguishes it from a notice."""

    series: Series
    title: str
    observed: float
    expected: float
    low: float
    high: float
    p_value: float
    nights: int
    exposure: float
    is_learning: bool
    is_notice: bool

    @property
    def holds(self) -> bool:
        """Return whether this alarm holds a run."""
        return not self.is_learning and not self.is_notice

    def to_json(self) -> dict[str, Any]:
        """Return the alarm as an object for JSON: names and numbers, never text of notes."""
        return asdict(self) | {"series": list(self.series)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Alarm":
        """Return the alarm from an object made by `to_json`."""
        return cls(**{**record, "series": Series(*record["series"])})


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run as stored by the gate.

    `held` is the number of notes, `withdrawals` that of withdrawals that still await a decision.
    """

    run_id: int
    night: date
    config: str
    version: str
    notes: int
    conclusion: Conclusion
    alarms: tuple[Alarm, ...]
    held: int = 0
    decision: "GateDecision | None" = None
    withdrawals: int = 0

    @property
    def waits(self) -> bool:
        """Return whether it awaits a decision."""
        return self.conclusion == "held" and self.decision is None

    @property
    def is_half_done(self) -> bool:
        """Return whether it was rejected but its notes are not in quarantine yet."""
        return self.decision is not None and self.held + self.withdrawals > 0


@dataclass(frozen=True, slots=True)
class GateDecision:
    """A decision on a run that raised an alarm.

    `notes` is the number of notes that the run held; None for decisions of earlier versions.
    """

    run_id: int
    decision: Literal["accepted", "rejected"]
    decided_by: str
    reason: str
    new_normal: bool = False
    again: bool = False
    decided_at: str = ""
    notes: int | None = None


# Called by the ledger, inside its transactions


NOTE_TABLES = (QUALITY_HELD, QUALITY_PRINT)
"""Tables with a row per note, which is deleted with the note."""


def write_unit_fingerprints(connection: Connection, run_id: int, result: UnitResult) -> None:
    """Store the fingerprints of a unit's staged notes, and delete those of refused notes.

    A new version of a note is not held because of an earlier one.
    """
    release_holds(connection, [note.note_id for note in result.releases], erase=False)
    release_holds(connection, [note.note_id for note in result.failures], erase=True)
    prints = [asdict(each) | {"run_id": run_id} for each in result.prints]
    upsert(connection, QUALITY_PRINT, prints)


def release_holds(connection: Connection, note_ids: Collection[int], *, erase: bool) -> None:
    """Delete the holds on notes that have been replaced or removed.

    With `erase`, their fingerprints are deleted too.
    """
    for some in chunks(sorted(note_ids)):
        for table in NOTE_TABLES if erase else (QUALITY_HELD,):
            connection.execute(delete(table).where(table.c.note_id.in_(some)))


IS_FREE = ~exists().where(QUALITY_HELD.c.note_id == STAGE.c.note_id, QUALITY_HELD.c.accepted == 0)
"""Condition: a staged note is not held."""


def was_accepted_in(run_id: int) -> ColumnElement[bool]:
    """Return the condition that a staged note was held by this run, which has been accepted."""
    mine = QUALITY_HELD.c.run_id == run_id, QUALITY_HELD.c.accepted == 1
    return exists().where(QUALITY_HELD.c.note_id == STAGE.c.note_id, *mine)


class QualityStore:
    """The tables of the gate; writing methods are idempotent."""

    def __init__(self, engine: Engine, keys: StateKeys | None = None) -> None:
        self._engine = engine
        self._keys = keys
        self._complete()

    @retrying_briefly
    def _complete(self) -> None:
        """Create missing tables."""
        with transaction(self._engine, _WHAT) as connection:
            existing = set(inspect(connection).get_table_names())
        if not {table.name for table in TABLES} <= existing:
            with transaction(self._engine, _WHAT, write=True) as connection:
                STATE.create_all(connection, tables=TABLES)

    def store_counts(self, run: RunCounts) -> None:
        """Store the counts of a run, replacing earlier ones.

        Counts older than `KEPT_DAYS` are deleted; verdicts and decisions are kept. Written in short
        transactions, since a connection may not last long enough for one; the row of the run is
        written last, and counts without it are ignored.
        """
        oldest = (run.night - timedelta(days=KEPT_DAYS)).isoformat()
        worked = sum(n for cell, n in run.cells.items() if cell.measure == "worked")
        row = {
            "run_id": run.run_id, "night": run.night.isoformat(), "config": run.config,
            "version": run.version, "notes": worked, "verdict": "unjudged", "alarms": "[]",
        }  # fmt: skip
        counts = [
            {"run_id": run.run_id, "count": number, **cell._asdict()}
            for cell, number in sorted(run.cells.items())
            if number
        ]
        self._forget(run.run_id, oldest)
        for some in chunks(counts, _ROWS):
            self._add(QUALITY_COUNT, some)
        self._add(QUALITY_RUN, [row])

    @retrying
    def _forget(self, run_id: int, oldest: str) -> None:
        old = select(QUALITY_RUN.c.run_id).where(QUALITY_RUN.c.night < oldest)
        gone = or_(QUALITY_COUNT.c.run_id == run_id, QUALITY_COUNT.c.run_id.in_(old))
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(delete(QUALITY_COUNT).where(gone))

    @retrying
    def _add(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        with transaction(self._engine, _WHAT, write=True) as connection:
            upsert(connection, table, list(rows))

    @retrying
    def count_duplicates(self, run_id: int) -> Counter[CountCell]:
        """Count the notes of a run that have the same patient and text as another note."""
        mine, other = QUALITY_PRINT.alias("mine"), QUALITY_PRINT.alias("other")
        earlier = or_(other.c.run_id < run_id, other.c.note_id < mine.c.note_id)
        same = and_(other.c.print == mine.c.print, other.c.note_id != mine.c.note_id, earlier)
        place = [mine.c[name] for name in ("kind", "site", "extractor", "day")]
        found = (
            select(*place, func.count().label("number"))
            .where(mine.c.run_id == run_id, exists().where(same))
            .group_by(*place)
        )
        with transaction(self._engine, _WHAT) as connection:
            return Counter({
                CountCell("copies", "", "", row.kind, row.site, row.extractor, row.day): row.number
                for row in connection.execute(found)
            })  # fmt: skip

    @retrying
    def store_verdict(self, run_id: int, conclusion: Conclusion, alarms: Sequence[Alarm]) -> None:
        """Store the verdict on a run; if it is `held`, mark its staged notes as held."""
        values = {"verdict": conclusion, "alarms": json.dumps([a.to_json() for a in alarms])}
        waiting = select(STAGE.c.note_id, STAGE.c.note_id * 0 + run_id, STAGE.c.note_id * 0)
        waiting = waiting.where(~exists().where(QUALITY_HELD.c.note_id == STAGE.c.note_id))
        with transaction(self._engine, _WHAT, write=True) as connection:
            mine = QUALITY_RUN.c.run_id == run_id
            connection.execute(update(QUALITY_RUN).where(mine).values(values))
            if conclusion == "held":
                names = ["note_id", "run_id", "accepted"]
                connection.execute(insert(QUALITY_HELD).from_select(names, waiting))

    @retrying
    def runs(self, limit: int | None = None, *, since: date | None = None) -> list[JudgedRun]:
        """Return the counted runs, latest first, with the decisions on them."""
        found = select(QUALITY_RUN).order_by(QUALITY_RUN.c.run_id.desc())
        if since is not None:
            found = found.where(QUALITY_RUN.c.night >= since.isoformat())
        # A held note that is not in the stage is a held withdrawal.
        waiting = (
            select(QUALITY_HELD.c.run_id, func.count(STAGE.c.note_id), func.count())
            .join(STAGE, STAGE.c.note_id == QUALITY_HELD.c.note_id, isouter=True)
            .where(QUALITY_HELD.c.accepted == 0)
            .group_by(QUALITY_HELD.c.run_id)
        )
        with transaction(self._engine, _WHAT) as connection:
            rows = connection.execute(found if limit is None else found.limit(limit)).all()
            held = {
                run_id: (staged, every - staged)
                for run_id, staged, every in connection.execute(waiting)
            }
            decisions = {each.run_id: each for each in _read_decisions(connection)}
        return [
            JudgedRun(
                row.run_id, date.fromisoformat(row.night), row.config, row.version, row.notes,
                row.verdict, tuple(map(Alarm.from_json, json.loads(row.alarms))),
                held.get(row.run_id, (0, 0))[0], decisions.get(row.run_id),
                held.get(row.run_id, (0, 0))[1],
            )
            for row in rows
        ]  # fmt: skip

    @retrying
    def decisions(self) -> list[GateDecision]:
        """Return all decisions, in order of time."""
        with transaction(self._engine, _WHAT) as connection:
            return list(_read_decisions(connection))

    @retrying
    def cells(self, run_ids: Sequence[int]) -> CellCounts:
        """Return the sum of the counts of runs."""
        names = [QUALITY_COUNT.c[name] for name in CountCell._fields]
        found = select(*names, func.sum(QUALITY_COUNT.c["count"])).group_by(*names)
        cells: CellCounts = Counter()
        with transaction(self._engine, _WHAT) as connection:
            for some in chunks(run_ids):
                for row in connection.execute(found.where(QUALITY_COUNT.c.run_id.in_(some))):
                    # The same few words are repeated: keep one copy of each.
                    cells[CountCell(*map(intern, row[:-1]))] += int(row[-1])
        return cells

    @retrying
    def decide(self, decision: GateDecision) -> GateDecision:
        """Store a decision, unless there is one already; acceptance releases the held notes.

        Returns the decision in force: the first one on this run.
        """
        with transaction(self._engine, _WHAT, write=True) as connection:
            earlier = [d for d in _read_decisions(connection) if d.run_id == decision.run_id]
            if not earlier:
                highest = func.max(QUALITY_DECISION.c.number)
                number = (connection.scalar(select(highest)) or 0) + 1
                at = datetime.now(UTC).isoformat(timespec="seconds")
                row = asdict(decision) | {"number": number, "decided_at": at}
                row |= {"notes": _count_held(connection, decision.run_id)}
                row |= {name: int(row[name]) for name in ("new_normal", "again")}
                connection.execute(insert(QUALITY_DECISION), [row])
            final = earlier[0] if earlier else decision
            if final.decision == "accepted":
                mine = QUALITY_HELD.c.run_id == decision.run_id
                connection.execute(update(QUALITY_HELD).where(mine).values(accepted=1))
        return final

    @retrying
    def reject(self, run_id: int, *, again: bool) -> int:
        """Move the held notes of a run to quarantine; return their number.

        With `again`, the next run processes them again, otherwise only when they change.
        """
        mine = QUALITY_HELD.c.run_id == run_id
        found = select(STAGE.c.note_id, STAGE.c.person_id, STAGE.c.kind, STAGE.c.day)
        found = found.join(QUALITY_HELD, QUALITY_HELD.c.note_id == STAGE.c.note_id).where(mine)
        cause = {"stage": "quality", "error": "Unsafe", "reason": "run-rejected"}
        done = {"outcome": QUARANTINED} | ({"content": b""} if again else {})
        with transaction(self._engine, _WHAT, write=True) as connection:
            rows = [dict(row._mapping) | cause for row in connection.execute(found)]
            upsert(connection, QUARANTINE, rows)
            ids = [row["note_id"] for row in rows]
            with update_codes(connection, self._keys, ids):
                for some in chunks(ids):
                    mine = LEDGER.c.note_id.in_(some)
                    connection.execute(update(LEDGER).where(mine).values(done))
                    for table in (STAGE, SPAN_STORE):
                        connection.execute(delete(table).where(table.c.note_id.in_(some)))
            release_holds(connection, ids, erase=True)
        return len(ids)


def _count_held(connection: Connection, run_id: int) -> int:
    waiting = QUALITY_HELD.c.run_id == run_id, QUALITY_HELD.c.accepted == 0
    count = select(func.count()).select_from(QUALITY_HELD).where(*waiting)
    return connection.scalar(count) or 0


def _read_decisions(connection: Connection) -> Iterator[GateDecision]:
    rows = connection.execute(select(QUALITY_DECISION).order_by(QUALITY_DECISION.c.number))
    for row in rows:
        values = {name: value for name, value in row._mapping.items() if name != "number"}
        values |= {name: bool(values[name]) for name in ("new_normal", "again")}
        yield GateDecision(**values)

"""The ledger in the state database: version and outcome of every note, runs and their units."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sqlalchemy import (
    Connection,
    Engine,
    Select,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from pipeline.config.settings import StateSettings
from pipeline.state.detection_register import DetectionRegister, WorkerRegister
from pipeline.state.quality_store import (
    IS_FREE,
    NOTE_TABLES,
    QualityStore,
    release_holds,
    was_accepted_in,
    write_unit_fingerprints,
)
from pipeline.state.reconciliation import (
    PresenceLookup,
    Reconciliation,
    discard_results,
    find_deleted_notes,
    find_ledger_ids,
    reconcile_run,
)
from pipeline.state.row_codes import (
    AlteredRows,
    AlteredState,
    find_altered_rows,
    rebuild_codes,
    update_codes,
)
from pipeline.state.schema_version import connect_state
from pipeline.state.sealing_at_rest import is_sealed, require_sealed, seal_at_rest
from pipeline.state.span_sealing import NoteVersion, StateKeys
from pipeline.state.tables import (
    ABANDONED,
    AUDIT_NOTE,
    DONE,
    LEDGER,
    OPEN,
    OUTCOMES,
    QUARANTINE,
    QUARANTINED,
    RELEASED,
    RUN,
    RUN_UNIT,
    SPAN_STORE,
    STAGE,
    STAGED,
    WORKING,
    pack_ids,
    unpack_ids,
)
from pipeline.state.unit_leases import (
    RunEnded,
    UnitLeases,
    find_condemned,
    is_lease_kept,
    most_condemned,
)
from pipeline.state.unit_results import (
    FailedNote,
    LedgerEntry,
    RunningRun,
    RunRecord,
    SealedSpans,
    StagedNote,
    UnitResult,
)
from pipeline.state.withdrawals import IN_OUTPUT, WithdrawalStore, is_withdrawal_held
from pipeline.warehouse.databases import chunks, retrying, transaction, upsert
from pipeline.warehouse.note_rows import Unit
from record.algorithms import ALGORITHM, ALGORITHMS
from record.errors import Unsafe


def write_unit_result(connection: Connection, run_id: int, result: UnitResult) -> None:
    """Write the result of a unit, in the transaction that marks the unit as done."""
    _write_staged_notes(connection, result.releases)
    _write_ledger_rows(connection, result.failures, QUARANTINED)
    rows = [{c.name: getattr(note, c.name) for c in QUARANTINE.columns} for note in result.failures]
    upsert(connection, QUARANTINE, rows)
    _write_digests(connection, result.digests)
    for some in chunks([note.note_id for note in result.failures]):
        for table in (STAGE, SPAN_STORE):
            connection.execute(delete(table).where(table.c.note_id.in_(some)))
    write_unit_fingerprints(connection, run_id, result)


def _write_staged_notes(connection: Connection, notes: Sequence[StagedNote]) -> None:
    _write_ledger_rows(connection, notes, STAGED)
    spans = [{c.name: getattr(note, c.name) for c in SPAN_STORE.columns} for note in notes]
    upsert(connection, SPAN_STORE, spans)
    stage = [{c.name: getattr(note, c.name) for c in STAGE.columns} for note in notes]
    upsert(connection, STAGE, stage)
    for some in chunks([note.note_id for note in notes]):
        connection.execute(delete(QUARANTINE).where(QUARANTINE.c.note_id.in_(some)))


def _write_ledger_rows(
    connection: Connection, notes: Sequence[StagedNote | FailedNote], outcome: int
) -> None:
    rows = [
        {
            "note_id": note.note_id,
            "content": note.content,
            "identity": note.identity,
            "config": note.config,
            "outcome": outcome,
            "was_released": 0,
            "digest": note.digest,
        }
        for note in notes
    ]
    # `was_released` describes the output, which may hold an earlier version.
    upsert(connection, LEDGER, rows, keep=["was_released"])


def _write_digests(connection: Connection, digests: Mapping[int, bytes]) -> None:
    """Write digests of unchanged notes: no code covers them, since they are keyed themselves."""
    if digests:
        here = update(LEDGER).where(LEDGER.c.note_id == bindparam("id"))
        rows = [{"id": note_id, "found": digest} for note_id, digest in digests.items()]
        connection.execute(here.values(digest=bindparam("found")), rows)


__all__ = [
    "FailedNote",
    "LedgerEntry",
    "RunRecord",
    "SealedSpans",
    "StagedNote",
    "State",
    "UnitResult",
    "open_state",
]

Phase = Literal["planning", "working", "publishing"]
Scope = Literal["all", "new", "backfill"]
"""A run of scope `new` processes only some new notes, one of scope `backfill` only notes that
earlier detectors read; both do not detect deleted ones."""


class BackfillLimit(NamedTuple):
    """What workers process of a backfill: units below `before`, begun before `ends`."""

    before: int
    ends: datetime


_WHAT = "state"
_FIRST_UNIT = -(2**31)
_ENDED = ("finished", ABANDONED)
_ORIGIN = func.coalesce(RUN_UNIT.c.origin, RUN_UNIT.c.unit)
_SINCE = "since"
_MARGIN = timedelta(days=2)
_PAGE = 10_000
_UNITS = 200
_TALLIES = 10
"""Number of tallies read at a time; that of a unit of 500 notes may take 200 kB."""


class State:
    """The state database; every writing method is one transaction and idempotent.

    With `keys`, the codes of rows are kept up to date; whoever writes notes needs them.
    """

    def __init__(self, engine: Engine, keys: StateKeys | None = None) -> None:
        self._engine = engine
        self._keys = keys
        self.leases = UnitLeases(engine)
        self.workers = WorkerRegister(engine)
        self.quality = QualityStore(engine, keys)
        self.withdrawals = WithdrawalStore(engine, keys)
        self.detections = DetectionRegister(engine, keys)

    def seal_at_rest(self, watch: Callable[[], None] = lambda: None) -> int:
        """Seal the rows of earlier versions; return the number of batches: see `seal_at_rest`."""
        return seal_at_rest(self._engine, self._require_keys(), watch)

    def is_sealed(self) -> bool:
        """Return whether every row has the form of this version."""
        return is_sealed(self._engine)

    def require_sealed(self) -> None:
        """Raise ConfigError if rows have the form of an earlier version."""
        require_sealed(self._engine)

    def check_rows(self) -> None:
        """Compare the rows of all notes with their codes; requires the run lock.

        Raises AlteredState if they do not match. The notes concerned are then processed again by
        the next run, and none of them is published before.
        """
        keys = self._require_keys()
        altered = find_altered_rows(self._engine, keys)
        if not altered.is_empty:
            number = self._discard_altered(altered, keys)
            raise AlteredState(
                f"rows of the state database were changed outside the program, among {number} "
                "notes: nothing was released, and the next run processes them again. Remedy: find "
                "out who wrote to the database or restored a part of it, then run again"
            )

    @retrying
    def _discard_altered(self, altered: AlteredRows, keys: StateKeys) -> int:
        with transaction(self._engine, _WHAT, write=True) as connection:
            known = connection.scalars(select(LEDGER.c.note_id))
            note_ids = [note_id for note_id in known if altered.contains(note_id)]
            discard_results(connection, note_ids)
            rebuild_codes(connection, keys)
        return len(note_ids)

    @retrying
    def discard(self, note_ids: Sequence[int]) -> None:
        """Delete what is stored for notes, so that the next run processes them again."""
        with (
            transaction(self._engine, _WHAT, write=True) as connection,
            update_codes(connection, self._keys, note_ids),
        ):
            discard_results(connection, note_ids)

    @retrying
    def retry_condemned(self, run_id: int) -> None:
        """Process the condemned notes of a run again, if there are so many that it had to end.

        Then the cause is not in the notes, and may be gone at the next attempt.
        """
        with transaction(self._engine, _WHAT, write=True) as connection:
            units = find_condemned(connection, run_id)
            if len(units) < most_condemned(connection, run_id):
                return
            these = RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.unit.in_(units)
            planned = connection.scalars(select(RUN_UNIT.c.planned).where(*these))
            note_ids = [note_id for packed in planned for note_id in unpack_ids(packed)]
            connection.execute(
                update(RUN_UNIT).where(RUN_UNIT.c.run_id == run_id).values(failures=0)
            )
            with update_codes(connection, self._keys, note_ids):
                discard_results(connection, note_ids)

    def _require_keys(self) -> StateKeys:
        if self._keys is None:
            raise ValueError("the state database was opened without keys")
        return self._keys

    @retrying
    def read_algorithm(self) -> int | None:
        """Return the version of the surrogate algorithm of the last run; None without any run.

        Runs of programs that knew one version only are of the first.
        """
        latest = select(RUN.c.about).order_by(RUN.c.run_id.desc()).limit(1)
        with transaction(self._engine, _WHAT) as connection:
            row = connection.execute(latest).first()
        if row is None:
            return None
        return int(json.loads(row.about or "{}").get("algorithm", ALGORITHMS[0]))

    @retrying
    def begin(
        self,
        config: bytes,
        *,
        fresh: bool = False,
        scope: Scope = "all",
        algorithm: int = ALGORITHM,
        since: datetime | None = None,
    ) -> RunRecord:
        """Resume the interrupted run, of whatever scope, or begin a new one.

        An interrupted run with another configuration is abandoned, and so are any with `fresh` and
        a backfill; its staged notes remain staged with their own hashes. `algorithm` is the version
        of the surrogates that the run makes, `since` the date from which it compares notes.
        """
        unfinished = select(RUN).where(RUN.c.phase.not_in(_ENDED)).order_by(RUN.c.run_id.desc())
        with transaction(self._engine, _WHAT, write=True) as connection:
            row = connection.execute(unfinished).first()
            is_whole = row is not None and row.scope != "backfill" and scope != "backfill"
            if row and row.config == config and is_whole and not fresh:
                again = update(RUN).where(RUN.c.run_id == row.run_id)
                connection.execute(again.values(attempts=(row.attempts or 1) + 1))
                return RunRecord(row.run_id, True, row.phase, datetime.fromisoformat(row.started))
            ended = update(RUN).where(RUN.c.phase.not_in(_ENDED)).values(phase=ABANDONED)
            connection.execute(ended)
            run_id = (connection.scalar(select(func.max(RUN.c.run_id))) or 0) + 1
            started = datetime.now(UTC)
            new = {"run_id": run_id, "config": config, "phase": "planning", "scope": scope}
            about = {"algorithm": algorithm} | ({_SINCE: since.isoformat()} if since else {})
            new |= {"attempts": 1, "about": json.dumps(about)}
            connection.execute(insert(RUN), [new | {"started": started.isoformat()}])
        return RunRecord(run_id, False, "planning", started)

    @retrying
    def read_config(self, run_id: int) -> bytes | None:
        """Return the hash of the configuration of a run; None if there is no such run."""
        with transaction(self._engine, _WHAT) as connection:
            return connection.scalar(select(RUN.c.config).where(RUN.c.run_id == run_id))

    @retrying
    def find_running(self) -> RunningRun:
        """Return the run in progress."""
        latest = select(RUN.c.run_id, RUN.c.about).where(RUN.c.phase.not_in(_ENDED))
        with transaction(self._engine, _WHAT) as connection:
            row = connection.execute(latest.order_by(RUN.c.run_id.desc()).limit(1)).first()
        if row is None:
            return RunningRun()
        since = json.loads(row.about or "{}").get(_SINCE)
        return RunningRun(row.run_id, datetime.fromisoformat(since) if since else None)

    @retrying
    def find_since(self, full_every: int) -> datetime | None:
        """Return the date from which a run of all notes compares; None where it compares all.

        One of `full_every` compares all. Others compare what was touched since the beginning of the
        last finished one, less a margin for clocks, time zones and transactions that took long.
        """
        ended = select(RUN.c.started, RUN.c.about).where(RUN.c.phase == "finished")
        ended = ended.where(func.coalesce(RUN.c.scope, "all") == "all")
        with transaction(self._engine, _WHAT) as connection:
            rows = connection.execute(ended.order_by(RUN.c.run_id.desc()).limit(full_every - 1))
            last = [(row.started, json.loads(row.about or "{}")) for row in rows]
        if not last or (len(last) == full_every - 1 and all(_SINCE in about for _, about in last)):
            return None
        started = datetime.fromisoformat(last[0][0]).astimezone(UTC)
        return started.replace(tzinfo=None) - _MARGIN

    def plan(self, run_id: int, units: Iterable[tuple[Unit, Sequence[int]]]) -> None:
        """Store the units of a run, replacing any earlier plan, and set its phase to `working`.

        One transaction, however long: a plan is stored completely or not at all. Raises RunEnded.
        """
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(delete(RUN_UNIT).where(RUN_UNIT.c.run_id == run_id))
            rows: list[dict[str, Any]] = []
            for unit, ids in units:
                rows.append(_make_unit_row(run_id, unit, ids))
                if len(rows) == _UNITS:
                    connection.execute(insert(RUN_UNIT), rows)
                    rows = []
            if rows:
                connection.execute(insert(RUN_UNIT), rows)
            _change_run(connection, run_id, phase=WORKING)

    @retrying
    def count_pending(self, run_id: int) -> int:
        """Count the units of a run that are not done; of a backfill, those that may be now."""
        found = select(func.count()).where(RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.done == OPEN)
        with transaction(self._engine, _WHAT) as connection:
            limit = _read_limit(connection, run_id)
            if limit is not None:
                found = found.where(RUN_UNIT.c.unit < limit.before)
            return connection.scalar(found) or 0

    @retrying
    def limit_backfill(self, run_id: int, ends: datetime, before: int) -> None:
        """Limit what workers process of a backfill: units below `before`, begun before `ends`."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            mine = RUN.c.run_id == run_id
            about = json.loads(connection.scalar(select(RUN.c.about).where(mine)) or "{}")
            about["limit"] = {"ends": ends.isoformat(), "before": before}
            connection.execute(update(RUN).where(mine).values(about=json.dumps(about)))

    @retrying
    def read_limit(self, run_id: int) -> BackfillLimit | None:
        """Return the limit of a backfill; None for other runs."""
        with transaction(self._engine, _WHAT) as connection:
            return _read_limit(connection, run_id)

    @retrying
    def drop_pending(self, run_id: int) -> None:
        """Take the units of a backfill that are not done out of its plan."""
        mine = RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.done == OPEN
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(delete(RUN_UNIT).where(*mine))

    @retrying
    def count_done(self, run_id: int, first: int, before: int) -> int:
        """Count the notes in the completed units of a range of units."""
        total = select(func.coalesce(func.sum(RUN_UNIT.c["count"]), 0))
        mine = RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.done == DONE
        units = first <= _ORIGIN, before > _ORIGIN
        with transaction(self._engine, _WHAT) as connection:
            return int(connection.scalar(total.where(*mine, *units)) or 0)

    @retrying
    def progress(self, run_id: int) -> tuple[int, int]:
        """Return the number of notes done, and the number planned.

        Notes count that are in completed units, and about as many of the others as their workers
        are through with.
        """
        count, worked = RUN_UNIT.c["count"], func.coalesce(RUN_UNIT.c.worked, 0)
        done = case((RUN_UNIT.c.done == DONE, count), (RUN_UNIT.c.lease_ends > 0, worked), else_=0)
        sums = [func.coalesce(func.sum(each), 0) for each in (done, count)]
        with transaction(self._engine, _WHAT) as connection:
            row = connection.execute(select(*sums).where(RUN_UNIT.c.run_id == run_id)).one()
            return int(row[0]), int(row[1])

    @retrying
    def read_entries(self, note_ids: Collection[int]) -> dict[int, LedgerEntry]:
        """Read the ledger entries of notes; notes without an entry are left out."""
        found: dict[int, LedgerEntry] = {}
        with transaction(self._engine, _WHAT) as connection:
            for some in chunks(sorted(note_ids)):
                for row in connection.execute(select(LEDGER).where(LEDGER.c.note_id.in_(some))):
                    outcome = OUTCOMES[row.outcome]
                    version = row.content, row.identity, row.config
                    found[row.note_id] = LedgerEntry(*version, outcome, row.digest)
        return found

    @retrying
    def has_digests(self, low: int, high: int) -> bool:
        """Return whether the ledger has a digest of a note in an inclusive range of ids."""
        here = LEDGER.c.note_id.between(low, high), LEDGER.c.digest.is_not(None)
        with transaction(self._engine, _WHAT) as connection:
            return bool(connection.scalar(select(exists().where(*here))))

    def find_known(self, note_ids: Collection[int]) -> set[int]:
        """Return which of these notes have a ledger entry, of whatever version."""
        return find_ledger_ids(self._engine, sorted(note_ids))

    @retrying
    def commit_unit(self, run_id: int, unit: Unit, result: UnitResult) -> bool:
        """Store the result of a unit in one transaction.

        Returns False, and stores nothing, if it was already done, or its lease was lost: another
        worker has it. So it is where the run is not in the phase `working`: it was abandoned, or
        is published. Raises Unsafe `unknown-unit` for a unit that is not part of the run, and
        `other-configuration` for notes that were made under another one than the run's.
        """
        here = (RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.unit == unit.index)
        notes: list[StagedNote | FailedNote] = [*result.releases, *result.failures]
        written = [note.note_id for note in notes]
        with transaction(self._engine, _WHAT, write=True) as connection:
            # Locked: nobody claims it while it is written.
            locked = select(RUN_UNIT).where(*here).with_for_update()
            planned = connection.execute(locked).first()
            if planned is None and not unit.attempt:
                raise Unsafe("unknown-unit")
            # A unit that was halved meanwhile is not there any more.
            if planned is None or planned.done or not is_lease_kept(planned, unit):
                return False
            # Locked: the run is neither abandoned nor published while this is written.
            running = select(RUN).where(RUN.c.run_id == run_id).with_for_update(read=True)
            run = connection.execute(running).first()
            if run is None or run.phase != WORKING:
                return False
            if any(note.config != run.config for note in notes):
                raise Unsafe("other-configuration")
            # Codes come last: from then on other workers wait for the end of the transaction.
            with update_codes(connection, self._keys, written):
                write_unit_result(connection, run_id, result)
                ids = {*result.read_ids, planned.first_id, planned.last_id} - {None}
                record = {
                    "done": DONE,
                    "lease_ends": None,
                    "first_id": min(ids, default=None),
                    "last_id": max(ids, default=None),
                    "read_ids": pack_ids(result.read_ids),
                    "accounted": pack_ids(result.accounted()),
                    "tally": result.tally,
                }
                connection.execute(update(RUN_UNIT).where(*here).values(record))
        self.leases.forget(run_id, unit)
        return True

    def reconcile(self, run_id: int, source: PresenceLookup) -> Reconciliation:
        """Account for every planned note by id, from the current contents of the database."""
        return reconcile_run(self._engine, run_id, source, self._keys)

    def find_deleted(self, run_id: int) -> Iterator[list[int]]:
        """Stream the notes of the ledger that this run no longer found in the source.

        Chunks may be forgotten while streaming. Requires a successful reconciliation. Yields
        nothing for a run that does not process all notes.
        """
        return find_deleted_notes(self._engine, run_id) if self.scope(run_id) == "all" else iter(())

    @retrying
    def scope(self, run_id: int) -> Scope:
        """Return which notes a run processes."""
        scopes: dict[str | None, Scope] = {"new": "new", "backfill": "backfill"}
        with transaction(self._engine, _WHAT) as connection:
            found = connection.scalar(select(RUN.c.scope).where(RUN.c.run_id == run_id))
        return scopes.get(found, "all")

    @retrying
    def read_staged(
        self, after: int | None = None, limit: int = 500, accepted: int | None = None
    ) -> list[StagedNote]:
        """Read staged notes that are not held, in order of id, starting after `after`.

        With `accepted`, only the notes held by that run until it was accepted.
        """
        versions = (LEDGER.c.content, LEDGER.c.identity, LEDGER.c.config, SPAN_STORE.c.sealed)
        found = (
            select(STAGE, *versions)
            .join(LEDGER, LEDGER.c.note_id == STAGE.c.note_id)
            .join(SPAN_STORE, SPAN_STORE.c.note_id == STAGE.c.note_id)
            .where(IS_FREE if accepted is None else was_accepted_in(accepted))
            .where(LEDGER.c.outcome == STAGED)
            .order_by(STAGE.c.note_id)
            .limit(limit)
        )
        if after is not None:
            found = found.where(STAGE.c.note_id > after)
        with transaction(self._engine, _WHAT) as connection:
            return [StagedNote(**row._mapping) for row in connection.execute(found)]

    @retrying
    def mark_published(self, notes: Sequence[StagedNote]) -> None:
        """Mark staged notes as released, after they were written to the output.

        One of which another version was staged since remains staged.
        """
        versions = {note.note_id: note.version for note in notes}
        with transaction(self._engine, _WHAT, write=True) as connection:
            for some in chunks(sorted(versions)):
                here = LEDGER.c.note_id.in_(some)
                # Whatever the ledger says of them since, they are in the output.
                connection.execute(update(LEDGER).where(here).values(was_released=1))
                version = LEDGER.c.note_id, LEDGER.c.content, LEDGER.c.identity, LEDGER.c.config
                staged = select(*version).where(here, LEDGER.c.outcome == STAGED)
                found = [NoteVersion(*row) for row in connection.execute(staged)]
                same = [each.note_id for each in found if each == versions[each.note_id]]
                released = update(LEDGER).where(LEDGER.c.note_id.in_(same))
                connection.execute(released.values(outcome=RELEASED))
                connection.execute(delete(STAGE).where(STAGE.c.note_id.in_(same)))
                release_holds(connection, same, erase=False)

    def find_withdrawable(self) -> Iterator[list[int]]:
        """Stream the notes in quarantine whose earlier version is still in the output.

        Without those whose withdrawal is held.
        """
        found = (
            select(LEDGER.c.note_id)
            .join(QUARANTINE, QUARANTINE.c.note_id == LEDGER.c.note_id)
            .where(LEDGER.c.outcome == QUARANTINED, LEDGER.c.was_released == 1)
            .where(~is_withdrawal_held())
        )
        return self._id_pages(found, 500)

    @retrying
    def mark_withdrawn(self, note_ids: Sequence[int]) -> None:
        """Mark notes as removed from the output."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            for some in chunks(note_ids):
                gone = update(LEDGER).where(LEDGER.c.note_id.in_(some))
                connection.execute(gone.values(was_released=0))

    @retrying
    def mark_all_withdrawn(self) -> None:
        """Mark every note as absent from the output, before the output is emptied."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(update(LEDGER).values(was_released=0))

    @retrying
    def forget(self, note_ids: Sequence[int]) -> None:
        """Delete all data of notes that were deleted at the source."""
        with (
            transaction(self._engine, _WHAT, write=True) as connection,
            update_codes(connection, self._keys, note_ids),
        ):
            for some in chunks(note_ids):
                for table in (STAGE, SPAN_STORE, QUARANTINE, AUDIT_NOTE, *NOTE_TABLES, LEDGER):
                    connection.execute(delete(table).where(table.c.note_id.in_(some)))

    @retrying
    def set_phase(self, run_id: int, phase: Phase) -> None:
        """Store the phase of a run; raises RunEnded if it was abandoned."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            _change_run(connection, run_id, phase=phase)

    @retrying
    def finish(self, run_id: int, summary: str, about: str | None = None) -> None:
        """Finish a run; delete the units of earlier runs, keep their summaries.

        `about` is the entry of the run history as JSON. Raises RunEnded if the run was abandoned.
        """
        now = datetime.now(UTC).isoformat()
        done = {"phase": "finished", "summary": summary, "ended": now, "about": about}
        since = self.find_running().since
        if since is not None:
            done["about"] = json.dumps(json.loads(about or "{}") | {_SINCE: since.isoformat()})
        with transaction(self._engine, _WHAT, write=True) as connection:
            _change_run(connection, run_id, **done)
            connection.execute(delete(RUN_UNIT).where(RUN_UNIT.c.run_id < run_id))

    @retrying
    def is_caught_up(self, config: bytes) -> bool:
        """Return whether the last finished run of scope `all` had this configuration."""
        ended = select(RUN.c.config).where(RUN.c.phase == "finished")
        ended = ended.where(func.coalesce(RUN.c.scope, "all") == "all")
        with transaction(self._engine, _WHAT) as connection:
            found = connection.scalar(ended.order_by(RUN.c.run_id.desc()).limit(1))
        return found == config

    @retrying
    def read_summaries(self, limit: int) -> list[str]:
        """Return the summaries of finished runs, latest first."""
        found = select(RUN.c.summary).where(RUN.c.phase == "finished", RUN.c.summary.is_not(None))
        with transaction(self._engine, _WHAT) as connection:
            latest = found.order_by(RUN.c.run_id.desc()).limit(limit)
            return list(connection.scalars(latest))

    def read_tallies(self, run_id: int) -> Iterator[str]:
        """Stream the tallies of a run's units, in order."""
        after = _FIRST_UNIT
        while page := self._tally_page(run_id, after):
            yield from (tally for _, tally in page)
            after = page[-1][0]

    @retrying
    def _tally_page(self, run_id: int, after: int) -> list[tuple[int, str]]:
        found = (
            select(RUN_UNIT.c.unit, RUN_UNIT.c.tally)
            .where(RUN_UNIT.c.run_id == run_id, RUN_UNIT.c.done == DONE, RUN_UNIT.c.unit > after)
            .order_by(RUN_UNIT.c.unit)
            .limit(_TALLIES)
        )
        with transaction(self._engine, _WHAT) as connection:
            return [(unit, tally) for unit, tally in connection.execute(found)]

    @retrying
    def read_quarantined(self, limit: int) -> list[FailedNote]:
        """Read the notes in quarantine, in order of id."""
        versions = LEDGER.c.content, LEDGER.c.identity, LEDGER.c.config
        found = select(QUARANTINE, *versions).join(LEDGER, LEDGER.c.note_id == QUARANTINE.c.note_id)
        with transaction(self._engine, _WHAT) as connection:
            rows = connection.execute(found.order_by(QUARANTINE.c.note_id).limit(limit))
            return [FailedNote(**row._mapping) for row in rows]

    @retrying
    def count_outcomes(self) -> dict[str, int]:
        """Count the notes of the ledger by outcome."""
        counts = select(LEDGER.c.outcome, func.count()).group_by(LEDGER.c.outcome)
        with transaction(self._engine, _WHAT) as connection:
            return {OUTCOMES[outcome]: count for outcome, count in connection.execute(counts)}

    @retrying
    def read_sealed(self, note_ids: Collection[int]) -> dict[int, SealedSpans]:
        """Read the sealed spans of notes; notes without spans are left out."""
        found: dict[int, SealedSpans] = {}
        with transaction(self._engine, _WHAT) as connection:
            for some in chunks(sorted(note_ids)):
                rows = select(SPAN_STORE, LEDGER.c.identity)
                rows = rows.join(LEDGER, LEDGER.c.note_id == SPAN_STORE.c.note_id)
                for row in connection.execute(rows.where(SPAN_STORE.c.note_id.in_(some))):
                    version = NoteVersion(row.note_id, row.content, row.identity, row.config)
                    found[row.note_id] = SealedSpans(version, row.sealed)
        return found

    def read_released_ids(self) -> Iterator[int]:
        """Stream the ids of notes with any version in the output, in order."""
        found = select(LEDGER.c.note_id).where(IN_OUTPUT)
        for page in self._id_pages(found, _PAGE):
            yield from page

    def _id_pages(self, found: Select[tuple[int]], size: int) -> Iterator[list[int]]:
        after: int | None = None
        while page := self._id_page(found, after, size):
            yield page
            after = page[-1]

    @retrying
    def _id_page(self, found: Select[tuple[int]], after: int | None, size: int) -> list[int]:
        if after is not None:
            found = found.where(LEDGER.c.note_id > after)
        with transaction(self._engine, _WHAT) as connection:
            return list(connection.scalars(found.order_by(LEDGER.c.note_id).limit(size)))

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()


def open_state(settings: StateSettings, base: Path, keys: StateKeys | None = None) -> State:
    """Open the state database and create missing tables; paths are relative to `base`.

    `keys` are needed to write notes. A SQLite file is readable by its owner only. Tables of an
    earlier version are upgraded under the run lock. Raises ConfigError if a run holds the lock, or
    a later version made the tables.
    """
    return State(connect_state(settings, base), keys)


def _read_limit(connection: Connection, run_id: int) -> BackfillLimit | None:
    about = connection.scalar(select(RUN.c.about).where(RUN.c.run_id == run_id))
    limit = json.loads(about or "{}").get("limit")
    if limit is None:
        return None
    return BackfillLimit(limit["before"], datetime.fromisoformat(limit["ends"]))


def _change_run(connection: Connection, run_id: int, **values: Any) -> None:
    """Change a run; raises RunEnded, and nothing is written, if it was abandoned."""
    mine = update(RUN).where(RUN.c.run_id == run_id, RUN.c.phase != ABANDONED)
    if connection.execute(mine.values(values)).rowcount != 1:
        raise RunEnded(run_id)


def _make_unit_row(run_id: int, unit: Unit, ids: Sequence[int]) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "unit": unit.index,
        "part": unit.part,
        "low": unit.low,
        "high": unit.high,
        "count": unit.count,
        "first_id": min(ids, default=None),
        "last_id": max(ids, default=None),
        "planned": pack_ids(ids),
        "done": 0,
    }

"""Withdrawals in the state database: notes that would leave the output, and holds on them.

A held withdrawal is a row of `quality_held` whose note is not in the stage; a row whose note is in
the stage holds its publication.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from sqlalchemy import (
    ColumnElement,
    Engine,
    Select,
    and_,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)

from pipeline.state.quality_tables import QUALITY_HELD
from pipeline.state.row_codes import update_codes
from pipeline.state.span_sealing import StateKeys
from pipeline.state.tables import LEDGER, QUARANTINE, QUARANTINED, RELEASED, RUN, STAGE, STAGED
from pipeline.warehouse.databases import chunks, retrying, transaction, upsert

REJECTED = "run-rejected"
"""Reason of quarantine of notes whose run was rejected: their withdrawal is decided."""

IN_OUTPUT = or_(LEDGER.c.was_released == 1, LEDGER.c.outcome == RELEASED)
"""Condition: a version of the note is in the output."""

_WHAT = "state"
_PAGE = 500
_IS_STAGED = exists().where(STAGE.c.note_id == QUALITY_HELD.c.note_id)


def is_withdrawal_held() -> ColumnElement[bool]:
    """Return the condition that the withdrawal of a note of the ledger is held."""
    held = QUALITY_HELD.c.note_id == LEDGER.c.note_id, QUALITY_HELD.c.accepted == 0
    return exists().where(*held).correlate(LEDGER)


class WithdrawalStore:
    """Notes to withdraw and holds on their withdrawal; writing methods are idempotent.

    With `keys`, the codes of rows are kept up to date.
    """

    def __init__(self, engine: Engine, keys: StateKeys | None = None) -> None:
        self._engine = engine
        self._keys = keys

    @retrying
    def count_released(self) -> int:
        """Count the notes of which a version is in the output."""
        with transaction(self._engine, _WHAT) as connection:
            found = select(func.count()).select_from(LEDGER).where(IN_OUTPUT)
            return connection.scalar(found) or 0

    @retrying
    def keep_released(self, note_ids: Sequence[int]) -> list[int]:
        """Return which of these notes are in the output."""
        found: list[int] = []
        with transaction(self._engine, _WHAT) as connection:
            for some in chunks(note_ids):
                mine = select(LEDGER.c.note_id).where(LEDGER.c.note_id.in_(some), IN_OUTPUT)
                found += connection.scalars(mine.order_by(LEDGER.c.note_id))
        return found

    def find_refused(self, run_id: int) -> Iterator[list[int]]:
        """Stream the notes in quarantine that are in the output.

        Without those whose run was rejected, and those whose withdrawal an earlier run holds.
        """
        earlier = and_(QUALITY_HELD.c.note_id == LEDGER.c.note_id, QUALITY_HELD.c.run_id != run_id)
        return self._pages(
            _select_refused(QUARANTINE.c.reason != REJECTED).where(~exists().where(earlier))
        )

    def find_rejected(self) -> Iterator[list[int]]:
        """Stream the notes of rejected runs of which an earlier version is in the output."""
        return self._pages(_select_refused(QUARANTINE.c.reason == REJECTED))

    @retrying
    def find_held(
        self, note_ids: Sequence[int], *, but_by: int | None = None, accepted: int = 0
    ) -> set[int]:
        """Return which of these notes have a held withdrawal, other than by the run `but_by`."""
        held = and_(QUALITY_HELD.c.accepted == accepted, ~_IS_STAGED)
        if but_by is not None:
            held = and_(held, QUALITY_HELD.c.run_id != but_by)
        found: set[int] = set()
        with transaction(self._engine, _WHAT) as connection:
            for some in chunks(note_ids):
                mine = select(QUALITY_HELD.c.note_id).where(QUALITY_HELD.c.note_id.in_(some), held)
                found.update(connection.scalars(mine))
        return found

    def find_waiting(self) -> Iterator[list[int]]:
        """Stream the notes deleted at the source whose withdrawal awaits a decision."""
        return self._pages(_select_held(accepted=0).where(LEDGER.c.outcome != QUARANTINED))

    def find_accepted(self, *, deleted: bool) -> Iterator[list[int]]:
        """Stream the notes whose withdrawal was accepted: deleted at the source, or refused."""
        is_refused = LEDGER.c.outcome == QUARANTINED
        return self._pages(_select_held(accepted=1).where(~is_refused if deleted else is_refused))

    @retrying
    def hold(self, run_id: int, note_ids: Sequence[int]) -> None:
        """Hold the withdrawal of notes until the run is accepted.

        A newer version that waits in the stage is dropped: the note is in the source no longer. If
        it returns, it is processed again.
        """
        with (
            transaction(self._engine, _WHAT, write=True) as connection,
            update_codes(connection, self._keys, note_ids),
        ):
            for some in chunks(note_ids):
                waiting = LEDGER.c.note_id.in_(some), LEDGER.c.outcome == STAGED
                dropped = {"outcome": RELEASED, "content": b""}
                connection.execute(update(LEDGER).where(*waiting).values(dropped))
                connection.execute(delete(STAGE).where(STAGE.c.note_id.in_(some)))
                rows = [{"note_id": each, "run_id": run_id, "accepted": 0} for each in some]
                upsert(connection, QUALITY_HELD, rows)

    @retrying
    def release_holds(self, note_ids: Sequence[int]) -> None:
        """Remove the holds on the withdrawal of notes."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            for some in chunks(note_ids):
                mine = QUALITY_HELD.c.note_id.in_(some), ~_IS_STAGED
                connection.execute(delete(QUALITY_HELD).where(*mine))

    @retrying
    def reject(self, run_id: int) -> None:
        """Remove the holds of a run on withdrawals: its notes stay, and later runs judge anew."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            mine = QUALITY_HELD.c.run_id == run_id, ~_IS_STAGED
            connection.execute(delete(QUALITY_HELD).where(*mine))

    @retrying
    def read_last_objections(self) -> int:
        """Return how many persons objected in the last finished run; 0 without a list."""
        ended = select(RUN.c.about).where(RUN.c.phase == "finished")
        with transaction(self._engine, _WHAT) as connection:
            about = connection.scalar(ended.order_by(RUN.c.run_id.desc()).limit(1))
        found = json.loads(about).get("objections") if about else None
        return int(found["persons"]) if found else 0

    @retrying
    def find_notes_of(self, person_ids: Collection[int]) -> set[int]:
        """Return the notes of persons that are in the stage or in quarantine."""
        found: set[int] = set()
        with transaction(self._engine, _WHAT) as connection:
            for some in chunks(sorted(person_ids)):
                for table in (STAGE, QUARANTINE):
                    mine = select(table.c.note_id).where(table.c.person_id.in_(some))
                    found.update(connection.scalars(mine))
        return found

    @retrying
    def count_waiting(self) -> Counter[int]:
        """Count the withdrawals that await a decision, by run."""
        found = (
            select(QUALITY_HELD.c.run_id, func.count())
            .where(QUALITY_HELD.c.accepted == 0, ~_IS_STAGED)
            .group_by(QUALITY_HELD.c.run_id)
        )
        with transaction(self._engine, _WHAT) as connection:
            return Counter({row[0]: row[1] for row in connection.execute(found)})

    def _pages(self, found: Select[tuple[int]]) -> Iterator[list[int]]:
        after: int | None = None
        while page := self._page(found, after):
            yield page
            after = page[-1]

    @retrying
    def _page(self, found: Select[tuple[int]], after: int | None) -> list[int]:
        if after is not None:
            found = found.where(LEDGER.c.note_id > after)
        with transaction(self._engine, _WHAT) as connection:
            return list(connection.scalars(found.order_by(LEDGER.c.note_id).limit(_PAGE)))


def _select_refused(reason: ColumnElement[bool]) -> Select[tuple[int]]:
    """Return the notes in quarantine of which an earlier version is in the output."""
    refused = select(LEDGER.c.note_id).join(QUARANTINE, QUARANTINE.c.note_id == LEDGER.c.note_id)
    return refused.where(LEDGER.c.outcome == QUARANTINED, LEDGER.c.was_released == 1, reason)


def _select_held(accepted: int) -> Select[tuple[int]]:
    """Return the notes of the ledger whose withdrawal is or was held."""
    held = select(LEDGER.c.note_id).join(QUALITY_HELD, QUALITY_HELD.c.note_id == LEDGER.c.note_id)
    return held.where(QUALITY_HELD.c.accepted == accepted, ~_IS_STAGED)

"""What a run demands of its workers, and which of them it refused; kept in the run's row."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, select, update

from pipeline.state.tables import RUN
from pipeline.state.unit_leases import database_clock
from pipeline.warehouse.databases import retrying, transaction

_WHAT = "state"
_DEMANDED, _REFUSED = "workers", "refused"


class WorkerRefusal(NamedTuple):
    """Why a worker was refused: what differs, how, and the remedy; no secret."""

    key: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.key}: {self.problem}. Remedy: {self.remedy}"


class WorkerRegister:
    """Demands and refusals of runs in progress; they are gone when a run has finished."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @retrying
    def demand(self, run_id: int, proof: Mapping[str, str]) -> None:
        """Store what every worker of a run must prove, and forget earlier refusals."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            about = _read_locked(connection, run_id)
            about[_DEMANDED] = dict(proof)
            about.pop(_REFUSED, None)
            _write(connection, run_id, about)

    @retrying
    def read_demanded(self, run_id: int) -> dict[str, str]:
        """Return what a worker must prove; empty where the run demands nothing, or is unknown."""
        with transaction(self._engine, _WHAT) as connection:
            found = connection.scalar(select(RUN.c.about).where(RUN.c.run_id == run_id))
        return dict(json.loads(found or "{}").get(_DEMANDED, {}))

    @retrying
    def refuse(self, run_id: int, holder: str, refusal: WorkerRefusal) -> None:
        """Store why a worker was refused."""
        with transaction(self._engine, _WHAT, write=True) as connection:
            about = _read_locked(connection, run_id)
            about.setdefault(_REFUSED, {})[holder] = refusal
            _write(connection, run_id, about)

    @retrying
    def read_refused(self, run_id: int) -> dict[str, WorkerRefusal]:
        """Return the workers that were refused since the run was begun or resumed, with reasons."""
        with transaction(self._engine, _WHAT) as connection:
            found = connection.scalar(select(RUN.c.about).where(RUN.c.run_id == run_id))
        refused = json.loads(found or "{}").get(_REFUSED, {})
        return {holder: WorkerRefusal(*refusal) for holder, refusal in refused.items()}

    @retrying
    def read_clock(self) -> float:
        """Return the time by the clock of the database server, in seconds since 1970."""
        with transaction(self._engine, _WHAT) as connection:
            clock = select(database_clock(connection))
            return float(connection.scalar(clock) or 0) / 1000


def _read_locked(connection: Connection, run_id: int) -> dict[str, Any]:
    row = select(RUN.c.about).where(RUN.c.run_id == run_id).with_for_update()
    about: dict[str, Any] = json.loads(connection.scalar(row) or "{}")
    return about


def _write(connection: Connection, run_id: int, about: Mapping[str, Any]) -> None:
    mine = update(RUN).where(RUN.c.run_id == run_id)
    connection.execute(mine.values(about=json.dumps(about)))

"""Registers of configurations and of workers: what detected the spans, and who may work."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hmac import compare_digest
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, delete, exists, select, update

from pipeline.state.row_codes import AlteredState
from pipeline.state.span_sealing import CODE_BYTES, StateKeys
from pipeline.state.tables import ACCEPTED_CONFIG, LEDGER, QUARANTINED, RELEASED, RUN
from pipeline.state.unit_leases import database_clock
from pipeline.warehouse.databases import chunks, retrying, transaction, upsert

_WHAT = "state"
_DEMANDED, _REFUSED = "workers", "refused"
_DEFERRED = (RELEASED, QUARANTINED)


@dataclass(frozen=True, slots=True)
class Detectors:
    """What a configuration detects with, and under which key and policy its output is written.

    `version` is that of the detectors, `label` tells their model and settings as well.
    """

    version: str
    label: str
    key_id: str
    policy_id: str


@dataclass(frozen=True, slots=True)
class EarlierConfiguration:
    """A configuration that runs had; `last_used` is when the last of them began."""

    config: bytes
    detectors: Detectors
    last_used: datetime


class DetectionRegister:
    """The configurations that runs had, each row with a code; writing methods are idempotent."""

    def __init__(self, engine: Engine, keys: StateKeys | None = None) -> None:
        self._engine = engine
        self._keys = keys

    @retrying
    def register(
        self,
        config: bytes,
        accepted: Collection[bytes] = (),
        detectors: Detectors | None = None,
    ) -> None:
        """Store what a run detects with, and whose spans it takes for its own: `accepted`.

        Rows that were changed outside the program are deleted: what they tell is not relied on.
        """
        hashes = b"".join(sorted({config, *accepted}))
        about = None if detectors is None else _dump(detectors, datetime.now(UTC))
        row = {"config": config, "accepted": hashes, "about": about}
        row["code"] = self._code(config, hashes, about)
        with transaction(self._engine, _WHAT, write=True) as connection:
            altered = [each.config for each in self._rows(connection) if not self._is_sound(each)]
            _delete(connection, altered)
            upsert(connection, ACCEPTED_CONFIG, [row])

    @retrying
    def read_accepted(self, config: bytes) -> frozenset[bytes]:
        """Return the configurations whose spans are in use under `config`, such as its own.

        Only itself where nothing is stored. Raises AlteredState if the list is not authentic.
        """
        with transaction(self._engine, _WHAT) as connection:
            found = [row for row in self._rows(connection) if row.config == config]
        for row in found:
            self._require_sound(row)
            return frozenset(map(bytes, zip(*[iter(row.accepted)] * CODE_BYTES, strict=True)))
        return frozenset({config})

    @retrying
    def read_earlier(self, config: bytes) -> list[EarlierConfiguration]:
        """Return the other configurations that runs had; raises AlteredState as `read_accepted`.

        Rows of earlier program versions tell nothing: the history of runs tells it for them.
        """
        found = []
        with transaction(self._engine, _WHAT) as connection:
            for row in self._rows(connection):
                if row.config != config:
                    self._require_sound(row)
                    found.append(_load(row) if row.about else _find_in_history(connection, row))
        return [each for each in found if each is not None]

    @retrying
    def find_stale(self, note_ids: Sequence[int], configs: Collection[bytes]) -> set[int]:
        """Return which of these notes were last read under one of some configurations.

        Without those that wait for their publication.
        """
        found: set[int] = set()
        with transaction(self._engine, _WHAT) as connection:
            for some in chunks(note_ids):
                stale = select(LEDGER.c.note_id).where(
                    LEDGER.c.note_id.in_(some),
                    LEDGER.c.config.in_(configs),
                    LEDGER.c.outcome.in_(_DEFERRED),
                )
                found.update(connection.scalars(stale))
        return found

    @retrying
    def forget_unused(self, configs: Iterable[bytes]) -> list[bytes]:
        """Delete configurations under which no note was last read; return the others."""
        used = []
        with transaction(self._engine, _WHAT, write=True) as connection:
            for config in configs:
                if connection.scalar(select(exists().where(LEDGER.c.config == config))):
                    used.append(config)
                else:
                    _delete(connection, [config])
        return used

    @staticmethod
    def _rows(connection: Connection) -> Sequence[Any]:
        return connection.execute(select(ACCEPTED_CONFIG)).all()

    def _code(self, config: bytes, hashes: bytes, about: str | None) -> bytes:
        if self._keys is None:
            raise ValueError("the state database was opened without keys")
        if about is None:  # the form of earlier versions
            return self._keys.code_configs(config + hashes)
        size = len(hashes).to_bytes(4, "big")
        return self._keys.code_configs(size + config + hashes + about.encode())

    def _is_sound(self, row: Any) -> bool:
        return compare_digest(row.code, self._code(row.config, row.accepted, row.about))

    def _require_sound(self, row: Any) -> None:
        if not self._is_sound(row):
            raise AlteredState(
                "the list of accepted configurations was changed outside the program. Remedy: find "
                "out who wrote to the state database, then run `cryptonym run`, which renews it"
            )


def _delete(connection: Connection, configs: Collection[bytes]) -> None:
    connection.execute(delete(ACCEPTED_CONFIG).where(ACCEPTED_CONFIG.c.config.in_(configs)))


def _dump(detectors: Detectors, now: datetime) -> str:
    told = {name: getattr(detectors, name) for name in Detectors.__slots__}
    return json.dumps(told | {"last_used": now.isoformat(timespec="seconds")}, sort_keys=True)


def _load(row: Any) -> EarlierConfiguration:
    told = json.loads(row.about)
    last_used = datetime.fromisoformat(told.pop("last_used"))
    return EarlierConfiguration(row.config, Detectors(**told), last_used)


def _find_in_history(connection: Connection, row: Any) -> EarlierConfiguration | None:
    """Read what the last finished run with a configuration wrote of it into the history."""
    runs = select(RUN.c.started, RUN.c.about).where(RUN.c.config == row.config)
    runs = runs.where(RUN.c.phase == "finished").order_by(RUN.c.run_id.desc())
    last = connection.execute(runs.limit(1)).first()
    about = json.loads(last.about or "{}") if last else {}
    if last is None or not {"detector_version", "key_id", "policy_id"} <= about.keys():
        return None
    version = str(about["detector_version"])
    detectors = Detectors(version, version, about["key_id"], about["policy_id"])
    started = datetime.fromisoformat(last.started)
    return EarlierConfiguration(row.config, detectors, started.astimezone(UTC))


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

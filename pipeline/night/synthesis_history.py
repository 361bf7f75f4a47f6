"""The register of runs that make synthetic notes: account, time, verdict and counts of each."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, func, insert, select, update

from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE, EXIT_UNAVAILABLE, EXIT_USAGE
from pipeline.config.settings import StateSettings
from pipeline.state.release_register import find_account_name
from pipeline.state.schema_version import connect_state
from pipeline.state.tables import SYNTHESIS_RUN
from pipeline.warehouse.databases import retrying, transaction
from record.errors import ConfigError, CryptonymError, Unavailable

_WHAT = "state"
_OPEN_PHASES = ("working", "publishing")
_PHASES_OF_ERRORS: dict[type[CryptonymError], tuple[str, int]] = {
    ConfigError: ("refused", EXIT_USAGE),
    Unavailable: ("failed", EXIT_UNAVAILABLE),
}


@dataclass(frozen=True)
class PastSynthesis:
    """One entry of the register.

    `status` is `finished` (published, or published already), `held`, `refused` (a configuration
    error), `failed`, or `open`: it is running or was interrupted. `about` holds digests and counts,
    never text.
    """

    run_id: int
    cohort: str
    account: str
    status: str
    started: datetime
    ended: datetime | None
    exit_code: int | None
    about: dict[str, Any] = field(repr=False)

    @property
    def error(self) -> str:
        """The error that ended it; empty if there was none."""
        return str(self.about.get("error", ""))

    def to_json(self) -> dict[str, Any]:
        """Return the run as an object for JSON."""
        return asdict(self) | {
            "started": self.started.isoformat(),
            "ended": self.ended and self.ended.isoformat(),
        }


class SynthesisEntry:
    """The register entry of a run in progress."""

    def __init__(self, engine: Engine, run_id: int) -> None:
        self._engine = engine
        self._id = run_id
        self._about: dict[str, Any] = {}

    def add(self, about: Mapping[str, Any]) -> None:
        """Add details, which are stored with the next change of phase."""
        self._about |= about

    def mark_publishing(self) -> None:
        """Record that the notes are about to become visible."""
        self._write("publishing")

    def mark_finished(self) -> None:
        """Record that the notes are visible."""
        self._write("finished", exit_code=EXIT_DONE, ended=_now())

    def mark_held(self) -> None:
        """Record that the gate held the notes: nothing was published."""
        self._write("held", exit_code=EXIT_GATE, ended=_now())

    def mark_stopped(self, error: CryptonymError) -> None:
        """Record the error that ended the run; its message holds no text of notes."""
        known = [each for each in _PHASES_OF_ERRORS if isinstance(error, each)]
        phase, code = _PHASES_OF_ERRORS[known[0]] if known else ("failed", EXIT_GATE)
        self._about["error"] = str(error)
        self._write(phase, exit_code=code, ended=_now())

    @retrying
    def _write(self, phase: str, **values: Any) -> None:
        values |= {"phase": phase, "about": json.dumps(self._about, sort_keys=True)}
        mine = SYNTHESIS_RUN.c.run_id == self._id
        with transaction(self._engine, _WHAT, write=True) as connection:
            connection.execute(update(SYNTHESIS_RUN).where(mine).values(values))


@contextmanager
def register_synthesis(
    settings: StateSettings, base: Path, *, cohort: str
) -> Iterator[SynthesisEntry]:
    """Register a run and the error that ends it, if any.

    Raises ConfigError or Unavailable as opening the state database does.
    """
    engine = connect_state(settings, base)
    try:
        entry = SynthesisEntry(engine, _insert_entry(engine, cohort))
        try:
            yield entry
        except CryptonymError as error:
            # An error in writing the register must not hide the original one.
            with suppress(CryptonymError):
                entry.mark_stopped(error)
            raise
    finally:
        engine.dispose()


@retrying
def _insert_entry(engine: Engine, cohort: str) -> int:
    with transaction(engine, _WHAT, write=True) as connection:
        number = (connection.scalar(select(func.max(SYNTHESIS_RUN.c.run_id))) or 0) + 1
        row = {
            "run_id": number, "cohort": cohort, "account": find_account_name(),
            "phase": "working", "started": _now(), "about": "{}",
        }  # fmt: skip
        connection.execute(insert(SYNTHESIS_RUN), [row])
    return int(number)


def read_synthesis_runs(
    settings: StateSettings, base: Path, *, limit: int | None = None
) -> list[PastSynthesis]:
    """Read the runs, latest first; paths are relative to `base`."""
    engine = connect_state(settings, base)
    try:
        rows = _read_rows(engine, limit)
    finally:
        engine.dispose()
    return [
        PastSynthesis(
            run_id=row.run_id,
            cohort=row.cohort,
            account=row.account,
            status="open" if row.phase in _OPEN_PHASES else row.phase,
            started=datetime.fromisoformat(row.started),
            ended=datetime.fromisoformat(row.ended) if row.ended else None,
            exit_code=row.exit_code,
            about=json.loads(row.about),
        )
        for row in rows
    ]


@retrying
def _read_rows(engine: Engine, limit: int | None) -> list[Any]:
    found = select(SYNTHESIS_RUN).order_by(SYNTHESIS_RUN.c.run_id.desc())
    with transaction(engine, _WHAT) as connection:
        return list(connection.execute(found if limit is None else found.limit(limit)))


def _now() -> str:
    return datetime.now(UTC).isoformat()

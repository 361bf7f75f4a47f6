"""History of nightly runs, read from the state database: outcome, counts, gate verdict."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, select

from pipeline.config.settings import StateSettings
from pipeline.quality.gate import describe_alarm as alarm_told
from pipeline.reports.run_comparison import ComparedRun
from pipeline.reports.run_report import to_json
from pipeline.state.ledger import Scope
from pipeline.state.quality_store import GateDecision, JudgedRun, QualityStore
from pipeline.state.release_register import read_register
from pipeline.state.run_lock import find_holder
from pipeline.state.run_summary import RunSummary, Tally
from pipeline.state.schema_version import connect_state
from pipeline.state.tables import RUN
from pipeline.warehouse.databases import retrying, transaction

_WHAT = "state"
_PAGE = 200


@dataclass(frozen=True)
class PastRun:
    """One run: times, status, counts, key, policy and versions.

    `status` is `finished`, `abandoned`, `running` or `interrupted`; with `attempts` above 1 it was
    resumed. `notes` counts notes by outcome; `about` holds ids and versions. `gate` is the verdict
    of the quality gate, empty if there was none, `reasons` its alarms, `held` and `withdrawals` the
    numbers of notes and withdrawals that still await a decision, `decision` the one that was made.
    """

    run_id: int
    scope: str
    status: str
    attempts: int
    started: datetime
    ended: datetime | None
    exit_code: int | None
    notes: dict[str, int]
    about: dict[str, Any]
    counts: dict[str, Any] = field(repr=False, default_factory=dict)
    gate: str = ""
    reasons: tuple[str, ...] = ()
    held: int = 0
    decision: GateDecision | None = None
    withdrawals: int = 0

    @property
    def watt_hours(self) -> float | None:
        """The estimated energy consumption of the run; None if unknown."""
        energy = self.about.get("energy")
        return float(energy["watt_hours"]) if energy else None

    @property
    def tally(self) -> Tally:
        """The counters of the run; empty if it did not finish."""
        return Tally.from_json(self.counts) if self.counts else Tally()

    def to_json(self) -> dict[str, Any]:
        """Return the run without its counters as an object for JSON."""
        fields = {name: value for name, value in asdict(self).items() if name != "counts"}
        return fields | {
            "started": self.started.isoformat(),
            "ended": self.ended and self.ended.isoformat(),
        }


def serialize_run(summary: RunSummary, exit_code: int) -> str:
    """Return what the history stores of a finished run as JSON, without its counters."""
    omitted = ("counts", "review", "reevaluation")
    fields = {name: value for name, value in to_json(summary).items() if name not in omitted}
    return json.dumps(fields | {"exit_code": exit_code}, sort_keys=True)


def read_history(settings: StateSettings, base: Path, *, limit: int | None = None) -> list[PastRun]:
    """Read the runs, latest first; paths are relative to `base`.

    Raises ConfigError or Unavailable as opening the state database does.
    """
    engine = connect_state(settings, base)
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        latest = list(islice(_stream_rows(engine), limit))
        judged = {run.run_id: run for run in QualityStore(engine).runs(limit)}
        # The lock is held either by a release or by the latest run.
        releases = read_register(settings, base, limit=1)
        is_release = any(release.status == "running" for release in releases)
        is_running = not is_release and find_holder(settings.url, base) is not None
        past = [
            _make_past_run(row, is_running=is_running and n == 0) for n, row in enumerate(latest)
        ]
        return [_add_verdict(run, judged.get(run.run_id)) for run in past]


def read_finished_runs(
    settings: StateSettings, base: Path, scope: Scope, *, limit: int
) -> list[PastRun]:
    """Read the latest finished runs of a scope that processed notes, latest first.

    Raises ConfigError or Unavailable as opening the state database does.
    """
    engine = connect_state(settings, base)
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        rows = (
            row
            for row in _stream_rows(engine)
            if row.phase == "finished" and (row.scope or "all") == scope and row.summary
        )
        runs = (_make_past_run(row, is_running=False) for row in rows)
        return list(islice((run for run in runs if run.notes.get("read")), limit))


def to_compared(run: PastRun) -> ComparedRun:
    """Return what reports compare of a finished run."""
    seconds = (run.ended - run.started).total_seconds() if run.ended else 0.0
    return ComparedRun(str(run.run_id), f"{run.started:%Y-%m-%d %H:%M}", seconds, run.tally)


def _stream_rows(engine: Engine) -> Iterator[Any]:
    before: int | None = None
    while page := _read_page(engine, before):
        yield from page
        before = page[-1].run_id


@retrying
def _read_page(engine: Engine, before: int | None) -> list[Any]:
    found = select(RUN).order_by(RUN.c.run_id.desc()).limit(_PAGE)
    if before is not None:
        found = found.where(RUN.c.run_id < before)
    with transaction(engine, _WHAT) as connection:
        return list(connection.execute(found))


def _make_past_run(row: Any, *, is_running: bool) -> PastRun:
    about: dict[str, Any] = json.loads(row.about) if row.about else {}
    counts: dict[str, Any] = json.loads(row.summary) if row.summary else {}
    status = row.phase
    if status not in ("finished", "abandoned"):
        status = "running" if is_running else "interrupted"
    notes = about.pop("notes", None)
    if notes is None:  # written by an earlier version, which stored only counters
        notes = dict(Tally.from_json(counts).outcomes) if counts else {}
    return PastRun(
        run_id=row.run_id,
        scope=row.scope or "all",
        status=status,
        attempts=row.attempts or 1,
        started=_parse_time(row.started),
        ended=_parse_time(row.ended) if row.ended else None,
        exit_code=about.pop("exit_code", None),
        notes=notes,
        about={name: value for name, value in about.items() if name not in _OWN_FIELDS},
        counts=counts,
    )


def _add_verdict(run: PastRun, judged: JudgedRun | None) -> PastRun:
    if judged is None:
        return run
    return replace(
        run,
        gate=judged.conclusion,
        reasons=tuple(alarm_told(alarm) for alarm in judged.alarms),
        held=judged.held,
        decision=judged.decision,
        withdrawals=judged.withdrawals,
    )


_OWN_FIELDS = ("run_id", "started", "ended")


def _parse_time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)

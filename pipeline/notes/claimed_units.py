"""The units that a worker claims one after another, and what happens when one of them fails."""

import faulthandler
import json
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from typing import NamedTuple

from pipeline.notes.batch import EMPTY_HASH, Batch
from pipeline.notes.error_boundary import attempt
from pipeline.notes.stages import KILLER, Stage, run_stage
from pipeline.notes.worker_resources import WorkerResources
from pipeline.state.ledger import BackfillLimit
from pipeline.state.run_summary import Outcome, Tally
from pipeline.state.tables import unpack_ids
from pipeline.state.unit_leases import Claim, UnitLeases
from pipeline.state.unit_results import FailedNote, UnitResult
from pipeline.warehouse.databases import retrying
from pipeline.warehouse.note_rows import Unit
from record.errors import ConfigError, CryptonymError
from record.failure import Failure

_BEATS = 4
"""How often a lease is renewed before it would run out, at least."""
_MOST_SECONDS_BETWEEN_BEATS = 4.0
"""A renewal also tells how far a unit is."""
_PAUSES = (0.05, 1.0)
"""Seconds before asking again for a unit: at first, and at most."""


class StageFailed(CryptonymError):
    """A stage failed on a whole batch; names the stage, the unit and the class of the error."""


def run_guarded_stage(name: str, stage: Stage, batch: Batch, resources: WorkerResources) -> Batch:
    """Run a stage on a batch; a failure of the batch itself is raised without any text.

    Databases that do not answer are retried for a while. What still fails is raised as
    Unavailable or as StageFailed, whose message holds a class name and no more: frameworks log
    tracebacks, and a chained one could carry a note.
    """
    where = f"unit {batch.unit.index}"
    result = retrying(attempt)(where, name, lambda: run_stage(name, stage, batch, resources))
    if isinstance(result, Failure):
        raise StageFailed(f"{name} failed on {where}: {result.error} {result.reason}".strip())
    return result


@contextmanager
def count_failure(run_id: int, unit: Unit, resources: WorkerResources) -> Iterator[None]:
    """Give a claimed unit back as failed where a stage fails on it within the context.

    The next claims of it show whether it fails again. StageFailed is raised only where the unit is
    not one that this process has claimed.
    """
    try:
        yield
    except StageFailed as error:
        if not resources.state.leases.fail(run_id, unit, str(error)):
            raise


def claim_units(
    resources: WorkerResources, run_id: int, holder: str
) -> Generator[Unit, None, None]:
    """Yield the units of a run that this worker claims, until none is left to anybody.

    `holder` names the worker. A unit is held, and its lease renewed, until the next one is asked
    for; one that comes back without a result or failure was lost on the way, and counts as
    unaccounted for. Of a backfill whose time is over, only the first unit is claimed. Close the
    iterator: a unit that it still holds then goes to another worker. Raises ConfigError where the
    resources were opened under another configuration than that of the run.
    """
    if resources.state.read_config(run_id) != resources.config:
        raise ConfigError(
            "configuration",
            f"this worker has another one than run {run_id}: other settings, rules, model or code",
            "give every worker what the run was started with, then run again",
        )
    seconds, limit = resources.settings.engine.lease_seconds, resources.state.read_limit(run_id)
    worker = Worker(holder, seconds, 60 * resources.settings.engine.unit_minutes)
    with closing(claim_leases(resources.state.leases, run_id, worker, limit=limit)) as claims:
        for claim in claims:
            if claim.is_hopeless:
                _quarantine_unread(claim.unit, resources, run_id)
            else:
                yield claim.unit


class Worker(NamedTuple):
    """The name under which a worker claims units, and for how many seconds at a time.

    With a unit that does not come further for `patience` seconds it is hung.
    """

    holder: str
    seconds: float
    patience: float = math.inf


def claim_leases(
    leases: UnitLeases, run_id: int, worker: Worker, *, limit: BackfillLimit | None = None
) -> Generator[Claim, None, None]:
    """Yield claims until no unit of a run is left to anybody; see `claim_units`.

    `limit` is that of a backfill.
    """
    before = None if limit is None else limit.before
    has_begun = False
    with _heartbeat(leases, worker):
        while limit is None or not has_begun or datetime.now(UTC) < limit.ends:
            claim = _wait_for_claim(
                lambda: leases.claim(run_id, worker.holder, worker.seconds, before=before),
                lambda: leases.is_finished(run_id, before=before),
            )
            if claim is None:
                return
            has_begun = True
            with _released_on_error(leases, run_id, claim.unit):
                yield claim
            leases.mark_unreturned(run_id, claim.unit)


def _wait_for_claim(
    claim: Callable[[], Claim | None], is_finished: Callable[[], bool]
) -> Claim | None:
    """Return the next claim; None when all units are done. Meanwhile others may lose theirs."""
    pause, longest = _PAUSES
    while (claimed := claim()) is None:
        if is_finished():
            return None
        time.sleep(pause)
        pause = min(2 * pause, longest)
    return claimed


def seconds_between_beats(lease: float) -> float:
    """Return how often a worker renews leases of so many seconds."""
    return min(lease / _BEATS, _MOST_SECONDS_BETWEEN_BEATS)


class _Ends:
    """Whether this process ends where it is hung: another one then starts a worker again."""

    when_hung = False


def end_when_hung() -> None:
    """Have this process end where a unit that it claimed does not come further."""
    _Ends.when_hung = True


@contextmanager
def _heartbeat(leases: UnitLeases, worker: Worker) -> Iterator[None]:
    """Renew the leases of this process within the context, until it is hung."""
    stop = threading.Event()
    seconds, patience = worker.seconds, worker.patience
    is_watched = _Ends.when_hung and math.isfinite(patience)

    def put_off_end() -> None:
        # An expression that never returns stops this thread, too, but not that of the fault
        # handler, which ends the process where it is not put off.
        if is_watched:
            faulthandler.dump_traceback_later(patience + seconds, exit=True, file=nowhere)

    def beat() -> None:
        while not stop.wait(seconds_between_beats(seconds)):
            put_off_end()
            if leases.is_hung(patience):
                if is_watched:
                    os.kill(os.getpid(), signal.SIGKILL)
                continue
            # A database that is away for a moment is asked again at the next beat.
            with suppress(CryptonymError):
                leases.renew(seconds)

    thread = threading.Thread(target=beat, daemon=True, name="lease-heartbeat")
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a descriptor of no file
        put_off_end()  # here, too: an expression may come before the first beat
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
            if is_watched:
                faulthandler.cancel_dump_traceback_later()


@contextmanager
def _released_on_error(leases: UnitLeases, run_id: int, unit: Unit) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(CryptonymError):
            leases.release(run_id, unit)
        raise


def _quarantine_unread(unit: Unit, resources: WorkerResources, run_id: int) -> None:
    """Quarantine a note that ended its worker even where it was only read.

    Its version is not known, so that the next run tries it again.
    """
    tally = Tally()
    failures = [
        FailedNote(
            note_id=note_id, person_id=None, content=EMPTY_HASH, identity=EMPTY_HASH,
            config=resources.config, stage="read", error="Unsafe", reason=KILLER, kind="", day=None,
        )
        for note_id in unpack_ids(unit.wanted)
    ]  # fmt: skip
    read_ids = [note.note_id for note in failures]
    tally.add(Outcome.READ, len(read_ids))
    for note_id in read_ids:
        tally.add_failure(Failure(str(note_id), "read", "Unsafe", KILLER))
    result = UnitResult(read_ids, [], [], failures, json.dumps(tally.to_json()))
    resources.state.commit_unit(run_id, unit, result)

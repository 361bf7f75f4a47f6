"""Spark as the engine: each task claims units of a run, and runs the nightly stages over them."""

import json
import math
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from pyspark import SparkContext, TaskContext

from pipeline.config.peak_memory import measure_peak_kilobytes
from pipeline.config.settings import Settings
from pipeline.night.engine import process_claimed_units
from pipeline.night.nightly import Job, JobRunner
from pipeline.notes.error_boundary import Unexpected, drop_error_texts
from pipeline.notes.worker_admission import WorkerRefused, admit_worker
from pipeline.notes.worker_resources import open_resources, refuse_written_passwords, resolve_urls
from pipeline.spark.connection import check_master, open_context
from pipeline.state.detection_register import WorkerRefusal
from pipeline.state.unit_leases import count_most_deaths
from pipeline.warehouse.databases import database_path
from record.errors import ConfigError, CryptonymError, Unavailable
from record.garbage_collection import collect_garbage_rarely

_POLL_SECONDS = 0.5


class TaskFailed(CryptonymError):
    """A task failed in every attempt; names the class of the error, no text."""


class EngineFailed(CryptonymError):
    """Spark ended the job with an error of its own; names its class alone, as it may quote."""


class TaskEnd(NamedTuple):
    """How a task ended: its worker, its peak memory in kilobytes, and its error, if any.

    Spark keeps what a task returns, and prints what it raises: errors come back as text of ours.
    `reason` has the parts of a WorkerRefusal where the worker's node is at fault, or does not reach
    a database.
    """

    worker: str
    peak_kilobytes: int
    error: str = ""
    message: str = ""
    reason: Sequence[str] = ()


def check_cluster(master: str | None, settings: Settings) -> None:
    """Raise ConfigError or Unavailable where a run on Spark cannot begin; starts nothing."""
    state = resolve_urls(settings).state
    if database_path(state.url, settings.base, what="state.url") is not None:
        problem = "must be PostgreSQL with the engine spark: a SQLite file serves one machine alone"
        remedy = 'write "postgresql://...", "env:NAME" or "file:PATH"'
        raise ConfigError("state.url", problem, remedy)
    refuse_written_passwords(settings)
    check_master(master)


def drive_on_spark(master: str | None) -> JobRunner:
    """Return what runs a job as tasks of Spark.

    `master` is a Spark master's URL; None for what spark-submit or Spark's configuration says. A
    job that cannot begin raises as `check_cluster`.
    """

    def drive(job: Job) -> dict[str, int]:
        check_cluster(master, job.settings)
        task = make_task(job.task or partial(claim_nightly_units, job.settings, job.run_id))
        title = job.title or f"cryptonym run {job.run_id}"
        deaths = count_most_deaths(job.settings.limits.notes_per_unit)
        with open_context(master, title, deaths) as context:
            ends = _run_tasks(context, task, range(job.workers), _watch_end(job))
        return _read_ends(_refuse_unable(job, ends))

    return drive


def _refuse_unable(job: Job, ends: Sequence[TaskEnd]) -> Sequence[TaskEnd]:
    """Refuse the workers whose node could not take part, if others did the work; return the rest.

    Such a worker may not reach the state database, where a worker's own refusal is stored.
    """
    # A worker ends without an error when no unit is left, or the time of a backfill is over.
    if all(end.error for end in ends) and not job.is_finished():
        return ends
    for end in ends:
        if end.error in _UNABLE:
            job.refuse(end.worker, WorkerRefusal(*end.reason))
    return [end for end in ends if end.error not in _UNABLE]


_LAST_SECONDS = 15
"""For how long a task may go on once every unit is done: its last counts come within a second."""


def _watch_end(job: Job) -> Callable[[], bool]:
    """Return what watches a job, and says when others did the work of a task that does not end.

    Such a task is on a host that was suspended or cut off (Spark gives it up after two minutes), or
    that is still unpacking its environment. Units were counted as they were done: nothing is lost.
    """
    patience = min(_LAST_SECONDS, job.settings.engine.lease_seconds)
    since = math.inf

    def watch() -> bool:
        nonlocal since
        job.watch()
        now = time.monotonic()
        since = min(since, now) if job.is_finished() else math.inf
        return now - since > patience

    return watch


_UNABLE = (ConfigError.__name__, Unavailable.__name__)


Batches = Callable[[Any, Sequence[int], Sequence[str]], None]
"""Writes some batches of a job, by their numbers, into its folder."""


def spread_batches(master: str | None, title: str, tasks: int, write: Batches) -> Batches:
    """Return what writes batches as so many tasks of Spark, each of which calls `write`.

    Every task must see the folders of the job. Raises Unavailable where batches are missing in the
    end, as they are where a folder is not the same on all machines.
    """

    def spread(job: Any, units: Sequence[int], _arguments: Sequence[str]) -> None:
        check_master(master)
        count = min(tasks, len(units))
        shares = [list(units[number::count]) for number in range(count)]
        with open_context(master, title) as context:
            _read_ends(_run_tasks(context, make_batch_task(job, write), shares, lambda: False))
        if missing := len(set(units) & set(job.pending())):
            problem = f"{missing} batches are missing: workers did not write into this folder"
            raise Unavailable(str(job.out), problem, "give a folder that all machines share")

    return spread


def make_batch_task(job: Any, write: Batches) -> Callable[[Iterable[Sequence[int]]], Iterable[str]]:
    """Return what Spark is sent to write batches; a job has no secret."""

    def task(shares: Iterable[Sequence[int]]) -> Iterable[str]:
        for share in shares:
            # A task that is tried again has some of them.
            left = sorted(set(share) & set(job.pending()))
            if left:
                yield json.dumps(work(lambda _, left=left: write(job, left, []), left[0]))  # type: ignore[misc]

    return task


def make_task(claim: Callable[[str], None]) -> Callable[[Iterable[int]], Iterable[str]]:
    """Return what Spark is sent; `claim` holds settings, which have no secret, and no more."""

    def task(numbers: Iterable[int]) -> Iterable[str]:
        for number in numbers:
            yield json.dumps(work(claim, number))

    return task


def _run_tasks(
    context: SparkContext,
    task: Callable[[Iterable[Any]], Iterable[str]],
    shares: Sequence[Any],
    watch: Callable[[], bool],
) -> list[TaskEnd]:
    """Run a task for each share until all are done; calls `watch` meanwhile.

    Where that returns true, tasks that have not ended are given up, and no end is told.
    """
    parts = context.parallelize(shares, len(shares))
    # Of a context that is shared, as on Databricks, only this job is cancelled.
    group = secrets.token_hex(8)

    def collect() -> list[str]:
        context.setJobGroup(group, "cryptonym")
        ends: list[str] = parts.mapPartitions(task).collect()
        return ends

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(collect)
        ends: list[str] | None = None
        try:
            ends = _wait(future, watch)
        finally:
            if ends is None:
                # Also where Spark has ended by itself.
                with suppress(CryptonymError):
                    drop_error_texts(lambda: context.cancelJobGroup(group))
    return [TaskEnd(*json.loads(end)) for end in ends or ()]


def _wait(future: "Future[list[str]]", watch: Callable[[], bool]) -> list[str] | None:
    """Return what tasks report; None where they are not waited for any longer."""
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    while not done.wait(_POLL_SECONDS):
        if watch():
            return None
    try:
        return drop_error_texts(future.result)
    except Unexpected as error:
        # What Spark raises quotes the traceback of a task.
        raise EngineFailed(
            f"Spark failed with {error}; nothing was released. Remedy: look at the pages of its "
            "master, then run again: completed units are kept"
        ) from None


def _read_ends(ends: Sequence[TaskEnd]) -> dict[str, int]:
    for end in ends:
        # The others did its work, or the run says why it could not go on.
        if end.error == WorkerRefused.__name__:
            continue
        if end.error == Unavailable.__name__:
            raise Unavailable(end.worker, end.message, "run again: completed units are kept")
        if end.error == ConfigError.__name__:
            raise ConfigError(end.worker, end.message, "correct the configuration of the node")
        if end.error:
            raise TaskFailed(f"{end.worker}: {end.message}; nothing was released")
    return {end.worker: end.peak_kilobytes for end in ends}


def claim_nightly_units(settings: Settings, run_id: int, worker: str) -> None:
    """Claim and process units of a run, as the worker of that name, until none is left."""
    admit_worker(settings, run_id, worker)
    with open_resources(settings) as resources:
        process_claimed_units(run_id, resources, worker, lambda: None)


def work(claim: Callable[[str], None], number: int) -> TaskEnd:
    """Let a task claim units until none is left; errors are returned, without text."""
    worker = f"{socket.gethostname()}:{os.getpid()}:task-{number}"
    collect_garbage_rarely()
    _show_assigned_gpus()
    try:
        drop_error_texts(lambda: claim(worker))
    except WorkerRefused as error:
        return _describe_end(worker, error)
    except ConfigError as error:
        reason = error.key, error.problem, error.remedy
        return _describe_end(worker, error)._replace(error=ConfigError.__name__, reason=reason)
    except Unavailable as error:
        reason = error.what, error.problem, error.remedy
        return _describe_end(worker, error)._replace(error=Unavailable.__name__, reason=reason)
    except CryptonymError as error:
        return _describe_end(worker, error)
    return TaskEnd(worker, measure_peak_kilobytes())


def _show_assigned_gpus() -> None:
    """Show CUDA the GPUs that Spark has assigned to this task, and no others.

    PyTorch would take the first of the machine in every task. CUDA reads the variable when a model
    is loaded, which comes later.
    """
    task = TaskContext.get()
    gpus = task.resources().get("gpu") if task is not None else None
    if gpus is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(gpus.addresses)


def _describe_end(worker: str, error: CryptonymError) -> TaskEnd:
    return TaskEnd(worker, measure_peak_kilobytes(), type(error).__name__, str(error))

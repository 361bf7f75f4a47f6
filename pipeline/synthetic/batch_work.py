"""Batches of synthetic notes, worked through in this process or in several."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any

from models.hardware import share_processors
from pipeline.config.progress import Progress
from record.errors import Unavailable
from synthesis.generation_files import BatchedWork, units_of

Work = Callable[[Any, Sequence[int], Sequence[str]], None]
"""Writes some batches on the runner that Beam's arguments name."""

_POLL_SECONDS = 0.5


def drive(
    job: BatchedWork, work: Work, arguments: list[str], workers: int, progress: Progress
) -> frozenset[int]:
    """Write what is pending; tells of progress by what is there, and returns what was written."""
    fresh = job.pending()
    if not fresh:
        return frozenset()
    count = 1 if arguments else min(workers, len(fresh))
    with _pool(count) as pool:
        shares = [units_of(fresh, number, count) for number in range(count)]
        futures: list[Future[None]] = [pool.submit(work, job, each, arguments) for each in shares]
        going = set(futures)
        while going:
            _, going = wait(going, timeout=_POLL_SECONDS)
            missing = sum(len(job.places(unit)) for unit in job.pending())
            progress.advance(job.count - missing, job.count)
        try:
            for future in futures:
                future.result()
        except BrokenProcessPool:
            problem, remedy = "ended before its work was done", "run again: what is done stays"
            raise Unavailable("a worker", problem, remedy) from None
    return frozenset(fresh)


def _pool(count: int) -> Executor:
    if count == 1:
        return ThreadPoolExecutor(1)
    return ProcessPoolExecutor(
        count, mp_context=get_context("spawn"), initializer=_begin, initargs=(count,)
    )


def _begin(count: int) -> None:
    """Share the processors with the other workers, and end when the process that began is gone.

    A worker writes nothing halfway: a batch is there whole or not at all.
    """
    share_processors(count)
    Thread(target=_end_with, args=(parent_process(),), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)

"""Processes of this machine that work through batches; results come in the order of the batches."""

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Generic, Protocol, TypeVar

from pipeline.notes.error_boundary import drop_error_texts
from record.errors import CryptonymError
from record.garbage_collection import collect_garbage_rarely

MOST_DEATHS = 3
"""How often a batch, or the start of a worker, may end a process."""
_AHEAD = 8
"""Batches for each worker that may wait for an earlier one."""
_READY, _DONE, _FAILED = "ready", "done", "failed"

T = TypeVar("T")
R = TypeVar("R")
In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class BatchStep(Protocol[In_contra, Out_co]):
    """What is done with a batch; `about` is what it tells of itself before the first one."""

    about: Any

    def __call__(self, batch: In_contra, /) -> Out_co:
        """Return the result of a batch, which depends on the batch alone."""


class WorkersDied(CryptonymError):
    """Processes ended again and again without a result: a lack of memory, or a batch (exit 1)."""


def work_in_order(
    open_step: Callable[[int], BatchStep[T, R]],
    batches: Iterable[T],
    workers: int,
    *,
    ready: Callable[[Any], None],
    warn: Callable[[str], None],
) -> Generator[R, None, None]:
    """Yield the result of each batch in order, from so many processes; from this one for one.

    `open_step` is sent to the processes and called in each with their number. `ready` is called
    once before the first result with what the step tells of itself. Of a process that dies `warn`
    is told, and its batch is done again. Raises WorkersDied where that does not help, and what a
    step raises, of errors not ours the class alone. Close the iterator to end the processes.
    """
    if workers == 1:
        step = open_step(1)
        ready(step.about)
        yield from map(step, batches)
        return
    pool: _Pool[T, R] = _Pool(open_step, workers, ready, warn)
    try:
        yield from pool.work(batches)
    finally:
        pool.close()


@dataclass
class _Task(Generic[T]):
    """A batch that is not done: its number from 0, and how many processes it has ended."""

    number: int
    batch: T
    deaths: int = 0


@dataclass
class _Worker(Generic[T]):
    """A process, and the batch that it has."""

    process: SpawnProcess
    connection: Connection
    task: _Task[T] | None = None
    is_ready: bool = False


@dataclass
class _Pool(Generic[T, R]):
    """Gives batches to processes, and keeps results until it is their turn."""

    open_step: Callable[[int], BatchStep[T, R]]
    size: int
    ready: Callable[[Any], None]
    warn: Callable[[str], None]
    workers: list[_Worker[T]] = field(default_factory=list)
    results: dict[int, R] = field(default_factory=dict)
    again: deque[_Task[T]] = field(default_factory=deque)
    deaths: int = 0
    next_number: int = 0
    is_told: bool = False

    def work(self, batches: Iterable[T]) -> Iterator[R]:
        """Yield the results in the order of the batches."""
        source = (_Task(number, batch) for number, batch in enumerate(batches))
        self.workers = [self._start() for _ in range(self.size)]
        is_all_given = False
        while True:
            for worker in self.workers:
                if worker.is_ready and worker.task is None:
                    task = self.again.popleft() if self.again else self._take(source)
                    is_all_given = is_all_given or (task is None and not self._is_full())
                    if task is not None:
                        self._give(worker, task)
            while self.next_number in self.results:
                result = self.results.pop(self.next_number)
                self.next_number += 1
                yield result
            is_busy = any(worker.task for worker in self.workers) or self.again or self.results
            if is_all_given and not is_busy:
                return
            if not is_all_given and self._has_idle() and not self._is_full():
                # Results that waited for an earlier one are out of the way: nobody may be working
                # now, and then nothing would be heard.
                continue
            for worker in self._wait():
                self._listen(worker)

    def _has_idle(self) -> bool:
        return any(worker.is_ready and worker.task is None for worker in self.workers)

    def _take(self, source: Iterator[_Task[T]]) -> _Task[T] | None:
        return None if self._is_full() else next(source, None)

    def _is_full(self) -> bool:
        """Whether as many batches as may wait are waiting for an earlier one."""
        given = sum(worker.task is not None for worker in self.workers)
        return given + len(self.results) + len(self.again) >= _AHEAD * self.size

    def _wait(self) -> list[_Worker[T]]:
        heard = wait([worker.connection for worker in self.workers])
        return [worker for worker in self.workers if worker.connection in heard]

    def _listen(self, worker: _Worker[T]) -> None:
        try:
            kind, content = worker.connection.recv()
        except (EOFError, OSError):
            self._replace(worker)
            return
        if kind == _FAILED:
            raise content
        if kind == _READY:
            worker.is_ready = True
            if not self.is_told:
                self.is_told = True
                self.ready(content)
            return
        assert worker.task is not None
        self.results[worker.task.number], worker.task, self.deaths = content, None, 0

    def _give(self, worker: _Worker[T], task: _Task[T]) -> None:
        worker.task = task
        # One that has died is heard of when it is listened to.
        with suppress(OSError):
            worker.connection.send(task.batch)

    def _replace(self, dead: _Worker[T]) -> None:
        """Start a process in place of one that died, and give its batch to the next one."""
        dead.process.join()
        dead.connection.close()
        self.deaths += 1
        task, how = dead.task, _describe_end(dead.process.exitcode or 0)
        if task is not None:
            task.deaths += 1
        is_batch_fatal = task is not None and task.deaths >= MOST_DEATHS
        if is_batch_fatal or self.deaths >= MOST_DEATHS * self.size:
            where = "at its start" if task is None else f"in batch {task.number + 1}"
            raise WorkersDied(
                f"a worker {how} {where}, again and again; nothing was written. Remedy: look for a "
                "lack of memory, or give fewer workers"
            )
        if task is not None:
            self.again.append(task)
        consequence = "its batch is done again" if task else "another one is started"
        self.warn(f"a worker {how}; {consequence}")
        self.workers[self.workers.index(dead)] = self._start()

    def _start(self) -> _Worker[T]:
        context = get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(
            target=_serve, args=(there, self.open_step, self.size), daemon=True
        )
        process.start()
        there.close()
        return _Worker(process, here)

    def close(self) -> None:
        """End the processes."""
        for worker in self.workers:
            worker.connection.close()
            worker.process.kill()
        for worker in self.workers:
            worker.process.join()


def _describe_end(code: int) -> str:
    if code < 0:
        with suppress(ValueError):
            return f"was killed by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"


def _serve(
    connection: Connection, open_step: Callable[[int], BatchStep[Any, Any]], size: int
) -> None:
    """Work through batches until the other side is gone; errors are sent without any text."""
    # An interrupt is for the process that began, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What frameworks log of an error may quote a note.
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(quiet, stream)
    collect_garbage_rarely()
    with suppress(EOFError, OSError):
        try:
            step = drop_error_texts(lambda: open_step(size))
            connection.send((_READY, step.about))
            while True:
                batch = connection.recv()
                result = drop_error_texts(lambda batch=batch: step(batch))  # type: ignore[misc]
                connection.send((_DONE, result))
        except CryptonymError as error:
            connection.send((_FAILED, error))

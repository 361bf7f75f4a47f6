"""Supervisor of worker processes: starts them, restarts those that die, reports failures."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from pipeline.night.nightly import Job
from record.errors import ConfigError, CryptonymError, Unavailable

MAX_ATTEMPTS = 3
"""Times in succession that a worker may end without having a unit."""

_WATCH_SECONDS = 0.5
_POLL_SECONDS = 0.05
_CONFIG, _UNAVAILABLE = 2, 4


class WorkerFailed(CryptonymError):
    """A worker failed in every attempt; names the class and stage of the error, no text."""


@dataclass
class _WorkerProcess:
    """One worker of a run and its process; `attempts` since it last had a unit."""

    number: int
    process: "subprocess.Popen[str]"
    attempts: int = 1


@dataclass
class Supervisor:
    """Runs N workers, each a new interpreter with a bounded pipeline of its own.

    They claim units until none is left. One that dies is started again; the unit that it had goes
    to whoever claims it next, and is halved where it ends its worker again and again.

    Workers receive the path of the configuration and read keys and passwords themselves. They
    inherit the run's lock, so that no second run starts while one of them is alive, and exit
    when this process is gone.
    """

    job: Job
    peaks: dict[str, int] = field(default_factory=dict)

    def run(self) -> dict[str, int]:
        """Run until every unit is done; raises the last error of a worker that kept failing."""
        # In an empty night the start of interpreters would take most of the time.
        if self.job.is_finished():
            return self.peaks
        running = [
            _WorkerProcess(number, self._start(number)) for number in range(self.job.workers)
        ]
        patience = self.job.settings.engine.lease_seconds
        try:
            while running and patience > 0:
                _wait_for_exit(running)
                self.job.watch()
                running = [worker for worker in running if not self._is_done(worker)]
                # A runner whose workers died may never end, although others did its work.
                is_idle = len(running) < self.job.workers and self.job.is_finished()
                patience -= _WATCH_SECONDS if is_idle else 0
        finally:
            for worker in running:
                self._kill(worker)
            for worker in running:
                worker.process.wait()
        return self.peaks

    def _start(self, number: int) -> "subprocess.Popen[str]":
        job = self.job
        command = [
            sys.executable, "-P", "-m", "pipeline.beam.process", *_list_signal_words(), job.program,
            "--config", str(job.config.resolve()),
            "--run", str(job.run_id),
            "--worker", str(number),
            "--summary", str(job.scratch / f"worker-{number}.json"),
            *(job.arguments[number] if job.arguments else ()),
        ]  # fmt: skip
        with _blocked_interrupts():
            process = subprocess.Popen(  # noqa: S603 - our own module, arguments of our own
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # What frameworks log of an error may quote a note; a report comes on stdout.
                stderr=subprocess.DEVNULL,
                pass_fds=(job.lock_fd,),
                text=True,
                env=_make_environment(os.environ, job.workers),
                # A pipeline may start a runner and its workers, which must end with it.
                process_group=0 if job.arguments else None,
            )
        if job.stdin_line:
            assert process.stdin is not None
            # A worker that died at once is restarted.
            with suppress(BrokenPipeError):
                process.stdin.write(f"{job.stdin_line}\n")
                process.stdin.flush()
        return process

    def _kill(self, worker: _WorkerProcess) -> None:
        """Kill a worker, with all that it has started for a runner."""
        worker.process.kill()
        if self.job.arguments:
            with suppress(ProcessLookupError):
                os.killpg(worker.process.pid, signal.SIGKILL)

    def _is_done(self, worker: _WorkerProcess) -> bool:
        code = worker.process.poll()
        if code is None:
            return False
        self._kill(worker)
        if code == -signal.SIGINT:
            # A terminal interrupts all processes of a command; one that comes while a finalizer
            # runs, Python drops, and this process would start the worker again.
            raise KeyboardInterrupt
        report = _read_worker_report(worker.process)
        name = f"worker-{worker.number}"
        self.peaks[name] = max(self.peaks.get(name, 0), int(str(report.get("peak_kilobytes", 0))))
        if code == 0:
            return True
        # A database that was away for too long is not the fault of the unit.
        is_fault = code not in (_CONFIG, _UNAVAILABLE)
        if self.job.take_from(name, is_fault) and is_fault:
            worker.attempts = 0
        if code == _CONFIG or worker.attempts >= MAX_ATTEMPTS:
            raise _make_error(code, report, name)
        worker.attempts += 1
        worker.process = self._start(worker.number)
        return False


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Block interrupts within the context, and in the processes that it starts.

    One that comes while an interpreter starts would look like an error of the worker, which
    unblocks them itself.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _list_signal_words() -> list[str]:
    """Return what tells a worker to unblock interrupts; not where they are blocked here, too."""
    is_blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return [] if is_blocked else ["--interruptible"]


def _wait_for_exit(running: Iterable[_WorkerProcess]) -> None:
    """Wait until a worker ends, or it is time to look at the state database."""
    ends = time.monotonic() + _WATCH_SECONDS
    while time.monotonic() < ends and all(one.process.poll() is None for one in running):
        time.sleep(_POLL_SECONDS)


def _make_environment(environ: Mapping[str, str], workers: int) -> dict[str, str]:
    """Return the environment of a worker, with its share of the processors as number of threads.

    Libraries use all processors by default. A value set by the operator is kept.
    """
    threads = max(1, len(os.sched_getaffinity(0)) // workers)
    return {"OMP_NUM_THREADS": str(threads), **environ}


def run_in_workers(job: Job) -> dict[str, int]:
    """Run a job in worker processes; return each worker's peak memory in kilobytes."""
    return Supervisor(job).run()


def _read_worker_report(process: "subprocess.Popen[str]") -> dict[str, object]:
    """Read the line of JSON that a worker printed before it exited; empty if it was killed."""
    assert process.stdout is not None
    assert process.stdin is not None
    with process.stdout, process.stdin:
        lines = process.stdout.read().splitlines()
    try:
        report = json.loads(lines[-1]) if lines else {}
    except json.JSONDecodeError:
        report = {}
    return report if isinstance(report, dict) else {}


def _make_error(code: int, report: dict[str, object], name: str) -> CryptonymError:
    message = str(report.get("message") or f"exited with code {code} without a message")
    if code == _CONFIG:
        return ConfigError(name, message, "correct the configuration and run again")
    if code == _UNAVAILABLE:
        return Unavailable(name, message, "run again: completed units are kept")
    return WorkerFailed(
        f"{name}: {message}; nothing was released. Remedy: run again; if it persists, report a bug"
    )

"""Workers as child processes: started, watched, started again when they die, and counted."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from pipeline.night.nightly import Job
from record.errors import ConfigError, CryptonymError, Unavailable

TRIES = 3
"""How often the share of one worker is begun; units that are done are never done again."""

_POLL_SECONDS = 0.5
_CONFIG, _UNAVAILABLE = 2, 4


class WorkerFailed(CryptonymError):
    """A worker failed as often as it was started; names the error's class and stage, no text."""


@dataclass
class _Worker:
    """One share of a run and the process that works on it."""

    number: int
    process: "subprocess.Popen[str]"
    tries: int = 1


@dataclass
class Supervisor:
    """Runs N workers, each a fresh interpreter with a bounded pipeline of its own.

    Nothing is handed over but the configuration's path: workers read keys and passwords where
    they work. They inherit the run's lock, so that no second run starts while one of them lives,
    and end when this process is gone.
    """

    job: Job
    peaks: dict[str, int] = field(default_factory=dict)

    def run(self) -> dict[str, int]:
        """Work until every share is done; raises the last error of a worker that kept failing."""
        running = [_Worker(number, self._start(number)) for number in range(self.job.workers)]
        try:
            while running:
                time.sleep(_POLL_SECONDS)
                self.job.watch()
                running = [worker for worker in running if not self._is_done(worker)]
        finally:
            for worker in running:
                worker.process.kill()
            for worker in running:
                worker.process.wait()
        return self.peaks

    def _start(self, number: int) -> "subprocess.Popen[str]":
        job = self.job
        command = [
            sys.executable, "-P", "-m", job.program,
            "--config", str(job.config.resolve()),
            "--run", str(job.run_id),
            "--worker", str(number),
            "--workers", str(job.workers),
            "--summary", str(job.scratch / f"worker-{number}.json"),
        ]  # fmt: skip
        process = subprocess.Popen(  # noqa: S603 - our own module, arguments of our own
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # What frameworks log of an error may quote a note; our own words come by stdout.
            stderr=subprocess.DEVNULL,
            pass_fds=(job.lock_fd,),
            text=True,
            env=_shared(os.environ, job.workers),
        )
        if job.told:
            assert process.stdin is not None
            # Who died at once is started again.
            with suppress(BrokenPipeError):
                process.stdin.write(f"{job.told}\n")
                process.stdin.flush()
        return process

    def _is_done(self, worker: _Worker) -> bool:
        code = worker.process.poll()
        if code is None:
            return False
        ended = _last_words(worker.process)
        name = f"worker-{worker.number}"
        self.peaks[name] = max(self.peaks.get(name, 0), int(str(ended.get("peak_kilobytes", 0))))
        if code == 0:
            return True
        if code == _CONFIG or worker.tries >= TRIES:
            raise _error(code, ended, name)
        worker.tries += 1
        worker.process = self._start(worker.number)
        return False


def _shared(environ: Mapping[str, str], workers: int) -> dict[str, str]:
    """Return the environment of a worker with its share of the processors: libraries take all of
    them where none is set.

    What the operator set stays.
    """
    threads = max(1, len(os.sched_getaffinity(0)) // workers)
    return {"OMP_NUM_THREADS": str(threads), **environ}


def drive(job: Job) -> dict[str, int]:
    """Work through a job with spawned processes; returns each worker's peak memory in kilobytes."""
    return Supervisor(job).run()


def _last_words(process: "subprocess.Popen[str]") -> dict[str, object]:
    """Read what a worker printed before it ended: one line of JSON, or nothing if it was killed."""
    assert process.stdout is not None
    assert process.stdin is not None
    with process.stdout, process.stdin:
        lines = process.stdout.read().splitlines()
    try:
        ended = json.loads(lines[-1]) if lines else {}
    except json.JSONDecodeError:
        ended = {}
    return ended if isinstance(ended, dict) else {}


def _error(code: int, ended: dict[str, object], name: str) -> CryptonymError:
    message = str(ended.get("message") or f"ended with code {code} and said nothing")
    if code == _CONFIG:
        return ConfigError(name, message, "correct the configuration and run again")
    if code == _UNAVAILABLE:
        return Unavailable(name, message, "run again: what is done stays done")
    return WorkerFailed(f"{name}: {message}; nothing was released. Remedy: run again; report a bug")

"""Measures the costs on a night against PostgreSQL, and a night to compare the simulation with."""

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psutil
from sqlalchemy import create_engine, text

from benchmarks.night.nightly import make
from benchmarks.scale.costs import Costs
from models.tagger.shipped_model import NO_MODEL
from pipeline.config.peak_memory import measure_peak_kilobytes
from pipeline.night.demo import make_demo_config
from pipeline.night.engine import process_unit
from pipeline.night.nightly import Job, run_nightly
from pipeline.night.supervisor import run_in_workers
from pipeline.notes.batch_commit import commit_batch
from pipeline.notes.claimed_units import claim_units
from pipeline.notes.worker_resources import open_resources
from record.garbage_collection import collect_garbage_rarely

_SESSIONS = "select pid from pg_stat_activity where datname = current_database()"
_STAGED = "select sum(length(payload)) from stage"


@dataclass(frozen=True, slots=True)
class Clock:
    """What seconds are: those of the wall, or those of the processor, on a machine that is shared.

    By the processor, a transaction takes what this process and its database sessions work on it.
    """

    name: str
    read: Callable[[], float]


WALL = Clock("of the wall", time.perf_counter)
PROCESSOR = Clock("of the processor", time.process_time)


class _Timed:
    """Seconds of the parts of one night in this process, by one clock."""

    def __init__(self, clock: Clock) -> None:
        self.now = clock.read
        self.claims: list[float] = []
        self.notes: list[float] = []
        self.commits: list[float] = []
        self.opened = self.planned = self.published = 0.0

    def work(self, job: Job, read_server: Callable[[], float]) -> float:
        """Do the work of a job; returns what `read_server` gives while sessions are open."""
        began = self.now()
        with open_resources(job.settings) as resources:
            self.opened = self.now() - began
            with closing(claim_units(resources, job.run_id, "measured")) as units:
                asked = self.now()
                for unit in units:
                    claimed = self.now()
                    batch = process_unit(unit, resources)
                    done = self.now()
                    commit_batch(batch, resources, job.run_id)
                    ended = self.now()
                    self.claims.append(claimed - asked)
                    self.notes.append((done - claimed) / unit.count)
                    self.commits.append((ended - done) / unit.count)
                    asked = self.now()
            return read_server()


def prepare(folder: Path, notes: int, characters: int) -> int:
    """Write a hospital; returns the number of its notes."""
    return int(make(folder, notes, characters)["notes"])


def measure_costs(
    folder: Path, url: str, notes: int, notes_per_unit: int, clock: Clock = PROCESSOR
) -> Costs:
    """Run a night in this process, unit by unit, and return what its parts cost.

    `url` is that of an empty PostgreSQL database on this machine, for the state. A second night, in
    which nothing has changed, gives the cost of comparing.
    """
    name = clock.name.rsplit(maxsplit=1)[-1]
    config = _configure(folder, url, f"costs-{name}", notes_per_unit)
    collect_garbage_rarely()
    server = create_engine(url, isolation_level="AUTOCOMMIT")
    found: dict[str, float] = {}

    def read_server() -> float:
        with server.connect() as connection:
            own = connection.scalar(text("select pg_backend_pid()"))
            pids = [pid for pid in connection.scalars(text(_SESSIONS)) if pid != own]
            found["staged"] = float(connection.scalar(text(_STAGED)) or 0)
        found["connections"] = len(pids)
        times = [psutil.Process(pid).cpu_times() for pid in pids]
        return sum(each.user + each.system for each in times)

    def run() -> tuple[_Timed, float]:
        timed, served = _Timed(clock), [0.0]
        began = clock.read()

        def drive(job: Job) -> dict[str, int]:
            timed.planned = clock.read() - began
            served[0] = timed.work(job, read_server)
            timed.published = clock.read()
            return {}

        run_nightly(config, drive)
        timed.published = clock.read() - timed.published
        return timed, served[0]

    started = resource.getrusage(resource.RUSAGE_CHILDREN)
    before = time.perf_counter()
    command = [sys.executable, "-c", "import pipeline.beam.worker"]
    subprocess.run(command, check=True)
    imported = time.perf_counter() - before
    if clock is PROCESSOR:
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        imported = ended.ru_utime + ended.ru_stime - started.ru_utime - started.ru_stime
    first, served = run()
    staged, connections = found["staged"], found["connections"]
    again, _ = run()
    own = sum(first.claims) + sum(n * notes_per_unit for n in first.commits)
    share = served / (served + own) if clock is PROCESSOR else 0.5
    scale = 1 / (1 - share) if clock is PROCESSOR else 1.0
    server.dispose()
    empty = statistics.median(again.commits)
    return Costs(
        notes_per_unit=notes_per_unit,
        unit=tuple(round(seconds, 7) for seconds in first.notes),
        claim=scale * statistics.median(first.claims),
        commit_note=scale * max(0.0, statistics.mean(first.commits) - empty),
        commit_unit=scale * empty * notes_per_unit,
        start=imported + first.opened,
        plan=first.planned / notes,
        publish=first.published / notes,
        reconcile=0.0,
        compare=statistics.mean(again.notes),
        server_share=share,
        connections=int(connections),
        peak_bytes=measure_peak_kilobytes() * 1024,
        staged_bytes=int(staged / notes),
        about=f"{notes} notes of 1,000 characters by rules, {notes_per_unit} a unit, state on "
        f"PostgreSQL, seconds {clock.name}",
    )


def run_workers(folder: Path, url: str, workers: int, notes_per_unit: int) -> float:
    """Run a night with worker processes; returns the seconds that they worked."""
    config = _configure(folder, url, f"workers-{workers}", notes_per_unit)
    seconds: list[float] = []

    def drive(job: Job) -> dict[str, int]:
        started = time.perf_counter()
        peaks = run_in_workers(job)
        seconds.append(time.perf_counter() - started)
        return peaks

    run_nightly(config, drive, workers=workers)
    return seconds[0]


def _configure(folder: Path, url: str, name: str, notes_per_unit: int) -> Path:
    content = make_demo_config("fr", NO_MODEL).replace("sqlite:///state.db", url)
    content = content.replace("research.db", f"research-{name}.db")
    content = content.replace("[limits]", f"[limits]\nnotes_per_unit = {notes_per_unit}")
    path = folder / f"{name}.toml"
    path.write_text(f'{content}\n[report]\nfolder = "report-{name}"\n', encoding="utf-8")
    (folder / f"report-{name}").mkdir()
    return path

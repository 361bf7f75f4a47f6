"""Measures the costs on a night against PostgreSQL, and a night to compare the simulation with."""

import statistics
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

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

_OWN = "select count(*) from pg_stat_activity where backend_type = 'client backend'"


@dataclass
class _Timed:
    """Seconds of the parts of a night in this process."""

    claims: list[float] = field(default_factory=list)
    notes: list[float] = field(default_factory=list)
    commits: list[float] = field(default_factory=list)
    planned: float = 0.0
    began: float = 0.0
    ended: float = 0.0
    opened: float = 0.0


def prepare(folder: Path, notes: int, characters: int) -> int:
    """Write a hospital; returns the number of its notes."""
    return int(make(folder, notes, characters)["notes"])


def measure_costs(folder: Path, url: str, notes: int, notes_per_unit: int) -> Costs:
    """Run a night in this process, unit by unit, and return what its parts cost.

    `url` is that of an empty PostgreSQL database for the state.
    """
    config = _configure(folder, url, "costs", notes_per_unit)
    collect_garbage_rarely()
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import pipeline.beam.worker"], check=True)
    imported = time.perf_counter() - started
    timed = _Timed()
    server = create_engine(url, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        before = int(connection.scalar(text(_OWN)) or 0)
        found: dict[str, int] = {}

        def drive(job: Job) -> dict[str, int]:
            timed.began = time.perf_counter()
            with open_resources(job.settings) as resources:
                timed.opened = time.perf_counter() - timed.began
                with closing(claim_units(resources, job.run_id, "measured")) as units:
                    asked = time.perf_counter()
                    for unit in units:
                        claimed = time.perf_counter()
                        batch = process_unit(unit, resources)
                        done = time.perf_counter()
                        commit_batch(batch, resources, job.run_id)
                        ended = time.perf_counter()
                        timed.claims.append(claimed - asked)
                        timed.notes.append((done - claimed) / unit.count)
                        timed.commits.append((ended - done) / unit.count)
                        asked = ended
                found["connections"] = int(connection.scalar(text(_OWN)) or 0) - before
                staged = "select coalesce(sum(length(payload)), 0) from stage"
                found["staged"] = int(connection.scalar(text(staged)) or 0)
            timed.ended = time.perf_counter()
            return {}

        began = time.perf_counter()
        run_nightly(config, drive)
        ended = time.perf_counter()
        # Again, with nothing changed: the workers only compare.
        changed, timed = timed, _Timed()
        run_nightly(config, drive)
    server.dispose()
    return Costs(
        notes_per_unit=notes_per_unit,
        unit=tuple(round(seconds, 7) for seconds in changed.notes),
        claim=statistics.median(changed.claims[1:-1] or changed.claims),
        commit_note=statistics.mean(changed.commits),
        commit_unit=statistics.median(timed.commits) * notes_per_unit,
        start=imported + changed.opened,
        plan=(changed.began - began) / notes,
        publish=(ended - changed.ended) / notes,
        reconcile=0.0,
        compare=statistics.mean(timed.notes),
        server_share=0.5,
        connections=max(1, found["connections"]),
        peak_bytes=measure_peak_kilobytes() * 1024,
        staged_bytes=found["staged"] // max(1, notes),
        about=f"{notes} notes by rules, {notes_per_unit} a unit, state on PostgreSQL",
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

"""Throughput of the nightly job: the plain engine, and one and two worker processes.

    python -m benchmarks.night.nightly [--notes 20000] [--characters 3000] [--folder DIR]
        [--postgresql URL]

Everything runs on the same fictional hospital in one go, each arm in processes of its own and
into a state and an output of its own: SQLite's, or databases that are made on a PostgreSQL server
and dropped again. Prints a Markdown table: read ratios, not absolute numbers. Processor time is
that of the arm's worker processes, or of the arm itself where it has none; a server's is not in it.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, make_url, text

from models.tagger.shipped_model import NO_MODEL
from pipeline.config.peak_memory import measure_peak_kilobytes
from pipeline.night.demo import make_demo_config
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.night.supervisor import run_in_workers as spawned
from record.garbage_collection import collect_garbage_rarely
from surrogates.keys.keys import new_master
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.omop import write_omop

NOTES_PER_PATIENT = 10
DATABASES = ("state", "research")
ARMS = ("engine", "1 worker", "2 workers")


def main() -> None:
    options = _parse()
    if options.arm:
        print(json.dumps(run_arm(options.folder, options.arm)))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        made = make(folder, options.notes, options.characters)
        arms = [arm for arm in ARMS if not options.only or arm in options.only.split(",")]
        results = {arm: fresh_process(folder, arm, options.postgresql) for arm in arms}
    print(table(made, results))


def make(folder: Path, notes: int, characters: int) -> dict[str, float]:
    """Write a hospital of text notes into SQLite."""
    started = time.perf_counter()
    hospital = make_hospital(
        notes // NOTES_PER_PATIENT,
        seed=1,
        notes_per_patient=NOTES_PER_PATIENT,
        mean_characters=characters,
        pdf_share=0.0,
        scan_share=0.0,
    )
    engine = create_engine(f"sqlite:///{folder / 'hospital.db'}")
    count = write_omop(hospital, engine, notes=hospital.notes())
    engine.dispose()
    (folder / "pdf").mkdir()
    new_master(folder / "master.key")
    return {"notes": count, "seconds": time.perf_counter() - started}


def fresh_process(folder: Path, arm: str, server: str | None) -> dict[str, Any]:
    """Run one arm in a process that has done nothing else."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.night.nightly",
        "--arm",
        arm,
        "--folder",
        str(folder),
    ]
    with ExitStack() as stack:
        environment = dict(os.environ)
        if server:
            for name in DATABASES:
                environment[variable(name)] = stack.enter_context(new_database(server, name))
        done = subprocess.run(
            command, stdout=subprocess.PIPE, check=True, text=True, env=environment
        )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@contextmanager
def new_database(server: str, name: str) -> Iterator[str]:
    """Make a database on a PostgreSQL server for a while; gives its URL."""
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    name = f"cryptonym_benchmark_{name}"
    with engine.connect() as connection:
        connection.execute(text(f"drop database if exists {name} with (force)"))
        connection.execute(text(f"create database {name}"))
        try:
            yield make_url(server).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(text(f"drop database {name} with (force)"))
    engine.dispose()


def variable(name: str) -> str:
    """Return the environment variable that holds the URL of a database."""
    return f"CRYPTONYM_BENCHMARK_{name.upper()}"


def run_arm(folder: Path, arm: str) -> dict[str, Any]:
    """Run the nightly job once, from nothing, and measure it."""
    name = arm.replace(" ", "-")
    settings = make_demo_config("fr", NO_MODEL)
    for database in DATABASES:
        url, of_arm = f"sqlite:///{database}.db", f"sqlite:///{database}-{name}.db"
        named = f"env:{variable(database)}"
        settings = settings.replace(url, named if variable(database) in os.environ else of_arm)
    config = folder / f"{name}.toml"
    config.write_text(settings + f'\n[report]\nfolder = "report-{name}"\n', encoding="utf-8")
    (folder / f"report-{name}").mkdir()
    collect_garbage_rarely()  # as the program does
    started = time.perf_counter()
    if arm == "engine":
        ended = run_nightly(config, run_in_process)
    else:
        ended = run_nightly(config, spawned, workers=int(arm.split(maxsplit=1)[0]))
    seconds = time.perf_counter() - started
    # Processes of worker pools are waited for: their time is counted by now.
    used = resource.getrusage(resource.RUSAGE_SELF if arm == "engine" else resource.RUSAGE_CHILDREN)
    tally = ended.summary.tally
    own = measure_peak_kilobytes()
    return {
        "seconds": seconds,
        "processor": used.ru_utime + used.ru_stime,
        "notes": tally.outcomes["released"],
        "quarantined": tally.outcomes["quarantined"],
        "spans": tally.spans.total(),
        "peak_mb": {
            "supervisor": own / 1024,
            **{worker: kilobytes / 1024 for worker, kilobytes in tally.peak_memory.items()},
        },
        "stages": {stage: micro / 1e6 for stage, micro in tally.microseconds.items()},
    }


def table(made: dict[str, float], results: dict[str, dict[str, Any]]) -> str:
    """Lay the results out as Markdown."""
    lines = [
        f"{made['notes']:.0f} notes generated in {made['seconds']:.0f} s; "
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "",
        "| arm | seconds | notes/s | relative to first | processor ms/note | released | "
        "quarantined | peak MB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    base = next(iter(results.values()))["seconds"]
    for arm, result in results.items():
        seconds = float(str(result["seconds"]))
        peaks = ", ".join(f"{name} {mb:.0f}" for name, mb in result["peak_mb"].items())
        lines.append(
            f"| {arm} | {seconds:.1f} | {int(str(result['notes'])) / seconds:.0f} | "
            f"{float(str(base)) / seconds:.2f} | "
            f"{1000 * result['processor'] / made['notes']:.2f} | {result['notes']} | "
            f"{result['quarantined']} | {peaks} |"
        )
    stages = next(iter(results.values()))["stages"]
    total = sum(stages.values())
    ranked = sorted(stages.items(), key=lambda item: -item[1])
    lines += [
        "",
        "Share of time per stage (first arm): "
        + ", ".join(f"{stage} {100 * seconds / total:.0f} %" for stage, seconds in ranked),
    ]
    return "\n".join(lines)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=20_000)
    parser.add_argument("--characters", type=int, default=3_000)
    parser.add_argument("--folder", type=Path, help="folder for the databases; default: temporary")
    parser.add_argument("--postgresql", metavar="URL", help="a server: state and output go there")
    parser.add_argument("--only", help="comma-separated arms to run")
    parser.add_argument("--arm", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()

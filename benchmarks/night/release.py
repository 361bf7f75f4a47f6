"""Throughput of a cohort release, compared with detecting the same notes again.

    python -m benchmarks.night.release [--notes 2000] [--times 1] [--rows 5] [--workers 1]
                                 [--postgresql URL] [--hybrid 40] [--folder DIR]

A fictional hospital is made and its notes are detected once, by rules and what is known of each
patient; that is the first arm. `--times N` then stores the hospital N times over, each copy with
ids and sealed spans of its own: `--notes 10000 --times 100` is a release of a million notes without
days of detection. `--rows` is the number of measurements for each note. `--hybrid N` detects
the first N notes again with the tagger that is shipped as well (needs the extra `models`).
`--postgresql` names an empty database that is filled, read from and released to, too.
`--skip-sqlite` leaves the other arms out.

Every arm is a process of its own; seconds are those of its processors and its children's, so that
other programs disturb them little. Prints a Markdown table: read ratios, not absolute numbers.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, insert, inspect, text

from benchmarks.night.nightly import make
from models.tagger.shipped_model import NO_MODEL
from pipeline.config.peak_memory import measure_peak_kilobytes
from pipeline.config.settings import load
from pipeline.night.demo import make_demo_config
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.night.supervisor import run_in_workers as spawned
from pipeline.notes.stages import make_version, start_batch
from pipeline.notes.stored_spans import STAGES
from pipeline.notes.worker_resources import WorkerResources, open_resources
from pipeline.release.request import ReleaseRequest
from pipeline.release.run import run_release
from pipeline.state.tables import LEDGER, RELEASED, SPAN_STORE
from pipeline.warehouse.note_rows import Unit
from record.garbage_collection import collect_garbage_rarely

COPIED = {
    "person": ("person_id",),
    "patient_identity": ("person_id",),
    "visit_occurrence": ("visit_occurrence_id", "person_id"),
    "note": ("note_id", "person_id", "visit_occurrence_id"),
}
_UNIT = Unit(0, "", 0, 0, 0)
STEP = 10_000_000
"""The ids of a copy are those of the hospital and a multiple of this."""
CONFIG = "nightly.toml"
PARQUET, SQLITE = "parquet:release", "sqlite:///release.db"


def main() -> None:
    options = _parse()
    if options.arm:
        # As the program does.
        collect_garbage_rarely()
        print(json.dumps(ARMS[options.arm](options)))
        return
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="release-") as name:
        options.folder = Path(name)
        make(options.folder, options.notes, options.characters)
        (options.folder / CONFIG).write_text(make_demo_config("fr", NO_MODEL), encoding="utf-8")
        results = {"rules and known": fresh_process(options, "detect")}
        if options.hybrid:
            results["hybrid"] = fresh_process(options, "hybrid")
        multiply_notes(options)
        for arm in arms(options):
            results[arm] = fresh_process(options, arm)
    print(table(options, results))


def arms(options: argparse.Namespace) -> list[str]:
    """Name the arms of a release that were asked for."""
    asked = [] if options.skip_sqlite else ["sqlite to sqlite", "sqlite to parquet", "again"]
    return asked + ["postgresql to postgresql"] * bool(options.postgresql)


def multiply_notes(options: argparse.Namespace) -> None:
    """Add measurements and copies to the hospital, and put it on a server where that is asked."""
    folder = options.folder
    engine = create_engine(f"sqlite:///{folder / 'hospital.db'}")
    with engine.begin() as connection:
        connection.execute(text(MEASUREMENT))
        connection.execute(text("create index of_person on measurement (person_id)"))
        for number in range(options.rows):
            connection.execute(text(MEASURED), {"number": number})
        for copy in range(1, options.times):
            for name in (*COPIED, "measurement"):
                columns = [column["name"] for column in inspect(connection).get_columns(name)]
                moved = COPIED.get(name, ("measurement_id", "person_id", "visit_occurrence_id"))
                read = [f"{c} + {copy * STEP}" if c in moved else f'"{c}"' for c in columns]
                written = ", ".join(f'"{column}"' for column in columns)
                connection.execute(
                    text(
                        f"insert into {name} ({written}) select {', '.join(read)} from {name} "
                        f"where person_id < {STEP}"
                    )
                )
    engine.dispose()
    with open_resources(load(folder / CONFIG)) as tools:
        for copy in range(1, options.times):
            copy_spans(tools, copy)
    (folder / "persons.txt").write_text(
        "".join(
            f"{copy * STEP + person}\n"
            for copy in range(options.times)
            for person in range(1, options.notes // 10 + 1)
        )
    )
    if options.postgresql:
        load_postgresql(folder, options.postgresql)
        configured = (folder / CONFIG).read_text()
        served = configured.replace("sqlite:///hospital.db", options.postgresql)
        (folder / "server.toml").write_text(served)


MEASUREMENT = """create table measurement (measurement_id integer primary key, person_id integer,
    measurement_concept_id integer, measurement_date date, measurement_datetime timestamp,
    measurement_type_concept_id integer, value_as_number real, unit_concept_id integer,
    visit_occurrence_id integer, measurement_source_value text)"""
MEASURED = """insert into measurement select note_id * 100 + :number, person_id, 3000963, note_date,
    note_datetime, 32817, 7.5 + note_id % 9, 8713, visit_occurrence_id, 'Hb' from note"""


def copy_spans(tools: WorkerResources, copy: int) -> None:
    """Store the spans of the hospital's notes for a copy of them, as if it had been detected."""
    originals = sorted(tools.state.read_released_ids())
    originals = [note_id for note_id in originals if note_id < STEP]
    before = dict(STAGES[:2])
    for start in range(0, len(originals), 500):
        some = originals[start : start + 500]
        stored = tools.state.read_sealed(some)
        for rows in tools.source.pick([copy * STEP + note_id for note_id in some], 500):
            batch = start_batch(replace(_UNIT, count=len(rows)), rows, tools)
            for stage in before.values():
                batch = stage(batch, tools)
            ledger, spans = [], []
            for item in batch.items:
                original = item.row.note_id - copy * STEP
                found = tools.seal.open_findings(stored[original].version, stored[original].sealed)
                row = {"note_id": item.row.note_id, "content": item.content}
                row |= {"config": tools.config}
                sealed = tools.seal.seal_findings(make_version(item, tools.config), found)
                spans.append(row | {"sealed": sealed})
                version = {"identity": item.identity, "outcome": RELEASED, "was_released": 1}
                ledger.append(row | version)
            _store(tools, ledger, spans)


def _store(
    tools: WorkerResources, ledger: list[dict[str, Any]], spans: list[dict[str, Any]]
) -> None:
    engine = create_engine(f"sqlite:///{tools.settings.base / 'state.db'}")
    with engine.begin() as connection:
        connection.execute(insert(LEDGER), ledger)
        connection.execute(insert(SPAN_STORE), spans)
    engine.dispose()


def load_postgresql(folder: Path, url: str) -> None:
    """Copy the hospital's tables into a schema of the server, with the indexes of OMOP CDM."""
    kinds = {"INTEGER": "bigint", "REAL": "double precision", "DATETIME": "timestamp"}
    source = create_engine(f"sqlite:///{folder / 'hospital.db'}")
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:", 1))
    found = inspect(source)
    with source.connect() as reading, engine.begin() as writing:
        writing.execute(text("create schema research"))
        for name in found.get_table_names():
            columns = [(c["name"], str(c["type"]).split("(")[0]) for c in found.get_columns(name)]
            listed = ", ".join(f'"{column}" {kinds.get(kind, kind)}' for column, kind in columns)
            writing.execute(text(f"create table {name} ({listed})"))
            quoted = ", ".join(f'"{column}"' for column, _ in columns)
            cursor = writing.connection.cursor()
            with cursor.copy(f"copy {name} ({quoted}) from stdin") as copying:
                for row in reading.exec_driver_sql(f"select {quoted} from {name}"):
                    copying.write_row(tuple(row))
            names = {column for column, _ in columns}
            for key in {f"{name}_id", "person_id"} & names:
                writing.execute(text(f"create index on {name} ({key})"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("analyze"))
    engine.dispose()
    source.dispose()


def fresh_process(options: argparse.Namespace, arm: str) -> dict[str, Any]:
    """Run one arm in a process that has done nothing else."""
    command = [sys.executable, "-m", "benchmarks.night.release", "--arm", arm]
    for name in ("notes", "workers", "hybrid", "folder", "postgresql"):
        command += [f"--{name}", str(getattr(options, name))]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"{arm}: {found['notes']} notes, {found['seconds']:.1f} s", file=sys.stderr)
    return found


def detect(options: argparse.Namespace) -> dict[str, Any]:
    """Detect all notes by rules and what is known, as the nightly job does."""
    return measure_step(lambda: _nightly(options.folder / CONFIG))


def hybrid(options: argparse.Namespace) -> dict[str, Any]:
    """Detect the first notes with the tagger as well, in a state of its own."""
    folder = options.folder
    sample = folder / "sample.db"
    shutil.copyfile(folder / "hospital.db", sample)
    engine = create_engine(f"sqlite:///{sample}")
    with engine.begin() as connection:
        connection.execute(text("delete from note where note_id > :last"), {"last": options.hybrid})
    engine.dispose()
    configured = (folder / CONFIG).read_text()
    for name, other in (("hospital", "sample"), ("state", "sample-state"), ("research", "sampled")):
        configured = configured.replace(f"{name}.db", f"{other}.db")
    config = folder / "hybrid.toml"
    config.write_text(configured + '\n[model]\nfolder = "default"\n[report]\nfolder = "hybrid"\n')
    (folder / "hybrid").mkdir()
    with open_resources(load(config)):
        pass  # what is loaded once for a night is not counted
    return measure_step(lambda: _nightly(config))


def _nightly(config: Path) -> tuple[int, dict[str, int]]:
    return run_nightly(config, run_in_process).summary.tally.outcomes["released"], {}


def release(options: argparse.Namespace, output: str, config: str = CONFIG) -> dict[str, Any]:
    """Release everybody."""
    folder = options.folder
    place = output.replace("parquet:", f"parquet:{folder}/").replace("///", f"///{folder}/")
    schema = "research" if config != CONFIG else None
    order = ReleaseRequest(folder / config, "bench", folder / "persons.txt", place, schema)
    drives = spawned if options.workers > 1 else None

    refused: dict[str, int] = {}

    def step() -> tuple[int, dict[str, int]]:
        released = run_release(order, drive=drives, workers=options.workers)
        refused.update(released.counts.refused)
        return released.counts.notes["released"], released.peaks

    return measure_step(step) | {"refused": refused}


def measure_step(step: Callable[[], tuple[int, dict[str, int]]]) -> dict[str, Any]:
    """Measure the time of a step, which returns its number of notes, and of its children."""
    wall, before = time.perf_counter(), _seconds()
    notes, peaks = step()
    return {
        "notes": notes,
        "seconds": _seconds() - before,
        "wall": time.perf_counter() - wall,
        "peak_mb": max([measure_peak_kilobytes(), *peaks.values()]) / 1024,
    }


def _seconds() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


ARMS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "detect": detect,
    "hybrid": hybrid,
    "sqlite to sqlite": lambda options: release(options, SQLITE),
    "sqlite to parquet": lambda options: release(options, PARQUET),
    "again": lambda options: release(options, PARQUET),
    "postgresql to postgresql": lambda options: release(options, options.postgresql, "server.toml"),
}


def table(options: argparse.Namespace, results: dict[str, dict[str, Any]]) -> str:
    """Lay the results out as Markdown."""
    lines = [
        f"{options.notes} notes x {options.times}, {options.rows} measurements per note, "
        f"{options.workers} workers; {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}",
        "",
        "| arm | notes | CPU seconds | notes per CPU second | seconds | times hybrid | "
        "times rules | peak MB per process |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    rates = {arm: found["notes"] / found["seconds"] for arm, found in results.items()}
    for arm, found in results.items():
        of_hybrid = f"{rates[arm] / rates['hybrid']:.1f}" if "hybrid" in rates else ""
        lines.append(
            f"| {arm} | {found['notes']} | {found['seconds']:.1f} | {rates[arm]:.0f} | "
            f"{found['wall']:.1f} | {of_hybrid} | {rates[arm] / rates['rules and known']:.1f} | "
            f"{found['peak_mb']:.0f} |"
        )
    for arm, found in results.items():
        if refused := found.get("refused"):
            reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(refused.items()))
            lines.append(f"\nNot released by {arm}: {reasons}.")
    return "\n".join(lines)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--rows", type=int, default=5)
    parser.add_argument("--characters", type=int, default=3_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--hybrid", type=int, default=0)
    parser.add_argument("--postgresql", metavar="URL", default="")
    parser.add_argument("--skip-sqlite", action="store_true")
    parser.add_argument("--folder", type=Path, help="folder for the databases; default: temporary")
    parser.add_argument("--arm", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()

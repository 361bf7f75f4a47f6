"""The nightly job killed anywhere and started again: the same output, nothing twice or lost."""

import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from signal import Signals
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.state.ledger import open_state
from pipeline.state.run_lock import RunLock, make_lock_path
from tests.pipeline.conftest import Site

pytestmark = pytest.mark.slow
NOTES = 60
MOMENTS = 4
SEED = 20240302
TRANSACTIONS = 60
"""More than a run of the small hospital has."""


def kill(process: subprocess.Popen[str]) -> str:
    """Kill the supervisor alone, as the kernel does when memory is short; tell what it had said."""
    process.kill()
    stdout, stderr = process.communicate()
    return stdout + stderr


def check(site: Site, undisturbed: tuple[str, dict[int, str], float]) -> None:
    """The output is that of a run in peace, and every note of the source is accounted for."""
    digest, texts, _ = undisturbed
    assert site.digest() == digest
    ids = [note_id for (note_id,) in site.output("select note_id from note")]
    assert len(ids) == len(set(ids))
    assert site.released() == texts
    spans = site.output("select note_id, start_offset, end_offset from note_span")
    assert len(spans) == len(set(spans))
    assert sum(outcomes(site).values()) == NOTES


def outcomes(site: Site) -> dict[str, int]:
    """What the ledger says, after the output was read."""
    settings = load(site.config)
    with closing(open_state(settings.state, settings.base)) as state:
        return state.count_outcomes()


def test_killed_at_random_moments(
    make_site: Callable[..., Site], undisturbed: tuple[str, dict[int, str], float]
) -> None:
    draw = random.Random(SEED)
    moments = [draw.uniform(k, k + 1) * undisturbed[2] / MOMENTS for k in range(MOMENTS)]
    draw.shuffle(moments)
    print(f"seed {SEED}, kills after", ", ".join(f"{moment:.2f} s" for moment in moments))
    site = make_site(NOTES)
    for moment in moments:
        process = site.start()
        time.sleep(moment)
        is_done = process.poll() is not None
        said = kill(process)
        assert site.wait_until_empty() == {}
        assert "error" not in said
        if is_done:
            check(site, undisturbed)
            site = make_site(NOTES)
    ended = site.run()
    assert ended.returncode == 0, ended.stderr
    check(site, undisturbed)


def test_killed_in_every_phase(
    make_site: Callable[..., Site], undisturbed: tuple[str, dict[int, str], float]
) -> None:
    draw = random.Random(SEED)
    site = make_site(NOTES)
    for phase in ("planning", "working", "reconciling", "publishing", "reading back"):
        process = site.start()
        assert process.stderr
        said = ""
        while not said.rpartition("\n")[2].startswith(f"{phase} ..."):
            line = process.stderr.readline()
            assert line, said
            said += "\n" + line.rstrip()
        wait = draw.uniform(0, undisturbed[2] / 2 if phase == "working" else 0.02)
        print(f"seed {SEED}, kill {wait:.3f} s into {phase}")
        time.sleep(wait)
        kill(process)
        assert site.wait_until_empty() == {}
    ended = site.run()
    assert ended.returncode == 0, ended.stderr
    check(site, undisturbed)


def test_nothing_is_released_before_everything_is_accounted_for(
    make_site: Callable[..., Site],
) -> None:
    site = make_site(NOTES)
    process = site.start()
    wait_for_workers(site, 2)
    while process.poll() is None and outcomes(site).get("staged", 0) < 10:
        assert site.released() == {}
        time.sleep(0.1)
    kill(process)
    assert outcomes(site)["staged"] >= 10
    assert site.released() == {}


def test_a_worker_that_dies_is_started_again(
    make_site: Callable[..., Site], undisturbed: tuple[str, dict[int, str], float]
) -> None:
    site = make_site(NOTES)
    process = site.start()
    first = wait_for_workers(site, 2)
    time.sleep(1)
    os.kill(first[0], signal.SIGKILL)
    deadline = time.monotonic() + 60
    while set(site.workers()) <= set(first) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert set(site.workers()) - set(first)
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == 0, stderr
    check(site, undisturbed)


def test_a_worker_that_keeps_dying_ends_the_run(
    make_site: Callable[..., Site], undisturbed: tuple[str, dict[int, str], float]
) -> None:
    site = make_site(NOTES)
    process = site.start()
    while process.poll() is None:
        for pid in site.workers()[:1]:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)
    _, stderr = process.communicate()
    assert process.returncode == 1
    assert "worker-" in stderr
    assert "exited with code -9" in stderr
    assert "Remedy" in stderr
    assert site.released() == {}
    assert site.wait_until_empty() == {}
    assert run_nightly(site.config, run_in_process).exit_code == 0
    check(site, undisturbed)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15)])
def test_a_polite_end_leaves_nothing_running(
    make_site: Callable[..., Site], number: Signals, code: int
) -> None:
    site = make_site(10_000)
    process = site.start()
    wait_for_workers(site, 2)
    os.killpg(process.pid, number)
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == code, stderr
    assert "Traceback" not in stderr
    assert site.wait_until_empty() == {}
    assert site.released() == {}


def test_an_interrupt_that_reached_workers_alone_ends_the_run(
    make_site: Callable[..., Site],
) -> None:
    site = make_site(10_000)
    process = site.start()
    os.kill(wait_for_workers(site, 1)[0], signal.SIGINT)
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == 130, stderr
    assert site.wait_until_empty() == {}
    assert site.released() == {}


def test_an_interrupt_of_a_worker_that_holds_a_unit_ends_the_run(
    make_site: Callable[..., Site],
) -> None:
    site = make_site(10_000)
    process = site.start()
    os.kill(wait_for_holder(site), signal.SIGINT)
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == 130, stderr
    assert site.wait_until_empty() == {}
    assert site.released() == {}


def wait_for_holder(site: Site) -> int:
    """Wait until a worker is at work on a unit; return the id of its process."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for number, pid in find_workers(site).items():
            # The second unit of a worker: its runner is at work, and not being started.
            if sum(holder == f"worker-{number}" for holder in list_holders(site)) > 1:
                return pid
        time.sleep(0.05)
    raise AssertionError("no worker got a unit")


def find_workers(site: Site) -> dict[str, int]:
    """The ids of the worker processes that live, by their numbers."""
    commands = {pid: line.split("\0") for pid, line in site.processes().items()}
    return {
        words[words.index("--worker") + 1]: pid
        for pid, words in commands.items()
        if "--worker" in words
    }


def list_holders(site: Site) -> list[str]:
    """Who holds or held each unit that was claimed."""
    try:
        with closing(sqlite3.connect(site.folder / "state.db")) as state:
            rows = state.execute("select holder from run_unit where holder is not null").fetchall()
    except sqlite3.OperationalError:  # not made yet
        return []
    return [holder for (holder,) in rows]


def wait_for_workers(site: Site, count: int) -> Any:
    deadline = time.monotonic() + 60
    while len(site.workers()) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(site.workers()) >= count
    return site.workers()


# Two at once


def test_the_second_run_is_refused_and_told_who_runs(site: Site) -> None:
    first = site.start()
    wait_for_workers(site, 1)
    second = site.call()
    assert second.returncode == 2
    assert f"pid {first.pid} on" in second.stderr
    assert "Remedy: wait" in second.stderr
    stdout, stderr = first.communicate(timeout=600)
    assert first.returncode == 0, stderr
    assert "30 planned" in stdout


def test_a_lock_outside_the_program_counts(site: Site) -> None:
    with RunLock(make_lock_path("sqlite:///state.db", site.folder)):
        refused = site.run()
    assert refused.returncode == 2
    assert f"pid {os.getpid()} on" in refused.stderr
    assert site.released() == {}
    assert not (site.folder / "state.db").exists()


def test_orphans_hold_the_lock_until_they_are_gone(site: Site) -> None:
    process = site.start()
    orphans = wait_for_workers(site, 2)
    for pid in orphans:
        os.kill(pid, signal.SIGSTOP)
    kill(process)
    refused = site.call()
    assert refused.returncode == 2
    assert f"pid {process.pid} on" in refused.stderr
    for pid in orphans:
        os.kill(pid, signal.SIGCONT)
    assert site.wait_until_empty() == {}
    assert run_nightly(site.config, run_in_process).exit_code == 0


# At every transaction


def run_until(config: Path, transaction: int) -> int:
    """Run the job in a process that is killed before it commits; returns how it ended."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    left = transaction

    def count(connection: Connection) -> None:
        nonlocal left
        if connection.get_execution_options().get("immediate"):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    code = 1
    try:
        event.listen(Engine, "commit", count)
        code = run_nightly(config, run_in_process).exit_code
    finally:
        os._exit(code)


def test_killed_before_every_transaction(make_site: Callable[..., Site]) -> None:
    whole = make_site(8)
    whole.source("delete from note where note_source_value is not null")
    run_nightly(whole.config, run_in_process)
    killed = 0
    for transaction in range(1, TRANSACTIONS):
        site = make_site(8)
        site.source("delete from note where note_source_value is not null")
        ended = run_until(site.config, transaction)
        if ended == 0:
            break
        assert os.WTERMSIG(ended) == signal.SIGKILL
        killed += 1
        run_nightly(site.config, run_in_process)
        assert site.digest() == whole.digest(), transaction
        assert site.released() == whole.released(), transaction
        assert outcomes(site) == outcomes(whole), transaction
    print(f"killed before each of {killed} transactions")
    assert 10 < killed < TRANSACTIONS - 1

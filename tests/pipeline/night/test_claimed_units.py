"""A night whose workers die, stop or fail over single notes: it ends, and with the same output."""

import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import Job, run_nightly
from pipeline.notes import stages
from pipeline.notes.batch import Batch
from pipeline.notes.stages import detect_identifiers
from pipeline.notes.worker_resources import WorkerResources
from record.errors import ConfigError, CryptonymError
from tests.pipeline.conftest import Site

POISON = "Tribolyx"
"""A word whose note ends the process that looks for identifiers in it."""
NOTES = 12

SITE_CUSTOMIZE = """
import os, signal, sys
if "pipeline.beam.worker" in sys.orig_argv:
    from pipeline.notes import stages
    def poisoned(item, resources, go_on=stages.set_language):
        if "Tribolyx" in item.document.text:
            os.kill(os.getpid(), signal.SIGKILL)
        return go_on(item, resources)
    stages.set_language = poisoned
"""


HANG = """
import re, sys, time
if "pipeline.beam.worker" in sys.orig_argv:
    from pipeline.notes import stages
    def hung(item, resources, go_on=stages.set_language):
        if "Tribolyx" in item.document.text:
            {how}
        return go_on(item, resources)
    stages.set_language = hung
"""


@pytest.fixture
def poisoned(make_site: Callable[..., Site]) -> Site:
    """Twelve notes without documents, one of them poisoned."""
    site = make_site(60)
    # To read documents takes a process of its own.
    site.source("delete from note where note_text = ''")
    kept = [note_id for (note_id,) in site.source("select note_id from note order by 1")][:NOTES]
    site.source("delete from note where note_id > ?", kept[-1])
    site.source("update note set note_text = note_text || ? where note_id = ?", POISON, kept[3])
    return site


def poisoned_id(site: Site) -> int:
    ((note_id,),) = site.source(f"select note_id from note where note_text like '%{POISON}%'")
    return int(note_id)


def state(site: Site, statement: str) -> list[Any]:
    with closing(sqlite3.connect(site.folder / "state.db", timeout=60)) as db:
        return db.execute(statement).fetchall()


def check_isolated(site: Site) -> None:
    """The poisoned note alone is in quarantine, and all others are released."""
    note_id = poisoned_id(site)
    found = state(site, "select note_id, stage, error, reason from quarantine")
    assert found == [(note_id, "isolate", "Unsafe", "worker-killed")]
    released = site.released()
    assert len(released) == NOTES - 1
    assert site.out_id(note_id) not in released


def kill_by(item: Any, resources: WorkerResources) -> Any:
    if POISON in item.document.text:
        os.kill(os.getpid(), signal.SIGKILL)
    return set_language(item, resources)


set_language = stages.set_language


def night_in_a_process(config: Path) -> int:
    """Run a night in a process of its own, as a service manager does; returns how it ended."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    code = 1
    try:
        stages.set_language = kill_by
        code = run_nightly(config, run_in_process).exit_code
    finally:
        os._exit(code)


def test_a_note_that_ends_the_only_process_each_time_is_isolated(poisoned: Site) -> None:
    ended: list[int] = []
    while not ended or ended[-1] != 0:
        ended.append(night_in_a_process(poisoned.config))
        assert len(ended) < 20
        assert ended[-1] in (0, signal.SIGKILL)
    # Units of five: three times whole, once or twice in halves, three times alone.
    assert len(ended) - 1 in (3 + 1 + 3, 3 + 2 + 3)
    check_isolated(poisoned)
    # Its version is known: the next night does not try it again.
    assert night_in_a_process(poisoned.config) == 0
    check_isolated(poisoned)


def test_a_note_on_which_a_whole_batch_fails_is_isolated(
    poisoned: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(batch: Batch, resources: WorkerResources) -> Batch:
        if any(POISON in str(item.document and item.document.text) for item in batch.items):
            raise ValueError(POISON)
        return detect_identifiers(batch, resources)

    replaced = [(name, failing if name == "detect" else stage) for name, stage in stages.STAGES]
    monkeypatch.setattr("pipeline.night.engine.STAGES", replaced)
    assert run_nightly(poisoned.config, run_in_process).exit_code == 0
    check_isolated(poisoned)
    assert POISON not in str(state(poisoned, "select error from run_unit"))


def test_where_every_batch_fails_the_run_ends_and_says_why(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(batch: Batch, resources: WorkerResources) -> Batch:
        raise ValueError(batch.items)

    monkeypatch.setattr("pipeline.night.engine.STAGES", [("detect", failing)])
    with pytest.raises(CryptonymError, match=r"11 notes failed.* detect failed .*: ValueError"):
        run_nightly(site.config, run_in_process)
    assert site.released() == {}
    monkeypatch.undo()
    assert run_nightly(site.config, run_in_process).exit_code == 0


def test_a_worker_with_another_configuration_than_the_run_does_nothing(site: Site) -> None:
    def drive(job: Job) -> dict[str, int]:
        site.configure("[limits]", "[policy]\nmax_shift_days = 200\n[limits]")
        return run_in_process(replace(job, settings=load(job.config)))

    with pytest.raises(ConfigError, match="this worker has another one than run 1"):
        run_nightly(site.config, drive)
    assert state(site, "select count(*) from ledger") == [(0,)]
    assert state(site, "select sum(failures) from run_unit") == [(None,)]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["time.sleep(10_000)", "re.match('(a+)+b', 'a' * 60)"])
def test_a_note_on_which_each_worker_hangs_is_isolated(
    poisoned: Site, tmp_path: Path, how: str
) -> None:
    """The expression also stops every other thread of its process."""
    (tmp_path / "sitecustomize.py").write_text(HANG.format(how=how))
    poisoned.configure("notes_per_unit = 5", "notes_per_unit = 1")
    poisoned.configure("[limits]", "[engine]\nunit_minutes = 0.05\nlease_seconds = 4\n\n[limits]")
    poisoned.environment |= {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    ended = poisoned.run()
    assert ended.returncode in (0, 3), ended.stderr
    check_isolated(poisoned)


@pytest.mark.slow
def test_a_note_that_ends_each_worker_process_is_isolated(poisoned: Site, tmp_path: Path) -> None:
    # Each start of a worker takes seconds: halves are the matter of the tests above.
    poisoned.configure("notes_per_unit = 5", "notes_per_unit = 1")
    (tmp_path / "sitecustomize.py").write_text(SITE_CUSTOMIZE)
    poisoned.environment |= {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    ended = poisoned.run()
    assert ended.returncode == 0, ended.stderr
    check_isolated(poisoned)


@pytest.mark.slow
def test_a_worker_that_is_stopped_beyond_its_lease_writes_nothing(
    make_site: Callable[..., Site], peaceful: str
) -> None:
    site = make_site(30)
    site.configure("[limits]", "[engine]\nlease_seconds = 1\n\n[limits]")
    process = site.start()
    held = "select unit, holder, attempt from run_unit where done = 0 and lease_ends > 0"
    stopped = None
    while stopped is None:
        assert process.poll() is None
        stopped = stop_a_holder(site, process.pid, held)
    pid, unit, holder = stopped
    deadline = time.monotonic() + 120
    taken = f"select holder, attempt, done from run_unit where unit = {unit}"
    while not (found := state(site, taken)) or found[0][2] != 1:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    ((other, attempt, _),) = found
    assert other != holder
    assert attempt == 2
    os.kill(pid, signal.SIGCONT)
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == 0, stderr
    assert state(site, taken) == found
    assert site.digest() == peaceful


def stop_a_holder(site: Site, parent: int, held: str) -> tuple[int, int, str] | None:
    """Stop a worker process that holds a unit; returns its id, the unit and its name."""
    for pid in site.workers():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            name = f"worker-{words[words.index('--worker') + 1]}"
            # A worker's own child, which reads documents, looks like it for a moment.
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1] != str(parent):
                continue
            os.kill(pid, signal.SIGSTOP)
        except (OSError, ValueError):
            continue
        # Only now it can no longer finish.
        for unit, holder, _ in state(site, held):
            if holder == name:
                return pid, unit, name
        os.kill(pid, signal.SIGCONT)
    time.sleep(0.05)
    return None

"""Batches in several processes: the same results in the same order, and none is lost silently."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

import psutil
import pytest

from pipeline.cli import main
from pipeline.config.progress import Progress
from pipeline.files.batch_processes import MOST_DEATHS, WorkersDied, work_in_order
from pipeline.files.note_files import (
    NoteFileTask,
    detect_file,
    detect_in_processes,
    keep_task,
)
from pipeline.files.output_files import make_quarantine_path
from pipeline.notes.error_boundary import Unexpected
from record.errors import ConfigError

STEPS = """
import os
import signal
import time

from record.errors import ConfigError


class Doubling:
    def __init__(self, about, happens):
        self.about = about
        self.happens = happens

    def __call__(self, batch):
        self.happens(batch)
        return 2 * batch


def open_doubling(happens, processes):
    return Doubling(f"one of {processes}", happens)


def wait(batch):
    # The later ones of three overtake.
    time.sleep((2 - batch % 3) * 0.02)


def let_all_wait(marker, batch):
    # The first one ends when as many wait for it as may.
    if batch == 15:
        marker.touch()
    while batch == 0 and not marker.exists():
        time.sleep(0.01)
    if batch == 0:
        time.sleep(0.3)


def die_once(marker, batch):
    if batch == 3 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)


def die(batch):
    if batch == 3:
        os._exit(9)


def quote(batch):
    if batch == 3:
        raise ValueError("Wexlovitch")


def refuse(processes):
    raise ConfigError("--model", "is missing", "give one")


def die_at_start(processes):
    os._exit(7)
"""
"""What is done with batches: a module that other processes can import, which this one is not."""


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Steps that double numbers, at one of which something happens."""
    folder = tmp_path_factory.mktemp("steps")
    (folder / "steps_with_batches.py").write_text(STEPS)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield import_module("steps_with_batches")
    sys.modules.pop("steps_with_batches")


def work(
    open_step: Callable[[int], Any], count: int, workers: int
) -> tuple[list[int], list[str], list[str]]:
    told: list[str] = []
    warnings: list[str] = []
    with closing(
        work_in_order(open_step, range(count), workers, ready=told.append, warn=warnings.append)
    ) as results:
        return list(results), told, warnings


@pytest.fixture(autouse=True)
def no_process_stays() -> Iterator[None]:
    yield
    left = [child for child in psutil.Process().children() if "spawn_main" in str(child.cmdline())]
    assert left == []


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 40])
def test_results_come_in_the_order_of_the_batches(steps: Any, workers: int, count: int) -> None:
    found, told, warnings = work(partial(steps.open_doubling, steps.wait), count, workers)
    assert found == [2 * number for number in range(count)]
    assert told == [f"one of {workers}"]
    assert warnings == []


def test_batches_are_not_read_far_ahead(steps: Any) -> None:
    taken: list[int] = []

    def batches() -> Iterator[int]:
        for number in range(500):
            taken.append(number)
            yield number

    step = partial(steps.open_doubling, steps.wait)
    with closing(
        work_in_order(step, batches(), 2, ready=lambda _: None, warn=lambda _: None)
    ) as results:
        assert next(results) == 0
        assert len(taken) < 40


def test_the_batch_of_a_killed_process_is_done_again(steps: Any, tmp_path: Path) -> None:
    step = partial(steps.open_doubling, partial(steps.die_once, tmp_path / "died"))
    found, _, warnings = work(step, 12, 2)
    assert found == [2 * number for number in range(12)]
    assert warnings == ["a worker was killed by SIGKILL; its batch is done again"]


def test_a_batch_that_ends_every_process_ends_the_work(steps: Any) -> None:
    with pytest.raises(WorkersDied, match="ended with exit code 9 in batch 4, again and again"):
        work(partial(steps.open_doubling, steps.die), 12, 2)
    assert MOST_DEATHS > 1


def test_processes_that_cannot_start_end_the_work(steps: Any) -> None:
    with pytest.raises(WorkersDied, match="ended with exit code 7 at its start"):
        work(steps.die_at_start, 12, 2)


def test_errors_come_without_text(steps: Any) -> None:
    with pytest.raises(Unexpected, match=r"^ValueError$"):
        work(partial(steps.open_doubling, steps.quote), 12, 2)
    with pytest.raises(ConfigError, match=r"^--model: is missing. Remedy: give one$"):
        work(steps.refuse, 12, 2)


# Detection ----------------------------------------------------------------------------------------


def test_the_first_batch_may_be_the_last_that_ends(steps: Any, tmp_path: Path) -> None:
    happens = partial(steps.let_all_wait, tmp_path / "marker")
    results, _, warnings = work(partial(steps.open_doubling, happens), 40, 2)
    assert results == [2 * number for number in range(40)]
    assert warnings == []


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Notes for several batches, some of which are refused, and patients of most of them."""
    lines = []
    for number in range(330):
        text = f"Mme Wexlovitch{number % 7} vue le {number % 28 + 1}/03/2019, tel 06 12 34 56 78."
        note = {"note_id": str(number), "person_id": str(number % 9), "text": text, "lang": "fr"}
        lines.append(json.dumps(note) if number % 50 else "{no note")
    lines[77] = json.dumps({"note_id": "77", "text": "x" * 1_000_001})
    path = tmp_path / "notes.jsonl"
    path.write_text("\n".join(lines) + "\n")
    persons = [{"person_id": str(n), "family_names": [f"Wexlovitch{n}"]} for n in range(8)]
    (tmp_path / "patients.jsonl").write_text("".join(json.dumps(p) + "\n" for p in persons))
    return path


def detect(notes: Path, name: str, *arguments: str) -> tuple[int, list[bytes]]:
    out = notes.with_name(f"{name}.jsonl")
    patients = str(notes.with_name("patients.jsonl"))
    words = ["detect", str(notes), "-o", str(out), "--patients", patients, "--json"]
    code = main([*words, "--max-quarantine-share", "0.5", *arguments])
    return code, [path.read_bytes() for path in (out, make_quarantine_path(out))]


def test_any_number_of_processes_writes_the_same(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = ["--model", "none", "--explain-text"]
    alone = detect(notes, "alone", *rules)
    said = capsys.readouterr().out
    assert alone[0] == 0
    assert len(alone[1][0].splitlines()) == 322
    assert [json.loads(line)["note_id"] for line in alone[1][0].splitlines()[:2]] == ["1", "2"]
    assert len(alone[1][1].splitlines()) == 8
    for workers in ("2", "3"):
        assert detect(notes, f"with-{workers}", *rules, "--workers", workers) == alone
        assert capsys.readouterr().out == said


@pytest.mark.slow
def test_with_a_tagger_it_is_the_same(notes: Path) -> None:
    notes.write_text("".join(f"{line}\n" for line in notes.read_text().splitlines()[100:175]))
    alone = detect(notes, "alone")
    assert b'"detector": "model' in alone[1][0]
    assert detect(notes, "two", "--workers", "2") == alone


def test_a_detector_that_is_killed_changes_nothing(notes: Path) -> None:
    alone = detect(notes, "alone", "--model", "none")
    killed: list[int] = []
    seen: list[int] = []

    def kill() -> None:
        while not killed:
            for child in psutil.Process().children():
                with suppress(psutil.Error):
                    # Both are there, and one is at work.
                    if "spawn_main" in str(child.cmdline()) and seen:
                        child.kill()
                        killed.append(child.pid)
                        return
            time.sleep(0.005)

    thread = Thread(target=kill, daemon=True)
    thread.start()
    out = notes.with_name("killed.jsonl")
    task = NoteFileTask(notes, out, notes.with_name("patients.jsonl"))
    progress = Progress(advance=lambda done, planned: seen.append(done))
    two = detect_in_processes(partial(keep_task, task), 2)
    done = detect_file(task, progress, detection=two)
    killed.append(0)
    thread.join()
    assert [path.read_bytes() for path in (out, make_quarantine_path(out))] == alone[1]
    assert done.read == 330
    assert seen == list(range(1, 331))


def test_a_model_that_is_missing_is_told_once(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["detect", str(notes), "-o", str(notes.with_name("out.jsonl")), "--workers", "2"]
    assert main([*words, "--model", str(notes.parent / "absent"), "--plain"]) == 2
    assert capsys.readouterr().err.count("--model: not a directory") == 1
    assert not notes.with_name("out.jsonl").exists()

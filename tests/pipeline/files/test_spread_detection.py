"""Detection by parts in a shared folder: the same as in one process, or nothing at all."""

import fcntl
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.config.progress import Progress
from pipeline.files import spread_detection
from pipeline.files.note_files import NoteFileTask, detect_file
from pipeline.files.output_files import FileResult, make_quarantine_path
from pipeline.files.span_explanations import Finding
from pipeline.files.spread_detection import (
    PartWriting,
    SpreadDetection,
    detect_on_machines,
    write_parts,
)
from record.errors import ConfigError, Unavailable

Write = Callable[[SpreadDetection, Sequence[int], Sequence[str]], None]
Told = list[tuple[Finding, str]]

WORD = "glomvixique"
"""A word of every note that names nobody."""


def line(number: int) -> str:
    text = f"Mme Wexlovitch{number % 7} vue le {number % 28 + 1}/03/2019, {WORD}."
    note = {"note_id": f"n{number}", "person_id": str(number % 9), "text": text, "lang": "fr"}
    return json.dumps(note)


LINES = st.sampled_from(
    [
        *map(line, range(12)),
        *(
            "{no note",
            "",
            json.dumps({"note_id": "\ud800", "text": "M. \ud800 VAUQUELIN le 3 mai."}),
        ),
        json.dumps({"note_id": "long", "text": "x" * 1_000_001}),
    ]
)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Notes for several batches, and patients of most of them."""
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(f"{line(number)}\n" for number in range(100)))
    persons = [{"person_id": str(n), "family_names": [f"Wexlovitch{n}"]} for n in range(8)]
    (tmp_path / "patients.jsonl").write_text("".join(json.dumps(p) + "\n" for p in persons))
    return path


def task_of(notes: Path, name: str) -> NoteFileTask:
    patients = notes.with_name("patients.jsonl")
    told = ("rules",)
    return NoteFileTask(notes, notes.with_name(f"{name}.jsonl"), patients, detection=told)


def detect_alone(notes: Path) -> tuple[FileResult, Told, list[bytes]]:
    told: Told = []
    task = task_of(notes, "alone")
    done = detect_file(task, Progress(), lambda *each: told.append(each))
    return done, told, written(task)


def detect_in_parts(
    notes: Path, write: Write, tasks: int = 2, progress: Progress | None = None
) -> tuple[FileResult, Told, list[bytes]]:
    told: Told = []
    task, progress = task_of(notes, "parts"), progress or Progress()
    writing = PartWriting(write, tasks, (notes.with_name("patients.jsonl"),))
    detection = detect_on_machines(task, lambda _: task, writing, progress)
    try:
        done = detect_file(task, progress, lambda *each: told.append(each), detection=detection)
    finally:
        assert left(notes) == []
    return done, told, written(task)


def written(task: NoteFileTask) -> list[bytes]:
    return [path.read_bytes() for path in (task.out, make_quarantine_path(task.out))]


def left(notes: Path) -> list[Path]:
    return [path for path in notes.parent.iterdir() if path.name.startswith(".")]


def test_parts_hold_what_one_process_finds_and_no_text(notes: Path) -> None:
    stored: list[str] = []

    def write(job: SpreadDetection, units: Sequence[int], _: Sequence[str]) -> None:
        assert job.out.stat().st_mode & 0o777 == 0o700
        # The last first, and one twice, as where a task is tried again.
        for unit in (*reversed(units), units[0]):
            write_parts(job, [unit], [])
        assert job.pending() == []
        stored.extend(path.read_text() for path in job.out.iterdir())
        assert {path.stat().st_mode & 0o777 for path in job.out.glob("part-*")} == {0o600}

    phases: list[str] = []
    alone = detect_alone(notes)
    assert detect_in_parts(notes, write, progress=Progress(phase=phases.append)) == alone
    assert len(alone[1]) > 100
    assert phases == ["reading", "working", "writing"]
    # Seven batches of sixteen lines, and the order.
    assert len(stored) == 8
    assert any("known.family_names" in each for each in stored)
    assert not any(word in each for each in stored for word in (WORD, "Wexlovitch"))


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    lines=st.lists(LINES, max_size=70),
    tasks=st.integers(1, 3),
    shuffle=st.randoms(use_true_random=False),
)
def test_any_file_gives_the_same(
    notes: Path, lines: list[str], tasks: int, shuffle: Random
) -> None:
    def write(job: SpreadDetection, units: Sequence[int], _: Sequence[str]) -> None:
        mixed = list(units)
        shuffle.shuffle(mixed)
        for number in range(tasks):
            write_parts(job, mixed[number::tasks], [])

    notes.write_text("\n".join(lines))
    assert detect_in_parts(notes, write, tasks) == detect_alone(notes)


def test_other_notes_are_not_taken_for_these(notes: Path) -> None:
    lines = notes.read_text().splitlines(keepends=True)
    other = notes.with_name("other.jsonl")
    for changed in (
        [*lines[:50], lines[50].replace("Mme ", "Mr. "), *lines[51:]],
        lines[:-1],
        [*lines[:96], "\n", *lines[96:]],
        [*lines[:-20]],
    ):
        other.write_text("".join(changed))
        with pytest.raises(Unavailable, match="was changed, or is not the same file"):
            detect_in_parts(notes, lambda job, *rest: write_parts(replace(job, notes=other), *rest))
        assert not notes.with_name("parts.jsonl").exists()


def test_notes_that_come_meanwhile_end_the_command(notes: Path) -> None:
    def write(job: SpreadDetection, units: Sequence[int], arguments: Sequence[str]) -> None:
        write_parts(job, units, arguments)
        with job.notes.open("a") as file:
            file.writelines(f"{line(number)}\n" for number in range(100, 120))

    with pytest.raises(Unavailable, match="was changed"):
        detect_in_parts(notes, write)
    assert not notes.with_name("parts.jsonl").exists()


def test_machines_that_differ_end_the_command(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def on_another_runtime(job: SpreadDetection, units: Sequence[int], _: Sequence[str]) -> None:
        write_parts(job, units[:2], [])
        other = replace(task_of(notes, "parts"), detection=("tagger on another runtime",))
        write_parts(replace(job, make_task=lambda _: other), units[2:], [])

    def with_other_patients(job: SpreadDetection, units: Sequence[int], _: Sequence[str]) -> None:
        notes.with_name("patients.jsonl").write_text('{"person_id": "1"}\n')
        write_parts(job, units, [])

    def with_another_version(job: SpreadDetection, units: Sequence[int], _: Sequence[str]) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(spread_detection, "version", lambda name: "0.0.1")
            write_parts(job, units, [])

    def elsewhere(job: SpreadDetection, units: Sequence[int], _: Sequence[str]) -> None:
        write_parts(replace(job, out=job.out / "elsewhere"), units, [])

    for write, kind, said in (
        (on_another_runtime, ConfigError, "do not detect with the same models"),
        (with_another_version, ConfigError, "version 0.0.1, and the command has"),
        (elsewhere, Unavailable, "is not there.*give a folder that all machines share"),
        (with_other_patients, ConfigError, "patients.jsonl: is not that of the command"),
    ):
        with pytest.raises(kind, match=said):
            detect_in_parts(notes, write)
        assert not notes.with_name("parts.jsonl").exists()


def test_what_cannot_be_read_is_told_before_anything_is_started(notes: Path) -> None:
    started: list[object] = []

    def write(job: SpreadDetection, *_: object) -> None:
        started.append(job)

    notes.unlink()
    with pytest.raises(ConfigError, match="no such file"):
        detect_in_parts(notes, write)
    os.mkfifo(notes)
    with pytest.raises(ConfigError, match="write the notes to a file first"):
        detect_in_parts(notes, write)
    notes.unlink()
    notes.write_text(line(1))
    notes.with_name("patients.jsonl").unlink()
    with pytest.raises(ConfigError, match=r"patients\.jsonl: no such file"):
        detect_in_parts(notes, write)
    assert started == []


def test_folders_of_killed_processes_are_removed(notes: Path) -> None:
    folders = [notes.with_name(f".parts.jsonl.parts-{name}") for name in ("dead", "alive")]
    for folder in folders:
        folder.mkdir()
        (folder / "order.json").touch()
        (folder / "part-00000000.json").touch()
    with (folders[1] / "order.json").open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        task = task_of(notes, "parts")
        detection = detect_on_machines(
            task, lambda _: task, PartWriting(write_parts, 1), Progress()
        )
        assert detect_file(task, Progress(), detection=detection).written == 100
        assert left(notes) == [folders[1]]

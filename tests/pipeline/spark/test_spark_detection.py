"""Detection in files as tasks of Spark: the same bytes, and no text in what Spark is told."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.commands.options.detection import make_worker_task, pack_for_machines
from pipeline.files.output_files import make_quarantine_path
from pipeline.files.spread_detection import SpreadDetection, write_parts
from tests.pipeline.spark.test_cluster import has_spark

NAME, WORD = "Wexlovitch", "glomvixique"
"""A name that is known of a patient, and a word, both of every note."""


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What detects in notes for several batches, some of which are refused."""
    lines = []
    for number in range(150):
        text = f"Mme {NAME} vue le {number % 28 + 1}/03/2019, tel 06 12 34 56 78, {WORD}."
        note = {"note_id": str(number), "person_id": str(number % 3), "text": text, "lang": "fr"}
        lines.append(json.dumps(note) if number % 50 else "{no note")
    lines[77] = json.dumps({"note_id": "77", "text": "x" * 1_000_001})
    (tmp_path / "notes.jsonl").write_text("\n".join(lines) + "\n")
    persons = [{"person_id": str(n), "family_names": [NAME]} for n in range(2)]
    (tmp_path / "patients.jsonl").write_text("".join(json.dumps(p) + "\n" for p in persons))
    # Relative paths, which a worker starts elsewhere with.
    monkeypatch.chdir(tmp_path)
    share = ["--max-quarantine-share", "0.5"]
    return ["detect", "notes.jsonl", "--patients", "patients.jsonl", *share]


def written(out: str) -> list[bytes]:
    return [path.read_bytes() for path in (Path(out), make_quarantine_path(Path(out)))]


@has_spark
@pytest.mark.slow
def test_tasks_find_the_same(
    words: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    words += ["--json", "--explain"]
    assert main([*words, "-o", "alone.jsonl"]) == 0
    said = capfd.readouterr().out
    places = {name: tmp_path / name for name in ("conf", "events", "scratch")}
    for place in places.values():
        place.mkdir()
    (places["conf"] / "spark-defaults.conf").write_text(
        f"spark.eventLog.enabled true\nspark.eventLog.dir file:{places['events']}\n"
        f"spark.eventLog.compress false\nspark.local.dir {places['scratch']}\n"
    )
    environment = os.environ | {
        "SPARK_CONF_DIR": str(places["conf"]),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    spark = ["--engine", "spark", "--master", "local[2]", "--workers", "2"]
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "pipeline.cli", *words, "-o", "spread.jsonl", *spark],
        check=False, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert written("spread.jsonl") == written("alone.jsonl")
    assert b'"detector": "model' in written("alone.jsonl")[0]
    assert ended.stdout == said
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    events = [path for path in places["events"].rglob("*") if path.is_file()]
    # The control: these are the events of this command.
    assert any(b"cryptonym detect" in path.read_bytes() for path in events)
    stored = [path for path in places["scratch"].rglob("*") if path.is_file()] + events
    for data in (*(path.read_bytes() for path in stored), ended.stderr.encode()):
        assert NAME.encode() not in data
        assert WORD.encode() not in data


def test_what_a_task_carries(words: list[str], tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from pyspark import cloudpickle

    from pipeline.spark.cluster import make_batch_task

    names = ("detectors", "runtime", "thresholds", "min_score", "selection", "lang")
    options = argparse.Namespace(
        **dict.fromkeys(names), notes=Path("notes.jsonl"), output=Path("out.jsonl"),
        patients=Path("patients.jsonl"), model="none",
    )  # fmt: skip
    make = partial(make_worker_task, pack_for_machines(options))
    (tmp_path / "parts").mkdir()
    job = SpreadDetection(tmp_path / "notes.jsonl", tmp_path / "parts", 2, 5, make, explained=False)
    packed = cloudpickle.dumps(make_batch_task(job, write_parts))
    # The control: it says where they are.
    for known in ("patients.jsonl", tmp_path.name):
        assert known.encode() in packed
    assert NAME.encode() not in packed
    assert WORD.encode() not in packed
    assert len(packed) < 5_000


def refused(words: list[str], capfd: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    assert main([*words, "-o", "out.jsonl", "--plain", *arguments]) == code
    said = " ".join(capfd.readouterr().err.split())
    assert said.count("cryptonym: error: ") == 1
    assert "Remedy: " in said
    assert not Path("out.jsonl").exists()
    return said


def test_without_pyspark(
    words: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.delitem(sys.modules, "pipeline.spark.cluster", raising=False)
    monkeypatch.delattr("pipeline.spark.cluster", raising=False)
    said = refused(words, capfd, 2, "--engine", "spark", "--master", "local[1]")
    assert "pip install 'cryptonym[spark]'" in said


def test_what_cannot_begin(
    words: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    said = refused(words, capfd, 2, "--master", "local[1]")
    assert "--master: is that of Spark, and the engine is another one" in said
    spark = ["--engine", "spark", "--master"]
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        patch.delenv("JAVA_HOME", raising=False)
        assert "Spark needs Java" in refused(words, capfd, 2, *spark, "spark://127.0.0.1:1")
    if shutil.which("java"):
        said = refused(words, capfd, 4, *spark, "spark://127.0.0.1:1")
        assert "engine.master: no answer from spark://127.0.0.1:1" in said
        assert "must be spark://HOST:PORT" in refused(words, capfd, 2, *spark, "spark://localhost")
        said = refused(words, capfd, 2, *spark, "local[1]", "--model", "absent")
        assert "--model: not a directory: absent" in said

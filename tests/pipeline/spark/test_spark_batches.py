"""Batches of synthetic notes as tasks of Spark: the same notes, and none is missing unnoticed."""

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from pipeline.cli import main
from record.errors import Unavailable
from tests.pipeline.spark.test_cluster import has_spark
from tests.synthesis.letters import letters
from tests.synthesis.test_synthesize_commands import QUICK, SHORT, write


@has_spark
@pytest.mark.slow
def test_tasks_write_the_same_notes(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    notes = write(tmp_path / "notes.jsonl", letters(60))
    corpus, model = str(tmp_path / "corpus"), str(tmp_path / "model")
    assert main(["synthesize", "prepare", str(notes), "--inside", "-o", corpus, "--plain"]) == 0
    assert main(["synthesize", "train", corpus, "-o", model, *QUICK]) == 0
    words = ["synthesize", "generate", model, corpus, "--notes", "10", *SHORT, "-o"]
    assert main([*words, str(tmp_path / "alone")]) == 0
    spark = ["--engine", "spark", "--master", "local[2]", "--workers", "2"]
    environment = os.environ | {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "pipeline.cli", *words, str(tmp_path / "spread"), *spark],
        check=False, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    alone, spread = ((tmp_path / name / "notes.jsonl") for name in ("alone", "spread"))
    assert spread.read_bytes() == alone.read_bytes()


def test_batches_that_no_task_left_in_the_folder_are_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from pipeline.spark import cluster

    shares: list[object] = []

    def run_tasks(_: object, task: object, parts: list[object], watch: object) -> list[object]:
        shares.extend(parts)
        return []

    monkeypatch.setattr(cluster, "check_master", lambda master: None)
    monkeypatch.setattr(cluster, "open_context", lambda master, title: nullcontext())
    monkeypatch.setattr(cluster, "_run_tasks", run_tasks)
    spread = cluster.spread_batches("local[1]", "test", 2, lambda job, units, arguments: None)
    spread(SimpleNamespace(out=tmp_path, pending=lambda: [7]), [0, 1, 2], [])
    assert shares == [[0, 2], [1]]
    with pytest.raises(Unavailable, match=r"2 batches are missing.* all machines share"):
        spread(SimpleNamespace(out=tmp_path, pending=lambda: [1, 2, 7]), [0, 1, 2], [])


@pytest.mark.parametrize("command", ["generate", "fill"])
def test_options_that_do_not_go_together(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["synthesize", command, "model", "corpus", "-o", str(tmp_path / "out"), "--plain"]
    words += ["--notes", "1"] if command == "generate" else []
    for arguments, said in (
        (["--engine", "spark", "--runner=x"], "--runner=x: is an option of Apache Beam"),
        (["--master", "local[1]"], "--master: is that of Spark, and the engine is another one"),
    ):
        assert main([*words, *arguments]) == 2
        assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out").exists()

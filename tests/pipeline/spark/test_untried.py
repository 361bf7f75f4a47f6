"""Engines on which this program was never run are named in a warning, the others are not."""

import argparse
from typing import Any

import pytest

from pipeline.cli import load, make_parser
from pipeline.commands.options import engine


@pytest.mark.parametrize(
    ("rest", "named"),
    [
        (["--runner=FlinkRunner", "--job_endpoint=a:1"], "FlinkRunner"),
        (["--runner", "apache_beam.runners.DataflowRunner"], "DataflowRunner"),
        (["--runner=PrismRunner", "--prism_location=p"], None),
        (["--environment_type=EXTERNAL"], None),
        ([], None),
    ],
)
def test_runners_of_beam(rest: list[str], named: str | None) -> None:
    warnings: list[str] = []
    options = argparse.Namespace(engine=None, master=None, workers=2)
    engine.choose_batch_work(options, rest, lambda *_: None, warnings.append)
    expected = f"this program was never run on {named}: compare the first output with one that "
    assert warnings == ([] if named is None else [f"{expected}a single machine makes"])


@pytest.mark.parametrize(
    ("master", "environment", "named"),
    [
        ("yarn", {}, "YARN"),
        ("k8s://https://kubernetes.default.svc", {}, "Kubernetes"),
        (None, {"DATABRICKS_RUNTIME_VERSION": "15.4"}, "Databricks"),
        ("local[2]", {}, None),
        ("spark://head:7077", {}, None),
        (None, {}, None),
    ],
)
def test_masters_of_spark(
    master: str | None,
    environment: dict[str, str],
    named: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from pipeline.spark import cluster

    monkeypatch.setattr(cluster, "check_master", lambda _: None)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    warnings: list[str] = []
    parser: Any = argparse.ArgumentParser()
    options = argparse.Namespace(engine="spark", master=master, workers=2, parser=parser)
    engine.choose_batch_work(options, [], lambda *_: None, warnings.append)
    assert [warning.partition(":")[0] for warning in warnings] == (
        [] if named is None else [f"this program was never run on {named}"]
    )


@pytest.mark.parametrize("command", ["run", "watch", "release"])
def test_the_help_says_so(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit):
        make_parser(command, load(command)).parse_args([command, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "FlinkRunner, SparkRunner and DataflowRunner were never tried" in said
    assert "yarn, k8s:// and Databricks were never tried" in said

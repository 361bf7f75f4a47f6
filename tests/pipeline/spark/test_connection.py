"""A context of Spark: how its start fails, and that signals stay with the command."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from record.errors import ConfigError, Unavailable
from tests.pipeline.conftest import Site
from tests.pipeline.spark.test_cluster import has_spark, on_server, refused


@pytest.fixture
def connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module, whose Java has ended afterwards."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from pyspark import SparkContext

    from pipeline.spark import connection

    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    yield connection
    connection._end_java()
    # What other tests configure is not configured in a Java that is gone.
    SparkContext._gateway = SparkContext._jvm = None


@has_spark
@pytest.mark.parametrize("master", ["head:7077", "local[x]", "local[2", "http://head:7077", ""])
def test_a_master_that_spark_would_not_take(
    site: Site, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, master: str
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    monkeypatch.setenv("CRYPTONYM_TEST_STATE", "postgresql://localhost/nowhere")
    on_server(site, "")
    if master:
        said = refused(site, capfd, 2, "--engine", "spark", "--master", master)
    else:
        site.configure("[limits]", '[engine]\nkind = "spark"\nmaster = " "\n\n[limits]')
        said = refused(site, capfd, 2)
    assert "engine.master: " in said
    assert "is no URL of a master of Spark. Remedy: write spark://HOST:PORT" in said


@has_spark
@pytest.mark.parametrize(
    "master", ["local", "local[4]", "local[*]", "local[2,9]", "local-cluster[1, 1,1024]", "yarn",
               "k8s://https://kubernetes.default.svc"],
)  # fmt: skip
def test_masters_that_spark_takes(connection: Any, master: str) -> None:
    connection.check_master(master)


@pytest.mark.parametrize(
    ("master", "allowed"),
    [("local", "local[1,8]"), ("local[*]", "local[*,8]"), ("local[3]", "local[3,8]"),
     ("local[3,2]", "local[3,2]"), ("spark://head:7077", "spark://head:7077"), ("yarn", "yarn")],
)  # fmt: skip
def test_failures_that_a_master_is_told_to_allow(
    connection: Any, master: str, allowed: str
) -> None:
    assert connection.allow_failures(master, 7) == allowed
    assert connection.allow_failures(master, None) == master


@has_spark
def test_java_that_spark_does_not_run_on(
    connection: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with (
        pytest.raises(ConfigError, match=r"^engine\.kind: Spark ended as it was started"),
        connection.open_context("local[1]", "test"),
    ):
        pass


@has_spark
@pytest.mark.slow
def test_a_port_that_is_no_master_and_then_a_context(
    connection: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(connection, "_SECONDS_TO_REGISTER", 5)
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with socket.create_server(("127.0.0.1", 0)) as server:
        master = f"spark://127.0.0.1:{server.getsockname()[1]}"
        connection.check_master(master)
        with (
            pytest.raises(Unavailable, match=f"^engine.master: no master of Spark .* at {master}"),
            connection.open_context(master, "test"),
        ):
            pass
    assert "Traceback" not in capfd.readouterr().err
    # As `cryptonym watch` does, which tries again.
    with connection.open_context("local[1]", "test", 7) as context:
        assert context.master == "local[1,8]"
        assert context.getConf().get("spark.task.maxFailures") == "8"
        assert signal.getsignal(signal.SIGINT) is handlers[0]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_settings_of_the_site_stay(connection: Any) -> None:
    from pyspark import SparkConf

    conf = SparkConf(loadDefaults=False)
    connection.configure(conf, "spark://head:7077", 7)
    assert dict(conf.getAll()) == {
        "spark.master": "spark://head:7077",
        "spark.ui.showConsoleProgress": "false",
        "spark.task.maxFailures": "8",
        "spark.executor.maxNumFailures": "8",
        "spark.excludeOnFailure.enabled": "false",
    }
    conf = SparkConf(loadDefaults=False)
    conf.set("spark.task.maxFailures", "900").set("spark.task.resource.gpu.amount", "1")
    conf.set("spark.excludeOnFailure.enabled", "true")
    connection.configure(conf, None, 7)
    assert conf.get("spark.task.maxFailures") == "900"
    assert conf.get("spark.excludeOnFailure.enabled") == "false"
    # Each task in a process of its own, which has loaded nothing on another GPU.
    assert conf.get("spark.python.worker.reuse") == "false"


@pytest.mark.parametrize(
    ("resources", "expected"),
    [({"gpu": ["3"]}, "3"), ({"gpu": ["0", "2"]}, "0,2"), ({"fpga": ["1"]}, "7"), ({}, "7"),
     (None, "7")],
)  # fmt: skip
def test_a_task_sees_the_gpus_that_it_was_given(
    resources: dict[str, list[str]] | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from pyspark import TaskContext
    from pyspark.resource import ResourceInformation

    from pipeline.spark import cluster

    class Task:
        def resources(self) -> dict[str, ResourceInformation]:
            assert resources is not None
            return {name: ResourceInformation(name, each) for name, each in resources.items()}

    task = None if resources is None else Task()
    monkeypatch.setattr(TaskContext, "get", lambda: task)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    seen: list[str] = []
    ended = cluster.work(lambda _: seen.append(os.environ["CUDA_VISIBLE_DEVICES"]), 0)
    assert (ended.error, seen) == ("", [expected])

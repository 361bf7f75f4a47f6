"""Spark as the engine: what is refused, and a real standalone cluster for the other tests."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

from pipeline.cli import main
from tests.pipeline.conftest import Site

has_spark = pytest.mark.skipif(
    shutil.which("java") is None, reason="Java is not installed: Spark needs version 17 or later"
)


def refused(site: Site, capfd: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    assert main(["run", str(site.config), "--plain", *arguments]) == code
    said = capfd.readouterr().err
    assert said.count("cryptonym: error: ") == 1
    assert "Remedy: " in said
    assert site.released() == {}
    return said


def on_server(site: Site, url: str) -> Site:
    site.environment |= {"CRYPTONYM_TEST_STATE": url}
    site.configure('url = "sqlite:///state.db"', 'url = "env:CRYPTONYM_TEST_STATE"')
    return site


# Refusals ----------------------------------------------------------------------------------------


def test_without_pyspark(
    site: Site, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.delitem(sys.modules, "pipeline.spark.cluster", raising=False)
    # Of a test before this one.
    monkeypatch.delattr("pipeline.spark.cluster", raising=False)
    said = refused(site, capfd, 2, "--engine", "spark", "--master", "local[1]")
    assert "pip install 'cryptonym[spark]'" in said


def test_options_that_do_not_go_together(site: Site, capfd: pytest.CaptureFixture[str]) -> None:
    said = refused(site, capfd, 2, "--engine", "spark", "--runner=PrismRunner")
    assert "--runner=PrismRunner: is an option of Apache Beam" in said
    said = refused(site, capfd, 2, "--master", "spark://localhost:7077")
    assert "--master: is that of Spark" in said
    site.configure("[limits]", '[engine]\nmaster = "spark://localhost:7077"\n\n[limits]')
    assert "engine.master" in refused(site, capfd, 2)


def test_a_state_that_is_a_file(site: Site, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    said = refused(site, capfd, 2, "--engine", "spark", "--master", "local[1]")
    assert "state.url: must be PostgreSQL" in said


def test_without_java_or_a_master_that_answers(
    site: Site, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    monkeypatch.setenv("CRYPTONYM_TEST_STATE", "postgresql://localhost/nowhere")
    on_server(site, "")
    spark = ["--engine", "spark", "--master"]
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        patch.delenv("JAVA_HOME", raising=False)
        assert "Spark needs Java" in refused(site, capfd, 2, *spark, "spark://127.0.0.1:1")
        patch.setenv("JAVA_HOME", "/nowhere")
        assert "Spark needs Java" in refused(site, capfd, 2, *spark, "spark://127.0.0.1:1")
    if shutil.which("java"):
        said = refused(site, capfd, 4, *spark, "spark://127.0.0.1:1")
        assert "engine.master: no answer from spark://127.0.0.1:1" in said
        assert "must be spark://HOST:PORT" in refused(site, capfd, 2, *spark, "spark://localhost")


def test_a_password_in_a_url_is_not_sent(site: Site, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    site.configure('"sqlite:///state.db"', '"postgresql://me:s3cret@localhost/db"')
    said = refused(site, capfd, 2, "--engine", "spark", "--master", "spark://127.0.0.1:1")
    assert "state.url: must not hold a password" in said
    assert "s3cret" not in said


# A cluster ---------------------------------------------------------------------------------------


class Host(NamedTuple):
    """Where a worker runs: its address, and what is put before its command."""

    address: str
    prefix: tuple[str, ...] = ()


HERE, THERE = Host("127.0.0.1"), Host("127.0.0.2")
"""Two hosts for Spark, which starts no copy of a task on the host of the first one."""


@contextmanager
def start_cluster(
    folder: Path, state_url: str, hosts: Sequence[Host]
) -> Iterator[tuple[str, list[psutil.Process]]]:
    """A master and a worker on each host, from PySpark's own jars; gives its URL and the workers.

    The master has the address of the first host.
    """
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed")
    home = Path(pyspark.__file__).parent
    # Else Spark looks for the folders of its own build.
    environment = os.environ | {"SPARK_HOME": str(home), "SPARK_SCALA_VERSION": "2.13"}
    environment["CRYPTONYM_TEST_STATE"] = state_url
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    master = hosts[0].address
    with socket.socket() as probe:
        probe.bind((master, 0))
        port = probe.getsockname()[1]
    with ExitStack() as stack:

        def start(name: str, host: Host, *arguments: str) -> psutil.Process:
            log = stack.enter_context((folder / f"{name}-{host.address}.log").open("a"))
            command = ["java", "-XX:TieredStopAtLevel=1", "-Xmx512m", "-cp", f"{home}/jars/*"]
            command += ["-Dspark.master.rest.enabled=false"]
            process = psutil.Popen(
                [*host.prefix, *command, f"org.apache.spark.deploy.{name}",
                 "--host", host.address, "--webui-port", "0", *arguments],
                stdout=log, stderr=log, env=environment | {"SPARK_LOCAL_IP": host.address},
            )  # fmt: skip
            stack.callback(process.wait, 60)
            stack.callback(end, process)
            return process

        start("master.Master", Host(master), "--port", str(port))
        wait_until(lambda: is_open(master, port))
        url = f"spark://{master}:{port}"
        places = ["--cores", "1", "--memory", "1g", "--work-dir"]
        workers = [
            start("worker.Worker", host, *places, str(folder / f"work-{number}"), url)
            for number, host in enumerate(hosts)
        ]
        yield url, workers


@pytest.fixture
def cluster(tmp_path: Path, postgres_url: str) -> Iterator[tuple[str, list[psutil.Process]]]:
    """A cluster of two workers, both on this machine."""
    with start_cluster(tmp_path, postgres_url, [HERE, THERE]) as made:
        yield made


def end(process: psutil.Process) -> None:
    """Kill a process with all that it started."""
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for one in family:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue


def is_open(address: str, port: int) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex((address, port)) == 0


def wait_until(found: Callable[[], Any], process: "subprocess.Popen[str] | None" = None) -> Any:
    deadline = time.monotonic() + 600
    while not (value := found()):
        assert time.monotonic() < deadline
        if process is not None and process.poll() is not None:
            raise AssertionError(process.communicate()[1])
        time.sleep(0.1)
    return value

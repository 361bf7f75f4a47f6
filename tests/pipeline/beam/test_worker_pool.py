"""Workers of portable runners: where a pool listens, how a worker's end is told, and equality."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest
from apache_beam.options.pipeline_options import PortableOptions
from apache_beam.portability.api import beam_fn_api_pb2, beam_fn_api_pb2_grpc

from pipeline.beam.failures import RunnerFailed, run_pipeline
from pipeline.beam.runners import (
    list_deaths,
    list_pipelines,
    list_pools,
    make_pipeline,
    split_runner,
)
from pipeline.beam.worker_pool import WorkerPool, is_loopback, parse_address
from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_USAGE
from record.errors import ConfigError
from tests.pipeline.conftest import Site

ROOT = Path(__file__).parents[3]

PRISM = os.environ.get("CRYPTONYM_TEST_PRISM") or shutil.which("prism")
"""Prism, built by `go install github.com/apache/beam/sdks/v2/go/cmd/prism@v2.77.0`."""
needs_prism = pytest.mark.skipif(
    PRISM is None, reason="Prism is not there: build it, and set CRYPTONYM_TEST_PRISM to the file"
)


# Where it listens --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0.0.0.0:50000", "stands for all interfaces"),
        ("[::]:50000", "stands for all interfaces"),
        ("0:50000", "stands for all interfaces"),
        ("localhost", "must be HOST:PORT"),
        ("localhost:http", "must be HOST:PORT"),
        ("localhost:70000", "must be HOST:PORT"),
        ("no.such.host.invalid:50000", "unknown host"),
        ("192.0.2.7:0", "cannot listen on"),
    ],
)
def test_addresses_that_are_refused(
    text: str, problem: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["worker", "--listen", text]) == EXIT_USAGE
    said = capfd.readouterr().err
    assert problem in said
    assert "Remedy: " in said


def test_a_pool_listens_on_its_address_alone() -> None:
    assert parse_address(":50000") == ("127.0.0.1", 50000)
    assert is_loopback("127.0.0.1")
    assert not is_loopback("192.0.2.7")
    with WorkerPool(*parse_address("127.0.0.1:0"), lambda line: None) as pool:
        port = int(pool.address.rpartition(":")[2])
        mine = psutil.Process().net_connections("inet")
        listening = {c.laddr.ip for c in mine if c.status == psutil.CONN_LISTEN}
        assert {ip.removeprefix("::ffff:") for ip in listening} == {"127.0.0.1"}
        with pytest.raises(ConfigError, match="cannot listen"):
            WorkerPool("127.0.0.1", port, lambda line: None)


# How a worker ends -------------------------------------------------------------------------------


def wait_for(lines: list[str], word: str) -> str:
    deadline = time.monotonic() + 120
    while not (found := [line for line in lines if word in line]):
        assert time.monotonic() < deadline, lines
        time.sleep(0.05)
    return found[0]


def test_a_pool_starts_its_own_interpreter_and_tells_why_a_worker_died(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    lines: list[str] = []
    with WorkerPool("127.0.0.1", 0, lines.append) as pool:
        channel = grpc.insecure_channel(pool.address)
        stub = beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolStub(channel)
        request = beam_fn_api_pb2.StartWorkerRequest(worker_id="first")
        request.control_endpoint.url = "127.0.0.1:1"
        assert not stub.StartWorker(request).error
        pid = int(wait_for(lines, "started").rpartition("pid ")[2].rstrip(")"))
        assert Path(psutil.Process(pid).cmdline()[0]).name == Path(sys.executable).name
        os.kill(pid, signal.SIGKILL)
        assert wait_for(lines, "died") == "worker first died: killed by SIGKILL"
        channel.close()


def test_how_a_worker_of_loopback_died_is_told_with_the_failure_of_its_runner() -> None:
    pipeline = make_pipeline(["--runner=PortableRunner", "--environment_type=LOOPBACK"])
    portable = pipeline.options.view_as(PortableOptions)
    channel = grpc.insecure_channel(portable.environment_config)
    stub = beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolStub(channel)
    request = beam_fn_api_pb2.StartWorkerRequest(worker_id="first")
    request.control_endpoint.url = "127.0.0.1:1"
    assert not stub.StartWorker(request).error
    (worker,) = [
        child for child in psutil.Process().children() if "pipeline.beam.harness" in child.cmdline()
    ]
    worker.kill()
    deadline = time.monotonic() + 60
    while not list_deaths() and time.monotonic() < deadline:
        time.sleep(0.05)
    channel.close()

    class Failing:
        runner = None

        def run(self) -> None:
            raise ValueError("Wexlovitch")

    with pytest.raises(RunnerFailed) as caught:
        run_pipeline(Failing(), "nothing was released")  # type: ignore[arg-type]
    assert str(caught.value) == (
        "the runner failed with ValueError; worker first died: killed by SIGKILL; "
        "nothing was released"
    )


def test_a_name_from_outside_is_escaped() -> None:
    lines: list[str] = []
    with WorkerPool("127.0.0.1", 0, lines.append) as pool:
        channel = grpc.insecure_channel(pool.address)
        stub = beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolStub(channel)
        names = "one\nworker two died\x1b[31m", "\u202egnp"
        for name in names:
            request = beam_fn_api_pb2.StartWorkerRequest(worker_id=name)
            request.control_endpoint.url = "127.0.0.1:1"
            assert not stub.StartWorker(request).error
            stub.StopWorker(beam_fn_api_pb2.StopWorkerRequest(worker_id=name))
        refused = stub.StartWorker(beam_fn_api_pb2.StartWorkerRequest(worker_id="a\0b"))
        assert refused.error == "the worker cannot be started: ValueError"
        wait_for(lines, "gnp ended")
        channel.close()
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert lines[0].startswith(r"worker one\nworker two died\x1b[31m started (pid ")


# Options -----------------------------------------------------------------------------------------


def test_each_pool_has_a_pipeline() -> None:
    both = ["--runner=PrismRunner", "--environment_type=EXTERNAL", "--environment_config=a:1, b:2"]
    external = ["--runner=PrismRunner", "--environment_type=EXTERNAL"]
    assert list_pools(both) == [
        [*external, "--environment_config=a:1"],
        [*external, "--environment_config=b:2"],
    ]
    assert list_pools(external) == [external]
    assert list_pools([]) == [[]]


def test_a_pipeline_whose_workers_may_die_by_themselves_is_in_a_process_of_its_own(
    tmp_path: Path,
) -> None:
    prism = ["--runner=PrismRunner", f"--prism_location={tmp_path / 'prism'}"]
    (tmp_path / "prism").touch()
    flink = ["--runner=FlinkRunner", "--job_endpoint=localhost:1"]
    pool = "--environment_config=a:1"
    for own in (
        ["--environment_type=EXTERNAL", pool],
        prism,
        [*prism, "--environment_type=LOOPBACK"],
        [*flink, "--environment_type=PROCESS"],
    ):
        assert list_pipelines(own, 3) == [["--claimers=3", *own]]
    both = [*prism, "--environment_type=EXTERNAL", "--environment_config=a:1,b:2"]
    assert list_pipelines(both, 3) == list_pools(both)
    for other in ([], ["--runner=FnApiRunner"], flink, [*flink, "--environment_type=DOCKER"]):
        assert list_pipelines(other, 3) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--runner=FlinkRunner"],
            ("never downloaded", "never run", "--flink_job_server_jar=FILE"),
        ),
        (["--runner=SparkRunner"], ("never downloaded", "--spark_job_server_jar=FILE")),
        (
            ["--runner=FlinkRunner", "--flink_job_server_jar=https://example.org/x.jar"],
            ("never downloaded",),
        ),
        (["--runner=FlinkRunner", "--flink_job_server_jar=no.jar"], ("no such file: no.jar",)),
        (["--runner=DataflowRunner"], ("never run", "apache-beam[gcp]")),
        (["--runner=PrismRunner", "--prism_location=no"], ("no such file: no", "go install")),
    ],
)
def test_what_a_runner_lacks_is_told_and_not_fetched(
    arguments: list[str], words: tuple[str, ...]
) -> None:
    with pytest.raises(ConfigError) as caught:
        split_runner(arguments)
    for word in words:
        assert word in str(caught.value)
    assert split_runner(["--runner=FlinkRunner", "--job_endpoint=localhost:1"])[0] == "FlinkRunner"


def test_a_misspelt_option_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "nightly.toml").write_text(
        '[source]\nurl = "sqlite:///a.db"\n[output]\nurl = "sqlite:///b.db"\n'
    )
    words = ["run", "nightly.toml", "--worker", "2", "--progress", "none"]
    program = f"import sys; from pipeline.cli import main; sys.exit(main({words}))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, check=False, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 2
    (said,) = done.stderr.splitlines()
    assert said.startswith("cryptonym: error: --worker: neither an option of cryptonym nor of")
    assert "did you mean --workers?" in said


# Prism -------------------------------------------------------------------------------------------


@pytest.fixture
def start_pool(tmp_path: Path) -> Iterator[Callable[[Site], tuple[subprocess.Popen[str], str]]]:
    """Starts `cryptonym worker` on a free port; gives the process and the address."""
    with ExitStack() as stack:

        def start(site: Site) -> tuple[subprocess.Popen[str], str]:
            command = [sys.executable, "-P", "-m", "pipeline.cli", "worker", "--plain"]
            process = stack.enter_context(
                subprocess.Popen(
                    [*command, "--listen", "127.0.0.1:0"],
                    stdout=subprocess.PIPE, text=True, env=site.environment,
                )
            )  # fmt: skip
            stack.callback(process.terminate)
            assert process.stdout
            first = process.stdout.readline()
            assert first.startswith("listening on 127.0.0.1:")
            return process, first.split()[-1]

        yield start


@needs_prism
@pytest.mark.slow
def test_prism_with_two_pools_of_which_one_loses_its_worker(
    make_site: Callable[..., Site],
    peaceful: str,
    start_pool: Callable[[Site], tuple[subprocess.Popen[str], str]],
) -> None:
    site = make_site(30)
    site.configure("[limits]", "[engine]\nlease_seconds = 5\n\n[limits]")
    (first, one), (second, two) = start_pool(site), start_pool(site)
    process = site.start(
        "--runner=PrismRunner", f"--prism_location={PRISM}",
        "--environment_type=EXTERNAL", f"--environment_config={one},{two}",
    )  # fmt: skip
    workers = [wait_for_child(pool, process) for pool in (first, second)]
    workers[0].kill()
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == 0, stderr
    assert site.digest() == peaceful
    first.terminate()
    assert first.stdout
    assert "died: killed by SIGKILL" in first.stdout.read()


@pytest.mark.slow
def test_a_pool_by_itself_loses_its_worker_and_the_run_goes_on(
    make_site: Callable[..., Site],
    peaceful: str,
    start_pool: Callable[[Site], tuple[subprocess.Popen[str], str]],
) -> None:
    site = make_site(30)
    site.configure("[limits]", "[engine]\nlease_seconds = 5\n\n[limits]")
    pool, address = start_pool(site)
    process = site.start("--environment_type=EXTERNAL", f"--environment_config={address}")
    worker = wait_for_child(pool, process)
    wait_for_unit(site)
    worker.kill()
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == 0, stderr
    assert site.digest() == peaceful
    pool.terminate()
    assert pool.stdout
    assert pool.stdout.read().count("died: killed by SIGKILL") == 1


def wait_for_unit(site: Site) -> None:
    """Wait until a worker holds a unit."""
    held = "select count(*) from run_unit where done = 0 and lease_ends > 0"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        # It is not made at once.
        with (
            suppress(sqlite3.OperationalError),
            closing(sqlite3.connect(site.folder / "state.db")) as state,
        ):
            if state.execute(held).fetchone()[0]:
                return
        time.sleep(0.02)
    raise AssertionError("no worker had a unit")


def wait_for_child(pool: subprocess.Popen[str], run: subprocess.Popen[str]) -> psutil.Process:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        assert run.poll() is None
        with suppress(psutil.Error):
            if found := psutil.Process(pool.pid).children():
                return found[0]
        time.sleep(0.1)
    raise AssertionError("the pool was asked for no worker")


@needs_prism
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["LOOPBACK", "PROCESS"])
def test_prism_with_workers_of_this_machine(
    make_site: Callable[..., Site], peaceful: str, kind: str
) -> None:
    site = make_site(30)
    found: Any = site.run(
        "--runner=PrismRunner", f"--prism_location={PRISM}", f"--environment_type={kind}"
    )
    assert found.returncode == 0, found.stderr
    assert site.digest() == peaceful


@needs_prism
@pytest.mark.slow
def test_prism_whose_own_worker_dies_is_started_again(
    make_site: Callable[..., Site], peaceful: str
) -> None:
    site = make_site(30)
    process = start_on_prism(site)
    wait_for_unit(site)
    os.kill(find(site, "pipeline.beam.harness")[0], signal.SIGKILL)
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == 0, stderr
    assert site.digest() == peaceful
    assert site.wait_until_empty() == {}


@needs_prism
@pytest.mark.slow
@pytest.mark.parametrize(
    ("victim", "number", "code"),
    [
        ("pipeline.cli", signal.SIGINT, 130),
        ("pipeline.beam.process", signal.SIGINT, 130),
        ("pipeline.cli", signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_what_ends_a_run_on_prism_leaves_nothing_running(
    make_site: Callable[..., Site], victim: str, number: signal.Signals, code: int
) -> None:
    site = make_site(60)
    process = start_on_prism(site)
    wait_for_unit(site)
    assert find(site, "prism")
    os.kill(find(site, victim)[0], number)
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == code, stderr
    assert site.wait_until_empty() == {}
    assert site.released() == {}


def start_on_prism(site: Site) -> subprocess.Popen[str]:
    loopback = "--environment_type=LOOPBACK"
    return site.start("--runner=PrismRunner", f"--prism_location={PRISM}", loopback)


def find(site: Site, program: str) -> list[int]:
    """The processes of a site that run a module or program."""
    commands = {pid: line.split("\0") for pid, line in site.processes().items()}
    return sorted(
        pid for pid, words in commands.items() if program in (Path(words[0]).name, *words[:5])
    )

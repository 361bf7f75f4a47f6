"""Faults on a Spark cluster, each while its victim holds a unit: the same bytes in the end.

A killed worker, a killed driver and a stopped worker strike nights of 2,000 short notes, the others
nights of 30. CRYPTONYM_SPARK_NOTES is the size of all: `python -m benchmarks.night.spark_faults`.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
from sqlalchemy import Engine, create_engine, text

from models.tagger.shipped_model import NO_MODEL
from pipeline.night.demo import make_demo_config
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from surrogates.keys.keys import new_master
from synthesis.fictional.hospital import make_hospital
from synthesis.fictional.omop import write_omop
from tests.keys import derive
from tests.pipeline.conftest import Site
from tests.pipeline.spark.test_cluster import cluster, has_spark, on_server, wait_until

__all__ = ["cluster"]  # a fixture

pytestmark = [pytest.mark.slow, has_spark]
ASKED = os.environ.get("CRYPTONYM_SPARK_NOTES")
long_night = pytest.mark.parametrize("hospital", [int(ASKED or 2_000)], indirect=True)
short_night = pytest.mark.parametrize("hospital", [int(ASKED or 30)], indirect=True)
LEASE = 3
NOTES_PER_PATIENT, CHARACTERS = 10, 300
HELD = text("select holder, unit, attempt from run_unit where done = 0 and lease_ends > 0")
UNIT = text("select holder, attempt, done from run_unit where unit = :unit")


@dataclass
class Night:
    """A night on a cluster, seen from outside."""

    site: Site
    master: str
    workers: list[psutil.Process]
    state: Engine
    arguments: tuple[str, ...] = ()

    def start(self) -> "subprocess.Popen[str]":
        return self.site.start("--engine", "spark", "--master", self.master, *self.arguments)

    def rows(self, query: Any, **values: Any) -> list[Any]:
        with self.state.connect() as connection:
            if not connection.scalar(text("select to_regclass('run_unit')")):
                return []
            return list(connection.execute(query, values).all())

    def find_worker(self, holder: int) -> psutil.Process:
        """The worker of Spark that started a process."""
        return next(
            one
            for one in self.workers
            if holder in [child.pid for child in one.children(recursive=True)]
        )

    def find_holders(self) -> list[tuple[int, int, int]]:
        """Processes of the executors that hold a unit: id, unit and attempt."""
        family = {child.pid for one in self.workers for child in one.children(recursive=True)}
        held = [(int(holder.split(":")[1]), unit, n) for holder, unit, n in self.rows(HELD)]
        return [each for each in held if each[0] in family]

    def check_held(self, unit: int, attempt: int) -> None:
        """The victim's unit is claimed by it, and not finished, when the fault has struck."""
        ((_, now, done),) = self.rows(UNIT, unit=unit)
        assert (now, done) == (attempt, 0)

    def check_end(self, process: "subprocess.Popen[str]", expected: str) -> None:
        _, stderr = process.communicate(timeout=1800)
        assert process.returncode == 0, stderr
        assert self.site.digest() == expected
        assert self.rows(text("select min(done), max(done) from run_unit")) == [(1, 1)]
        ids = [row[0] for row in self.site.source("select note_id from note order by note_id")]
        counted = self.rows(text("select note_id from ledger order by note_id"))
        assert [row[0] for row in counted] == ids


@dataclass(frozen=True)
class Hospital:
    """A site to copy, how many of its notes are read, and the digest of its night in memory."""

    template: Path
    notes: int
    digest: str

    def copy(self, folder: Path) -> Site:
        return Site(folder, self.template, self.notes)


@pytest.fixture(scope="module")
def hospital(
    request: pytest.FixtureRequest, template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Hospital:
    """The hospital of the other tests, or a larger one where more notes are asked for."""
    notes: int = request.param
    folder = tmp_path_factory.mktemp("hospital")
    made = template if notes <= 100 else make_large_hospital(folder / "demo", notes)
    site = Site(folder / "site", made, notes)
    site.configure("notes_per_unit = 5", "notes_per_unit = 100")
    assert run_nightly(site.config, run_in_process).exit_code == 0
    return Hospital(made, notes, site.digest())


def make_large_hospital(folder: Path, notes: int) -> Path:
    """A hospital of about so many short notes, read by rules."""
    patients = notes // NOTES_PER_PATIENT + 1
    folder.mkdir()
    (folder / "pdf").mkdir()
    made = make_hospital(
        patients, seed=7, notes_per_patient=NOTES_PER_PATIENT, mean_characters=CHARACTERS,
        pdf_share=0.0, scan_share=0.0,
    )  # fmt: skip
    engine = create_engine(f"sqlite:///{folder / 'hospital.db'}")
    write_omop(made, engine, notes=made.notes())
    engine.dispose()
    (folder / "nightly.toml").write_text(make_demo_config("fr", NO_MODEL))
    new_master(folder / "master.key")
    derive(folder / "master.key", "research")
    return folder


@pytest.fixture
def make_night(
    hospital: Hospital,
    tmp_path: Path,
    cluster: tuple[str, list[psutil.Process]],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., Night]]:
    with ExitStack() as stack:

        def make(url: str, *arguments: str) -> Night:
            monkeypatch.setenv("CRYPTONYM_TEST_STATE", url)
            site = hospital.copy(tmp_path / "site")
            return stack.enter_context(prepare_night(site, url, cluster, *arguments))

        yield make


@contextmanager
def prepare_night(
    site: Site, url: str, cluster: tuple[str, list[psutil.Process]], *arguments: str
) -> Iterator[Night]:
    """A night of a site whose state is at a URL, in units of few notes and with short leases."""
    on_server(site, url)
    site.configure("[limits]", f"[engine]\nlease_seconds = {LEASE}\n\n[limits]")
    ((count,),) = site.source("select count(*) from note")
    # So that a unit of short notes takes a second or two.
    size = 2 if count <= 100 else 100
    site.configure("notes_per_unit = 5", f"notes_per_unit = {size}")
    site.environment |= {
        "SPARK_LOCAL_IP": urlsplit(cluster[0]).hostname or "",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    engine = create_engine(url, pool_pre_ping=True)
    yield Night(site, *cluster, engine, arguments)
    engine.dispose()


@short_night
@pytest.mark.parametrize("tasks", [1, 2] if ASKED else [2])
def test_a_night_by_tasks(
    make_night: Callable[..., Night], postgres_url: str, hospital: Hospital, tasks: int
) -> None:
    night = make_night(postgres_url, "--workers", str(tasks))
    started = time.perf_counter()
    night.check_end(night.start(), hospital.digest)
    seconds = time.perf_counter() - started
    ((count,),) = night.site.source("select count(*) from note")
    print(f"\n{tasks} tasks: {count} notes in {seconds:.1f} s, {count / seconds:.0f} a second")


@long_night
def test_a_worker_is_killed(
    make_night: Callable[..., Night], postgres_url: str, hospital: Hospital
) -> None:
    night = make_night(postgres_url)
    process = night.start()
    victim, unit, attempt = wait_until(night.find_holders, process)[0]
    worker = night.find_worker(victim)
    for one in [worker, *worker.children(recursive=True)]:
        os.kill(one.pid, signal.SIGKILL)
    night.check_held(unit, attempt)
    night.check_end(process, hospital.digest)
    ((_, taken, _),) = night.rows(UNIT, unit=unit)
    assert taken == attempt + 1


@long_night
def test_the_driver_is_killed_and_the_command_run_again(
    make_night: Callable[..., Night], postgres_url: str, hospital: Hospital
) -> None:
    night = make_night(postgres_url)
    process = night.start()
    _, unit, attempt = wait_until(night.find_holders, process)[0]
    os.killpg(process.pid, signal.SIGKILL)
    night.check_held(unit, attempt)
    process.communicate()
    night.check_end(night.start(), hospital.digest)


@long_night
def test_a_worker_is_stopped_beyond_its_lease_and_continued(
    make_night: Callable[..., Night], postgres_url: str, hospital: Hospital
) -> None:
    night = make_night(postgres_url)
    process = night.start()
    victim, unit, attempt = wait_until(night.find_holders, process)[0]
    os.kill(victim, signal.SIGSTOP)
    night.check_held(unit, attempt)
    try:
        wait_until(lambda: night.rows(UNIT, unit=unit)[0][2] == 1, process)
        ((holder, taken, _),) = night.rows(UNIT, unit=unit)
        assert int(holder.split(":")[1]) != victim
        assert taken == attempt + 1
    finally:
        os.kill(victim, signal.SIGCONT)
    night.check_end(process, hospital.digest)
    # What it had done of the unit before it was stopped was refused.
    assert night.rows(UNIT, unit=unit) == [(holder, taken, 1)]


@short_night
def test_copies_of_a_task(
    make_night: Callable[..., Night], postgres_url: str, hospital: Hospital, tmp_path: Path
) -> None:
    night = make_night(postgres_url, "--workers", "1")
    (tmp_path / "spark-defaults.conf").write_text(
        "spark.speculation true\nspark.speculation.interval 100ms\n"
        "spark.speculation.minTaskRuntime 100ms\n"
        "spark.speculation.task.duration.threshold 1s\n"
    )
    night.site.environment["SPARK_CONF_DIR"] = str(tmp_path)
    # The copy gets a unit before the lease of the first one ends.
    night.site.configure(f"lease_seconds = {LEASE}", "lease_seconds = 600")
    process = night.start()
    victim, unit, attempt = wait_until(night.find_holders, process)[0]
    os.kill(victim, signal.SIGSTOP)
    night.check_held(unit, attempt)
    try:
        wait_until(lambda: len({pid for pid, _, _ in night.find_holders()}) == 2, process)
        night.check_held(unit, attempt)
    finally:
        os.kill(victim, signal.SIGCONT)
    night.check_end(process, hospital.digest)


@contextmanager
def run_server(address: str) -> Iterator[tuple[str, Callable[[], None]]]:
    """A PostgreSQL server of the test's own; gives its URL, and what restarts it."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if not found:
        pytest.skip("PostgreSQL of the distribution is not installed: it is to be restarted")
    # Not a folder of pytest, which shuts other accounts out of it.
    folder = Path(tempfile.mkdtemp(prefix="cryptonym-spark-"))
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    with socket.socket() as probe:
        probe.bind((address, 0))
        port = probe.getsockname()[1]

    def run(program: str, *arguments: str) -> None:
        command = [str(found[-1].with_name(program)), "-D", str(folder / "data"), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", user=user)

    listen = f"-p {port} -c listen_addresses={address} -c unix_socket_directories={folder}"
    run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8")
    with (folder / "data" / "pg_hba.conf").open("a") as rules:
        rules.write(f"host all all {address}/24 trust\n")
    start = ("-w", "-l", str(folder / "log"), "-o", listen)
    run("pg_ctl", *start, "start")
    try:
        yield (
            f"postgresql+psycopg://postgres@{address}:{port}/postgres",
            lambda: run("pg_ctl", *start, "-m", "immediate", "restart"),
        )
    finally:
        run("pg_ctl", "-w", "-m", "immediate", "stop")
        shutil.rmtree(folder)


@short_night
def test_the_state_database_is_restarted(
    make_night: Callable[..., Night], hospital: Hospital
) -> None:
    with run_server("127.0.0.1") as (url, restart):
        restart_state(make_night(url), url, restart, hospital.digest)


def restart_state(night: Night, url: str, restart: Callable[[], None], expected: str) -> None:
    # Executors read the variable from the cluster, which knows another server.
    night.site.configure('"env:CRYPTONYM_TEST_STATE"', f'"{url}"')
    process = night.start()
    _, unit, attempt = wait_until(night.find_holders, process)[0]
    # Suspended, so that it still holds the unit when the server is gone.
    family = [psutil.Process(pid) for pid, _, _ in night.find_holders()]
    for one in family:
        one.suspend()
    night.check_held(unit, attempt)
    restart()
    for one in family:
        one.resume()
    night.check_end(process, expected)

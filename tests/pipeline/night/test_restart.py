"""A PostgreSQL server that is really stopped, and started again or not, under the nightly job."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    create_engine,
    event,
    make_url,
    text,
)

from pipeline.config.exit_codes import EXIT_DONE, EXIT_UNAVAILABLE
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from tests.pipeline.conftest import Site
from tests.pipeline.moving import move

NOTES = 60
AT_MOST = 600
"""Seconds until a test gives up; none waits so long unless something is wrong."""


# A server of one's own ---------------------------------------------------------------------------


class Server:
    """A PostgreSQL server behind a socket in its own folder, which a test may stop."""

    def __init__(self, folder: Path, programs: Path, user: int) -> None:
        self._folder = folder
        self._programs = programs
        # PostgreSQL refuses to serve as root.
        self._user = user if os.geteuid() == 0 else None
        self.url = make_url(f"postgresql+psycopg://postgres@/postgres?host={folder}")

    def make(self) -> None:
        self._run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    def start(self) -> None:
        # What a crash of the server alone leaves behind does not depend on fsync.
        where = f"-c listen_addresses='' -c unix_socket_directories={self._folder} -c fsync=off"
        self._run("pg_ctl", "-w", "-l", self._folder / "log", "-o", where, "start")

    def stop(self, mode: str) -> None:
        """Stop it: `fast` ends all sessions in order, `immediate` is a crash."""
        self._run("pg_ctl", "-w", "-m", mode, "stop")

    @property
    def is_up(self) -> bool:
        return (self._folder / "data" / "postmaster.pid").exists()

    def _run(self, program: str, *arguments: str | Path) -> None:
        subprocess.run(
            [self._programs / program, "-D", self._folder / "data", *arguments],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
            user=self._user,
        )  # fmt: skip


@pytest.fixture(scope="module")
def own_server(postgres_server: str) -> Iterator[Server]:
    """A second server, of the same programs and user as the one that all tests share."""
    with create_engine(postgres_server).connect() as connection:
        programs = connection.scalar(text("select setting from pg_config where name = 'BINDIR'"))
        user = psutil.Process(connection.scalar(text("select pg_backend_pid()"))).uids().effective
    folder = Path(tempfile.mkdtemp(prefix="cryptonym-pg-"))
    try:
        os.chown(folder, user, -1)
        server = Server(folder, Path(programs), user)
        server.make()
        yield server
        if server.is_up:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def server(own_server: Server) -> Server:
    """The server, up, whatever the last test has done to it."""
    if not own_server.is_up:
        own_server.start()
    return own_server


class Hospital:
    """A site whose source, state and output are three databases of one server."""

    def __init__(self, site: Site, server: Server) -> None:
        self.site = site
        self.server = server
        admin = create_engine(server.url, isolation_level="AUTOCOMMIT")
        with admin.connect() as connection:
            for name in ("hospital", "state", "research"):
                connection.execute(text(f"drop database if exists {name} with (force)"))
                connection.execute(text(f"create database {name}"))
                url = self.url(name).set(drivername="postgresql")
                site.configure(f"sqlite:///{name}.db", url.render_as_string(hide_password=False))
        admin.dispose()
        move(site.folder / "hospital.db", self.url("hospital"))

    def url(self, name: str) -> URL:
        return self.server.url.set(database=name)

    def engine(self, name: str) -> Engine:
        return create_engine(self.url(name))

    def scalar(self, name: str, statement: str) -> Any:
        """Ask a database as an independent program would."""
        engine = self.engine(name)
        with engine.connect() as connection:
            found = connection.scalar(text(statement))
        engine.dispose()
        return found

    def done(self) -> Any:
        """Units of the run that are done."""
        return self.scalar("state", "select count(*) from run_unit where done = 1")

    def released(self) -> int:
        """Everything that the output holds: notes, spans and persons."""
        tables = ("note", "note_span", "person")
        return sum(self.scalar("research", f"select count(*) from {table}") for table in tables)


@pytest.fixture
def hospital(make_site: Callable[..., Site], server: Server) -> Hospital:
    """Sixty notes in twelve units, on the server."""
    return Hospital(make_site(NOTES), server)


# Restarted ---------------------------------------------------------------------------------------


STEPS = (
    "INSERT INTO run_unit",  # planning
    "SELECT note.note_id",  # reading the source, which happens all the time
    "INSERT INTO stage",  # writing a unit, in the middle of its transaction
    "SELECT count(*) AS count_1 \nFROM ledger",  # reconciling
    "INSERT INTO note_span",  # publishing, after the notes and before the end of the transaction
    "DELETE FROM stage",  # the output has the notes, the state does not know it yet
    "UPDATE run SET phase=%(phase)s::VARCHAR, summary",  # the end
)
"""Statements, as they begin, each of which meets a server that is no longer there."""


class Outages:
    """Stops the server under each statement of a list once; it is back after two failures."""

    FAILURES = 2

    def __init__(self, server: Server, statements: Sequence[str]) -> None:
        self._server = server
        self.left = list(statements)
        self.failures = 0
        self._failed = 0

    def before(
        self, connection: Connection, cursor: object, statement: str, *_rest: object
    ) -> None:
        hit = next((start for start in self.left if statement.startswith(start)), None)
        if hit is not None and self._server.is_up:
            self.left.remove(hit)
            self._failed = 0
            self._server.stop("immediate")

    def failed(self, _context: object) -> None:
        self.failures += 1
        self._failed += 1
        if self._failed >= self.FAILURES and not self._server.is_up:
            self._server.start()

    def __enter__(self) -> "Outages":
        event.listen(Engine, "before_cursor_execute", self.before)
        event.listen(Engine, "handle_error", self.failed)
        return self

    def __exit__(self, *_error: object) -> None:
        event.remove(Engine, "before_cursor_execute", self.before)
        event.remove(Engine, "handle_error", self.failed)


@pytest.mark.slow
def test_a_crash_of_the_server_at_every_step_costs_nothing(
    hospital: Hospital, undisturbed: tuple[str, dict[int, str], float]
) -> None:
    with Outages(hospital.server, STEPS) as outages:
        ended = run_nightly(hospital.site.config, run_in_process)
    assert outages.left == []
    assert outages.failures >= Outages.FAILURES * len(STEPS)
    assert ended.exit_code == EXIT_DONE
    assert ended.summary.tally.outcomes["planned"] == NOTES
    assert not ended.resumed
    assert hospital.site.digest() == undisturbed[0]


HELD = """
import os, pathlib, sys, time

MODULE, STATEMENT, NUMBER, PATIENCE = {module!r}, {statement!r}, {number}, {patience}
FOLDER = pathlib.Path({folder!r})
names = [name for name in ("pipeline.cli", "pipeline.beam.worker") if name in sys.orig_argv]

def before(connection, cursor, statement, *_rest):
    global NUMBER
    NUMBER -= MODULE in names and statement.startswith(STATEMENT)
    if NUMBER == 0:
        (FOLDER / f"held-{{os.getpid()}}").touch()
        while not (FOLDER / "go-on").exists():
            time.sleep(0.05)
        NUMBER = -1

def failed(context):
    with (FOLDER / f"failed-{{names[0]}}-{{os.getpid()}}").open("a") as file:
        file.write(".")

if names:
    from sqlalchemy import Engine, event
    from pipeline.warehouse import databases
    databases._PATIENCE_SECONDS = PATIENCE or databases._PATIENCE_SECONDS
    event.listen(Engine, "before_cursor_execute", before)
    event.listen(Engine, "handle_error", failed)
"""
"""What each process of the job runs first: it holds the processes of a module just before they
send a statement for the nth time, and marks every failure of a database."""


class Held:
    """The nightly job, held in the middle of a transaction until it is let go."""

    def __init__(self, hospital: Hospital, folder: Path, **where: Any) -> None:
        self._folder = folder
        folder.mkdir()
        where = {"folder": str(folder), "patience": None} | where
        (folder / "sitecustomize.py").write_text(HELD.format(**where))
        path = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        hospital.site.environment |= {"PYTHONPATH": os.pathsep.join(path)}
        self._process = hospital.site.start()

    def until_held(self, processes: int) -> None:
        """Wait until so many processes are held."""
        self._until(lambda: len(list(self._folder.glob("held-*"))) >= processes)

    def let_go(self) -> None:
        (self._folder / "go-on").touch()

    def until_failed(self, processes: int, times: int) -> None:
        """Wait until each of so many processes had the database fail so many times."""

        def failed() -> bool:
            sizes = [file.stat().st_size for file in self._folder.glob("failed-*")]
            return sum(size >= times for size in sizes) >= processes

        self._until(failed)

    def _until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + AT_MOST
        assert self._process.stderr
        while not condition():
            assert self._process.poll() is None, self._process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def ended(self) -> tuple[int, str, str]:
        """Wait for the end; gives exit code, stdout and stderr."""
        stdout, stderr = self._process.communicate(timeout=AT_MOST)
        return self._process.returncode, stdout, stderr


@pytest.mark.slow
def test_a_server_that_is_restarted_under_all_processes(
    hospital: Hospital, tmp_path: Path, undisturbed: tuple[str, dict[int, str], float]
) -> None:
    held = Held(
        hospital, tmp_path / "held",
        module="pipeline.beam.worker", statement="UPDATE run_unit", number=4,
    )  # fmt: skip
    held.until_held(processes=2)  # each has claimed two units and committed the first
    assert hospital.done() == 2
    hospital.server.stop("fast")
    held.let_go()
    held.until_failed(processes=3, times=2)
    hospital.server.start()
    code, stdout, stderr = held.ended()
    assert code == EXIT_DONE, stderr
    assert f"{NOTES} planned" in stdout
    assert "Traceback" not in stderr
    assert hospital.site.digest() == undisturbed[0]


# Not restarted -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "statement", "processes", "what"),
    [
        ("pipeline.beam.worker", "INSERT INTO stage", 2, "state"),
        ("pipeline.cli", "INSERT INTO note_span", 1, "output"),
    ],
    ids=["working", "publishing"],
)
def test_a_server_that_stays_away(
    hospital: Hospital,
    tmp_path: Path,
    undisturbed: tuple[str, dict[int, str], float],
    module: str,
    statement: str,
    processes: int,
    what: str,
) -> None:
    """The job gives up after a minute, here after seconds; a later one takes it up again."""
    held = Held(
        hospital, tmp_path / "held", module=module, statement=statement, number=1, patience=2
    )  # fmt: skip
    held.until_held(processes)
    hospital.server.stop("immediate")
    held.let_go()
    code, stdout, stderr = held.ended()
    assert code == EXIT_UNAVAILABLE, stderr
    assert f"cryptonym: error: {what}: connection failed" in stderr
    assert "Remedy: check that the server is running" in stderr
    assert "Traceback" not in stdout + stderr
    assert hospital.site.wait_until_empty() == {}

    hospital.server.start()
    assert hospital.released() == 0
    ended = run_nightly(hospital.site.config, run_in_process)
    assert ended.exit_code == EXIT_DONE
    assert ended.resumed
    assert hospital.site.digest() == undisturbed[0]

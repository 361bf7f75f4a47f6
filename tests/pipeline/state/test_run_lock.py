"""One run at a time, whoever dies first."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from pipeline.state.run_lock import RunLock, make_lock_path, make_run_lock
from record.errors import ConfigError

ROOT = Path(__file__).parents[3]

HOLD = (
    "import sys; from pathlib import Path; from pipeline.state.run_lock import RunLock\n"
    "with RunLock(Path(sys.argv[1])):\n"
    "    print('held', flush=True); sys.stdin.read()"
)
HOLD_THROUGH_CHILD = (
    "import subprocess, sys; from pathlib import Path\n"
    "from pipeline.state.run_lock import RunLock\n"
    "with RunLock(Path(sys.argv[1])) as lock:\n"
    "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'],\n"
    "                             pass_fds=(lock.fileno(),), stdout=subprocess.DEVNULL)\n"
    "    print(child.pid, flush=True); sys.stdin.read()"
)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], tuple[subprocess.Popen[str], str]]]:
    """Starts a process that takes the lock; returns it and the line it printed."""
    running: list[subprocess.Popen[str]] = []

    def run(program: str) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-c", program, str(tmp_path / "state.db.lock")]
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        running.append(child)
        assert child.stdout
        return child, child.stdout.readline().strip()

    yield run
    for child in running:
        child.kill()
        child.wait()
        assert child.stdin and child.stdout
        child.stdin.close()
        child.stdout.close()


def test_the_second_run_is_told_who_holds_it(
    start: Callable[[str], tuple[subprocess.Popen[str], str]], tmp_path: Path
) -> None:
    child, _ = start(HOLD)
    with (
        pytest.raises(ConfigError, match=rf"pid {child.pid} on \S+ since 2") as caught,
        RunLock(tmp_path / "state.db.lock"),
    ):
        pass
    assert caught.value.key == "state"


def test_the_lock_of_a_killed_run_is_free(
    start: Callable[[str], tuple[subprocess.Popen[str], str]], tmp_path: Path
) -> None:
    child, _ = start(HOLD)
    child.send_signal(signal.SIGKILL)
    child.wait()
    with RunLock(tmp_path / "state.db.lock") as lock:
        assert lock.fileno() > 2


def test_a_worker_that_outlives_its_parent_keeps_the_lock(
    start: Callable[[str], tuple[subprocess.Popen[str], str]], tmp_path: Path
) -> None:
    parent, worker = start(HOLD_THROUGH_CHILD)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    with pytest.raises(ConfigError, match="another run"), RunLock(tmp_path / "state.db.lock"):
        pass
    os.kill(int(worker), signal.SIGKILL)
    _wait_until_gone(int(worker))
    with RunLock(tmp_path / "state.db.lock"):
        pass


def _wait_until_gone(pid: int) -> None:
    status = Path(f"/proc/{pid}/stat")
    while status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] != "Z":
        os.sched_yield()


def test_it_can_be_taken_again(tmp_path: Path) -> None:
    lock = RunLock(tmp_path / "deep" / "state.db.lock")
    for _ in range(2):
        with lock:
            with pytest.raises(ConfigError), RunLock(tmp_path / "deep" / "state.db.lock"):
                pass
            assert os.fstat(lock.fileno()).st_mode & 0o777 == 0o600


def test_the_place_of_the_lock(tmp_path: Path) -> None:
    assert make_lock_path("sqlite:///a/state.db", tmp_path) == tmp_path / "a" / "state.db.lock"
    servers = {
        make_lock_path(f"postgresql://{user}@{host}/state", tmp_path)
        for user in ("u:1", "u:2")
        for host in ("one", "two")
    }
    assert len(servers) == 2, "the password does not matter, the server does"
    assert all(path.parent == tmp_path for path in servers)


def test_a_server_is_locked_for_other_machines_too(postgres_url: str, tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    with make_run_lock(postgres_url, here):
        with (
            pytest.raises(ConfigError, match="on another machine"),
            make_run_lock(postgres_url, elsewhere),
        ):
            pass
        with pytest.raises(ConfigError, match="pid"), make_run_lock(postgres_url, here):
            pass
    with make_run_lock(postgres_url, elsewhere):
        pass


def test_a_lock_that_the_server_forgot_is_taken_again(postgres_url: str, tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    with make_run_lock(postgres_url, here) as lock:
        lock.keep()  # held already: nothing happens
        end_sessions(postgres_url)
        lock.keep()
        with (
            pytest.raises(ConfigError, match="another machine"),
            make_run_lock(postgres_url, elsewhere),
        ):
            pass
        end_sessions(postgres_url)
        with (
            make_run_lock(postgres_url, elsewhere),
            pytest.raises(ConfigError, match="another machine"),
        ):
            lock.keep()


def end_sessions(url: str) -> None:
    """End every other session, as a restart of the server does."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    others = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"
    with engine.connect() as connection:
        connection.execute(text(f"{others} and datname = current_database()"))
    engine.dispose()

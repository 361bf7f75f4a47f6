"""The run lock: one run at a time per state database, held while the run or a worker lives."""

import fcntl
import hashlib
import json
import os
import socket
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.engine import make_url

from pipeline.warehouse.databases import connect, database_path, guard, retrying
from record.atomic_write import make_folders
from record.errors import ConfigError

_ADVISORY = 0x43727970746F6E79
"""Number of the PostgreSQL advisory lock, which is per database ("Cryptony")."""

_HELD_HERE: set[Path] = set()
"""Lock files held by this process: it could not lock them again by a second descriptor."""


class Held(ConfigError):
    """Another process holds the lock of the same state database."""


def make_lock_path(url: str, base: Path) -> Path:
    """Return the path of a state database's lock file.

    It lies beside a SQLite file, otherwise in `base` under a digest of server and database.
    """
    path = database_path(url, base, what="state.url")
    if path is not None:
        return path.with_name(path.name + ".lock")
    server = make_url(url)
    place = json.dumps([server.host, server.port, server.database, sorted(server.query.items())])
    digest = hashlib.blake2b(place.encode(), digest_size=8).hexdigest()
    return base / f"state-{digest}.lock"


def make_run_lock(url: str, base: Path) -> "RunLock":
    """Return the lock of a state database; on a server it also excludes other machines."""
    path = make_lock_path(url, base)
    if database_path(url, base, what="state.url") is not None:
        return RunLock(path)
    return RunLock(path, engine=connect(url, base, what="state.url", use="state"))


def hold_lock(url: str, base: Path) -> AbstractContextManager[object]:
    """Return a context that holds the lock, or does nothing if this process already holds it."""
    return nullcontext() if make_lock_path(url, base) in _HELD_HERE else make_run_lock(url, base)


def find_holder(url: str, base: Path) -> str | None:
    """Return the process that seems to hold the lock, without taking it; None if there is none.

    It is the process that signed the lock file last, if it is alive; processes on other machines
    are not seen.
    """
    try:
        signed = _read_signature(url, base)
        return _format_signature(signed) if signed else None
    except PermissionError:
        return "a process of another account"
    except (KeyError, TypeError):
        return None


def find_holding_time(url: str, base: Path) -> datetime | None:
    """Return since when a process of this account and machine holds the lock, in whole seconds."""
    with suppress(PermissionError, ValueError, KeyError):
        signed = _read_signature(url, base)
        return datetime.fromisoformat(str(signed["since"])) if signed else None
    return None


def _read_signature(url: str, base: Path) -> dict[str, object] | None:
    """Read the signature of a live holder; raises PermissionError if it is of another account."""
    try:
        signed: dict[str, object] = json.loads(make_lock_path(url, base).read_bytes())
        if signed["host"] == socket.gethostname():
            os.kill(int(str(signed["pid"])), 0)
            return signed
    except PermissionError:
        raise
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


class RunLock:
    """An exclusive file lock (flock), released by the system when its last holder has exited.

    Child processes that inherit the descriptor hold it too. With a PostgreSQL engine, the
    database is also locked while this process and the server are alive: see `keep`. Entering
    raises Held, which names the holder, if another process holds the lock.
    """

    def __init__(self, path: Path, *, engine: Engine | None = None) -> None:
        self._path = path
        self._engine = engine
        self._fd = -1
        self._held = ExitStack()
        self._session: Connection | None = None

    def fileno(self) -> int:
        """Return the descriptor for child processes to inherit."""
        return self._fd

    def keep(self) -> None:
        """Renew the database lock, which a restart of the server releases.

        Call it before a step that two runs must not both execute. Raises Held if another run
        has taken the lock, Unavailable if the server does not come back.
        """
        if self._session is not None:
            retrying(_renew_database_lock)(self._session)

    def __enter__(self) -> Self:
        with ExitStack() as held:
            with guard("state"):
                make_folders(self._path.parent)
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            # Closed, never unlocked: unlocking would also release it for the children.
            held.callback(os.close, self._fd)
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise _make_held_error(_describe_owner(self._fd)) from None
            if self._engine is not None:
                self._session = _lock_database(self._engine, held)
            _write_signature(self._fd)
            _HELD_HERE.add(self._path)
            # The signature is erased: this process may live on without the lock.
            held.callback(_erase_signature, self._fd)
            held.callback(_HELD_HERE.discard, self._path)
            self._held = held.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._held.close()
        self._fd, self._session = -1, None


def _lock_database(engine: Engine, held: ExitStack) -> Connection:
    with guard("state"):
        held.callback(engine.dispose)
        session = held.enter_context(engine.connect())
    _renew_database_lock(session)
    return session


def _renew_database_lock(session: Connection) -> None:
    # A session that holds the lock gets it again; after a reconnect it is a new session.
    with guard("state"):
        if session.invalidated:
            session.rollback()
        locked = session.scalar(select(func.pg_try_advisory_lock(_ADVISORY)))
        # The lock belongs to the session: the transaction need not stay open.
        session.commit()
    if not locked:
        raise _make_held_error("a process on another machine")


def _make_held_error(holder: str) -> Held:
    return Held(
        "state",
        f"another run holds the lock: {holder}",
        "wait until it has ended; the lock of a run that died is released automatically",
    )


def _write_signature(fd: int) -> None:
    holder = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    with guard("state"):
        os.ftruncate(fd, 0)
        os.pwrite(fd, json.dumps(holder).encode(), 0)


def _erase_signature(fd: int) -> None:
    with suppress(OSError):
        os.ftruncate(fd, 0)


def _describe_owner(fd: int) -> str:
    try:
        return _format_signature(json.loads(os.pread(fd, 1000, 0)))
    except (ValueError, KeyError, TypeError):
        return "a process that has just started"


def _format_signature(signed: dict[str, object]) -> str:
    return f"pid {signed['pid']} on {signed['host']} since {signed['since']}"

"""One run at a time: a lock that lasts as long as the run or any worker of it lives."""

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
from record.errors import ConfigError

_ADVISORY = 0x43727970746F6E79
"""The number of our advisory lock, which PostgreSQL keeps for each database ("Cryptony")."""

_HERE: set[Path] = set()
"""The lock files that this process holds: a second descriptor of its own could not lock them."""


class Held(ConfigError):
    """Another process is at work on the same state database."""


def lock_path(url: str, base: Path) -> Path:
    """Return the lock file that belongs to a state database.

    Beside a SQLite file; otherwise in `base`, named after a digest of server and database.
    """
    path = database_path(url, base, what="state.url")
    if path is not None:
        return path.with_name(path.name + ".lock")
    server = make_url(url)
    place = json.dumps([server.host, server.port, server.database, sorted(server.query.items())])
    digest = hashlib.blake2b(place.encode(), digest_size=8).hexdigest()
    return base / f"state-{digest}.lock"


def run_lock(url: str, base: Path) -> "RunLock":
    """Make the lock of a state database; on a server it keeps other machines out, too."""
    path = lock_path(url, base)
    if database_path(url, base, what="state.url") is not None:
        return RunLock(path)
    return RunLock(path, engine=connect(url, base, what="state.url", use="state"))


def holding(url: str, base: Path) -> AbstractContextManager[object]:
    """Hold the lock of a state database, or go on under it where this process holds it already."""
    return nullcontext() if lock_path(url, base) in _HERE else run_lock(url, base)


def holder(url: str, base: Path) -> str | None:
    """Return who seems to hold the lock, without touching it; None where nobody on this machine
    does.

    Whoever signed it last and still lives; on another machine nobody can tell from here.
    """
    try:
        signed = _signed(url, base)
        return _shown(signed) if signed else None
    except PermissionError:
        return "a process of another account"
    except (KeyError, TypeError):
        return None


def held_since(url: str, base: Path) -> datetime | None:
    """Tell since when a process of this account and machine holds the lock, to the second."""
    with suppress(PermissionError, ValueError, KeyError):
        signed = _signed(url, base)
        return datetime.fromisoformat(str(signed["since"])) if signed else None
    return None


def _signed(url: str, base: Path) -> dict[str, object] | None:
    """Read who signed the lock last, and lives; raises PermissionError where that is another's."""
    try:
        signed: dict[str, object] = json.loads(lock_path(url, base).read_bytes())
        if signed["host"] == socket.gethostname():
            os.kill(int(str(signed["pid"])), 0)
            return signed
    except PermissionError:
        raise
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


class RunLock:
    """An exclusive lock on a file (flock), freed by the system when its last holder is gone.

    Child processes that inherit the descriptor hold it too. With an engine of PostgreSQL, the
    database is locked as well, as long as this process and the server live: see `keep`. Entering
    raises Held, with who holds it, when somebody else does.
    """

    def __init__(self, path: Path, *, engine: Engine | None = None) -> None:
        self._path = path
        self._engine = engine
        self._fd = -1
        self._held = ExitStack()
        self._session: Connection | None = None

    def fileno(self) -> int:
        """Return the descriptor that children inherit."""
        return self._fd

    def keep(self) -> None:
        """Lock the database again where its server was restarted, for that frees its locks.

        Call it before what two runs must not both do. Raises Held when another run was
        faster, Unavailable when the server does not come back.
        """
        if self._session is not None:
            retrying(_lock_again)(self._session)

    def __enter__(self) -> Self:
        with ExitStack() as held:
            with guard("state"):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            # Closed, never unlocked: an unlock would free it under the children, too.
            held.callback(os.close, self._fd)
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise _is_held(_holder(self._fd)) from None
            if self._engine is not None:
                self._session = _lock_database(self._engine, held)
            _sign(self._fd)
            _HERE.add(self._path)
            # Unsigned at the end: a process that lives on holds it no longer.
            held.callback(_unsign, self._fd)
            held.callback(_HERE.discard, self._path)
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
    _lock_again(session)
    return session


def _lock_again(session: Connection) -> None:
    # A session that has the lock gets it once more; one that was lost is another by now.
    with guard("state"):
        if session.invalidated:
            session.rollback()
        locked = session.scalar(select(func.pg_try_advisory_lock(_ADVISORY)))
        # The lock is the session's: the transaction need not stay open for it.
        session.commit()
    if not locked:
        raise _is_held("a process on another machine")


def _is_held(holder: str) -> Held:
    return Held(
        "state",
        f"another run holds the lock: {holder}",
        "wait until it has ended; a run that died frees the lock by itself",
    )


def _sign(fd: int) -> None:
    holder = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    with guard("state"):
        os.ftruncate(fd, 0)
        os.pwrite(fd, json.dumps(holder).encode(), 0)


def _unsign(fd: int) -> None:
    with suppress(OSError):
        os.ftruncate(fd, 0)


def _holder(fd: int) -> str:
    try:
        return _shown(json.loads(os.pread(fd, 1000, 0)))
    except (ValueError, KeyError, TypeError):
        return "a process that has just started"


def _shown(signed: dict[str, object]) -> str:
    return f"pid {signed['pid']} on {signed['host']} since {signed['since']}"

"""The folder beside a master key: secrets of cohorts, what became of them, and the log of uses."""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

from record.atomic_write import sync
from record.errors import ConfigError
from surrogates.keys.locators import read_private, replace_private, write_private
from surrogates.keys.usage_log import KeyLog

SETTING = "key.custody"
_VERSION = b"cryptonym-cohort-v1"
_ROTATED = "rotated.json"
_SIZE = 32


@dataclass(frozen=True, slots=True)
class CohortEntry:
    """What is known of a cohort: its public id, whether it has a secret of its own, its end.

    `algorithm` is the version of the surrogates that its key id belongs to.
    """

    name: str
    key_id: str
    own_secret: bool
    destroyed: str | None = None
    algorithm: int = 1


class Custody:
    """A folder that its owner alone may read; one process at a time changes it.

    `seal` is the key of the log. Secrets never appear in a repr, and the object is not pickled.
    """

    __slots__ = ("_folder", "log")

    def __init__(self, folder: Path, seal: bytes) -> None:
        self._folder = folder
        self.log = KeyLog(folder, seal)

    def __repr__(self) -> str:
        return "Custody()"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Custody is not copied or pickled: pass the key's locator")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out; raises ConfigError where the folder cannot be used."""
        try:
            handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._refused(error) from None
        try:
            if os.fstat(handle).st_mode & 0o077:
                problem = f"{self._folder} is open to other users"
                raise ConfigError(SETTING, problem, f"close it: chmod 700 {self._folder}")
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        except OSError as error:
            raise self._refused(error) from None
        finally:
            os.close(handle)

    def entry(self, name: str) -> CohortEntry | None:
        """Read what is known of a cohort; None for one that was never derived here."""
        path = self._path(name, "cohort")
        return _parsed(path) if path.exists() else None

    def entries(self) -> list[CohortEntry]:
        """Read what is known of all cohorts, by name."""
        found = (_parsed(path) for path in self._folder.glob("*.cohort"))
        return sorted(found, key=lambda entry: entry.name)

    def secret(self, name: str) -> bytes:
        """Read the secret of a cohort, or make it where the cohort is new.

        Raises ConfigError where it was destroyed, or is lost: another one would give other
        surrogates in silence.
        """
        path, entry = self._path(name, "secret"), self.entry(name)
        refuse_destroyed(entry)
        if not path.exists():
            if entry is not None:
                raise ConfigError(
                    SETTING, f"the secret of the cohort is missing: {path}", "restore the folder"
                )
            write_private(path, _VERSION + b"\n" + secrets.token_hex(_SIZE).encode() + b"\n")
            sync(self._folder)
        words = read_private(path).split()
        if len(words) != 2 or words[0] != _VERSION or len(words[1]) != 2 * _SIZE:
            raise ConfigError(SETTING, f"{path} does not hold a secret", "restore the folder")
        try:
            return bytes.fromhex(words[1].decode("ascii"))
        except ValueError:
            raise ConfigError(
                SETTING, f"{path} does not hold a secret", "restore the folder"
            ) from None

    def settle(self, entry: CohortEntry) -> None:
        """Write down a cohort, or check that it is what was written down.

        Raises ConfigError where the key is another: somebody's master key or secret was put here.
        """
        known = self.entry(entry.name)
        if known is None:
            self._write(entry)
        elif known.key_id != entry.key_id:
            raise ConfigError(
                SETTING,
                f"the cohort had the key {known.key_id} and would now have {entry.key_id}",
                "restore master key and folder of the same day",
            )

    def destroy(self, entry: CohortEntry) -> CohortEntry:
        """Put up the tombstone of a cohort, then overwrite and remove its secret.

        The tombstone is on the disk first: a cohort is refused from then on, wherever this stops,
        and doing it again finishes the work.
        """
        if entry.destroyed is None:
            entry = replace(entry, destroyed=datetime.now(UTC).isoformat(timespec="seconds"))
            self._write(entry)
        path = self._path(entry.name, "secret")
        if path.exists():
            handle = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
            try:
                os.write(handle, secrets.token_bytes(os.fstat(handle).st_size))
                os.fsync(handle)
            finally:
                os.close(handle)
            path.unlink()
            sync(self._folder)
        return entry

    def rotate(self, successor: str) -> None:
        """Write down that the key with the public id `successor` makes the cohorts from now on."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        content = json.dumps({"key_id": successor, "time": now}).encode() + b"\n"
        replace_private(self._folder / _ROTATED, content)

    def refuse_rotated(self) -> None:
        """Raise ConfigError where another key makes the cohorts from now on."""
        path = self._folder / _ROTATED
        if not path.exists():
            return
        try:
            successor = str(json.loads(path.read_bytes())["key_id"])
        except (ValueError, KeyError, TypeError):
            raise ConfigError(SETTING, f"{path} is damaged", "restore the folder") from None
        raise ConfigError(
            "key.locator",
            f"this key was rotated: new cohorts are made under the key {successor}",
            "name that key; this one goes on with the cohorts that it has",
        )

    def _write(self, entry: CohortEntry) -> None:
        content = json.dumps(asdict(entry)).encode() + b"\n"
        replace_private(self._path(entry.name, "cohort"), content)

    def _path(self, name: str, kind: str) -> Path:
        # Names of cohorts may hold anything; a name of a file may not.
        digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{digest[:16]}.{kind}"

    def _refused(self, error: OSError) -> ConfigError:
        return ConfigError(
            SETTING,
            f"{self._folder} cannot be used ({error.strerror})",
            "every use is written down in it: restore the folder, or give the right to write there",
        )


def refuse_destroyed(entry: CohortEntry | None) -> None:
    """Raise ConfigError for a cohort that was destroyed."""
    if entry is not None and entry.destroyed is not None:
        raise ConfigError(
            "cohort",
            f"its key {entry.key_id} was destroyed at {entry.destroyed} and is never derived again",
            "name another cohort",
        )


def refuse_older(entry: CohortEntry | None, algorithm: int) -> None:
    """Raise ConfigError for a cohort whose surrogates another version of the algorithm gave."""
    if entry is not None and entry.algorithm != algorithm:
        raise ConfigError(
            "cohort",
            f"it was made under version {entry.algorithm} of the surrogates, and this program "
            f"gives version {algorithm}: the two would not join",
            "name another cohort, or go on with the version of the program that made it",
        )


def make_folder(folder: Path) -> None:
    """Make the folder, for its owner alone; raises ConfigError where something is in its place."""
    try:
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)
        sync(folder.parent)
    except OSError as error:
        problem = f"{folder} cannot be made ({error.strerror})"
        raise ConfigError(SETTING, problem, "choose another path for the key") from None


def _parsed(path: Path) -> CohortEntry:
    try:
        return CohortEntry(**json.loads(path.read_bytes()))
    except (ValueError, TypeError):
        raise ConfigError(SETTING, f"{path} is damaged", "restore the folder") from None

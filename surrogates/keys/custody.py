"""The custody folder of a master key: secrets and records of cohorts, and the key usage log."""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

from record.atomic_write import sync
from record.errors import ConfigError
from surrogates.keys.locators import is_foreign, read_private, replace_private, write_private
from surrogates.keys.usage_log import KeyUsageLog

SETTING = "key.custody"
_VERSION = b"cryptonym-cohort-v1"
_ROTATED = "rotated.json"
_SIZE = 32
_RESTORE = "restore the folder from a backup"


@dataclass(frozen=True, slots=True)
class CohortEntry:
    """The record of a cohort: public key id, whether it has its own secret, time of destruction.

    `algorithm` is the version of the surrogate algorithm that the key id belongs to.
    """

    name: str
    key_id: str
    own_secret: bool
    destroyed: str | None = None
    algorithm: int = 1


class Custody:
    """A folder readable only by its owner; a lock lets one process at a time change it.

    `seal` is the key of the log; `is_logged` keys have one since they were made. Secrets never
    appear in a repr, and the object cannot be pickled.
    """

    __slots__ = ("_folder", "log")

    def __init__(self, folder: Path, seal: bytes, *, is_logged: bool = False) -> None:
        self._folder = folder
        self.log = KeyUsageLog(folder, seal, is_required=is_logged)

    def __repr__(self) -> str:
        return "Custody()"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Custody must not be copied or pickled: pass the key's locator")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder; raises ConfigError where it cannot be used."""
        try:
            handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._unusable(error) from None
        try:
            found = os.fstat(handle)
            if is_foreign(found):
                problem = f"{self._folder} is owned by another user"
                raise ConfigError(SETTING, problem, "run chown: this account or root must own it")
            if found.st_mode & 0o077:
                problem = f"{self._folder} must not be accessible to other users"
                raise ConfigError(SETTING, problem, f"run chmod 700 {self._folder}")
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        except OSError as error:
            raise self._unusable(error) from None
        finally:
            os.close(handle)

    def entry(self, name: str) -> CohortEntry | None:
        """Read the record of a cohort; None for one that was never derived here."""
        path = self._path(name, "cohort")
        return _read_entry(path) if path.exists() else None

    def entries(self) -> list[CohortEntry]:
        """Read the records of all cohorts, sorted by name."""
        found = (_read_entry(path) for path in self._folder.glob("*.cohort"))
        return sorted(found, key=lambda entry: entry.name)

    def secret(self, name: str) -> bytes:
        """Read the secret of a cohort, or create it for a new cohort.

        Raises ConfigError where it was destroyed or is missing: a new secret would silently give
        different surrogates.
        """
        path, entry = self._path(name, "secret"), self.entry(name)
        refuse_destroyed(entry)
        if not path.exists():
            if entry is not None:
                raise ConfigError(
                    SETTING,
                    f"the cohort's secret is missing: {path}",
                    "restore the folder from a backup",
                )
            write_private(path, _VERSION + b"\n" + secrets.token_hex(_SIZE).encode() + b"\n")
            sync(self._folder)
        words = read_private(path).split()
        if len(words) != 2 or words[0] != _VERSION or len(words[1]) != 2 * _SIZE:
            raise ConfigError(SETTING, f"{path} is not a cohort secret", _RESTORE)
        try:
            return bytes.fromhex(words[1].decode("ascii"))
        except ValueError:
            raise ConfigError(SETTING, f"{path} is not a cohort secret", _RESTORE) from None

    def record_cohort(self, entry: CohortEntry) -> None:
        """Record a cohort, or verify its record.

        Raises ConfigError where the key differs: the master key or the secret was replaced.
        """
        known = self.entry(entry.name)
        if known is None:
            self._write_entry(entry)
        elif known.key_id != entry.key_id:
            raise ConfigError(
                SETTING,
                f"key mismatch: the cohort's key is {known.key_id}, found {entry.key_id}",
                "restore master key and custody folder from the same backup",
            )

    def replace_cohort(self, entry: CohortEntry) -> None:
        """Replace the record of a cohort that goes on under another surrogate algorithm."""
        self._write_entry(entry)

    def destroy(self, entry: CohortEntry) -> CohortEntry:
        """Record the destruction of a cohort, then overwrite and delete its secret.

        The record is written first: from then on the cohort is refused even if this is
        interrupted, and repeating it completes the destruction.
        """
        if entry.destroyed is None:
            entry = replace(entry, destroyed=datetime.now(UTC).isoformat(timespec="seconds"))
            self._write_entry(entry)
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
        """Record that new cohorts are derived from the key with the public id `successor`."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        content = json.dumps({"key_id": successor, "time": now}).encode() + b"\n"
        replace_private(self._folder / _ROTATED, content)

    def refuse_rotated(self) -> None:
        """Raise ConfigError where the key was rotated."""
        path = self._folder / _ROTATED
        if not path.exists():
            return
        try:
            successor = str(json.loads(path.read_bytes())["key_id"])
        except (ValueError, KeyError, TypeError):
            raise ConfigError(SETTING, f"{path} is corrupt", _RESTORE) from None
        raise ConfigError(
            "key.locator",
            f"this key was rotated: new cohorts need the key {successor}",
            "use that key; this one remains valid for its existing cohorts",
        )

    def _write_entry(self, entry: CohortEntry) -> None:
        content = json.dumps(asdict(entry)).encode() + b"\n"
        replace_private(self._path(entry.name, "cohort"), content)

    def _path(self, name: str, kind: str) -> Path:
        # Cohort names are arbitrary text; file names are not.
        digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{digest[:16]}.{kind}"

    def _unusable(self, error: OSError) -> ConfigError:
        return ConfigError(
            SETTING,
            f"{self._folder} cannot be used ({error.strerror})",
            "restore the folder or grant write permission: every use is logged there",
        )


def refuse_destroyed(entry: CohortEntry | None) -> None:
    """Raise ConfigError for a destroyed cohort."""
    if entry is not None and entry.destroyed is not None:
        raise ConfigError(
            "cohort",
            f"its key {entry.key_id} was destroyed at {entry.destroyed}; it cannot be derived",
            "choose another cohort",
        )


def refuse_unknown(entry: CohortEntry | None, algorithms: Sequence[int]) -> None:
    """Raise ConfigError for a cohort of a surrogate algorithm that is none of `algorithms`."""
    if entry is not None and entry.algorithm not in algorithms:
        known = " and ".join(map(str, algorithms))
        raise ConfigError(
            "cohort",
            f"surrogate algorithm mismatch: the cohort has version {entry.algorithm}, this program "
            f"knows versions {known}, and their surrogates cannot be joined",
            "choose another cohort, or use the version of the program that created it",
        )


def make_folder(folder: Path) -> None:
    """Create the folder with mode 700; raises ConfigError where it cannot be created."""
    try:
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)
        sync(folder.parent)
    except OSError as error:
        problem = f"{folder} cannot be created ({error.strerror})"
        raise ConfigError(SETTING, problem, "choose another path for the key") from None


def _read_entry(path: Path) -> CohortEntry:
    try:
        return CohortEntry(**json.loads(path.read_bytes()))
    except (ValueError, TypeError):
        raise ConfigError(SETTING, f"{path} is corrupt", _RESTORE) from None

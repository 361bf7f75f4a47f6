"""The key hierarchy that decides every surrogate: master, cohort, patient, label."""

import hmac
import os
import secrets
import stat
import struct
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

from record.errors import ConfigError

_VERSION = "cryptonym-key-v1"
_SIZE = 32
_SALT = b"cryptonym/surrogates/v1"
_SETTING = "key.locator"
_CACHED_PATIENTS = 4096
_PSEUDONYMS = 2**62 - 1


def new_master(path: Path) -> None:
    """Write a new random master key, readable by its owner alone.

    Raises ConfigError (key `key.locator`) where something is at `path` or it cannot be written.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        raise ConfigError(
            _SETTING, f"{path} exists and is never overwritten", "choose another path"
        ) from None
    except OSError as error:
        raise ConfigError(
            _SETTING, f"{path} cannot be written ({error.strerror})", "choose a writable folder"
        ) from None
    with os.fdopen(handle, "w", encoding="ascii") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(f"{_VERSION}\n{secrets.token_hex(_SIZE)}\n")
        file.flush()
        os.fsync(file.fileno())


def load_master(locator: str, base: Path) -> "MasterKey":
    """Read the master key that a locator names: `file:PATH`, relative to `base`.

    Raises ConfigError (key `key.locator`) where the file is missing, malformed, open to others,
    not a regular file, or reached through somebody else's link.
    """
    scheme, _, place = locator.partition(":")
    if scheme != "file" or not place:
        raise ConfigError(_SETTING, "names no key file", "write it as file:PATH")
    return MasterKey(_parse(_read(base / place), base / place))


def _read(path: Path) -> bytes:
    try:
        _refuse_foreign_link(path)
        # Non-blocking, so that a pipe in the place of the file cannot hold the program up.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ConfigError(
            _SETTING,
            f"{path} cannot be opened ({error.strerror})",
            f"name an existing key, or make one: cryptonym keys new {path}",
        ) from None
    try:
        _refuse_exposed(os.fstat(handle), path)
        return os.read(handle, 4096)
    finally:
        os.close(handle)


def _refuse_foreign_link(path: Path) -> None:
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode) and found.st_uid != os.geteuid():
        raise ConfigError(
            _SETTING, f"{path} is a link that belongs to another user", "name the key file itself"
        )


def _refuse_exposed(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError(
            _SETTING,
            f"{path} is not a regular file",
            f"name a key file, or make one: cryptonym keys new {path}",
        )
    if found.st_mode & 0o077:
        raise ConfigError(_SETTING, f"{path} is open to other users", f"close it: chmod 600 {path}")


def _parse(content: bytes, path: Path) -> bytes:
    lines = content.split()
    secret = b""
    if len(lines) == 2 and lines[0] == _VERSION.encode():
        try:
            secret = bytes.fromhex(lines[1].decode("ascii"))
        except ValueError:
            secret = b""
    if len(secret) != _SIZE:
        raise ConfigError(
            _SETTING,
            f"{path} does not hold a master key",
            f"restore it from its backup, or make one: cryptonym keys new {path}",
        )
    return secret


class _Key:
    """A secret that is neither printed, nor copied, nor pickled."""

    __slots__ = ("_secret", "key_id")

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        # Derived beside everything else, so that the public id says nothing about the secret.
        self.key_id = _expand(secret, b"key-id", 4).hex()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(key_id={self.key_id!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is not copied or pickled: pass its locator")

    def __getstate__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is not copied or pickled: pass its locator")


class MasterKey(_Key):
    """The root of the hierarchy; one for a warehouse. `key_id` is public."""

    __slots__ = ()

    def __init__(self, secret: bytes) -> None:
        if len(secret) != _SIZE:
            raise ValueError(f"a master key has {_SIZE} bytes")
        super().__init__(secret)

    def cohort(self, name: str) -> "CohortKey":
        """Derive the key of a cohort: whoever holds it can neither climb nor cross to another."""
        return CohortKey(self._derive(b"cohort", name))

    def derive(self, purpose: str) -> bytes:
        """Derive 32 bytes for a purpose outside the surrogates, such as the sealed span store."""
        return self._derive(b"purpose", purpose)

    def _derive(self, kind: bytes, name: str) -> bytes:
        info = kind + b"\0" + _encode(name)
        return HKDF(hashes.SHA256(), _SIZE, salt=_SALT, info=info).derive(self._secret)


class CohortKey(_Key):
    """Decides all surrogates, shifts and ids of one research cohort. `key_id` is public."""

    __slots__ = ("_kinds", "patient")

    def __init__(self, secret: bytes) -> None:
        super().__init__(secret)
        self._kinds: dict[str, bytes] = {}
        self.patient = lru_cache(maxsize=_CACHED_PATIENTS)(self._patient)

    def _patient(self, person_id: str) -> "PatientKey":
        """Derive the key of a patient; the most recent ones are remembered."""
        return PatientKey(_expand(self._secret, b"patient\0" + _encode(person_id), _SIZE))

    def pseudonym(self, kind: str, value: str) -> int:
        """Give the id that stands for a value of a table, in [1, 2**62).

        Two values of a kind meet with the chance of a birthday in 2**62.
        """
        key = self._kinds.get(kind)
        if key is None:
            key = self._kinds[kind] = _expand(self._secret, b"kind\0" + _encode(kind), _SIZE)
        drawn = int.from_bytes(hmac.digest(key, _encode(value), "sha256")[:16], "big")
        return 1 + drawn % _PSEUDONYMS


class PatientKey(_Key):
    """Decides the surrogates of one patient in one cohort."""

    __slots__ = ("_labels",)

    def __init__(self, secret: bytes) -> None:
        super().__init__(secret)
        self._labels: dict[str, bytes] = {}

    def draw(self, label: str, value: str, n: int = 32, *, counter: int = 0) -> bytes:
        """Give `n` bytes that only the key, the label, the value and the counter decide."""
        key = self._label(label)
        encoded = _encode(value)
        blocks = [
            hmac.digest(key, struct.pack(">II", counter, block) + encoded, "sha256")
            for block in range((n + 31) // 32)
        ]
        return b"".join(blocks)[:n]

    def number(self, label: str, value: str, bound: int, *, counter: int = 0) -> int:
        """Give a number in [0, bound); its bias is below 2**-60 for bounds up to 2**64."""
        return int.from_bytes(self.draw(label, value, 16, counter=counter), "big") % bound

    def _label(self, label: str) -> bytes:
        key = self._labels.get(label)
        if key is None:
            key = self._labels[label] = _expand(self._secret, b"label\0" + _encode(label), _SIZE)
        return key


def _expand(secret: bytes, info: bytes, size: int) -> bytes:
    return HKDFExpand(hashes.SHA256(), size, info=info).derive(secret)


def _encode(text: str) -> bytes:
    # Text out of a damaged file can hold lone surrogates.
    return text.encode("utf-8", "surrogatepass")

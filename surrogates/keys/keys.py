"""The key hierarchy that decides every surrogate: master, cohort, patient, label."""

import hashlib
import secrets
import struct
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from record.errors import ConfigError
from surrogates.keys.custody import (
    CohortEntry,
    Custody,
    make_folder,
    refuse_destroyed,
    refuse_older,
)
from surrogates.keys.locators import SETTING as _SETTING
from surrogates.keys.locators import part_key, read_key, write_private

_BLOCK = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


class Mac:
    """Authenticates messages; the blocks that the key makes are hashed once.

    RFC 2104, section 4, describes it. For short messages it is three times as fast as
    `hmac.digest`, which sets up the key anew for each. Holds a secret: neither printed nor copied.
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        inner, outer = _pads(key)
        self._inner = hashlib.sha256(inner)
        self._outer = hashlib.sha256(outer)

    def digest(self, message: bytes) -> bytes:
        """Return the 32 bytes that authenticate a message."""
        inner = self._inner.copy()
        inner.update(message)
        outer = self._outer.copy()
        outer.update(inner.digest())
        return outer.digest()

    def expand(self, info: bytes) -> bytes:
        """Derive 32 bytes, as `expand` does."""
        return self.digest(info + b"\1")

    def digests(self, messages: Iterable[bytes]) -> bytes:
        """Return the 32 bytes of each message, joined."""
        begin, finish = self._inner.copy, self._outer.copy
        found = []
        for message in messages:
            inner, outer = begin(), finish()
            inner.update(message)
            outer.update(inner.digest())
            found.append(outer.digest())
        return b"".join(found)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Mac is not copied or pickled")


def expand(key: bytes, info: bytes) -> bytes:
    """Derive 32 bytes: the first block of HKDF-Expand with SHA-256 (RFC 5869, section 2.3).

    That block is one HMAC, and a key that is used this once needs no `Mac` for it.
    """
    inner, outer = _pads(key)
    return hashlib.sha256(outer + hashlib.sha256(inner + info + b"\1").digest()).digest()


def _pads(key: bytes) -> tuple[bytes, bytes]:
    if len(key) > _BLOCK:
        raise ValueError(f"a key has at most {_BLOCK} bytes")
    padded = key.ljust(_BLOCK, b"\0")
    return padded.translate(_INNER), padded.translate(_OUTER)


ALGORITHM = 2
"""The version of docs/surrogates.md: equal keys give equal surrogates within one version alone."""

# The key alone decides its cohorts.
_VERSION = "cryptonym-key-v1"
# Each cohort has a secret of its own beside the key, which can be destroyed.
_VERSION_OWN = "cryptonym-key-v2"
_SIZE = 32
_SALT = b"cryptonym/surrogates/v2"
# Seals and logs are no surrogates: a new algorithm must not lose them.
_PURPOSE_SALT = b"cryptonym/surrogates/v1"
_NO_CUSTODY = "make it with `cryptonym keys derive`"
_ONLY_RETIRE = (
    "the master key alone decides it: destroy every copy of that, or give --retire, which refuses "
    "the cohort from now on"
)
_CACHED_PATIENTS = 4096
# Which draw of a value, and which block of it, stand before the value.
_PLACE = struct.Struct(">II").pack
PSEUDONYMS = 2**62 - 1
"""Pseudonyms of ids are from 1 to this."""


def new_master(path: Path) -> None:
    """Write a new random master key, and the folder of its custody, for their owner alone.

    Raises ConfigError (key `key.locator`) where something is at `path` or it cannot be written.
    """
    secret = secrets.token_hex(_SIZE)
    try:
        write_private(path, f"{_VERSION_OWN}\n{secret}\n".encode())
    except FileExistsError:
        raise ConfigError(
            _SETTING, f"{path} exists and is never overwritten", "choose another path"
        ) from None
    except OSError as error:
        raise ConfigError(
            _SETTING, f"{path} cannot be written ({error.strerror})", "choose a writable folder"
        ) from None
    try:
        make_folder(custody_of(path))
    except ConfigError:
        path.unlink()
        raise
    load_master(f"file:{path.absolute()}", Path()).note("new")


def custody_of(path: Path) -> Path:
    """Return where the folder of custody of a key file is, unless a setting says otherwise.

    Of a link it is beside what the link leads to, so that a key has one folder.
    """
    path = path.resolve()
    return path.with_name(path.name + ".custody")


def load_master(
    locator: str,
    base: Path,
    *,
    environ: Mapping[str, str] | None = None,
    custody: Path | None = None,
) -> "MasterKey":
    """Read the master key that a locator names: `file:PATH`, `env:NAME`, `command:PROGRAM ...`.

    Paths are relative to `base`. Where there is a folder of custody (beside the key file, or
    `custody`), every use is written down in it; a key that keeps secrets of cohorts in it is
    refused without it. Raises ConfigError, or Unavailable where a command fails.
    """
    content, place = read_key(locator, base, environ or {})
    version, secret = _parse(content, place)
    master = MasterKey(secret)
    folder = base / custody if custody is not None else None
    if folder is None and locator.startswith("file:"):
        beside = custody_of(Path(place))
        folder = beside if version == _VERSION_OWN or beside.exists() else None
    if folder is None and version == _VERSION_OWN:
        raise ConfigError(
            "key.custody",
            f"the key in {place} keeps secrets of cohorts in a folder, and none is named",
            "name the folder that `cryptonym keys new` made beside the key",
        )
    if folder is not None and not folder.is_dir():
        raise ConfigError(
            "key.custody",
            f"{folder} is missing: secrets of cohorts and the log of uses are in it",
            "restore it with the key, or name where it is",
        )
    if folder is not None:
        master.entrust(Custody(folder, master.derive("key-log")), version == _VERSION_OWN)
    return master


def _parse(content: bytes, place: str) -> tuple[str, bytes]:
    parted = part_key(content, (_VERSION, _VERSION_OWN))
    if parted is None:
        raise ConfigError(
            _SETTING,
            f"{place} does not hold a master key",
            "restore it from its backup, or make one: cryptonym keys new FILE",
        )
    return parted


class _Key:
    """A secret that is neither printed, nor copied, nor pickled."""

    __slots__ = ("_key_id", "_secret")

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._key_id = ""

    @property
    def key_id(self) -> str:
        """The public name of the key."""
        if not self._key_id:
            # Derived beside everything else, so that it says nothing about the secret.
            self._key_id = expand(self._secret, b"key-id")[:4].hex()
        return self._key_id

    def __repr__(self) -> str:
        return f"{type(self).__name__}(key_id={self.key_id!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is not copied or pickled: pass its locator")

    def __getstate__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is not copied or pickled: pass its locator")


class MasterKey(_Key):
    """The root of the hierarchy; one for a warehouse. `key_id` is public."""

    __slots__ = ("_custody", "_has_own_secrets")

    def __init__(self, secret: bytes) -> None:
        if len(secret) != _SIZE:
            raise ValueError(f"a master key has {_SIZE} bytes")
        super().__init__(secret)
        self._custody: Custody | None = None
        self._has_own_secrets = False

    @property
    def custody(self) -> Custody | None:
        """The folder in which uses are written down, if there is one."""
        return self._custody

    def entrust(self, custody: Custody, has_own_secrets: bool) -> None:
        """Write down every use from now on; cohorts have secrets of their own or have none."""
        self._custody = custody
        self._has_own_secrets = has_own_secrets

    def note(self, action: str) -> None:
        """Write down a use of the master key itself."""
        if self._custody is not None:
            with self._custody.locked():
                self._custody.log.append(action, self.key_id, None)

    def rotate(self, successor: str) -> None:
        """Make no cohorts from now on: the key with the public id `successor` does.

        The cohorts that are there go on as before. Raises ConfigError without custody.
        """
        custody = self._custody
        if custody is None:
            raise ConfigError("key.custody", "the key has no folder of custody", _NO_CUSTODY)
        with custody.locked():
            custody.log.append("rotate", self.key_id, None, f"to {successor}")
            custody.rotate(successor)

    def cohort(
        self, name: str, *, action: str = "use", reason: str | None = None, make: bool = True
    ) -> "CohortKey":
        """Derive the key of a cohort: whoever holds it can neither climb nor cross to another.

        With custody the use is written down as `action`, with the `reason` that was given; unless
        `make`, only a cohort that is there will do. Raises
        ConfigError where the cohort was destroyed, is of another version of the surrogates, or is
        new and the key was rotated; where its secret is lost, or the log was tampered with.
        """
        custody = self._custody
        if custody is None:
            return CohortKey(self._derive(b"cohort", name))
        with custody.locked():
            self._refuse(name, custody, make)
            key = self._open(name, custody)
            # A use that is refused after this is a use that somebody should see.
            custody.log.append(action, key.key_id, name, reason)
            custody.settle(
                CohortEntry(name, key.key_id, self._has_own_secrets, algorithm=ALGORITHM)
            )
        return key

    def _refuse(self, name: str, custody: Custody, make: bool) -> None:
        entry = custody.entry(name)
        refuse_destroyed(entry)
        refuse_older(entry, ALGORITHM)
        if entry is None and make:
            custody.refuse_rotated()
        elif entry is None:
            self._unknown(name)

    def destroy(self, name: str, *, retire: bool = False) -> CohortEntry:
        """Destroy the secret of a cohort, so that nobody can derive its key again.

        A cohort without a secret of its own can only be retired: refused from now on, although
        the master key could still derive it. Raises ConfigError where there is no such cohort,
        no custody, or nothing that could be destroyed.
        """
        custody = self._custody
        if custody is None:
            raise ConfigError("key.custody", "the key has no folder of custody", _NO_CUSTODY)
        with custody.locked():
            entry = custody.entry(name)
            if entry is None:
                entry = self._unknown(name)
            if not (entry.own_secret or retire):
                raise ConfigError("--cohort", "has no secret that could be destroyed", _ONLY_RETIRE)
            custody.log.append("destroy" if entry.own_secret else "retire", entry.key_id, name)
            return custody.destroy(entry)

    def _unknown(self, name: str) -> CohortEntry:
        if self._has_own_secrets:
            raise ConfigError(
                "--cohort",
                "no cohort of this name was derived",
                "`cryptonym keys derive` lists them",
            )
        key_id = CohortKey(self._derive(b"cohort", name)).key_id
        return CohortEntry(name, key_id, False, algorithm=ALGORITHM)

    def _open(self, name: str, custody: Custody) -> "CohortKey":
        if not self._has_own_secrets:
            return CohortKey(self._derive(b"cohort", name))
        joined = self._secret + custody.secret(name)
        info = b"cohort-own\0" + _encode(name)
        return CohortKey(HKDF(hashes.SHA256(), _SIZE, salt=_SALT, info=info).derive(joined))

    def derive(self, purpose: str) -> bytes:
        """Derive 32 bytes for a purpose outside the surrogates, such as the sealed span store."""
        return self._derive(b"purpose", purpose, salt=_PURPOSE_SALT)

    def _derive(self, kind: bytes, name: str, *, salt: bytes = _SALT) -> bytes:
        info = kind + b"\0" + _encode(name)
        return HKDF(hashes.SHA256(), _SIZE, salt=salt, info=info).derive(self._secret)


class CohortKey(_Key):
    """Decides all surrogates, shifts and ids of one research cohort. `key_id` is public."""

    __slots__ = ("_kinds", "_mac", "_shared", "patient")

    def __init__(self, secret: bytes) -> None:
        super().__init__(secret)
        self._kinds: dict[str, Mac] = {}
        self._mac = Mac(secret)
        self._shared = PatientKey(expand(secret, b"shared"))
        self.patient = lru_cache(maxsize=_CACHED_PATIENTS)(self._patient)

    def _patient(self, person_id: str) -> "PatientKey":
        """Derive the key of a patient; the most recent ones are remembered."""
        return PatientKey(self._mac.expand(b"patient\0" + _encode(person_id)), self._shared)

    def derive(self, purpose: str) -> bytes:
        """Derive 32 bytes for a purpose outside the surrogates, such as the vault."""
        return expand(self._secret, b"purpose\0" + _encode(purpose))

    def pseudonym(self, kind: str, value: str) -> int:
        """Return the id that stands for a value of a table, in [1, 2**62).

        Two values of a kind meet with the chance of a birthday in 2**62.
        """
        drawn = int.from_bytes(self._kind(kind).digest(_encode(value))[:16], "big")
        return 1 + drawn % PSEUDONYMS

    def digests(self, kind: str, values: Iterable[bytes]) -> bytes:
        """Give, joined, the 32 bytes that decide the id of each value in UTF-8."""
        return self._kind(kind).digests(values)

    def _kind(self, kind: str) -> Mac:
        key = self._kinds.get(kind)
        if key is None:
            key = self._kinds[kind] = Mac(expand(self._secret, b"kind\0" + _encode(kind)))
        return key


class PatientKey(_Key):
    """Decides the surrogates of one patient in one cohort."""

    __slots__ = ("_labels", "_shared")

    def __init__(self, secret: bytes, shared: "PatientKey | None" = None) -> None:
        super().__init__(secret)
        self._labels: dict[str, Mac] = {}
        self._shared = shared

    @property
    def shared(self) -> "PatientKey":
        """The key that all patients of the cohort have in common; this one where there is none."""
        return self._shared or self

    def draw(self, label: str, value: str, n: int = 32, *, counter: int = 0) -> bytes:
        """Return `n` bytes that only the key, the label, the value and the counter decide."""
        key = self._labels.get(label) or self._label(label)
        encoded = _encode(value)
        if n <= _SIZE:
            return key.digest(_PLACE(counter, 0) + encoded)[:n]
        return key.digests([_PLACE(counter, block) + encoded for block in range(-(-n // _SIZE))])[
            :n
        ]

    def number(self, label: str, value: str, bound: int, *, counter: int = 0) -> int:
        """Return a number in [0, bound); its bias is below 2**-60 for bounds up to 2**64."""
        key = self._labels.get(label) or self._label(label)
        drawn = key.digest(_PLACE(counter, 0) + _encode(value))
        return int.from_bytes(drawn[:16], "big") % bound

    def _label(self, label: str) -> Mac:
        """Derive the key of a label, and remember it."""
        key = self._labels[label] = Mac(expand(self._secret, b"label\0" + _encode(label)))
        return key


def _encode(text: str) -> bytes:
    # Text out of a damaged file can hold lone surrogates.
    return text.encode("utf-8", "surrogatepass")

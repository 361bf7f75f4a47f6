"""The key hierarchy from which every surrogate is derived: master, cohort, patient, label."""

import hashlib
import secrets
import struct
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from threading import get_ident
from typing import NoReturn

import numpy as np
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from numpy.typing import NDArray

from record.algorithms import ALGORITHM, ALGORITHMS
from record.errors import ConfigError
from surrogates.ciphers.id_permutation import ID_BITS, IdPermutation, refuse_id
from surrogates.keys.custody import (
    CohortEntry,
    Custody,
    make_folder,
    refuse_destroyed,
    refuse_unknown,
)
from surrogates.keys.locators import SETTING as _SETTING
from surrogates.keys.locators import parse_key, read_key, write_private

_BLOCK = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


class Mac:
    """HMAC-SHA-256 with the two key blocks hashed in advance (RFC 2104, section 4).

    For short messages it is three times as fast as `hmac.digest`, which sets up the key for each
    message. It holds a secret: it is neither printed nor copied.
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        inner, outer = _pads(key)
        self._inner = hashlib.sha256(inner)
        self._outer = hashlib.sha256(outer)

    def digest(self, message: bytes) -> bytes:
        """Return the HMAC of a message, 32 bytes."""
        inner = self._inner.copy()
        inner.update(message)
        outer = self._outer.copy()
        outer.update(inner.digest())
        return outer.digest()

    def expand(self, info: bytes) -> bytes:
        """Derive 32 bytes, like the function `expand`."""
        return self.digest(info + b"\1")

    def digests(self, messages: Iterable[bytes]) -> bytes:
        """Return the HMACs of several messages, concatenated."""
        begin, finish = self._inner.copy, self._outer.copy
        found = []
        for message in messages:
            inner, outer = begin(), finish()
            inner.update(message)
            outer.update(inner.digest())
            found.append(outer.digest())
        return b"".join(found)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Mac must not be copied or pickled")


def expand(key: bytes, info: bytes) -> bytes:
    """Derive 32 bytes: the first block of HKDF-Expand with SHA-256 (RFC 5869, section 2.3).

    The block is one HMAC; a key that is used once needs no `Mac` for it.
    """
    inner, outer = _pads(key)
    return hashlib.sha256(outer + hashlib.sha256(inner + info + b"\1").digest()).digest()


def _pads(key: bytes) -> tuple[bytes, bytes]:
    if len(key) > _BLOCK:
        raise ValueError(f"a key must have at most {_BLOCK} bytes, found {len(key)}")
    padded = key.ljust(_BLOCK, b"\0")
    return padded.translate(_INNER), padded.translate(_OUTER)


_FIRST = ALGORITHMS[0]

# Cohort keys are derived from the master key alone.
_VERSION = "cryptonym-key-v1"
# Each cohort has its own secret in the custody folder, which can be destroyed.
_VERSION_OWN = "cryptonym-key-v2"
_SIZE = 32
_SALT = b"cryptonym/surrogates/v2"
# Seals and logs must survive a new version of the surrogate algorithm.
_PURPOSE_SALT = b"cryptonym/surrogates/v1"
_NO_CUSTODY = "create it with `cryptonym keys derive`"
_ONLY_RETIRE = (
    "its key is derived from the master key alone: destroy all copies of the master key, or use "
    "--retire to refuse the cohort from now on"
)
_CACHED_PATIENTS = 4096
# Number of the draw and of the block within it, prepended to the value.
_PLACE = struct.Struct(">II").pack
PSEUDONYMS = 2**62 - 1
"""The largest pseudonym that is drawn by hashing; the smallest is 1."""
_HASHED_BITS = 62
_INT64 = range(-(2**63), 2**63)
# Of a 64-bit number with its sign.
_LONGEST = 20


def new_master(path: Path) -> None:
    """Write a new random master key with mode 600, and create its custody folder.

    Raises ConfigError (key `key.locator`) where `path` exists or cannot be written.
    """
    secret = secrets.token_hex(_SIZE)
    try:
        write_private(path, f"{_VERSION_OWN}\n{secret}\n".encode())
    except FileExistsError:
        raise ConfigError(
            _SETTING, f"{path} already exists; keys are never overwritten", "choose another path"
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
    load_master(f"file:{path.absolute()}", Path()).begin_log()


def custody_of(path: Path) -> Path:
    """Return the default custody folder of a key file.

    Symbolic links are resolved, so that a key has a single folder.
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

    Paths are relative to `base`. Where there is a custody folder (next to the key file, or
    `custody`), every use is logged in it; a key whose cohort secrets are in it is refused without
    it. Raises ConfigError, or Unavailable where a command fails.
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
            f"the key in {place} needs its custody folder, which is not configured",
            "set it to the folder that `cryptonym keys new` created next to the key",
        )
    if folder is not None and not folder.is_dir():
        raise ConfigError(
            "key.custody",
            f"not a directory: {folder}",
            "restore the custody folder together with the key, or correct its path",
        )
    if folder is not None:
        has_own = version == _VERSION_OWN
        custody_folder = Custody(folder, master.derive("key-log"), is_logged=has_own)
        master.attach_custody(custody_folder, has_own)
    return master


def _parse(content: bytes, place: str) -> tuple[str, bytes]:
    parted = parse_key(content, (_VERSION, _VERSION_OWN))
    if parted is None:
        raise ConfigError(
            _SETTING,
            f"not a master key: {place}",
            "restore it from a backup, or create one: cryptonym keys new FILE",
        )
    return parted


class _Key:
    """A secret that cannot be printed, copied or pickled."""

    __slots__ = ("_key_id", "_secret")

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._key_id = ""

    @property
    def key_id(self) -> str:
        """The public id of the key."""
        if not self._key_id:
            # Derived like everything else, so that it reveals nothing about the secret.
            self._key_id = expand(self._secret, b"key-id")[:4].hex()
        return self._key_id

    def __repr__(self) -> str:
        return f"{type(self).__name__}(key_id={self.key_id!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} must not be copied or pickled: pass its locator")

    def __getstate__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} must not be copied or pickled: pass its locator")


class MasterKey(_Key):
    """The root of the hierarchy; one per warehouse. `key_id` is public."""

    __slots__ = ("_custody", "_has_own_secrets")

    def __init__(self, secret: bytes) -> None:
        if len(secret) != _SIZE:
            raise ValueError(f"a master key must have {_SIZE} bytes, found {len(secret)}")
        super().__init__(secret)
        self._custody: Custody | None = None
        self._has_own_secrets = False

    @property
    def custody(self) -> Custody | None:
        """The custody folder in which uses are logged, if there is one."""
        return self._custody

    def attach_custody(self, custody: Custody, has_own_secrets: bool) -> None:
        """Log every use from now on; `has_own_secrets` is whether cohorts have own secrets."""
        self._custody = custody
        self._has_own_secrets = has_own_secrets

    def begin_log(self) -> None:
        """Log that this key was made."""
        if self._custody is not None:
            with self._custody.locked():
                self._custody.log.begin("new", self.key_id)

    def note(self, action: str) -> None:
        """Log a use of the master key itself."""
        if self._custody is not None:
            with self._custody.locked():
                self._custody.log.append(action, self.key_id, None)

    def rotate(self, successor: str) -> None:
        """Refuse new cohorts from now on, in favour of the key with the public id `successor`.

        Existing cohorts are not affected. Raises ConfigError without a custody folder.
        """
        custody = self._custody
        if custody is None:
            raise ConfigError("key.custody", "the key has no custody folder", _NO_CUSTODY)
        with custody.locked():
            custody.log.append("rotate", self.key_id, None, f"to {successor}")
            custody.rotate(successor)

    def cohort(
        self,
        name: str,
        *,
        action: str = "use",
        reason: str | None = None,
        make: bool = True,
        algorithm: int | None = None,
    ) -> "CohortKey":
        """Derive the key of a cohort; neither the master key nor other cohorts' follow from it.

        `algorithm` is the version of the surrogate algorithm: by default the recorded one, or the
        newest of a cohort without record. With a custody folder, the use is logged as `action` with
        its `reason`. Without `make` the cohort must exist. Raises ConfigError where the cohort was
        destroyed, has a version that this program does not know, or is new and the key was
        rotated; where its secret is missing; and where the log was tampered with.
        """
        custody = self._custody
        if custody is None:
            return CohortKey(self._derive(b"cohort", name), algorithm or ALGORITHM)
        with custody.locked():
            entry = self._refuse(name, custody, make)
            recorded = (algorithm or ALGORITHM) if entry is None else entry.algorithm
            key = self._open(name, custody, recorded)
            used = key.under(algorithm or recorded)
            # Log before the last check: a refused use should be visible, too.
            custody.log.append(action, used.key_id, name, reason)
            custody.record_cohort(
                CohortEntry(name, key.key_id, self._has_own_secrets, algorithm=recorded)
            )
        return used

    def adopt(self, name: str, algorithm: int) -> None:
        """Record the version of the surrogate algorithm that a cohort goes on under.

        Without a custody folder nothing is recorded. Raises ConfigError like `cohort`.
        """
        custody = self._custody
        if custody is None:
            return
        with custody.locked():
            entry = self._refuse(name, custody, make=False)
            if entry is None or entry.algorithm == algorithm:
                return
            key = self._open(name, custody, algorithm)
            custody.log.append("rebase", key.key_id, name, f"surrogate algorithm {algorithm}")
            custody.replace_cohort(replace(entry, key_id=key.key_id, algorithm=algorithm))

    def recorded_algorithm(self, name: str) -> int | None:
        """Return the recorded version of a cohort; None without record or custody folder."""
        custody = self._custody
        if custody is None:
            return None
        with custody.locked():
            entry = custody.entry(name)
        return None if entry is None else entry.algorithm

    def _refuse(self, name: str, custody: Custody, make: bool) -> CohortEntry | None:
        """Return the entry of a cohort that can be used; None for a new one."""
        entry = custody.entry(name)
        refuse_destroyed(entry)
        refuse_unknown(entry, ALGORITHMS)
        if entry is None and make:
            custody.refuse_rotated()
        elif entry is None:
            self._unknown(name)
        return entry

    def destroy(self, name: str, *, retire: bool = False) -> CohortEntry:
        """Destroy the secret of a cohort, so that its key cannot be derived again.

        A cohort without its own secret can only be retired: it is refused from now on, although
        its key could still be derived from the master key. Raises ConfigError where there is no
        such cohort, no custody folder, or no secret to destroy.
        """
        custody = self._custody
        if custody is None:
            raise ConfigError("key.custody", "the key has no custody folder", _NO_CUSTODY)
        with custody.locked():
            entry = custody.entry(name)
            if entry is None:
                entry = self._unknown(name)
            if not (entry.own_secret or retire):
                raise ConfigError("--cohort", "has no secret of its own to destroy", _ONLY_RETIRE)
            custody.log.append("destroy" if entry.own_secret else "retire", entry.key_id, name)
            return custody.destroy(entry)

    def _unknown(self, name: str) -> CohortEntry:
        if self._has_own_secrets:
            raise ConfigError(
                "--cohort",
                "no such cohort",
                "list the cohorts with `cryptonym keys derive`",
            )
        key_id = CohortKey(self._derive(b"cohort", name)).key_id
        return CohortEntry(name, key_id, False, algorithm=ALGORITHM)

    def _open(self, name: str, custody: Custody, algorithm: int) -> "CohortKey":
        if not self._has_own_secrets:
            return CohortKey(self._derive(b"cohort", name), algorithm)
        joined = self._secret + custody.secret(name)
        info = b"cohort-own\0" + _encode(name)
        secret = HKDF(hashes.SHA256(), _SIZE, salt=_SALT, info=info).derive(joined)
        return CohortKey(secret, algorithm)

    def derive(self, purpose: str) -> bytes:
        """Derive 32 bytes for a purpose outside the surrogates, such as the sealed span store."""
        return self._derive(b"purpose", purpose, salt=_PURPOSE_SALT)

    def _derive(self, kind: bytes, name: str, *, salt: bytes = _SALT) -> bytes:
        info = kind + b"\0" + _encode(name)
        return HKDF(hashes.SHA256(), _SIZE, salt=salt, info=info).derive(self._secret)


class CohortKey(_Key):
    """The key of all surrogates, date shifts and ids of one research cohort. `key_id` is public.

    `algorithm` is the version of the surrogate algorithm; each has a key of its own, so that what
    one version draws tells nothing of what another does. Pseudonyms of numbers are in
    [1, 2**id_bits): see `with_id_bits`.
    """

    __slots__ = (
        *("_kinds", "_mac", "_permutations", "_root", "_shared"),
        *("algorithm", "id_bits", "patient"),
    )

    def __init__(
        self, secret: bytes, algorithm: int = ALGORITHM, id_bits: int = ID_BITS[0]
    ) -> None:
        if algorithm not in ALGORITHMS:
            raise ValueError(f"no surrogate algorithm {algorithm}; choose one of {ALGORITHMS}")
        self._root = secret
        self.algorithm = algorithm
        self.id_bits = _HASHED_BITS if algorithm == _FIRST else id_bits
        if algorithm > _FIRST:
            secret = expand(secret, b"algorithm\0" + str(algorithm).encode())
        super().__init__(secret)
        self._kinds: dict[str, Mac] = {}
        self._permutations: dict[tuple[str, int], IdPermutation] = {}
        self._mac = Mac(secret)
        self._shared = PatientKey(expand(secret, b"shared"), algorithm=algorithm)
        self.patient = lru_cache(maxsize=_CACHED_PATIENTS)(self._patient)

    def _patient(self, person_id: str) -> "PatientKey":
        """Derive the key of a patient; the most recent ones are cached."""
        secret = self._mac.expand(b"patient\0" + _encode(person_id))
        return PatientKey(secret, self._shared, algorithm=self.algorithm)

    def under(self, algorithm: int) -> "CohortKey":
        """Return the key of the same cohort under a version of the surrogate algorithm."""
        return self if algorithm == self.algorithm else CohortKey(self._root, algorithm)

    def with_id_bits(self, bits: int | None) -> "CohortKey":
        """Return the key with pseudonyms in [1, 2**bits), as `Policy.id_bits` chooses.

        The first version of the surrogate algorithm has one size.
        """
        if self.algorithm == _FIRST or bits in (None, self.id_bits):
            return self
        return CohortKey(self._root, self.algorithm, bits)

    @property
    def cohort_id(self) -> str:
        """The public id of the cohort, the same in all versions of the surrogate algorithm."""
        return self.under(_FIRST).key_id

    def derive(self, purpose: str) -> bytes:
        """Derive 32 bytes for a purpose outside the surrogates, such as the vault."""
        return expand(self._secret, b"purpose\0" + _encode(purpose))

    def pseudonym(self, kind: str, value: str) -> int:
        """Return the pseudonym of an id, in [1, 2**id_bits); joins are preserved.

        Numbers of a kind never collide. Ids that are text, and all of the first version of the
        surrogate algorithm, are hashed: see `hashed`. Raises ConfigError for a number that is out
        of range.
        """
        number = None if self.algorithm == _FIRST else _to_number(value)
        if number is None:
            return self.hashed(kind, value)
        if not 0 < number < 1 << self.id_bits:
            refuse_id(kind, number, self.id_bits)
        return self._permutation(kind).permute(number)

    def pseudonym_of_text(self, kind: str, value: str) -> int:
        """Return the pseudonym of an id in a file: a number that is out of range is text there."""
        number = _to_number(value)
        is_outside = number is not None and not 0 < number < 1 << self.id_bits
        return self.hashed(kind, value) if is_outside else self.pseudonym(kind, value)

    def pseudonyms(self, kind: str, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the pseudonyms of many numbers, as `pseudonym` does one by one."""
        if self.algorithm == _FIRST:
            found = (self.hashed(kind, str(number)) for number in numbers.tolist())
            return np.fromiter(found, np.int64, len(numbers))
        if len(numbers):
            for number in (int(numbers.min()), int(numbers.max())):
                if not 0 < number < 1 << self.id_bits:
                    refuse_id(kind, number, self.id_bits)
        return self._permutation(kind).permute_all(numbers)

    def hashed(self, kind: str, value: str) -> int:
        """Return the pseudonym of a text, in [1, 2**62).

        Collisions within a kind have the birthday probability for 2**62 values.
        """
        drawn = int.from_bytes(self._kind(kind).digest(_encode(value))[:16], "big")
        return 1 + drawn % PSEUDONYMS

    def digests(self, kind: str, values: Iterable[bytes]) -> bytes:
        """Return the 32-byte digests of values in UTF-8 that `hashed` is made of, concatenated."""
        return self._kind(kind).digests(values)

    def _permutation(self, kind: str) -> IdPermutation:
        # Ciphers are not thread-safe.
        place = kind, get_ident()
        found = self._permutations.get(place)
        if found is None:
            info = b"id\0" + _encode(kind) + b"\0" + str(self.id_bits).encode()
            found = IdPermutation(expand(self._secret, info), self.id_bits)
            self._permutations[place] = found
        return found

    def _kind(self, kind: str) -> Mac:
        key = self._kinds.get(kind)
        if key is None:
            key = self._kinds[kind] = Mac(expand(self._secret, b"kind\0" + _encode(kind)))
        return key


class PatientKey(_Key):
    """The key of the surrogates of one patient in one cohort."""

    __slots__ = ("_labels", "_shared", "algorithm")

    def __init__(
        self, secret: bytes, shared: "PatientKey | None" = None, *, algorithm: int = ALGORITHM
    ) -> None:
        super().__init__(secret)
        self.algorithm = algorithm
        self._labels: dict[str, Mac] = {}
        self._shared = shared

    @property
    def shared(self) -> "PatientKey":
        """The key shared by all patients of the cohort; this key where there is none."""
        return self._shared or self

    def draw(self, label: str, value: str, n: int = 32, *, counter: int = 0) -> bytes:
        """Return `n` pseudorandom bytes determined by key, label, value and counter."""
        key = self._labels.get(label) or self._label(label)
        encoded = _encode(value)
        if n <= _SIZE:
            return key.digest(_PLACE(counter, 0) + encoded)[:n]
        return key.digests([_PLACE(counter, block) + encoded for block in range(-(-n // _SIZE))])[
            :n
        ]

    def number(self, label: str, value: str, bound: int, *, counter: int = 0) -> int:
        """Return a pseudorandom number in [0, bound); bias below 2**-60 for bounds up to 2**64."""
        key = self._labels.get(label) or self._label(label)
        drawn = key.digest(_PLACE(counter, 0) + _encode(value))
        return int.from_bytes(drawn[:16], "big") % bound

    def _label(self, label: str) -> Mac:
        """Derive and cache the key of a label."""
        key = self._labels[label] = Mac(expand(self._secret, b"label\0" + _encode(label)))
        return key


def _to_number(value: str) -> int | None:
    """Return the 64-bit number that a text is in its shortest form; None for other text."""
    if len(value) > _LONGEST or not value.removeprefix("-").isdecimal():
        return None
    number = int(value)
    return number if str(number) == value and number in _INT64 else None


def _encode(text: str) -> bytes:
    # Text from a corrupt file can contain lone surrogates.
    return text.encode("utf-8", "surrogatepass")

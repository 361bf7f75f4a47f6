"""The vault: the encrypted, optional mapping from surrogate persons back to source persons."""

import secrets
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

from record.algorithms import ALGORITHMS
from record.errors import ConfigError
from surrogates.keys.keys import CohortKey
from surrogates.keys.locators import parse_key, read_key, write_private

_KEY_VERSION = "cryptonym-vault-key-v1"
_SIZE = 32
_NONCE = 12
_SALT = b"cryptonym/vault/v1"
# Ids are padded, so that rows do not reveal their length.
_PADDED = 32
_LENGTH = 2
_SECONDS = 30
_VAULT, _KEY = "reversal.vault", "reversal.key"
_SCHEMA = """
create table about (name text primary key, value text not null) without rowid;
create table persons (
    cohort_key_id text not null,
    surrogate_id text not null,
    nonce blob not null,
    sealed blob not null,
    primary key (cohort_key_id, surrogate_id)
) without rowid;
"""


def new_vault_key(path: Path) -> None:
    """Write a new random vault key with mode 600; raises ConfigError."""
    try:
        write_private(path, f"{_KEY_VERSION}\n{secrets.token_hex(_SIZE)}\n".encode())
    except OSError as error:
        problem = f"{path} cannot be written ({error.strerror})"
        raise ConfigError(_KEY, problem, "choose a path that does not exist yet") from None


class Vault:
    """A file whose rows identify the persons of cohorts to holders of both keys.

    A row has the public id of the cohort's key, the surrogate id of the person, and the person id
    under AES-256-GCM-SIV (RFC 8452), with the first two as associated data. The key of a row is
    derived from the vault's key and the cohort's: both are needed, so that rows of a destroyed
    cohort cannot be decrypted.
    """

    __slots__ = ("_path", "_secret", "key_id")

    def __init__(self, path: Path, secret: bytes) -> None:
        self._path = path
        self._secret = secret
        self.key_id = HKDFExpand(hashes.SHA256(), 4, info=b"key-id").derive(secret).hex()

    def __repr__(self) -> str:
        return f"Vault(key_id={self.key_id!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Vault holds a key and must not be copied or pickled: pass its locator")

    def check(self) -> None:
        """Raise ConfigError where the file is not a vault of this key; create it if missing."""
        with self._opened():
            pass

    def store(self, cohort: CohortKey, persons: Iterable[str]) -> int:
        """Store the persons of a cohort; return how many are new. Raises ConfigError.

        Existing rows stay, so that it can be repeated. The rows are on disk when this returns:
        call it before a release with these persons becomes visible.
        """
        with self._opened() as database, database:
            before = database.total_changes
            database.executemany(
                "insert into persons values (?, ?, ?, ?) on conflict do nothing",
                (self._row(cohort, person) for person in persons),
            )
            return database.total_changes - before

    def reveal(self, cohort: CohortKey, surrogate_id: str) -> str:
        """Return the source id of a person of a cohort, released under any version.

        Callers log who asked and why beforehand. Raises ConfigError where the vault does not have
        the person, or the row was changed.
        """
        row = None
        with self._opened() as database:
            for algorithm in reversed(ALGORITHMS):
                if row is None:
                    cohort = cohort.under(algorithm)
                    row = database.execute(
                        "select nonce, sealed from persons "
                        "where cohort_key_id = ? and surrogate_id = ?",
                        (cohort.key_id, surrogate_id),
                    ).fetchone()
        if row is None:
            raise ConfigError(
                "--person",
                "not in the vault for this cohort",
                "check cohort and id: the vault has only persons released while it was enabled",
            )
        try:
            padded = self._seal(cohort).decrypt(row[0], row[1], _bound(cohort, surrogate_id))
        except (InvalidTag, ValueError, TypeError):
            raise ConfigError(
                _VAULT, "the row of this person was altered", "restore the vault from a backup"
            ) from None
        length = int.from_bytes(padded[:_LENGTH], "big")
        return padded[_LENGTH : _LENGTH + length].decode()

    def _row(self, cohort: CohortKey, person: str) -> tuple[str, str, bytes, bytes]:
        surrogate_id = str(cohort.pseudonym_of_text("person", person))
        plain = person.encode()
        padded = len(plain).to_bytes(_LENGTH, "big") + plain
        padded += bytes(-len(padded) % _PADDED)
        nonce = secrets.token_bytes(_NONCE)
        sealed = self._seal(cohort).encrypt(nonce, padded, _bound(cohort, surrogate_id))
        return cohort.key_id, surrogate_id, nonce, sealed

    def _seal(self, cohort: CohortKey) -> AESGCMSIV:
        joined = self._secret + cohort.derive("vault")
        return AESGCMSIV(HKDF(hashes.SHA256(), _SIZE, salt=_SALT, info=b"persons").derive(joined))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open or create the file; raises ConfigError where it has another key or is corrupt."""
        try:
            is_new = not self._path.exists()
            if is_new:
                write_private(self._path, b"")
            _refuse_exposed(self._path)
            with closing(sqlite3.connect(self._path, timeout=_SECONDS)) as database:
                if is_new:
                    database.executescript(_SCHEMA)
                    with database:
                        about = {"version": "1", "key_id": self.key_id}.items()
                        database.executemany("insert into about values (?, ?)", about)
                self._check(database)
                yield database
        except OSError as error:
            problem = f"{self._path} cannot be used ({error.strerror})"
            raise ConfigError(_VAULT, problem, "choose a path in a folder you own") from None
        except sqlite3.DatabaseError:
            raise ConfigError(
                _VAULT, f"not a vault, or corrupt: {self._path}", "restore it from a backup"
            ) from None

    def _check(self, database: sqlite3.Connection) -> None:
        about = dict(database.execute("select name, value from about"))
        if about.get("version") != "1":
            raise ConfigError(
                _VAULT, "unsupported version", "use the program version that created it"
            )
        if about.get("key_id") != self.key_id:
            problem = f"the vault has the key {about.get('key_id')}, not {self.key_id}"
            raise ConfigError(_KEY, problem, "use the key that the vault was created with")


def open_vault(
    path: Path, locator: str, base: Path, *, environ: Mapping[str, str] | None = None
) -> Vault:
    """Open a vault with the key of a locator; its file is created when something is stored.

    Paths are relative to `base`. Raises ConfigError, or Unavailable.
    """
    content, place = read_key(locator, base, environ or {})
    parted = parse_key(content, (_KEY_VERSION,))
    if parted is None:
        raise ConfigError(
            _KEY,
            f"not a vault key: {place}",
            "create one with `cryptonym keys new FILE --vault`: a master key cannot be used",
        )
    return Vault(base / path, parted[1])


def _bound(cohort: CohortKey, surrogate_id: str) -> bytes:
    return b"\0".join((_SALT, cohort.key_id.encode(), surrogate_id.encode()))


def _refuse_exposed(path: Path) -> None:
    found = path.stat(follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError(_VAULT, f"not a regular file: {path}", "use the path of the file itself")
    if found.st_mode & 0o077:
        problem = f"{path} must not be accessible to other users"
        raise ConfigError(_VAULT, problem, f"run chmod 600 {path}")

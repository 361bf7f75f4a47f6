"""The log of every use of a key: append-only, each line chained to the one before, sealed."""

import hmac
import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.hmac import HMAC

from record.errors import ConfigError
from surrogates.keys.locators import replace_private

LOG = "uses.jsonl"
HEAD = "uses.head"
_SETTING = "key.custody"
_START = "0" * 64
_REMEDY = "see `cryptonym keys log --verify`; put the log back, or find out who changed it"


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a key; `user` is the number of the account, `previous` the last line's hash.

    `reason` is what whoever used it gave, where a reason has to be given.
    """

    number: int
    time: str
    action: str
    key_id: str
    cohort: str | None
    user: int
    previous: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Head:
    """How far the log went when it was last sealed."""

    lines: int
    bytes: int
    last: str


class KeyLog:
    """The log in a folder of custody; its seal needs the master key.

    A line that was changed, taken out or cut off at the end is found. What is not: a log and a
    seal that were both put back to an earlier state, unless the hash of a later line was noted
    elsewhere; and lines written by whoever has the master key. Callers hold the folder's lock.
    """

    __slots__ = ("_folder", "_seal")

    def __init__(self, folder: Path, seal: bytes) -> None:
        self._folder = folder
        self._seal = seal

    def __repr__(self) -> str:
        return "KeyLog()"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a KeyLog is not copied or pickled: pass the key's locator")

    def append(
        self, action: str, key_id: str, cohort: str | None, reason: str | None = None
    ) -> None:
        """Write down a use, to the disk; raises ConfigError where the log was cut or changed."""
        head = self._recovered()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        use = Use(head.lines + 1, now, action, key_id, cohort, os.getuid(), head.last, reason)
        line = json.dumps(asdict(use)).encode() + b"\n"
        handle = os.open(
            self._folder / LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600
        )
        try:
            os.write(handle, line)
            os.fsync(handle)
        finally:
            os.close(handle)
        self._write(_Head(use.number, head.bytes + len(line), _hash(line)))

    def uses(self) -> list[Use]:
        """Read the log; a line that is none is left out, and `problems` tells of it."""
        found = (_parsed(line) for line in self._lines())
        return [use for use in found if use is not None]

    def problems(self, noted: str | None = None) -> list[str]:
        """Check the chain, the seal, and that the line of a `noted` hash is still there."""
        found: list[str] = []
        last, seen = _START, set[str]()
        for number, line in enumerate(self._lines(), 1):
            use = _parsed(line)
            if use is None:
                found.append(f"line {number} is no use")
            elif use.previous != last or use.number != number:
                found.append(f"line {number} does not follow the one before it")
            last = _hash(line)
            seen.add(last)
        try:
            self._recovered(mend=False)
        except ConfigError as error:
            found.append(error.problem)
        if noted is not None and noted not in seen:
            found.append("the line with the noted hash is gone")
        return found

    def last(self) -> str:
        """Return the hash of the last line, to be noted where nobody here can change it."""
        lines = self._lines()
        return _hash(lines[-1]) if lines else _START

    def _recovered(self, *, mend: bool = True) -> _Head:
        """Return the head; a line that was written and not sealed any more counts,
        a torn one not.
        """
        head = self._head()
        content = self._content()
        sealed, rest = content[: head.bytes], content[head.bytes :]
        lines = sealed.splitlines(keepends=True)
        is_whole = len(sealed) == head.bytes and len(lines) == head.lines
        if not is_whole or (lines and _hash(lines[-1]) != head.last):
            raise ConfigError(_SETTING, "the log of uses was cut or changed", _REMEDY)
        if not rest:
            return head
        use = _parsed(rest)
        if rest.endswith(b"\n"):
            if use is None or use.previous != head.last:
                raise ConfigError(_SETTING, "the log of uses was written to by others", _REMEDY)
            return _Head(head.lines + 1, head.bytes + len(rest), _hash(rest))
        if mend:
            os.truncate(self._folder / LOG, head.bytes)
        return head

    def _head(self) -> _Head:
        path = self._folder / HEAD
        if not path.exists():
            # Before the first use there is nothing; later, something must have been taken away.
            if any(self._folder.glob("*.cohort")) or self._content().count(b"\n") > 1:
                raise ConfigError(_SETTING, "the seal of the log of uses is gone", _REMEDY)
            return _Head(0, 0, _START)
        try:
            found = json.loads(path.read_bytes())
            head = _Head(int(found["lines"]), int(found["bytes"]), str(found["last"]))
            seal = str(found["seal"])
        except (OSError, ValueError, KeyError, TypeError):
            raise ConfigError(_SETTING, "the seal of the log is damaged", _REMEDY) from None
        if not hmac.compare_digest(seal.encode(), self._sealed(head).encode()):
            raise ConfigError(_SETTING, "the seal of the log is not this key's", _REMEDY)
        return head

    def _write(self, head: _Head) -> None:
        record = asdict(head) | {"seal": self._sealed(head)}
        replace_private(self._folder / HEAD, json.dumps(record).encode() + b"\n")

    def _sealed(self, head: _Head) -> str:
        code = HMAC(self._seal, hashes.SHA256())
        code.update(f"{head.lines} {head.bytes} {head.last}".encode())
        return code.finalize().hex()

    def _content(self) -> bytes:
        path = self._folder / LOG
        return path.read_bytes() if path.exists() else b""

    def _lines(self) -> list[bytes]:
        return self._content().splitlines(keepends=True)


def _hash(line: bytes) -> str:
    digest = hashes.Hash(hashes.SHA256())
    digest.update(line)
    return digest.finalize().hex()


def _parsed(line: bytes) -> Use | None:
    try:
        found = json.loads(line)
        return Use(**found)
    except (ValueError, TypeError):
        return None

"""The sealed log of key uses: each line has the hash of the previous one and its own code."""

import hmac
import json
import os
import sys
from dataclasses import asdict, dataclass, replace
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
_USED = ("*.cohort", "*.secret", "rotated.json")
"""Files of the folder that a key has only after it was used."""

_REMEDY = "see `cryptonym keys log --verify`; restore the log, and find out who changed it"


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A use of a key; `user` is the user id, `previous` the hash of the previous line.

    `reason` is given for actions that require one; `code` authenticates the rest, and is empty in
    lines of earlier versions.
    """

    number: int
    time: str
    action: str
    key_id: str
    cohort: str | None
    user: int
    previous: str
    reason: str | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class _LogHead:
    """The length and last hash of the log when it was last sealed.

    `coded` is the number of the first line with a code of its own; 0 if there is none.
    """

    lines: int
    bytes: int
    last: str
    coded: int = 0


class KeyUsageLog:
    """The log in a custody folder; its seal and the codes of its lines need the master key.

    Changed, removed, added and truncated lines are detected, and so is a missing log: with
    `is_required` always, else where the folder shows that the key was used. Not detected are a log
    and seal that were both restored to an earlier state, unless the hash of a later line was
    recorded elsewhere, and lines written by a holder of the master key. Callers hold the folder's
    lock.
    """

    __slots__ = ("_folder", "_is_required", "_seal")

    def __init__(self, folder: Path, seal: bytes, *, is_required: bool = False) -> None:
        self._folder = folder
        self._seal = seal
        self._is_required = is_required

    def begin(self, action: str, key_id: str) -> None:
        """Append the first line of a new key's log."""
        self._is_required, is_required = False, self._is_required
        self.append(action, key_id, None)
        self._is_required = is_required

    def __repr__(self) -> str:
        return "KeyUsageLog()"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a KeyUsageLog must not be copied or pickled: pass the key's locator")

    def append(
        self, action: str, key_id: str, cohort: str | None, reason: str | None = None
    ) -> None:
        """Append a use and flush it to disk; raises ConfigError where the log was tampered with."""
        head = self._recover_head()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        use = KeyUse(head.lines + 1, now, action, key_id, cohort, os.getuid(), head.last, reason)
        use = replace(use, code=self._compute_code(use))
        line = json.dumps(asdict(use)).encode() + b"\n"
        handle = os.open(
            self._folder / LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600
        )
        try:
            os.write(handle, line)
            os.fsync(handle)
        finally:
            os.close(handle)
        length, coded = head.bytes + len(line), head.coded or use.number
        self._write_head(_LogHead(use.number, length, _hash_line(line), coded))

    def uses(self) -> list[KeyUse]:
        """Read the log; invalid lines are left out, and reported by `problems`."""
        found = (_parse_use(line) for line in self._read_lines())
        return [use for use in found if use is not None]

    def problems(self, noted: str | None = None) -> list[str]:
        """Verify the hash chain and the seal, and that the line with the hash `noted` exists."""
        found: list[str] = []
        last, seen = _START, set[str]()
        coded = self._find_first_code()
        for number, line in enumerate(self._read_lines(), 1):
            use = _parse_use(line)
            if use is None:
                found.append(f"line {number} is invalid")
            elif use.previous != last or use.number != number:
                found.append(f"line {number} does not match the previous line")
            elif number >= coded and not self._is_authentic(use):
                found.append(f"line {number} was not written with this key")
            last = _hash_line(line)
            seen.add(last)
        try:
            self._recover_head(repair=False)
        except ConfigError as error:
            found.append(error.problem)
        if noted is not None and noted not in seen:
            found.append("the line with the recorded hash is missing")
        return found

    def last(self) -> str:
        """Return the hash of the last line, to be recorded in an independent place."""
        lines = self._read_lines()
        return _hash_line(lines[-1]) if lines else _START

    def _recover_head(self, *, repair: bool = True) -> _LogHead:
        """Return the head; a last line that was not yet sealed counts, an incomplete one is cut."""
        head = self._read_head()
        content = self._read_content()
        sealed, rest = content[: head.bytes], content[head.bytes :]
        lines = sealed.splitlines(keepends=True)
        is_whole = len(sealed) == head.bytes and len(lines) == head.lines
        if not is_whole or (lines and _hash_line(lines[-1]) != head.last):
            raise ConfigError(_SETTING, "the key usage log was truncated or changed", _REMEDY)
        if not rest:
            return head
        use = _parse_use(rest)
        if rest.endswith(b"\n"):
            is_coded = use is not None and self._is_authentic(use)
            # Before the first head, and after one of an earlier version, a line may have no code.
            if use is None or use.previous != head.last or not (is_coded or not head.coded):
                raise ConfigError(_SETTING, "the key usage log has an invalid last line", _REMEDY)
            coded = head.coded or (use.number if is_coded else 0)
            return _LogHead(head.lines + 1, head.bytes + len(rest), _hash_line(rest), coded)
        if repair:
            os.truncate(self._folder / LOG, head.bytes)
        return head

    def _read_head(self) -> _LogHead:
        path = self._folder / HEAD
        if not path.exists():
            # Before the first use there is no seal; later, a missing seal was removed.
            content = self._read_content()
            is_used = any(next(self._folder.glob(name), None) for name in _USED)
            if is_used or content.count(b"\n") > 1 or (self._is_required and not content):
                raise ConfigError(_SETTING, "the seal of the key usage log is missing", _REMEDY)
            return _LogHead(0, 0, _START, int(self._is_required))
        try:
            found = json.loads(path.read_bytes())
            numbers = int(found["lines"]), int(found["bytes"])
            head = _LogHead(*numbers, str(found["last"]), int(found.get("coded", 0)))
            seal = str(found["seal"])
        except (OSError, ValueError, KeyError, TypeError):
            raise ConfigError(
                _SETTING, "the seal of the key usage log is corrupt", _REMEDY
            ) from None
        if not hmac.compare_digest(seal.encode(), self._compute_seal(head).encode()):
            raise ConfigError(
                _SETTING, "seal mismatch: the key usage log was not sealed by this key", _REMEDY
            )
        return head

    def _write_head(self, head: _LogHead) -> None:
        record = asdict(head) | {"seal": self._compute_seal(head)}
        replace_private(self._folder / HEAD, json.dumps(record).encode() + b"\n")

    def _compute_seal(self, head: _LogHead) -> str:
        coded = f" {head.coded}" if head.coded else ""
        return self._authenticate(f"{head.lines} {head.bytes} {head.last}{coded}".encode())

    def _compute_code(self, use: KeyUse) -> str:
        return self._authenticate(b"line " + json.dumps(asdict(replace(use, code=""))).encode())

    def _is_authentic(self, use: KeyUse) -> bool:
        return hmac.compare_digest(str(use.code).encode(), self._compute_code(use).encode())

    def _find_first_code(self) -> int:
        """Return the number of the first line with a code; 1 where the head is not authentic."""
        try:
            return self._read_head().coded or sys.maxsize
        except ConfigError:
            return 1

    def _authenticate(self, message: bytes) -> str:
        code = HMAC(self._seal, hashes.SHA256())
        code.update(message)
        return code.finalize().hex()

    def _read_content(self) -> bytes:
        path = self._folder / LOG
        return path.read_bytes() if path.exists() else b""

    def _read_lines(self) -> list[bytes]:
        return self._read_content().splitlines(keepends=True)


def _hash_line(line: bytes) -> str:
    digest = hashes.Hash(hashes.SHA256())
    digest.update(line)
    return digest.finalize().hex()


def _parse_use(line: bytes) -> KeyUse | None:
    try:
        found = json.loads(line)
        return KeyUse(**found)
    except (ValueError, TypeError):
        return None

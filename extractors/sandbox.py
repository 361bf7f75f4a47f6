"""A child process that reads hostile documents and may be killed at any time."""

import json
import os
import select
import signal
import struct
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from pydantic import TypeAdapter, ValidationError

from extractors.document.limits import Extracted, Limits
from extractors.document.options import Options
from record.errors import Unavailable, Unreadable

HEADER = struct.Struct(">Q")
"""Length of the message that follows, on the pipes in both directions."""

OUT_OF_MEMORY = 77
"""Exit status of a child that ran out of memory."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no text; `retry` where a fresh child may do better."""

    reason: str
    retry: bool = False


OPTIONS = TypeAdapter(Options)
ANSWER: TypeAdapter[Extracted | Refusal] = TypeAdapter(Extracted | Refusal)
"""What is said on the pipes, as JSON: the options once, then an answer to each document."""

_START_SECONDS = 120.0
_DYING_SECONDS = 5.0
_RECYCLE_AFTER = 500
_CHUNK_BYTES = 1 << 16
# A character takes at most 4 bytes as UTF-8, or 6 as an escape of JSON.
_REPLY_BYTES_PER_CHARACTER = 6
_REPLY_BYTES_BESIDES = 65536
_REPLY_BYTES_OF_SHOWING = 500_000_000


class _LateError(Exception):
    """The child did not answer in time."""


class _DeadError(Exception):
    """The child closed its end of a pipe."""


class Sandbox:
    """Extracts documents in a process of its own, started at the first of them.

    The child has bounded memory, processor and wall time, inherits neither environment nor open
    files, writes no files, and dies with its parent. It is replaced after `recycle_after`
    documents. One document at a time: not for several threads; and the child also dies with the
    thread that started it, after which the next document starts another.
    """

    def __init__(
        self,
        limits: Limits,
        options: Options | None = None,
        *,
        recycle_after: int = _RECYCLE_AFTER,
    ) -> None:
        self._limits = limits
        self._options = options or Options()
        self._recycle_after = recycle_after
        self._process: subprocess.Popen[bytes] | None = None
        self._documents = 0

    @property
    def pid(self) -> int | None:
        """The child's process id; None while there is no child."""
        return self._process.pid if self._process else None

    def extract(self, data: bytes) -> Extracted:
        """Extract one document.

        Raises Unreadable with the reasons of `extractors.extractor`, and `timed-out`,
        `out-of-memory`, `crashed`. Raises Unavailable when no child can be started.
        """
        if self._is_spent():
            self.close()
        answer = self._attempt(data)
        if isinstance(answer, Refusal) and answer.retry and self._documents > 1:
            # What earlier documents left behind in the child must not decide over this one.
            self.close()
            answer = self._attempt(data)
        if isinstance(answer, Extracted):
            return answer
        if answer.retry:
            self.close()
        raise Unreadable(answer.reason)

    def close(self) -> None:
        """End the child, if there is one."""
        process, self._process, self._documents = self._process, None, 0
        if process is not None:
            _end(process)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _is_spent(self) -> bool:
        if self._process is None:
            return False
        return self._documents >= self._recycle_after or self._process.poll() is not None

    def _attempt(self, data: bytes) -> Extracted | Refusal:
        if self._process is None:
            self._process = self._start()
        self._documents += 1
        try:
            return self._exchange(self._process, data)
        except _LateError:
            self.close()
            return Refusal("timed-out")
        except _DeadError:
            return _cause_of_death(self._process)
        except BaseException:
            self.close()  # interrupted: an answer may be under way that belongs to this document
            raise

    def _exchange(self, process: subprocess.Popen[bytes], data: bytes) -> Extracted | Refusal:
        deadline = time.monotonic() + self._limits.seconds
        _send(process, HEADER.pack(len(data)), deadline)
        _send(process, data, deadline)
        try:
            return ANSWER.validate_json(self._receive(process, deadline))
        except ValidationError:
            raise _DeadError from None

    def _receive(self, process: subprocess.Popen[bytes], deadline: float) -> bytes:
        most = self._limits.max_characters * _REPLY_BYTES_PER_CHARACTER + _REPLY_BYTES_BESIDES
        if self._options.shows:
            most += _REPLY_BYTES_OF_SHOWING
        (length,) = HEADER.unpack(_receive(process, HEADER.size, deadline))
        if length > most:
            raise _DeadError
        return _receive(process, length, deadline)

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            process = _spawn(self._limits)
        except OSError as error:
            raise Unavailable("document reader", type(error).__name__, _REMEDY) from None
        # Through the pipe, since arguments are there for all to see, and passwords are among them.
        options = OPTIONS.dump_json(self._options)
        deadline = time.monotonic() + _START_SECONDS
        try:
            _send(process, HEADER.pack(len(options)) + options, deadline)
            self._receive(process, deadline)
        except (_DeadError, _LateError):
            _end(process)
            raise Unavailable("document reader", "its process did not start", _REMEDY) from None
        return process


_REMEDY = "check that pymupdf is installed and that processes may be started"


def _spawn(limits: Limits) -> subprocess.Popen[bytes]:
    # The child finds the modules its parent finds, and gets nothing else of its surroundings.
    home = str(Path(__file__).resolve().parent.parent)
    environment = {
        "PYTHONPATH": os.pathsep.join([home, *filter(None, sys.path)]),
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    return subprocess.Popen(  # noqa: S603 # our own module, under our own interpreter
        [sys.executable, "-P", "-m", "extractors.sandbox_child", json.dumps(asdict(limits))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        bufsize=0,
        start_new_session=True,  # an interrupt at the keyboard is the parent's to handle
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    _pipe(process.stdin).close()
    _pipe(process.stdout).close()


def _send(process: subprocess.Popen[bytes], data: bytes, deadline: float) -> None:
    pipe = _pipe(process.stdin)
    os.set_blocking(pipe.fileno(), False)
    rest = memoryview(data)
    while rest:
        _wait(pipe, select.POLLOUT, deadline)
        try:
            rest = rest[os.write(pipe.fileno(), rest[:_CHUNK_BYTES]) :]
        except BrokenPipeError:
            raise _DeadError from None


def _receive(process: subprocess.Popen[bytes], length: int, deadline: float) -> bytes:
    pipe = _pipe(process.stdout)
    data = bytearray()
    while len(data) < length:
        _wait(pipe, select.POLLIN, deadline)
        chunk = os.read(pipe.fileno(), min(length - len(data), _CHUNK_BYTES))
        if not chunk:
            raise _DeadError
        data += chunk
    return bytes(data)


def _wait(pipe: IO[bytes], event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise _LateError


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _cause_of_death(process: subprocess.Popen[bytes]) -> Refusal:
    with suppress(subprocess.TimeoutExpired):
        process.wait(_DYING_SECONDS)  # it closes its pipe first: killed now, it would not tell why
    process.kill()
    code = process.wait()
    if code == -signal.SIGXCPU:
        return Refusal("timed-out")
    if code in (OUT_OF_MEMORY, -signal.SIGKILL):
        return Refusal("out-of-memory", retry=True)
    return Refusal("crashed", retry=True)

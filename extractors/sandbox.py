"""`Sandbox`: extracts untrusted documents in a child process with limited resources."""

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

from extractors.confinement import Confinement
from extractors.document.limits import Extracted, Limits
from extractors.document.options import Options
from record.errors import Unavailable, Unreadable

HEADER = struct.Struct(">Q")
"""Length prefix of the messages on both pipes."""

OUT_OF_MEMORY = 77
"""Exit status of a child that ran out of memory."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why there is no text; `retry` where a new child may succeed."""

    reason: str
    retry: bool = False


OPTIONS = TypeAdapter(Options)
CONFINEMENT = TypeAdapter(Confinement)
ANSWER: TypeAdapter[Extracted | Refusal] = TypeAdapter(Extracted | Refusal)
"""JSON messages on the pipes: options and confinement once, then a reply to each document."""

_START_SECONDS = 120.0
_DYING_SECONDS = 5.0
_RECYCLE_AFTER = 500
_CHUNK_BYTES = 1 << 16
# A character takes at most 4 bytes as UTF-8, or 6 as an escape of JSON.
_REPLY_BYTES_PER_CHARACTER = 6
_REPLY_BYTES_BESIDES = 65536
_REPLY_BYTES_OF_SHOWING = 500_000_000


class _AnswerTimeoutError(Exception):
    """The child did not answer in time."""


class _ChildDiedError(Exception):
    """The child closed its end of a pipe."""


class Sandbox:
    """Extracts documents in a child process, which the first document starts.

    The child has bounded memory, CPU and wall time, inherits neither environment nor open files,
    writes no files, and is killed when its parent ends. Where the kernel can, it is confined to the
    files of the program, without network, programs and processes: see `confinement`. It is replaced
    after `recycle_after` documents. Not thread-safe. The child also ends with the thread that
    started it; the next document then starts another.
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
        self._confinement = Confinement()

    @property
    def confinement(self) -> Confinement:
        """What the kernel enforces of the confinement; starts a child if there is none.

        Raises Unavailable when no child can be started.
        """
        if self._process is None:
            self._process = self._start()
        return self._confinement

    @property
    def pid(self) -> int | None:
        """The child's process id; None while there is no child."""
        return self._process.pid if self._process else None

    def extract(self, data: bytes) -> Extracted:
        """Extract one document.

        Raises Unreadable with the reasons of `Extractor.extract`, and `timed-out`,
        `out-of-memory`, `crashed`. Raises Unavailable when no child can be started.
        """
        if self._is_spent():
            self.close()
        answer = self._attempt(data)
        if isinstance(answer, Refusal) and answer.retry and self._documents > 1:
            # Earlier documents may have left the child short of memory: try a new one.
            self.close()
            answer = self._attempt(data)
        if isinstance(answer, Extracted):
            return answer
        if answer.retry:
            self.close()
        raise Unreadable(answer.reason)

    def close(self) -> None:
        """Kill the child process, if there is one."""
        process, self._process, self._documents = self._process, None, 0
        if process is not None:
            _kill(process)

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
        except _AnswerTimeoutError:
            self.close()
            return Refusal("timed-out")
        except _ChildDiedError:
            return _explain_exit(self._process)
        except BaseException:
            self.close()  # interrupted: a late reply must not be taken for the next document's
            raise

    def _exchange(self, process: subprocess.Popen[bytes], data: bytes) -> Extracted | Refusal:
        deadline = time.monotonic() + self._limits.seconds
        _send(process, HEADER.pack(len(data)), deadline)
        _send(process, data, deadline)
        try:
            return ANSWER.validate_json(self._receive(process, deadline))
        except ValidationError:
            raise _ChildDiedError from None

    def _receive(self, process: subprocess.Popen[bytes], deadline: float) -> bytes:
        most = self._limits.max_characters * _REPLY_BYTES_PER_CHARACTER + _REPLY_BYTES_BESIDES
        if self._options.wants_layout:
            most += _REPLY_BYTES_OF_SHOWING
        (length,) = HEADER.unpack(_receive(process, HEADER.size, deadline))
        if length > most:
            raise _ChildDiedError
        return _receive(process, length, deadline)

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            process = _spawn(self._limits)
        except OSError as error:
            raise Unavailable("document reader", type(error).__name__, _REMEDY) from None
        # Sent through the pipe: arguments are visible to other users, and options hold passwords.
        options = OPTIONS.dump_json(self._options)
        deadline = time.monotonic() + _START_SECONDS
        try:
            _send(process, HEADER.pack(len(options)) + options, deadline)
            self._confinement = CONFINEMENT.validate_json(self._receive(process, deadline))
        except (_ChildDiedError, _AnswerTimeoutError, ValidationError):
            _kill(process)
            raise Unavailable("document reader", "process did not start", _REMEDY) from None
        return process


_REMEDY = "check that pymupdf is installed and that the user may start processes"


def _spawn(limits: Limits) -> subprocess.Popen[bytes]:
    # The child gets the parent's module search path and nothing else of its environment.
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


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    _opened_pipe(process.stdin).close()
    _opened_pipe(process.stdout).close()


def _send(process: subprocess.Popen[bytes], data: bytes, deadline: float) -> None:
    pipe = _opened_pipe(process.stdin)
    os.set_blocking(pipe.fileno(), False)
    rest = memoryview(data)
    while rest:
        _wait_until_ready(pipe, select.POLLOUT, deadline)
        try:
            rest = rest[os.write(pipe.fileno(), rest[:_CHUNK_BYTES]) :]
        except BrokenPipeError:
            raise _ChildDiedError from None


def _receive(process: subprocess.Popen[bytes], length: int, deadline: float) -> bytes:
    pipe = _opened_pipe(process.stdout)
    data = bytearray()
    while len(data) < length:
        _wait_until_ready(pipe, select.POLLIN, deadline)
        chunk = os.read(pipe.fileno(), min(length - len(data), _CHUNK_BYTES))
        if not chunk:
            raise _ChildDiedError
        data += chunk
    return bytes(data)


def _wait_until_ready(pipe: IO[bytes], event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise _AnswerTimeoutError


def _opened_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _explain_exit(process: subprocess.Popen[bytes]) -> Refusal:
    with suppress(subprocess.TimeoutExpired):
        process.wait(_DYING_SECONDS)  # its exit status says why it stopped
    process.kill()
    code = process.wait()
    if code == -signal.SIGXCPU:
        return Refusal("timed-out")
    if code in (OUT_OF_MEMORY, -signal.SIGKILL):
        return Refusal("out-of-memory", retry=True)
    return Refusal("crashed", retry=True)

"""The program of the child process: reads documents from its input until that ends."""

import ctypes
import json
import math
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import IO

from extractors.document.limits import Limits
from extractors.extractor import Extractor
from extractors.sandbox import ANSWER, HEADER, OPTIONS, OUT_OF_MEMORY, Refusal
from record.errors import Unreadable

_PR_SET_PDEATHSIG = 1
_MEGABYTE = 1 << 20
_OPEN_FILES = 32


def main() -> int:
    """Answer each document with its text or the reason why there is none;
    returns the exit status.
    """
    limits = Limits(**json.loads(sys.argv[1]))
    source, sink = sys.stdin.buffer, _private_output()
    _die_with_parent()
    extractor = Extractor(limits, OPTIONS.validate_json(_read(source) or b""))
    extractor.prepare()
    _confine(limits)
    _write(sink, b"{}")
    try:
        while (data := _read(source)) is not None:
            _allow_processor_time(limits)
            reply = _answer(data, extractor)
            del data
            _write(sink, reply)
    except MemoryError:
        return OUT_OF_MEMORY
    except BrokenPipeError:
        return 0
    return 0


def _answer(data: bytes, extractor: Extractor) -> bytes:
    try:
        return ANSWER.dump_json(extractor.extract(data))
    except Unreadable as unreadable:
        return ANSWER.dump_json(Refusal(unreadable.reason))


def _private_output() -> IO[bytes]:
    # Whatever a library prints must not mix with the answers.
    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return sink


def _die_with_parent() -> None:
    # The end of the input tells an idle child; this tells one that is busy.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _confine(limits: Limits) -> None:
    # No core (it would hold text), no files written, little to open; memory on top of what the
    # interpreter and the libraries have mapped by now.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    memory = mapped + limits.memory_mb * _MEGABYTE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        memory = min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _allow_processor_time(limits: Limits) -> None:
    # Counted over the life of the process, hence raised for each document.
    allowed = math.ceil(time.process_time() + limits.seconds) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, hard))


def _read(source: IO[bytes]) -> bytes | None:
    header = source.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    data = source.read(length)
    return data if len(data) == length else None


def _write(sink: IO[bytes], message: bytes) -> None:
    sink.write(HEADER.pack(len(message)))
    sink.write(message)
    sink.flush()


if __name__ == "__main__":
    sys.exit(main())

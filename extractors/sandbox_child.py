"""Entry point of the sandboxed process: extracts each document sent on its standard input.

`extractors.sandbox` starts it (`python -m extractors.sandbox_child`). Requests and replies are
length-prefixed messages; the process limits its own memory, CPU time and file access first, and
has the kernel confine it (`extractors.confinement`).
"""

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

from extractors.confinement import confine
from extractors.document.limits import Limits
from extractors.extractor import Extractor
from extractors.sandbox import ANSWER, CONFINEMENT, HEADER, OPTIONS, OUT_OF_MEMORY, Refusal
from record.errors import Unreadable

_PR_SET_PDEATHSIG = 1
_MEGABYTE = 1 << 20
_OPEN_FILES = 32


def main() -> int:
    """Reply to each document with its text or a reason; return the exit status."""
    limits = Limits(**json.loads(sys.argv[1]))
    source, sink = sys.stdin.buffer, _take_over_stdout()
    _die_with_parent()
    options = OPTIONS.validate_json(_read_message(source) or b"")
    with Path("/proc/self/statm").open("rb") as memory:
        confinement = confine(map(Path, filter(None, (options.tessdata, options.boxes))))
        extractor = Extractor(limits, options)
        extractor.prepare()
        _limit_resources(limits, memory)
    _write_message(sink, CONFINEMENT.dump_json(confinement))
    try:
        while (data := _read_message(source)) is not None:
            _renew_cpu_limit(limits)
            reply = _extract_reply(data, extractor)
            del data
            _write_message(sink, reply)
    except MemoryError:
        return OUT_OF_MEMORY
    except BrokenPipeError:
        return 0
    return 0


def _extract_reply(data: bytes, extractor: Extractor) -> bytes:
    try:
        return ANSWER.dump_json(extractor.extract(data))
    except Unreadable as unreadable:
        return ANSWER.dump_json(Refusal(unreadable.reason))


def _take_over_stdout() -> IO[bytes]:
    # Output that a library prints must not be mixed with the replies.
    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return sink


def _die_with_parent() -> None:
    # An idle child sees the end of its input; a busy one needs this signal.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _limit_resources(limits: Limits, memory_file: IO[bytes]) -> None:
    # No core dump (it would hold text), no writing, few open files; the memory limit comes on top
    # of what the interpreter and the libraries have mapped so far.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    mapped = int(memory_file.read().split()[0]) * resource.getpagesize()
    memory = mapped + limits.memory_mb * _MEGABYTE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        memory = min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _renew_cpu_limit(limits: Limits) -> None:
    # The limit counts CPU time since the start of the process, so it is raised per document.
    allowed = math.ceil(time.process_time() + limits.seconds) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, hard))


def _read_message(source: IO[bytes]) -> bytes | None:
    header = source.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    data = source.read(length)
    return data if len(data) == length else None


def _write_message(sink: IO[bytes], message: bytes) -> None:
    sink.write(HEADER.pack(len(message)))
    sink.write(message)
    sink.flush()


if __name__ == "__main__":
    sys.exit(main())

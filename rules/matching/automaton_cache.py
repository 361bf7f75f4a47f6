"""Compiled automata in the user's cache: compiling takes seconds, reading one milliseconds."""

import os
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import hyperscan
from platformdirs import user_cache_path

from rules.matching import prefilter

_KEPT = 12
_SUFFIX = ".hs"


def database(expressions: Sequence[str]) -> Any:
    """Return the hyperscan database of the loose forms of expressions.

    It reports where matches begin. It comes from the cache where one of the same expressions, of
    the same hyperscan and loosened by the same code is there, was made for this processor, and
    nobody but this user can have written it. A cache that can be neither read nor written costs
    time and nothing else.
    """
    folder = user_cache_path("cryptonym") / "automata"
    path = folder / f"{_digest(expressions)}{_SUFFIX}"
    found = _read(path)
    if found is not None:
        with suppress(OSError):
            os.utime(path)  # what is used stays
    else:
        found = _compile([_loose(expression) for expression in expressions])
        _write(path, hyperscan.dumpb(found))
    return found


def _digest(expressions: Sequence[str]) -> str:
    digest = blake2b(version("hyperscan").encode(), digest_size=16)
    # Its source, which lies there too where the module itself is compiled to C.
    digest.update((files("rules") / "matching" / "prefilter.py").read_bytes())
    for expression in expressions:
        data = expression.encode()
        digest.update(b"%d:%s" % (len(data), data))
    return digest.hexdigest()


def _loose(expression: str) -> bytes:
    return (prefilter.leading(expression) + prefilter.loosen(expression)).encode("ascii")


def _compile(expressions: Sequence[bytes]) -> Any:
    made = hyperscan.Database()
    count = len(expressions)
    flags = [hyperscan.HS_FLAG_SOM_LEFTMOST] * count
    made.compile(expressions=list(expressions), ids=list(range(count)), flags=flags)
    return made


def _read(path: Path) -> Any:
    """Return the database in a file; None where it is not there, not ours alone, or not whole."""
    # What a database holds is run, not only read: one that others could write is never loaded.
    with suppress(OSError, hyperscan.error):
        if not _ours(path.parent.stat()):
            return None
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(number, "rb") as file:
            if _ours(os.fstat(file.fileno())):
                sealed = file.read()
                data = sealed[blake2b.MAX_DIGEST_SIZE :]
                if blake2b(data).digest() == sealed[: blake2b.MAX_DIGEST_SIZE]:
                    return hyperscan.loadb(data, mode=hyperscan.HS_MODE_BLOCK)
    return None


def _ours(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(path: Path, data: bytes) -> None:
    """Keep a database, whole or not at all, and only the newest few of all."""
    with suppress(OSError):
        if not path.is_absolute():
            return  # an account without a home
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(blake2b(data).digest() + data)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        kept = sorted(path.parent.glob(f"*{_SUFFIX}"), key=lambda one: -one.stat().st_mtime_ns)
        for old in kept[_KEPT:]:
            old.unlink(missing_ok=True)

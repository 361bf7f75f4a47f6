"""Passwords of encrypted documents, read from a file or an environment variable."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from pipeline.config.settings import resolve_url
from record.errors import ConfigError

_GROUP_AND_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MAX_BYTES = 65_536


def load_passwords(locator: str, base: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Read passwords, one per line, from `file:PATH` (mode 600) or `env:NAME`.

    Raises ConfigError, whose message never holds a password.
    """
    if locator.startswith("env:"):
        return _split_lines(resolve_url(locator, environ, base))
    if not locator.startswith("file:"):
        raise ConfigError(
            "extraction.passwords", "must be a locator", "write file:PATH or env:NAME"
        )
    path = base / locator.removeprefix("file:")
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_mode & _GROUP_AND_OTHERS:
                problem = "the file must not be accessible to other users"
                raise ConfigError("extraction.passwords", problem, f"chmod 600 {path}")
            return _split_lines(file.read(_MAX_BYTES).decode())
    except (OSError, UnicodeDecodeError):
        remedy = "give the path of a text file in UTF-8"
        raise ConfigError("extraction.passwords", "cannot be read", remedy) from None


def _split_lines(text: str) -> tuple[str, ...]:
    return tuple(line for line in text.splitlines() if line)

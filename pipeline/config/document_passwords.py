"""The passwords of encrypted documents: never in a configuration, an argument or a log."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from pipeline.config.settings import resolve
from record.errors import ConfigError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MOST_BYTES = 65_536


def load_passwords(locator: str, base: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Read passwords, one a line, from `file:PATH` (mode 600) or from `env:NAME`.

    Raises ConfigError that names the place and the remedy, never a password.
    """
    if locator.startswith("env:"):
        return _lines(resolve(locator, environ))
    if not locator.startswith("file:"):
        raise ConfigError("extraction.passwords", "no locator", "write file:PATH or env:NAME")
    path = base / locator.removeprefix("file:")
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_mode & _OTHERS:
                problem = "others may read the file"
                raise ConfigError("extraction.passwords", problem, f"chmod 600 {path}")
            return _lines(file.read(_MOST_BYTES).decode())
    except (OSError, UnicodeDecodeError):
        remedy = "give the path of a text file in UTF-8"
        raise ConfigError("extraction.passwords", "cannot be read", remedy) from None


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line for line in text.splitlines() if line)

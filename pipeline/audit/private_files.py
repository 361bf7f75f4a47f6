"""Files for their owner alone: they hold what notes say."""

import json
import os
from pathlib import Path
from typing import Any

from record.errors import ConfigError, Unavailable, Unsafe


def make_private(folder: Path) -> None:
    """Make a folder for its owner alone; raises ConfigError where something is in it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ConfigError(str(folder), "is not empty", "name a new folder")
        folder.chmod(0o700)
    except OSError as error:
        problem = f"cannot be made ({error.strerror})"
        raise ConfigError(str(folder), problem, "choose a writable place") from None


def write_private(path: Path, text: str) -> None:
    """Write a file with mode 600, character by character as given; raises Unavailable.

    Raises Unsafe `malformed-text` for a text that UTF-8 cannot hold.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise Unsafe("malformed-text") from None
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(data)
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise Unavailable(str(path), problem, "check rights and free space") from None


def export_in(path: Path, ending: str, ours: str) -> Path:
    """Find the export of a program: the file itself, or the one in the folder beside ours."""
    if not path.is_dir():
        return path
    found = [file for file in sorted(path.glob(f"*{ending}")) if file.name not in (ours, MANIFEST)]
    if len(found) != 1:
        problem = f"holds {len(found) or 'no'} exports beside {ours}"
        remedy = f"save the export of the program there as corrected{ending}, or name that file"
        raise ConfigError(str(path), problem, remedy)
    return found[0]


def parsed(where: str, text: str) -> Any:
    """Read JSON; raises ConfigError without quoting it."""
    try:
        return json.loads(text)
    except ValueError:
        raise ConfigError(where, "is not JSON", "export it again") from None


MANIFEST = "sample.json"
"""What names the sample in each folder; no text."""

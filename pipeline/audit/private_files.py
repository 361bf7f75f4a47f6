"""Folders and files with text of notes, which only their owner may read."""

import json
import os
from pathlib import Path
from typing import Any

from record.errors import ConfigError, Unavailable, Unsafe


def make_private_folder(folder: Path) -> None:
    """Create a folder with mode 700; raises ConfigError where it is not empty."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ConfigError(str(folder), "not empty", "choose a new folder")
        folder.chmod(0o700)
    except OSError as error:
        problem = f"cannot be created ({error.strerror})"
        raise ConfigError(str(folder), problem, "choose a writable folder") from None


def write_private(path: Path, text: str) -> None:
    """Write a file with mode 600 in UTF-8, line breaks unchanged; raises Unavailable.

    Raises Unsafe `malformed-text` for a text that UTF-8 cannot encode.
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
        raise Unavailable(str(path), problem, "check permissions and free space") from None


def find_export(path: Path, ending: str, ours: str) -> Path:
    """Find a tool's export: the path itself, or the one other file in the folder of a sample.

    `ours` is the file that was written there for import.
    """
    written = (ours, MANIFEST, MISMATCHES)
    if not path.is_dir():
        return path
    found = [file for file in sorted(path.glob(f"*{ending}")) if file.name not in written]
    if len(found) != 1:
        problem = f"must contain one export beside {ours}, found {len(found)}"
        remedy = f"save the tool's export there as corrected{ending}, or give its path"
        raise ConfigError(str(path), problem, remedy)
    return found[0]


def parse_json(where: str, text: str) -> Any:
    """Parse JSON; raises ConfigError that does not quote it."""
    try:
        return json.loads(text)
    except ValueError:
        raise ConfigError(where, "not valid JSON", "export it again") from None


MANIFEST = "sample.json"
"""The file in each folder that identifies the sample; it contains no text."""

MISMATCHES = "mismatches.jsonl"
"""The file beside notes to adjudicate that lists where two annotators differ, with the words."""

"""Atomic replacement of a file: readers see the old content or the new one, never a part."""

import os
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Write a temporary file next to `path`, sync it and rename it over `path`."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def sync(path: Path) -> None:
    """Wait until the disk has a file, or the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""Atomic replacement of a file: readers see the old content or the new one, never a part."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OWNER_FILE, OWNER_FOLDER = 0o600, 0o700


def write_atomically(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a temporary file next to `path`, sync it and rename it over `path`.

    The file has the mode given, whatever the umask; without one that which the umask leaves.
    """
    with replacing(path, mode) as part, part.open("wb") as file:
        file.write(content)


@contextmanager
def replacing(path: Path, mode: int | None = None) -> Iterator[Path]:
    """Yield an empty temporary file next to `path`, for content that is not in memory as a whole.

    Left without an error it is synced and renamed over `path`. The mode is as for
    `write_atomically`.
    """
    part = path.with_name(f".{path.name}.part")
    with open(part, "wb", opener=None if mode is None else _open_for_owner) as file:
        if mode is not None:
            os.fchmod(file.fileno(), mode)
    yield part
    sync(part)
    part.replace(path)


def _open_for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_FILE)


def make_folders(folder: Path, mode: int = OWNER_FOLDER) -> None:
    """Create a folder and those above it that are missing, each with this mode.

    Folders that exist keep theirs.
    """
    for missing in [each for each in (folder, *folder.parents) if not each.exists()][::-1]:
        try:
            missing.mkdir(mode=OWNER_FOLDER)
        except FileExistsError:
            continue
        missing.chmod(mode)


def sync(path: Path) -> None:
    """Wait until the disk has a file, or the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

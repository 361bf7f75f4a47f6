"""Publication of synthetic notes: a folder that is replaced as a whole, where no link is followed.

Others may write beside the folder: whatever they put there is removed or refused, never written to.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from pipeline.config.signing import hash_file, verify_statement
from record.atomic_write import OWNER_FOLDER, make_folders, sync
from record.errors import ConfigError
from synthesis.generation_files import NOTES

GENERATED = "generation.json"
"""The manifest of generation in the published folder; `manifest.json` is the gate's, signed."""

_KEY, _FILE = "synthesis.output", 0o666
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


def check_place(output: Path) -> None:
    """Raise ConfigError for a place that is a link, or holds something else than such notes."""
    if output.is_symlink():
        raise ConfigError(_KEY, "is a symbolic link", "name the folder itself, or remove the link")
    if not output.exists() or (output / GENERATED).is_file():
        return
    if not output.is_dir() or any(output.iterdir()):
        problem = "holds something other than published synthetic notes"
        raise ConfigError(_KEY, problem, "name a folder of its own")


def is_published(output: Path, filtered: Path, public_key: str) -> bool:
    """Return whether these notes are there, with a statement that is signed under the key."""
    try:
        statement = json.loads((output / "manifest.json").read_text("utf-8"))
        verify_statement(statement, public_key)
        told = hashlib.sha256((output / NOTES).read_bytes()).hexdigest()
    except (OSError, ValueError, ConfigError):
        return False
    return bool(told == statement.get("notes") == hash_file(filtered / NOTES))


def replace_folder(output: Path, files: Sequence[tuple[Path, str]]) -> None:
    """Put files under new names into a folder, in place of the one before.

    A reader sees the earlier files or these; a process that is killed between two steps leaves the
    earlier ones beside the place. Raises ConfigError as `check_place` does, and where somebody
    else writes to the places beside it.
    """
    check_place(output)
    make_folders(output.parent)
    staged, earlier = (output.with_name(f".{output.name}.{name}") for name in ("new", "old"))
    for left in (staged, earlier):
        _remove(left)
    try:
        _write_files(staged, files)
        if output.exists():
            output.rename(earlier)
        staged.rename(output)
    except (FileExistsError, NotADirectoryError):
        problem = "another process writes to the same place"
        raise ConfigError(_KEY, problem, "name a folder where nobody else may write") from None
    sync(output.parent)
    _remove(earlier)


def _write_files(folder: Path, files: Sequence[tuple[Path, str]]) -> None:
    # By the descriptor: the name may be given to another folder meanwhile.
    folder.mkdir(mode=OWNER_FOLDER)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        for source, name in files:
            with (
                source.open("rb") as read,
                os.fdopen(os.open(name, _NEW, _FILE, dir_fd=handle), "wb") as written,
            ):
                shutil.copyfileobj(read, written)
                written.flush()
                os.fsync(written.fileno())
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(path: Path) -> None:
    """Remove what an interrupted run left, or somebody put there: of a link, the link alone."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)

"""Results of stages in a folder, each kept for as long as its inputs are the same."""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

from pipeline.config.progress import Progress
from pipeline.config.signing import hash_file
from record.atomic_write import OWNER_FILE, OWNER_FOLDER, make_folders, write_atomically
from record.errors import ConfigError

_MARKS = ".stages"

StageWork = Callable[[Path, Progress], None]
"""Writes the result of a stage into a folder, which another attempt may have begun."""


@dataclass
class StageResults:
    """A folder with a folder for each stage, and what each of them was made of.

    Only their owner may read these folders, whoever may read the one in which they are.
    `reused` are the stages whose result was there, `seconds` what the others took.
    """

    folder: Path
    progress: Progress
    reused: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def open(self) -> None:
        """Create the folder; raises ConfigError where it holds anything else."""
        marks = self.folder / _MARKS
        if not marks.exists() and self.folder.exists() and any(self.folder.iterdir()):
            raise ConfigError(str(self.folder), "not empty", "name a folder of its own")
        make_folders(marks)

    def make(
        self, name: str, inputs: Mapping[str, Any], work: StageWork, *, goes_on: bool = False
    ) -> Path:
        """Return the folder of a stage's result, which is made unless it is there.

        `inputs` are all that the result depends on, as JSON. What an interrupted stage left is
        removed, or with `goes_on` kept for it where the inputs are the same.
        """
        place, mark = self.folder / name, self.folder / _MARKS / f"{name}.json"
        held = _read(mark)
        told = {"stage": name, "version": version("cryptonym"), **inputs}
        digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
        is_same = held.get("inputs") == digest
        if is_same and held.get("result") == digest_files(place):
            _make_private(place)  # earlier versions left it open
            self.reused.append(name)
            return place
        # A finished result that was changed is no beginning.
        if place.exists() and not (goes_on and is_same and "result" not in held):
            shutil.rmtree(place)
        _write(mark, {"inputs": digest})
        make_folders(place)
        _make_private(place)
        started = monotonic()
        work(place, self._progress(name))
        _make_private(place)
        self.seconds[name] = round(monotonic() - started, 1)
        _write(mark, {"inputs": digest, "result": digest_files(place)})
        return place

    def _progress(self, name: str) -> Progress:
        progress = self.progress
        progress.phase(name)
        return Progress(
            lambda phase: progress.phase(f"{name}: {phase}"), progress.advance, progress.idle
        )


def _make_private(folder: Path) -> None:
    """Take from everybody else what they may do with a folder and all that is in it."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink() and path.stat().st_mode & ~OWNER_FOLDER & 0o777:
            path.chmod(OWNER_FOLDER if path.is_dir() else OWNER_FILE)


def digest_files(folder: Path) -> str:
    """Return a digest of the names and contents of all files; empty where there are none."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        return ""
    told = [[path.relative_to(folder).as_posix(), hash_file(path)] for path in files]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _read(path: Path) -> dict[str, Any]:
    try:
        held = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


def _write(path: Path, held: Mapping[str, Any]) -> None:
    write_atomically(path, json.dumps(held).encode(), mode=OWNER_FILE)

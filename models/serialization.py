"""The folder of a trained model: its files, and settings that name their checksums."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from record.atomic_write import write_atomically
from record.errors import ConfigError


@dataclass(frozen=True)
class FolderFormat:
    """What the folders of one kind of model look like.

    `settings` is the name of the file that is written last, so that a folder with it is whole;
    `kind` says what such a folder holds ("tagger") and `command` what writes one.
    """

    settings: str
    kind: str
    command: str
    version: int = 1

    def seal(self, folder: Path, said: Mapping[str, Any], names: Iterable[str]) -> None:
        """Write the settings of a folder whose other files stand there, with their checksums."""
        sums = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
        settings = {"format": self.version, **said, "sha256": sums}
        write_atomically(folder / self.settings, json.dumps(settings, indent=1).encode())

    def read(self, folder: Path) -> dict[str, Any]:
        """Return the settings of a folder; raises ConfigError."""
        path = folder / self.settings
        try:
            held = json.loads(path.read_text("utf-8"))
        except OSError:
            problem = f"holds no {self.settings}"
            raise ConfigError(str(folder), problem, self._remedy()) from None
        except ValueError:
            raise ConfigError(str(path), "is damaged", self._remedy()) from None
        if not isinstance(held, dict) or held.get("format") != self.version:
            problem = f"is of another version, or no {self.kind}"
            raise ConfigError(str(path), problem, "train it again with this version")
        return held

    def checked(self, folder: Path, settings: Mapping[str, Any], name: str) -> bytes:
        """Return the content of a file whose checksum is right.

        Raises ConfigError; KeyError or TypeError where the settings do not name the file.
        """
        path = folder / name
        try:
            held = path.read_bytes()
        except OSError:
            raise ConfigError(str(path), "cannot be read", self._remedy()) from None
        if hashlib.sha256(held).hexdigest() != settings["sha256"][name]:
            raise ConfigError(str(path), "is damaged: its checksum is another", "copy it again")
        return held

    def digest(self, folder: Path) -> str:
        """Return what changes with any file of a folder, for the settings hold their checksums."""
        self.read(folder)
        return hashlib.sha256((folder / self.settings).read_bytes()).hexdigest()

    def unfit(self, folder: Path) -> ConfigError:
        """Make the error of settings that do not fit the files beside them."""
        return ConfigError(str(folder / self.settings), "does not fit its files", self._remedy())

    def _remedy(self) -> str:
        return f"name a folder that `{self.command}` wrote"

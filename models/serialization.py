"""The file format of model folders: weights, vocabulary, and settings with their checksums."""

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
    """The layout of the folders of one kind of model.

    `settings` is the name of the file that is written last, so that a folder with it is whole;
    `kind` says what such a folder holds ("tagger") and `command` what writes one. Files have the
    `mode` given, or without one that which the umask leaves.
    """

    settings: str
    kind: str
    command: str
    version: int = 1
    mode: int | None = None

    def write_settings(self, folder: Path, said: Mapping[str, Any], names: Iterable[str]) -> None:
        """Write the settings of a folder with the checksums of its files."""
        sums = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
        settings = {"format": self.version, **said, "sha256": sums}
        write_atomically(folder / self.settings, json.dumps(settings, indent=1).encode(), self.mode)

    def read(self, folder: Path) -> dict[str, Any]:
        """Return the settings of a folder; raises ConfigError."""
        path = folder / self.settings
        try:
            held = json.loads(path.read_text("utf-8"))
        except OSError:
            problem = f"contains no {self.settings}"
            raise ConfigError(str(folder), problem, self._remedy()) from None
        except ValueError:
            raise ConfigError(str(path), "not valid JSON", self._remedy()) from None
        if not isinstance(held, dict) or held.get("format") != self.version:
            problem = f"not a {self.kind}, or written by another version"
            raise ConfigError(str(path), problem, "create it again with this version")
        return held

    def read_verified(self, folder: Path, settings: Mapping[str, Any], name: str) -> bytes:
        """Return the content of a file after verifying its checksum.

        Raises ConfigError; KeyError or TypeError where the settings do not name the file.
        """
        path = folder / name
        try:
            held = path.read_bytes()
        except OSError:
            raise ConfigError(str(path), "cannot be read", self._remedy()) from None
        if hashlib.sha256(held).hexdigest() != settings["sha256"][name]:
            raise ConfigError(str(path), "checksum mismatch", "copy the folder again")
        return held

    def digest(self, folder: Path) -> str:
        """Return a digest of a folder: the settings include the checksums of its files."""
        self.read(folder)
        return hashlib.sha256((folder / self.settings).read_bytes()).hexdigest()

    def mismatch_error(self, folder: Path) -> ConfigError:
        """Return the error for settings that do not match the files beside them."""
        return ConfigError(
            str(folder / self.settings),
            "does not match the other files of the folder",
            self._remedy(),
        )

    def _remedy(self) -> str:
        return f"give a folder written by `{self.command}`"

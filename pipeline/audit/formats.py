"""The formats that annotators' programs read and write, by name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from pipeline.audit import brat_folder, doccano, label_studio
from record.document import Annotated


class Format(Protocol):
    """What a format can do."""

    def write(self, folder: Path, notes: Sequence[Annotated], /) -> None:
        """Write notes with their spans into a folder that is there."""
        ...

    def read(self, path: Path, /) -> list[Annotated]:
        """Read notes as they were corrected, those that somebody has looked at.

        A folder is the one that was written, with the program's export in it where it makes one;
        else the export itself. Raises ConfigError that names what cannot be read.
        """
        ...


FORMATS: dict[str, Format] = {
    "brat": brat_folder,
    "label-studio": label_studio,
    "doccano": doccano,
}
"""Name, as the command line takes it -> format."""

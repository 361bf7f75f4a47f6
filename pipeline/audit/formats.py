"""The exchange formats of annotation tools (BRAT, Label Studio, doccano), by name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from pipeline.audit import brat_folder, doccano, label_studio
from record.document import Annotated


class AnnotationFormat(Protocol):
    """A format that an annotation tool imports and exports.

    `HOW_TO_MARK` is what readers do to each note that they read.
    """

    @property
    def HOW_TO_MARK(self) -> str:  # noqa: N802 # a constant of each module
        ...

    def write(self, folder: Path, notes: Sequence[Annotated], /) -> None:
        """Write notes with their spans into an existing folder."""
        ...

    def read(self, path: Path, /) -> list[Annotated]:
        """Read the notes that a reader marked as read, with their corrected spans.

        `path` is the tool's export, or the written folder with the export in it. Raises
        ConfigError that names what cannot be read.
        """
        ...


FORMATS: dict[str, AnnotationFormat] = {
    "brat": brat_folder,
    "label-studio": label_studio,
    "doccano": doccano,
}
"""Name on the command line -> format."""

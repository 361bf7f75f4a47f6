"""Letters that `synthesize fill` wrote, each with the masked letter it was made of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.files.jsonl import JsonLine, read_notes
from record.document import Annotated
from record.errors import ConfigError


@dataclass(frozen=True, slots=True)
class FilledLetter:
    """A letter, the place of its source among the masked ones, and which copy of it this is."""

    annotated: Annotated
    letter: int
    copy: int


def is_filled(manifest: Mapping[str, Any]) -> bool:
    """Return whether notes were filled in, by their manifest; else they were generated."""
    return "masked_sha256" in manifest


def read_filled(path: Path) -> Iterator[FilledLetter]:
    """Read filled letters; raises ConfigError with the number of a line that is none."""
    for line in read_notes(path):
        about = line.record.get("synthetic") if isinstance(line, JsonLine) else None
        fields = about if isinstance(about, dict) else {}
        letter, copy = fields.get("letter"), fields.get("copy")
        if not (isinstance(line, JsonLine) and _is_place(letter) and _is_place(copy)):
            where = f"{path}, line {line.number}"
            raise ConfigError(where, "not a filled letter", "fill the letters again")
        yield FilledLetter(line.annotated, fields["letter"], fields["copy"])


def _is_place(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0

"""Annotated notes and label maps as files, for those who score them."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from pipeline.files import bad_lines
from pipeline.jsonl import BadLine, read_notes
from record.document import Annotated
from record.errors import ConfigError


def read_annotated(path: Path, warnings: list[str]) -> Iterator[Annotated]:
    """Read notes with their spans; a warning is added for lines that are no notes."""
    bad = []
    for line in read_notes(path):
        if isinstance(line, BadLine):
            bad.append(line.number)
        else:
            yield line.annotated
    warnings += bad_lines(path, bad)


def read_label_map(path: Path) -> dict[str, str]:
    """Read a TOML file of `LABEL = "OTHER_LABEL"`; raises ConfigError that names the key."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise ConfigError(str(path), "cannot be read", "give a TOML file in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(path), f"not valid TOML ({error})", "correct it") from None
    for label, other in table.items():
        if not isinstance(other, str) or not other:
            raise ConfigError(f"{path}: {label}", "is no label", f'write {label} = "LABEL"')
    return table

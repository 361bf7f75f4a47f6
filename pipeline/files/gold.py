"""Annotated notes and label maps as files of several formats, for those who score and train."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from pipeline.files.annotations import listed_files
from pipeline.files.brat import read_brat
from pipeline.files.conll import (
    TAG,
    read_conll,
)
from pipeline.files.i2b2 import read_i2b2
from pipeline.files.jsonl import (
    BadLine,
    read_notes,
)
from pipeline.files.note_files import bad_lines
from record.document import Annotated
from record.errors import ConfigError

_ENDINGS = {
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".ann", ".txt"), "brat"),
    **dict.fromkeys((".conll", ".bio", ".iob", ".bioes", ".bilou", ".tsv"), "conll"),
    ".xml": "i2b2",
}
_IN_FOLDERS = {"brat": ".ann", "i2b2": ".xml"}
_HEAD = 4096


def read_annotated(path: Path, warnings: list[str]) -> Iterator[Annotated]:
    """Read notes with their spans: JSON Lines, BRAT, XML of i2b2 and its kin, CoNLL columns.

    The ending tells the format, and the beginning of the content where the ending does not; a
    folder holds files of BRAT or of i2b2. A warning is added for what is left out: lines of JSON
    that are no notes, texts without annotation. Raises ConfigError that names file and line.
    """
    match _format(path):
        case "brat":
            yield from read_brat(path, warnings)
        case "i2b2":
            yield from read_i2b2(path)
        case "conll":
            yield from read_conll(path)
        case _:
            yield from _jsonl(path, warnings)


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


def _jsonl(path: Path, warnings: list[str]) -> Iterator[Annotated]:
    bad = []
    for line in read_notes(path):
        if isinstance(line, BadLine):
            bad.append(line.number)
        else:
            yield line.annotated
    warnings += bad_lines(path, bad)


def _format(path: Path) -> str:
    if path.is_dir():
        return _format_of_folder(path)
    known = _ENDINGS.get(path.suffix.lower())
    if known or not path.is_file():  # a pipe can be read only once
        return known or "jsonl"
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8-sig", "replace").lstrip()
    except OSError:
        return "jsonl"  # whose reader says what is wrong
    if head.startswith("<"):
        return "i2b2"
    lines = [line.split() for line in head.split("\n") if line.strip()]
    tagged = [line for line in lines if len(line) > 1 and TAG.fullmatch(line[-1])]
    return "conll" if tagged and not head.startswith("{") else "jsonl"


def _format_of_folder(path: Path) -> str:
    held = [name for name in _IN_FOLDERS if listed_files(path, _IN_FOLDERS[name])]
    if len(held) == 1:
        return held[0]
    problem = "holds both .ann and .xml files" if held else "holds no .ann and no .xml file"
    raise ConfigError(str(path), problem, "give a folder of BRAT or of i2b2 files, or one file")

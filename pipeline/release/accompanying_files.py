"""Files that go with a release, and how it is known again."""

import os
from collections.abc import Mapping
from pathlib import Path

from pipeline.warehouse.databases import guard

SETTING = "--output"
ORIGIN = "cryptonym release key "
"""What `cdm_etl_reference` of a release begins with; the key's id follows."""
WHAT = "output"
OTHERS = "holds something that is no release under this cohort's key"
REMEDY = "name an empty place, or one that holds a release of the same cohort"

Papers = Mapping[str, str]
"""Files that go with a release: their names and what they say."""


def read_papers(folder: Path, names: tuple[str, ...]) -> Papers:
    """Read files of a folder; those that are not there are left out."""
    with guard(WHAT):
        paths = {name: folder / name for name in names}
        return {name: p.read_text(encoding="utf-8") for name, p in paths.items() if p.is_file()}


def write_paper(path: Path, text: str) -> None:
    """Write a file, and wait until the disk has it."""
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())

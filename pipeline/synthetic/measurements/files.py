"""What measurements of synthetic notes share: the check of their corpus, and of output folders."""

from pathlib import Path
from typing import Any

from record.errors import ConfigError
from synthesis.generation_files import read_generated
from synthesis.prepared_corpus import digest

OWNER_ONLY = 0o700
"""The mode of folders that hold text or models of notes."""


def read_manifest(synthetic: Path, corpus: Path) -> dict[str, Any]:
    """Read the manifest of synthetic notes.

    Raises ConfigError unless they were generated from this corpus.
    """
    manifest = read_generated(synthetic)
    if manifest["corpus_sha256"] != digest(corpus):
        problem = "not the corpus that these notes were generated from"
        raise ConfigError(str(corpus), problem, "give the corpus that was prepared for it")
    return manifest


def refuse_used(folder: Path) -> None:
    """Raise ConfigError unless a folder is new or empty."""
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(str(folder), "not empty", "give a new folder")

"""Pools the shared vectors of several sites for training, and checks that they are compatible."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from models.private.deidentifier import EncodedSentence
from pipeline.sharing.shared_files import Manifest, read_shared
from record.errors import ConfigError


@dataclass(frozen=True)
class PooledSites:
    """Training, validation and test examples of all sites, with their labels, and warnings."""

    train: list[EncodedSentence] = field(repr=False)
    dev: list[EncodedSentence] = field(repr=False)
    test: list[EncodedSentence] = field(repr=False)
    labels: tuple[str, ...]
    warnings: list[str]


def pool_sites(
    train: Sequence[Path], dev: Sequence[Path], test: Sequence[Path] = ()
) -> PooledSites:
    """Read and pool shared folders.

    Raises ConfigError where two were encoded by different representers, since their vectors are
    not comparable; where one is corrupt; and where a file is given twice.
    """
    first: Manifest | None = None
    sums: dict[str, Path] = {}
    labels: dict[Path, frozenset[str]] = {}
    examples: list[list[EncodedSentence]] = [[], [], []]
    for number, folders in enumerate((train, dev, test)):
        for folder in folders:
            manifest, rows = read_shared(folder)
            first = first or manifest
            if manifest.representer != first.representer:
                problem = "encoded by a different representer than the first folder"
                remedy = "encode all sites with the same representer"
                raise ConfigError(str(folder), problem, remedy)
            if manifest.vectors_sha256 in sums:
                problem = f"same file as {sums[manifest.vectors_sha256]}"
                raise ConfigError(str(folder), problem, "give each file once")
            sums[manifest.vectors_sha256] = folder
            labels[folder] = frozenset(manifest.labels)
            examples[number] += rows
    every = frozenset().union(*labels.values())
    warnings = [
        f"{folder} has no {', '.join(sorted(every - some))}: "
        "examples without these labels train the model to ignore them"
        for folder, some in labels.items()
        if every - some
    ]
    return PooledSites(examples[0], examples[1], examples[2], tuple(sorted(every)), warnings)

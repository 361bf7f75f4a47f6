"""Vectors of several sites in one: what they must have in common, and what they may differ in."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from models.private.deidentifier import EncodedSentence
from pipeline.sharing.vectors import Manifest, read_shared
from record.errors import ConfigError


@dataclass(frozen=True)
class Pool:
    """Examples to learn from, to select by and to score on, with all their labels, and warnings."""

    train: list[EncodedSentence] = field(repr=False)
    dev: list[EncodedSentence] = field(repr=False)
    test: list[EncodedSentence] = field(repr=False)
    labels: tuple[str, ...]
    warnings: list[str]


def pool(train: Sequence[Path], dev: Sequence[Path], test: Sequence[Path] = ()) -> Pool:
    """Read shared folders.

    Raises ConfigError where two were not encoded by the same representer, for their vectors have
    nothing in common; where one is damaged; and where a file is there twice.
    """
    first: Manifest | None = None
    sums: dict[str, Path] = {}
    labels: dict[Path, frozenset[str]] = {}
    held: list[list[EncodedSentence]] = [[], [], []]
    for number, folders in enumerate((train, dev, test)):
        for folder in folders:
            manifest, rows = read_shared(folder)
            first = first or manifest
            if manifest.representer != first.representer:
                problem = "was encoded by another representer than the first"
                remedy = "let all sites encode with the same one"
                raise ConfigError(str(folder), problem, remedy)
            if manifest.vectors_sha256 in sums:
                problem = f"is the same file as {sums[manifest.vectors_sha256]}"
                raise ConfigError(str(folder), problem, "give each file once")
            sums[manifest.vectors_sha256] = folder
            labels[folder] = frozenset(manifest.labels)
            held[number] += rows
    every = frozenset().union(*labels.values())
    warnings = [
        f"{folder} has no {', '.join(sorted(every - some))}: it teaches that there are none"
        for folder, some in labels.items()
        if every - some
    ]
    return Pool(held[0], held[1], held[2], tuple(sorted(every)), warnings)

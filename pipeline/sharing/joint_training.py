"""Trains a de-identifier on the vectors that several sites shared, if these are compatible."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from models.private.deidentifier import EncodedSentence
from models.private.deidentifier_training import (
    DeidentifierRecipe,
    load_deidentifier,
    token_scores,
    train_deidentifier,
)
from models.training_loop import TrainingCallbacks
from pipeline.config.progress import Progress
from pipeline.sharing.shared_files import Manifest, read_manifest, read_shared
from pipeline.sharing.site_encoding import load_site_kit
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


@dataclass(frozen=True)
class JointTrainingRequest:
    """Shared folders to train on, to select weights by and to score on, and how to train.

    Training begins with the network of `representer`, or with random weights.
    """

    shared: Sequence[Path]
    dev: Sequence[Path]
    test: Sequence[Path]
    out: Path
    representer: Path | None = None
    epochs: int = 20
    patience: int = 10
    seed: int = 1


@dataclass(frozen=True)
class JointTraining:
    """The scores of tokens, and how many sentences of how many files were trained on."""

    scores: Mapping[str, float]
    sentences: int
    sites: int

    def to_json(self) -> dict[str, Any]:
        """Return scores and counts."""
        return {**self.scores, "sentences": self.sentences, "sites": self.sites}


def train_jointly(
    request: JointTrainingRequest, progress: Progress, warn: Callable[[str], None]
) -> JointTraining:
    """Train on pooled vectors, or go on where an interrupted training stopped.

    `warn` is given, before training begins, each file that lacks a label of the others. Scores are
    those on `test` or, where there is none, on `dev`. Raises ConfigError where folders do not
    belong together.
    """
    start = None
    if request.representer:
        manifest = read_manifest(request.shared[0])
        start = load_site_kit(manifest, request.representer).deidentifier
    pooled = pool_sites(request.shared, request.dev, request.test)
    for warning in pooled.warnings:
        warn(warning)
    recipe = DeidentifierRecipe(
        labels=pooled.labels,
        epochs=request.epochs,
        patience=request.patience,
        seed=request.seed,
    )
    if start:
        recipe = recipe.for_fine_tuning(start)
    done = 0

    def report(entry: Mapping[str, float]) -> None:
        nonlocal done
        done += 1
        losses = f"training loss {entry['train']:.4f}, dev loss {entry['dev']:.4f}"
        progress.phase(f"epoch {done} of {request.epochs}: {losses}")

    progress.phase("training")
    scores = train_deidentifier(
        pooled.train, pooled.dev, recipe, request.out, TrainingCallbacks(evaluated=report), start
    )
    if pooled.test:
        scores = token_scores(load_deidentifier(request.out), pooled.test)
    return JointTraining(asdict(scores), len(pooled.train), len(request.shared))

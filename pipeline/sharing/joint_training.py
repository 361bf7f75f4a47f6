"""Trains a de-identifier on the vectors that several sites shared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from models.private.deidentifier_training import (
    DeidentifierRecipe,
    load_deidentifier,
    token_scores,
    train_deidentifier,
)
from models.training_loop import TrainingCallbacks
from pipeline.config.progress import Progress
from pipeline.sharing.pooled_sites import pool_sites
from pipeline.sharing.shared_files import read_manifest
from pipeline.sharing.site_encoding import load_site_kit


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

"""Trains a generator of notes on a prepared corpus, and warns of what stays unprotected."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from models.language.training.recipe import make_recipe
from models.training_loop import TrainingCallbacks
from pipeline.config.progress import Progress
from pipeline.files.gold import read_annotated
from synthesis import generator_training

Warn = Callable[[str], None]


@dataclass(frozen=True)
class GeneratorRequest:
    """A corpus, where the generator goes, a recipe by name and what differs from it.

    `vocabulary_text` are other notes that the vocabulary is learnt from. `canaries` is how many
    made-up notes are planted, and how often each.
    """

    corpus: Path
    out: Path
    recipe: str = "gpt"
    changes: Mapping[str, Any] = field(default_factory=dict)
    vocabulary_text: Path | None = None
    canaries: tuple[int, int] | None = None


def train_generator(request: GeneratorRequest, progress: Progress, warn: Warn) -> dict[str, float]:
    """Train, or go on where an interrupted training stopped; returns the perplexities.

    Warnings come before training begins. Raises ConfigError.
    """
    recipe = make_recipe(request.recipe, dict(request.changes))
    warnings: list[str] = []
    public = None
    if request.vocabulary_text is not None:
        notes = read_annotated(request.vocabulary_text, warnings)
        public = [note.document.text for note in notes]
    elif recipe.epsilon is not None:
        warnings.append(
            "the vocabulary is learnt from the notes, outside of the privacy budget; "
            "give --vocabulary-text"
        )
    if recipe.epsilon is not None and recipe.pretrained is not None:
        warnings.append(
            "private training does not protect notes that the pretrained model has already seen; "
            "see `synthesize overlap`"
        )
    for warning in warnings:
        warn(warning)
    progress.phase("training")
    callbacks = TrainingCallbacks(
        progress.advance, lambda scores: progress.phase(_describe(scores))
    )
    return generator_training.train_generator(
        request.corpus, recipe, request.out, callbacks, public, request.canaries
    )


def _describe(scores: Mapping[str, float]) -> str:
    return f"epoch {scores['epochs']:.1f}, perplexity {scores['perplexity']:.2f}"

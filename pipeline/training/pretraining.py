"""Reads the notes that an encoder is to learn the language of, and trains it further."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from models.tagger.encoders.windows import WindowConfig
from models.tagger.training.pretraining import PretrainRecipe, pretrain
from models.training_loop import TrainingCallbacks
from pipeline.config.progress import Progress
from pipeline.files.alignment import align
from pipeline.files.gold import read_annotated
from record.errors import ConfigError


@dataclass(frozen=True)
class PretrainingRequest:
    """The files of notes, how to learn from them, and where the encoder goes."""

    notes: Sequence[Path]
    out: Path
    recipe: PretrainRecipe


@dataclass
class Pretrained:
    """What came of it: perplexities before and after each epoch, and warnings."""

    perplexities: list[float] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def order_of(options: argparse.Namespace) -> PretrainingRequest:
    """Return the order that the options of `pretrain` stand for."""
    names = {each.name for each in fields(PretrainRecipe)} - {"cut"}
    given = {name: value for name, value in vars(options).items() if value is not None}
    chosen = {name: given[name] for name in names & set(given)}
    try:
        cut = WindowConfig(options.window, 0)
    except ValueError as error:
        raise ConfigError("--window", str(error), "give more") from None
    return PretrainingRequest(options.notes, options.output, PretrainRecipe(cut=cut, **chosen))


def pretrain_files(order: PretrainingRequest, progress: Progress) -> Pretrained:
    """Train an encoder further on notes and write the folder that `--encoder` takes.

    Raises ConfigError.
    """
    done = Pretrained()
    progress.phase("reading")
    texts = [
        align(note.document.text).clean
        for path in order.notes
        for note in read_annotated(path, done.warnings)
    ]
    progress.phase("learning")
    watch = TrainingCallbacks(
        progress.advance,
        lambda scores: progress.phase(f"perplexity {scores['perplexity']:.1f}"),
    )
    done.perplexities = pretrain(texts, order.recipe, order.out, watch)
    return done

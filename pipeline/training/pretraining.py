"""Continues pre-training an encoder on files of notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
    """Perplexities before and after each epoch, and warnings."""

    perplexities: list[float] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def plan_pretraining(
    notes: Sequence[Path], out: Path, window: int, changes: Mapping[str, Any]
) -> PretrainingRequest:
    """Return how an encoder is trained further: the usual recipe, with `changes` by field.

    `window` is the most tokens of a window. Raises ConfigError.
    """
    try:
        cut = WindowConfig(window, 0)
    except ValueError as error:
        raise ConfigError("--window", str(error), "give more") from None
    return PretrainingRequest(notes, out, PretrainRecipe(cut=cut, **changes))


def pretrain_files(request: PretrainingRequest, progress: Progress) -> Pretrained:
    """Train an encoder further on notes and write the folder that `--encoder` takes.

    Raises ConfigError.
    """
    done = Pretrained()
    progress.phase("reading")
    texts = [
        align(note.document.text).clean
        for path in request.notes
        for note in read_annotated(path, done.warnings)
    ]
    progress.phase("training")
    watch = TrainingCallbacks(
        progress.advance, lambda scores: progress.phase(f"perplexity {scores['perplexity']:.1f}")
    )
    done.perplexities = pretrain(texts, request.recipe, request.out, watch)
    return done

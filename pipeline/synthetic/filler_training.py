"""Trains a masked language model, which fills words into letters, on a prepared corpus."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from models.language.corpus.masking import MaskRecipe
from models.language.masked.grid_search import PUBLISHED, GridTrial, combinations, search
from models.language.masked.training import (
    TRAINING,
    MaskedCorpora,
    MaskedLetter,
    MaskedRecipe,
    train_masked,
)
from models.training_loop import TrainingCallbacks
from pipeline.config.progress import Progress
from pipeline.synthetic.corpus_letters import read_letters, with_own
from record.document import Annotated
from record.errors import ConfigError
from synthesis.masking import touched_words, words_of
from synthesis.prepared_corpus import digest, load_corpus

_ENCODER_RATE = 1e-4
_ENCODER_LENGTH = 160


@dataclass(frozen=True)
class FillerRequest:
    """A corpus, where the model goes, and what differs from the recipe.

    `changes` are fields of `MaskedRecipe`, `psi` and `phi` those of `MaskRecipe`. `grid` is a TOML
    file of lists to search, or `published`.
    """

    corpus: Path
    out: Path
    changes: Mapping[str, Any] = field(default_factory=dict)
    psi: float | None = None
    phi: float | None = None
    encoder: str | None = None
    grid: str | None = None
    max_minutes: float | None = None

    def recipe(self) -> MaskedRecipe:
        """Return what the model is trained by; raises ConfigError."""
        recipe = MaskedRecipe()
        if self.encoder is not None:
            recipe = replace(
                recipe, encoder=self.encoder, rate=_ENCODER_RATE, length=_ENCODER_LENGTH
            )
        try:
            mask = MaskRecipe(
                recipe.mask.psi if self.psi is None else self.psi,
                recipe.mask.phi if self.phi is None else self.phi,
            )
        except ValueError:
            problem = f"must be above 0 and at most 1, not {self.psi}"
            raise ConfigError("--psi", problem, "give a share such as 0.5") from None
        recipe = replace(recipe, mask=mask, **self.changes)
        if recipe.width % recipe.heads:
            problem = f"must divide the width of {recipe.width}, not {recipe.heads}"
            raise ConfigError("--heads", problem, "choose both anew")
        return recipe


@dataclass(frozen=True)
class FillerTraining:
    """What training gave: perplexities before and after each epoch, or the trials of a grid.

    `about` is what the model's folder says of its training.
    """

    perplexities: Sequence[float] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    trials: Sequence[GridTrial] = ()


def train_filler(request: FillerRequest, progress: Progress) -> FillerTraining:
    """Train, or go on where an interrupted training stopped; searches the grid where one is given.

    Trials come best first. Raises ConfigError.
    """
    recipe = request.recipe()
    corpus = load_corpus(request.corpus)
    about = {
        "prepared_sha256": digest(request.corpus),
        "origin": corpus.manifest["origin"],
        "privacy": None,
    }
    progress.phase("reading")
    corpora = MaskedCorpora(
        *(
            [_masked_letter(each) for each in with_own(read_letters(corpus, split))]
            for split in ("train", "dev")
        )
    )

    def callbacks(name: str) -> TrainingCallbacks:
        def report(scores: Mapping[str, Any]) -> None:
            epoch, perplexity = scores["epoch"], scores["perplexity"]
            progress.phase(f"{name} epoch {epoch}, perplexity {perplexity:.2f}".strip())

        progress.phase(f"training {name}".strip())
        return TrainingCallbacks(progress.advance, report)

    if request.grid is not None:
        recipes = combinations(recipe, read_grid(request.grid))
        trials = search(
            corpora,
            recipes,
            request.out,
            callbacks=callbacks,
            about=about,
            max_minutes=request.max_minutes,
        )
        return FillerTraining(trials=sorted(trials, key=lambda trial: trial.perplexity))
    history = train_masked(
        corpora, recipe, request.out, callbacks(""), about=about, max_minutes=request.max_minutes
    )
    written = json.loads((request.out / TRAINING).read_text("utf-8"))
    return FillerTraining(history, written)


def read_grid(name: str) -> Mapping[str, Sequence[float]]:
    """Read lists of values to search from a TOML file, or return the published grid.

    Raises ConfigError.
    """
    if name == "published":
        return PUBLISHED
    remedy = "write lines such as  psi = [0.3, 0.5]"
    try:
        table = tomllib.loads(Path(name).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise ConfigError("--grid", f"{name} is not a readable TOML file", remedy) from None
    for key, values in table.items():
        numbers = isinstance(values, list) and all(
            isinstance(value, int | float) and not isinstance(value, bool) for value in values
        )
        if not numbers or not values:
            raise ConfigError(f"grid.{key}", "must be a list of numbers", remedy)
    return table


def _masked_letter(letter: Annotated) -> MaskedLetter:
    text = letter.document.text
    words = words_of(text)
    identifying = touched_words(letter.spans, words)
    return MaskedLetter(
        [text[start:end] for start, end in words],
        [number in identifying for number in range(len(words))],
    )

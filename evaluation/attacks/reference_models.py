"""Reference models for attacks on a generator: trained without single notes, on halves, leaky."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.memorization import draw_half_splits
from models.hardware import choose_device
from models.language.corpus.batching import Text
from models.language.corpus.vocabulary import Vocabulary
from models.language.training.perplexity import log_probabilities
from models.language.training.recipe import LanguageRecipe
from models.language.training.serialization import TrainedGenerator, load
from models.language.training.training import TRAINING, LanguageCorpora, train
from models.training_loop import TrainingCallbacks
from synthesis.canaries import Canaries

CONTROL_NOTES = 10
"""Number of notes that the leaky control is trained on."""

CONTROL_REPEATS = 30
"""Repetitions of each of them, and of each canary."""

Floats = NDArray[np.float64]
MakeWatch = Callable[[str], TrainingCallbacks]


@dataclass(frozen=True)
class AttackData:
    """The notes as token ids of the attacked model, and the settings to train reference models.

    `about` is stored with each reference model. `canaries` are those of the attacked model, or
    others that a reference model learns.
    """

    vocabulary: Vocabulary
    train: Sequence[Text] = field(repr=False)
    dev: Sequence[Text] = field(repr=False)
    test: Sequence[Text] = field(repr=False)
    canaries: Canaries = field(repr=False)
    recipe: LanguageRecipe
    about: Mapping[str, Any] = field(default_factory=dict)


class ReferenceModels:
    """Reference models in a folder; existing ones are loaded, interrupted trainings resumed."""

    def __init__(
        self,
        ground: AttackData,
        folder: Path,
        make_watch: MakeWatch = lambda name: TrainingCallbacks(),
    ) -> None:
        self._ground, self._folder, self._make_watch = ground, folder, make_watch
        self._loaded: dict[str, TrainedGenerator] = {}

    def whole(self, *, reseeded: bool = False) -> TrainedGenerator:
        """Return the model of all notes, trained with the attacked model's seed or the next."""
        recipe = self._ground.recipe
        if not reseeded:
            return self._load_or_train("whole", self._ground.train, recipe)
        return self._load_or_train(
            "reseeded", self._ground.train, replace(recipe, seed=recipe.seed + 1)
        )

    def without(self, place: int) -> TrainedGenerator:
        """Return the model of all notes but one, trained with the same seed."""
        texts = [text for at, text in enumerate(self._ground.train) if at != place]
        return self._load_or_train(f"without-{place}", texts, self._ground.recipe)

    def halves(self, members: NDArray[np.bool_]) -> Iterator[TrainedGenerator]:
        """Return the models of random halves; `members` is [models, notes]."""
        for number, row in enumerate(members):
            texts = [text for text, is_in in zip(self._ground.train, row, strict=False) if is_in]
            yield self._load_or_train(f"half-{number}", texts, self._ground.recipe)

    def planted(self) -> TrainedGenerator:
        """Return the model of all notes and the canaries."""
        ground = self._ground
        texts = ground.canaries.mix_into(ground.train, ground.vocabulary, ground.recipe.seed)
        return self._load_or_train("planted", texts, ground.recipe)

    def unprotected(self) -> TrainedGenerator:
        """Return the model of all notes and the canaries that was trained without privacy."""
        ground = self._ground
        texts = ground.canaries.mix_into(ground.train, ground.vocabulary, ground.recipe.seed)
        return self._load_or_train("unprotected", texts, _without_privacy(ground.recipe))

    def leaky(self, places: Sequence[int]) -> TrainedGenerator:
        """Return the model known to leak: few notes and the canaries, thirty times over.

        It is trained without differential privacy, until it knows them best.
        """
        ground = self._ground
        texts = CONTROL_REPEATS * [ground.train[place] for place in places]
        canaries = replace(ground.canaries, repeats=CONTROL_REPEATS)
        mixed = canaries.mix_into(texts, ground.vocabulary, ground.recipe.seed)
        recipe = _without_privacy(ground.recipe)
        return self._load_or_train("leaky", mixed, recipe, texts[: len(places)])

    def _load_or_train(
        self,
        name: str,
        texts: Sequence[Text],
        recipe: LanguageRecipe,
        dev: Sequence[Text] | None = None,
    ) -> TrainedGenerator:
        if name not in self._loaded:
            folder = self._folder / name
            if not (folder / TRAINING).exists():
                about = {**self._ground.about, "partner": name}
                corpora = LanguageCorpora(
                    self._ground.vocabulary, texts, dev or self._ground.dev, about
                )
                train(corpora, recipe, folder, self._make_watch(name))
            self._loaded[name] = load(folder)
        return self._loaded[name]


@dataclass(frozen=True)
class HalfSplit:
    """Which notes, of train and then of test, belong to which half: [models, notes].

    Test notes are in no model; they are split too, so that both are processed alike.
    """

    members: NDArray[np.bool_]
    train: int

    @classmethod
    def draw(cls, ground: AttackData, models: int, seed: int) -> "HalfSplit":
        """Draw the halves by patient; `models` is even."""
        both = (
            draw_half_splits(len(texts), models, patients=owners_of(texts), seed=seed)
            for texts in (ground.train, ground.test)
        )
        return cls(np.concatenate(list(both), axis=1), len(ground.train))


def owners_of(texts: Sequence[Text]) -> list[str]:
    """Return the patient of each text; one without is its own."""
    return [text.owner or f"text {place}" for place, text in enumerate(texts)]


def _without_privacy(recipe: LanguageRecipe) -> LanguageRecipe:
    return replace(recipe, epsilon=None, delta=None)


def draw_places(count: int, some: int, seed: int) -> list[int]:
    """Draw some of so many positions, in ascending order."""
    chance = Random(seed)  # noqa: S311 - who is measured is no secret
    return sorted(chance.sample(range(count), min(count, some)))


def score_tokens(model: TrainedGenerator, texts: Sequence[Text]) -> list[Floats]:
    """Return the log probabilities of the token ids of each text under a model.

    On the GPU where there is one, in the precision that the model was loaded in; only the model
    that scores is there.
    """
    network, home = model.network, model.network.device
    network.to(choose_device())
    try:
        found = log_probabilities(network, model.vocabulary, texts)
        return [np.array(each, np.float64) for each in found]
    finally:
        network.to(home)


def mean_log_probabilities(model: TrainedGenerator, texts: Sequence[Text]) -> Floats:
    """Return the mean log probability per token id of each text under a model: [texts]"""
    return np.array([each.mean() for each in score_tokens(model, texts)])

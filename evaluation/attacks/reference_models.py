"""Models beside the one that is judged: trained with and without single notes, to compare."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.memorization import half_splits
from models.language.corpus.batching import Text
from models.language.corpus.vocabulary import Vocabulary
from models.language.training.perplexity import log_probabilities
from models.language.training.recipe import LanguageRecipe
from models.language.training.serialization import TrainedGenerator, load
from models.language.training.training import TRAINING, LanguageCorpora, train
from models.training_loop import TrainingCallbacks
from synthesis.canaries import Canaries

CONTROL_NOTES = 10
"""Notes that the model known to leak learns from."""

CONTROL_REPEATS = 30
"""How often it learns each of them, and each canary."""

Floats = NDArray[np.float64]
Tell = Callable[[str], TrainingCallbacks]


@dataclass(frozen=True)
class Ground:
    """Notes as ids of the model that is judged, and what its partners are trained by.

    `about` is what partners say of themselves. `canaries` are those of the model that is judged,
    or others that a partner learns from.
    """

    vocabulary: Vocabulary
    train: Sequence[Text] = field(repr=False)
    dev: Sequence[Text] = field(repr=False)
    test: Sequence[Text] = field(repr=False)
    canaries: Canaries = field(repr=False)
    recipe: LanguageRecipe
    about: Mapping[str, Any] = field(default_factory=dict)


class Partners:
    """Partners of a model under a folder. One that is there is not trained again, one that was
    interrupted goes on."""

    def __init__(
        self, ground: Ground, folder: Path, tell: Tell = lambda name: TrainingCallbacks()
    ) -> None:
        self._ground, self._folder, self._tell = ground, folder, tell
        self._loaded: dict[str, TrainedGenerator] = {}

    def whole(self, *, reseeded: bool = False) -> TrainedGenerator:
        """Return the model of all notes, by the seed of the model that is judged or by the next."""
        recipe = self._ground.recipe
        if not reseeded:
            return self._made("whole", self._ground.train, recipe)
        return self._made("reseeded", self._ground.train, replace(recipe, seed=recipe.seed + 1))

    def without(self, place: int) -> TrainedGenerator:
        """Return the model of all notes but one, by the same seed."""
        texts = [text for at, text in enumerate(self._ground.train) if at != place]
        return self._made(f"without-{place}", texts, self._ground.recipe)

    def halves(self, members: NDArray[np.bool_]) -> Iterator[TrainedGenerator]:
        """Return the models of random halves; `members` [models, notes] tells who is in which."""
        for number, row in enumerate(members):
            texts = [text for text, is_in in zip(self._ground.train, row, strict=False) if is_in]
            yield self._made(f"half-{number}", texts, self._ground.recipe)

    def planted(self) -> TrainedGenerator:
        """Return the model of all notes and the canaries."""
        ground = self._ground
        texts = ground.canaries.mix_into(ground.train, ground.vocabulary, ground.recipe.seed)
        return self._made("planted", texts, ground.recipe)

    def leaky(self, places: Sequence[int]) -> TrainedGenerator:
        """Return the model that is known to leak: it learns few notes, and the canaries, thirty
        times
        as often, without differential privacy, and until it knows them best."""
        ground = self._ground
        texts = CONTROL_REPEATS * [ground.train[place] for place in places]
        canaries = replace(ground.canaries, repeats=CONTROL_REPEATS)
        mixed = canaries.mix_into(texts, ground.vocabulary, ground.recipe.seed)
        recipe = replace(ground.recipe, epsilon=None, delta=None)
        return self._made("leaky", mixed, recipe, texts[: len(places)])

    def _made(
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
                train(corpora, recipe, folder, self._tell(name))
            self._loaded[name] = load(folder)
        return self._loaded[name]


@dataclass(frozen=True)
class Split:
    """Which notes, of train and then of test, are counted to which half: [models, notes].

    Notes of test are in none; they are parted all the same, so that what is computed of both is
    computed alike.
    """

    members: NDArray[np.bool_]
    train: int

    @classmethod
    def draw(cls, ground: Ground, models: int, seed: int) -> "Split":
        """Part the notes; `models` is even."""
        train, test = len(ground.train), len(ground.test)
        both = (half_splits(count, models, seed=seed) for count in (train, test))
        return cls(np.concatenate(list(both), axis=1), train)


def drawn(count: int, some: int, seed: int) -> list[int]:
    """Draw some of so many places, in order."""
    chance = Random(seed)  # noqa: S311 - who is measured is no secret
    return sorted(chance.sample(range(count), min(count, some)))


def told(model: TrainedGenerator, texts: Sequence[Text]) -> list[Floats]:
    """Return the log probabilities of the ids of each text under a model."""
    found = log_probabilities(model.network, model.vocabulary, texts)
    return [np.array(each, np.float64) for each in found]


def means(model: TrainedGenerator, texts: Sequence[Text]) -> Floats:
    """Return the mean log probability of an id of each text under a model. [texts]"""
    return np.array([each.mean() for each in told(model, texts)])

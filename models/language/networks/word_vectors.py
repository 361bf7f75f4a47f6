"""Word vectors of a corpus and what they are worth: word similarity, and textual entailment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import torch
from gensim.models import Word2Vec
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

Floats = NDArray[np.float32]

SIZE = 300

_WINDOW, _NEGATIVES, _EPOCHS = 5, 10, 10
_ROWS = 64
_HIDDEN = 200
_RATE = 1e-3
_TINY = 1e-12


@dataclass(frozen=True)
class WordPair:
    """Two sentences as words, and their label, such as `entailment`."""

    first: Sequence[str] = field(repr=False)
    second: Sequence[str] = field(repr=False)
    label: str


def train_word_vectors(sentences: Iterable[Sequence[str]], *, seed: int = 1) -> dict[str, Floats]:
    """Learn vectors by skip-grams, with the settings of Melamud and Shivade (2019).

    One thread: same sentences and seed give the same vectors. Raises ValueError without words.
    """
    texts = [list(sentence) for sentence in sentences]
    if not any(texts):
        raise ValueError("the sentences must contain words")
    made = Word2Vec(
        texts, sg=1, vector_size=SIZE, window=_WINDOW, negative=_NEGATIVES, epochs=_EPOCHS,
        min_count=1, workers=1, seed=seed,
    )  # fmt: skip
    return {word: np.asarray(made.wv[word], np.float32) for word in made.wv.index_to_key}


def random_vectors(words: Iterable[str], *, seed: int = 1) -> dict[str, Floats]:
    """Return random vectors, as a baseline."""
    rng = np.random.default_rng(seed)
    return {word: rng.standard_normal(SIZE, dtype=np.float32) for word in words}


def cosine_similarity(vectors: Mapping[str, Floats], one: str, other: str) -> float:
    """Return the cosine of two words; 0 where one has no vector."""
    first, second = vectors.get(one), vectors.get(other)
    if first is None or second is None:
        return 0.0
    length = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / length if length else 0.0


class EntailmentClassifier(nn.Module):
    """An entailment classifier over the sums of two sentences' word vectors, which are frozen.

    The baseline of Bowman et al. (EMNLP 2015); vectors have length 1.
    """

    def __init__(self, vectors: Mapping[str, Floats], labels: Sequence[str]) -> None:
        super().__init__()
        self._labels = list(labels)
        self._vectors = {
            word: vector / max(float(np.linalg.norm(vector)), _TINY)
            for word, vector in vectors.items()
        }
        sizes = (2 * SIZE, _HIDDEN, _HIDDEN, _HIDDEN)
        layers = [nn.Sequential(nn.Linear(a, b), nn.Tanh()) for a, b in pairwise(sizes)]
        self.layers = nn.Sequential(*layers, nn.Linear(_HIDDEN, len(labels)))

    def features(self, pairs: Sequence[WordPair]) -> Tensor:
        """Return the sums of both sentences side by side. (pairs, 2 sizes)"""
        rows = [
            np.concatenate([self._sentence_vector(pair.first), self._sentence_vector(pair.second)])
            for pair in pairs
        ]
        return torch.from_numpy(np.stack(rows))

    def _sentence_vector(self, words: Sequence[str]) -> Floats:
        known = [self._vectors[word] for word in words if word in self._vectors]
        total: Floats = np.sum(known, axis=0) if known else np.zeros(SIZE, np.float32)
        return total

    def learn(self, pairs: Sequence[WordPair], *, epochs: int, seed: int) -> None:
        """Learn from pairs."""
        features = self.features(pairs)
        targets = torch.tensor([self._labels.index(pair.label) for pair in pairs])
        optimizer = torch.optim.Adam(self.layers.parameters(), lr=_RATE)
        generator = torch.Generator().manual_seed(seed)
        for _ in range(epochs):
            order = torch.randperm(len(pairs), generator=generator)
            for at in range(0, len(pairs), _ROWS):
                rows = order[at : at + _ROWS]
                optimizer.zero_grad()
                loss = functional.cross_entropy(self.layers(features[rows]), targets[rows])
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()

    @torch.inference_mode()
    def is_correct(self, pairs: Sequence[WordPair]) -> list[bool]:
        """Return for each pair whether its label is predicted."""
        found = self.layers(self.features(pairs)).argmax(1).tolist()
        return [self._labels[place] == pair.label for place, pair in zip(found, pairs, strict=True)]


def train_entailment(
    pairs: Sequence[WordPair], vectors: Mapping[str, Floats], *, epochs: int = 50, seed: int = 1
) -> EntailmentClassifier:
    """Train an entailment classifier on frozen vectors; deterministic for the same seed."""
    torch.manual_seed(seed)
    model = EntailmentClassifier(vectors, sorted({pair.label for pair in pairs}))
    model.learn(pairs, epochs=epochs, seed=seed)
    return model

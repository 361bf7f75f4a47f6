"""Attacks on shared vectors by someone who knows a sentence but for one identifier.

Whoever knows all of a sentence but the name in it has two candidates: the sentence as it was, and
one alike with another name. What was shared should not tell which of the two it was. Every attack
here is a choice between such twins, so that a guess is right half of the time; the vectors of a
sentence whose twin was shared in its place, by the toss of a coin, cannot give anything away.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from evaluation.detection.auc import area
from models.private.pseudonymization import Pseudonymizer
from models.private.sentences import Sentence

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]
Encode = Callable[[Sequence[Sentence], int], Sequence[Vectors]]
"""Gives the vectors of sentences, [tokens, size] each, with noise drawn from a seed."""

REFERENCES = 8
"""Encodings of a candidate whose mean an attacker takes for what it looks like."""

_RIDGE = 1e-3
_LEAST = 1e-12
_SEEDS = 1 << 31


@dataclass(frozen=True)
class Twins:
    """Sentences with an identifier, and the same with another word in the place of one token.

    `places` are those of the sentences among all that they were chosen from.
    """

    real: Sequence[Sentence] = field(repr=False)
    other: Sequence[Sentence] = field(repr=False)
    places: NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.real)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first token of each sentence where all stand one behind another."""
        lengths = [len(sentence) for sentence in self.real]
        return np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)

    def tossed(self, seed: int) -> list[Sentence]:
        """Return each sentence or its twin, by the toss of a coin.

        Where these were shared, every choice is right half of the time, whatever the attack.
        """
        coins = np.random.default_rng(seed).random(len(self)) < 0.5
        return [b if coin else a for a, b, coin in zip(self.real, self.other, coins, strict=True)]

    def sums(self, tokens: Floats) -> Floats:
        """Add up numbers of tokens: [tokens of all] -> [sentences]."""
        found: Floats = np.add.reduceat(tokens, self.starts)
        return found


def make_twins(sentences: Sequence[Sentence], replacing: Pseudonymizer, seed: int) -> Twins:
    """Return a twin of each sentence in which one identifying token is replaced, where one can be.

    The class of the token's case stays: it is shared beside the vectors, and would tell at once.
    """
    draw = Random(seed)  # noqa: S311 - the same seed makes the same twins
    replacing.prepare(sentences)
    pairs = [(s, replacing.replace_one(s, draw)) for s in sentences]
    kept = [number for number, (_, other) in enumerate(pairs) if other is not None]
    found = [(real, other) for real, other in pairs if other is not None]
    return Twins([r for r, _ in found], [o for _, o in found], np.array(kept, np.int64))


@dataclass(frozen=True)
class Sights:
    """What an attacker made of twins with the representer: both candidates, encoded.

    `real` and `other` are [tokens of all, size], means of `REFERENCES` encodings with the same
    noise, so that it stands between them as little as it can; `pair` are single encodings of both,
    each with noise of its own. The matrices whiten noise: of one encoding, and of the difference
    of two.
    """

    twins: Twins
    real: Floats = field(repr=False)
    other: Floats = field(repr=False)
    pair: tuple[Floats, Floats] = field(repr=False)
    scale: Floats = field(repr=False)
    scale_of_two: Floats = field(repr=False)


def look(twins: Twins, encode: Encode, seed: int) -> Sights:
    """Encode both candidates as an attacker does."""
    real, other = [], []
    for drawn in seeds(seed, REFERENCES, "references"):
        real.append(_joined(encode(twins.real, drawn)))
        other.append(_joined(encode(twins.other, drawn)))
    middle, far = np.mean(real, axis=0), np.mean(other, axis=0)
    noise = np.concatenate([each - middle for each in real[:2]])
    first, second = (
        _joined(encode(each, drawn))
        for each, drawn in zip((twins.real, twins.other), seeds(seed, 2, "linkage"), strict=True)
    )
    return Sights(twins, middle, far, (first, second), whitening(noise), whitening(first - real[0]))


def linkage(shared: Sequence[Vectors], sights: Sights) -> Floats:
    """Return which of two single encodings, of a sentence and of its twin, belongs to the shared
    one.

    `shared` are the vectors of each sentence. Returns 1 where the choice is right, 0 where it is
    wrong, a half where nothing tells: [sentences].
    """
    return _closer(_joined(shared), sights.pair, sights.scale_of_two, sights.twins)


def averaged(shared: Sequence[Sequence[Vectors]], sights: Sights) -> Floats:
    """Choose between a sentence and its twin by the mean of several encodings of one of them.

    `shared` are the encodings, each of every sentence. Returns what `linkage` gives.
    """
    seen: Floats = np.mean([_joined(each) for each in shared], axis=0)
    return _closer(seen, (sights.real, sights.other), sights.scale, sights.twins)


def membership(shared: Sequence[Vectors], sights: Sights) -> float:
    """Tell sentences that are in a file from twins that are not, by the nearest vectors in it.

    `shared` is all of the file. The attacker sees casing and labels there, and so compares only
    what has the same. Every sentence is looked for as it is, and as its twin. Returns the area
    under the curve, 0.5 where nothing is told.
    """
    twins = sights.twins
    rows = Rows(twins.real, shared, sights.scale)
    real, other = (np.split(each, twins.starts[1:]) for each in (sights.real, sights.other))
    return area(-rows.nearest(twins.real, real), -rows.nearest(twins.other, other))


class Rows:
    """The sentences of a file, by what it shows of them beside their vectors."""

    def __init__(
        self, sentences: Sequence[Sentence], vectors: Sequence[Vectors], scale: Floats
    ) -> None:
        self._scale = scale
        rows = defaultdict(list)
        for sentence, each in zip(sentences, vectors, strict=True):
            rows[shape_of(sentence)].append(each)
        self._rows = {shape: np.stack(some) @ scale for shape, some in rows.items()}

    def nearest(
        self, sentences: Sequence[Sentence], wanted: Sequence[NDArray[np.floating]]
    ) -> Floats:
        """Return the distance from the nearest of its shape, a token's mean;
        infinite if none is.
        """
        found = np.full(len(sentences), np.inf)
        for number, (sentence, each) in enumerate(zip(sentences, wanted, strict=True)):
            held = self._rows.get(shape_of(sentence))
            if held is not None:
                found[number] = ((held - each @ self._scale) ** 2).mean((1, 2)).min()
        return found

    def has(self, sentences: Sequence[Sentence]) -> Floats:
        """Return of each sentence whether the file has one of its shape: 1 or 0."""
        return np.array([float(shape_of(each) in self._rows) for each in sentences])


def seeds(seed: int, count: int, use: str) -> list[int]:
    """Draw seeds that belong to a seed; those of two uses have nothing in common.

    An attacker who drew the very noise that was shared would see through it.
    """
    chance = np.random.default_rng([seed, crc32(use.encode())])
    return [int(each) for each in chance.integers(_SEEDS, size=count)]


def whitening(noise: NDArray[np.float32] | Floats) -> Floats:
    """Return the matrix that makes noise alike in all directions: [size, size].

    `noise` is [samples, size], with mean zero. Where there is none, the matrix only scales.
    """
    samples, size = noise.shape
    spread = noise.T.astype(np.float64) @ noise / max(1, samples)
    level = float(np.trace(spread)) / size
    values, axes = np.linalg.eigh(spread + (_RIDGE * level + _LEAST) * np.eye(size))
    found: Floats = axes / np.sqrt(np.maximum(values, _LEAST))
    return found


def shape_of(sentence: Sentence) -> tuple[object, ...]:
    """Return what a file shows of a sentence beside its vectors: case of its tokens, and spans."""
    return (sentence.casing, sentence.spans)


def _joined(vectors: Sequence[Vectors]) -> Floats:
    """Put the tokens of all sentences one behind another: [tokens of all, size]."""
    return np.concatenate(vectors).astype(np.float64)


def _closer(seen: Floats, both: tuple[Floats, Floats], scale: Floats, twins: Twins) -> Floats:
    near, far = (twins.sums((((seen - each) @ scale) ** 2).sum(1)) for each in both)
    found: Floats = np.where(near == far, 0.5, near < far)
    return found

"""Attacks on shared vectors by an attacker who knows a sentence except for one identifier.

Such an attacker has two candidates: the original sentence and one with another name. The shared
vectors should not reveal which of the two was encoded. Every attack here chooses between the
sentences of such a pair, so that guessing is right half of the time; where a coin decided which
of the two was shared, the vectors cannot reveal anything.

A representation that resists the adversaries it was trained against may still give in to others
with more time. `attack_frozen_representer` evaluates such adversaries on the pairs they train on:
even there they must be right no more than half of the time.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from statistics import fmean
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.attack_trials import Rate, Rates, summarize_rates
from evaluation.detection.auc import area_under_curve
from evaluation.detection.intervals import student_interval
from evaluation.gate import Axis, Measured
from models.private.adversaries import Adversaries
from models.private.adversary_training import (
    RepresenterLike,
    accuracy_bound,
    make_adversaries,
    train_adversaries,
)
from models.private.pseudonymization import NeighbourReplacer
from models.private.sentence_pairs import SentencePairSampler
from models.private.sentences import Sentence
from models.private.serialization import RepresenterBundle

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]
Encode = Callable[[Sequence[Sentence], int], Sequence[Vectors]]
"""Returns the vectors of sentences, [tokens, size] each, with noise drawn from a seed."""

REFERENCES = 8
"""Encodings of a candidate that an attacker averages."""

_RIDGE = 1e-3
_LEAST = 1e-12
_SEEDS = 1 << 31


@dataclass(frozen=True)
class SentencePairs:
    """Sentences with an identifier, and copies with another word in its place.

    `places` are the positions of the sentences among those they were selected from.
    """

    real: Sequence[Sentence] = field(repr=False)
    other: Sequence[Sentence] = field(repr=False)
    places: NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.real)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first token of each sentence in the concatenation of all."""
        lengths = [len(sentence) for sentence in self.real]
        return np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)

    def toss_coins(self, seed: int) -> list[Sentence]:
        """Return one sentence of each pair, selected by a fair coin.

        If these are shared, every attack is right half of the time.
        """
        coins = np.random.default_rng(seed).random(len(self)) < 0.5
        return [b if coin else a for a, b, coin in zip(self.real, self.other, coins, strict=True)]

    def sums(self, tokens: Floats) -> Floats:
        """Sum values of tokens per sentence: [tokens of all] -> [sentences]."""
        found: Floats = np.add.reduceat(tokens, self.starts)
        return found


def make_pairs(
    sentences: Sequence[Sentence], replacing: NeighbourReplacer, seed: int
) -> SentencePairs:
    """Make a pair of each sentence in which one identifying token can be replaced.

    The case class of the token is preserved, as it is shared besides the vectors.
    """
    draw = Random(seed)  # noqa: S311 - the same seed makes the same twins
    replacing.prepare(sentences)
    pairs = [(s, replacing.replace_one(s, draw)) for s in sentences]
    kept = [number for number, (_, other) in enumerate(pairs) if other is not None]
    found = [(real, other) for real, other in pairs if other is not None]
    return SentencePairs([r for r, _ in found], [o for _, o in found], np.array(kept, np.int64))


@dataclass(frozen=True)
class PairEncodings:
    """Both candidates of each pair as encoded by the attacker.

    `real` and `other` are [tokens of all, size], means of `REFERENCES` encodings with the same
    noise, to cancel it as far as possible; `pair` holds single encodings of both with independent
    noise. The matrices whiten the noise of one encoding, and of the difference of two.
    """

    twins: SentencePairs
    real: Floats = field(repr=False)
    other: Floats = field(repr=False)
    pair: tuple[Floats, Floats] = field(repr=False)
    scale: Floats = field(repr=False)
    scale_of_two: Floats = field(repr=False)


def encode_pairs(twins: SentencePairs, encode: Encode, seed: int) -> PairEncodings:
    """Encode both candidates of each pair as an attacker does."""
    real, other = [], []
    for drawn in derive_seeds(seed, REFERENCES, "references"):
        real.append(_concatenate(encode(twins.real, drawn)))
        other.append(_concatenate(encode(twins.other, drawn)))
    middle, far = np.mean(real, axis=0), np.mean(other, axis=0)
    noise = np.concatenate([each - middle for each in real[:2]])
    first, second = (
        _concatenate(encode(each, drawn))
        for each, drawn in zip(
            (twins.real, twins.other), derive_seeds(seed, 2, "linkage"), strict=True
        )
    )
    return PairEncodings(
        twins,
        middle,
        far,
        (first, second),
        whitening_matrix(noise),
        whitening_matrix(first - real[0]),
    )


def choose_by_linkage(shared: Sequence[Vectors], sights: PairEncodings) -> Floats:
    """Choose which of two single encodings of a pair belongs to the shared vectors.

    `shared` are the vectors of each sentence. Returns 1 where the choice is right, 0 where it is
    wrong, 0.5 for a tie: [sentences].
    """
    return _choose_closer(_concatenate(shared), sights.pair, sights.scale_of_two, sights.twins)


def choose_by_mean(shared: Sequence[Sequence[Vectors]], sights: PairEncodings) -> Floats:
    """Choose between the sentences of a pair by the mean of several shared encodings.

    `shared` holds several encodings of every sentence. Returns the same as `choose_by_linkage`.
    """
    seen: Floats = np.mean([_concatenate(each) for each in shared], axis=0)
    return _choose_closer(seen, (sights.real, sights.other), sights.scale, sights.twins)


def membership_auc(shared: Sequence[Vectors], sights: PairEncodings) -> float:
    """Return how well the nearest vectors in a file separate its sentences from their counterparts.

    `shared` is the whole file. The attacker compares only sentences with the same casing and
    labels, which the file shows. Returns the area under the curve; 0.5 is chance.
    """
    twins = sights.twins
    rows = SharedSentences(twins.real, shared, sights.scale)
    real, other = (np.split(each, twins.starts[1:]) for each in (sights.real, sights.other))
    return area_under_curve(-rows.nearest(twins.real, real), -rows.nearest(twins.other, other))


class SharedSentences:
    """The sentences of a file, indexed by what it shows besides vectors."""

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
        """Return the mean squared distance per token to the nearest one of the same shape.

        Infinite if there is none.
        """
        found = np.full(len(sentences), np.inf)
        for number, (sentence, each) in enumerate(zip(sentences, wanted, strict=True)):
            held = self._rows.get(shape_of(sentence))
            if held is not None:
                found[number] = ((held - each @ self._scale) ** 2).mean((1, 2)).min()
        return found

    def has(self, sentences: Sequence[Sentence]) -> Floats:
        """Return for each sentence whether the file has one of its shape: 1 or 0."""
        return np.array([float(shape_of(each) in self._rows) for each in sentences])


def derive_seeds(seed: int, count: int, use: str) -> list[int]:
    """Derive seeds from a seed; those of different uses are independent.

    An attacker with the very noise that was shared could remove it.
    """
    chance = np.random.default_rng([seed, crc32(use.encode())])
    return [int(each) for each in chance.integers(_SEEDS, size=count)]


def whitening_matrix(noise: NDArray[np.float32] | Floats) -> Floats:
    """Return the matrix that whitens noise: [size, size].

    `noise` is [samples, size] with mean zero. Without noise, the matrix only scales.
    """
    samples, size = noise.shape
    spread = noise.T.astype(np.float64) @ noise / max(1, samples)
    level = float(np.trace(spread)) / size
    values, axes = np.linalg.eigh(spread + (_RIDGE * level + _LEAST) * np.eye(size))
    found: Floats = axes / np.sqrt(np.maximum(values, _LEAST))
    return found


def shape_of(sentence: Sentence) -> tuple[object, ...]:
    """Return what a file shows of a sentence besides its vectors: casing and spans."""
    return (sentence.casing, sentence.spans)


def _concatenate(vectors: Sequence[Vectors]) -> Floats:
    """Concatenate the tokens of all sentences: [tokens of all, size]."""
    return np.concatenate(vectors).astype(np.float64)


def _choose_closer(
    seen: Floats, both: tuple[Floats, Floats], scale: Floats, twins: SentencePairs
) -> Floats:
    near, far = (twins.sums((((seen - each) @ scale) ** 2).sum(1)) for each in both)
    found: Floats = np.where(near == far, 0.5, near < far)
    return found


EPOCHS, LAST = 20, 5
"""Training epochs of the adversaries, and the number of last epochs that are averaged."""

ENCODING_COUNTS = (1, 8)
"""Numbers of encodings of one sentence that the attacker has."""

_NAME = "frozen-adversary"


def attack_frozen_representer(
    kit: RepresenterBundle,
    pairs: SentencePairSampler,
    drawn: Sequence[int],
    data: str,
    *,
    noise: float = 1.0,
    epochs: int | None = None,
    advance: Callable[[int, int], None] = lambda done, planned: None,
) -> list[Measured]:
    """Measure how often adversaries are right in the end, per seed and for both controls.

    The control that cannot leak encodes zero vectors; the known leak is plain word vectors. Returns
    an empty list without pairs.
    """
    if not len(pairs):
        return []

    def encode_nothing(vectors: Any, lengths: Any, *, noise: float) -> Any:
        return kit.representer(0 * vectors, lengths, noise=noise)

    def return_vectors(vectors: Any, *_lengths: Any, **_noise: float) -> Any:
        return vectors

    size, units = kit.embeddings.size, kit.adversaries.shape["units"]
    fresh = make_adversaries(size, size, units, drawn[0])
    runs: list[tuple[RepresenterLike, Adversaries, int]]
    runs = [(kit.representer, kit.adversaries, seed) for seed in drawn]
    runs += [(encode_nothing, kit.adversaries, drawn[0]), (return_vectors, fresh, drawn[0])]
    found: list[Rates] = []
    for represent, adversaries, seed in runs:
        right = train_adversaries(
            represent,
            deepcopy(adversaries),
            pairs,
            epochs or EPOCHS,
            seed=seed,
            noise=noise,
            last=LAST,
        )
        found.append({_NAME: Rate(fmean(right), 2 * len(pairs))})
        advance(len(found), len(runs))
    return list(summarize_rates(found[:-2], found[-2], found[-1], data))


def bound_any_attack(
    kit: RepresenterBundle,
    pairs: SentencePairSampler,
    drawn: Sequence[int],
    data: str,
    *,
    noise: float = 1.0,
) -> list[Measured]:
    """Bound how often any attack can choose correctly between the sentences of a pair.

    The bound is a mean over pairs, which are redrawn for each seed; `highest` is that of the worst
    pair. It assumes normal noise that is unknown to the attacker, and holds for words and their
    neighbours only. Returns an empty list without pairs.
    """
    if not len(pairs):
        return []
    found = []
    for count in ENCODING_COUNTS:
        bounds = [accuracy_bound(kit.representer, pairs, count, seed, noise) for seed in drawn]
        values = [float(each.mean()) for each in bounds]
        # No trials: only the pairs are random, so the interval comes from seeds alone.
        low, high = student_interval(values)
        detail = {"pairs": len(pairs), "highest": max(float(each.max()) for each in bounds)}
        found.append(
            Measured(
                f"any-attack-{count}",
                Axis.PRIVACY,
                fmean(values),
                low,
                min(1.0, high),
                data,
                len(values),
                null=0.5,
                control=1.0,
                detail=detail,
            )
        )
    return found

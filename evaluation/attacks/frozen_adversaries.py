"""Attack on a frozen representer by adversaries that continue to train against it.

A representation that resists the adversaries it was trained against may still give in to others
with more time. They are evaluated on the pairs they train on: even there they must be right no
more than half of the time.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from statistics import fmean
from typing import Any

from evaluation.attacks.attack_trials import Rate, Rates, summarize_rates
from evaluation.detection.intervals import student_interval
from evaluation.gate import Axis, Measured
from models.private.adversaries import Adversaries
from models.private.adversary_training import (
    RepresenterLike,
    accuracy_bound,
    make_adversaries,
    train_adversaries,
)
from models.private.sentence_pairs import SentencePairSampler
from models.private.serialization import RepresenterBundle

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

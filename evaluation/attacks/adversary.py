"""The attack of adversaries that go on learning while the representer stands still.

A representation that fooled the adversaries it was trained against may yet give in to others that
have more time. So they go on against the frozen representer, and are judged on the very pairs they
learn from: even there they must be right no more than half of the time.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from statistics import fmean
from typing import Any

from evaluation.attacks.attack_trials import Rate, Rates, measured_rates
from evaluation.detection.intervals import student_interval
from evaluation.gate import Axis, Measured
from models.private.adversaries import Adversaries
from models.private.adversary_training import (
    RepresenterLike,
    accuracy_bound,
    make_adversaries,
    train_adversaries,
)
from models.private.sentence_pairs import SentencePairs
from models.private.serialization import RepresenterBundle

EPOCHS, LAST = 20, 5
"""Times that adversaries go over their pairs, and the last of them, whose mean is taken."""

SIGHTS = (1, 8)
"""Encodings of one sentence that an attack of any kind has."""

_NAME = "frozen-adversary"


def frozen_adversary(
    kit: RepresenterBundle,
    pairs: SentencePairs,
    drawn: Sequence[int],
    data: str,
    *,
    noise: float = 1.0,
    epochs: int | None = None,
    advance: Callable[[int, int], None] = lambda done, planned: None,
) -> list[Measured]:
    """Measure how often adversaries are right in the end, for each seed and for both controls.

    What cannot leak is the representation of nothing; what is known to leak are the vectors of
    words. Returns nothing where there are no pairs.
    """
    if not len(pairs):
        return []

    def nothing(vectors: Any, lengths: Any, *, noise: float) -> Any:
        return kit.representer(0 * vectors, lengths, noise=noise)

    def bare(vectors: Any, *_lengths: Any, **_noise: float) -> Any:
        return vectors

    size, units = kit.embeddings.size, kit.adversaries.shape["units"]
    fresh = make_adversaries(size, size, units, drawn[0])
    runs: list[tuple[RepresenterLike, Adversaries, int]]
    runs = [(kit.representer, kit.adversaries, seed) for seed in drawn]
    runs += [(nothing, kit.adversaries, drawn[0]), (bare, fresh, drawn[0])]
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
    return list(measured_rates(found[:-2], found[-2], found[-1], data))


def any_attack(
    kit: RepresenterBundle,
    pairs: SentencePairs,
    drawn: Sequence[int],
    data: str,
    *,
    noise: float = 1.0,
) -> list[Measured]:
    """Bound how often any attack whatever chooses right between a sentence and its twin.

    The bound is a mean over pairs, whose changes are drawn for each seed; `highest` is that of the
    pair that is told best. It rests on noise that is normal and not guessed, and holds for words
    and their neighbours alone. Returns nothing without pairs.
    """
    if not len(pairs):
        return []
    found = []
    for count in SIGHTS:
        bounds = [accuracy_bound(kit.representer, pairs, count, seed, noise) for seed in drawn]
        values = [float(each.mean()) for each in bounds]
        # Nothing is tried: chance only draws the pairs, so that seeds alone tell how sure it is.
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

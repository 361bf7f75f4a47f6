"""The attack of adversaries that go on learning while the representer stands still.

A representation that fooled the adversaries it was trained against may yet give in to others that
have more time. So they go on against the frozen representer, and are judged on the very pairs they
learn from: even there they must be right no more than half of the time.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from statistics import fmean
from typing import Any

from evaluation.gate import Measured
from evaluation.seeds import Rate, Rates, measured_rates
from models.private.adversaries import Adversaries
from models.private.folder import Kit
from models.private.judging import Represent, continue_adversaries
from models.private.pairs import Pairs

EPOCHS, LAST = 20, 5
"""Times that adversaries go over their pairs, and the last of them, whose mean is taken."""

_NAME = "frozen-adversary"


def frozen_adversary(
    kit: Kit,
    pairs: Pairs,
    drawn: Sequence[int],
    data: str,
    *,
    noise: float = 1.0,
    epochs: int | None = None,
    advance: Callable[[int, int], None] = lambda done, planned: None,
) -> list[Measured]:
    """Measure how often adversaries are right in the end, for each seed and for both controls.

    What cannot leak is the representation of nothing; what is known to leak are the vectors of
    words. Gives nothing where there are no pairs.
    """
    if not len(pairs):
        return []

    def nothing(vectors: Any, lengths: Any, *, noise: float) -> Any:
        return kit.representer(0 * vectors, lengths, noise=noise)

    def bare(vectors: Any, *_lengths: Any, **_noise: float) -> Any:
        return vectors

    size, units = kit.embeddings.size, kit.adversaries.shape["units"]
    fresh = Adversaries(size, size, units)
    runs: list[tuple[Represent, Adversaries, int]]
    runs = [(kit.representer, kit.adversaries, seed) for seed in drawn]
    runs += [(nothing, kit.adversaries, drawn[0]), (bare, fresh, drawn[0])]
    found: list[Rates] = []
    for represent, adversaries, seed in runs:
        right = continue_adversaries(
            represent, deepcopy(adversaries), pairs, epochs or EPOCHS, seed=seed, noise=noise
        )
        found.append({_NAME: Rate(fmean(right[-LAST:]), 2 * len(pairs))})
        advance(len(found), len(runs))
    return list(measured_rates(found[:-2], found[-2], found[-1], data))

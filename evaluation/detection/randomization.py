"""Whether two systems differ on the same notes: the approximate randomization test (Yeh 2000)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import permutation_test

Counts = NDArray[np.float64]
Places = NDArray[np.int64]
Score = Callable[[Counts], Counts]

SHUFFLES = 9999


def precision(counts: Counts) -> Counts:
    """Return the precision of sums of hits, inventions and misses along the last axis."""
    return _ratio(counts[..., 0], counts[..., 0] + counts[..., 1])


def recall(counts: Counts) -> Counts:
    """Return the recall of sums of hits, inventions and misses along the last axis."""
    return _ratio(counts[..., 0], counts[..., 0] + counts[..., 2])


def f1(counts: Counts) -> Counts:
    """Return the F1 of sums of hits, inventions and misses along the last axis."""
    hits = 2 * counts[..., 0]
    return _ratio(hits, hits + counts[..., 1] + counts[..., 2])


def differ(
    one: ArrayLike, other: ArrayLike, score: Score, *, shuffles: int = SHUFFLES, seed: int = 1
) -> float:
    """Return the chance of a difference at least as large if the systems were interchangeable.

    `one` and `other` are [notes, 3]: hits, inventions and misses of each system in each note. The
    outputs for whole notes are swapped at random, two-sided; where there are no more than
    `shuffles` ways to do so all of them are counted. Raises ValueError where the notes differ.
    """
    first, second = np.asarray(one, np.float64), np.asarray(other, np.float64)
    if first.shape != second.shape or first.ndim != 2 or first.shape[1] != 3:
        raise ValueError("hits, inventions and misses of the same notes are needed")
    if np.array_equal(first, second):
        return 1.0
    both = np.concatenate((first, second))

    def difference(left: Places, right: Places, *, axis: int) -> Counts:
        sums = (both[side.astype(np.int64)].sum(axis=axis - 1) for side in (left, right))
        return np.subtract(*map(score, sums))

    # A note's three counts move together: what is shuffled are places of notes, not numbers.
    places = np.arange(len(both))
    found = permutation_test(
        (places[: len(first)], places[len(first) :]), difference, permutation_type="samples",
        vectorized=True, n_resamples=shuffles, batch=256, rng=np.random.default_rng(seed),
    )  # fmt: skip
    return float(found.pvalue)


def _ratio(above: Counts, below: Counts) -> Counts:
    """Divide; nothing of nothing is a perfect score, as for a note without identifiers."""
    ratio: Counts = np.where(below > 0, above / np.where(below > 0, below, 1), 1.0)
    return ratio

"""The randomization test: calibrated where nothing differs, against enumeration, and not blind."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from evaluation.utility.tagger_utility import f1, permutation_p_value, precision, recall


def noisy(chance: Generator, notes: int, rate: float) -> np.ndarray:
    """Counts of a system that finds each of five identifiers a note at a rate."""
    hits = chance.binomial(5, rate, notes)
    return np.column_stack([hits, chance.binomial(2, 0.3, notes), 5 - hits]).astype(float)


def enumerated(one: np.ndarray, other: np.ndarray, score: Any) -> Any:
    """The exact p-value: every way to swap whole notes between the systems."""
    observed = abs(score(one.sum(0)) - score(other.sum(0)))
    as_far = 0
    for swaps in product([False, True], repeat=len(one)):
        swap = np.array(swaps)[:, None]
        left, right = np.where(swap, other, one), np.where(swap, one, other)
        as_far += abs(score(left.sum(0)) - score(right.sum(0))) >= observed - 1e-12
    return as_far / 2 ** len(one)


@pytest.mark.parametrize("score", [precision, recall, f1])
def test_few_notes_are_enumerated(score: Callable[[Any], Any]) -> None:
    chance = np.random.default_rng(3)
    one, other = noisy(chance, 7, 0.9), noisy(chance, 7, 0.5)
    exact = permutation_p_value(one, other, score)
    # SciPy doubles the smaller tail; the distribution of swaps is symmetric.
    assert exact == pytest.approx(enumerated(one, other, score), abs=0.02)


def test_identical_systems_never_differ() -> None:
    one = noisy(np.random.default_rng(1), 30, 0.8)
    assert permutation_p_value(one, one, f1) == 1.0


def test_equal_systems_are_told_apart_as_often_as_asked() -> None:
    chance = np.random.default_rng(5)
    found = [
        permutation_p_value(
            noisy(chance, 40, 0.8), noisy(chance, 40, 0.8), recall, shuffles=199, seed=seed
        )
        for seed in range(500)
    ]
    assert 0.03 <= np.mean(np.array(found) <= 0.05) <= 0.07


def test_a_real_difference_is_seen_and_seeds_decide_alone() -> None:
    chance = np.random.default_rng(2)
    one, other = noisy(chance, 60, 0.9), noisy(chance, 60, 0.7)
    assert permutation_p_value(one, other, recall) < 0.01
    assert permutation_p_value(one, other, f1, seed=4) == permutation_p_value(
        one, other, f1, seed=4
    )


def test_other_notes_are_refused() -> None:
    with pytest.raises(ValueError, match="same notes"):
        permutation_p_value(np.zeros((3, 3)), np.zeros((4, 3)), f1)
    with pytest.raises(ValueError, match="same notes"):
        permutation_p_value(np.zeros((3, 2)), np.zeros((3, 2)), f1)

"""Where nothing differs, tests and intervals say so as often as they promise: 500 draws each."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from scipy.stats import kstest

from evaluation.attacks.memorization import compare_with_floor
from evaluation.detection.intervals import student_interval
from evaluation.utility.tagger_utility import f1, permutation_p_value, recall

DRAWS = 500


def counts(chance: Generator, notes: int = 40) -> np.ndarray:
    """Hits, inventions and misses of a system that finds four of five identifiers."""
    hits = chance.binomial(50, 0.8, notes)
    return np.column_stack([hits, chance.binomial(9, 0.3, notes), 50 - hits]).astype(float)


@pytest.mark.parametrize("score", [recall, f1])
def test_chances_of_equal_systems_are_uniform(score: Callable[[Any], Any]) -> None:
    chance = np.random.default_rng(1)
    found = [
        permutation_p_value(counts(chance), counts(chance), score, shuffles=199, seed=seed)
        for seed in range(DRAWS)
    ]
    assert kstest(found, "uniform").pvalue > 0.01
    assert abs(np.mean(np.array(found) <= 0.05) - 0.05) <= 0.02


@pytest.mark.parametrize("seeds", [3, 5])
def test_a_mean_over_seeds_misses_the_truth_in_one_of_twenty(seeds: int) -> None:
    chance = np.random.default_rng(seeds)
    bounds = [student_interval(list(chance.normal(0.8, 0.02, seeds))) for _ in range(DRAWS)]
    missed = np.mean([not low <= 0.8 <= high for low, high in bounds])
    assert abs(missed - 0.05) <= 0.02


def test_an_excess_over_the_floor_is_found_of_nothing_in_one_of_twenty() -> None:
    chance = np.random.default_rng(2)
    found = [
        compare_with_floor(chance.gamma(4, size=60), chance.gamma(4, size=60)) for _ in range(DRAWS)
    ]
    missed = np.mean([not each.low <= 0 <= each.high for each in found])
    assert abs(missed - 0.05) <= 0.02

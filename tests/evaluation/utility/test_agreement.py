"""Agreement of reviewers: the numbers that scikit-learn and SciPy give for the same answers."""

import warnings
from random import Random

import pytest
from scipy.stats import spearmanr

from evaluation.utility.agreement import QUESTIONS, SCALE, ReviewerAnswer, measure_agreement

KAPPAS = (
    0.0851735015772872, 0.005439005439005329, 0.1868647380766224, 0.25806451612903225,
    0.4312796208530806, 0.5275590551181102,
)  # fmt: skip
"""By `cohen_kappa_score` of scikit-learn 1.9.1, for the answers of each seed."""


def ratings(seed: int, count: int = 40) -> tuple[list[int], list[int]]:
    """Two reviewers, of whom the second repeats the first about as often as the seed is high."""
    chance = Random(seed)
    one = [chance.randint(1, 5) for _ in range(count)]
    other = [
        min(5, max(1, score + chance.choice((-1, 0, 0, 0, 1, 2))))
        if chance.random() < (seed + 1) / 6
        else chance.randint(1, 5)
        for score in one
    ]
    return one, other


@pytest.mark.parametrize("seed", range(len(KAPPAS)))
def test_kappa_and_rho_are_those_of_scikit_learn_and_scipy(seed: int) -> None:
    one, other = ratings(seed)
    answers = [
        ReviewerAnswer(pair, name, dict.fromkeys(QUESTIONS, score))
        for name, scores in (("a", one), ("b", other))
        for pair, score in enumerate(scores)
    ]
    for found in measure_agreement(answers):
        assert found.kappa == pytest.approx(KAPPAS[seed], abs=1e-12)
        assert found.rho == pytest.approx(spearmanr(one, other).statistic, abs=1e-12)


def test_answers_by_chance_agree_as_chance_does() -> None:
    found = []
    for seed in range(200):
        chance = Random(seed)
        answers = [
            ReviewerAnswer(pair, name, {each: chance.choice(SCALE) for each in QUESTIONS})
            for pair in range(30)
            for name in "ab"
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found += [(each.kappa, each.rho) for each in measure_agreement(answers)]
    # 600 draws of pairs that share nothing: their mean is within four standard errors of none.
    for each in zip(*found, strict=True):
        assert abs(sum(each) / len(each)) < 4 * 0.19 / len(each) ** 0.5

"""Percentile intervals over patients: the same as others compute them, and as wide as they say."""

import numpy as np
import pytest
from scipy import stats

from evaluation.detection.intervals import ratio_intervals


def drawn(patients: int, seed: int, statistics: int = 1) -> np.ndarray:
    """Numerators and denominators of a ratio whose parts vary and depend on each other."""
    chance = np.random.default_rng(seed)
    below = chance.integers(1, 20, (patients, statistics))
    above = chance.binomial(below, chance.beta(8, 2, (patients, statistics)))
    return np.stack([above, below], axis=-1).astype(float)


def test_a_plain_loop_gives_the_same() -> None:
    parts = drawn(7, 1, 3)
    parts[0, 2] = 0
    chance = np.random.default_rng(5)
    ratios = []
    for _ in range(200):
        weights = chance.multinomial(7, [1 / 7] * 7)
        sums = [sum(w * part for w, part in zip(weights, parts, strict=True))]
        ratios.append(sums[0][:, 0] / sums[0][:, 1])
    expected = np.quantile(ratios, [0.05, 0.95], axis=0).T
    found = ratio_intervals(parts, resamples=200, confidence=0.9, seed=5)
    assert found == pytest.approx(expected)


def test_scipy_gives_the_same_but_for_chance() -> None:
    parts = drawn(40, 2)
    expected = stats.bootstrap(
        (parts[:, 0, 0], parts[:, 0, 1]),
        lambda above, below, axis: above.sum(axis) / below.sum(axis),
        paired=True, vectorized=True, n_resamples=20_000, method="percentile", rng=3,
    ).confidence_interval  # fmt: skip
    assert ratio_intervals(parts, resamples=20_000)[0] == pytest.approx(expected, abs=0.003)


def test_few_weights_at_a_time_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = drawn(30, 4, 2)
    whole = ratio_intervals(parts, resamples=100)
    monkeypatch.setattr("evaluation.detection.intervals._MOST_CELLS", 100)
    assert (ratio_intervals(parts, resamples=100) == whole).all()


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    truth, draws = 0.8, 500
    held = 0
    for seed in range(draws):
        low, high = ratio_intervals(drawn(60, seed), resamples=400)[0]
        held += low <= truth <= high
    # Two standard errors of 500 draws are 0.02; the percentile interval of 60 is a little narrow.
    assert 0.92 <= held / draws <= 0.97


def test_nothing_bounds_nothing() -> None:
    assert ratio_intervals(np.zeros((0, 2, 2))).tolist() == [[0, 1], [0, 1]]
    assert ratio_intervals(np.zeros((3, 1, 2))).tolist() == [[0, 1]]
    alone = np.array([[[1.0, 1.0]], [[0.0, 0.0]], [[0.0, 0.0]]])
    assert ratio_intervals(alone).tolist() == [[0, 1]]


@pytest.mark.parametrize(("ratio", "expected"), [(1.0, (0.3424, 1)), (0.0, (0, 0.6576))])
def test_two_perfect_patients_do_not_promise_perfection(
    ratio: float, expected: tuple[float, float]
) -> None:
    """By hand, Wilson for 2 of 2: 2 / (2 + 1.96 squared); others tell nothing of it."""
    found = np.array([[[5 * ratio, 5.0]]] * 2 + [[[0.0, 0.0]]] * 30)
    assert ratio_intervals(found)[0] == pytest.approx(expected, abs=1e-4)


def test_notes_of_a_patient_stay_together() -> None:
    """Ten notes of one patient tell as much as one: the interval must not shrink."""
    alone = np.array([[[1.0, 1.0]], [[0.0, 1.0]]] * 10)
    together = alone * 10
    assert ratio_intervals(together).tolist() == ratio_intervals(alone).tolist()
    spread = np.repeat(alone, 10, axis=0)
    (low, high), (wide_low, wide_high) = ratio_intervals(spread)[0], ratio_intervals(alone)[0]
    assert high - low < (wide_high - wide_low) / 2


def test_what_no_resample_drew_is_bounded_by_0_and_1() -> None:
    parts = np.zeros((400, 1, 2))
    parts[:2] = 1
    drew = [seed for seed in range(20) if ratio_intervals(parts, resamples=1, seed=seed)[0, 0] > 0]
    assert 0 < len(drew) < 20
    seed = min(set(range(20)) - set(drew))
    assert ratio_intervals(parts, resamples=1, seed=seed).tolist() == [[0.0, 1.0]]

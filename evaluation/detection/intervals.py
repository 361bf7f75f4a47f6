"""Confidence intervals: ratios of sums over patients, means over notes, means over seeds."""

from collections.abc import Sequence
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, bootstrap
from scipy.stats import t as student

CONFIDENCE = 0.95
RESAMPLES = 2000

_FEWEST = 2
_MOST_CELLS = 4_000_000  # weights held at a time: 32 MB


def ratio_intervals(
    parts: NDArray[np.float64],
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = 1,
) -> NDArray[np.float64]:
    """Bound ratios of sums over patients by resampling patients with replacement.

    `parts` is [patients, statistics, 2]: what each patient adds to numerator and denominator, so
    that all notes of a patient stay together. Returns [statistics, 2]: the lower and upper
    percentile (Efron and Tibshirani 1993, chapter 13). Resamples without a denominator are left
    out. A statistic for which fewer than two patients, or no resample, have a denominator is
    bounded by 0 and 1. Where every patient's ratio is 1, or 0, all resamples are equal: the far
    bound is then Wilson's for that many patients. The same seed gives the same bounds.
    """
    patients, statistics = parts.shape[:2]
    bounds = np.tile([0.0, 1.0], (statistics, 1))
    if not patients or not statistics:
        return bounds
    sums = _resample_sums(parts.reshape(patients, -1), resamples, seed).reshape(-1, statistics, 2)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    measured = np.count_nonzero(parts[:, :, 1], axis=0) >= _FEWEST
    for number in np.flatnonzero(measured):
        above, below = sums[:, number, 0], sums[:, number, 1]
        if not below.any():
            continue  # too few resamples: none drew a patient with a denominator
        bounds[number] = np.quantile(above[below > 0] / below[below > 0], tails)
        if bounds[number, 0] == bounds[number, 1] in (0.0, 1.0):
            patients = np.count_nonzero(parts[:, number, 1])
            perfect = patients if bounds[number, 0] else 0
            wilson = binomtest(perfect, patients).proportion_ci(confidence, method="wilson")
            bounds[number] = wilson.low, wilson.high
    return bounds


def student_interval(values: Sequence[float]) -> tuple[float, float]:
    """Bound a mean over seeds by Student's t; raises ValueError for fewer than two."""
    if len(values) < _FEWEST:
        raise ValueError("there must be at least two seeds")
    middle, error = fmean(values), stdev(values) / len(values) ** 0.5
    if error == 0:
        return middle, middle
    low, high = student.interval(CONFIDENCE, len(values) - 1, loc=middle, scale=error)
    return float(low), float(high)


def percentile_interval(scores: Sequence[float]) -> tuple[float, float]:
    """Bound a mean over notes by the percentile bootstrap, deterministically."""
    middle = fmean(scores)
    if len(scores) < _FEWEST or max(scores) == min(scores):
        return middle, middle
    found = bootstrap(
        (scores,), np.mean, n_resamples=RESAMPLES, confidence_level=CONFIDENCE,
        method="percentile", batch=100, rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    # Scores that differ by rounding only must not have bounds that exclude their mean.
    return min(float(found.low), middle), max(float(found.high), middle)


def mean_interval(
    scores: Sequence[float], patients: Sequence[str] | None = None, *, seed: int = 1
) -> tuple[float, float]:
    """Bound a mean over notes by the percentile bootstrap over patients, deterministically.

    All notes of a patient stay together; without `patients` each note is one's own.
    """
    middle = fmean(scores)
    if len(scores) < _FEWEST or max(scores) == min(scores):
        return middle, middle
    owners = range(len(scores)) if patients is None else patients
    sums: dict[object, list[float]] = {}
    for owner, score in zip(owners, scores, strict=True):
        held = sums.setdefault(owner, [0.0, 0.0])
        held[0] += score
        held[1] += 1
    if len(sums) < _FEWEST:
        return min(scores), max(scores)
    found = _resample_sums(np.array(list(sums.values())), RESAMPLES, seed)
    low, high = np.quantile(found[:, 0] / found[:, 1], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    # Scores that differ by rounding only must not have bounds that exclude their mean.
    return min(float(low), middle), max(float(high), middle)


def _resample_sums(values: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    """Return the sums of each resample: [resamples, columns]."""
    chance = np.random.default_rng(seed)
    patients = len(values)
    # The sums depend only on how often each patient is drawn.
    evenly = np.full(patients, 1 / patients)
    step = max(1, _MOST_CELLS // patients)
    sums = []
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        sums.append(chance.multinomial(patients, evenly, size=rows) @ values)
    return np.concatenate(sums)

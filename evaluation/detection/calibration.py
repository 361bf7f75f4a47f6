"""Calibration of a tagger's threshold so that the expected share of missed identifiers is bounded.

Conformal risk control (Angelopoulos, Bates, Fisch, Lei and Schuster, ICLR 2024, arXiv:2208.02814).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.detection.alignment import Coverage, Pair, merge_touching_spans, tokenize
from record.errors import ConfigError
from record.span import Span

THRESHOLDS = np.arange(1, 1000) / 1000
"""Fine enough for any tagger, and independent of the data, as the guarantee requires."""

MODEL = "model"
"""How the detectors that are taggers are called, or what their names begin with."""


@dataclass(frozen=True)
class CalibratedThreshold:
    """A threshold and its guarantee.

    The guarantee is an average over calibration sets and over the next document, if it is drawn
    from the same distribution: the expected loss of a document at `threshold` is at most `alpha`.
    It does not hold for each single document, another hospital or another year. `risk` is the mean
    loss of the calibration documents, `bound` is `(documents * risk + 1) / (documents + 1)`.
    """

    threshold: float
    alpha: float
    risk: float
    bound: float
    documents: int


def calibrate_pairs(pairs: Iterable[Pair], alpha: float) -> CalibratedThreshold:
    """Choose the threshold below which spans of a model may be dropped.

    The predictions must include every span the model finds at the lowest threshold, with its score;
    spans of other detectors are kept whatever their score. Documents without identifiers have no
    loss at any threshold, but count. Raises ConfigError like `calibrate`.
    """
    scores = [token_scores(pair) for pair in pairs]
    return calibrate(miss_curves(scores, THRESHOLDS), THRESHOLDS, alpha)


def token_scores(pair: Pair) -> NDArray[np.float64]:
    """Return for each gold token the highest threshold at which it is redacted; 0 for none."""
    gold = Coverage(merge_touching_spans(pair.gold))
    by_score: dict[float, list[Span]] = {}
    for span in pair.predicted:
        score = span.score if span.detector.startswith(MODEL) else 1.0
        by_score.setdefault(score, []).append(span)
    parts = [found for token in tokenize(pair.text) if (found := gold.parts(*token))]
    scores = np.zeros(len(parts))
    kept: list[Span] = []
    for score in sorted(by_score, reverse=True):
        kept += by_score[score]
        cover = Coverage(merge_touching_spans(kept))
        for number, part in enumerate(parts):
            if not scores[number] and all(cover.holds(*each) for each in part):
                scores[number] = score
    return scores


def documents_needed(alpha: float) -> int:
    """Return the least number of documents that can prove a threshold.

    A perfect threshold on n documents still has the bound 1 / (n + 1). Raises ConfigError.
    """
    if not 0 < alpha < 1:
        raise ConfigError(
            "calibration",
            f"the share of misses must be between 0 and 1, not {alpha:g}",
            "choose such a share",
        )
    # 1 / 0.05 - 1 is a little over or under 19 in floating point.
    return max(1, math.ceil(round(1 / alpha - 1, 9)))


def miss_curves(
    documents: Iterable[NDArray[np.float64]], thresholds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the share of each document's identifier tokens missed at each threshold.

    Each document is the scores of its identifier tokens, in [0, 1]: the probability that the tagger
    gives to a token being any identifier. A token is found where its score is at least the
    threshold; tokens found by rules have score 1. The result is [documents, thresholds] and never
    decreases along a row; documents without identifiers have no loss. Raises ValueError unless
    thresholds increase.
    """
    if np.any(np.diff(thresholds) <= 0):
        raise ValueError("thresholds must increase")
    rows = [
        np.searchsorted(np.sort(scores), thresholds, side="left") / max(len(scores), 1)
        for scores in documents
    ]
    return np.array(rows, dtype=float).reshape(len(rows), len(thresholds))


def calibrate(
    losses: NDArray[np.float64], thresholds: NDArray[np.float64], alpha: float
) -> CalibratedThreshold:
    """Choose the highest threshold whose expected loss on the next document is at most `alpha`.

    `losses` is [documents, thresholds], each in [0, 1]; along a row they never decrease with the
    threshold. With n documents and mean loss R the choice is the highest threshold up to which
    `n / (n + 1) * R + 1 / (n + 1) <= alpha`.

    Raises ConfigError for too few documents, with the number needed, and where even the lowest
    threshold misses too much; ValueError for invalid losses.
    """
    documents = _check_losses(losses, thresholds)
    needed = documents_needed(alpha)
    if documents < needed:
        problem = f"{documents} documents are too few to prove a threshold for {alpha:g}"
        remedy = f"annotate at least {needed} documents, or accept a higher share of misses"
        raise ConfigError("calibration", problem, remedy)
    risks = losses.mean(axis=0)
    bounds = (documents * risks + 1) / (documents + 1)
    # The bound of a perfect curve equals alpha for the very number of documents needed.
    sound = bounds <= alpha + 1e-12
    if not sound[0]:
        problem = (
            f"share of misses at the lowest threshold is {risks[0]:.4f} (bound {bounds[0]:.4f})"
        )
        remedy = f"accept more than {alpha:g}, annotate more documents, or train a better model"
        raise ConfigError("calibration", problem, remedy)
    best = int(np.flatnonzero(sound)[-1])
    return CalibratedThreshold(
        float(thresholds[best]), alpha, float(risks[best]), float(bounds[best]), documents
    )


def _check_losses(losses: NDArray[np.float64], thresholds: NDArray[np.float64]) -> int:
    if losses.ndim != 2 or losses.shape[1] != len(thresholds) or not len(thresholds):
        raise ValueError("losses must be of shape [documents, thresholds]")
    if np.any(np.diff(thresholds) <= 0):
        raise ValueError("thresholds must increase")
    if not np.all((losses >= 0) & (losses <= 1)):
        raise ValueError("losses must be between 0 and 1")
    if np.any(np.diff(losses, axis=1) < 0):
        raise ValueError("losses must not decrease with the threshold")
    return len(losses)

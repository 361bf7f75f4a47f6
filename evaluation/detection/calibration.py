"""A threshold for a tagger whose expected share of missed identifiers per document is bounded.

Conformal risk control (Angelopoulos, Bates, Fisch, Lei and Schuster, ICLR 2024, arXiv:2208.02814).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.detection.alignment import Cover, Pair, tokenize, union
from record.errors import ConfigError
from record.span import Span

THRESHOLDS = np.arange(1, 1000) / 1000
"""Fine enough for any tagger, and the same for all data, as the promise wants it."""

_MODEL = "model"


@dataclass(frozen=True)
class Calibrated:
    """A threshold, and what is promised of it.

    The promise is on average over calibration sets and over the next document, if that document
    is drawn like those: the expected loss of a document at `threshold` is at most `alpha`. It is
    no promise for each document, for another hospital or for another year. `risk` is the mean loss
    of the calibration documents there, `bound` what the promise rests on:
    `(documents * risk + 1) / (documents + 1)`.
    """

    threshold: float
    alpha: float
    risk: float
    bound: float
    documents: int


def calibrate_pairs(pairs: Iterable[Pair], alpha: float) -> Calibrated:
    """Choose the threshold below which spans of a model may be left out.

    The predictions must hold all that the model found down to the lowest threshold, each span
    with its score; spans of other detectors stay whatever their score. Documents without
    identifiers lose nothing at any threshold, but count. Raises ConfigError as `calibrate`.
    """
    scores = [token_scores(pair) for pair in pairs]
    return calibrate(miss_curves(scores, THRESHOLDS), THRESHOLDS, alpha)


def token_scores(pair: Pair) -> NDArray[np.float64]:
    """Return for each gold token the highest threshold at which it is still redacted;
    0 for none.
    """
    gold = Cover(union(pair.gold))
    by_score: dict[float, list[Span]] = {}
    for span in pair.predicted:
        score = span.score if span.detector.startswith(_MODEL) else 1.0
        by_score.setdefault(score, []).append(span)
    parts = [found for token in tokenize(pair.text) if (found := gold.parts(*token))]
    scores = np.zeros(len(parts))
    kept: list[Span] = []
    for score in sorted(by_score, reverse=True):
        kept += by_score[score]
        cover = Cover(union(kept))
        for number, part in enumerate(parts):
            if not scores[number] and all(cover.holds(*each) for each in part):
                scores[number] = score
    return scores


def documents_needed(alpha: float) -> int:
    """Return how many documents there must be for any threshold to be proved good.

    A perfect threshold on n documents still has the bound 1 / (n + 1).
    """
    if not 0 < alpha < 1:
        raise ConfigError("calibration", f"{alpha:g} is no share", "choose one between 0 and 1")
    # 1 / 0.05 - 1 is a little over or under 19 in floating point.
    return max(1, math.ceil(round(1 / alpha - 1, 9)))


def miss_curves(
    documents: Iterable[NDArray[np.float64]], thresholds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the share of each document's identifier tokens that is missed at each threshold.

    Each document is the scores of its identifier tokens, in [0, 1]: the probability the tagger
    gives to a token being any identifier. A token is found where its score is at least the
    threshold; what rules find anyway has the score 1. `thresholds` rise. Gives
    [documents, thresholds], which never falls along a row; a document without identifiers loses
    nothing. Raises ValueError where thresholds do not rise.
    """
    if np.any(np.diff(thresholds) <= 0):
        raise ValueError("thresholds do not rise")
    rows = [
        np.searchsorted(np.sort(scores), thresholds, side="left") / max(len(scores), 1)
        for scores in documents
    ]
    return np.array(rows, dtype=float).reshape(len(rows), len(thresholds))


def calibrate(
    losses: NDArray[np.float64], thresholds: NDArray[np.float64], alpha: float
) -> Calibrated:
    """Choose the highest threshold whose expected loss on the next document is at most `alpha`.

    `losses` is [documents, thresholds], each in [0, 1]; along a row they never fall as thresholds
    rise, so that a lower threshold is never less safe. With n documents and mean loss R the choice
    is the highest threshold up to which `n / (n + 1) * R + 1 / (n + 1) <= alpha`.

    Raises ConfigError where there are too few documents for `alpha`, with the number needed, and
    where even the lowest threshold misses too much; ValueError where losses are no such curves.
    """
    documents = _checked(losses, thresholds)
    needed = documents_needed(alpha)
    if documents < needed:
        problem = f"{documents} documents can prove no threshold for {alpha:g}"
        remedy = f"annotate {needed} documents at least, or accept a higher share of misses"
        raise ConfigError("calibration", problem, remedy)
    risks = losses.mean(axis=0)
    bounds = (documents * risks + 1) / (documents + 1)
    # The bound of a perfect curve equals alpha for the very number of documents needed.
    sound = bounds <= alpha + 1e-12
    if not sound[0]:
        problem = (
            f"misses are {risks[0]:.4f} at the lowest threshold, with the bound {bounds[0]:.4f}"
        )
        remedy = f"accept more than {alpha:g}, annotate more documents, or train a better model"
        raise ConfigError("calibration", problem, remedy)
    best = int(np.flatnonzero(sound)[-1])
    return Calibrated(
        float(thresholds[best]), alpha, float(risks[best]), float(bounds[best]), documents
    )


def _checked(losses: NDArray[np.float64], thresholds: NDArray[np.float64]) -> int:
    if losses.ndim != 2 or losses.shape[1] != len(thresholds) or not len(thresholds):
        raise ValueError("losses are not one row for each document, one column for each threshold")
    if np.any(np.diff(thresholds) <= 0):
        raise ValueError("thresholds do not rise")
    if not np.all((losses >= 0) & (losses <= 1)):
        raise ValueError("losses outside [0, 1]")
    if np.any(np.diff(losses, axis=1) < 0):
        raise ValueError("losses fall as thresholds rise")
    return len(losses)

"""How much a language model remembers of single notes, beside what training noise alone gives.

S-PDTP is the measure of Melamud and Shivade (2019): the largest change of a token's log
probability when one note is taken out of training. About two thirds of it is there when nothing
was taken out, so it is given beside its floors. The half-split estimator is the counterfactual
memorization of Zhang et al. (2021), which scores every note for a handful of trainings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import bootstrap, rankdata

from evaluation.detection.intervals import CONFIDENCE, RESAMPLES

Floats = NDArray[np.float64]

_BATCH = 250  # resamples ranked at a time


@dataclass(frozen=True, slots=True)
class Influence:
    """What taking a note out of training did to the note's own tokens, in natural logarithms.

    `largest` is the S-PDTP of the note, `signed` the change at that place (positive where the
    model that saw the note finds it likelier), `mean` the mean change over all its tokens.
    """

    largest: float
    signed: float
    mean: float


def influence(seen: ArrayLike, unseen: ArrayLike) -> Influence:
    """Compare the log probabilities of a note's tokens under two models: with and without it.

    Both run along the same tokens, at least one. Raises ValueError where they do not, or where
    one is not finite.
    """
    with_it, without = np.asarray(seen, np.float64), np.asarray(unseen, np.float64)
    if with_it.shape != without.shape or with_it.ndim != 1 or not with_it.size:
        raise ValueError("the two models were not asked about the same tokens")
    change = with_it - without
    if not np.isfinite(change).all():
        raise ValueError("a log probability is not finite")
    place = int(np.abs(change).argmax())
    signed = float(change[place])
    return Influence(abs(signed), signed, float(change.mean()))


@dataclass(frozen=True, slots=True)
class Excess:
    """A corpus score beside its floor, with what the difference is worth.

    `score` and `floor` are means over notes; `low` and `high` bound their difference by the paired
    percentile bootstrap over notes.
    """

    score: float
    floor: float
    low: float
    high: float


def excess(scores: ArrayLike, floors: ArrayLike, *, seed: int = 1) -> Excess:
    """Compare the scores of notes with those that reseeding alone gives the same notes.

    At least two notes: one tells nothing about others (ValueError).
    """
    one, other = np.asarray(scores, np.float64), np.asarray(floors, np.float64)
    if one.shape != other.shape or one.ndim != 1 or len(one) < 2:
        raise ValueError("scores and floors are not of the same notes, at least two")
    difference = one - other
    if np.ptp(difference) == 0:
        low = high = float(difference[0])
    else:
        found = bootstrap(
            (difference,), np.mean, n_resamples=RESAMPLES, confidence_level=CONFIDENCE,
            method="percentile", rng=np.random.default_rng(seed),
        ).confidence_interval  # fmt: skip
        low, high = float(found.low), float(found.high)
    return Excess(float(one.mean()), float(other.mean()), low, high)


def half_splits(notes: int, models: int, *, seed: int = 1) -> NDArray[np.bool_]:
    """Draw which notes each model is trained on: [models, notes], each note in half of them.

    `models` is even, so that every note is in as many models as it is not (ValueError).
    """
    if models < 2 or models % 2:
        raise ValueError("an even number of models is needed")
    chance = np.random.default_rng(seed)
    order = np.argsort(chance.random((models, notes)), axis=0)
    halves: NDArray[np.bool_] = order < models // 2
    return halves


def counterfactual(log_probabilities: ArrayLike, members: ArrayLike) -> Floats:
    """Score every note by the models that saw it against those that did not: [notes].

    `log_probabilities` are the means per token of each note under each model, `members` whether
    the model saw the note, both [models, notes]. A note that all models saw, or none, has no score
    (NaN).
    """
    told = np.asarray(log_probabilities, np.float64)
    seen = np.asarray(members, np.bool_)
    if told.shape != seen.shape or told.ndim != 2:
        raise ValueError("one log probability and one membership for each model and note")
    with np.errstate(invalid="ignore"):
        inside = np.where(seen, told, 0).sum(0) / seen.sum(0)
        outside = np.where(seen, 0, told).sum(0) / (~seen).sum(0)
    scores: Floats = inside - outside
    return scores


@dataclass(frozen=True, slots=True)
class Attack:
    """How well a score tells members from others: the area under the curve, bounded."""

    auc: float
    low: float
    high: float


def attack(members: Sequence[float], others: Sequence[float], *, seed: int = 1) -> Attack:
    """Return the chance that a member scores above another note: 0.5 where nothing is told.

    That is the Mann-Whitney statistic over the number of pairs; ties count half. The bounds are
    those of the percentile bootstrap over members and over others; where the two do not overlap at
    all, no resample can differ, and the far bound is that of the rule of three. At least two of
    each (ValueError).
    """
    one, other = np.asarray(members, np.float64), np.asarray(others, np.float64)
    if min(len(one), len(other)) < 2:
        raise ValueError("at least two members and two others are needed")
    value = float(_auc(one, other))
    if value in (0.0, 1.0):
        slack = min(1.0, 3 / min(len(one), len(other)))
        low, high = (0.0, slack) if value == 0.0 else (1 - slack, 1.0)
        return Attack(value, low, high)
    found = bootstrap(
        (one, other), _auc, n_resamples=RESAMPLES, confidence_level=CONFIDENCE, vectorized=True,
        method="percentile", batch=_BATCH, rng=np.random.default_rng(seed),
    ).confidence_interval  # fmt: skip
    return Attack(value, float(found.low), float(found.high))


def _auc(one: Floats, other: Floats, axis: int = -1) -> Floats:
    """Count pairs in order along an axis, by ranks: the two are the last axis of one sample."""
    both = np.concatenate((one, other), axis=axis)
    ranks = rankdata(both, axis=axis)
    count, rest = one.shape[axis], other.shape[axis]
    above: Floats = ranks.take(range(count), axis=axis).sum(axis=axis) - count * (count + 1) / 2
    area: Floats = above / (count * rest)
    return area

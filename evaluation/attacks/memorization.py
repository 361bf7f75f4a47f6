"""Memorization of single notes by a language model, compared with the noise of training.

S-PDTP is the measure of Melamud and Shivade (2019): the largest change of a token's log
probability when one note is removed from training. About two thirds of it appear even without
removing anything, so it is reported with its floor. The half-split estimator is the
counterfactual memorization of Zhang et al. (2021), which scores all notes with few trainings.
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
    """The effect of removing a note from training on the note's own tokens, in nats.

    `largest` is the S-PDTP of the note, `signed` the change at that token (positive where the model
    that saw the note finds it likelier), `mean` the mean change over all its tokens.
    """

    largest: float
    signed: float
    mean: float


def measure_influence(seen: ArrayLike, unseen: ArrayLike) -> Influence:
    """Compare the log probabilities of a note's tokens under models with and without it.

    Raises ValueError unless both cover the same tokens, at least one, with finite values.
    """
    with_it, without = np.asarray(seen, np.float64), np.asarray(unseen, np.float64)
    if with_it.shape != without.shape or with_it.ndim != 1 or not with_it.size:
        raise ValueError("both models must score the same tokens, at least one")
    change = with_it - without
    if not np.isfinite(change).all():
        raise ValueError("log probabilities must be finite")
    place = int(np.abs(change).argmax())
    signed = float(change[place])
    return Influence(abs(signed), signed, float(change.mean()))


@dataclass(frozen=True, slots=True)
class Excess:
    """A corpus score compared with its floor.

    `score` and `floor` are means over notes; `low` and `high` bound their difference by the paired
    percentile bootstrap over notes.
    """

    score: float
    floor: float
    low: float
    high: float


def compare_with_floor(scores: ArrayLike, floors: ArrayLike, *, seed: int = 1) -> Excess:
    """Compare scores of notes with those that reseeding alone gives the same notes.

    Raises ValueError for fewer than two notes.
    """
    one, other = np.asarray(scores, np.float64), np.asarray(floors, np.float64)
    if one.shape != other.shape or one.ndim != 1 or len(one) < 2:
        raise ValueError("scores and floors must be of the same notes, at least two")
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


def draw_half_splits(notes: int, models: int, *, seed: int = 1) -> NDArray[np.bool_]:
    """Draw which notes each model is trained on: [models, notes], each note in half of them.

    Raises ValueError unless `models` is even.
    """
    if models < 2 or models % 2:
        raise ValueError("the number of models must be even")
    chance = np.random.default_rng(seed)
    order = np.argsort(chance.random((models, notes)), axis=0)
    halves: NDArray[np.bool_] = order < models // 2
    return halves


def counterfactual_scores(log_probabilities: ArrayLike, members: ArrayLike) -> Floats:
    """Return for each note the difference between models with and without it: [notes].

    `log_probabilities` are the means per token of each note under each model, `members` whether the
    model saw the note, both [models, notes]. A note seen by all models, or by none, has no score
    (NaN).
    """
    log_probs = np.asarray(log_probabilities, np.float64)
    seen = np.asarray(members, np.bool_)
    if log_probs.shape != seen.shape or log_probs.ndim != 2:
        raise ValueError("log probabilities and members must be of shape [models, notes]")
    with np.errstate(invalid="ignore"):
        inside = np.where(seen, log_probs, 0).sum(0) / seen.sum(0)
        outside = np.where(seen, 0, log_probs).sum(0) / (~seen).sum(0)
    scores: Floats = inside - outside
    return scores


@dataclass(frozen=True, slots=True)
class MembershipSeparation:
    """How well a score separates members from others: the area under the curve, with bounds."""

    auc: float
    low: float
    high: float


def separate_members(
    members: Sequence[float], others: Sequence[float], *, seed: int = 1
) -> MembershipSeparation:
    """Return the probability that a member scores above another note; 0.5 is chance.

    That is the Mann-Whitney statistic over the number of pairs; ties count half. The bounds are
    those of the percentile bootstrap over members and over others. If the two do not overlap, all
    resamples are equal and the far bound follows the rule of three. Raises ValueError for fewer
    than two of each.
    """
    one, other = np.asarray(members, np.float64), np.asarray(others, np.float64)
    if min(len(one), len(other)) < 2:
        raise ValueError("there must be at least two members and two others")
    value = float(_mann_whitney_auc(one, other))
    if value in (0.0, 1.0):
        slack = min(1.0, 3 / min(len(one), len(other)))
        low, high = (0.0, slack) if value == 0.0 else (1 - slack, 1.0)
        return MembershipSeparation(value, low, high)
    found = bootstrap(
        (one, other), _mann_whitney_auc, n_resamples=RESAMPLES, confidence_level=CONFIDENCE,
        vectorized=True, method="percentile", batch=_BATCH, rng=np.random.default_rng(seed),
    ).confidence_interval  # fmt: skip
    return MembershipSeparation(value, float(found.low), float(found.high))


def _mann_whitney_auc(one: Floats, other: Floats, axis: int = -1) -> Floats:
    """Return the area under the curve along an axis, by ranks."""
    both = np.concatenate((one, other), axis=axis)
    ranks = rankdata(both, axis=axis)
    count, rest = one.shape[axis], other.shape[axis]
    above: Floats = ranks.take(range(count), axis=axis).sum(axis=axis) - count * (count + 1) / 2
    area: Floats = above / (count * rest)
    return area

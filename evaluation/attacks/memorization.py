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
from scipy.stats import norm

from evaluation.detection.intervals import CONFIDENCE, RESAMPLES, mean_interval

Floats = NDArray[np.float64]

POWER = 0.8
"""How often a test should see what it is made to see."""

_PRECISION = 1e-4


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
    percentile bootstrap over patients.
    """

    score: float
    floor: float
    low: float
    high: float


def compare_with_floor(
    scores: ArrayLike, floors: ArrayLike, *, patients: Sequence[str] | None = None, seed: int = 1
) -> Excess:
    """Compare scores of notes with those that reseeding alone gives the same notes.

    All notes of a patient stay together; without `patients` each is one's own. Raises ValueError
    for fewer than two notes.
    """
    one, other = np.asarray(scores, np.float64), np.asarray(floors, np.float64)
    if one.shape != other.shape or one.ndim != 1 or len(one) < 2:
        raise ValueError("scores and floors must be of the same notes, at least two")
    low, high = mean_interval((one - other).tolist(), patients, seed=seed)
    return Excess(float(one.mean()), float(other.mean()), low, high)


def draw_half_splits(
    notes: int, models: int, *, patients: Sequence[str] | None = None, seed: int = 1
) -> NDArray[np.bool_]:
    """Draw which notes each model is trained on: [models, notes], each note in half of them.

    All notes of a patient are in the same models; without `patients` each is one's own. Raises
    ValueError unless `models` is even.
    """
    if models < 2 or models % 2:
        raise ValueError("the number of models must be even")
    chance = np.random.default_rng(seed)
    whose = np.arange(notes)
    if patients is not None:
        numbers = {name: number for number, name in enumerate(dict.fromkeys(patients))}
        whose = np.array([numbers[name] for name in patients], dtype=np.int64)
    order = np.argsort(chance.random((models, whose.max(initial=-1) + 1)), axis=0)
    halves: NDArray[np.bool_] = (order < models // 2)[:, whose]
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
    """How well a score separates members from others: the area under the curve, with bounds.

    `detectable` is the power of the test: the smallest area that so many patients would have told
    from chance four times of five.
    """

    auc: float
    low: float
    high: float
    detectable: float


def separate_members(
    members: Sequence[float],
    others: Sequence[float],
    *,
    patients: tuple[Sequence[str], Sequence[str]] | None = None,
    seed: int = 1,
) -> MembershipSeparation:
    """Return the probability that a member scores above another note; 0.5 is chance.

    That is the Mann-Whitney statistic over the number of pairs; ties count half. The bounds are
    those of the percentile bootstrap over the patients of members and over those of others, all of
    whose notes stay together; without `patients` each note is one's own. If the two do not overlap,
    all resamples are equal and the far bound follows the rule of three. Of fewer than two patients
    nothing is known. Raises ValueError for fewer than two notes of each.
    """
    one, other = np.asarray(members, np.float64), np.asarray(others, np.float64)
    if min(len(one), len(other)) < 2:
        raise ValueError("there must be at least two members and two others")
    named = patients or (tuple(map(str, range(len(one)))), tuple(map(str, range(len(other)))))
    wins = (one[:, None] > other) + 0.5 * (one[:, None] == other)
    rows, columns = (_holdings(names) for names in named)
    value = float(wins.mean())
    counts = len(rows), len(columns)
    detectable = smallest_detectable_auc(*counts)
    if min(counts) < 2:
        return MembershipSeparation(value, 0.0, 1.0, detectable)
    if value in (0.0, 1.0):
        slack = min(1.0, 3 / min(counts))
        low, high = (0.0, slack) if value == 0.0 else (1 - slack, 1.0)
        return MembershipSeparation(value, low, high, detectable)
    # An area is a ratio of sums over pairs of patients.
    sums = rows @ wins @ columns.T
    pairs = np.outer(rows.sum(1), columns.sum(1))
    chance = np.random.default_rng(seed)
    drawn, others_drawn = (
        chance.multinomial(count, np.full(count, 1 / count), size=RESAMPLES) for count in counts
    )
    areas = np.einsum("ri,ri->r", drawn @ sums, others_drawn)
    areas /= np.einsum("ri,ri->r", drawn @ pairs, others_drawn)
    low, high = np.quantile(areas, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return MembershipSeparation(value, float(low), float(high), detectable)


def _holdings(names: Sequence[str]) -> Floats:
    """Return which notes are whose: [patients, notes]"""
    _, whose = np.unique(np.asarray(names, dtype=object).astype(str), return_inverse=True)
    found: Floats = (whose == np.arange(whose.max() + 1)[:, None]).astype(np.float64)
    return found


def smallest_detectable_auc(members: int, others: int, power: float = POWER) -> float:
    """Return the smallest area that a test of so many would tell from chance so often; at most 1.

    By the normal approximation, with the standard error of Hanley and McNeil (Radiology, 1982).
    """
    if min(members, others) < 2:
        return 1.0

    def error(area: float) -> float:
        first, second = area / (2 - area), 2 * area**2 / (1 + area)
        spread = area * (1 - area) + (members - 1) * (first - area**2)
        return float(((spread + (others - 1) * (second - area**2)) / (members * others)) ** 0.5)

    least = norm.ppf((1 + CONFIDENCE) / 2) * error(0.5)
    low, high = 0.5, 1.0
    while high - low > _PRECISION:
        middle = (low + high) / 2
        is_seen = middle - 0.5 - least >= norm.ppf(power) * error(middle)
        low, high = (low, middle) if is_seen else (middle, high)
    return high

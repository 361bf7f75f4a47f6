"""Statistical test for drift: the entity counts of a night against those of earlier nights.

Counts y of a night with exposure E (notes, or whatever the count is a share of) are taken for
gamma-Poisson: y | m ~ Poisson(m), where m varies between nights around its expectation with a
squared coefficient of variation phi. The expectation is E times a level times a factor of the
weekday. With phi = 0 and level and factors estimated by conjugate gammas, the tail probability of
the predictive negative binomial is that of the exact conditional test of two Poisson rates
(Przyborowski and Wilenski 1940, Biometrika 31); with phi > 0 it is the predictive of the methods
of outbreak detection (Farrington et al. 1996, J R Stat Soc A 159; Noufaily et al. 2013, Stat Med
32). It departs from them in what an exact bound on false alarms needs: the uncertainty of level,
weekday and phi widens the predictive instead of being left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from record.count_drift import WEEKDAYS, CountSeries, DriftVerdict

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MIN_NIGHTS = 5
"""Minimum number of earlier nights to judge a track."""

_PRIOR_NIGHTS = 8.0  # weight of the family's phi, in nights
_MIN_PHI = 0.05**2  # nights of a hospital vary by at least 5 %
_WEEKDAY_PRIOR = 0.5**2  # prior variance of weekday factors around 1
_MIN_FACTOR = 0.02
_CONFIDENCE = 0.975  # phi is replaced by this upper confidence limit
_MAX_WEIGHT = 3.0  # maximum weight of a night, in median nights
_MIN_DIFFERENCE = 10.0
_TINY = 1e-12
_ONES = np.ones(WEEKDAYS)


@dataclass(frozen=True)
class FittedTracks:
    """Parameters of S tracks fitted to past nights: arrays of shape (S,), or (S, 8) by weekday.

    `level` is the count per exposure, in clusters; `relative` its squared relative error; `freedom`
    the degrees of freedom of `phi`.
    """

    level: Floats
    factors: Floats
    factor_errors: Floats
    relative: Floats
    phi: Floats
    freedom: Floats
    nights: Ints


def judge(tracks: Sequence[CountSeries], allowance: float) -> list[DriftVerdict]:
    """Judge the last night of each track; see `record.count_drift.Judge`.

    The allowance is divided equally among the families that can be judged, and within each among
    its tracks (Bonferroni): no assumption is made on how tracks are correlated.
    """
    ready = [track for track in tracks if _has_exposure(track)]
    if not any(_count_past_nights(track) >= MIN_NIGHTS for track in ready):
        return []
    verdicts: list[DriftVerdict] = []
    for some in _check_equal_lengths(ready):
        counts = np.array([np.asarray(track.counts) for track in some])
        exposures = np.array([np.asarray(track.exposures) for track in some])
        shape = (len(some), -1, WEEKDAYS)
        _, family = np.unique([track.family for track in some], return_inverse=True)
        verdicts += _judge_arrays(
            some, counts.reshape(shape), exposures.reshape(shape), family, allowance
        )
    return verdicts


def _check_equal_lengths(tracks: Sequence[CountSeries]) -> list[Sequence[CountSeries]]:
    if len({len(track.counts) for track in tracks}) > 1:
        raise ValueError("all tracks must cover the same nights")
    return [tracks] if tracks else []


def _has_exposure(track: CountSeries) -> bool:
    return any(track.exposures[-WEEKDAYS:]) and any(track.exposures[:-WEEKDAYS])


def _count_past_nights(track: CountSeries) -> int:
    past = track.exposures[:-WEEKDAYS]
    return sum(any(past[night : night + WEEKDAYS]) for night in range(0, len(past), WEEKDAYS))


def _judge_arrays(
    tracks: Sequence[CountSeries],
    counts: Floats,
    exposures: Floats,
    family: Ints,
    allowance: float,
) -> list[DriftVerdict]:
    cluster = np.array([track.cluster for track in tracks])
    least = np.array([track.least for track in tracks])
    found = compare_last_night(counts, exposures, cluster, family, least, allowance)
    low, high = compute_limits(found.mean, found.spread, found.level)
    observed = counts[:, -1].sum(axis=1)
    return [
        DriftVerdict(
            name=track.name,
            observed=float(observed[k]),
            expected=float(found.mean[k] * cluster[k]),
            low=float(low[k] * cluster[k]),
            high=float(high[k] * cluster[k]),
            p_value=float(found.p_value[k]),
            nights=int(found.nights[k]),
            is_alarm=bool(found.is_alarm[k]),
        )
        for k, track in enumerate(tracks)
        if found.nights[k] >= MIN_NIGHTS
    ]


@dataclass(frozen=True)
class DriftFinding:
    """Result of a test of S tracks: arrays of shape (S,).

    `mean` is in clusters, `spread` a squared coefficient of variation, `level` the track's share
    of the allowance.
    """

    mean: Floats
    spread: Floats
    level: Floats
    p_value: Floats
    nights: Ints
    is_alarm: NDArray[np.bool_]


def compare_last_night(
    counts: Floats,
    exposures: Floats,
    cluster: Floats,
    family: Ints,
    least: Floats,
    allowance: float,
) -> DriftFinding:
    """Compare the last of N nights with the others: counts and exposures of shape (S, N, 8).

    `family` numbers the families from 0. The others have shape (S,).
    """
    past = fit_tracks(counts[:, :-1], exposures[:, :-1], cluster, family)
    mean, spread = predict_counts(past, exposures[:, -1])
    observed = counts[:, -1].sum(axis=1)
    p_value = compute_p_values(observed / cluster, mean, spread)
    is_judged = (past.nights >= MIN_NIGHTS) & (exposures[:, -1].sum(axis=1) > 0)
    level = divide_allowance(family, is_judged) * allowance
    is_alarm = is_judged & (p_value <= level) & _is_relevant(observed, mean * cluster, least)
    return DriftFinding(mean, spread, level, p_value, np.where(is_judged, past.nights, 0), is_alarm)


def fit_tracks(counts: Floats, exposures: Floats, cluster: Floats, family: Ints) -> FittedTracks:
    """Estimate level, weekday factors and variation of S tracks from N nights: (S, N, 8) each.

    The level has Jeffreys' prior, a weekday's factor is shrunk towards 1 as far as its nights are
    few or its counts small, and phi (by weighted moments) towards that of the track's family.
    """
    # Products instead of sums: NumPy is slow to sum over a short last axis.
    sizes = exposures @ _ONES
    weights = _weigh_nights(sizes)
    by_night = (counts @ _ONES) * weights / cluster[:, None]
    seen = sizes > 0
    nights = seen.sum(axis=1)
    total = by_night.sum(axis=1) + 0.5
    level = total / np.maximum((sizes * weights).sum(axis=1), _TINY)
    by_day = np.einsum("snw,sn->sw", counts, weights) / cluster[:, None]
    shown = np.einsum("snw,sn->sw", exposures, weights)
    flat = level[:, None] * shown
    # Effective number of nights per weekday.
    squares = np.einsum("snw,sn->sw", exposures**2, weights**2)
    days = shown**2 / np.maximum(squares, _TINY)
    phi = np.full(len(counts), 0.01)
    freedom = np.zeros(len(counts))
    for _ in range(3):
        error = 1 / np.maximum(flat, _TINY) + phi[:, None] / np.maximum(days, _TINY)
        trust = _WEEKDAY_PRIOR / (_WEEKDAY_PRIOR + error)
        ratio = np.where(flat > 0, by_day / np.maximum(flat, _TINY), 1.0)
        factors = np.maximum(1 + (ratio - 1) * trust, _MIN_FACTOR)
        means = level[:, None] * weights * np.matmul(exposures, factors[:, :, None])[:, :, 0]
        fitted = (trust * (days > 0)).sum(axis=1)
        phi, freedom = _estimate_phi(by_night, means, seen, fitted, phi, family)
    together = np.maximum(means.sum(axis=1), _TINY)
    relative = 1 / total + phi * (means**2).sum(axis=1) / together**2
    return FittedTracks(
        level, factors, _WEEKDAY_PRIOR * (1 - trust), relative, phi, freedom, nights
    )


def _weigh_nights(sizes: Floats) -> Floats:
    """Reduce the weight of nights far larger than others: a first night may read ten years."""
    seen = np.where(sizes > 0, sizes, np.nan)
    with np.errstate(all="ignore"):
        usual = np.nan_to_num(_compute_row_medians(seen))
    return np.minimum(1.0, _MAX_WEIGHT * usual[:, None] / np.maximum(sizes, _TINY))


def _compute_row_medians(values: Floats) -> Floats:
    # NaN sorts last; a hundred times faster than nanmedian on many short rows.
    ordered = np.sort(values, axis=1)
    found = np.isfinite(values).sum(axis=1)
    middle = np.maximum(found - 1, 0) // 2
    picked: Floats = np.where(found > 0, ordered[np.arange(len(values)), middle], 0.0)
    return picked


def _estimate_phi(
    counts: Floats,
    means: Floats,
    seen: NDArray[np.bool_],
    fitted: Floats,
    phi: Floats,
    family: Ints,
) -> tuple[Floats, Floats]:
    """Estimate phi of each track and its degrees of freedom."""
    gain = np.where(seen, means / (1 + phi[:, None] * means), 0.0)
    excess = ((counts - means) ** 2 - means) / np.maximum(means, _TINY) ** 2
    excess = np.where(seen & (means > _TINY), excess, 0.0)
    nights = np.maximum(seen.sum(axis=1), 1)
    correction = nights / np.maximum(nights - fitted, 1.0)
    own = (gain**2 * excess).sum(axis=1) / np.maximum((gain**2).sum(axis=1), _TINY)
    own = np.maximum(own * correction, 0.0)
    # Information of the nights on phi: the share of their variance that is due to it.
    weight = ((phi[:, None] * gain) ** 2).sum(axis=1)
    weight = np.maximum(weight * (1 - fitted / nights), 0.0)
    pooled = np.bincount(family, weight * own) / np.maximum(np.bincount(family, weight), _TINY)
    pooled = np.maximum(pooled, _MIN_PHI)[family]
    freedom = _PRIOR_NIGHTS + weight
    shrunk = (_PRIOR_NIGHTS * pooled + weight * own) / freedom
    return np.maximum(shrunk, _MIN_PHI), freedom


def predict_counts(past: FittedTracks, exposures: Floats) -> tuple[Floats, Floats]:
    """Return mean (in clusters) and squared coefficient of variation of a night, (S, 8) to (S,)."""
    from scipy.special import chdtri  # noqa: PLC0415 # half a second to import

    by_day = exposures * past.factors
    together = np.maximum(by_day.sum(axis=1), _TINY)
    part = by_day / together[:, None]
    weekday_error = (part**2 * past.factor_errors / past.factors**2).sum(axis=1)
    quantile = chdtri(past.freedom, _CONFIDENCE)
    spread = past.relative + weekday_error + past.phi * past.freedom / quantile
    return past.level * together, spread


def compute_p_values(observed: Floats, mean: Floats, spread: Floats) -> Floats:
    """Return two-sided p-values of counts (negative binomial).

    Counts in clusters need not be whole: the distribution is continued by the incomplete beta.
    """
    from scipy.special import betainc  # noqa: PLC0415 # as above

    size, fail = 1 / spread, spread * mean / (1 + spread * mean)
    more = np.where(observed > 0, betainc(np.maximum(observed, _TINY), size, fail), 1.0)
    fewer = betainc(size, observed + 1, 1 - fail)
    both: Floats = np.minimum(1.0, 2 * np.minimum(more, fewer))
    return both


def compute_limits(mean: Floats, spread: Floats, levels: Floats) -> tuple[Floats, Floats]:
    """Return the lower and upper limit between which a count raises no alarm at its level."""
    from scipy.stats import nbinom  # noqa: PLC0415 # as above

    size, chance = 1 / spread, 1 / (1 + spread * mean)
    half = np.clip(levels / 2, 1e-300, 0.5)
    return nbinom.ppf(half, size, chance), nbinom.isf(half, size, chance)


def divide_allowance(family: Ints, is_judged: NDArray[np.bool_]) -> Floats:
    """Divide 1 equally among families, then among those of their tracks that are judged."""
    sizes = np.bincount(family, is_judged)
    families = max(np.count_nonzero(sizes), 1)
    return np.where(is_judged, 1 / (families * np.maximum(sizes, 1)[family]), 0.0)


def _is_relevant(observed: Floats, expected: Floats, least: Floats) -> NDArray[np.bool_]:
    smaller, larger = np.minimum(observed, expected), np.maximum(observed, expected)
    matters: NDArray[np.bool_] = (larger >= least * smaller) & (larger - smaller >= _MIN_DIFFERENCE)
    return matters

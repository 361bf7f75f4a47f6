"""Estimate of the share of notes without a leak, from a reviewed random sample."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from scipy.stats import binomtest, norm

from evaluation.detection.alignment import Pair
from evaluation.detection.intervals import CONFIDENCE
from evaluation.detection.span_counts import Counts, count_note, safe_ratio


@dataclass(frozen=True, slots=True)
class SampleStratum:
    """One kind of note: its number, how many were reviewed, how many of these have no leak."""

    population: int
    reviewed: int
    clean: int


def score_sample(pairs: Iterable[Pair], population: Mapping[str, int]) -> dict[str, Any]:
    """Score a reviewed sample: gold is the reviewers' annotation, predicted what was detected.

    A note is clean if every gold token in it was detected, whatever the label, or if it has none.
    `zero_leak` weighs kinds by their shares of `population`, see `stratified`; bounds of a kind are
    exact (Clopper and Pearson 1934). `labels` counts exact spans and tokens over the sample,
    without weights. Returns counts and rates only.
    """
    total, leaky = Counts(), 0
    reviewed: dict[str, list[bool]] = {kind: [] for kind in population}
    for pair in pairs:
        found = count_note(pair)
        total.add(found)
        is_clean = found.numbers["safe"] == found.numbers["documents"]
        reviewed.setdefault(pair.kind, []).append(is_clean)
        leaky += not is_clean
    strata = {
        kind: SampleStratum(population.get(kind, 0), len(notes), sum(notes))
        for kind, notes in sorted(reviewed.items())
    }
    return {
        "notes": sum(stratum.reviewed for stratum in strata.values()),
        "leaky": leaky,
        "zero_leak": stratified(list(strata.values())),
        "kinds": {kind: _kind_to_json(stratum) for kind, stratum in strata.items()},
        "labels": {name: _label_to_json(total, name) for name in sorted(total.labels)},
        "strict": total.strict.to_json(),
        "redacted": safe_ratio(total.numbers["redacted"], total.numbers["gold"]),
        "gold_tokens": total.numbers["gold"],
        "confidence": CONFIDENCE,
    }


def stratified(
    strata: list[SampleStratum], confidence: float = CONFIDENCE
) -> dict[str, float | None]:
    """Estimate a share over strata, weighted by population, with a Wilson interval.

    Each stratum has its Wilson bounds at a common, narrower level such that their weighted sum has
    the requested level (Yan and Su 2010, Stat. Biopharm. Res. 2:329); variances come from Agresti
    and Coull's estimates, since a stratum without a leak would otherwise have none. A stratum
    without reviews counts as anything from 0 to 1; then there is no rate, only bounds. The finite
    size of the population is ignored, which makes the bounds wider.
    """
    everything = sum(stratum.population for stratum in strata)
    if not everything:
        return {"rate": None, "low": 0.0, "high": 1.0}
    narrower = _adjusted_level(strata, confidence)
    bounds = [_wilson_bounds(stratum, narrower) for stratum in strata]
    rates = [safe_ratio(stratum.clean, stratum.reviewed) for stratum in strata]
    is_whole = all(stratum.reviewed or not stratum.population for stratum in strata)

    def weighted(values: Iterable[float]) -> float:
        parts = zip(strata, values, strict=True)
        return sum(stratum.population * value for stratum, value in parts) / everything

    return {
        "rate": weighted(rates) if is_whole else None,
        "low": weighted(low for low, _ in bounds),
        "high": weighted(high for _, high in bounds),
    }


def _adjusted_level(strata: list[SampleStratum], confidence: float) -> float:
    z = float(norm.ppf((1 + confidence) / 2))
    squares = deviations = 0.0
    for stratum in strata:
        if stratum.reviewed:
            weight = stratum.population
            size = stratum.reviewed + z * z
            middle = (stratum.clean + z * z / 2) / size
            variance = middle * (1 - middle) / size
            squares += weight * weight * variance
            deviations += weight * sqrt(variance)
    if not deviations:
        return confidence
    return 2 * float(norm.cdf(z * sqrt(squares) / deviations)) - 1


def _wilson_bounds(stratum: SampleStratum, confidence: float) -> tuple[float, float]:
    if not stratum.reviewed:
        return 0.0, 1.0
    interval = binomtest(stratum.clean, stratum.reviewed).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)


def _kind_to_json(stratum: SampleStratum) -> dict[str, float | int | None]:
    low, high = 0.0, 1.0
    if stratum.reviewed:
        interval = binomtest(stratum.clean, stratum.reviewed).proportion_ci(CONFIDENCE, "exact")
        low, high = float(interval.low), float(interval.high)
    return {
        "population": stratum.population,
        "reviewed": stratum.reviewed,
        "clean": stratum.clean,
        "rate": safe_ratio(stratum.clean, stratum.reviewed) if stratum.reviewed else None,
        "low": low,
        "high": high,
    }


def _label_to_json(counts: Counts, name: str) -> dict[str, Any]:
    found = counts.labels[name]
    return {
        **found.spans.to_json(),
        "redacted": safe_ratio(found.redacted, found.gold_tokens),
        "gold_tokens": found.gold_tokens,
    }

"""Success rates of an attack over seeds, with confidence bounds and both controls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy.stats import binomtest

from evaluation.detection.intervals import CONFIDENCE, student_interval
from evaluation.gate import Axis, Measured


@dataclass(frozen=True)
class Rate:
    """The success rate of an attack over a number of tries."""

    value: float
    tries: int


Rates = Mapping[str, Rate]


def summarize_rates(
    rates: Sequence[Rates], null: Rates, control: Rates, data: str
) -> Iterator[Measured]:
    """Return a measurement for each name that all seeds have, with its controls."""
    for name in rates[0]:
        some = [each[name] for each in rates if name in each]
        if len(some) == len(rates):
            value, low, high = mean_over_seeds(some)
            yield Measured(
                name, Axis.PRIVACY, value, low, high, data, len(some),
                null=null[name].value if name in null else None,
                control=control[name].value if name in control else None,
                detail={"tries": some[0].tries},
            )  # fmt: skip


def mean_over_seeds(rates: Sequence[Rate]) -> tuple[float, float, float]:
    """Return the mean of a rate over at least two seeds, with its lower and upper bound.

    The bounds are the wider of two: Student's t over seeds, which share sentences and differ in
    their random draws, and Clopper and Pearson (1934) for the tries of one seed.
    """
    value = fmean(rate.value for rate in rates)
    low, high = student_interval([rate.value for rate in rates])
    tries = min(rate.tries for rate in rates)
    right = min(tries, round(value * tries))
    exact = binomtest(right, tries).proportion_ci(CONFIDENCE, method="exact")
    lowest, highest = min(low, float(exact.low), value), max(high, float(exact.high), value)
    return value, max(0.0, lowest), min(1.0, highest)

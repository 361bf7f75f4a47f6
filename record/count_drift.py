"""Series of nightly counts and the result of a drift test on the last night."""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

WEEKDAYS = 8
"""Values per night: Monday to Sunday, and one for notes that have no single day."""


@dataclass(frozen=True, slots=True)
class CountSeries:
    """One count over nights, oldest first; the last night is the one under test.

    `counts` and `exposures` hold `WEEKDAYS` values a night, one night after the other: the
    number of events in notes of that weekday, and the number of opportunities for them. A night
    whose exposures are all zero is ignored. Events come in clusters of mean size `cluster` (a
    letter has many dates or none). Series of one `family` share a budget of false alarms, and a
    change by less than the factor `least` never raises an alarm.
    """

    name: str
    family: str
    counts: "array[float]" = field(repr=False)
    exposures: "array[float]" = field(repr=False)
    cluster: float = 1.0
    least: float = 1.25


@dataclass(frozen=True, slots=True)
class DriftVerdict:
    """The last night of a series compared with the nights before it.

    `p_value` is two-sided. A count between `low` and `high` would not have raised an alarm.
    `nights` is the number of earlier nights with exposure; with too few there is no alarm.
    """

    name: str
    observed: float
    expected: float
    low: float
    high: float
    p_value: float
    nights: int
    is_alarm: bool


DriftTest = Callable[[Sequence[CountSeries], float], list[DriftVerdict]]
"""Tests the last night of each series. The probability of any false alarm among them is at most
the given one; series without enough data get no verdict."""

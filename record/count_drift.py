"""Counts over nights, and what a test says of the last of them."""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

WEEKDAYS = 8
"""Places of a night in a track: Monday to Sunday, and one for notes without a single day."""


@dataclass(frozen=True, slots=True)
class Track:
    """One count over nights, oldest first; the last night is the one that is judged.

    `counts` and `exposures` hold `WEEKDAYS` values a night, one night after the other: how often
    something was counted in notes of that weekday, and among how much. A night whose exposures
    are all zero says nothing. What is counted comes in groups of `cluster` on average (a letter
    has many dates or none). Tracks of one `family` share an allowance of false alarms, and a
    change by less than the factor `least` never is an alarm.
    """

    name: str
    family: str
    counts: "array[float]" = field(repr=False)
    exposures: "array[float]" = field(repr=False)
    cluster: float = 1.0
    least: float = 1.25


@dataclass(frozen=True, slots=True)
class DriftVerdict:
    """What the last night of a track looks like beside the nights before it.

    `p_value` is two-sided. Between `low` and `high` there would have been no alarm. `nights`
    counts the nights before it that said something; with too few of them nothing is an alarm.
    """

    name: str
    observed: float
    expected: float
    low: float
    high: float
    p_value: float
    nights: int
    is_alarm: bool


Judge = Callable[[Sequence[Track], float], list[DriftVerdict]]
"""Judges the last night of tracks, such that the probability of any false alarm among them is at
most the given one; tracks about which nothing can be said have no verdict."""

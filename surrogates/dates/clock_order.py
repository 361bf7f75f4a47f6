"""A keyed map of the times of a day that keeps their order and nothing else."""

from datetime import date
from functools import lru_cache

from surrogates.dates.clocks import MINUTES
from surrogates.keys.keys import PatientKey

_MINUTE = 60
_DAY = MINUTES * _MINUTE
_REMEMBERED = 1 << 14


@lru_cache(_REMEMBERED)
def order_minute(key: PatientKey, day: date, minute: int) -> int:
    """Return the second of the day that stands for a minute of a patient's original day.

    Midnight, which often means that no time is known, stays. The other minutes are mapped strictly
    upwards to seconds in [60, 86400), by bisection: the place where the second half of the minutes
    begins is drawn uniformly among those that leave a second for every minute, and so on.
    """
    if not minute:
        return 0
    low, high, first, last = 1, MINUTES, _MINUTE, _DAY
    while high - low > 1:
        middle = (low + high) // 2
        slack = last - first - (high - low)
        drawn = key.number("shift", f"time/{day.isoformat()}/{low}-{high}", slack + 1)
        cut = first + (middle - low) + drawn
        if minute < middle:
            high, last = middle, cut
        else:
            low, first = middle, cut
    return first + key.number("shift", f"time/{day.isoformat()}/{low}-{high}", last - first)

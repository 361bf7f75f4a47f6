"""The energy that a run took, and the carbon dioxide of that: an estimate from time and memory.

The method is that of Lannelongue, Grealey and Inouye ("Green Algorithms", Advanced Science 2021,
doi:10.1002/advs.202100707): energy = time x (cores x power of a core x its use + memory x power of
memory) x PUE. Its defaults are those of `[energy]`.
"""

import resource
import time
from dataclasses import asdict, dataclass
from typing import Any, Protocol

_HOUR = 3600
_GIGABYTE = 1 << 20
"""Kilobytes of memory in one."""


class Draws(Protocol):
    """What machine, building and grid are taken to draw, as in `EnergySettings`."""

    @property
    def watts_per_core(self) -> float:
        """Of a busy core."""
        ...

    @property
    def watts_per_gigabyte(self) -> float:
        """Of memory."""
        ...

    @property
    def power_usage_effectiveness(self) -> float:
        """Watts of the building for each of the machine."""
        ...

    @property
    def grams_per_kilowatt_hour(self) -> float:
        """Of CO2 and its like."""
        ...


@dataclass(frozen=True, slots=True)
class Energy:
    """What some work took: seconds of processors, watt hours, grams of CO2 and its like.

    Watt hours hold what the building takes for each of the machine (PUE). GPUs, other machines
    and the servers of databases are not in it.
    """

    processor_seconds: float
    watt_hours: float
    grams: float

    def to_json(self) -> dict[str, Any]:
        """Return an object that JSON can hold."""
        return {name: round(value, 3) for name, value in asdict(self).items()}

    def __str__(self) -> str:
        return f"{self.watt_hours:.3g} Wh, {self.grams:.3g} g of CO2 equivalent"


class Meter:
    """Counts from where it is made: the processors' time of this process and of its children."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._before = _processor_seconds()

    def read(self, draws: Draws, kilobytes: int) -> Energy:
        """Estimate what was taken since; `kilobytes` is the memory of all processes together.

        Of children those count that have ended.
        """
        used = _processor_seconds() - self._before
        return estimate(used, time.monotonic() - self._started, kilobytes, draws)


def estimate(used: float, lasted: float, kilobytes: int, draws: Draws) -> Energy:
    """Estimate the energy of so many seconds of processors in so many seconds by the clock."""
    joules = used * draws.watts_per_core
    joules += lasted * draws.watts_per_gigabyte * kilobytes / _GIGABYTE
    watt_hours = joules / _HOUR * draws.power_usage_effectiveness
    return Energy(used, watt_hours, watt_hours / 1000 * draws.grams_per_kilowatt_hour)


def _processor_seconds() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)

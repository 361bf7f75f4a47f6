"""Estimate of the energy consumption and CO2 emissions of a run from its time and memory.

The method is that of Lannelongue, Grealey and Inouye ("Green Algorithms", Advanced Science 2021,
doi:10.1002/advs.202100707): energy = time x (cores x power of a core x usage + memory x power of
memory) x PUE. Its defaults are the defaults of `[energy]`.
"""

import resource
import time
from dataclasses import asdict, dataclass
from typing import Any, Protocol

_HOUR = 3600
_GIGABYTE = 1 << 20
"""Kilobytes per gigabyte."""


class PowerDraw(Protocol):
    """Assumed power of machine and building, and emissions of the grid; see `EnergySettings`."""

    @property
    def watts_per_core(self) -> float:
        """Power of a busy core."""
        ...

    @property
    def watts_per_gigabyte(self) -> float:
        """Power of a gigabyte of memory."""
        ...

    @property
    def power_usage_effectiveness(self) -> float:
        """Watts used by the data center per watt of the machine."""
        ...

    @property
    def grams_per_kilowatt_hour(self) -> float:
        """Emissions in grams of CO2 equivalent."""
        ...


@dataclass(frozen=True, slots=True)
class Energy:
    """Estimated consumption: processor seconds, watt hours, grams of CO2 equivalent.

    Watt hours include the overhead of the data center (PUE). GPUs, other machines and database
    servers are not included.
    """

    processor_seconds: float
    watt_hours: float
    grams: float

    def to_json(self) -> dict[str, Any]:
        """Return an object for JSON."""
        return {name: round(value, 3) for name, value in asdict(self).items()}

    def __str__(self) -> str:
        return f"{self.watt_hours:.3g} Wh, {self.grams:.3g} g of CO2 equivalent"


class EnergyMeter:
    """Measures the processor time of this process and its children since it was created."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._before = _measure_processor_seconds()

    def read(self, draw: PowerDraw, kilobytes: int) -> Energy:
        """Return the estimated consumption so far; `kilobytes` is the memory of all processes.

        Only children that have ended are counted.
        """
        used = _measure_processor_seconds() - self._before
        return estimate_energy(used, time.monotonic() - self._started, kilobytes, draw)


def estimate_energy(used: float, lasted: float, kilobytes: int, draw: PowerDraw) -> Energy:
    """Return the energy of `used` processor seconds in `lasted` seconds of wall-clock time."""
    joules = used * draw.watts_per_core
    joules += lasted * draw.watts_per_gigabyte * kilobytes / _GIGABYTE
    watt_hours = joules / _HOUR * draw.power_usage_effectiveness
    return Energy(used, watt_hours, watt_hours / 1000 * draw.grams_per_kilowatt_hour)


def _measure_processor_seconds() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)

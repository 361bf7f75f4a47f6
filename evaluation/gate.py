"""The release gate: measurements on four axes against requirements, with verdict RELEASE or HOLD.

Each privacy measurement comes with the same number for something that cannot leak (`null`) and
for something known to leak (`control`): an attack that does not find a known leak proves nothing.
A missing or undefined number, or a missing control, means HOLD.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from record.errors import ConfigError

NOT_MEASURED = "not measured"
UNSEEN, PASSED = "does not detect a known leak", "would pass a known leak"
"""Beginnings of the reasons for a missing measurement, and for one that cannot detect a leak."""

DETECTABLE = "detectable"
"""The detail of an attack that tells its power: the smallest effect that it sees mostly."""

WEAK = "too little power"
"""The beginning of the reason for an attack that has not looked at enough patients."""

LEAST_F1 = 0.4
"""The F1 that taggers must reach from real notes before what synthetic ones lose is measured.

A tagger that learnt nothing from real notes loses nothing by others. With 0.4 the five points that
filled letters may lose are an eighth of what is learnt, at the most.
"""


class Axis(StrEnum):
    """What a measurement is about."""

    DETECTION = "detection"
    RESEMBLANCE = "resemblance"
    UTILITY = "utility"
    PRIVACY = "privacy"


class Verdict(StrEnum):
    """The decision on a release."""

    RELEASE = "RELEASE"
    HOLD = "HOLD"


@dataclass(frozen=True, slots=True)
class Measured:
    """One measurement.

    `name` says what was measured and by which definition, `data` on what (a digest or a public
    name). `low` and `high` bound `value` with 95 % confidence over `seeds` repetitions. `null` is
    the same number for something that cannot leak, or for chance; `control` for something known to
    leak. `detail` holds further numbers and names.
    """

    name: str
    axis: Axis
    value: float
    low: float
    high: float
    data: str
    seeds: int = 1
    null: float | None = None
    control: float | None = None
    detail: Mapping[str, float | int | str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the fields; undefined controls are None, since JSON has no NaN."""
        held = asdict(self)
        missing = (name for name in ("null", "control") if _is_nan(held[name]))
        return held | dict.fromkeys(missing)


def _is_nan(number: float | None) -> bool:
    return number is not None and math.isnan(number)


class Bound(StrEnum):
    """The kind of a requirement."""

    AT_MOST = "at_most"
    """The upper bound of the interval must not exceed the limit."""
    AT_LEAST = "at_least"
    """The lower bound of the interval must reach the limit."""
    CONTAINS = "contains"
    """The interval must contain the limit, such as the chance level of an attack."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A bound on one measurement, and the least value of its control.

    Privacy measurements need a `null` and a `control`; `control_at_least` is the least control at
    which the measurement counts as able to see a leak; `over_null` compares the difference to
    `null` with the limit instead of the value itself. `detectable_at_most` bounds the smallest
    effect that the measurement sees four times of five: an interval that holds a guess because it
    is wide proves nothing.
    """

    name: str
    bound: Bound
    limit: float
    axis: Axis
    control_at_least: float | None = None
    over_null: bool = False
    detectable_at_most: float | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict and its reasons, at least one for each requirement that is not met."""

    verdict: Verdict
    reasons: tuple[str, ...]


def decide(measured: Iterable[Measured], requirements: Sequence[Requirement]) -> Decision:
    """Compare measurements with requirements.

    HOLD if a required measurement is missing, duplicated, not finite or out of bounds; if a privacy
    measurement lacks a control, or its control is too small or would pass itself; if there is no
    requirement on privacy. RELEASE only if every requirement is met.
    """
    found: dict[str, list[Measured]] = {}
    for each in measured:
        found.setdefault(each.name, []).append(each)
    reasons = []
    if not any(requirement.axis is Axis.PRIVACY for requirement in requirements):
        reasons.append("no requirement on privacy")
    for requirement in requirements:
        reasons += _objections(requirement, found.get(requirement.name, []))
    return Decision(Verdict.HOLD if reasons else Verdict.RELEASE, tuple(reasons))


def _objections(requirement: Requirement, found: Sequence[Measured]) -> list[str]:
    name = requirement.name
    if len(found) != 1:
        return [f"{name}: {'measured twice' if found else NOT_MEASURED}"]
    measured = found[0]
    if measured.axis is not requirement.axis:
        return [f"{name}: measured for {measured.axis}, required for {requirement.axis}"]
    numbers = (measured.value, measured.low, measured.high)
    if not all(map(math.isfinite, numbers)) or not measured.low <= measured.value <= measured.high:
        return [f"{name}: the value must be finite and within its interval"]
    return [
        f"{name}: {problem}"
        for problem in (
            *_control_problems(requirement, measured),
            *_power_problems(requirement, measured),
            *_limit_problems(requirement, measured),
        )
    ]


def _control_problems(requirement: Requirement, measured: Measured) -> list[str]:
    """Return the problems with the controls, without which a privacy measurement is void."""
    needed = requirement.axis is Axis.PRIVACY
    null, control = measured.null, measured.control
    problems = []
    if (needed or requirement.over_null) and (null is None or not math.isfinite(null)):
        problems.append("no null value (for something that cannot leak)")
    if needed and (control is None or not math.isfinite(control)):
        problems.append("no control (for something known to leak)")
    if problems or control is None:
        return problems
    least = requirement.control_at_least
    if least is not None and control < least:
        problems.append(f"{UNSEEN} (control {control:.3g}, at least {least:.3g} required)")
    base = (null or 0.0) if requirement.over_null else 0.0
    if needed and requirement.bound is Bound.AT_MOST and control - base <= requirement.limit:
        problems.append(f"{PASSED}, so it proves nothing here")
    return problems


def _power_problems(requirement: Requirement, measured: Measured) -> list[str]:
    """Return the problem with a measurement of too few patients, or of unknown power."""
    most = requirement.detectable_at_most
    if most is None:
        return []
    told = measured.detail.get(DETECTABLE)
    if not isinstance(told, int | float) or not math.isfinite(told):
        return [f"{WEAK} (nothing tells what it would see)"]
    if told > most:
        return [f"{WEAK} (sees {told:.3g} and more, at most {most:.3g} required)"]
    return []


def _limit_problems(requirement: Requirement, measured: Measured) -> list[str]:
    base = (measured.null or 0.0) if requirement.over_null else 0.0
    low, high = measured.low - base, measured.high - base
    limit, what = requirement.limit, "above null " if requirement.over_null else ""
    if requirement.bound is Bound.AT_MOST and high > limit:
        return [f"upper bound {what}is {high:.3g}, at most {limit:.3g} required"]
    if requirement.bound is Bound.AT_LEAST and low < limit:
        return [f"lower bound {what}is {low:.3g}, at least {limit:.3g} required"]
    if requirement.bound is Bound.CONTAINS and not low <= limit <= high:
        return [f"interval {what}is {low:.3g} to {high:.3g}, must contain {limit:.3g}"]
    return []


def read_requirements(table: Mapping[str, Any], *, where: str) -> tuple[Requirement, ...]:
    """Read requirements from the tables of a TOML file, one for each measurement.

    A table is named after its measurement and holds `axis`, one of `at_most`, `at_least`,
    `contains`, and optionally `control_at_least`, `over_null` and `detectable_at_most`. Raises
    ConfigError with the key.
    """
    return tuple(
        _parse_requirement(name, entry, f"{where}: {name}") for name, entry in table.items()
    )


def _parse_requirement(name: str, entry: object, where: str) -> Requirement:
    remedy = "give axis, one of at_most, at_least, contains, and optionally control_at_least"
    if not isinstance(entry, Mapping):
        raise ConfigError(where, "must be a table", remedy)
    bounds = [bound for bound in Bound if bound in entry]
    known = {"axis", "control_at_least", "over_null", "detectable_at_most", *Bound}
    if len(bounds) != 1 or not set(entry) <= known:
        raise ConfigError(where, "must have exactly one bound and no unknown keys", remedy)
    axes = {axis.value: axis for axis in Axis}
    if entry.get("axis") not in axes:
        raise ConfigError(f"{where}.axis", "unknown axis", f"give one of {', '.join(axes)}")
    over = entry.get("over_null", False)
    if not isinstance(over, bool):
        raise ConfigError(f"{where}.over_null", "must be true or false", "give one of them")
    least, power = entry.get("control_at_least"), entry.get("detectable_at_most")
    return Requirement(
        name=name,
        bound=bounds[0],
        limit=_parse_number(entry[bounds[0]], f"{where}.{bounds[0]}"),
        axis=axes[entry["axis"]],
        control_at_least=None
        if least is None
        else _parse_number(least, f"{where}.control_at_least"),
        over_null=over,
        detectable_at_most=None
        if power is None
        else _parse_number(power, f"{where}.detectable_at_most"),
    )


def _parse_number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigError(where, "must be a finite number", "give a number")
    return float(value)

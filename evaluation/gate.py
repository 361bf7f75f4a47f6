"""Whether a made thing may leave: one report on four axes, requirements, RELEASE or HOLD.

Every number stands beside the same number for a thing that cannot leak and for one that does: an
attack that finds nothing in what is known to leak proves nothing. Whatever is missing, undefined
or without its controls holds the thing back.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from record.errors import ConfigError

NOT_MEASURED = "was not measured"
UNSEEN, PASSED = "does not see a known leak", "would let a known leak pass"
"""How objections begin to a number that is not there, and to one that cannot see a leak."""


class Axis(StrEnum):
    """What a number tells about."""

    DETECTION = "detection"
    RESEMBLANCE = "resemblance"
    UTILITY = "utility"
    PRIVACY = "privacy"


class Verdict(StrEnum):
    """What becomes of the thing."""

    RELEASE = "RELEASE"
    HOLD = "HOLD"


@dataclass(frozen=True, slots=True)
class Measured:
    """One number about a made thing.

    `name` says what was measured and by which definition, `data` on what (a digest or a public
    name). `low` and `high` bound `value` with 95 % confidence over `seeds` repetitions. `null` is
    the same number for a thing that cannot leak, or that chance made; `control` for one known to
    leak. `detail` holds whatever else belongs to it, numbers and names only.
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
        """Return the fields; JSON has no NaN, and a control that could not be taken is none."""
        held = asdict(self)
        missing = (name for name in ("null", "control") if _is_nan(held[name]))
        return held | dict.fromkeys(missing)


def _is_nan(number: float | None) -> bool:
    return number is not None and math.isnan(number)


class Bound(StrEnum):
    """What a requirement asks of a number."""

    AT_MOST = "at_most"
    """The upper bound of the interval may not be above the limit."""
    AT_LEAST = "at_least"
    """The lower bound of the interval may not be below the limit."""
    CONTAINS = "contains"
    """The interval holds the limit, as that of an attack does that is no better than a guess."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What must hold of one number: its bound, and how far its control must stand out.

    Numbers of privacy need a `null` and a `control`; `control_at_least` is what the control must
    reach for the measurement to count as able to see a leak, `over_null` compares the excess over
    `null` with the limit instead of the number itself.
    """

    name: str
    bound: Bound
    limit: float
    axis: Axis
    control_at_least: float | None = None
    over_null: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict with its reasons, one for each requirement that does not hold."""

    verdict: Verdict
    reasons: tuple[str, ...]


def decide(measured: Iterable[Measured], requirements: Sequence[Requirement]) -> Decision:
    """Compare numbers with requirements.

    HOLD where a required number is missing, twice there, not finite or outside its bound; where
    one of privacy lacks a control, or its control does not stand out, or would pass itself; where
    nothing is required on privacy. RELEASE only where every requirement holds.
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
        return [f"{name}: was measured as {measured.axis}, asked for as {requirement.axis}"]
    numbers = (measured.value, measured.low, measured.high)
    if not all(map(math.isfinite, numbers)) or not measured.low <= measured.value <= measured.high:
        return [f"{name}: has no finite value within its interval"]
    return [
        f"{name}: {problem}"
        for problem in (*_control(requirement, measured), *_limit(requirement, measured))
    ]


def _control(requirement: Requirement, measured: Measured) -> list[str]:
    """Say what is wrong with the controls: without them a number of privacy tells nothing."""
    needed = requirement.axis is Axis.PRIVACY
    null, control = measured.null, measured.control
    problems = []
    if (needed or requirement.over_null) and (null is None or not math.isfinite(null)):
        problems.append("has no number for a thing that cannot leak")
    if needed and (control is None or not math.isfinite(control)):
        problems.append("has no number for a thing that is known to leak")
    if problems or control is None:
        return problems
    least = requirement.control_at_least
    if least is not None and control < least:
        problems.append(f"{UNSEEN} ({control:.3g}, at least {least:.3g} asked)")
    base = (null or 0.0) if requirement.over_null else 0.0
    if needed and requirement.bound is Bound.AT_MOST and control - base <= requirement.limit:
        problems.append(f"{PASSED}: it tells nothing here")
    return problems


def _limit(requirement: Requirement, measured: Measured) -> list[str]:
    base = (measured.null or 0.0) if requirement.over_null else 0.0
    low, high = measured.low - base, measured.high - base
    limit, what = requirement.limit, "over its floor " if requirement.over_null else ""
    if requirement.bound is Bound.AT_MOST and high > limit:
        return [f"may be {what}{high:.3g}, at most {limit:.3g} asked"]
    if requirement.bound is Bound.AT_LEAST and low < limit:
        return [f"may be {what}{low:.3g}, at least {limit:.3g} asked"]
    if requirement.bound is Bound.CONTAINS and not low <= limit <= high:
        return [f"lies {what}from {low:.3g} to {high:.3g}, which does not hold {limit:.3g}"]
    return []


def read_requirements(table: Mapping[str, Any], *, where: str) -> tuple[Requirement, ...]:
    """Read requirements from the tables of a TOML file, one for each number.

    A table is named after its number and holds `axis`, one of `at_most`, `at_least`, `contains`,
    and perhaps `control_at_least` and `over_null`. Raises ConfigError that names the key.
    """
    return tuple(_requirement(name, entry, f"{where}: {name}") for name, entry in table.items())


def _requirement(name: str, entry: object, where: str) -> Requirement:
    remedy = "give axis, one of at_most, at_least, contains, and perhaps control_at_least"
    if not isinstance(entry, Mapping):
        raise ConfigError(where, "is no table", remedy)
    bounds = [bound for bound in Bound if bound in entry]
    known = {"axis", "control_at_least", "over_null", *Bound}
    if len(bounds) != 1 or not set(entry) <= known:
        raise ConfigError(where, "does not hold exactly one bound and known keys", remedy)
    axes = {axis.value: axis for axis in Axis}
    if entry.get("axis") not in axes:
        raise ConfigError(f"{where}.axis", "is no axis", f"give one of {', '.join(axes)}")
    over = entry.get("over_null", False)
    if not isinstance(over, bool):
        raise ConfigError(f"{where}.over_null", "is neither true nor false", "give one of them")
    least = entry.get("control_at_least")
    return Requirement(
        name=name,
        bound=bounds[0],
        limit=_number(entry[bounds[0]], f"{where}.{bounds[0]}"),
        axis=axes[entry["axis"]],
        control_at_least=None if least is None else _number(least, f"{where}.control_at_least"),
        over_null=over,
    )


def _number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigError(where, "is no finite number", "give a number")
    return float(value)

"""The limit on withdrawals: how many notes and persons a run or release may withdraw unasked."""

from dataclasses import dataclass

from pipeline.config.settings import QualitySettings
from pipeline.state.quality_counts import WITHDRAWN, Series
from pipeline.state.quality_store import Alarm


@dataclass(frozen=True)
class WithdrawalCounts:
    """The notes and persons that would be withdrawn, and those that are in the output now.

    With `is_replaced` others come in their place.
    """

    notes: int = 0
    all_notes: int = 0
    persons: int = 0
    all_persons: int = 0
    is_replaced: bool = False


_FEW = 5
"""Of so many at least, withdrawing all needs a decision: the source may be empty by mistake."""


def compute_limit(total: int, settings: QualitySettings, *, is_replaced: bool = False) -> int:
    """Return how many of `total` may be withdrawn without a decision.

    Never all, but of a few, where others come in their place, or where a share of 1 says so.
    """
    limit = max(settings.min_withdrawn, int(settings.max_withdrawn_share * total))
    if is_replaced or total < _FEW or settings.max_withdrawn_share >= 1:
        return limit
    return min(limit, total - 1)


def find_excesses(counts: WithdrawalCounts, settings: QualitySettings) -> tuple[Alarm, ...]:
    """Return an alarm for notes and one for persons, where their withdrawals exceed the limit."""
    compared = (
        ("notes", counts.notes, counts.all_notes),
        ("persons", counts.persons, counts.all_persons),
    )
    limits = [
        compute_limit(total, settings, is_replaced=counts.is_replaced) for _, _, total in compared
    ]
    return tuple(
        _make_excess(name, count, total, limit)
        for (name, count, total), limit in zip(compared, limits, strict=True)
        if count > limit
    )


def _make_excess(name: str, count: int, total: int, limit: int) -> Alarm:
    return Alarm(
        series=Series(WITHDRAWN, name),
        title=f"withdrawn {name}",
        observed=count,
        expected=0,
        low=0,
        high=limit,
        p_value=0,
        nights=0,
        exposure=total,
        is_learning=False,
        is_notice=False,
    )

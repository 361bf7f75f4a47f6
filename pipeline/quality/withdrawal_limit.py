"""The limit on withdrawals: how many notes and persons a run or release may withdraw unasked."""

from dataclasses import dataclass

from pipeline.config.settings import QualitySettings
from pipeline.state.quality_counts import WITHDRAWN, Series
from pipeline.state.quality_store import Alarm


@dataclass(frozen=True)
class WithdrawalCounts:
    """The notes and persons that would be withdrawn, and those that are in the output now."""

    notes: int = 0
    all_notes: int = 0
    persons: int = 0
    all_persons: int = 0


def compute_limit(total: int, settings: QualitySettings) -> int:
    """Return how many of `total` may be withdrawn without a decision."""
    return max(settings.min_withdrawn, int(settings.max_withdrawn_share * total))


def find_excesses(counts: WithdrawalCounts, settings: QualitySettings) -> tuple[Alarm, ...]:
    """Return an alarm for notes and one for persons, where their withdrawals exceed the limit."""
    compared = (
        ("notes", counts.notes, counts.all_notes),
        ("persons", counts.persons, counts.all_persons),
    )
    return tuple(
        _make_excess(name, count, total, compute_limit(total, settings))
        for name, count, total in compared
        if count > compute_limit(total, settings)
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

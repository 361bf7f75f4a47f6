"""Who judges the counts of a night."""

from collections.abc import Sequence

from record.count_drift import DriftVerdict, Track


def judge(tracks: Sequence[Track], allowance: float) -> list[DriftVerdict]:
    """Judge as `evaluation.drift.judge` does, whose statistics take a second to import."""
    from evaluation import drift

    return drift.judge(tracks, allowance)

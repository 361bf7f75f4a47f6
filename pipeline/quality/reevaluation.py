"""Periodic audits by people: when the next is due, and whether fewer notes are without a leak.

The latest audit is compared with all earlier ones, pooled: of notes with and without a leak, by
Fisher's exact test of two proportions (1935), one-sided. It assumes no approximation, and its
errors of the first kind are at most `SIGNIFICANCE` for each audit. Kinds of notes are not told
apart: audits should draw the same number of each kind.
"""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from pipeline.config.settings import QualitySettings
from pipeline.state.audit_records import AuditReview, AuditSeries

SIGNIFICANCE = 0.05
"""Largest p-value of a fall that raises an alarm."""


def reevaluate(series: AuditSeries, quality: QualitySettings, today: date) -> dict[str, Any]:
    """Return the audits of a site, whether another is due, and the comparison of the latest.

    `audits` are results with their intervals, oldest sample first. `due` is the day from which the
    next is due, counted from the day on which the last reviewed sample was drawn, or else from
    the first run; None if nothing is asked for. `unread` is a later sample without a review.
    `fall` is None with fewer than two audits. All are counts, shares and days.
    """
    days = quality.reevaluate_days
    begun = series.audits[-1][0].drawn if series.audits else series.first_run
    since = begun.date() if begun else today
    due = None if days is None else since + timedelta(days)
    unread = series.unread
    return {
        "days": days,
        "due": due and due.isoformat(),
        "is_due": due is not None and due <= today,
        "unread": unread and {"sample": unread.sample_id, "drawn": unread.drawn.date().isoformat()},
        "audits": [
            {
                "sample": sample.sample_id,
                "drawn": sample.drawn.date().isoformat(),
                "read": review.read.date().isoformat(),
                "notes": review.result["notes"],
                "leaky": review.result["leaky"],
                "zero_leak": review.result["zero_leak"],
            }
            for sample, review in series.audits
        ],
        "fall": _compare_latest([review for _, review in series.audits]),
    }


def describe_reevaluation(found: Mapping[str, Any] | None) -> Iterator[str]:
    """Return a sentence for an audit that is due, and one for a fall."""
    if found is None:
        return
    if found["is_due"]:
        unread = found["unread"]
        how = "draw one: cryptonym audit sample"
        if unread:
            how = f"sample {unread['sample']} of {unread['drawn']} has not been reviewed"
        yield f"an audit of released notes is due since {found['due']}: {how}"
    if fall := describe_fall(found):
        yield fall


def describe_fall(found: Mapping[str, Any]) -> str:
    """Return a sentence for a fall that raises an alarm; empty without one."""
    fall = found["fall"]
    if not fall or not fall["is_alarm"]:
        return ""
    latest, earlier = fall["latest"], fall["earlier"]
    return (
        f"fewer notes are without a leak: {latest['clean']} of {latest['notes']} in the latest "
        f"audit, {earlier['clean']} of {earlier['notes']} before (p = {fall['p_value']:.2g}): look "
        "at what leaked, correct detection, and draw another sample"
    )


def _compare_latest(reviews: list[AuditReview]) -> dict[str, Any] | None:
    if len(reviews) < 2:
        return None
    from scipy.stats import fisher_exact  # noqa: PLC0415 # a second to import

    *before, last = (_count(review) for review in reviews)
    earlier = {name: sum(each[name] for each in before) for name in ("notes", "clean")}
    table = [[each["clean"], each["notes"] - each["clean"]] for each in (last, earlier)]
    p_value = float(fisher_exact(table, alternative="less").pvalue)
    return {
        "latest": last,
        "earlier": earlier,
        "p_value": p_value,
        "is_alarm": p_value < SIGNIFICANCE,
    }


def _count(review: AuditReview) -> dict[str, int]:
    notes = int(review.result["notes"])
    return {"notes": notes, "clean": notes - int(review.result["leaky"])}

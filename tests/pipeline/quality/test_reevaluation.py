"""Audits again and again: when the next is due, what their series shows, and when it alarms."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from math import comb
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.settings import QualitySettings, load
from pipeline.quality.reevaluation import SIGNIFICANCE, describe_reevaluation, reevaluate
from pipeline.reports.charts import draw_intervals
from pipeline.reports.run_report import render, to_json
from pipeline.state.audit_records import (
    AuditReview,
    AuditSample,
    AuditSeries,
    open_audit_records,
)
from pipeline.state.run_summary import RunSummary, Tally
from record.errors import ConfigError
from tests.pipeline.clinic import Clinic

QUARTERLY = QualitySettings(reevaluate="90 days")
TODAY = date(2026, 6, 1)


def when(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T10:00:00+00:00")


def sample(number: int, day: str) -> AuditSample:
    return AuditSample(number, when(day), "seed", 50, "brat", {}, {})


def result(notes: int, leaky: int) -> dict[str, Any]:
    bounds = binomtest(notes - leaky, notes).proportion_ci(0.95, method="wilson")
    share = {"rate": 1 - leaky / notes, "low": float(bounds.low), "high": float(bounds.high)}
    return {"notes": notes, "marked": notes, "leaky": leaky, "zero_leak": share}


def audits(*found: tuple[str, int, int], **more: Any) -> AuditSeries:
    """A series: of each audit the day, the notes and those with a leak."""
    pairs = [
        (sample(n, day), AuditReview(n, "mk", when(day), result(notes, leaky)))
        for n, (day, notes, leaky) in enumerate(found, start=1)
    ]
    return AuditSeries(tuple(pairs), **more)


FIRST: Any = {"first_run": datetime.fromisoformat("2026-01-10T02:00:00")}
DUE = [
    (AuditSeries(), None, False),  # before the first run: not today
    (AuditSeries(**FIRST), "2026-04-10", True),
    (audits(("2026-03-03", 50, 0), **FIRST), "2026-06-01", True),
    (audits(("2026-03-04", 50, 0), **FIRST), "2026-06-02", False),
    (audits(("2025-01-01", 50, 0), ("2026-05-01", 50, 0), **FIRST), "2026-07-30", False),
]


@pytest.mark.parametrize(("series", "due", "is_due"), DUE)
def test_an_audit_is_due_so_many_days_after_the_last(
    series: AuditSeries, due: str | None, is_due: bool
) -> None:
    found = reevaluate(series, QUARTERLY, TODAY)
    assert found["due"] == (due or "2026-08-30")
    assert found["is_due"] is is_due
    assert ("is due since" in " ".join(describe_reevaluation(found))) is is_due
    never = reevaluate(series, QualitySettings(), TODAY)
    assert (never["days"], never["due"], never["is_due"]) == (None, None, False)


def test_a_sample_that_nobody_has_reviewed_is_named_and_does_not_count() -> None:
    series = audits(("2026-01-01", 50, 0), unread=sample(2, "2026-05-20"))
    found = reevaluate(series, QUARTERLY, TODAY)
    assert (found["is_due"], found["unread"]["sample"]) == (True, 2)
    (line,) = describe_reevaluation(found)
    assert "sample 2 of 2026-05-20 has not been reviewed" in line


FALLS = [
    ((50, 0), (50, 4), False),
    ((50, 0), (50, 5), True),
    ((50, 5), (50, 0), False),  # a rise
    ((300, 3), (100, 5), True),
    ((300, 3), (100, 4), False),
    ((1, 0), (1, 1), False),
]


@pytest.mark.parametrize(("before", "now", "is_alarm"), FALLS)
def test_a_fall_alarms_where_chance_does_not_explain_it(
    before: tuple[int, int], now: tuple[int, int], is_alarm: bool
) -> None:
    found = reevaluate(audits(("2026-01-01", *before), ("2026-05-01", *now)), QUARTERLY, TODAY)
    assert found["fall"]["is_alarm"] is is_alarm
    assert found["fall"]["p_value"] == pytest.approx(hypergeometric(before, now))
    assert bool(list(describe_reevaluation(found))) is is_alarm


def hypergeometric(before: tuple[int, int], now: tuple[int, int]) -> float:
    """The chance that as many of all leaks or more are in the latest audit."""
    everything, leaks = before[0] + now[0], before[1] + now[1]
    ways = range(now[1], min(leaks, now[0]) + 1)
    chosen = sum(comb(leaks, k) * comb(everything - leaks, now[0] - k) for k in ways)
    return chosen / comb(everything, now[0])


def test_earlier_audits_are_pooled() -> None:
    many = audits(("2025-01-01", 50, 1), ("2025-06-01", 70, 2), ("2026-05-01", 50, 6))
    fall = reevaluate(many, QUARTERLY, TODAY)["fall"]
    assert fall["earlier"] == {"notes": 120, "clean": 117}
    assert fall["latest"] == {"notes": 50, "clean": 44}
    assert fall["p_value"] == pytest.approx(hypergeometric((120, 3), (50, 6)))


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3])
def test_false_alarms_are_no_more_than_promised(rate: float) -> None:
    """Over every outcome of two audits of 25 notes that leak alike."""
    size = 25
    chance = [comb(size, k) * rate**k * (1 - rate) ** (size - k) for k in range(size + 1)]
    alarms = sum(
        chance[one] * chance[other]
        for one in range(size + 1)
        for other in range(size + 1)
        if hypergeometric((size, one), (size, other)) < SIGNIFICANCE
    )
    assert alarms <= SIGNIFICANCE


SHARES = st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)).map(sorted)


@given(st.lists(SHARES, min_size=2, max_size=6))
def test_intervals_are_drawn_in_order_and_inside(shares: list[list[float]]) -> None:
    chart = draw_intervals([(rate, low, high) for low, rate, high in shares])
    assert chart is not None
    assert [mark.x for mark in chart.marks] == sorted(mark.x for mark in chart.marks)
    for mark in chart.marks:
        assert mark.value is not None
        assert 0 <= mark.high <= mark.value <= mark.low <= chart.height
        assert mark.x < chart.width


def test_one_audit_is_no_series() -> None:
    assert draw_intervals([]) is None
    assert draw_intervals([(1.0, 0.9, 1.0)]) is None


def summary(series: AuditSeries) -> RunSummary:
    start = datetime(2026, 6, 1, 2, tzinfo=UTC)
    found = reevaluate(series, QUARTERLY, TODAY)
    return RunSummary(
        "7", "research", "k", "p", "1", "d", start, start, 1, Tally(), reevaluation=found
    )


def test_the_report_shows_the_series_and_its_fall() -> None:
    falling = audits(("2025-01-01", 50, 0), ("2025-06-01", 50, 0), ("2026-01-20", 50, 9))
    page = render(summary(falling))
    assert "A new sample is due since 2026-04-20" in page
    assert "41 of 50 now" in page
    assert "100 of 100 before" in page
    assert page.count("2025-06-01") == 2  # drawn and read
    assert "82.00 %" in page
    assert 'class="off"' in page
    steady = render(summary(audits(("2026-05-01", 50, 0), ("2026-05-20", 50, 1))))
    assert "is due since" not in steady
    assert "Fewer notes" not in steady
    assert 'class="off"' not in steady
    alone = render(summary(audits(("2026-05-01", 50, 0))))
    assert 'class="intervals"' not in alone
    assert to_json(summary(falling))["reevaluation"]["fall"]["is_alarm"] is True
    assert render(replace(summary(falling), reevaluation=None))


@pytest.mark.parametrize("text", ["90", "0 days", "90 Days", "three months", "-1 days", "90 days "])
def test_a_period_that_is_none_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "nightly.toml"
    path.write_text(
        '[source]\nurl = "sqlite:///a"\n[output]\nurl = "sqlite:///b"\n'
        f'[quality]\nreevaluate = "{text}"\n'
    )
    with pytest.raises(ConfigError, match=r"quality\.reevaluate"):
        load(path)


def add_audits(clinic: Clinic, found: Sequence[tuple[str, int, int]]) -> None:
    settings = load(clinic.config)
    with open_audit_records(settings.state, settings.base) as records:
        for day, notes, leaky in found:
            made = records.add(sample(0, day), [])
            records.add_review(made.sample_id, "mk", result(notes, leaky))


def test_from_the_first_night_to_a_fall(clinic: Clinic) -> None:
    """On files and on a server: what the run says, its report, and its exit code."""
    clinic.configure('[quality]\nreevaluate = "90 days"\n')
    assert clinic.run().exit_code == EXIT_DONE
    told = json.loads((clinic.folder / "report.json").read_text())["reevaluation"]
    assert (told["is_due"], told["audits"], told["fall"]) == (False, [], None)
    add_audits(clinic, [("2025-01-01", 60, 0)])
    settings = load(clinic.config)
    with open_audit_records(settings.state, settings.base) as records:
        records.add(sample(0, "2025-02-01"), [])
    ended = clinic.run()
    assert ended.exit_code == EXIT_DONE
    told = json.loads((clinic.folder / "report.json").read_text())["reevaluation"]
    assert (told["due"], told["is_due"], told["unread"]["sample"]) == ("2025-04-01", True, 2)
    add_audits(clinic, [(datetime.now(UTC).date().isoformat(), 60, 9)])
    found = clinic.run().summary.reevaluation
    assert found is not None
    assert (found["is_due"], found["unread"], found["fall"]["is_alarm"]) == (False, None, True)
    assert [each["sample"] for each in found["audits"]] == [1, 3]
    assert "51 of 60 now" in (clinic.folder / "report.html").read_text()

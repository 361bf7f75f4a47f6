"""The test of a night: exact where it can be, careful elsewhere, and it sees what it is for."""

from array import array
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchmarks.night.count_feeds import (
    FAULTS,
    START,
    CountBook,
    Feed,
    Hospital,
    Layout,
    Night,
    make_layout,
)
from benchmarks.night.quality import DAYS_A_QUARTER, first_night_reasons, judge_nights
from pipeline.quality import drift
from pipeline.quality.gate import compute_allowance
from pipeline.state.quality_series import RunCounts, compare_runs
from record.count_drift import WEEKDAYS, CountSeries

QUARTERS = 1


@pytest.fixture(scope="module")
def plan() -> Layout:
    return make_layout()


def track(
    counts: list[int],
    exposures: list[int],
    *,
    name: str = "t",
    family: str = "f",
    cluster: float = 1.0,
) -> CountSeries:
    """A track of nights that all are Mondays."""
    counted, exposed = (array("d", bytes(8 * WEEKDAYS * len(counts))) for _ in "ab")
    counted[::WEEKDAYS] = array("d", counts)
    exposed[::WEEKDAYS] = array("d", exposures)
    return CountSeries(name, family, counted, exposed, cluster=cluster)


@given(st.integers(0, 300), st.integers(0, 60), st.floats(1.0, 500.0), st.floats(1.0, 100.0))
@settings(max_examples=60)
def test_without_variation_it_is_the_exact_test_of_two_rates(
    before: int, now: int, past: float, tonight: float
) -> None:
    """Jeffreys' prior stands between the conditional tests with one count less, and one more."""
    mean, spread = (before + 0.5) / past * tonight, 1 / (before + 0.5)
    p = drift.compute_p_values(np.array([float(now)]), np.array([mean]), np.array([spread]))[0]
    share, whole = tonight / (tonight + past), before + now
    more = [stats.binom.sf(now - 1, max(whole - less, 0), share) if now else 1.0 for less in (1, 0)]
    fewer = [stats.binom.cdf(now, whole + extra, share) for extra in (1, 0)]
    low, high = (min(1.0, 2 * min(pair)) for pair in zip(more, fewer, strict=True))
    assert low * (1 - 1e-6) - 1e-12 <= p <= high * (1 + 1e-6) + 1e-12


@given(st.floats(0.1, 5e3), st.floats(1e-4, 2.0), st.integers(0, 5000))
@settings(max_examples=60)
def test_tails_are_those_of_the_negative_binomial(mean: float, spread: float, count: int) -> None:
    law = stats.nbinom(1 / spread, 1 / (1 + spread * mean))
    p = drift.compute_p_values(np.array([float(count)]), np.array([mean]), np.array([spread]))[0]
    expected = min(1.0, 2 * min(law.sf(count - 1), law.cdf(count)))
    assert p == pytest.approx(expected, rel=1e-6, abs=1e-300)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.lists(st.booleans(), min_size=30))
@settings(max_examples=40)
def test_shares_of_the_allowance_add_up_to_it(families: list[int], said: list[bool]) -> None:
    family, asked = np.array(families), np.array(said[: len(families)])
    shares = drift.divide_allowance(np.unique(family, return_inverse=True)[1], asked)
    assert shares.sum() == pytest.approx(1.0 if asked.any() else 0.0)
    assert (shares[~asked] == 0).all()


@pytest.mark.parametrize("runs", [1, 2, 50])
def test_all_runs_of_a_quarter_spend_what_was_asked_for_and_no_more(runs: Any) -> None:
    night = sum(compute_allowance(0.5, rank) for rank in range(1, runs + 1))
    assert night * DAYS_A_QUARTER <= 0.5
    assert sum(compute_allowance(0.5, k) for k in range(1, 10_000)) * DAYS_A_QUARTER > 0.499


def test_p_values_are_uniform_or_careful() -> None:
    """On clean, overdispersed nights no level is exceeded more often than it says."""
    random = np.random.default_rng(1)
    nights, series = 60, 4000
    rates = random.gamma(20, 1 / 20, (series, nights)) * 50
    counts = np.zeros((series, nights, WEEKDAYS))
    counts[:, :, 0] = random.poisson(rates)
    exposures = np.zeros_like(counts)
    exposures[:, :, 0] = 10.0
    ones = np.ones(series)
    found = drift.compare_last_night(counts, exposures, ones, np.arange(series) // 100, ones, 0.01)
    for level in (0.05, 0.01, 0.001):
        assert (found.p_value <= level).mean() <= level + 3 * np.sqrt(level / series)
    assert (found.p_value <= 0.05).mean() > 0.01  # and it is not blind


def test_a_night_of_ten_years_does_not_outweigh_the_others() -> None:
    usual = track([10_000 * 5, *[100] * 20, 100], [10_000, *[100] * 20, 100])
    (verdict,) = drift.judge([usual], 0.001)
    assert verdict.expected < 200  # 433 if each note of that night had counted
    assert not verdict.is_alarm


def test_too_few_nights_say_nothing_and_nothing_counted_says_nothing() -> None:
    assert drift.judge([track([5] * 4 + [500], [10] * 5)], 0.01) == []
    assert drift.judge([track([50] * 20 + [0], [10] * 20 + [0])], 0.01) == []
    assert drift.judge([], 0.01) == []


def test_what_was_never_seen_and_comes_in_numbers_is_an_alarm() -> None:
    steady = [track([100] * 31, [10] * 31, name=f"s{k}") for k in range(20)]
    new = track([0] * 30 + [90], [1000] * 31, name="new")
    found = {v.name: v for v in drift.judge([*steady, new], 0.005)}
    assert [name for name, v in found.items() if v.is_alarm] == ["new"]
    assert found["new"].low <= found["new"].expected <= found["new"].high < 90


def test_counts_that_come_in_groups_are_fewer_than_they_look() -> None:
    nights = [0] * 30 + [40], [1000] * 31
    alone, grouped = (drift.judge([track(*nights, cluster=size)], 0.001)[0] for size in (1.0, 40.0))
    assert alone.is_alarm
    assert not grouped.is_alarm


def test_tracks_of_different_nights_are_refused() -> None:
    with pytest.raises(ValueError, match="same nights"):
        drift.judge([track([1] * 9, [1] * 9), track([1] * 8, [1] * 8)], 0.1)


def test_no_false_alarm_in_simulated_quarters(plan: Layout) -> None:
    """The long one is `python -m benchmarks.night.quality`."""
    nights = round(QUARTERS * DAYS_A_QUARTER)
    held = sum(
        bool((found.is_alarm & ~plan.is_notice).any())
        for found in judge_nights(plan, Feed(), 7, nights)
    )
    assert held == 0


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_each_fault_is_seen_in_its_first_night_and_named(
    plan: Layout, fault: Callable[[Night], None]
) -> None:
    reasons = first_night_reasons(plan, Feed(), 3, fault)
    assert any(word in reason for reason in reasons for word in FAULTS[fault])


def test_the_simulation_sets_nights_out_as_the_gate_does(plan: Layout) -> None:
    """What is fast for thousands of nights gives what the nightly job's own code gives."""
    hospital, books, runs = Hospital(replace(Feed(), notes=200.0), 5), CountBook(plan, 8), []
    for number in range(9):
        weekday, drawn = hospital.night()
        books.add(weekday, drawn)
        written = START + timedelta(days=number)
        cells = {}
        for ago, counts in enumerate(drawn):
            day = (written - timedelta(days=ago)).isoformat()
            for cell, count in zip(plan.leaves, counts, strict=True):
                cells[cell._replace(day=day)] = count
        runs.append(RunCounts(number + 1, written + timedelta(days=1), "c", cells))
    compared = {each.series: each.track for each in compare_runs(runs[:-1], runs[-1])}
    assert set(compared) == set(plan.series)
    clusters = books.clusters()
    for place, series in enumerate(plan.series):
        mine = compared[series]
        for theirs, ours in ((books.counts, mine.counts), (books.bases, mine.exposures)):
            expected = theirs[place, -9:].copy()
            if plan.is_volume[place]:
                expected[0] = np.asarray(ours)[:WEEKDAYS]  # the first night follows none
            np.testing.assert_allclose(np.asarray(ours).reshape(9, WEEKDAYS), expected)
        if not plan.is_volume[place]:
            assert mine.cluster == pytest.approx(clusters[place])

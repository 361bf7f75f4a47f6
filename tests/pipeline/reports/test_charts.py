"""Bins cover every day between the first and the last, and bars keep their proportions."""

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reports.charts import MOST_BINS, draw_bars, make_axis, sum_by_bin

ISO_DAYS = st.dates().map(date.isoformat)


@pytest.mark.parametrize(
    ("first", "last", "unit", "bins"),
    [
        ("2024-01-01", "2024-01-01", "day", ("2024-01-01",)),
        ("2024-02-28", "2024-03-01", "day", ("2024-02-28", "2024-02-29", "2024-03-01")),
        ("2024-01-01", "2024-02-17", "day", None),
        ("2024-01-01", "2024-02-18", "week", None),
        ("2020-01-01", "2023-12-31", "month", None),
        ("2020-01-01", "2024-01-01", "quarter", None),
        ("1990-01-01", "2024-01-01", "year", None),
        ("1800-01-01", "2024-01-01", "year", None),
    ],
)
def test_the_unit_follows_the_span_of_time(
    first: str, last: str, unit: str, bins: tuple[str, ...] | None
) -> None:
    along = make_axis([last, first])
    assert along.unit == unit
    assert bins is None or along.bins == bins


@given(st.lists(ISO_DAYS, min_size=1, max_size=5))
def test_bins_are_few_and_the_last_day_has_one(days: list[str]) -> None:
    along = make_axis(days)
    assert 0 < len(along.bins) <= MOST_BINS
    assert along.places[max(days)] == len(along.bins) - 1


@given(st.dates(date(2000, 1, 1), date(2030, 1, 1)), st.integers(0, 4000))
def test_no_bin_between_first_and_last_is_missing(first: date, length: int) -> None:
    every_day = [(first + timedelta(days=step)).isoformat() for step in range(length + 1)]
    assert make_axis([every_day[0], every_day[-1]]).bins == make_axis(every_day).bins


@given(st.dictionaries(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(1, 9)))
def test_a_series_keeps_the_total(counts: dict[date, int]) -> None:
    by_day = {day.isoformat(): count for day, count in counts.items()}
    assert sum(sum_by_bin(by_day, make_axis(by_day))) == sum(by_day.values())


def test_what_is_no_day_has_no_bin() -> None:
    along = make_axis(["undated", "", "2024-13-45"])
    assert along.bins == ()
    assert sum_by_bin({"undated": 5}, along) == []


@given(st.lists(st.integers(0, 10**6), max_size=MOST_BINS))
def test_one_bar_for_each_value_above_zero(values: list[int]) -> None:
    top = max(values, default=0)
    heights = [
        float(size)
        for size in re.findall(r"v-([0-9.]+)", draw_bars(values, top, width=90, height=20))
    ]
    assert len(heights) == sum(value > 0 for value in values)
    assert all(1 <= size <= 20 for size in heights)
    assert not heights or max(heights) == 20

"""Charts of the gate: shares that add up, curves of an attack, and what is no chart."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gate_charts import GateChart, draw_histogram, draw_roc, draw_shares, read_charts

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(SCORES, SCORES)
def test_shares_of_a_histogram_add_up_to_one(made: list[float], real: list[float]) -> None:
    chart = draw_histogram("near", {"made": made, "real": real}, top=1.0)
    assert all(sum(shares) == pytest.approx(1) for shares in chart.series.values())
    assert {len(shares) for shares in chart.series.values()} == {len(chart.groups)}


@given(SCORES, SCORES)
def test_the_area_under_the_curve_is_that_of_the_attack(
    members: list[float], others: list[float]
) -> None:
    curve = draw_roc("attack", {"": (members, others)}).series[""]
    assert curve == sorted(curve) and curve[-1] == 1
    wins = sum((m > o) + (m == o) / 2 for m in members for o in others)
    area = sum(a + b for a, b in pairwise(curve)) / 2 / (len(curve) - 1)
    assert area == pytest.approx(wins / len(members) / len(others), abs=0.06)


def test_the_most_frequent_labels_of_the_last_series_come_first() -> None:
    chart = draw_shares("labels", {"made": Counter(A=1, B=3), "real": Counter(C=2, A=1)})
    assert chart.groups == ["C", "A", "B"]
    assert chart.series == {"made": [0, 0.25, 0.75], "real": [2 / 3, 1 / 3, 0]}


def test_charts_are_read_as_they_were_written() -> None:
    chart = GateChart("near", "bars", ["0", "1"], {"made": [0.5, 0.5]})
    assert read_charts({"charts": [chart.to_json()]}) == [chart]
    assert read_charts({}) == []
    for wrong in (
        {"kind": "pie"}, {"groups": ["0"]}, {"series": {"made": ["a", "b"]}}, {"more": 1},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"chart|could not convert"):
            read_charts({"charts": [chart.to_json() | wrong]})

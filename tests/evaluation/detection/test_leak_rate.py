"""The rate of clean notes: known cases, agreement with what it must equal, and its coverage."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from evaluation.detection.alignment import Pair
from evaluation.detection.leak_rate import SampleStratum, score_sample, stratified
from record.span import Span


def test_one_stratum_is_wilson() -> None:
    wilson = binomtest(18, 20).proportion_ci(0.95, method="wilson")
    found = stratified([SampleStratum(1000, 20, 18)])
    assert found["rate"] == pytest.approx(0.9)
    assert (found["low"], found["high"]) == pytest.approx((wilson.low, wilson.high))


def test_equal_strata_without_a_leak_add_up() -> None:
    alone = stratified([SampleStratum(100, 20, 20)])
    together = stratified([SampleStratum(100, 20, 20)] * 5)
    assert together["rate"] == 1
    assert alone["low"] is not None and together["low"] is not None
    assert alone["low"] < together["low"] < 1
    # Five strata of twenty say about what a hundred notes say.
    assert together["low"] == pytest.approx(
        stratified([SampleStratum(500, 100, 100)])["low"], abs=0.01
    )


def test_weights_are_those_of_the_population() -> None:
    found = stratified([SampleStratum(900, 10, 10), SampleStratum(100, 10, 0)])
    assert found["rate"] == pytest.approx(0.9)


def test_what_nobody_reviewed_may_be_anything() -> None:
    found = stratified([SampleStratum(75, 50, 50), SampleStratum(25, 0, 0)])
    assert found["rate"] is None
    assert found["low"] is not None and found["high"] is not None
    assert found["low"] < 0.75 < found["high"] == pytest.approx(1)
    assert stratified([]) == {"rate": None, "low": 0.0, "high": 1.0}


@pytest.mark.parametrize(
    ("sizes", "rates"),
    [((600, 300, 100), (0.95, 0.9, 0.8)), ((500, 500, 0), (0.98, 0.9, 0.5))],
)
def test_the_interval_covers_the_truth_as_often_as_it_says(
    sizes: tuple[int, int, int], rates: tuple[float, float, float]
) -> None:
    """Exactly: over every outcome that three samples can have, by its probability."""
    drawn = 12
    truth = np.dot(sizes, rates) / sum(sizes)

    @cache
    def covers(outcome: tuple[int, ...]) -> Any:
        found = stratified(
            [SampleStratum(n, drawn, x) for n, x in zip(sizes, outcome, strict=True)]
        )
        return found["low"] <= truth <= found["high"]

    likely = [[x for x in range(drawn + 1) if binom.pmf(x, drawn, rate) > 1e-2] for rate in rates]
    chance = total = 0.0
    for outcome in product(*likely):
        weight = np.prod([binom.pmf(x, drawn, r) for x, r in zip(outcome, rates, strict=True)])
        total += weight
        chance += weight * covers(outcome)
    assert total > 0.95
    assert 0.92 <= chance / total <= 0.995


def note(number: int, kind: str, gold: list[Any], found: list[Any]) -> Pair:
    return Pair(str(number), "Jean DUPONT a dormi.", tuple(gold), tuple(found), kind=kind)


FIRST, LAST = Span(0, 4, "FIRST_NAME"), Span(5, 11, "LAST_NAME")


def test_a_note_leaks_when_any_gold_token_was_not_detected() -> None:
    pairs = [
        note(1, "a", [FIRST, LAST], [FIRST, LAST]),
        note(2, "a", [FIRST, LAST], [FIRST]),
        note(3, "a", [FIRST], [Span(0, 4, "NAME")]),  # another label is no leak
        note(4, "b", [], [LAST]),  # nothing to find, nothing leaked
    ]
    result = score_sample(pairs, {"a": 30, "b": 10, "c": 0})
    assert (result["notes"], result["leaky"]) == (4, 1)
    assert result["kinds"]["a"]["clean"] == 2
    assert result["kinds"]["b"]["rate"] == 1
    exact = binomtest(2, 3).proportion_ci(0.95, method="exact")
    assert result["kinds"]["a"]["low"] == pytest.approx(exact.low)
    assert result["zero_leak"]["rate"] == pytest.approx(0.75 * 2 / 3 + 0.25)
    assert result["labels"]["LAST_NAME"]["recall"] == 0.5
    assert result["labels"]["LAST_NAME"]["precision"] == 0.5

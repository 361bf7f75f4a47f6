"""The order of errors by score: against all pairs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.detection.alignment import Pair
from evaluation.detection.auc import area_under_curve
from evaluation.detection.scores import ConfidenceTally, format_scores, score_pairs
from record.span import Span

SCORES = st.lists(st.integers(0, 5).map(lambda tenth: tenth / 5), min_size=1, max_size=8)


@given(SCORES, SCORES)
def test_it_is_the_share_of_pairs_in_order(right: list[float], wrong: list[float]) -> None:
    found = area_under_curve(right, wrong)
    pairs = [(a > b) + (a == b) / 2 for a in right for b in wrong]
    assert found == pytest.approx(sum(pairs) / len(pairs))


def test_a_span_is_right_with_its_borders_and_label_alone() -> None:
    text = "Jean Dupont, 12 mai"
    gold = (Span(0, 4, "FIRST_NAME"), Span(5, 11, "LAST_NAME"), Span(13, 19, "DATE"))
    predicted = (
        Span(0, 4, "FIRST_NAME", "model", 0.9),
        Span(5, 11, "CITY", "model", 0.4),
        Span(13, 15, "DATE", "model", 0.95),
    )
    pair = Pair("1", text, gold, predicted)
    found = ConfidenceTally()
    found.add(pair)
    assert found.summary() == {"right": 1, "wrong": 2, "auc": 0.5}
    scores = score_pairs([pair], resamples=10)
    assert scores["confidence"]["auc"] == 0.5
    assert "0.5000 (scores of correct and wrong spans; 2 are wrong)" in format_scores(scores)
    assert "undefined" in format_scores(score_pairs([Pair("1", text, gold, gold)], resamples=10))

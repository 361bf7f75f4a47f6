"""B-cubed against its definition, mention by mention."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.detection.alignment import b_cubed

CLUSTERS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=14)


def brute_force(truth: list[int], predicted: list[int]) -> tuple[float, float]:
    """The means over mentions, as Bagga and Baldwin (1998) define them."""
    precisions, recalls = [], []
    places = range(len(truth))
    for place in places:
        found = [other for other in places if predicted[other] == predicted[place]]
        true = [other for other in places if truth[other] == truth[place]]
        right = set(found) & set(true)
        precisions.append(len(right) / len(found))
        recalls.append(len(right) / len(true))
    count = max(1, len(truth))
    return sum(precisions) / count, sum(recalls) / count


@given(CLUSTERS)
def test_it_agrees_with_the_definition(pairs: list[tuple[int, int]]) -> None:
    truth, predicted = [true for true, _ in pairs], [found for _, found in pairs]
    score = b_cubed(truth, predicted)
    expected = brute_force(truth, predicted) if pairs else (1.0, 1.0)
    assert (score.precision, score.recall) == pytest.approx(expected)
    assert score.mentions == len(pairs)
    assert 0.0 <= score.f1 <= 1.0


@given(CLUSTERS)
def test_names_of_clusters_do_not_matter(pairs: list[tuple[int, int]]) -> None:
    truth, predicted = [true for true, _ in pairs], [found for _, found in pairs]
    renamed = [f"cluster {9 - found}" for found in predicted]
    assert b_cubed(truth, predicted) == b_cubed(truth, renamed)
    assert b_cubed(truth, truth).f1 == 1.0


def test_a_published_example() -> None:
    """Bagga and Baldwin (1998), figure 2: the second response joins 5 and 5 of 12 mentions."""
    truth = [1] * 5 + [2] * 2 + [3] * 5
    score = b_cubed(truth, [1] * 5 + [2] * 2 + [1] * 5)
    assert score.precision == pytest.approx(7 / 12)
    assert score.recall == 1.0
    small = b_cubed(truth, [1] * 5 + [2] * 7)
    assert small.precision == pytest.approx((5 + 2 * 2 / 7 + 5 * 5 / 7) / 12)


def test_other_mentions_are_refused() -> None:
    with pytest.raises(ValueError, match="same mentions"):
        b_cubed([1], [])

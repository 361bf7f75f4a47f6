"""Agreement of annotators: values computed by hand, those of scikit-learn, and invariants."""

import math
import warnings
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.detection.alignment import Pair, tokenize
from evaluation.detection.annotator_agreement import (
    Mismatch,
    cohens_kappa,
    find_mismatches,
    measure_annotators,
)
from record.span import Span

TEXT = "Mme Anne DURAND, née le 02/03/1950 à Lyon."
NAME, DAY, CITY = (
    Span(TEXT.index(word), TEXT.index(word) + len(word), label)
    for word, label in (("Anne DURAND", "NAME"), ("02/03/1950", "DATE"), ("Lyon", "CITY"))
)
FIRST, LAST = Span(4, 8, "NAME"), Span(9, 15, "NAME")


def pair(first: list[Span], second: list[Span], note_id: str = "1") -> Pair:
    return Pair(note_id, TEXT, tuple(first), tuple(second))


FIVE = [
    pair([NAME, DAY], [NAME, DAY], "same"),
    pair([NAME, DAY], [NAME], "missed"),
    pair([CITY], [Span(CITY.start, CITY.end, "NAME")], "named otherwise"),
    pair([NAME], [LAST], "cut"),
    pair([], [], "empty"),
]


def test_five_notes_are_measured_as_by_hand() -> None:
    found = measure_annotators(FIVE)
    # Exact: NAME 2 and DATE 1 in common; NAME, DATE and CITY of the first; two NAMEs of the second.
    assert found["exact"] == {"f1": 6 / 11, "both": 3, "first_only": 3, "second_only": 2}
    # Tokens: a name has 2, a date 5, a town 1. Common are 2 + 5, 2, 0 and 1; of the first alone
    # 5, 1 and 1, of the second 1.
    assert found["token"] == {"f1": 20 / 28, "both": 10, "first_only": 7, "second_only": 1}
    name = found["per_label"]["NAME"]
    assert name["exact"] == {"f1": 4 / 7, "both": 2, "first_only": 1, "second_only": 2}
    assert name["token"] == {"f1": 10 / 12, "both": 5, "first_only": 1, "second_only": 1}
    tokens = 5 * len(tokenize(TEXT))
    expected = (6 * 6 + (tokens - 6) ** 2) / tokens**2
    assert name["kappa"] == pytest.approx((1 - 2 / tokens - expected) / (1 - expected))
    assert found["notes"] == 5


def test_kappa_over_all_labels_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    answers: list[tuple[str, str]] = []
    for each in FIVE:
        for start, end in tokenize(TEXT):
            one, other = (
                next((s.label for s in side if s.start < end and start < s.end), "nothing")
                for side in (each.gold, each.predicted)
            )
            answers.append((one, other))
    wanted = metrics.cohen_kappa_score(*zip(*answers, strict=True))
    assert measure_annotators(FIVE)["kappa"] == pytest.approx(wanted, abs=1e-12)
    assert cohens_kappa(Counter(answers)) == pytest.approx(wanted, abs=1e-12)


def test_where_nothing_can_differ_there_is_no_kappa() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(cohens_kappa({}))
        assert math.isnan(cohens_kappa({("a", "a"): 3}))
    found = measure_annotators([pair([], [])])
    assert (found["exact"]["f1"], found["token"]["f1"], found["kappa"]) == (1, 1, None)


MISMATCHES = [
    ([NAME, DAY], [NAME, DAY], []),
    ([NAME, DAY], [NAME], [("missing", DAY.start, DAY.end)]),
    ([], [CITY], [("missing", CITY.start, CITY.end)]),
    ([CITY], [Span(CITY.start, CITY.end, "NAME")], [("label", CITY.start, CITY.end)]),
    ([NAME], [LAST], [("border", NAME.start, NAME.end)]),
    ([NAME], [FIRST, LAST], [("border", NAME.start, NAME.end)]),
    ([NAME], [Span(4, 8, "CITY")], [("border and label", NAME.start, NAME.end)]),
    (
        [FIRST, DAY],
        [LAST],
        [("missing", 4, 8), ("missing", 9, 15), ("missing", DAY.start, DAY.end)],
    ),
]


@pytest.mark.parametrize(("first", "second", "wanted"), MISMATCHES)
def test_every_way_to_differ(
    first: list[Span], second: list[Span], wanted: list[tuple[str, int, int]]
) -> None:
    found = find_mismatches(pair(first, second))
    assert sorted((each.kind, each.start, each.end) for each in found) == sorted(wanted)
    # Who of the two comes first is told, and changes nothing else.
    turned = find_mismatches(pair(second, first))
    assert [Mismatch(e.note_id, e.start, e.end, e.second, e.first) for e in turned] == found


SPANS = st.builds(
    lambda start, size, label: Span(start, min(start + size, len(TEXT)), label),
    st.integers(0, len(TEXT) - 2), st.integers(1, 12), st.sampled_from(["NAME", "DATE"]),
)  # fmt: skip


@given(st.lists(SPANS, max_size=5), st.lists(SPANS, max_size=5))
def test_what_always_holds(first: list[Span], second: list[Span]) -> None:
    found, turned = (
        measure_annotators([pair(*both)]) for both in ((first, second), (second, first))
    )
    for name in ("exact", "token"):
        assert found[name]["f1"] == turned[name]["f1"]
        assert found[name]["first_only"] == turned[name]["second_only"]
    assert found["kappa"] == pytest.approx(turned["kappa"], abs=1e-12) or found["kappa"] is None
    mismatches = find_mismatches(pair(first, second))
    assert {s for each in mismatches for s in each.first} == set(first) - set(second)
    assert {s for each in mismatches for s in each.second} == set(second) - set(first)
    assert (found["exact"]["f1"] == 1) == (not mismatches)

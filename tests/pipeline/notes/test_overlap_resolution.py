"""Resolving overlaps: disjoint, order-free, idempotent, and never uncovering anything."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.notes.overlap_resolution import resolve_spans
from record.span import Span, merge_spans

TEXT = "Mme Jeanne DUPONT-MARTIN, née le 12/03/1950, 12 rue des Lilas, 75012 Paris. -- ,"


@st.composite
def spans(draw: st.DrawFn) -> Span:
    start = draw(st.integers(0, len(TEXT) - 1))
    end = draw(st.integers(start + 1, min(len(TEXT), start + 25)))
    label = draw(st.sampled_from(["DATE", "BIRTH_DATE", "LAST_NAME", "ID", "CALLE"]))
    detector = draw(st.sampled_from(["known.name", "rules.dates", "model"]))
    return Span(start, end, label, detector, draw(st.sampled_from([0.5, 1.0])))


def points(found: Sequence[Span]) -> set[int]:
    return {point for span in found for point in range(span.start, span.end)}


def doubt(span: Span) -> int:
    if span.detector != "model":
        return {"BIRTH_DATE": 0, "LAST_NAME": 2, "ID": 5}.get(span.label, 4)
    return {"BIRTH_DATE": 0, "CALLE": 0, "LAST_NAME": 3}.get(span.label, 1)


def greedy(found: list[Span]) -> dict[int, str]:
    """The oracle: every code point goes to the best span over it."""
    best: dict[int, str] = {}

    def rank(s: Span) -> tuple[int, bool, int, float, int, str, str]:
        return (
            s.start - s.end,
            not s.detector.startswith("known"),
            doubt(s),
            -s.score,
            s.start,
            s.label,
            s.detector,
        )

    for span in sorted(set(found), key=rank):
        for point in range(span.start, span.end):
            best.setdefault(point, span.label)
    return best


@given(st.lists(spans(), max_size=12))
def test_coverage_is_kept_exactly(found: list[Span]) -> None:
    assert points(resolve_spans(found, TEXT)) == points(found)


@given(st.lists(spans(), max_size=12))
def test_result_is_sorted_and_disjoint(found: list[Span]) -> None:
    result = resolve_spans(found, TEXT)
    assert all(left.end <= right.start for left, right in itertools.pairwise(result))


@given(st.lists(spans(), max_size=12), st.randoms())
def test_order_does_not_matter(found: list[Span], random: Random) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)
    assert resolve_spans(shuffled, TEXT) == resolve_spans(found, TEXT)


@given(st.lists(spans(), max_size=12))
def test_resolving_twice_changes_nothing(found: list[Span]) -> None:
    once = resolve_spans(found, TEXT)
    assert resolve_spans(once, TEXT) == once


@given(st.lists(spans(), max_size=12))
def test_letters_and_digits_get_the_label_of_the_best_span(found: list[Span]) -> None:
    best = greedy(found)
    for span in resolve_spans(found, TEXT):
        for point in range(span.start, span.end):
            if TEXT[point].isalnum():
                assert best[point] == span.label


# The thirteen relations of two intervals (Allen 1983), both labels alike and not.
LONG, SHORT = Span(10, 20, "LAST_NAME", "rules.names"), Span(30, 34, "DATE", "rules.dates")
RELATIONS = {
    "before": (22, 26), "meets": (20, 24), "overlaps": (18, 24), "finishes": (16, 20),
    "during": (12, 16), "starts": (10, 14), "equals": (10, 20), "after": (4, 8),
    "met by": (6, 10), "overlapped by": (6, 12), "finished by": (8, 20),
    "contains": (8, 22), "started by": (10, 22),
}  # fmt: skip


@pytest.mark.parametrize("label", ["LAST_NAME", "DATE"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_interval_relations(relation: str, label: str) -> None:
    start, end = RELATIONS[relation]
    other = Span(start, end, label, "rules.dates")
    text = "x" * 40
    result = resolve_spans([LONG, other], text)
    assert points(result) == points([LONG, other])
    longest = max((LONG, other), key=lambda span: (span.end - span.start, span.label == "DATE"))
    assert any(span.start == longest.start and span.end == longest.end for span in result)


def test_known_wins_a_tie() -> None:
    rule = Span(33, 43, "DATE", "rules.dates")
    known = replace(rule, label="BIRTH_DATE", detector="known.birth_date")
    assert resolve_spans([rule, known], TEXT) == (known,)


def test_punctuation_left_over_joins_its_neighbour() -> None:
    name = Span(11, 17, "LAST_NAME")
    tail = Span(15, 18, "CITY")
    assert resolve_spans([name, tail], TEXT) == (Span(11, 18, "LAST_NAME"),)


def test_many_spans_are_resolved_in_reasonable_work() -> None:
    found = [Span(i, i + 7, "DATE") for i in range(0, 60_000, 3)]
    assert merge_spans(resolve_spans(found, "x" * 60_010))[-1][1] == 59_997 + 7


@pytest.mark.parametrize(
    ("rule", "model", "label"),
    [
        ("PROVIDER_ID", "PHONE", "PHONE"),
        ("CITY", "LAST_NAME", "LAST_NAME"),
        ("BIRTH_DATE", "DATE", "BIRTH_DATE"),
        ("DATE", "BIRTH_DATE", "BIRTH_DATE"),
        ("DATE", "FAX", "FAX"),
        ("FIRST_NAME", "LAST_NAME", "FIRST_NAME"),
        ("FIRST_NAME", "CITY", "CITY"),
        ("ID", "VISIT_ID", "VISIT_ID"),
        ("ID", "OTHER", "OTHER"),
        ("STREET", "CALLE", "CALLE"),
    ],
)
def test_of_one_extent_the_surer_label_wins_whatever_the_scores(
    rule: str, model: str, label: str
) -> None:
    found = [Span(0, 9, rule, "rules.x", 0.1), Span(0, 9, model, "model", 0.9)]
    assert [span.label for span in resolve_spans(found, TEXT)] == [label]
    known = Span(0, 9, "PATIENT_ID", "known.identifiers", 0.1)
    assert resolve_spans([*found, known], TEXT) == (known,)

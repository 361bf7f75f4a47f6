import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.tagger.training.scores import Scores, is_better, score
from record.document import Annotated, Document
from record.span import Span

NOTE = Annotated(
    Document("1", "Dr Rose Petit le 12 mars"), (Span(3, 13, "NAME"), Span(17, 24, "DATE"))
)
EMPTY = Annotated(Document("2", "Va bien"))


def test_all_found() -> None:
    found = score([(NOTE, NOTE.spans), (EMPTY, [])])
    assert (found.zero_leak, found.f1, found.redacted) == (1, 1, 1)


def test_a_word_missed_is_a_leak_and_another_label_is_none() -> None:
    found = score([(NOTE, [Span(3, 7, "NAME"), Span(17, 24, "DATE")])])
    assert (found.zero_leak, found.precision, found.recall) == (0, 0.5, 0.5)
    assert found.redacted == pytest.approx(3 / 4)
    found = score([(NOTE, [Span(3, 24, "DATE")]), (EMPTY, [Span(0, 2, "DATE")])])
    assert (found.zero_leak, found.f1, found.redacted) == (1, 0, 1)


def test_no_leak_counts_before_f1() -> None:
    exact = score([(NOTE, NOTE.spans[:1])])
    covered = score([(NOTE, [Span(0, 24, "NAME")])])
    assert covered > exact
    assert exact.f1 > covered.f1


def test_nothing_is_no_success() -> None:
    assert score([]).zero_leak == 0
    assert score([(EMPTY, [])]).f1 == 0


def scored(zero_leak: float, f1: float) -> Scores:
    return Scores(zero_leak, f1, f1, f1, f1)


@pytest.mark.parametrize(
    ("new", "kept", "most", "notes", "wanted"),
    [
        # Two of fifty notes fewer are chance, and names are told better.
        ((0.60, 0.85), (0.64, 0.64), 0.64, 50, True),
        # Of a thousand notes they are not.
        ((0.60, 0.85), (0.64, 0.64), 0.64, 1000, False),
        ((0.64, 0.64), (0.60, 0.85), 0.64, 1000, True),
        ((0.64, 0.64), (0.60, 0.85), 0.64, 50, False),
        # What is kept may be as good as the best, which was another one.
        ((0.74, 0.90), (0.72, 0.91), 0.76, 100, False),
        ((0.74, 0.92), (0.72, 0.91), 0.76, 100, True),
        # Equal F1: then fewer leaks.
        ((0.75, 0.91), (0.72, 0.91), 0.76, 100, True),
        ((0.72, 0.91), (0.75, 0.91), 0.76, 100, False),
        # Where every note leaks, and where none does.
        ((0.0, 0.1), (0.0, 0.0), 0.0, 50, True),
        ((0.98, 1.0), (1.0, 0.9), 1.0, 50, False),
    ],
)
def test_within_a_standard_error_f1_decides(
    new: tuple[float, float], kept: tuple[float, float], most: float, notes: int, wanted: bool
) -> None:
    assert is_better(scored(*new), scored(*kept), most, notes) is wanted


shares = st.integers(0, 20).map(lambda part: part / 20)


@given(st.lists(st.tuples(shares, shares), min_size=1), st.integers(1, 300))
def test_what_is_kept_is_never_surely_worse(history: list[tuple[float, float]], notes: int) -> None:
    kept, most = scored(*history[0]), history[0][0]
    for zero_leak, f1 in history[1:]:
        most = max(most, zero_leak)
        if is_better(scored(zero_leak, f1), kept, most, notes):
            kept = scored(zero_leak, f1)
        assert kept.zero_leak >= most - (most * (1 - most) / notes) ** 0.5

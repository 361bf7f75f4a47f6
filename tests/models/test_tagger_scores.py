import pytest

from models.tagger.scores import score
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

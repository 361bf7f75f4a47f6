"""Identifiers of a letter are paired with what stands for them, label by label."""

import pytest

from evaluation.attacks.reidentification import ReplacedIdentifier
from pipeline.synthetic.measurements.letter_comparison import pair_identifiers
from record.document import Annotated, Document
from record.errors import ConfigError
from record.span import Span
from synthesis.masking import MaskedDocument, Masking, mask


def annotated(*values: tuple[str, str]) -> Annotated:
    """A letter of nothing but identifiers."""
    text, spans = "", []
    for label, value in values:
        text += " " * bool(text)
        spans.append(Span(len(text), len(text) + len(value), label))
        text += value
    return Annotated(Document("n", text), tuple(spans))


def source(*values: tuple[str, str]) -> MaskedDocument:
    letter = annotated(*values)
    return mask(letter.document, letter.spans, (), Masking())


SOURCE = source(("NAME", "Ann"), ("DATE", "2020"), ("NAME", "Bob"))


def test_pairs_follow_the_order_of_each_label() -> None:
    filled = annotated(("DATE", "1999"), ("NAME", "Cid"), ("NAME", "Dee"))
    assert list(pair_identifiers(SOURCE, filled, "p")) == [
        ReplacedIdentifier("NAME", "Ann", "Cid", "p"),
        ReplacedIdentifier("NAME", "Bob", "Dee", "p"),
        ReplacedIdentifier("DATE", "2020", "1999", "p"),
    ]


def test_a_label_that_is_gone_was_replaced_by_nothing() -> None:
    filled = annotated(("NAME", "Cid"), ("NAME", "Dee"))
    assert list(pair_identifiers(SOURCE, filled, "p"))[-1] == ReplacedIdentifier(
        "DATE", "2020", "", "p"
    )


def test_a_lost_identifier_is_refused() -> None:
    with pytest.raises(ConfigError, match="note n: has 1 NAME for 2 of its source"):
        list(pair_identifiers(SOURCE, annotated(("NAME", "Cid")), "p"))

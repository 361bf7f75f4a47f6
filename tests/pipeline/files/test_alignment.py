"""Offsets of clean text lead back to the raw text, and the other way round."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extractors.plain.plain_text import clean
from pipeline.files.alignment import align
from record.errors import Unreadable
from record.span import Span

# Letters, and everything that cleaning removes, joins, splits or reads with its neighbours.
ODD = "aé D.\n\r\t\u0301\u0327\u00ad\u200b\u200d\ufeff\ufb01\ufb03\x00\x0c\u2028ßÅ\u212b-Z9"


@given(st.text(alphabet=ODD, max_size=30))
@example("Jean-\u00ad\nPaul")
@example("e\u0301\u0327\u00ad \n a")
@example("\u00ad\u00ad\r\n\u0301")
def test_pieces_lie_side_by_side_and_give_the_clean_text(raw: str) -> None:
    alignment = align(raw)
    assert (alignment.raw, alignment.clean) == (raw, clean(raw))
    at = length = 0
    for piece in alignment.pieces:
        assert (piece.raw, piece.clean) == (at, length)
        at, length = piece.raw_end, piece.clean_end
        if piece.same:
            text = alignment.clean[piece.clean : piece.clean_end]
            assert raw[piece.raw : piece.raw_end] == text
    assert not alignment.pieces or (at, length) == (len(raw), len(alignment.clean))


@given(st.text(alphabet=ODD, min_size=1, max_size=30), st.data())
def test_a_span_there_and_back_covers_at_least_itself(raw: str, data: st.DataObject) -> None:
    alignment = align(raw)
    if not alignment.clean:
        return
    start = data.draw(st.integers(0, len(alignment.clean) - 1))
    end = data.draw(st.integers(start + 1, len(alignment.clean)))
    (there,) = alignment.to_raw([Span(start, end, "X")])
    assert 0 <= there.start < there.end <= len(raw)
    (back,) = alignment.to_clean([there])
    assert back.start <= start < end <= back.end
    # Not a character more than the piece at either edge.
    assert clean(raw[there.start : there.end]).strip()[:1] in (*alignment.clean, "", "-", "\ufffd")


@given(st.text(max_size=40))
def test_any_text_is_aligned_or_refused_by_name(raw: str) -> None:
    try:
        assert align(raw).clean == clean(raw)
    except Unreadable as error:
        assert error.reason == "unaligned"


@pytest.mark.parametrize(
    ("raw", "clean_value", "raw_value"),
    [
        ("M. Du\u200bpont vu", "Dupont", "Du\u200bpont"),
        ("M. Rene\u0301 vu", "René", "Rene\u0301"),
        ("\ufeffRené vu", "René", "René"),
        ("M. \x1b[1mDu\x1b[0mpont vu", "Dupont", "Du\x1b[0mpont"),
        ("M. Dux\x08pont vu", "Dupont", "Dux\x08pont"),
        ("M. \u202etnopuD\u202c vu", "Dupont", "\u202etnopuD\u202c"),
        ("a\r\nDupont\r\nb", "Dupont", "Dupont"),
        ("Dr Gri\ufb03n", "Griffin", "Gri\ufb03n"),
        ("Jean\u00ad\nPaul vu", "Jean-\nPaul", "Jean\u00ad\nPaul"),
        ("Du\u00ad\npont vu", "Dupont", "Du\u00ad\npont"),
    ],
)
def test_a_name_is_found_where_it_stands(raw: str, clean_value: str, raw_value: str) -> None:
    alignment = align(raw)
    start = alignment.clean.index(clean_value)
    span = Span(start, start + len(clean_value), "NAME", "model", 0.5)
    (found,) = alignment.to_raw([span])
    assert raw[found.start : found.end] == raw_value
    assert (found.label, found.detector, found.score) == ("NAME", "model", 0.5)
    assert alignment.to_clean([found]) == (span,)


def test_a_span_over_removed_signs_alone_goes() -> None:
    assert align("a\u200b\u200bb").to_clean([Span(1, 3, "X")]) == ()

"""The head without a sequence: its loss against every sequence written out, its spans mended."""

from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.tagger.network import SoftmaxHead
from models.tagger.sequences.tags import TagScheme

LABELS = ("A", "B")
SCHEME = TagScheme(LABELS)
TAGS = st.lists(st.integers(0, len(SCHEME) - 1), max_size=12)


@given(TAGS)
def test_each_word_with_a_tag_is_in_one_span(tags: list[int]) -> None:
    spans = list(SCHEME.repair(tags))
    covered = [word for first, end, _ in spans for word in range(first, end)]
    assert covered == [word for word, tag in enumerate(tags) if tag]
    for first, _, label in spans:
        assert SCHEME.tags[tags[first]][2:] == label


@given(
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2), st.sampled_from(LABELS)), max_size=5)
)
def test_of_a_legal_sequence_the_spans_are_those_that_were_written(
    parts: list[tuple[int, int, str]],
) -> None:
    spans, at = [], 0
    for length, gap, label in parts:
        spans.append((at + gap, at + gap + length, label))
        at += gap + length
    tags = SCHEME.encode(spans, at + 1)
    assert list(SCHEME.repair(tags)) == list(SCHEME.decode(tags)) == spans


@pytest.mark.parametrize(
    ("written", "spans"),
    [
        ("I-A L-A", [(0, 2, "A")]),
        ("B-A O", [(0, 1, "A")]),
        ("B-A L-B", [(0, 1, "A"), (1, 2, "B")]),
        ("B-A B-A", [(0, 1, "A"), (1, 2, "A")]),
        ("U-A I-A", [(0, 1, "A"), (1, 2, "A")]),
        ("I-B U-B L-B", [(0, 1, "B"), (1, 2, "B"), (2, 3, "B")]),
    ],
)
def test_what_is_no_whole_span_is_mended(written: str, spans: list[tuple[int, int, str]]) -> None:
    tags = [SCHEME.tags.index(tag) for tag in written.split()]
    assert list(SCHEME.repair(tags)) == spans


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_the_loss_is_that_of_all_allowed_sequences_together(length: int) -> None:
    torch.manual_seed(length)
    head = SoftmaxHead(("A",))
    scores = torch.randn(1, 5, head.size, dtype=torch.double, requires_grad=True)
    allowed = torch.rand(1, 5, head.size) < 0.5
    allowed[..., 0] |= ~allowed.any(-1)
    shares = scores.detach()[0].softmax(-1)
    each_allowed = [
        torch.stack([shares[word, tag] for word, tag in enumerate(row)]).prod()
        for row in product(range(head.size), repeat=length)
        if all(allowed[0, word, tag] for word, tag in enumerate(row))
    ]
    wanted = torch.stack(each_allowed).sum()
    found = head.loss(scores, torch.tensor([length]), allowed)
    torch.testing.assert_close(found, -wanted.log()[None])
    assert torch.autograd.gradcheck(
        lambda each: head.loss(each, torch.tensor([length]), allowed), scores
    )


def test_spans_are_rated_by_their_words() -> None:
    head = SoftmaxHead(("A",))
    scores = torch.zeros(2, 3, head.size)
    scores[0, 1, 4] = 5.0
    scores[1, :, 1] = 5.0
    first, second = head.decode(scores, torch.tensor([3, 1]))
    assert [span[:3] for span in first] == [(1, 2, "A")]
    assert first[0][3] == pytest.approx(float(1 - scores[0, 1].softmax(-1)[0]))
    assert [span[:3] for span in second] == [(0, 1, "A")]

"""Chains against every sequence written out."""

from itertools import pairwise, product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from models.tagger.network import SingleChainHead, StackedChainHead
from models.tagger.sequences.crf import LinearChainCRF, StackedCRF
from models.tagger.sequences.tags import TagScheme, WordSpan

ONE, TWO = TagScheme(("A",)), TagScheme(("A", "B"))


def _chain(scheme: TagScheme, seed: int, *, learned: bool = True) -> LinearChainCRF:
    torch.manual_seed(seed)
    chain = LinearChainCRF(scheme, learned=learned)
    if learned:
        for parameter in chain.parameters():
            torch.nn.init.normal_(parameter)
    return chain


def _legal(scheme: TagScheme, length: int) -> list[tuple[int, ...]]:
    return [
        tags
        for tags in product(range(len(scheme)), repeat=length)
        if scheme.opening[tags[0]]
        and scheme.closing[tags[-1]]
        and all(scheme.transitions[a, b] for a, b in pairwise(tags))
    ]


def _score(chain: LinearChainCRF, scores: torch.Tensor, tags: tuple[int, ...]) -> float:
    total = sum(scores[word, tag] for word, tag in enumerate(tags))
    total = total + chain.opening[tags[0]] + chain.closing[tags[-1]]
    total = total + sum(chain.transitions[a, b] for a, b in pairwise(tags))
    return float(total.detach())


@pytest.mark.parametrize("scheme", [ONE, TWO], ids=["one label", "two labels"])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("learned", [True, False])
def test_against_every_sequence(scheme: TagScheme, length: int, learned: bool) -> None:
    chain = _chain(scheme, length, learned=learned)
    scores = torch.randn(1, length, len(scheme), dtype=torch.double) * 3
    lengths = torch.tensor([length])
    paths = _legal(scheme, length)
    values = torch.tensor([_score(chain, scores[0], tags) for tags in paths], dtype=torch.double)
    total = values.logsumexp(0)
    assert chain.log_partition(scores, lengths).item() == pytest.approx(total.item(), abs=1e-5)
    shares = torch.zeros(length, len(scheme), dtype=torch.double)
    for tags, share in zip(paths, (values - total).exp(), strict=True):
        for word, tag in enumerate(tags):
            shares[word, tag] += share
    assert torch.allclose(chain.marginals(scores, lengths)[0], shares, atol=1e-6)
    best = tuple(chain.viterbi(scores, lengths)[0].tolist())
    assert best in paths
    assert _score(chain, scores[0], best) == pytest.approx(values.max().item(), abs=1e-6)


def test_what_is_partly_known_is_summed_out() -> None:
    chain = _chain(TWO, 1)
    scores = torch.randn(1, 4, len(TWO), dtype=torch.double)
    allowed = torch.rand(1, 4, len(TWO)) < 0.6
    allowed[:, :, 0] = True
    paths = [
        tags
        for tags in _legal(TWO, 4)
        if all(allowed[0, word, tag] for word, tag in enumerate(tags))
    ]
    values = torch.tensor([_score(chain, scores[0], tags) for tags in paths], dtype=torch.double)
    lengths = torch.tensor([4])
    expected = chain.log_partition(scores, lengths).item() - values.logsumexp(0).item()
    lost = chain.negative_log_likelihood(scores, lengths, allowed)
    assert lost.item() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("stacked", [False, True])
def test_misses_cost_what_was_asked_and_nothing_else_does(stacked: bool) -> None:
    torch.manual_seed(3)
    head = (StackedChainHead if stacked else SingleChainHead)(("A",))
    scores = torch.randn(1, 4, 5, dtype=torch.double)
    gold = (0, 1, 3, 0)  # begin and last: two words between two that are in no span
    allowed = torch.eye(5, dtype=torch.bool)[list(gold)][None]
    told = allowed[:, :, None] if stacked else allowed
    chain = head.chain.chain if isinstance(head, StackedChainHead) else head.chain
    every = [
        _score(chain, scores[0], tags) + 2.5 * sum(tags[at] == 0 for at in (1, 2))
        for tags in _legal(ONE, 4)
    ]
    wanted = torch.tensor(every).logsumexp(0) - _score(chain, scores[0], gold)
    dear = head.with_recall_margin(scores, told, 2.5)
    found = head.loss(dear, torch.tensor([4]), told)
    assert found.item() == pytest.approx(wanted.item(), abs=1e-6)
    assert found.item() > head.loss(scores, torch.tensor([4]), told).item()


def test_a_batch_is_its_sequences_one_by_one() -> None:
    chain = _chain(TWO, 2)
    scores = torch.randn(5, 7, len(TWO))
    lengths = torch.tensor([7, 1, 3, 5, 2])
    together = chain.log_partition(scores, lengths)
    best, shares = chain.viterbi(scores, lengths), chain.marginals(scores, lengths)
    for row, length in enumerate(lengths.tolist()):
        alone = scores[row : row + 1, :length]
        one = torch.tensor([length])
        assert together[row].item() == pytest.approx(chain.log_partition(alone, one).item())
        assert best[row, :length].tolist() == chain.viterbi(alone, one)[0].tolist()
        assert not best[row, length:].any()
        assert torch.allclose(shares[row, :length], chain.marginals(alone, one)[0], atol=1e-6)


def test_gradients() -> None:
    chain = _chain(TWO, 3).double()
    scores = torch.randn(2, 4, len(TWO), dtype=torch.double, requires_grad=True)
    lengths = torch.tensor([4, 3])
    tags = chain.viterbi(scores, lengths)
    allowed = torch.nn.functional.one_hot(tags, len(TWO)).bool()
    assert torch.autograd.gradcheck(
        lambda given: chain.negative_log_likelihood(given, lengths, allowed), (scores,)
    )


def test_no_illegal_sequence_is_ever_decoded() -> None:
    scheme = TagScheme(("A", "B", "C"))
    torch.manual_seed(4)
    for learned in (True, False):
        chain = _chain(scheme, 5, learned=learned)
        scores = torch.randn(50_000, 6, len(scheme)) * 10 ** (torch.rand(50_000, 1, 1) * 4 - 2)
        lengths = torch.randint(1, 7, (50_000,))
        tags = chain.viterbi(scores, lengths).numpy()
        last = tags[np.arange(len(tags)), lengths.numpy() - 1]
        assert scheme.opening[tags[:, 0]].all()
        assert scheme.closing[last].all()
        for word in range(5):
            inside = lengths.numpy() > word + 1
            assert scheme.transitions[tags[inside, word], tags[inside, word + 1]].all()


def test_extreme_scores_stay_finite() -> None:
    chain = _chain(TWO, 6)
    scores = torch.zeros(1, 4, len(TWO))
    scores[0, 1, 2] = 1e4  # inside, though nothing can begin there
    scores[0, 0, 4] = 1e4
    assert torch.isfinite(chain.log_partition(scores, torch.tensor([4]))).all()
    assert torch.isfinite(chain.marginals(scores, torch.tensor([4]))).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_scores_of_any_size_against_every_sequence(seed: int, sizes: list[int]) -> None:
    chain = _chain(ONE, seed)
    scores = torch.randn(len(sizes), max(sizes), len(ONE), dtype=torch.double)
    scores = scores * 10 ** (torch.rand(len(sizes), 1, 1) * 6 - 2)
    lengths = torch.tensor(sizes)
    best, shares = chain.viterbi(scores, lengths), chain.marginals(scores, lengths)
    for row, length in enumerate(sizes):
        paths = _legal(ONE, length)
        values = [_score(chain, scores[row], tags) for tags in paths]
        found = tuple(best[row, :length].tolist())
        assert _score(chain, scores[row], found) == pytest.approx(max(values))
        each = torch.tensor(values, dtype=torch.double).softmax(0)
        expected = torch.zeros(max(sizes), len(ONE), dtype=torch.double)
        for tags, share in zip(paths, each, strict=True):
            expected[torch.arange(length), torch.tensor(tags)] += share
        assert torch.allclose(shares[row], expected, atol=1e-9)


def test_of_equal_sequences_the_same_one_comes_every_time() -> None:
    chain = LinearChainCRF(TWO, learned=False)
    scores = torch.zeros(3, 6, len(TWO))
    tags = chain.viterbi(scores, torch.tensor([6, 6, 6]))
    assert (tags == tags[0]).all()
    assert chain.viterbi(scores, torch.tensor([6, 6, 6])).tolist() == tags.tolist()


@st.composite
def _spans(draw: st.DrawFn) -> tuple[int, list[WordSpan]]:
    length = draw(st.integers(1, 12))
    spans, at = [], 0
    while at < length:
        size = draw(st.integers(1, 4))
        if draw(st.booleans()) and at + size <= length:
            spans.append((at, at + size, draw(st.sampled_from("AB"))))
        at += size
    return length, spans


@given(_spans())
def test_spans_survive_as_tags(drawn: tuple[int, list[WordSpan]]) -> None:
    length, spans = drawn
    tags = TWO.encode(spans, length)
    assert list(TWO.decode(tags)) == spans
    assert TWO.opening[tags[0]]
    assert TWO.closing[tags[-1]]
    assert all(TWO.transitions[a, b] for a, b in pairwise(tags))


def test_spans_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="words 1 to 3"):
        TWO.encode([(0, 2, "A"), (1, 3, "B")], 4)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_stacked_labels_are_chains_of_their_own(seed: int) -> None:
    torch.manual_seed(seed)
    stacked = StackedCRF(("A", "B", "C"))
    scores = torch.randn(2, 5, 3, 5)
    lengths = torch.tensor([5, 3])
    best, shares = stacked.viterbi(scores, lengths), stacked.marginals(scores, lengths)
    allowed = torch.nn.functional.one_hot(best, 5).bool()
    lost = stacked.negative_log_likelihood(scores, lengths, allowed)
    alone = [
        stacked.chain.negative_log_likelihood(scores[:, :, label], lengths, allowed[:, :, label])
        for label in range(3)
    ]
    assert torch.allclose(lost, torch.stack(alone).sum(0))
    for label in range(3):
        part = scores[:, :, label]
        assert (best[:, :, label] == stacked.chain.viterbi(part, lengths)).all()
        assert torch.allclose(
            shares[:, :, label], stacked.chain.marginals(part, lengths), atol=1e-6
        )

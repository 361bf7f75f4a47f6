"""Linear-chain conditional random fields: partition function, marginals and Viterbi, in batches.

Lafferty et al. (ICML 2001). Sums run in double precision, where the share of a tag may be as small
as 1e-308 of its neighbours' before it vanishes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.tagger.sequences.tags import TagScheme

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

_PARTS = 4


@dataclass(frozen=True)
class ChainInference:
    """Viterbi decoding and marginals of a linear chain, in NumPy.

    Illegal ones are so low that no other scores make up for them. Words beyond a length count for
    nothing. `scores` are (batch, words, tags), `lengths` (batch,) with at least one word each.
    """

    scheme: TagScheme
    transitions: Doubles
    opening: Doubles
    closing: Doubles

    def viterbi(self, scores: Doubles, lengths: Integers) -> Integers:
        """Return the most probable legal sequences, 0 beyond their length. (batch, words)

        Of equally probable ones the same is given every time (Viterbi 1967).
        """
        rows = np.argsort(-lengths, kind="stable")
        lengths = lengths[rows]
        forward = self._forward_layout()
        (values,) = _forward_scores(
            [forward], scores[None, rows][..., forward.order], np.maximum, _max_over_ends
        )
        tag = (values[np.arange(len(rows)), lengths - 1] + self.closing[forward.order]).argmax(-1)
        tags = np.zeros(scores.shape[:2], dtype=np.int64)
        arriving = np.ascontiguousarray(forward.leaving.T)  # (tags after, tags before)
        tags[np.arange(len(rows)), lengths - 1] = forward.order[tag]
        for word in range(scores.shape[1] - 2, -1, -1):
            longer = int(np.searchsorted(-lengths, -word - 1))
            before = (values[:longer, word] + arriving[tag[:longer]]).argmax(-1)
            tag[:longer] = before
            tags[:longer, word] = forward.order[before]
        given = np.empty_like(tags)
        given[rows] = tags
        return given

    def marginals(self, scores: Doubles, lengths: Integers) -> Doubles:
        """Return the probability of each tag at each word, 0 beyond a length; shape as `scores`.

        Sums run forward and backward in logarithms, so that nothing vanishes (Rabiner 1989).
        """
        forward, backward = self._forward_layout(), self._backward_layout()
        words = np.arange(scores.shape[1])
        inside = words < lengths[:, None]
        reversed_words = np.where(inside, lengths[:, None] - 1 - words, words)[..., None]
        both = np.stack(
            [
                scores[..., forward.order],
                np.take_along_axis(scores, reversed_words, axis=1)[..., backward.order],
            ]
        )
        values = _forward_scores([forward, backward], both, np.logaddexp, _logsumexp_over_ends)
        sums = np.empty_like(both)  # (2, batch, words, tags), of both in the order of the scheme
        sums[0][..., forward.order] = values[0]
        sums[1][..., backward.order] = values[1]
        joined = sums[0] + np.take_along_axis(sums[1], reversed_words, axis=1) - scores
        # All sequences have some tag at the first word.
        highest = joined[:, :1].max(-1, keepdims=True)
        total = np.log(np.exp(joined[:, :1] - highest).sum(-1, keepdims=True)) + highest
        shares: Doubles = np.exp(np.where(inside[..., None], joined - total, -np.inf))
        return shares

    def _forward_layout(self) -> "_TagLayout":
        return _TagLayout(self.transitions, self.opening, _groups(self.scheme))

    def _backward_layout(self) -> "_TagLayout":
        begin, inside, last, unit = _groups(self.scheme)
        return _TagLayout(self.transitions.T, self.closing, (last, inside, begin, unit))


def _groups(scheme: TagScheme) -> tuple[Integers, ...]:
    labels = len(scheme.labels)
    return tuple(1 + np.arange(labels * _PARTS).reshape(labels, _PARTS).T)


class _TagLayout:
    """Tags ordered so that each kind of them is a slice, and transition scores between them."""

    def __init__(
        self, transitions: Doubles, opening: Doubles, groups: tuple[Integers, ...]
    ) -> None:
        begin, inside, last, unit = groups
        labels = len(begin)
        self.order = np.concatenate([begin, [0], unit, last, inside])
        self.begin = slice(labels)
        self.starts = slice(2 * labels + 1)  # begin, outside, unit
        self.ends = slice(labels, 3 * labels + 1)  # outside, unit, last
        self.inner = slice(2 * labels + 1, 4 * labels + 1)  # last, inside
        self.inside = slice(3 * labels + 1, 4 * labels + 1)
        self.opening = opening[self.order]
        self.leaving = transitions[np.ix_(self.order, self.order)]
        self.entering = np.ascontiguousarray(self.leaving[self.ends, self.starts])
        # (2, labels): to the last word of a span, and on inside of it
        self.from_begin = np.stack([transitions[begin, to] for to in (last, inside)])
        self.from_inside = np.stack([transitions[inside, to] for to in (last, inside)])


_Join = Callable[[Doubles, Doubles], Doubles]
_Entered = Callable[[Doubles, Doubles], Doubles]


def _forward_scores(
    layouts: list[_TagLayout], scores: Doubles, either: _Join, entered: _Entered
) -> Doubles:
    """Return the value of all prefixes by their last tag, in each direction.

    `scores` are (directions, batch, words, tags); `either` joins the values of two ways to a tag,
    `entered` those of all ways to the starts of spans.
    """
    one = layouts[0]
    entering = np.stack([each.entering for each in layouts])  # (directions, ends, starts)
    if entered is _logsumexp_over_ends:
        entering = np.exp(entering)
    from_begin, from_inside = (
        np.stack([getattr(each, name) for each in layouts])[:, None]  # (directions, 1, 2, labels)
        for name in ("from_begin", "from_inside")
    )
    values = np.empty_like(scores)
    values[:, :, 0] = scores[:, :, 0] + np.stack([each.opening for each in layouts])[:, None]
    inner = (*scores.shape[:2], -1)
    for word in range(1, scores.shape[2]):
        before, now = values[:, :, word - 1], values[:, :, word]
        now[..., one.starts] = entered(before[..., one.ends], entering)
        begun = before[..., None, one.begin] + from_begin
        going = before[..., None, one.inside] + from_inside
        now[..., one.inner] = either(begun, going).reshape(inner)
        now += scores[:, :, word]
    return values


def _max_over_ends(before: Doubles, entering: Doubles) -> Doubles:
    """Return the best score of entering from a tag that leaves no span open.

    The maximum over rows takes two thirds of the time of one within them.
    """
    highest: Doubles = (before[..., None] + entering[:, None]).max(-2)
    return highest


def _logsumexp_over_ends(before: Doubles, shares: Doubles) -> Doubles:
    """Return the log-sum of entering; `shares` (directions, ends, starts)."""
    highest = before.max(-1, keepdims=True)
    summed: Doubles = np.log(np.exp(before - highest) @ shares)
    summed += highest
    return summed


_NEVER = -1e30


class LinearChainCRF(nn.Module):
    """A CRF over tag sequences in which some transitions are illegal.

    With `learned`, legal transitions, first and last tags have scores of their own; else these
    are 0. A sequence's score is the sum of its emissions and transitions. Shapes: `scores` are
    (batch, words, tags), `lengths` (batch,) with at least one word each; words beyond a length
    count for nothing.
    """

    transitions: Tensor
    opening: Tensor
    closing: Tensor

    def __init__(self, scheme: TagScheme, *, learned: bool) -> None:
        super().__init__()
        self.scheme = scheme
        for name in ("transitions", "opening", "closing"):
            illegal = torch.where(torch.from_numpy(getattr(scheme, name)), 0.0, _NEVER)
            self.register_buffer(f"_illegal_{name}", illegal, persistent=False)
            parameter = nn.Parameter(torch.zeros_like(illegal), requires_grad=learned)
            self.register_parameter(name, parameter)

    def log_partition(
        self, scores: Tensor, lengths: Tensor, allowed: Tensor | None = None
    ) -> Tensor:
        """Return the logarithm of the sum over all legal sequences. (batch,)

        `allowed` (batch, words, tags) leaves only some tags at some words: what is known of the
        true sequence, in whole or in part.
        """
        # Cut once: the gradient of each single cut would be as large as all scores.
        first, *others = _masked(scores.double(), allowed).unbind(1)
        step = self._legal_scores("transitions").exp()
        alpha = first + self._legal_scores("opening")
        final = alpha
        for word, score in enumerate(others, start=1):
            highest = alpha.amax(-1, keepdim=True)
            summed = (alpha - highest).exp() @ step
            alpha = summed.clamp_min(1e-300).log() + highest + score
            final = torch.where((lengths > word)[:, None], alpha, final)
        return (final + self._legal_scores("closing")).logsumexp(-1)

    def negative_log_likelihood(self, scores: Tensor, lengths: Tensor, allowed: Tensor) -> Tensor:
        """Return the negative log-likelihood of the allowed tag sequences. (batch,)

        Where one tag is allowed at each word this is the usual loss; where several are, the
        unknown ones are summed out (Tsuboi et al., COLING 2008).
        """
        both = torch.cat([scores, _masked(scores, allowed)])
        whole, constrained = self.log_partition(both, lengths.repeat(2)).chunk(2)
        return whole - constrained

    @torch.no_grad()
    def marginals(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the probability of each tag at each word;
        0 beyond a length. (batch, words, tags)
        """
        return torch.from_numpy(self._inference().marginals(*_arrays(scores, lengths))).to(scores)

    @torch.no_grad()
    def viterbi(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the most probable legal sequences, 0 beyond their length. (batch, words)

        Of equally probable ones the same is given every time.
        """
        return torch.from_numpy(self._inference().viterbi(*_arrays(scores, lengths))).to(
            scores.device
        )

    def _inference(self) -> ChainInference:
        # Word follows word: the few numbers of a step are cheaper in NumPy, on a GPU even more.
        each = (
            self._legal_scores(name).detach().cpu().numpy()
            for name in ("transitions", "opening", "closing")
        )
        return ChainInference(self.scheme, *each)

    def _legal_scores(self, name: str) -> Tensor:
        parameter: Tensor = getattr(self, name)
        illegal: Tensor = getattr(self, f"_illegal_{name}")
        return parameter.double() + illegal.double()


def _arrays(scores: Tensor, lengths: Tensor) -> tuple[Doubles, Integers]:
    return scores.detach().cpu().double().numpy(), lengths.cpu().numpy()


def _masked(scores: Tensor, allowed: Tensor | None) -> Tensor:
    return scores if allowed is None else scores.masked_fill(~allowed, _NEVER)


class StackedCRF(nn.Module):
    """One chain per label over five scores each, so that spans of two labels may nest.

    Transitions are legal or not and have no scores (Wajsburt et al., EDS-NLP). Shapes as in
    `LinearChainCRF`, with `scores` of (batch, words, labels, 5).
    """

    def __init__(self, labels: tuple[str, ...]) -> None:
        super().__init__()
        self.labels = labels
        self.chain = LinearChainCRF(TagScheme(("",)), learned=False)

    def negative_log_likelihood(self, scores: Tensor, lengths: Tensor, allowed: Tensor) -> Tensor:
        """Return the negative log-likelihood of the allowed tags, summed over labels. (batch,)"""
        flat, each = self._flat(scores, lengths)
        lost = self.chain.negative_log_likelihood(flat, each, self._flat(allowed, lengths)[0])
        return lost.reshape(len(scores), -1).sum(-1)

    def marginals(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the probability of each tag of each label. (batch, words, labels, 5)"""
        shares = self.chain.marginals(*self._flat(scores, lengths))
        return _unflatten(shares, len(scores))

    def viterbi(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the best legal sequence of each label. (batch, words, labels)"""
        tags = self.chain.viterbi(*self._flat(scores, lengths))
        return _unflatten(tags, len(scores))

    def _flat(self, scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        labels = scores.shape[2]
        return scores.transpose(1, 2).flatten(0, 1), lengths.repeat_interleave(labels)


def _unflatten(flat: Tensor, batch: int) -> Tensor:
    # (batch * labels, words, ...) -> (batch, words, labels, ...)
    return flat.reshape(batch, -1, *flat.shape[1:]).transpose(1, 2)

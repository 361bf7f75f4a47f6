"""Linear-chain conditional random fields: exact sums, marginals and best sequences, in batches.

Lafferty et al. (ICML 2001). Sums run in double precision, where the share of a tag may be as small
as 1e-308 of its neighbours' before it vanishes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.tagger.sequences.tags import Scheme

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

_PARTS = 4


@dataclass(frozen=True)
class Steps:
    """Scores of transitions (tags, tags), of first and of last tags, in the order of a scheme.

    Illegal ones are so low that no other scores make up for them. Words beyond a length count for
    nothing. `scores` are (batch, words, tags), `lengths` (batch,) with at least one word each.
    """

    scheme: Scheme
    transitions: Doubles
    opening: Doubles
    closing: Doubles

    def best(self, scores: Doubles, lengths: Integers) -> Integers:
        """Return the most probable legal sequences, 0 beyond their length. (batch, words)

        Of equally probable ones the same is given every time (Viterbi 1967).
        """
        rows = np.argsort(-lengths, kind="stable")
        lengths = lengths[rows]
        ahead = self._ahead()
        (values,) = _values([ahead], scores[None, rows][..., ahead.order], np.maximum, _best)
        tag = (values[np.arange(len(rows)), lengths - 1] + self.closing[ahead.order]).argmax(-1)
        tags = np.zeros(scores.shape[:2], dtype=np.int64)
        arriving = np.ascontiguousarray(ahead.leaving.T)  # (tags after, tags before)
        tags[np.arange(len(rows)), lengths - 1] = ahead.order[tag]
        for word in range(scores.shape[1] - 2, -1, -1):
            longer = int(np.searchsorted(-lengths, -word - 1))
            before = (values[:longer, word] + arriving[tag[:longer]]).argmax(-1)
            tag[:longer] = before
            tags[:longer, word] = ahead.order[before]
        given = np.empty_like(tags)
        given[rows] = tags
        return given

    def marginals(self, scores: Doubles, lengths: Integers) -> Doubles:
        """Return the probability of each tag at each word, 0 beyond a length; shape as `scores`.

        Sums run forward and backward in logarithms, so that nothing vanishes (Rabiner 1989).
        """
        ahead, behind = self._ahead(), self._behind()
        words = np.arange(scores.shape[1])
        inside = words < lengths[:, None]
        turned = np.where(inside, lengths[:, None] - 1 - words, words)[..., None]
        both = np.stack(
            [
                scores[..., ahead.order],
                np.take_along_axis(scores, turned, axis=1)[..., behind.order],
            ]
        )
        values = _values([ahead, behind], both, np.logaddexp, _summed)
        sums = np.empty_like(both)  # (2, batch, words, tags), of both in the order of the scheme
        sums[0][..., ahead.order] = values[0]
        sums[1][..., behind.order] = values[1]
        joined = sums[0] + np.take_along_axis(sums[1], turned, axis=1) - scores
        # All sequences have some tag at the first word.
        highest = joined[:, :1].max(-1, keepdims=True)
        total = np.log(np.exp(joined[:, :1] - highest).sum(-1, keepdims=True)) + highest
        shares: Doubles = np.exp(np.where(inside[..., None], joined - total, -np.inf))
        return shares

    def _ahead(self) -> "_Laid":
        return _Laid(self.transitions, self.opening, _groups(self.scheme))

    def _behind(self) -> "_Laid":
        begin, inside, last, unit = _groups(self.scheme)
        return _Laid(self.transitions.T, self.closing, (last, inside, begin, unit))


def _groups(scheme: Scheme) -> tuple[Integers, ...]:
    labels = len(scheme.labels)
    return tuple(1 + np.arange(labels * _PARTS).reshape(labels, _PARTS).T)


class _Laid:
    """Tags laid out so that each kind of them is a slice, and the scores of steps between them."""

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


def _values(laid: list[_Laid], scores: Doubles, either: _Join, entered: _Entered) -> Doubles:
    """Return the value of all sequences up to each word by their last tag, in each direction.

    `scores` are (directions, batch, words, tags); `either` joins the values of two ways to a tag,
    `entered` those of all ways to the starts of spans.
    """
    one = laid[0]
    entering = np.stack([each.entering for each in laid])  # (directions, ends, starts)
    if entered is _summed:
        entering = np.exp(entering)
    from_begin, from_inside = (
        np.stack([getattr(each, name) for each in laid])[:, None]  # (directions, 1, 2, labels)
        for name in ("from_begin", "from_inside")
    )
    values = np.empty_like(scores)
    values[:, :, 0] = scores[:, :, 0] + np.stack([each.opening for each in laid])[:, None]
    inner = (*scores.shape[:2], -1)
    for word in range(1, scores.shape[2]):
        before, now = values[:, :, word - 1], values[:, :, word]
        now[..., one.starts] = entered(before[..., one.ends], entering)
        begun = before[..., None, one.begin] + from_begin
        going = before[..., None, one.inside] + from_inside
        now[..., one.inner] = either(begun, going).reshape(inner)
        now += scores[:, :, word]
    return values


def _best(before: Doubles, entering: Doubles) -> Doubles:
    """Return the best value of coming from where no span is open.

    The maximum over rows takes two thirds of the time of one within them.
    """
    best: Doubles = (before[..., None] + entering[:, None]).max(-2)
    return best


def _summed(before: Doubles, shares: Doubles) -> Doubles:
    """Return the logarithm of the sum of coming from there; `shares` (directions, ends, starts)."""
    highest = before.max(-1, keepdims=True)
    summed: Doubles = np.log(np.exp(before - highest) @ shares)
    summed += highest
    return summed


_NEVER = -1e30


class LinearChain(nn.Module):
    """Scores sequences of tags of which some transitions are illegal.

    With `learned`, legal transitions, first and last tags have scores of their own; else these
    are 0. A sequence's score is the sum of its emissions and transitions. Shapes: `scores` are
    (batch, words, tags), `lengths` (batch,) with at least one word each; words beyond a length
    count for nothing.
    """

    transitions: Tensor
    opening: Tensor
    closing: Tensor

    def __init__(self, scheme: Scheme, *, learned: bool) -> None:
        super().__init__()
        self.scheme = scheme
        for name in ("transitions", "opening", "closing"):
            illegal = torch.where(torch.from_numpy(getattr(scheme, name)), 0.0, _NEVER)
            self.register_buffer(f"_illegal_{name}", illegal, persistent=False)
            learnt = nn.Parameter(torch.zeros_like(illegal), requires_grad=learned)
            self.register_parameter(name, learnt)

    def log_partition(
        self, scores: Tensor, lengths: Tensor, allowed: Tensor | None = None
    ) -> Tensor:
        """Return the logarithm of the sum over all legal sequences. (batch,)

        `allowed` (batch, words, tags) leaves only some tags at some words: what is known of the
        true sequence, in whole or in part.
        """
        # Cut once: the gradient of each single cut would be as large as all scores.
        first, *others = _masked(scores.double(), allowed).unbind(1)
        step = self._steps().exp()
        alpha = first + self._edge("opening")
        final = alpha
        for word, score in enumerate(others, start=1):
            highest = alpha.amax(-1, keepdim=True)
            summed = (alpha - highest).exp() @ step
            alpha = summed.clamp_min(1e-300).log() + highest + score
            final = torch.where((lengths > word)[:, None], alpha, final)
        return (final + self._edge("closing")).logsumexp(-1)

    def negative_log_likelihood(self, scores: Tensor, lengths: Tensor, allowed: Tensor) -> Tensor:
        """Return how surprising the sequences are that use allowed tags alone. (batch,)

        Where one tag is allowed at each word this is the usual loss; where several are, the
        unknown ones are summed out (Tsuboi et al., COLING 2008).
        """
        both = torch.cat([scores, _masked(scores, allowed)])
        whole, asked = self.log_partition(both, lengths.repeat(2)).chunk(2)
        return whole - asked

    @torch.no_grad()
    def marginals(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the probability of each tag at each word;
        0 beyond a length. (batch, words, tags)
        """
        return torch.from_numpy(self._fixed().marginals(*_arrays(scores, lengths))).to(scores)

    @torch.no_grad()
    def best(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the most probable legal sequences, 0 beyond their length. (batch, words)

        Of equally probable ones the same is given every time.
        """
        return torch.from_numpy(self._fixed().best(*_arrays(scores, lengths))).to(scores.device)

    def _fixed(self) -> Steps:
        # Word follows word: the few numbers of a step are cheaper in NumPy, on a GPU even more.
        each = (
            self._edge(name).detach().cpu().numpy()
            for name in ("transitions", "opening", "closing")
        )
        return Steps(self.scheme, *each)

    def _steps(self) -> Tensor:
        return self._edge("transitions")

    def _edge(self, name: str) -> Tensor:
        learnt: Tensor = getattr(self, name)
        illegal: Tensor = getattr(self, f"_illegal_{name}")
        return learnt.double() + illegal.double()


def _arrays(scores: Tensor, lengths: Tensor) -> tuple[Doubles, Integers]:
    return scores.detach().cpu().double().numpy(), lengths.cpu().numpy()


def _masked(scores: Tensor, allowed: Tensor | None) -> Tensor:
    return scores if allowed is None else scores.masked_fill(~allowed, _NEVER)


class Stacked(nn.Module):
    """One chain for each label over its own five scores, so that spans of two labels may nest.

    Transitions are legal or not and have no scores (Wajsburt et al., EDS-NLP). Shapes as in
    `LinearChain`, with `scores` of (batch, words, labels, 5).
    """

    def __init__(self, labels: tuple[str, ...]) -> None:
        super().__init__()
        self.labels = labels
        self.chain = LinearChain(Scheme(("",)), learned=False)

    def negative_log_likelihood(self, scores: Tensor, lengths: Tensor, allowed: Tensor) -> Tensor:
        """Return how surprising the allowed tags are, summed over labels. (batch,)"""
        flat, each = self._flat(scores, lengths)
        lost = self.chain.negative_log_likelihood(flat, each, self._flat(allowed, lengths)[0])
        return lost.reshape(len(scores), -1).sum(-1)

    def marginals(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the probability of each tag of each label. (batch, words, labels, 5)"""
        shares = self.chain.marginals(*self._flat(scores, lengths))
        return _apart(shares, len(scores))

    def best(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Return the best legal sequence of each label. (batch, words, labels)"""
        tags = self.chain.best(*self._flat(scores, lengths))
        return _apart(tags, len(scores))

    def _flat(self, scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        labels = scores.shape[2]
        return scores.transpose(1, 2).flatten(0, 1), lengths.repeat_interleave(labels)


def _apart(flat: Tensor, batch: int) -> Tensor:
    # (batch * labels, words, ...) -> (batch, words, labels, ...)
    return flat.reshape(batch, -1, *flat.shape[1:]).transpose(1, 2)

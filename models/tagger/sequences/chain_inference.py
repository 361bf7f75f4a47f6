"""Decoding of linear-chain conditional random fields in NumPy: Viterbi and marginals, in batches.

Lafferty et al. (ICML 2001). Sums run in double precision, where the share of a tag may be as small
as 1e-308 of its neighbours' before it vanishes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.tagger.sequences.tags import TagScheme

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

NEVER = -1e30
"""The score of what is illegal."""

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

    @classmethod
    def of_learned(
        cls, scheme: TagScheme, transitions: Doubles, opening: Doubles, closing: Doubles
    ) -> "ChainInference":
        """Return the inference with learned scores, in which illegal transitions get `NEVER`."""
        return cls(
            scheme,
            transitions + np.where(scheme.transitions, 0.0, NEVER),
            opening + np.where(scheme.opening, 0.0, NEVER),
            closing + np.where(scheme.closing, 0.0, NEVER),
        )

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

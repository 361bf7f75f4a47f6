"""Best sequences of tags and how probable each tag is, in NumPy: a few short calls a word.

Any tag that ends a span, or is outside, may come before any that starts one, or is outside: a full
table. What is inside of a span can follow two tags alone. So tags are laid out as begin, outside,
unit, last and inside, where each of these groups is a slice. Read from the end of a text, begin and
last change places, and all else stays: sums run from both ends side by side.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

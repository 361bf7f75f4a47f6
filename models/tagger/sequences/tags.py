"""The BILOU tagging scheme: spans as tags of words, and legal tag transitions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Booleans = NDArray[np.bool_]
WordSpan = tuple[int, int, str]
"""First word, last word (exclusive) and label."""

_PARTS = "BILU"


@dataclass(frozen=True)
class TagScheme:
    """The tags of a set of labels: `O` is 0, then begin, inside, last and unit of each label.

    Ratinov and Roth (CoNLL 2009) name the encoding BILOU.
    """

    labels: tuple[str, ...]

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The names of the tags, in order."""
        return ("O", *(f"{part}-{label}" for label in self.labels for part in _PARTS))

    def __len__(self) -> int:
        return 1 + len(_PARTS) * len(self.labels)

    @cached_property
    def transitions(self) -> Booleans:
        """Return which tag may follow which. (tags before, tags after)"""
        return np.array(
            [[_may_follow(before, after) for after in self.tags] for before in self.tags]
        )

    @cached_property
    def opening(self) -> Booleans:
        """Return which tags may come first. (tags,)"""
        return np.array([tag[0] in "OBU" for tag in self.tags])

    @cached_property
    def closing(self) -> Booleans:
        """Return which tags may come last. (tags,)"""
        return np.array([tag[0] in "OLU" for tag in self.tags])

    def encode(self, spans: Iterable[WordSpan], length: int) -> list[int]:
        """Write disjoint spans as one tag a word. Raises ValueError where spans overlap."""
        tags = [0] * length
        for first, end, label in spans:
            if any(tags[first:end]) or not 0 <= first < end <= length:
                raise ValueError(f"spans must not overlap: words {first} to {end}")
            start = 1 + len(_PARTS) * self.labels.index(label)
            if end - first == 1:
                tags[first] = start + 3
                continue
            tags[first:end] = [start, *[start + 1] * (end - first - 2), start + 2]
        return tags

    def decode(self, tags: Sequence[int]) -> Iterator[WordSpan]:
        """Read spans off a legal sequence of tags."""
        first = 0
        for word, tag in enumerate(tags):
            if tag == 0:
                continue
            number, part = divmod(tag - 1, len(_PARTS))
            if part in (0, 3):
                first = word
            if part in (2, 3):
                yield first, word + 1, self.labels[number]

    def repair(self, tags: Sequence[int]) -> Iterator[WordSpan]:
        """Decode any sequence of tags: each word with a tag but `O` is in a span.

        Of a legal sequence they are those of `decode`.
        """
        first, label = -1, -1
        for word, tag in enumerate((*tags, 0)):
            number, part = divmod(tag - 1, len(_PARTS)) if tag else (-1, 0)
            goes_on = part in (1, 2) and number == label
            if first >= 0 and not goes_on:
                yield first, word, self.labels[label]
                first = -1
            if tag and first < 0:
                first, label = word, number
            if part in (2, 3):
                yield first, word + 1, self.labels[label]
                first = -1


def _may_follow(before: str, after: str) -> bool:
    if before[0] in "BI":
        return after[0] in "IL" and before[2:] == after[2:]
    return after[0] in "OBU"

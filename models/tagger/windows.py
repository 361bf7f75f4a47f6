"""Windows over the words of a note: short enough for an encoder, with context on both sides."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MARGIN = 2
"""Pieces of a window that are no pieces of words: the marks before and after."""

_LEAST_SHARE = 0.7  # of the pieces that a core should have; a cut at a line end may go so low


@dataclass(frozen=True, slots=True)
class Window:
    """Words first to end (exclusive) are encoded together; those of the core are labelled by it.

    first <= core <= core_end <= end. The cores of a note's windows follow one another without
    gaps, each word in exactly one: of the windows that hold the word, the one where it has the
    most context on its poorer side.
    """

    first: int
    core: int
    core_end: int
    end: int


@dataclass(frozen=True, slots=True)
class Cut:
    """How notes are cut: the most pieces of words in a window, and of context on each side."""

    pieces: int = 254
    context: int = 32

    def __post_init__(self) -> None:
        if self.context < 0 or self.pieces < 2 * self.context + 16:
            raise ValueError("a window must hold its context and one word of 16 pieces")


def length(pieces: Sequence[Sequence[int]], window: Window) -> int:
    """Count the pieces of the words of a window, and its marks."""
    return MARGIN + sum(map(len, pieces[window.first : window.end]))


def windows(sizes: Sequence[int], breaks: Sequence[int], cut: Cut) -> list[Window]:
    """Cut a note into windows of nearly equal length, at line ends where any is near enough.

    `sizes` are the pieces of each word, at most 16; `breaks` the words that are line breaks, in
    order. A note that fits is one window; one without words has none.
    """
    words = len(sizes)
    if not words:
        return []
    sums = np.concatenate([[0], np.cumsum(sizes)])  # pieces before each word
    if sums[-1] <= cut.pieces:
        return [Window(0, 0, words, words)]
    behind = np.asarray(breaks, dtype=np.int64) + 1
    most = cut.pieces - 2 * cut.context
    found, start = [], 0
    while start < words:
        end = _core_end(sums, behind, start, most)
        first = int(np.searchsorted(sums, sums[start] - cut.context))
        last = int(np.searchsorted(sums, sums[end] + cut.context, side="right")) - 1
        found.append(Window(min(first, start), start, end, max(last, end)))
        start = end
    return found


def _core_end(sums: np.ndarray, behind: np.ndarray, start: int, most: int) -> int:
    """Choose the word before which the next window's core starts."""
    left = sums[-1] - sums[start]
    if left <= most:
        return len(sums) - 1
    target = left / -(-left // most)
    lowest, highest = (
        int(np.searchsorted(sums, sums[start] + share, side="right")) - 1
        for share in (target * _LEAST_SHARE, most)
    )
    nearest = int(np.searchsorted(sums, sums[start] + target, side="right")) - 1
    at, to = np.searchsorted(behind, [max(lowest, start) + 1, highest + 1])
    if at < to:
        lines = behind[at:to]
        return int(lines[np.abs(sums[lines] - sums[start] - target).argmin()])
    return max(nearest, start + 1)

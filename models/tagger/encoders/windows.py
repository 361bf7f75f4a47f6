"""Windows over the words of a note, short enough for an encoder, with context on both sides."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MARGIN = 2
"""The special tokens of a window: one before and one after its words."""

_LEAST_SHARE = 0.7  # of the pieces that a core should have; a cut at a line end may go so low
# Pieces of context beyond a line end: more of them cost a fifth of the time and change next to
# nothing (docs/benchmarks.md).
_BEYOND_A_LINE = 8


@dataclass(frozen=True, slots=True)
class Window:
    """Words first to end (exclusive) are encoded together; only those of the core are labelled.

    first <= core <= core_end <= end. The cores of a note's windows follow one another without
    gaps, each word in exactly one: of the windows that hold the word, the one where it has the
    most context on its poorer side (where cores are longer than the context).
    """

    first: int
    core: int
    core_end: int
    end: int


@dataclass(frozen=True, slots=True)
class WindowConfig:
    """The most subwords of a window, and of context on each side.

    Where a cut is at a line end there are at most 8 pieces of context beyond it.
    """

    pieces: int = 254
    context: int = 32

    def __post_init__(self) -> None:
        if self.context < 0 or self.pieces < 2 * self.context + 16:
            raise ValueError("must exceed twice the context by at least 16 subwords")


def window_length(pieces: Sequence[Sequence[int]], window: Window) -> int:
    """Return the number of subwords of a window, including special tokens."""
    return MARGIN + sum(map(len, pieces[window.first : window.end]))


def windows(sizes: Sequence[int], breaks: Sequence[int], cut: WindowConfig) -> list[Window]:
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
    starts = np.asarray(breaks, dtype=np.int64) + 1  # words that begin a line
    begin_a_line = set(starts.tolist())
    beyond = min(cut.context, _BEYOND_A_LINE)
    found, start, before = [], 0, beyond
    while start < words:
        end = _core_end(sums, starts, start, cut.pieces - before, cut.context)
        after = beyond if end in begin_a_line else cut.context
        first = int(np.searchsorted(sums, sums[start] - before))
        last = int(np.searchsorted(sums, sums[end] + after, side="right")) - 1
        found.append(Window(min(first, start), start, end, max(last, end)))
        start, before = end, after
    return found


def _core_end(sums: np.ndarray, starts: np.ndarray, start: int, most: int, context: int) -> int:
    """Choose the word before which the next window's core starts.

    `most` are the pieces of the core and of what comes after it.
    """
    left = int(sums[-1] - sums[start])
    to_a_line = most - min(context, _BEYOND_A_LINE)
    if left <= to_a_line:
        return len(sums) - 1
    target = left / -(-left // to_a_line)
    lowest, highest = (
        int(np.searchsorted(sums, sums[start] + share, side="right")) - 1
        for share in (target * _LEAST_SHARE, to_a_line)
    )
    at, to = np.searchsorted(starts, [max(lowest, start) + 1, highest + 1])
    if at < to:
        lines = starts[at:to]
        return int(lines[np.abs(sums[lines] - sums[start] - target).argmin()])
    target = left / -(-left // (most - context))
    nearest = int(np.searchsorted(sums, sums[start] + target, side="right")) - 1
    return max(nearest, start + 1)

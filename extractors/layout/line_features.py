"""Numeric features of lines for the line classifier: position, size, style, words, repetition."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from extractors.document.lines import Box
from extractors.document.page import Page
from record.folding import fold

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

POSITIONS = 64
"""Number of positions that the edges of a line are quantized to."""

BUCKETS = 2048
"""Number of hash buckets of words; bucket 0 means no word."""

WORDS = 8
"""Words of a line that are used; later words say little about its class."""

WINDOW = 128
"""Lines of a page that attend to each other, so that costs grow linearly with longer pages."""


@dataclass(frozen=True, slots=True)
class Features:
    """The lines of one document, page by page, in their order.

    `edges` (lines, 4) are quantized positions, `numbers` is (lines, NUMBERS), `words` (lines,
    WORDS) are the buckets of a line's first words, 0 beyond its end. `windows` are start and end
    (exclusive) of the lines that attend to each other.
    """

    edges: Integers
    numbers: Floats
    words: Integers
    windows: tuple[tuple[int, int], ...]


# The counts of a word are packed into one integer with room for the sums of a line; the bucket
# has the highest bits, so that its overflow does no harm. (shift, bits)
_DIGITS, _CAPITALS, _LETTERS = (0, 8), (8, 8), (16, 8)
_COLON, _STOP, _ADDRESS = (24, 4), (28, 4), (32, 4)
_BUCKET = 36
_LONGEST_WORD = 24
_CACHED_WORDS = 50_000
_LONGEST_CACHED = 80  # addresses and dotted lines recur on every page too
_DIGIT = re.compile(r"\d")
_ADDRESSES = re.compile(r"@|www\.|https?:")


class _Words(dict[str, int]):
    """Maps a word to its packed counts; filled on demand up to a limit."""

    def __missing__(self, word: str) -> int:
        packed = _pack_word(word[:_LONGEST_WORD], word[-1])
        if len(self) < _CACHED_WORDS and len(word) <= _LONGEST_CACHED:
            self[word] = packed
        return packed

    def __repr__(self) -> str:
        return f"<{len(self)} words>"


def _pack_word(word: str, last: str) -> int:
    folded = _DIGIT.sub("0", fold(word))
    stem = folded.strip(".,;:()'\"") or folded
    bucket = 1 + zlib.crc32(stem.encode("utf-8", "surrogatepass")) % (BUCKETS - 1)
    letters = sum(map(str.isalpha, word))
    return (
        bucket << _BUCKET
        | folded.count("0") << _DIGITS[0]
        | sum(map(str.isupper, word)) << _CAPITALS[0]
        | letters << _LETTERS[0]
        | (last == ":") << _COLON[0]
        | (last == ".") << _STOP[0]
        | bool(_ADDRESSES.search(folded)) << _ADDRESS[0]
    )


_WORDS = _Words()


def drop_blank_lines(page: Page) -> Page:
    """Return the page without blank lines, of which word processors draw dozens."""
    lines = tuple([line for line in page.lines if line.text.strip()])
    return page if len(lines) == len(page.lines) else replace(page, lines=lines)


def compute_features(pages: Sequence[Page]) -> Features:
    """Return the features of every line of a document.

    All pages are needed at once, since lines repeated on several pages are headers or footers.
    Blank lines must have been dropped (`drop_blank_lines`), or they count as neighbours. Uses
    `place`, `size`, `bold`, `direction`, `block` and the first words of `text`.
    """
    lines = [line for page in pages for line in page.lines]
    if not lines:
        return _NOTHING
    counts = np.array([len(page.lines) for page in pages], np.int64)
    page_of = np.arange(len(pages)).repeat(counts)
    windows = tuple(_split_windows(counts))
    texts, blocks, _, directions, places, sizes, bold, _ = zip(*lines, strict=True)
    drawn = _line_geometry(places, sizes, bold, directions, blocks)
    paper = np.array([(page.width, page.height) for page in pages], np.float64)
    _rotate_pages(drawn, paper, page_of)
    shares = _relative_edges(drawn, paper, page_of)
    packed, written = _pack_words(texts)
    words = packed >> _BUCKET
    size = _letter_sizes(drawn)
    usual = float(np.sort(size)[len(lines) // 2])
    # One array for all features: allocating one per feature would take longer than computing it.
    numbers = np.empty((NUMBERS, len(lines)))
    numbers[:4] = shares
    _fill_style(numbers[4:11], drawn, size, usual)
    _fill_writing(numbers[11:20], texts, packed, written)
    _fill_paging(numbers[20:25], counts, page_of)
    _fill_repetition(numbers[25:27], words, shares[1], page_of)
    _fill_drawing_order(numbers[27:31], drawn[8], counts, page_of)
    _fill_neighbours(numbers[31:], drawn, usual, windows)
    steps = np.minimum(np.maximum(shares * POSITIONS, 0), POSITIONS - 1)
    return Features(steps.astype(np.int64).T, numbers.T.astype(np.float32), words, windows)


NUMBERS = 4 + 7 + 9 + 5 + 2 + 4 + 10
"""Number of features of a line besides its edges and words."""

_NOTHING = Features(
    np.zeros((0, 4), np.int64),
    np.zeros((0, NUMBERS), np.float32),
    np.zeros((0, WORDS), np.int64),
    (),
)


def _split_windows(counts: Integers) -> Iterator[tuple[int, int]]:
    start = 0
    for count in counts.tolist():
        # Even parts: a last part of two lines would see nothing of its page.
        parts = -(-count // WINDOW)
        for part in range(parts):
            yield start + part * count // parts, start + (part + 1) * count // parts
        start += count


_WINDOWS_PER_STEP = 8  # a few large steps are faster than many small ones


def _line_geometry(
    places: Sequence[Box],
    sizes: Sequence[float],
    bold: Sequence[bool],
    directions: Sequence[tuple[float, float]],
    blocks: Sequence[int],
) -> Doubles:
    # rows: x0, y0, x1, y1, size, bold, dx, dy, block
    lines = len(sizes)
    drawn = np.empty((9, lines))
    drawn[:4] = np.fromiter(chain.from_iterable(places), np.float64, 4 * lines).reshape(-1, 4).T
    drawn[4], drawn[5], drawn[8] = sizes, bold, blocks
    along = np.fromiter(chain.from_iterable(directions), np.float64, 2 * lines)
    drawn[6:8] = along.reshape(-1, 2).T
    if not np.isfinite(drawn).all():
        np.nan_to_num(drawn, copy=False, posinf=1e6, neginf=-1e6)
    return drawn


_DIRECTIONS = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)], np.float64)


def _rotate_pages(drawn: Doubles, paper: Doubles, page_of: Integers) -> None:
    """Rotate, in place, pages whose text mostly does not run from left to right."""
    along = drawn[6] > _ALONG
    if along.all():
        return
    upright = np.bincount(page_of, along, len(paper))
    for page in np.flatnonzero(upright * 2 < np.bincount(page_of, minlength=len(paper))).tolist():
        here = page_of == page
        along = (_DIRECTIONS @ drawn[6:8, here] > _ALONG).sum(1)
        dx, dy = _DIRECTIONS[along.argmax()].tolist()
        turn = np.array([[dx, dy], [-dy, dx]])
        corners = np.sort([turn @ drawn[0:2, here], turn @ drawn[2:4, here]], axis=0)
        # Rotation may move the page across the origin: shift it back by its size.
        corners -= np.minimum(turn @ paper[page], 0)[:, None]
        drawn[:4, here] = corners.reshape(4, -1)
        drawn[6:8, here] = turn @ drawn[6:8, here]
        paper[page] = np.abs(turn @ paper[page])


_ALONG = 0.9  # least cosine of the angle between a line and its direction


def _relative_edges(drawn: Doubles, paper: Doubles, page_of: Integers) -> Doubles:
    """Return the edges as shares of the page's width and height. (4, lines)"""
    size = np.maximum(paper, 1.0).T.take(page_of, axis=1)  # (2, lines)
    shares: Doubles = (drawn[:4].reshape(2, 2, -1) / size).reshape(4, -1)
    np.maximum(shares, -0.1, out=shares)
    np.minimum(shares, 1.1, out=shares)
    return shares


def _letter_sizes(drawn: Doubles) -> Doubles:
    x0, y0, x1, y1, size, _, dx, dy, _ = drawn
    if not (size > 0).all():
        # Where the font size is unknown, it is estimated from the height of the line.
        thickness = np.where(np.abs(dx) >= np.abs(dy), y1 - y0, x1 - x0) / 1.2
        size = np.where(size > 0, size, thickness)
    sizes: Doubles = np.minimum(np.maximum(size, 1.0), 200.0)
    return sizes


def _fill_style(out: Doubles, drawn: Doubles, sizes: Doubles, usual: float) -> None:
    bold, dx = drawn[5], drawn[6]
    np.log(sizes / usual, out=out[0])
    np.minimum(np.maximum(out[0], -1.5), 1.5, out=out[0])
    out[1] = bold
    out[2] = bold.mean()
    out[3] = dx > _ALONG
    out[4] = np.abs(dx) < 0.5
    extent = np.minimum(np.maximum(drawn[2:4] - drawn[:2], 0), 2000)
    np.log1p(extent / usual, out=out[5:7])
    out[5:7] /= 4


def _pack_words(texts: Sequence[str]) -> tuple[Integers, Integers]:
    """Return the packed words of each line, 0 beyond its end (lines, WORDS), and their number."""
    words = [text.split(None, WORDS)[:WORDS] for text in texts]
    counts = np.fromiter(map(len, words), np.int64, len(texts))
    packed = np.zeros((len(texts), WORDS), np.int64)
    found = map(_WORDS.__getitem__, chain.from_iterable(words))
    packed[counts[:, None] > _ORDER] = np.fromiter(found, np.int64, int(counts.sum()))
    return packed, counts


_ORDER = np.arange(WORDS)


def _fill_writing(out: Doubles, texts: Sequence[str], packed: Integers, count: Integers) -> None:
    digits, capitals, letters, colons, _, addresses = _unpack_counts(packed.sum(1))
    last = packed[np.arange(len(texts)), np.maximum(count - 1, 0)]
    length = np.fromiter(map(len, texts), np.float64, len(texts))
    np.divide(digits, np.maximum(digits + letters, 1), out=out[0])
    np.divide(capitals, np.maximum(letters, 1), out=out[1])
    out[2] = (
        _unpack_counts(packed[:, 0])[1] > 0
    )  # the first word has a capital, nearly always its first letter
    out[3] = colons > 0
    out[4:6] = _unpack_counts(last)[3:5]
    out[6] = addresses > 0
    np.divide(count, WORDS, out=out[7])
    np.log1p(np.minimum(length, 400), out=out[8])
    out[8] /= 4


_FIELDS = np.array([_DIGITS, _CAPITALS, _LETTERS, _COLON, _STOP, _ADDRESS])
_SHIFTS, _MASKS = _FIELDS[:, :1], (1 << _FIELDS[:, 1:]) - 1


def _unpack_counts(packed: Integers) -> Integers:
    """Return digits, capitals, letters, colons, full stops and addresses. (6, lines)"""
    fields: Integers = packed >> _SHIFTS & _MASKS
    return fields


def _fill_paging(out: Doubles, counts: Integers, page_of: Integers) -> None:
    pages = len(counts)
    out[0] = page_of == 0
    out[1] = page_of == pages - 1
    out[2] = pages == 1
    out[3] = min(pages, 10) / 10
    out[4] = (np.log1p(np.minimum(counts, 400)) / 5).take(page_of)


def _fill_repetition(out: Doubles, words: Integers, tops: Doubles, page_of: Integers) -> None:
    """Fill in the share of other pages with the same text, and with it at the same height."""
    pages = int(page_of[-1]) + 1
    if pages == 1:
        out[:] = 0
        return
    texts = words @ _MIX
    heights = np.round(tops * 50).astype(np.int64)
    _count_elsewhere(out[0], texts, page_of)
    _count_elsewhere(out[1], texts * 67 + heights, page_of)
    out /= pages - 1


_MIX = np.array([pow(1_000_003, power, 2**40) for power in range(1, WORDS + 1)], np.int64)


def _count_elsewhere(out: Doubles, texts: Integers, page_of: Integers) -> None:
    """Count for each text the other pages that it is on; `page_of` ascends."""
    order = texts.argsort(kind="stable")
    texts, page_of = texts.take(order), page_of.take(order)
    opens = np.ones((2, len(order)), bool)  # a text; a text or a page
    np.not_equal(texts[1:], texts[:-1], out=opens[0, 1:])
    np.logical_or(opens[0, 1:], page_of[1:] != page_of[:-1], out=opens[1, 1:])
    text = opens[0].cumsum() - 1
    out[order] = np.bincount(text, opens[1]).take(text) - 1


def _fill_drawing_order(out: Doubles, blocks: Doubles, counts: Integers, page_of: Integers) -> None:
    number = np.arange(len(page_of)) - (counts.cumsum() - counts).take(page_of)
    opens = np.ones(len(page_of), bool)
    opens[1:] = blocks[1:] - blocks[:-1] + (page_of[1:] - page_of[:-1]) * 1000 != 0
    block = opens.cumsum() - 1
    np.divide(np.minimum(number, 20), 20, out=out[0])
    np.divide(np.minimum(counts.take(page_of) - 1 - number, 20), 20, out=out[1])
    out[2] = opens
    np.log1p(np.minimum(np.bincount(block), 100).take(block), out=out[3])
    out[3] /= 4


def _fill_neighbours(
    out: Doubles, drawn: Doubles, usual: float, windows: Sequence[tuple[int, int]]
) -> None:
    boxes = np.full((4, drawn.shape[1] + 1), _AWAY, np.float32)  # the last one is padding
    np.minimum(np.maximum(drawn[:4] / usual, -_EDGE), _EDGE, out=boxes[:, :-1], casting="unsafe")
    gaps = np.empty((4, drawn.shape[1]), np.float32)
    for first in range(0, len(windows), _WINDOWS_PER_STEP):
        some = windows[first : first + _WINDOWS_PER_STEP]
        lines = slice(some[0][0], some[-1][1])
        starts, ends = np.array(some).T
        order = np.arange((ends - starts).max())
        real = order < (ends - starts)[:, None]  # (windows, length)
        numbers = np.where(real, starts[:, None] + order, -1)
        _compare_lines(gaps[:, lines], out[4:, lines], boxes, numbers, real)
    out[:4] = np.log1p(np.minimum(gaps, _FAR)) / 4
    np.log(out[4:7], out=out[4:7])
    out[4:7] /= 4
    np.minimum(out[7:9], 20, out=out[7:9])
    out[7:9] /= 20


_EDGE = 1e5  # in letter sizes; beyond, float32 cannot separate neighbours
_AWAY = 1e6  # farther from any line than lines are from the origin
_FAR = np.float32(40)
_ALIGNED = np.float32(0.4)  # edges closer than this are aligned


def _compare_lines(
    gaps: Floats, out: Doubles, boxes: Floats, lines: Integers, there: NDArray[np.bool_]
) -> None:
    """Compare the lines of each window with one another; boxes in letter sizes.

    `gaps` (4, lines) receives the distances to the nearest line below, above, right and left;
    `out` (6, lines) the number of lines aligned by middle, left and right edge, the number above
    and below, and the height on the page. The last of the `boxes` is padding, far from all others.
    """
    x0, y0, x1, y1 = boxes.take(lines, axis=1)
    lengths = there.sum(1)
    middle = (y0 + y1) / 2
    down = middle[:, None] - middle[:, :, None]
    right = x0[:, None] - x1[:, :, None]
    aside = right >= 0
    # Lines that are not neighbours get a large distance; multiplying is faster than `np.where`.
    below = np.maximum(down, (aside | aside.transpose(0, 2, 1) | (down <= _ALIGNED)) * _FAR)
    beside = np.maximum(right, ((np.abs(down) > _ALIGNED) | (right <= -0.5)) * _FAR)
    for number, (distances, axis) in enumerate(((below, 2), (below, 1), (beside, 2), (beside, 1))):
        gaps[number] = np.minimum.reduce(distances, axis)[there]
    ordered, smaller, alike = _count_aligned(np.array([middle, x0, x1]))
    out[:3], out[3] = alike[:, there], smaller[0, there]
    np.subtract(np.repeat(lengths - 1, lengths), out[3], out=out[4])
    top = ordered[0, :, 0]
    height = np.maximum(ordered[0, np.arange(len(lengths)), lengths - 1] - top, 1)
    out[5] = ((middle - top[:, None]) / height[:, None])[there]


def _count_aligned(edges: Floats) -> tuple[Floats, Integers, Integers]:
    """Sort each row; count for each edge the smaller ones and the aligned ones."""
    ordered = np.sort(edges)
    length = edges.shape[-1]
    sought = np.concatenate([edges - _ALIGNED, edges + _ALIGNED], axis=-1)
    rows = zip(ordered.reshape(-1, length), sought.reshape(-1, 2 * length), strict=True)
    found = np.array([row.searchsorted(wanted) for row, wanted in rows])
    smaller, up_to = found.reshape(*edges.shape[:2], 2, length).transpose(2, 0, 1, 3)
    return ordered, smaller, up_to - smaller

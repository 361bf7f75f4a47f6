"""What a line looks like, in numbers: where, how large, how written, how often repeated."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from extractors.lines import Line
from extractors.page import Page
from record.folding import fold

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

POSITIONS = 64
"""Steps of a page's width and height in which the edges of a line are told apart."""

BUCKETS = 2048
"""Numbers that words are hashed to; 0 stands for no word."""

WORDS = 8
"""Words of a line that are looked at: what comes later tells little about its class."""

WINDOW = 128
"""Lines of a page that are looked at together: what a page of 10,000 lines costs grows linearly."""


@dataclass(frozen=True, slots=True)
class Features:
    """The lines of one document, page by page, in their order.

    `edges` (lines, 4) are steps of the page, `numbers` is (lines, NUMBERS), `words` (lines, WORDS)
    are the buckets of a line's first words, 0 beyond its end. `windows` are the first and the last
    line (exclusive) of what is looked at together.
    """

    edges: Integers
    numbers: Floats
    words: Integers
    windows: tuple[tuple[int, int], ...]


# What is known of a word is packed into one integer, with room to add up those of a line; the
# bucket comes last, so that sums of it disturb nothing. (shift, bits)
_DIGITS, _CAPITALS, _LETTERS = (0, 8), (8, 8), (16, 8)
_COLON, _STOP, _ADDRESS = (24, 4), (28, 4), (32, 4)
_BUCKET = 36
_LONGEST_WORD = 24
_CACHED_WORDS = 50_000
_LONGEST_CACHED = 80  # addresses and dotted lines, too, come again on every page
_DIGIT = re.compile(r"\d")
_ADDRESSES = re.compile(r"@|www\.|https?:")


class _Words(dict[str, int]):
    """Maps a word to its packed description; filled on demand up to a limit."""

    def __missing__(self, word: str) -> int:
        packed = _packed(word[:_LONGEST_WORD], word[-1])
        if len(self) < _CACHED_WORDS and len(word) <= _LONGEST_CACHED:
            self[word] = packed
        return packed

    def __repr__(self) -> str:
        return f"<{len(self)} words>"


def _packed(word: str, last: str) -> int:
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


def inked(page: Page) -> Page:
    """Give the page without lines that show nothing; word processors draw dozens of them."""
    lines = tuple(line for line in page.lines if line.text and not line.text.isspace())
    return page if len(lines) == len(page.lines) else replace(page, lines=lines)


def features(pages: Sequence[Page]) -> Features:
    """Describe every line of a document; all its pages at once, since repetition tells furniture.

    Lines that show nothing would be counted as neighbours: leave them out (`inked`).

    Reads `place`, `size`, `bold`, `direction`, `block` and the first words of `text`.
    """
    lines = [line for page in pages for line in page.lines]
    if not lines:
        return _NOTHING
    counts = np.array([len(page.lines) for page in pages], np.int64)
    page_of = np.repeat(np.arange(len(pages)), counts)
    windows = tuple(_windows(counts))
    drawn = _drawn(lines)
    paper = np.array([(page.width, page.height) for page in pages], np.float64)
    _turn(drawn, paper, page_of)
    places = _relative(drawn, paper, page_of)
    packed = _written(lines)
    words = packed >> _BUCKET
    sizes = _sizes(drawn)
    usual = float(np.sort(sizes)[len(lines) // 2])
    columns: list[Doubles | Floats] = [
        places.T,
        _style(drawn, sizes, usual),
        _writing(lines, packed),
        _paging(counts, page_of),
        _repetition(words, places, page_of),
        _drawing_order(drawn, counts, page_of),
        _neighbours(drawn, usual, windows),
    ]
    edges = np.clip(places * POSITIONS, 0, POSITIONS - 1).astype(np.int64)
    return Features(edges, np.concatenate(columns).T.astype(np.float32), words, windows)


NUMBERS = 4 + 7 + 9 + 5 + 2 + 4 + 10
"""Numbers that describe a line beside its edges and its words."""

_NOTHING = Features(
    np.zeros((0, 4), np.int64),
    np.zeros((0, NUMBERS), np.float32),
    np.zeros((0, WORDS), np.int64),
    (),
)


def _windows(counts: Integers) -> Iterator[tuple[int, int]]:
    start = 0
    for count in counts.tolist():
        # Even parts: a last part of two lines would know nothing of its page.
        parts = -(-count // WINDOW)
        for part in range(parts):
            yield start + part * count // parts, start + (part + 1) * count // parts
        start += count


def _drawn(lines: Sequence[Line]) -> Doubles:
    # rows: x0, y0, x1, y1, size, bold, dx, dy, block
    numbers = chain.from_iterable(
        (*line.place, line.size, line.bold, *line.direction, line.block) for line in lines
    )
    rows = np.fromiter(numbers, np.float64, 9 * len(lines)).reshape(-1, 9).T
    finite: Doubles = np.nan_to_num(np.ascontiguousarray(rows), posinf=1e6, neginf=-1e6)
    return finite


_DIRECTIONS = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)], np.float64)


def _turn(drawn: Doubles, paper: Doubles, page_of: Integers) -> None:
    """Turn pages, in place, that are mostly written in another direction than left to right."""
    upright = np.bincount(page_of, drawn[6] > _ALONG, len(paper))
    for page in np.flatnonzero(upright * 2 < np.bincount(page_of, minlength=len(paper))).tolist():
        here = page_of == page
        along = (_DIRECTIONS @ drawn[6:8, here] > _ALONG).sum(1)
        dx, dy = _DIRECTIONS[along.argmax()].tolist()
        turn = np.array([[dx, dy], [-dy, dx]])
        corners = np.sort([turn @ drawn[0:2, here], turn @ drawn[2:4, here]], axis=0)
        # What turned to the other side of the origin comes back by the size of the page.
        corners -= np.minimum(turn @ paper[page], 0)[:, None]
        drawn[:4, here] = corners.reshape(4, -1)
        drawn[6:8, here] = turn @ drawn[6:8, here]
        paper[page] = np.abs(turn @ paper[page])


_ALONG = 0.9  # cosine of the angle up to which a line runs along a direction


def _relative(drawn: Doubles, paper: Doubles, page_of: Integers) -> Doubles:
    size = np.maximum(np.tile(paper, 2), 1.0)
    shares: Doubles = drawn[:4].T / size[page_of]
    clipped: Doubles = np.clip(shares, -0.1, 1.1)
    return clipped


def _sizes(drawn: Doubles) -> Doubles:
    # Where nobody knows the size of the letters, the thickness of the line stands in.
    x0, y0, x1, y1, size, _, dx, dy, _ = drawn
    thickness = np.where(np.abs(dx) >= np.abs(dy), y1 - y0, x1 - x0) / 1.2
    sizes: Doubles = np.where(size > 0, size, thickness)
    return sizes.clip(1.0, 200.0)


def _style(drawn: Doubles, sizes: Doubles, usual: float) -> Doubles:
    x0, y0, x1, y1, _, bold, dx, _, _ = drawn
    return np.array(
        [
            np.clip(np.log(sizes / usual), -1.5, 1.5),
            bold,
            np.full_like(bold, bold.mean()),
            dx > _ALONG,
            np.abs(dx) < 0.5,
            np.log1p(np.clip(x1 - x0, 0, 2000) / usual) / 4,
            np.log1p(np.clip(y1 - y0, 0, 2000) / usual) / 4,
        ]
    )


def _written(lines: Sequence[Line]) -> Integers:
    """Give the packed words of each line, 0 beyond its end. (lines, WORDS)"""
    known = _WORDS.__getitem__
    words = [line.text.split(None, WORDS)[:WORDS] for line in lines]
    counts = np.fromiter(map(len, words), np.int64, len(lines))
    packed = np.zeros((len(lines), WORDS), np.int64)
    found = list(map(known, chain.from_iterable(words)))
    packed[counts[:, None] > _ORDER] = found
    return packed


_ORDER = np.arange(WORDS)


def _writing(lines: Sequence[Line], packed: Integers) -> Doubles:
    total = packed.sum(1)
    digits, capitals, letters = (_field(total, field) for field in (_DIGITS, _CAPITALS, _LETTERS))
    count = (packed > 0).sum(1)
    last = packed[np.arange(len(lines)), np.maximum(count - 1, 0)]
    length = np.fromiter((len(line.text) for line in lines), np.float64, len(lines))
    return np.array(
        [
            digits / np.maximum(digits + letters, 1),
            capitals / np.maximum(letters, 1),
            _field(packed[:, 0], _CAPITALS) > 0,  # begins with a capital, nearly always
            _field(total, _COLON) > 0,
            _field(last, _COLON),
            _field(last, _STOP),
            _field(total, _ADDRESS) > 0,
            count / WORDS,
            np.log1p(np.minimum(length, 400)) / 4,
        ]
    )


def _field(packed: Integers, field: tuple[int, int]) -> Integers:
    shift, bits = field
    value: Integers = packed >> shift & (1 << bits) - 1
    return value


def _paging(counts: Integers, page_of: Integers) -> Doubles:
    pages = len(counts)
    return np.array(
        [
            page_of == 0,
            page_of == pages - 1,
            np.full(len(page_of), pages == 1),
            np.full(len(page_of), min(pages, 10) / 10),
            np.log1p(np.minimum(counts, 400)[page_of]) / 5,
        ]
    )


def _repetition(words: Integers, places: Doubles, page_of: Integers) -> Doubles:
    """Give the share of the other pages with the same text, and with it at the same height."""
    pages = int(page_of[-1]) + 1
    if pages == 1:
        return np.zeros((2, len(words)))
    texts = words @ _MIX
    heights = np.round(places[:, 1] * 50).astype(np.int64)
    return np.array([_share(texts, page_of, pages), _share(texts * 67 + heights, page_of, pages)])


_MIX = np.array([pow(1_000_003, power, 2**40) for power in range(1, WORDS + 1)], np.int64)


def _share(texts: Integers, page_of: Integers, pages: int) -> Doubles:
    _, text = np.unique(texts, return_inverse=True)
    on_page = np.unique(text * pages + page_of)
    return (np.bincount(on_page // pages)[text] - 1) / (pages - 1)


def _drawing_order(drawn: Doubles, counts: Integers, page_of: Integers) -> Doubles:
    number = np.arange(len(page_of)) - (np.cumsum(counts) - counts)[page_of]
    before = np.append(-1, np.diff(drawn[8]) + np.diff(page_of) * 1000)
    opens = before != 0
    block = np.cumsum(opens) - 1
    return np.array(
        [
            np.minimum(number, 20) / 20,
            np.minimum(counts[page_of] - 1 - number, 20) / 20,
            opens,
            np.log1p(np.minimum(np.bincount(block)[block], 100)) / 4,
        ]
    )


def _neighbours(drawn: Doubles, usual: float, windows: Sequence[tuple[int, int]]) -> Floats:
    boxes = np.clip(drawn[:4] / usual, -_EDGE, _EDGE).astype(np.float32)
    return np.concatenate([_around(boxes[:, a:b]) for a, b in windows], axis=1)


_EDGE = 1e5  # letter sizes from the origin; beyond them 32-bit floats tell no neighbours apart
_FAR = np.float32(40)
_ALIKE = np.float32(0.4)  # edges nearer than this are in line


def _around(box: Floats) -> Floats:
    """Compare the lines of a window with one another; box in letter sizes. (10, lines)"""
    x0, y0, x1, y1 = box
    middle = (y0 + y1) / 2
    down = middle[None] - middle[:, None]
    right = x0[None] - x1[:, None]
    under, meets = down > _ALIKE, right < 0
    below = np.where(meets & meets.T & under, down, _FAR)
    beside = np.where((under | under.T) < (right > -0.5), right, _FAR)
    gaps = np.array([below.min(1), below.min(0), beside.min(1), beside.min(0)])
    (row, rank), (left, _), (flush, _) = _alike(middle), _alike(x0), _alike(x1)
    alike = np.log([row, left, flush]) / 4
    height = (middle - middle.min()) / max(float(middle.max() - middle.min()), 1.0)
    rest = np.array([rank, box.shape[1] - 1 - rank])
    rest = np.concatenate([np.minimum(rest, 20) / 20, height[None]])
    gaps = np.log1p(np.clip(gaps, 0, _FAR)) / 4
    return np.concatenate([gaps, alike, rest]).astype(np.float32)


def _alike(values: Floats) -> tuple[Integers, Integers]:
    """Count for each value those that are about the same, and those that are smaller."""
    ordered = np.sort(values)
    smaller = ordered.searchsorted(values - _ALIKE)
    return ordered.searchsorted(values + _ALIKE) - smaller, smaller

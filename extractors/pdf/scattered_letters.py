"""Detection of words whose letters are drawn apart, in another order than they are read."""

# mypy: allow-untyped-calls
# PyMuPDF is marked as typed, but most of its methods are not.

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from extractors.document.lines import Box, rotate_upright
from extractors.pdf.mupdf_page import Blocks, MupdfPage

_AFTER_LATIN = "\u0250"
_FEW = 2  # letters drawn at a time
_ENOUGH = 3  # places where a word goes on in another line
_SAME_BASELINE = 0.1  # of the font size
_CLOSE = 0.15  # of the font size; a space is wider
_OVERLAP = 0.3

Direction = tuple[float, float]


class _DrawnWord(NamedTuple):
    """Characters of a line without a space between them."""

    line: int
    direction: Direction
    baseline: float
    start: float
    end: float
    size: float
    text: str


def has_scattered_words(sheet: MupdfPage, blocks: Blocks) -> bool:
    """Return whether words of a page go on in lines that were drawn at another time.

    Letters drawn from left to right make one line, however they are drawn.
    """
    lines = [line for block in blocks for line in block.get("lines", ())]
    if not _any_touch(lines):
        return False
    return count_splits(sheet.characters()) >= _ENOUGH


def _any_touch(lines: Iterable[Mapping[str, Any]]) -> bool:
    # A cheap test, which most pages fail.
    boxes: dict[Direction, list[Box]] = {}
    for line in lines:
        direction = line["dir"]
        box = line["bbox"] if direction == (1.0, 0.0) else _turn(line["bbox"], direction)
        boxes.setdefault(_round(direction), []).append(box)
    return any(_touch(one, other) for row in boxes.values() for one, other in _row_pairs(row))


def _row_pairs(boxes: list[Box]) -> Iterator[tuple[Box, Box]]:
    boxes.sort(key=lambda box: box[1])
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            if other[1] > (one[1] + one[3]) / 2:
                break
            yield one, other


def _touch(one: Box, other: Box) -> bool:
    close = _CLOSE * (one[3] - one[1])
    return max(one[0], other[0]) - min(one[2], other[2]) < close


def count_splits(blocks: Blocks) -> int:
    """Count the places where a word goes on in another line, by `get_text("rawdict")`."""
    lines = [line for block in blocks for line in block.get("lines", ())]
    pieces = [piece for number, line in enumerate(lines) for piece in _pieces(number, line)]
    pieces.sort(key=lambda piece: (piece.direction, piece.baseline))
    splits = 0
    row: list[_DrawnWord] = []
    for piece in pieces:
        if row and not _on_baseline(row[-1], piece):
            splits += _count_in_row(row)
            row = []
        row.append(piece)
    return splits + _count_in_row(row)


def _on_baseline(one: _DrawnWord, other: _DrawnWord) -> bool:
    apart = abs(other.baseline - one.baseline)
    return one.direction == other.direction and apart <= _SAME_BASELINE * other.size


def _count_in_row(row: list[_DrawnWord]) -> int:
    row.sort(key=lambda piece: piece.start)
    return sum(map(_is_split, row, row[1:]))


def _is_split(one: _DrawnWord, other: _DrawnWord) -> bool:
    gap = other.start - one.end
    close = -_OVERLAP * one.size < gap < _CLOSE * one.size
    return (
        one.line != other.line
        and close
        and max(len(one.text), len(other.text)) <= _FEW
        and one.text != other.text  # drawn twice to look bold, or a row of boxes
        and _is_latin(one.text)
        and _is_latin(other.text)
        and abs(one.size - other.size) < 0.1 * one.size
    )


def _is_latin(text: str) -> bool:
    # Other scripts have no words of many letters, or join them otherwise.
    return text.isalnum() and all(char < _AFTER_LATIN for char in text)


def _pieces(number: int, line: Mapping[str, Any]) -> Iterator[_DrawnWord]:
    direction = _round(line["dir"])
    dx, dy = direction
    chars = [(char, span["size"]) for span in line["spans"] for char in span["chars"]]
    start = 0
    for place in range(len(chars) + 1):
        if place < len(chars) and not chars[place][0]["c"].isspace():
            continue
        if place > start:
            word = chars[start:place]
            boxes = [_turn(char["bbox"], direction) for char, _ in word]
            x, y = word[0][0]["origin"]
            yield _DrawnWord(
                line=number,
                direction=direction,
                baseline=y * dx - x * dy,
                start=min(box[0] for box in boxes),
                end=max(box[2] for box in boxes),
                size=max(size for _, size in word),
                text="".join(char["c"] for char, _ in word),
            )
        start = place + 1


def _round(direction: Direction) -> Direction:
    return round(direction[0], 2), round(direction[1], 2)


def _turn(box: Box, direction: Direction) -> Box:
    return box if direction == (1.0, 0.0) else rotate_upright(box, _round(direction))

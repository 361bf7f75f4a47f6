"""Lines of pages to one text, every character of which still knows its page and box."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from statistics import median

from extractors.document.lines import GlyphRun, Line, in_order, share_row
from extractors.document.page import BoxClass, Page, Piece
from extractors.layout.dehyphenation import broken_words

Classes = Sequence[Sequence[BoxClass]]

# Distances between lines, in heights of the page's median line (SPEC of edspdf's aggregator).
_NEW_LINE = 0.2
_NEW_PARAGRAPH = 1.5

_UNFINISHED = re.compile(r"[\w,;(\u00ad-]$")


@dataclass(frozen=True, slots=True)
class PageText:
    """A text and where it lies; the line breaks and blanks put between lines lie nowhere.

    `pieces` are in order and do not overlap; there are none where nobody asked for them.
    """

    text: str = field(repr=False)
    pieces: tuple[Piece, ...] = field(repr=False)


def join(pages: Iterable[Page], classes: Classes | None = None, *, traced: bool = True) -> PageText:
    """Write every line of every page, in reading order; pages are parted by an empty line.

    Neighbours that share a row share a line. They are parted by a space, by a tab where the gap
    is wider than the letters are high. `classes`, when known, are noted on the pieces.
    """
    draft = _Draft()
    for page in pages:
        kinds = _kinds(page, classes)
        draft.new_page(mends=False)
        before: Line | None = None
        for line in in_order(page.lines):
            draft.write(line, _between(before, line) if before else "", before)
            if traced:
                draft.trace(line, page.number, kinds.get(id(line)))
            before = line
    return draft.finish()


def join_kept(
    pages: Iterable[Page], classes: Classes, kept: frozenset[BoxClass], *, traced: bool = True
) -> PageText:
    """Write the lines of the classes `kept`, in reading order, gaps between paragraphs as such.

    A line begins where the page goes down by more than 0.2 of the median height of its lines, a
    paragraph above 1.5 (Wajsburt et al. 2023). A sentence goes on over the end of a page.
    """
    draft = _Draft()
    wanted = tuple(kept)  # members of an enumeration compare faster than they hash
    for page in pages:
        kinds = _kinds(page, classes) if traced else {}
        both = zip(page.lines, classes[page.number], strict=True)
        lines = in_order([line for line, kind in both if kind in wanted and line.text.strip()])
        if not lines:
            continue
        height = median([line.box[3] - line.box[1] for line in lines])
        draft.new_page(mends=True)
        before: Line | None = None
        for line in lines:
            draft.write(line, _gap(before, line, height) if before else "", before)
            if traced:
                draft.trace(line, page.number, kinds[id(line)])
            before = line
    return draft.finish()


def _kinds(page: Page, classes: Classes | None) -> dict[int, BoxClass]:
    if classes is None:
        return {}
    return {id(line): kind for line, kind in zip(page.lines, classes[page.number], strict=True)}


class _Draft:
    """A text under way: what was written, where it lies, and which characters go again."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.breaks: list[int] = []  # parts that are line breaks between lines of one block
        self.traced: list[tuple[int, Line, int, BoxClass | None]] = []  # by part

    def new_page(self, *, mends: bool) -> None:
        if self.parts:
            going_on = mends and bool(_UNFINISHED.search(self.parts[-1].rstrip()))
            self.parts.append("\n" if going_on else "\n\n")

    def write(self, line: Line, by: str, before: Line | None) -> None:
        if by == "\n" and before and before.block == line.block:
            self.breaks.append(len(self.parts))
        self.parts += by, line.text

    def trace(self, line: Line, page: int, kind: BoxClass | None) -> None:
        self.traced.append((len(self.parts) - 1, line, page, kind))

    def finish(self) -> PageText:
        starts = list(accumulate(map(len, self.parts), initial=0))
        text = "".join(self.parts)
        pieces = tuple(
            Piece(
                starts[part] + run.start,
                starts[part] + run.end,
                page,
                run.box,
                line.direction,
                kind,
            )
            for part, line, page, kind in self.traced
            for run in line.runs or (GlyphRun(0, len(line.text), line.place),)
            if run.start < run.end
        )
        within = {starts[part] for part in self.breaks}
        return _without(PageText(text, pieces), _superfluous(text, within))


# All but one of several empty lines.
_EMPTY_LINES = re.compile(r"(?<=\n)(?:[^\S\n]*\n)+(?=[^\S\n]*\n)")


def _superfluous(text: str, within: Set[int]) -> Iterator[tuple[int, int]]:
    """Return the stretches of a draft that go, in no order; they may overlap."""
    yield 0, len(text) - len(text.lstrip())
    yield len(text.rstrip()), len(text)
    blanks = list(_blanks(text))
    yield from blanks
    if blanks or "\n\n\n" in text:
        yield from (match.span() for match in _EMPTY_LINES.finditer(text))
    yield from broken_words(text, within)


def _blanks(text: str) -> Iterator[tuple[int, int]]:
    """Return the blanks at either end of each row."""
    rows = text.split("\n")
    if rows == [row.strip() for row in rows]:
        return
    at = 0
    for row in rows:
        end = at + len(row)
        if row[:1].isspace() or row[-1:].isspace():
            yield at, end - len(row.lstrip())
            yield at + len(row.rstrip()), end
        at = end + 1


def _without(draft: PageText, stretches: Iterable[tuple[int, int]]) -> PageText:
    """Take stretches out of a text; pieces shrink and move along."""
    gone = sorted({stretch for stretch in stretches if stretch[0] < stretch[1]})
    parts: list[str] = []
    moved: list[tuple[int, int]] = []  # (offset before, characters gone before it), ascending
    at = lost = 0
    for first, end in gone:
        if end <= at:
            continue
        start = max(first, at)
        parts.append(draft.text[at:start])
        moved.append((start, lost))
        lost += end - start
        moved.append((end, lost))
        at = end
    parts.append(draft.text[at:])
    text = "".join(parts).replace("\u00ad", "-")  # drawn hyphens; a soft one parted a word
    return PageText(text, tuple(_moved(draft.pieces, moved)))


def _moved(pieces: Iterable[Piece], moved: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    at = 0  # first entry that the pieces to come can meet: pieces ascend as entries do

    def place(offset: int, index: int) -> tuple[int, int]:
        while index < len(moved) and moved[index][0] <= offset:
            index += 1
        if index == 0:
            return offset, 0
        edge, lost = moved[index - 1]
        if index % 2:  # inside a stretch that goes
            return edge - lost, index
        return offset - lost, index

    for piece in pieces:
        start, at = place(piece.start, at)
        end, _ = place(piece.end, at)
        if start < end:
            yield piece._replace(start=start, end=end)


def _between(before: Line, line: Line) -> str:
    gap = line.box[0] - before.box[2]
    height = before.box[3] - before.box[1]
    if not share_row(before, line) or gap < -height / 2:
        return "\n"
    return _blank(before, line, gap, height)


def _gap(before: Line, line: Line, height: float) -> str:
    if line.direction != before.direction:
        return "\n\n"
    left, _, _, bottom = line.box
    _, top, right, base = before.box
    down = bottom - base
    if abs(down) <= _NEW_LINE * height or share_row(before, line):
        gap = left - right
        own = base - top
        if gap > -own / 2:
            return _blank(before, line, gap, own)
    return "\n\n" if down > _NEW_PARAGRAPH * height else "\n"


def _blank(before: Line, line: Line, gap: float, height: float) -> str:
    if before.text[-1:].isspace() or line.text[:1].isspace():
        return "" if gap <= height else "\t"
    return " " if gap <= height else "\t"

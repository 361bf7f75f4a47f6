"""Joining the lines of pages to one text, in which each character can be located on its page.

Words that a line end hyphenated are rejoined.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from statistics import median

from extractors.document.lines import GlyphRun, Line, are_on_same_row, sort_reading_order
from extractors.document.page import LineClass, LocatedText, Page
from extractors.layout.table_rows import join_table_rows
from extractors.plain.plain_text import clean

_BREAK = re.compile("(?<=[^\\W\\d_])(?:\u00ad+|[-\u2010])[^\\S\n]*\n[^\\S\n]*(?=[^\\W\\d_])")
_HYPHEN = re.compile("[-\u2010\u00ad][^\\S\n]*\n")  # fast to search
_BEFORE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*$")
_AFTER = re.compile(r"[^\W\d_]+")

# First halves that keep their hyphen in French, English or Spanish, wherever the line ends.
_KEEPS_HYPHEN = frozenset(
    "after all anti après arc arrière au auto avant bas beau belle best bien brother by ceux "
    "celle celui ci co contre cross demi deux dix double en end entre ex extra face father fine "
    "follow franco full grand grande gros half haut hémi high inter intra ischio là lui long low "
    "maxillo mi micro mid mini mother moyen multi néo non nord nouveau off ouest out over par "
    "passe peut petit petite plus pluri point porte post pre pré pro quasi quatre rendez sacro "
    "sans self semi short sister soi sous sterno sud sur tele tête thoraco three tri trois two "
    "ultra un uni up vaso vice vis well x".split()
)
_LOOK_BACK = 60


def clean_line(raw: str) -> str:
    """Clean one line of a page; a soft hyphen at its end is kept for `find_word_breaks`."""
    if raw.isascii() and raw.isprintable():
        return raw
    stripped = raw.rstrip()
    if stripped.endswith("\u00ad"):
        return clean(stripped.rstrip("\u00ad")) + "\u00ad"
    return clean(raw)


# Characters that cleaning never changes, in any context.
_CLEAN = re.compile("[ -~\xa0-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u20ac]*")


def clean_lines(raws: Sequence[str]) -> Sequence[str]:
    """Clean the lines of a page one by one."""
    if _CLEAN.fullmatch("".join(raws)):
        return raws
    return list(map(clean_line, raws))


def find_word_breaks(text: str, within: Set[int]) -> Iterator[tuple[int, int]]:
    """Return the ranges to remove so that words broken over two lines are rejoined.

    `within` holds the offsets of the line breaks inside a paragraph. There, before a capital
    (`Jean-/Paul`), the line break is removed and the hyphen kept. Before a lowercase letter the
    hyphen is removed too, unless it is part of the word: its first half is known to keep it, or
    the text has the word with its hyphen elsewhere and never without.
    """
    folded = ""
    for hyphen in _HYPHEN.finditer(text):
        start = hyphen.start()
        while text[start] == "\u00ad" == text[start - 1 : start]:
            start -= 1
        match = _BREAK.match(text, start)
        if match is None:
            continue
        end = match.end()
        if text[end].isupper() and text.index("\n", start) not in within:
            continue
        soft = text[start] == "\u00ad"
        folded = folded or text.casefold()
        if soft or _is_hyphen_removed(text, folded, start, end):
            yield (start, end) if text[end].islower() else (start + 1, end)
        else:
            yield start + 1, end


def _is_hyphen_removed(text: str, folded: str, start: int, end: int) -> bool:
    if not text[end].islower() or not text[start - 1].islower():
        return False
    before = _BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    after = _AFTER.match(text, end)
    if before is None or after is None:
        return False
    first, second = before.group().casefold(), after.group().casefold()
    if first in _KEEPS_HYPHEN or len(folded) != len(text):
        return first not in _KEEPS_HYPHEN
    return f"{first}-{second}" not in folded or f"{first}{second}" in folded


Classes = Sequence[Sequence[LineClass]]

# Distances between lines, in heights of the page's median line, as in EDS-PDF's aggregator.
_NEW_LINE = 0.2
_NEW_PARAGRAPH = 1.5

_UNFINISHED = re.compile(r"[\w,;(\u00ad-]$")


@dataclass(frozen=True, slots=True)
class PageText:
    """A text and its position on pages; separators between lines have none.

    `pieces` are in order and do not overlap; they are empty unless requested.
    """

    text: str = field(repr=False)
    pieces: tuple[LocatedText, ...] = field(repr=False)


def join_lines(
    pages: Iterable[Page], classes: Classes | None = None, *, locate: bool = True
) -> PageText:
    """Join every line of every page in reading order, with an empty line between pages.

    Neighbours on the same row become one line, separated by a space, or by a tab where the gap is
    wider than the letters are high; so does each row of a ruled table. `classes`, if given, are
    recorded in the pieces.
    """
    draft = _TextBuilder()
    for page in pages:
        kinds = _class_by_line(page, classes)
        draft.new_page(mends=False)
        before: Line | None = None
        for line, first in _join_rows(sort_reading_order(page.lines), page):
            draft.write(line, _separator(before, line) if before else "", before)
            if locate:
                draft.trace(line, page.number, kinds.get(id(first)))
            before = line
    return draft.finish()


def join_kept_lines(
    pages: Iterable[Page], classes: Classes, kept: frozenset[LineClass], *, locate: bool = True
) -> PageText:
    """Join the lines of the classes `kept` in reading order, split into paragraphs by distance.

    A new line starts where the vertical distance exceeds 0.2 of the median height of the page's
    lines, a new paragraph where it exceeds 1.5 (Wajsburt et al. 2023). An unfinished sentence at
    the end of a page is continued on the next one.
    """
    draft = _TextBuilder()
    wanted = tuple(kept)  # members of an enumeration compare faster than they hash
    for page in pages:
        kinds = _class_by_line(page, classes) if locate else {}
        both = zip(page.lines, classes[page.number], strict=True)
        lines = sort_reading_order(
            [line for line, kind in both if kind in wanted and line.text.strip()]
        )
        if not lines:
            continue
        height = median([line.box[3] - line.box[1] for line in lines])
        draft.new_page(mends=True)
        before: Line | None = None
        for line, first in _join_rows(lines, page):
            draft.write(
                line, _separator_by_distance(before, line, height) if before else "", before
            )
            if locate:
                draft.trace(line, page.number, kinds[id(first)])
            before = line
    return draft.finish()


def _join_rows(lines: Sequence[Line], page: Page) -> Iterable[tuple[Line, Line]]:
    return join_table_rows(lines, page.tables) if page.tables else zip(lines, lines, strict=True)


def _class_by_line(page: Page, classes: Classes | None) -> dict[int, LineClass]:
    if classes is None:
        return {}
    return {id(line): kind for line, kind in zip(page.lines, classes[page.number], strict=True)}


class _TextBuilder:
    """Collects the parts of a text and their positions."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.breaks: list[int] = []  # parts that are line breaks between lines of one block
        self.located: list[tuple[int, Line, int, LineClass | None]] = []  # by part

    def new_page(self, *, mends: bool) -> None:
        if self.parts:
            going_on = mends and bool(_UNFINISHED.search(self.parts[-1].rstrip()))
            self.parts.append("\n" if going_on else "\n\n")

    def write(self, line: Line, by: str, before: Line | None) -> None:
        # The rows of a table have a negative block, and continue no word of the row above.
        if by == "\n" and before and before.block == line.block >= 0:
            self.breaks.append(len(self.parts))
        self.parts += by, line.text

    def trace(self, line: Line, page: int, kind: LineClass | None) -> None:
        self.located.append((len(self.parts) - 1, line, page, kind))

    def finish(self) -> PageText:
        starts = list(accumulate(map(len, self.parts), initial=0))
        text = "".join(self.parts)
        pieces = tuple(
            LocatedText(
                starts[part] + run.start,
                starts[part] + run.end,
                page,
                run.box,
                line.direction,
                kind,
            )
            for part, line, page, kind in self.located
            for run in line.runs or (GlyphRun(0, len(line.text), line.place),)
            if run.start < run.end
        )
        within = {starts[part] for part in self.breaks}
        return _remove(PageText(text, pieces), _find_removals(text, within))


# All but one of several empty lines.
_EMPTY_LINES = re.compile(r"(?<=\n)(?:[^\S\n]*\n)+(?=[^\S\n]*\n)")


def _find_removals(text: str, within: Set[int]) -> Iterator[tuple[int, int]]:
    """Return the ranges of a draft to remove, in no order; they may overlap."""
    yield 0, len(text) - len(text.lstrip())
    yield len(text.rstrip()), len(text)
    blanks = list(_find_outer_blanks(text))
    yield from blanks
    if blanks or "\n\n\n" in text:
        yield from (match.span() for match in _EMPTY_LINES.finditer(text))
    yield from find_word_breaks(text, within)


def _find_outer_blanks(text: str) -> Iterator[tuple[int, int]]:
    """Return the blanks at both ends of each row."""
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


def _remove(draft: PageText, stretches: Iterable[tuple[int, int]]) -> PageText:
    """Remove ranges from a text and adjust its pieces."""
    gone = sorted({stretch for stretch in stretches if stretch[0] < stretch[1]})
    parts: list[str] = []
    moved: list[tuple[int, int]] = []  # (old offset, characters removed before it), ascending
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
    text = "".join(parts).replace("\u00ad", "-")  # soft hyphens that remain are visible ones
    return PageText(text, tuple(_shift_pieces(draft.pieces, moved)))


def _shift_pieces(
    pieces: Iterable[LocatedText], moved: Sequence[tuple[int, int]]
) -> Iterator[LocatedText]:
    at = 0  # first entry that later pieces can reach: both are in ascending order

    def place(offset: int, index: int) -> tuple[int, int]:
        while index < len(moved) and moved[index][0] <= offset:
            index += 1
        if index == 0:
            return offset, 0
        edge, lost = moved[index - 1]
        if index % 2:  # inside a removed range
            return edge - lost, index
        return offset - lost, index

    for piece in pieces:
        start, at = place(piece.start, at)
        end, _ = place(piece.end, at)
        if start < end:
            yield piece._replace(start=start, end=end)


def _separator(before: Line, line: Line) -> str:
    gap = line.box[0] - before.box[2]
    height = before.box[3] - before.box[1]
    if not are_on_same_row(before, line) or gap < -height / 2:
        return "\n"
    return _space_or_tab(before, line, gap, height)


def _separator_by_distance(before: Line, line: Line, height: float) -> str:
    if line.direction != before.direction:
        return "\n\n"
    if line.block == before.block < 0:
        return "\n"  # rows of one table, however far apart
    left, _, _, bottom = line.box
    _, top, right, base = before.box
    down = bottom - base
    if abs(down) <= _NEW_LINE * height or are_on_same_row(before, line):
        gap = left - right
        own = base - top
        if gap > -own / 2:
            return _space_or_tab(before, line, gap, own)
    return "\n\n" if down > _NEW_PARAGRAPH * height else "\n"


def _space_or_tab(before: Line, line: Line, gap: float, height: float) -> str:
    if before.text[-1:].isspace() or line.text[:1].isspace():
        return "" if gap <= height else "\t"
    return " " if gap <= height else "\t"

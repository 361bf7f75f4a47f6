"""Lines of text with labelled identifiers: wrapping, joining, and transcripts with spans."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from record.document import Annotated, Document
from record.span import Span
from synthesis.age_spans import cover_age_units

Measure = Callable[[str], float]

# A word with the blanks before it; a word may also end at a hyphen between letters, where word
# processors break lines. A no-break space is part of a word.
_WORD = re.compile(r"[ \t]*[^ \t]+?(?:(?<=[^\W\d_]-)(?=[^\W\d_])|(?=[ \t])|$)")


@dataclass(frozen=True, slots=True)
class Mark:
    """A labelled range of a line; `continued` if it began on the line before."""

    start: int
    end: int
    label: str
    continued: bool = False


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """One drawn line; marks are sorted and disjoint, offsets are code points of `text`."""

    text: str
    marks: tuple[Mark, ...] = ()

    def cut(self, start: int, end: int) -> "MarkedLine":
        """Return a stretch of the line; a mark that begins before it is continued in it."""
        marks = tuple(
            Mark(
                max(mark.start, start) - start,
                min(mark.end, end) - start,
                mark.label,
                mark.continued if mark.start >= start else True,
            )
            for mark in self.marks
            if mark.start < end and start < mark.end
        )
        return MarkedLine(self.text[start:end], marks)

    def without_continuation(self) -> "MarkedLine":
        """Return the line with every mark independent, as after the end of a page."""
        return replace(self, marks=tuple(replace(mark, continued=False) for mark in self.marks))


def line(*parts: str | tuple[str, str]) -> MarkedLine:
    """Write a line of plain parts and of (value, label) parts; the value may be empty."""
    text = ""
    marks = []
    for part in parts:
        value, label = (part, "") if isinstance(part, str) else part
        if label and value:
            marks.append(Mark(len(text), len(text) + len(value), label))
        text += value
    return MarkedLine(drawable(text), tuple(marks))


def drawable(text: str) -> str:
    """Replace what the standard PDF fonts cannot show (WinAnsi), one code point for one."""
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return "".join(map(_drawable, text))
    return text.replace("\t", " ").replace("\u00ad", "-")


def _drawable(char: str) -> str:
    if char in _LOOKALIKE:
        return _LOOKALIKE[char]
    for candidate in (char, unicodedata.normalize("NFKD", char)[:1]):
        if candidate.encode("cp1252", "ignore"):
            return candidate
    return "?"


_LOOKALIKE = {
    "\t": " ", "\u00ad": "-", "\u202f": "\u00a0", "\u2009": " ", "\u2007": " ", "‑": "-",
    "‐": "-", "−": "-", "≥": ">", "≤": "<", "→": ">", "←": "<", "≈": "~", "☐": "o", "☒": "x",
    "☑": "x", "✓": "x", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i",
}  # fmt: skip


def paragraphs(annotated: Annotated) -> list[MarkedLine]:
    """Take a document apart at its line breaks; blank lines stay, as empty lines."""
    marks = tuple(Mark(s.start, s.end, s.label) for s in sorted(annotated.spans))
    whole = MarkedLine(drawable(annotated.document.text), marks)
    return [whole.cut(start, end) for start, end in _rows(whole.text)]


def _rows(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for row in text.split("\n"):
        yield start, start + len(row.rstrip())
        start += len(row) + 1


def wrap(whole: MarkedLine, width: float, measure: Measure) -> list[MarkedLine]:
    """Break a line at blanks (or hyphens between letters) to fit a width.

    Blanks at a break are dropped; blanks at the head of the line are kept. A word wider than the
    whole width is broken anywhere.
    """
    if measure(whole.text) <= width:
        return [whole]
    return [whole.cut(start, end) for start, end in _breaks(whole.text, width, measure)]


def _breaks(text: str, width: float, measure: Measure) -> Iterator[tuple[int, int]]:
    start, end, used = 0, 0, 0.0
    for word in _WORD.finditer(text):
        size = measure(word.group())
        if end > start and used + size > width:
            yield start, end
            start = word.end() - len(word.group().lstrip(" \t"))
            used, size = 0.0, measure(text[start : word.end()])
        while used + size > width and word.end() - start > 1:
            cut = _widest(text, (start, word.end()), width, measure)
            yield start, cut
            start, used, size = cut, 0.0, measure(text[cut : word.end()])
        end, used = word.end(), used + size
    if end > start:
        yield start, end


def _widest(text: str, stretch: tuple[int, int], width: float, measure: Measure) -> int:
    start, end = stretch
    cut = start + 1
    while cut < end - 1 and measure(text[start : cut + 1]) <= width:
        cut += 1
    return cut


class Transcript:
    """Everything that was drawn, in drawing order, with exact spans.

    Lines are joined by line breaks. An identifier broken over the end of a line is one span over
    the line break; broken over the end of a page it is two, since a footer stands between.
    """

    def __init__(self) -> None:
        self._rows: list[str] = []
        self._spans: list[Span] = []
        self._next = 0

    def write(self, row: MarkedLine) -> None:
        """Add a line."""
        for mark in row.marks:
            start, end = self._next + mark.start, self._next + mark.end
            if mark.continued and self._spans and self._spans[-1].end == self._next - 1:
                start = self._spans.pop().start
            self._spans.append(Span(start, end, mark.label))
        self._rows.append(row.text)
        self._next += len(row.text) + 1

    def annotated(self, document: Document) -> Annotated:
        """Return all lines as that document's text."""
        text = "\n".join(self._rows)
        spans = cover_age_units(text, self._spans)
        return Annotated(replace(document, text=text, origin="pdf"), spans)


def joined(rows: Iterable[MarkedLine], separator: str = " ") -> MarkedLine:
    """Write several lines as one."""
    text = ""
    marks: list[Mark] = []
    for row in rows:
        shift = len(text) + (len(separator) if text else 0)
        text += (separator if text else "") + row.text
        marks += [
            replace(mark, start=mark.start + shift, end=mark.end + shift) for mark in row.marks
        ]
    return MarkedLine(text, tuple(marks))

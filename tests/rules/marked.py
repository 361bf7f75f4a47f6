"""Annotated text in one line: `née le [[12/03/1950|BIRTH_DATE]]`."""

import re
from collections.abc import Callable, Sequence

from record.document import Document
from record.span import Span

_MARK = re.compile(r"\[\[(.+?)\|([A-Z_]+)\]\]", re.DOTALL)

Found = set[tuple[str, str]]


def unmark(marked: str) -> tuple[str, list[tuple[int, int, str]]]:
    """Return the text without its marks, and the marked stretches as (start, end, label)."""
    text, spans, last = "", [], 0
    for match in _MARK.finditer(marked):
        text += marked[last : match.start()]
        spans.append((len(text), len(text) + len(match[1]), match[2]))
        text += match[1]
        last = match.end()
    return text + marked[last:], spans


def mark(text: str, spans: Sequence[Span]) -> str:
    """Write disjoint spans into a text, as `unmark` reads them."""
    out, last = "", 0
    for span in sorted(spans):
        out += f"{text[last : span.start]}[[{text[span.start : span.end]}|{span.label}]]"
        last = span.end
    return out + text[last:]


def detected(detect: Callable[[Document], list[Span]], marked: str) -> str:
    """Run a detector over a marked text stripped of its marks and mark what it found."""
    text, _ = unmark(marked)
    return mark(text, detect(Document("1", text)))


def whole(detect: Callable[[Document], list[Span]], marked: str) -> bool:
    """Return whether a detector finds exactly the one stretch that is marked, with its label."""
    text, spans = unmark(marked)
    return [(s.start, s.end, str(s.label)) for s in detect(Document("1", text))] == spans

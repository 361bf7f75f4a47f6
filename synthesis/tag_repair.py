"""Parsing of generated text with tags, however malformed, into text and spans."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from record.span import Span
from synthesis.markup import PAR

_MARK = re.compile(r"<(?:PAR|LT|UNK|(?P<label>[\w.-]+)_(?P<side>START|END))>")
_REPLACEMENTS = {PAR: "\n", "<LT>": "<", "<UNK>": "\ufffd"}

DETECTOR = "synthetic"
"""Who says that these spans are there."""


@dataclass(frozen=True)
class ParsedText:
    """A text and its spans; `started` counts the start tags there were, kept or not."""

    text: str
    spans: tuple[Span, ...]
    started: int

    @property
    def well_formed(self) -> float:
        """The share of start tags that became spans; 1 where there was none."""
        return len(self.spans) / self.started if self.started else 1.0


@dataclass
class _OpenEntity:
    """An entity that began: its label, and where in the text and in the list of its parts."""

    label: str
    start: int
    place: int


def parse_tags(marked: str) -> ParsedText:
    """Read pairs of tags as spans; tags without a partner are removed, and their text is kept.

    A pair is read where nothing but text stands between its tags: of pairs that nest or cross
    the inner one that is whole is kept. Empty pairs are removed, and so are those around blanks
    and signs alone. A line break inside an entity becomes a blank, so that words do not join.
    """
    text: list[str] = []
    spans: list[Span] = []
    entity: _OpenEntity | None = None
    started = length = 0
    for part, label, side in _parts(marked):
        if label is None:
            text.append(part)
            length += len(part)
        elif side == "START":
            started += 1
            entity = _OpenEntity(label, length, len(text))
        else:
            if entity is not None and entity.label == label:
                inside = text[entity.place :]
                if any(char.isalnum() for part in inside for char in part):
                    spans.append(Span(entity.start, length, label, DETECTOR))
                    text[entity.place :] = [" " if part == "\n" else part for part in inside]
            entity = None
    return ParsedText("".join(text), tuple(spans), started)


def _parts(marked: str) -> Iterator[tuple[str, str | None, str]]:
    """Return stretches of text and tags, in order."""
    at = 0
    for mark in _MARK.finditer(marked):
        if mark.start() > at:
            yield marked[at : mark.start()], None, ""
        at = mark.end()
        if mark["label"] is None:
            yield _REPLACEMENTS[mark[0]], None, ""
        else:
            yield mark[0], mark["label"], mark["side"]
    if at < len(marked):
        yield marked[at:], None, ""

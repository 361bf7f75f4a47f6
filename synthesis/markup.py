"""Conversion of a note and its spans to text with tags and back, without loss.

`Seen by <NAME_START>Smith<NAME_END><PAR>`: tags open and close entities, `<PAR>` is a line break.
Whatever in a note looks like a mark (`<`, a word character, and a `>` before any blank) begins with
`<LT>` instead of `<`, so that every note comes back as it was.
"""

import re
from collections.abc import Iterable

from record.document import Annotated
from record.errors import ConfigError, Unreadable
from record.span import Span

PAR = "<PAR>"
"""The mark of a line break."""

LT = "<LT>"
"""The mark of a `<` that would look like the beginning of a mark."""

_LIKE_A_MARK = re.compile(r"<(?=\w[^<>\s]*>)")
_MARK = re.compile(r"<(?:PAR|LT|(?P<label>[\w.-]+)_(?P<side>START|END))>")
_LABEL = re.compile(r"[\w.-]+")


def start_tag(label: str) -> str:
    """Return the tag that opens an entity."""
    return f"<{label}_START>"


def end_tag(label: str) -> str:
    """Return the tag that closes an entity."""
    return f"<{label}_END>"


def tags_of(labels: Iterable[str]) -> list[str]:
    """Return both tags of each label, in order; raises ConfigError where one cannot be written."""
    tags = []
    for label in sorted(set(labels)):
        if not _LABEL.fullmatch(label):
            problem = f"a label of {len(label)} characters contains characters not allowed in tags"
            raise ConfigError(
                "labels", problem, "rename it using letters, digits, `_`, `.` and `-` only"
            )
        tags += [start_tag(label), end_tag(label)]
    return tags


def encode(note: Annotated) -> str:
    """Write a note with its spans as text with tags.

    Raises Unreadable (`nested-spans`) where spans nest or cross.
    """
    text, parts, at = note.document.text, [], 0
    for span in sorted(note.spans):
        if span.start < at:
            raise Unreadable("nested-spans")
        parts.append(_plain(text[at : span.start]))
        inside = _plain(text[span.start : span.end])
        parts += [start_tag(span.label), inside, end_tag(span.label)]
        at = span.end
    return "".join([*parts, _plain(text[at:])])


def decode(marked: str) -> tuple[str, tuple[Span, ...]]:
    """Read text and spans back.

    Raises Unreadable (`malformed-tags`) where an entity is empty, does not close, or holds
    another one; `synthesis.tag_repair` reads what a model wrote.
    """
    parts: list[str] = []
    spans: list[Span] = []
    length, at = 0, 0
    opened: tuple[str, int] | None = None
    for mark in _MARK.finditer(marked):
        parts.append(marked[at : mark.start()])
        length += mark.start() - at
        at = mark.end()
        label, side = mark["label"], mark["side"]
        if label is None:
            parts.append("\n" if mark[0] == PAR else "<")
            length += 1
        elif side == "START" and opened is None:
            opened = (label, length)
        elif side == "END" and opened is not None and opened[0] == label and opened[1] < length:
            spans.append(Span(opened[1], length, label))
            opened = None
        else:
            raise Unreadable("malformed-tags")
    if opened is not None:
        raise Unreadable("malformed-tags")
    return "".join([*parts, marked[at:]]), tuple(spans)


def _plain(text: str) -> str:
    return _LIKE_A_MARK.sub(LT, text).replace("\n", PAR)

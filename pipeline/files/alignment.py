"""Alignment of offsets between a raw text and the same text after cleaning."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from extractors.plain.plain_text import BACKWARDS, ERASED, TERMINAL, clean
from record.errors import Unreadable
from record.span import Span


@dataclass(frozen=True, slots=True)
class _AlignedPiece:
    """A piece of both texts; aligned character by character if `same`, else as a whole."""

    raw: int
    raw_end: int
    clean: int
    clean_end: int
    same: bool


@dataclass(frozen=True)
class Alignment:
    """A raw text, its clean text, and the alignment of their offsets.

    Where one character became two, or several became one, a span covers all of them.
    """

    raw: str = field(repr=False)
    clean: str = field(repr=False)
    pieces: tuple[_AlignedPiece, ...] = field(repr=False)

    def to_raw(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Return spans of the clean text with offsets of the raw text."""
        if self.raw == self.clean:
            return tuple(spans)
        pieces = [piece for piece in self.pieces if piece.clean < piece.clean_end]
        return tuple(_move_to_raw(span, pieces) for span in spans)

    def to_clean(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Return spans of the raw text with offsets of the clean text, without emptied ones."""
        if self.raw == self.clean:
            return tuple(spans)
        moved = (_move_to_clean(span, self.pieces) for span in spans)
        return tuple(span for span in moved if span is not None)


def align(raw: str) -> Alignment:
    """Clean a text and align it with the raw one.

    Raises Unreadable(`unaligned`) if characters of a rare script make that impossible.
    """
    cleaned = clean(raw)
    if cleaned == raw:
        return Alignment(raw, raw, ())
    pieces, texts = zip(*_align_pieces(raw), strict=True)
    if "".join(texts) != cleaned:
        raise Unreadable("unaligned")
    return Alignment(raw, cleaned, pieces)


def _align_pieces(raw: str) -> Iterator[tuple[_AlignedPiece, str]]:
    """Yield the pieces in order, each with its clean text."""
    at = length = 0
    for odd in _make_changed_pattern(raw).finditer(raw):
        start, end = odd.span()
        # Cleaning of line breaks and soft hyphens depends on neighbours: clean together, then trim.
        made = clean(odd.group())
        lead = _common_prefix(odd.group(), made)
        tail = _common_prefix(odd.group()[lead:][::-1], made[lead:][::-1])
        first, last = start + lead, end - tail
        if at < first:
            yield _AlignedPiece(at, first, length, length + first - at, same=True), raw[at:first]
            length += first - at
        inner = made[lead : len(made) - tail]
        yield _AlignedPiece(first, last, length, length + len(inner), same=False), inner
        at, length = last, length + len(inner)
    if at < len(raw):
        yield _AlignedPiece(at, len(raw), length, length + len(raw) - at, same=True), raw[at:]


def _make_changed_pattern(raw: str) -> re.Pattern[str]:
    """Return a pattern for every run that cleaning may change, with one character on either side.

    Cleaning may join a character to the one before it, and depends on the one after it.
    """
    odd = "".join(re.escape(char) for char in set(raw) if _is_changed(char)) or "\r"
    run = rf"(?:(?:{TERMINAL}|{BACKWARDS}|{ERASED}|[{odd}])\s*)+"
    return re.compile(rf"[^{odd}]?{run}(?:[^{odd}]{run})*[^{odd}]?")


def _is_changed(char: str) -> bool:
    return (
        clean(char) != char or unicodedata.category(char)[0] == "M" or "\u1160" <= char < "\u1200"
    )


def _common_prefix(one: str, other: str) -> int:
    size = min(len(one), len(other))
    return next((at for at in range(size) if one[at] != other[at]), size)


def _move_to_raw(span: Span, pieces: list[_AlignedPiece]) -> Span:
    first = pieces[bisect_right(pieces, span.start, key=lambda piece: piece.clean) - 1]
    last = pieces[bisect_left(pieces, span.end, key=lambda piece: piece.clean) - 1]
    start = first.raw + (span.start - first.clean if first.same else 0)
    end = last.raw + span.end - last.clean if last.same else last.raw_end
    return replace(span, start=start, end=end)


def _move_to_clean(span: Span, pieces: tuple[_AlignedPiece, ...]) -> Span | None:
    first = pieces[bisect_right(pieces, span.start, key=lambda piece: piece.raw) - 1]
    last = pieces[bisect_left(pieces, span.end, key=lambda piece: piece.raw) - 1]
    start = first.clean + (span.start - first.raw if first.same else 0)
    end = last.clean + span.end - last.raw if last.same else last.clean_end
    return replace(span, start=start, end=end) if start < end else None

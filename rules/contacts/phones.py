"""Telephone and fax numbers of Europe and the Americas, as notes write them."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from record.span import Span
from rules.contacts import phone_context, phone_formats
from rules.matching.scanner import Pattern

_DETECTOR = "rules.contacts"

# A word behind a number that only it makes a telephone's.
_WORD_BEHIND = Pattern(
    r"[0-9] ?(?:[\-(/,] ?)?(?:fax|mobile|portable|movil|celular|gsm|cell|home|office|handy)\b"
)
_RUN_BEFORE = re.compile(r"(?<![0-9a-z.,/\-])\(?\+?[0-9](?:[ .\-/()]{0,3}[0-9]){6,13}\Z")
_NEXT = re.compile(r" ?(?:[/\-,;]|[a-z]{1,4}\b) ?(?=[0-9])")
_PIECE = re.compile(r"[0-9]{7,11}(?![0-9a-z])")


def find(folded: str, lang: str) -> Iterator[Span]:
    """Yield PHONE and FAX spans of folded text, sorted and disjoint; `lang` may be empty."""
    found: list[tuple[int, int]] = []
    _collect(folded, found, phone_formats.shaped(folded, lang))
    _collect(folded, found, phone_context.said(folded))
    _collect(folded, found, _named_behind(folded))
    _collect(folded, found, [more for _, end in found for more in _listed(folded, end)])
    for start, end in found:
        yield Span(start, end, phone_context.label(folded, start, end), _DETECTOR)


def _bounded(folded: str, start: int, end: int) -> tuple[int, int]:
    """Take in an extension, leave out a parenthesis that opens before or closes after."""
    end = phone_context.extension(folded, end)
    written = folded[start:end]
    opened, closed = written.count("("), written.count(")")
    if written[0] == "(" and opened > closed:
        return start + 1, end
    if written[-1] == ")" and closed > opened:
        return start, end - 1
    if written[0] == "(" and written[-1] == ")" and opened == 1:
        return start + 1, end - 1
    return start, end


def _collect(folded: str, found: list[tuple[int, int]], more: Iterable[tuple[int, int]]) -> None:
    """Insert stretches that touch none of those found before; `found` stays sorted."""
    for stretch in more:
        start, end = _bounded(folded, *stretch)
        at = bisect_right(found, (start, end))
        if at and found[at - 1][1] > start:
            continue
        if at < len(found) and found[at][0] < end:
            continue
        found.insert(at, (start, end))


def _named_behind(folded: str) -> Iterator[tuple[int, int]]:
    for word in _WORD_BEHIND.finditer(folded):
        end = word.start() + 1
        run = _RUN_BEFORE.search(folded, max(0, end - 24), end)
        if run and not phone_context.is_date(folded, run.start()):
            yield run.span()


def _listed(folded: str, end: int) -> Iterator[tuple[int, int]]:
    """Yield numbers in one piece that follow a telephone number: `911234567 / 611234569`."""
    while link := _NEXT.match(folded, end):
        piece = _PIECE.match(folded, link.end())
        if piece is None:
            return
        yield piece.span()
        end = piece.end()

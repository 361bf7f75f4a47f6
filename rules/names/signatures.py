"""Signatures: initials that stand for a name, and names that close the entry of a ward's log."""

import re
from collections.abc import Iterator, Sequence

from record.label import Label
from rules.matching.scanner import Pattern
from rules.names.given_or_family import Found
from rules.names.words import COMMON, FAMILY, INITIALS, NameWord, bits

_SIGNS = re.compile(
    r"(?P<one>[A-Z]{2,4})/(?P<two>[a-z]{2,4}|[A-Z]{2,4})(?![\w/])"
    r"|(?P<dotted>[A-Z]\.[ ]?-?(?:[A-Z]\.[ ]?-?){0,2}[A-Z]\.?)(?=[ ]{0,3}(?:\n|\Z|[,;)]))"
)
# `JD/mk` in a line of its own at the end of a letter: who dictated and who typed it.
_LAST_LINE = Pattern(r"\n[A-Z]{2,3}/[a-z]{2,3}\b", cased=True)
_FROM_THE_END = 300
# An initial and a name between a sentence and the next entry.
_ENTRY = Pattern(
    r"[.!?)][ ](?P<initial>[A-Z])\.?[ ](?P<name>[A-Z][a-z]{1,24}(?:['\-][A-Za-z]{1,24})?)[ ]?\n",
    cased=True,
)
_SENTENCE = re.compile(r"[.!?)][ ]\Z")
# A blank line, the end, or a line that begins with a date.
_DATED = r"[ \t]{0,3}(?:[0-9]|[a-z]{3,10}\.?,?[ ][0-9])"
_NEXT_ENTRY = re.compile(rf"[ ]?(?:\Z|\n(?=\n|\Z|{_DATED}))")
_NEXT_DATE = re.compile(rf"[ ]?\n{_DATED}")


def read_initials(cased: str, at: int) -> list[Found]:
    """Read initials that stand for a signature, as `JD/mk` or `J.D.`; code points, half open."""
    match = _SIGNS.match(cased, at)
    if match is None:
        return []
    return [
        (*match.span(which), Label.NAME)
        for which, written in match.groupdict().items()
        if written is not None
    ]


def signatures(cased: str, folded: str) -> Iterator[list[Found]]:
    """Yield the initials in a letter's last lines and the names that sign a log's entries."""
    for match in _LAST_LINE.finditer(cased):
        own_line = cased[match.end() : match.end() + 1] in ("", "\n")
        if own_line and match.start() > len(cased) - _FROM_THE_END:
            yield read_initials(cased, match.start() + 1)
    for match in _ENTRY.finditer(cased):
        end = match.end("name")
        of = bits(folded[match.start("name") : end])
        dated = _NEXT_DATE.match(folded, end) is not None
        if _NEXT_ENTRY.match(folded, end) and (of & FAMILY or (dated and not of & COMMON)):
            yield [
                (*match.span("initial"), Label.FIRST_NAME),
                (*match.span("name"), Label.LAST_NAME),
            ]


def closes_entry(folded: str, pieces: Sequence[NameWord]) -> bool:
    """Return whether names of the lexicons stand between a sentence and the next entry of a log."""
    start, end = pieces[0].start, pieces[-1].end
    if not _SENTENCE.search(folded, max(0, start - 2), start):
        return False
    if not all(piece.named or piece.bits & INITIALS for piece in pieces):
        return False
    return _NEXT_ENTRY.match(folded, end) is not None

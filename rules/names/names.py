"""Detection of persons' names by titles, roles, signatures and lexicons of names."""

from collections.abc import Iterator

from record.document import Document
from record.span import Span
from rules.matching.normalized_document import cased_once, fold_once
from rules.names.announced import follow
from rules.names.cues import TITLES, announced
from rules.names.given_or_family import Found
from rules.names.matches import Finds
from rules.names.plausibility import is_address, is_person
from rules.names.unannounced import look_around
from rules.names.words import BARRED, COMMON, bits


def again(finds: Finds) -> list[Found]:
    """Return the further places of names; what the lists of words claim is not looked for."""
    folded = finds.folded
    names = {
        word: kind
        for start, end, kind in finds.found
        for word in folded[start:end].split()
        if len(word) > 2 and word.isalpha() and not bits(word) & (COMMON | BARRED)
    }
    return [
        (at, at + len(word), kind)
        for word, kind in names.items()
        for at in _places(finds, word)
        if is_person(folded, at, at + len(word)) and not is_address(folded, at)
    ]


def _places(finds: Finds, word: str) -> Iterator[int]:
    cased, folded = finds.cased, finds.folded
    at = folded.find(word)
    while at >= 0:
        end = at + len(word)
        if cased[at].isupper() and not finds.taken(at) and not _inside(cased, at, end):
            yield at
        at = folded.find(word, end)


def _inside(cased: str, at: int, end: int) -> bool:
    """Return whether a stretch is part of a longer word or of an address of the net."""
    if at and (cased[at - 1].isalnum() or cased[at - 1] in "_@-'"):
        return True
    after = cased[end : end + 2]
    return (
        after[:1].isalnum() or after[:1] in ("_", "@") or (after[:1] == "-" and after[1:].isalpha())
    )


_DETECTOR = "rules.names"


def detect(document: Document) -> list[Span]:
    """Find given and family names that their surroundings or the lexicons give away.

    Offsets are code points, half open. Titles and civilities are not part of the spans.
    """
    text = document.text
    folded, cased = fold_once(text), cased_once(text)
    cues = announced(cased, folded, document.lang)
    titles = frozenset(cue.begin for cue in cues if cue.kind in TITLES)
    finds = Finds(cased, folded, document.lang, titles)
    for cue in cues:
        follow(cue, finds)
    look_around(finds)
    found = {*finds.found, *again(finds)}
    return [Span(start, end, str(kind), _DETECTOR) for start, end, kind in sorted(found)]

"""Detection of persons' names by titles, roles, signatures and lexicons of names."""

from record.document import Document
from record.span import Span
from rules.matching.normalized_document import (
    cased_once,
    fold_once,
)
from rules.names.announced import follow
from rules.names.cues import (
    TITLES,
    announced,
)
from rules.names.matches import Finds
from rules.names.repeated import again
from rules.names.unannounced import look_around

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

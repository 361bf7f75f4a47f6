"""The letters of a prepared corpus, with their identifiers in every form they have anywhere."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from pipeline.notes.detection import spoken
from pipeline.synthetic.own_identifiers import OwnIdentifiers
from record.document import Annotated, Document
from record.span import Span
from synthesis.markup import decode
from synthesis.prepared_corpus import Corpus

_KIND = re.compile(r"<KIND=([^<>]*)>")


def read_letters(corpus: Corpus, split: str) -> list[Annotated]:
    """Read the notes of one part; a document's person is whose note it is.

    The language is that of the corpus, else what its text is in.
    """
    lang = str(corpus.manifest["origin"].get("lang") or "")
    found = []
    for note in corpus.notes[split]:
        text, spans = decode(note.marked)
        kind = _KIND.search(note.codes)
        document = Document(note.note_id, text, note.owner, lang=lang, kind=kind[1] if kind else "")
        found.append(Annotated(spoken(document), spans))
    return found


def with_own(letters: Sequence[Annotated]) -> Iterator[Annotated]:
    """Add to each letter what of its patient's identifiers nobody marked in it; spans may overlap.

    What reaches beyond a marked one has its label. Letters come in order of their patients.
    """
    for _, some in groupby(sorted(letters, key=owner), key=owner):
        several = list(some)
        own = OwnIdentifiers(several)
        for letter in several:
            extra = _beyond(own.find(letter.document), letter.spans)
            yield Annotated(letter.document, (*letter.spans, *extra))


def _beyond(found: Iterable[Span], marked: Sequence[Span]) -> Iterator[Span]:
    """Leave out what lies within what was marked: whoever marked it knows better what it is."""
    for span in found:
        over = next((each for each in marked if each.overlaps(span)), None)
        if over is None:
            yield span
        elif span.start < over.start or over.end < span.end:
            yield replace(span, label=over.label)


def owner(letter: Annotated) -> str:
    """Tell whose letter it is."""
    return letter.document.person_id or ""

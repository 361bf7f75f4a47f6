"""Notes that nobody annotated, labelled by taggers: where most agree, and not sure elsewhere."""

from collections import Counter
from collections.abc import Iterator, Sequence

from models.tagger.sequences.corpus import (
    UNSURE,
    TrainingNote,
)
from record.document import Annotated, Document
from record.span import Span, covered

SURE = 0.5
"""Of a span's score, below which a teacher's voice for it does not count."""


def taught(
    document: Document, found: Sequence[Sequence[Span]], labels: frozenset[str] | None
) -> TrainingNote:
    """Make a training note of what each teacher found in a document.

    What more than half of the teachers found, with border and label and a score of SURE at least,
    are its spans (tri-training: Zhou and Li, IEEE TKDE 2005). Beside these, where any teacher
    found anything, any label may be, so that doubts teach nothing. `labels` are those that all
    teachers look for; None where these are all of the corpus.
    """
    voices = Counter(
        place
        for spans in found
        for place in {(span.start, span.end, span.label) for span in spans if span.score >= SURE}
    )
    agreed = sorted(place for place, count in voices.items() if 2 * count > len(found))
    clear = tuple(Span(start, end, label) for start, end, label in agreed)
    every = sorted(span for spans in found for span in spans)
    unsure = [
        Span(start, end, UNSURE)
        for first, last in covered(every)
        for start, end in _beside(first, last, covered(clear))
        if not document.text[start:end].isspace()
    ]
    return TrainingNote(Annotated(document, tuple(sorted([*clear, *unsure]))), labels)


def _beside(start: int, end: int, taken: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Return what is left of a stretch without those taken, which are in order and disjoint."""
    for first, last in taken:
        if last <= start or end <= first:
            continue
        if start < first:
            yield start, first
        start = last
    if start < end:
        yield start, end

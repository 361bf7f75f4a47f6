"""The last look: does a release still hold anything the warehouse knows of its patient?"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from record.document import Document
from record.errors import Unsafe
from record.release import Release
from record.span import Span
from rules.known import KnownPatient

CLINICIANS = "known.clinicians"
"""The detector of a note's own author, whose surrogate is not kept from spelling another's name."""


def check(release: Release, document: Document, patient: KnownPatient | None) -> None:
    """Search a release for every variant of every known value of its patient and its note.

    A surrogate that happens to spell a value of the patient counts as well: nobody could tell
    the two apart. One that spells the author of this note does not, since a patient's surrogates
    must be the same in the notes of all authors; what is left of the author elsewhere counts.
    Raises Unsafe(`residue`).
    """
    if patient is None:
        return
    released = replace(document, text=release.text)
    for span in patient.detect(released, misspelt=False):
        if span.detector != CLINICIANS or not _within(span, release.spans):
            raise Unsafe("residue")


def _within(span: Span, surrogates: Sequence[Span]) -> bool:
    """Tell whether a surrogate covers the span; `surrogates` are sorted and disjoint."""
    at = bisect_right(surrogates, span.start, key=lambda surrogate: surrogate.start) - 1
    return at >= 0 and span.end <= surrogates[at].end

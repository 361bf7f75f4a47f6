"""Search for residual identifiers: known values of the patient left in a rewritten note."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from record.document import Document
from record.errors import Unsafe
from record.label import Label
from record.policy import Action, Policy
from record.release import Release
from record.span import Span
from rules.known.known import KnownPatient

CLINICIANS = "known.clinicians"
"""Detector of the note's author; a surrogate that equals the author's name is not residue."""

INDIRECT_LABELS = frozenset(
    (
        *(Label.DATE, Label.BIRTH_DATE, Label.AGE, Label.ZIP, Label.CITY, Label.REGION),
        *(Label.COUNTRY, Label.HOSPITAL, Label.ORGANIZATION, Label.PROFESSION),
    )
)
"""Labels whose known values a policy may keep; a name or number that is kept is residue."""


def check_release(
    release: Release,
    document: Document,
    patient: KnownPatient | None,
    policy: Policy,
) -> None:
    """Raise Unsafe(`residue`) if a release holds a variant of a known value of its patient or note.

    A surrogate equal to a value of the patient counts, damaged or not: readers cannot distinguish
    the two. A name with a letter wrong counts outside surrogates alone: within them it is a draw
    that comes as close by chance. A surrogate equal to the name of this note's author does not
    count, since a patient's surrogates are the same in the notes of all authors; the author's name
    elsewhere in the text counts. Values with indirect labels that the policy keeps do not count
    where the release kept them.

    An everyday word that may be the patient's name, outside surrogates, where neither context nor
    case tells, raises Unsafe(`known-value-ambiguous`).
    """
    if patient is None:
        return
    found = patient.search(replace(document, text=release.text))
    labels = {label for label in INDIRECT_LABELS if policy.action(label) is Action.KEEP}
    kept = [span for span in release.spans if span.label in labels]
    for span in found.exact:
        is_author = span.detector == CLINICIANS and _is_covered(span, release.spans)
        is_kept = span.label in labels and _is_covered(span, kept)
        if not (is_author or is_kept):
            raise Unsafe("residue")
    if any(not _touches(span, release.spans) for span in found.misspelt):
        raise Unsafe("residue")
    if any(not _touches(span, release.spans) for span in found.undecided):
        raise Unsafe("known-value-ambiguous")


def _is_covered(span: Span, surrogates: Sequence[Span]) -> bool:
    """Return whether a surrogate covers the span; `surrogates` are sorted and disjoint."""
    at = bisect_right(surrogates, span.start, key=lambda surrogate: surrogate.start) - 1
    return at >= 0 and span.end <= surrogates[at].end


def _touches(span: Span, surrogates: Sequence[Span]) -> bool:
    """Return whether a surrogate shares a character with the span."""
    at = bisect_right(surrogates, span.end - 1, key=lambda surrogate: surrogate.start) - 1
    return at >= 0 and span.start < surrogates[at].end

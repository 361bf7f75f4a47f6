"""The last look: does a release still hold anything the warehouse knows of its patient?"""

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
"""The detector of a note's own author, whose surrogate is not kept from spelling another's name."""

INDIRECT = frozenset(
    (
        *(Label.DATE, Label.BIRTH_DATE, Label.AGE, Label.ZIP, Label.CITY, Label.REGION),
        *(Label.COUNTRY, Label.HOSPITAL, Label.ORGANIZATION, Label.PROFESSION),
    )
)
"""What a policy may keep although it is known of the patient; a kept name or number is residue."""


def check(
    release: Release,
    document: Document,
    patient: KnownPatient | None,
    policy: Policy,
) -> None:
    """Search a release for every variant of every known value of its patient and its note.

    A surrogate that happens to spell a value of the patient counts as well: nobody could tell
    the two apart. One that spells the author of this note does not, since a patient's surrogates
    must be the same in the notes of all authors; what is left of the author elsewhere counts.
    Nor does what the policy keeps where the release kept it, as long as it is indirect.
    Raises Unsafe(`residue`).
    """
    if patient is None:
        return
    released = replace(document, text=release.text)
    labels = {label for label in INDIRECT if policy.action(label) is Action.KEEP}
    kept = [span for span in release.spans if span.label in labels]
    for span in patient.detect(released, misspelt=False):
        is_author = span.detector == CLINICIANS and _within(span, release.spans)
        is_kept = span.label in labels and _within(span, kept)
        if not (is_author or is_kept):
            raise Unsafe("residue")


def _within(span: Span, surrogates: Sequence[Span]) -> bool:
    """Return whether a surrogate covers the span; `surrogates` are sorted and disjoint."""
    at = bisect_right(surrogates, span.start, key=lambda surrogate: surrogate.start) - 1
    return at >= 0 and span.end <= surrogates[at].end

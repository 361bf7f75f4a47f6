"""Search for residual identifiers: known values of the patient left in a rewritten note."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
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

UNAVOIDABLE: Mapping[str, frozenset[Label]] = {
    Label.BIRTH_DATE: frozenset((Label.DATE,)),
    Label.ZIP: frozenset((Label.PATIENT_ID, Label.VISIT_ID, Label.PROVIDER_ID)),
}
"""Known values that surrogates of other labels may hold by chance: all dates of a patient move by
one constant, and ids of rows have one surrogate for all patients."""


def check_release(
    release: Release,
    document: Document,
    patient: KnownPatient | None,
    policy: Policy,
    spans: Sequence[Span] = (),
) -> None:
    """Raise Unsafe(`residue`) if a release holds a variant of a known value of its patient or note.

    A surrogate equal to a value of the patient counts, damaged or not: readers cannot distinguish
    the two. A name with a letter wrong counts outside surrogates alone: within them it is a draw
    that comes as close by chance. A surrogate equal to the name of this note's author does not
    count, since a patient's surrogates are the same in the notes of all authors; the author's name
    elsewhere in the text counts. Values with indirect labels that the policy keeps do not count
    where the release kept them. Nor do those that a surrogate cannot avoid (`UNAVOIDABLE`) and
    that the document does not hold in its place; `spans` are those that were replaced.

    An everyday word that may be the patient's name, outside surrogates, where neither context nor
    case tells, raises Unsafe(`known-value-ambiguous`).
    """
    if patient is None:
        return
    found = patient.search(replace(document, text=release.text))
    labels = {label for label in INDIRECT_LABELS if policy.action(label) is Action.KEEP}
    kept = [span for span in release.spans if span.label in labels]
    held: list[Span] = []
    for span in found.exact:
        is_author = span.detector == CLINICIANS and _is_covered(span, release.spans)
        is_kept = span.label in labels and _is_covered(span, kept)
        if is_author or is_kept:
            continue
        held = held or patient.search(document).exact
        if not _is_unavoidable(span, release, policy, spans, held):
            raise Unsafe("residue")
    if any(not _touches(span, release.spans) for span in found.misspelt):
        raise Unsafe("residue")
    if any(not _touches(span, release.spans) for span in found.undecided):
        raise Unsafe("known-value-ambiguous")


def _is_unavoidable(
    hit: Span, release: Release, policy: Policy, spans: Sequence[Span], held: Sequence[Span]
) -> bool:
    """Return whether a known value is in a surrogate by chance, whose original has none.

    `spans` are the originals of the surrogates, `held` are the known values of the document.
    """
    at = _find_covering(hit, release.spans)
    if at is None or len(spans) != len(release.spans):
        return False
    label = release.spans[at].label
    if label not in UNAVOIDABLE.get(hit.label, ()) or policy.action(label) is not Action.REPLACE:
        return False
    original = spans[at]
    return not any(
        one.label == hit.label and one.start < original.end and original.start < one.end
        for one in held
    )


def _is_covered(span: Span, surrogates: Sequence[Span]) -> bool:
    """Return whether a surrogate covers the span; `surrogates` are sorted and disjoint."""
    return _find_covering(span, surrogates) is not None


def _find_covering(span: Span, surrogates: Sequence[Span]) -> int | None:
    """Return the index of the surrogate that covers the span."""
    at = bisect_right(surrogates, span.start, key=lambda surrogate: surrogate.start) - 1
    return at if at >= 0 and span.end <= surrogates[at].end else None


def _touches(span: Span, surrogates: Sequence[Span]) -> bool:
    """Return whether a surrogate shares a character with the span."""
    at = bisect_right(surrogates, span.end - 1, key=lambda surrogate: surrogate.start) - 1
    return at >= 0 and span.start < surrogates[at].end

"""Numbers and codes that name a person, a stay, a professional, a contract or a device."""

from collections.abc import Iterator

from record.document import Document
from record.span import Span
from rules import labelled_numbers, shaped_numbers
from rules.folded import fold_once

# Ten digits from 8, also with blanks between any two: how some hospitals number their patients.
PATIENT_NUMBERS = (r"8(?: ?[0-9]){9}",)


def detect(document: Document, *, patient_numbers: tuple[str, ...] = PATIENT_NUMBERS) -> list[Span]:
    """Find SSN, PATIENT_ID, VISIT_ID, PROVIDER_ID, INSURANCE_ID, ACCOUNT, DEVICE_ID, VEHICLE_ID.

    Also USERNAME, and ID for other documents of identity and for long numbers of unknown kind.
    `patient_numbers` are regular expressions, over folded text, of the site's own numbers; they
    match only where no digit stands beside them. A span holds the number with its inner
    separators and its check digits, never the word before it. Spans are sorted; a number that a
    word names and one that its shape betrays may overlap.
    """
    folded = fold_once(document.text)
    found = sorted(set(_all(folded, document.text, patient_numbers)), key=_extent)
    kept: list[Span] = []
    for span in found:
        if not any(span.end <= other.end and span.label == other.label for other in kept[-2:]):
            kept.append(span)
    return kept


def _extent(span: Span) -> tuple[int, int]:
    """Order by start; of spans that start together the longest comes first."""
    return span.start, -span.end


def _all(folded: str, text: str, patient_numbers: tuple[str, ...]) -> Iterator[Span]:
    named = list(labelled_numbers.find(folded))
    yield from named
    shaped = list(shaped_numbers.find(folded, text, patient_numbers))
    taken = {(span.start, span.end) for span in named}
    yield from (span for span in shaped if (span.start, span.end) not in taken)
    yield from shaped_numbers.long_runs(folded, [*named, *shaped])

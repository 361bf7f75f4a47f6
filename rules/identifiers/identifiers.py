"""Numbers and codes that name a person, a stay, a professional, a contract or a device."""

from collections.abc import Iterator

from record.document import Document
from record.label import Label
from record.span import Span
from rules.identifiers import checksummed, labelled, site_patterns, user_accounts, vehicles
from rules.identifiers.national import NUMBERS
from rules.identifiers.site_patterns import SITE, SiteNumbers
from rules.matching.normalized_document import cased_once, fold_once


def detect(document: Document, *, site: SiteNumbers = SITE) -> list[Span]:
    """Find SSN, PATIENT_ID, VISIT_ID, PROVIDER_ID, INSURANCE_ID, ACCOUNT, DEVICE_ID, VEHICLE_ID.

    Also USERNAME, and ID for other documents of identity and for long numbers of unknown kind.
    A span holds the number with its inner separators and its check digits, never the word before
    it. Spans are sorted; none lies within another, but two may overlap.
    """
    folded, cased = fold_once(document.text), cased_once(document.text)
    found = list(_by_proof(folded, cased, site))
    found.extend(checksummed.long_runs(folded, found))
    ranked = sorted(enumerate(found), key=lambda one: (one[1].start, -one[1].end, one[0]))
    kept: list[Span] = []
    for _, span in ranked:
        if not kept or span.end > kept[-1].end:
            kept.append(span)
    return kept


def _by_proof(folded: str, cased: str, site: SiteNumbers) -> Iterator[Span]:
    """Yield spans so that of two with the same extent the surer label comes first."""
    named = [*site_patterns.find_named(folded, site), *labelled.find(folded)]
    yield from (one.span for one in named if one.sure)
    site_shapes = list(site_patterns.find(folded, site))
    yield from (span for span in site_shapes if span.label is Label.VISIT_ID)
    yield from NUMBERS.find(folded, cased)
    yield from (one.span for one in named if not one.sure)
    yield from site_shapes
    yield from checksummed.find(folded)
    yield from vehicles.find(folded, cased)
    yield from user_accounts.find(folded)

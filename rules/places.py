"""Detection of postal addresses, towns, care sites, and of jobs and the companies they are at."""

import regex

from record.document import Document
from record.label import Label
from record.span import Span
from rules.care_sites import care_sites
from rules.folded import fold_once
from rules.occupations import occupations
from rules.streets import streets
from rules.towns import towns

_DETECTOR = "rules.places"
_POST_BOX = regex.compile(
    r"(?<![a-z0-9])(?:b\.?p\.?|boite postale|cs|p\.? ?o\.? ?box|apartado(?: de correos)?"
    r"|apdo\.?)[ ]?(?:n[°o]\.? ?)?"
    r"[0-9]{1,6}(?![0-9/.,]|[ ]?(?:mm|/))"
)


def detect(document: Document) -> list[Span]:
    """Find streets, postal codes, towns, regions, countries, care sites, jobs and companies.

    Offsets are code points of the text, half open. Countries are found only beside a town or
    behind a cue; kinds of sites (`Hôpital`, `Clinic`) are part of a care site's span.
    """
    text = document.text
    folded = fold_once(text)
    ways = streets(text, folded)
    found = [(start, end, str(Label.STREET)) for start, end in ways]
    sites = care_sites(text, folded, document.lang)
    found += [(start, end, str(Label.HOSPITAL)) for start, end in sites]
    addressed = towns(text, folded, ways + sites, document.lang)
    found += [(start, end, str(kind)) for start, end, kind in addressed]
    found += _post_boxes(folded, found)
    found += [(start, end, str(kind)) for start, end, kind in occupations(text, folded)]
    return [Span(start, end, kind, _DETECTOR) for start, end, kind in sorted(set(found))]


def _post_boxes(folded: str, found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """A post box counts by its own name, or as two letters beside an address."""
    boxes: list[tuple[int, int, str]] = []
    for match in _POST_BOX.finditer(folded):
        spelt_out = match.group().startswith(("boite", "p.o", "po ", "p.", "apartado", "apdo"))
        beside = any(
            abs(start - match.end()) < 5 or abs(match.start() - end) < 5 for start, end, _ in found
        )
        if spelt_out or beside:
            boxes.append((*match.span(), str(Label.STREET)))
    return boxes

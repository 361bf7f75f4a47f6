"""Detection of post boxes, and of what else stands where a street stands beside a postal code."""

import re
from collections.abc import Collection

from record.label import Label
from rules.matching.scanner import Pattern
from rules.names.words import clinical

Found = tuple[int, int, str]

_SPELT = Pattern(
    r"\b(?:(?:boite postale|p\.? ?o\.? ?box|apartado de correos|apdo\.?)[ ]?(?:n[°o]\.? ?)?"
    r"[0-9]{1,6}|postbus [0-9]{1,5}|postfach [0-9]{1,2}(?: ?[0-9]{2}){0,3})"
    r"(?![0-9/]|[.,][0-9]| ?mm)"
)
_LETTERS = Pattern(
    r"\b(?:b\.?p\.?|cs|tsa|apartado)[ ]?(?:n[°o]\.? ?)?[0-9]{1,6}(?![0-9/]|[.,][0-9]| ?(?:mm|/))"
)
# `Rosenhag 5,` or `12 Les Hauts de Seille,` before a postal code with its town.
_SEGMENT = re.compile(
    r"(?:^|[\n,:;] ?)((?:[0-9]{1,4} ?(?:bis|ter|[a-z])?,? )?(?:[A-Z'][A-Za-z'.\-ß]* ?"
    r"|(?:van|de|der|den|des|du|la|le|les|am|an|op|aan|zum|zur|in|el|los|las) ){1,6}"
    r"(?:[0-9]{1,4}(?:[a-z]|[-/][0-9]{1,3})?)?)[ ]?,?[ \n]{1,2}\Z"
)


def spelt_boxes(folded: str) -> list[tuple[int, int]]:
    """Find post boxes that are named in full; code points of the folded text, half open."""
    return [match.span() for match in _SPELT.finditer(folded)]


def letter_boxes(folded: str, found: Collection[Found]) -> list[Found]:
    """Find post boxes named by two letters beside places already found (`BP 12`, `CS 40123`)."""
    starts, ends = {start for start, _, _ in found}, {end for _, end, _ in found}
    return [
        (start, end, Label.STREET)
        for start, end in (match.span() for match in _LETTERS.finditer(folded))
        if any(end + gap in starts or start - gap in ends for gap in range(5))
    ]


def street_before(cased: str, folded: str, start: int, lang: str) -> tuple[int, int] | None:
    """Return the street without a kind that ends right before a postal code with its town."""
    low = max(0, start - 60)
    segment = _SEGMENT.search(cased, low, start)
    if segment is None or not any(char.isdigit() for char in segment[1]):
        return None
    if segment[1][0].isdigit() and lang == "es":
        return None
    first, last = segment.span(1)
    words = folded[first:last].replace("-", " ").split()
    if any(clinical(word) for word in words) or not any(len(word) > 3 for word in words):
        return None
    return first, first + len(cased[first:last].rstrip(" ,"))

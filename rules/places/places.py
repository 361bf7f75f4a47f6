"""Detection of postal addresses, towns, care sites, and of jobs and the companies they are at."""

from bisect import bisect

from record.document import Document
from record.label import Label
from record.span import Span
from rules.matching.normalized_document import cased_once, fold_once
from rules.places.named_sites import care_sites, continental_sites, english_sites, known_sites
from rules.places.occupations import occupations
from rules.places.postcodes import Around, city_and_state, postcodes
from rules.places.streets import (
    compound_streets,
    declared_streets,
    english_streets,
    letter_boxes,
    spelt_boxes,
    street_before,
    streets,
)
from rules.places.towns import behind_streets, regions_behind_towns, towns

Found = tuple[int, int, str]

_DETECTOR = "rules.places"
_ANGLOPHONE = ("en", "")
_GERMANIC = ("de", "nl", "")


def detect(document: Document) -> list[Span]:
    """Find streets, postal codes, towns, regions, countries, care sites, jobs and companies.

    Offsets are code points of the text, half open. Countries are found only beside a town or
    behind a cue; kinds of sites (`Hôpital`, `Clinic`) are part of a care site's span.
    """
    cased, folded, lang = cased_once(document.text), fold_once(document.text), document.lang
    found = _find_streets(cased, folded, lang) + _find_care_sites(cased, folded, lang)
    starts, ends = {start for start, _, _ in found}, {end for _, end, _ in found}
    placed = [*postcodes(cased, folded, Around(starts, ends), lang), *towns(cased, folded, lang)]
    placed += behind_streets(cased, folded, ends, lang)
    if lang in _ANGLOPHONE:
        placed += city_and_state(cased, folded, ends)
    found += _bare_streets(cased, folded, placed, ends, lang)
    found += placed + regions_behind_towns(cased, folded, placed)
    found += letter_boxes(folded, found)
    found += occupations(cased, folded)
    first = {(start, end): kind for start, end, kind in reversed(found)}
    return [Span(start, end, str(kind), _DETECTOR) for (start, end), kind in sorted(first.items())]


def _find_streets(cased: str, folded: str, lang: str) -> list[Found]:
    ways = streets(cased, folded, lang) + spelt_boxes(folded)
    declared = declared_streets(folded)
    if lang in _ANGLOPHONE:
        english = english_streets(cased, folded)
        starts = sorted(start for start, _ in english)
        declared = [way for way in declared if bisect(starts, way[0] - 1) == bisect(starts, way[1])]
        ways += english
    ways += declared
    if lang in _GERMANIC:
        ways += compound_streets(cased, folded)
    return [(start, end, Label.STREET) for start, end in ways]


def _find_care_sites(cased: str, folded: str, lang: str) -> list[Found]:
    sites = care_sites(cased, folded, lang) + known_sites(folded)
    if lang in _ANGLOPHONE:
        sites += english_sites(cased, folded)
    if lang in _GERMANIC:
        sites += continental_sites(cased, folded)
    return [(start, end, Label.HOSPITAL) for start, end in sites]


def _bare_streets(
    cased: str, folded: str, placed: list[Found], ends: set[int], lang: str
) -> list[Found]:
    """Find streets without a kind before postal codes that no street ends at."""
    towns_at = {start for start, _, kind in placed if kind == Label.CITY}
    return [
        (*street, Label.STREET)
        for start, end, kind in placed
        if kind == Label.ZIP
        and not any(at in ends for at in range(start - 4, start + 1))
        and any(at in towns_at for at in range(end, end + 4))
        and (street := street_before(cased, folded, start, lang))
    ]

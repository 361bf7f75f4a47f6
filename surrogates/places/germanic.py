"""Streets, care sites and postal codes as German and Dutch write them: types end words there."""

import re
from dataclasses import dataclass
from functools import lru_cache

from surrogates.patient.lexicon import listed
from surrogates.patient.text_normalization import fold

LOCALES = frozenset(("de", "nl"))
"""The languages of this module."""

DETAIL_WORDS = frozenset(
    listed(
        "haus wohnung whg etage stock og eg dg ug hinterhaus vorderhaus seitenfluegel links rechts"
        " mitte aufgang postfach huis hs verdieping kamer postbus hoog i ii iii iv v vi"
    )
)
"""Words for floors, flats and boxes, which identify nothing."""

_REMEMBERED = 1 << 12
_STREETS = {
    "de": (
        r"stra(?:ß|ss)e|str\.?|weg|platz|pl\.|allee|gasse|ring|damm|ufer|chaussee|steig|stieg"
        r"|pfad|hof|graben|wall|promenade|terrasse|zeile"
    ),
    "nl": (
        r"(?:dwars)?straat|str\.?|laan|weg|plein|gracht|kade|singel|dreef|hof|pad|steeg|dijk"
        r"|plantsoen|baan|boulevard|ring|hoek|erf|oord"
    ),
}
_STREET_TYPES = {lang: re.compile(rf"(?:{types})$") for lang, types in _STREETS.items()}
# What stands where a street names no type: `Am Markt`, `Het Nieuwe Diep`.
_DEFAULT_TYPES = {"de": "weg", "nl": "laan"}
_HOUSE = re.compile(r"\W*(?:\d+\s?[a-z]?\b[\s,]*)?")
_NAME = re.compile(r"[^\W\d_][^,#\n\d(]*")


@dataclass(frozen=True, slots=True)
class Street:
    """Where the name of a street lies in its text, and its type as it goes on after a new name."""

    start: int
    stem_end: int
    end: int
    type: str


@lru_cache(_REMEMBERED)
def parse_street(text: str, locale: str) -> Street | None:
    """Part a street into what stands before, name, type, and number; None without a name."""
    folded = fold(text)
    house = _HOUSE.match(folded)
    start = house.end() if house else 0
    name = _NAME.search(folded, start)
    if name is None:
        return None
    start, end = name.start(), name.start() + len(name[0].rstrip())
    kind = _STREET_TYPES[locale].search(folded, start, end)
    if kind is None or kind.start() == start:
        return Street(start, end, end, _DEFAULT_TYPES[locale])
    return Street(start, kind.start(), end, text[kind.start() : end].lower())


_SITES = {
    "de": (
        r"(?:(?:universitats|uni|stadt|kreis|landes|bezirks|fach|privat|zentral|reha|augen|tages"
        r"|poli|herz|rheuma|gesundheits|schlaganfall|intensiv|palliativ|pflege|senioren|alten"
        r"|hausarzt|gemeinschafts|rehabilitations|kinder|frauen)-?)?"
        r"(?:klinikum|kliniken|klinik|krankenhaus|spital|hospital|zentrum|praxis|station|heim"
        r"|residenz|ambulanz|institut|abteilung)"
        r"|stadtisches|stadtische|stadt\.|evangelisches|ev\.|katholisches|kath\.|allgemeines"
        r"|medizinisches|medizinische|hochschule|mvz|bereich|ebene|zimmer"
    ),
    "nl": (
        r"(?:streek|academisch|universitair|kinder|oog|dag|poli|revalidatie|verpleeg|verzorgings"
        r"|zorg|woonzorg|gezondheids|huisartsen|kraam)?-?"
        r"(?:ziekenhuis|kliniek|centrum|huis|praktijk|hospice|instituut|gasthuis)"
        r"|academisch|universitair|medisch|algemeen|regionaal|umc|mc|ggz|afdeling|unit|verpleegafdeling"
        r"|kamer|zaal"
    ),
}
_BEFORE = {lang: re.compile(rf"^(?:(?:{types})(?:\s+|$))+") for lang, types in _SITES.items()}
_ENDS = {
    "de": r"klinikum|kliniken|klinik|krankenhaus|hospital|spital|stift",
    "nl": r"ziekenhuis|kliniek|gasthuis|medisch centrum|umc|mc",
}
_AFTER = {lang: re.compile(rf"[\s-]*(?P<kind>{types})$") for lang, types in _ENDS.items()}
_PREPOSITIONS = re.compile(r"^(?:in der|in den|in|im|am|an der|bei|zu|te|van)\s+")


@dataclass(frozen=True, slots=True)
class SiteParts:
    """A care site: its type, what stands between it and the name, and the name itself."""

    kind: str
    between: str
    name: str


@lru_cache(_REMEMBERED)
def parse_site(text: str, locale: str) -> SiteParts:
    """Part a care site into type and name, the type first wherever it is written.

    `between` is the preposition before a name, with the blanks around it.
    """
    folded = fold(text)
    before = _BEFORE[locale].match(folded)
    if before:
        rest = folded[before.end() :]
        preposition = _PREPOSITIONS.match(rest)
        start = before.end() + (preposition.end() if preposition else 0)
        kind = text[: before.end()].rstrip()
        return SiteParts(kind, text[len(kind) : start], text[start:])
    after = _AFTER[locale].search(folded)
    if after and after.start():
        kind = text[after.start("kind") :]
        return SiteParts(
            kind if kind.isupper() else kind[:1].upper() + kind[1:], " ", text[: after.start()]
        )
    return SiteParts("", "", text)


_LETTERS = "ABCDEGHJKLMNPRSTVWXZ"
# The codes of the occupation are not issued.
LETTER_PAIRS = tuple(
    pair for pair in (a + b for a in _LETTERS for b in _LETTERS) if pair not in ("SA", "SD", "SS")
)
"""The two letters of a Dutch postal code."""

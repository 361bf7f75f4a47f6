"""The towns that surrogates are drawn from, and the department and region that each lies in."""

from bisect import bisect_right
from functools import cache

from surrogates.patient import lexicon
from surrogates.patient.lexicon import Lexicon
from surrogates.patient.text_normalization import squeeze

DEPARTMENT, REGION, EVERYWHERE = "department", "region", "none"
# The country in which all towns of a language's list lie, squeezed.
_HOMES = {
    "fr": frozenset(("france",)),
    "es": frozenset(("espana", "spain")),
    "en": frozenset(("united states", "united states of america", "usa", "u.s.a.", "us", "u.s.")),
    "de": frozenset(("deutschland", "germany", "bundesrepublik deutschland", "brd")),
    "nl": frozenset(("nederland", "netherlands", "the netherlands", "holland")),
}
# An area with fewer towns than this would name the town: a larger one stands for it.
_FEWEST = 3
# Insee's regions of 2016 -> departments, as postal codes begin.
_FRENCH_REGIONS = {
    "Auvergne-Rhône-Alpes": "01 03 07 15 26 38 42 43 63 69 73 74",
    "Bourgogne-Franche-Comté": "21 25 39 58 70 71 89 90",
    "Bretagne": "22 29 35 56",
    "Centre-Val de Loire": "18 28 36 37 41 45",
    "Corse": "20",
    "Grand Est": "08 10 51 52 54 55 57 67 68 88",
    "Hauts-de-France": "02 59 60 62 80",
    "Île-de-France": "75 77 78 91 92 93 94 95",
    "Normandie": "14 27 50 61 76",
    "Nouvelle-Aquitaine": "16 17 19 23 24 33 40 47 64 79 86 87",
    "Occitanie": "09 11 12 30 31 32 34 46 48 65 66 81 82",
    "Pays de la Loire": "44 49 53 72 85",
    "Provence-Alpes-Côte d'Azur": "04 05 06 13 83 84",
}
# Autonomous communities -> provinces, as postal codes begin.
_SPANISH_REGIONS = {
    "Andalucía": "04 11 14 18 21 23 29 41",
    "Aragón": "22 44 50",
    "Asturias": "33",
    "Baleares": "07",
    "Canarias": "35 38",
    "Cantabria": "39",
    "Castilla y León": "05 09 24 34 37 40 42 47 49",
    "Castilla-La Mancha": "02 13 16 19 45",
    "Cataluña": "08 17 25 43",
    "Comunidad Valenciana": "03 12 46",
    "Extremadura": "06 10",
    "Galicia": "15 27 32 36",
    "La Rioja": "26",
    "Madrid": "28",
    "Murcia": "30",
    "Navarra": "31",
    "País Vasco": "01 20 48",
}
_REGIONS = {
    "fr": {d: name for name, codes in _FRENCH_REGIONS.items() for d in codes.split()},
    "es": {d: name for name, codes in _SPANISH_REGIONS.items() for d in codes.split()},
}
# First three digits of ZIP codes at which a state begins.
_STATES = sorted(
    (first, state)
    for state, firsts in {
        "AK": "995", "AL": "350", "AR": "716", "AZ": "850", "CA": "900", "CO": "800", "CT": "060",
        "DC": "200", "DE": "197", "FL": "320", "GA": "300 398", "HI": "967", "IA": "500",
        "ID": "832", "IL": "600", "IN": "460", "KS": "660", "KY": "400", "LA": "700",
        "MA": "010 055", "MD": "206", "ME": "039", "MI": "480", "MN": "550", "MO": "630",
        "MS": "386", "MT": "590", "NC": "270", "ND": "580", "NE": "680", "NH": "030", "NJ": "070",
        "NM": "870", "NV": "889", "NY": "100", "OH": "430", "OK": "730", "OR": "970", "PA": "150",
        "PR": "006", "RI": "028", "SC": "290", "SD": "570", "TN": "370", "TX": "750 885",
        "UT": "840", "VA": "220", "VT": "050 056", "WA": "980", "WI": "530", "WV": "247",
        "WY": "820",
    }.items()
    for first in firsts.split()
)  # fmt: skip
_STATE_NAMES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California",
    "CO": "Colorado", "CT": "Connecticut", "DE": "Delaware", "FL": "Florida", "GA": "Georgia",
    "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "IA": "Iowa",
    "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana", "ME": "Maine", "MD": "Maryland",
    "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota", "MS": "Mississippi",
    "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire",
    "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York", "NC": "North Carolina",
    "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania",
    "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee",
    "TX": "Texas", "UT": "Utah", "VT": "Vermont", "VA": "Virginia", "WA": "Washington",
    "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip
_OVERSEAS = ("97", "98")
# Where the first two characters of a code are an area, and the first one a larger one.
_BY_PREFIX = ("de", "nl")
_WIDTHS = {"nl": 4}


def code_width(locale: str) -> int:
    """Return how many characters of a postal code tell the place; Dutch letters tell the street."""
    return _WIDTHS.get(locale, 5)


def department(code: str, locale: str) -> str:
    """Return the department, province or state that a postal code lies in;
    empty where none does.

    Of a German or Dutch code it is the area of its first two digits.
    """
    width = code_width(locale)
    if len(code) < width or not code[:width].isdigit():
        return ""
    if locale in _BY_PREFIX:
        return code[:2]
    if locale == "en":
        place = bisect_right(_STATES, (code[:3], "~")) - 1
        return _STATES[place][1] if place >= 0 else ""
    found = code[:3] if locale == "fr" and code[:2] in _OVERSEAS else code[:2]
    return found if found in _REGIONS[locale] or len(found) == 3 else ""


def is_home(country: str, locale: str) -> bool:
    """Return whether a squeezed name is that of the country in which the towns of the list lie."""
    return country in _HOMES[locale]


def area(code: str, locale: str, kept: str) -> str:
    """Return what is kept of a postal code: its department or its region; empty where nothing is.

    The region of an American, German or Dutch code is what its first digit covers; of a French
    one overseas it is the department.
    """
    found = department(code, locale)
    if kept == EVERYWHERE or not found:
        return ""
    if kept == DEPARTMENT:
        return found
    return code[0] if locale not in _REGIONS else _REGIONS[locale].get(found, found)


def region_name(code: str, locale: str, *, abbreviated: bool = False) -> str:
    """Return the name of the region or state that a postal code lies in.

    It is empty where none is known: overseas, and in German and Dutch, whose codes cross borders.
    `abbreviated` is for states of two letters.
    """
    found = department(code, locale)
    if locale == "en":
        return found if abbreviated else _STATE_NAMES.get(found, "")
    return _REGIONS.get(locale, {}).get(found, "")


def towns_around(code: str, locale: str, kept: str) -> Lexicon:
    """Return the towns that may stand for one with a postal code: of its area, as far as is kept.

    Where an area has but one or two towns (Paris) it is the region, or else the country.
    """
    for wanted in {DEPARTMENT: (DEPARTMENT, REGION), REGION: (REGION,)}.get(kept, ()):
        found = _towns(area(code, locale, wanted), locale, wanted)
        if found is not None:
            return found
    return lexicon.load("cities", locale)


@cache
def _towns(wanted: str, locale: str, kept: str) -> Lexicon | None:
    whole = lexicon.load("cities", locale)
    rows = [
        (entry, code)
        for entry, code in zip(whole.entries, whole.codes, strict=True)
        if wanted and area(code, locale, kept) == wanted
    ]
    if len(rows) < _FEWEST:
        return None
    entries, codes = zip(*rows, strict=True)
    places = {squeeze(entry): place for place, entry in enumerate(entries)}
    return Lexicon(f"cities.{locale}/{wanted}", entries, codes, places)


def code_of(town: str, locale: str) -> str:
    """Return a postal code of a town by its squeezed name; empty where no list has it.

    Of several French communes of one name it is that of the most populated.
    """
    whole = lexicon.load("cities", locale)
    place = whole.places.get(town)
    if place is not None:
        return whole.codes[place]
    return _communes()[1].get(town, "") if locale == "fr" else ""


def commune_name(number: str) -> str:
    """Return the name of a French commune by the number of Insee; empty where there is none."""
    return _communes()[0].get(number, "")


def commune_number(town: str, code: str) -> str:
    """Return the number of a French commune by its name and postal code; empty for no such one."""
    return _numbers().get((town, code), "")


@cache
def _communes() -> tuple[dict[str, str], dict[str, str]]:
    """Read the names of communes by number, and their postal codes by squeezed name."""
    rows = [line.split(";") for line in lexicon.lines("communes", "fr")]
    codes: dict[str, str] = {}
    for _, name, code in rows:
        codes.setdefault(squeeze(name), code)
    return {number: name for number, name, _ in rows}, codes


@cache
def _numbers() -> dict[tuple[str, str], str]:
    rows = (line.split(";") for line in lexicon.lines("communes", "fr"))
    return {(name, code): number for number, name, code in rows}


@cache
def people() -> dict[str, int]:
    """Return how many people live where ZIP codes begin with the same three digits
    (census 2010).
    """
    rows = (line.split(";") for line in lexicon.lines("zip3", "en"))
    return {digits: int(number) for digits, number in rows}

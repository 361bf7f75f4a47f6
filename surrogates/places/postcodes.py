"""Towns and postcodes of the United Kingdom and Canada, in English notes that have such ones."""

import re
from collections.abc import Iterable
from functools import cache

from record.errors import Unsafe
from record.label import Label
from surrogates.patient import gazetteer, lexicon
from surrogates.patient.lexicon import Lexicon
from surrogates.patient.patient import DRAWS, Mention, Subject
from surrogates.patient.text_normalization import apply_case, compact, squeeze

_FORMS = {
    "gb": re.compile(r"([a-z]{1,2}[0-9][0-9a-z]?)[ \u00a0]?([0-9][a-z]{2})", re.IGNORECASE),
    "ca": re.compile(r"([a-z][0-9][a-z])[ \u00a0-]?([0-9][a-z][0-9])", re.IGNORECASE),
}
_AMERICAN = re.compile(r"[0-9]{5}(?:-[0-9]{4})?")
_PREFIX = re.compile(r"[A-Z]+")
_LETTERS = "ABDEFGHJLNPQRSTUWXYZ"
_CANADIAN = "ABCEGHJKLMNPRSTVWXYZ"
_PROVINCES = {
    "Alberta": "AB", "British Columbia": "BC", "Manitoba": "MB", "New Brunswick": "NB",
    "Newfoundland and Labrador": "NL", "Nova Scotia": "NS", "Ontario": "ON",
    "Prince Edward Island": "PE", "Quebec": "QC", "Saskatchewan": "SK",
}  # fmt: skip
# An area with fewer towns would name the town.
_FEWEST = 3


def country_of(postcode: str) -> str:
    """Return the country whose form a postcode has, `gb`, `ca` or `us`; empty for none."""
    written = postcode.strip()
    for country, form in _FORMS.items():
        if form.fullmatch(written):
            return country
    return "us" if _AMERICAN.fullmatch(written) else ""


def country_of_all(postcodes: Iterable[str]) -> str:
    """Return the country of all postcodes of a note, where they are of one; else empty."""
    found = {country for each in postcodes if (country := country_of(each))}
    return found.pop() if len(found) == 1 else ""


def towns_of(country: str, town: str, subject: Subject) -> Lexicon | None:
    """Return the towns that may stand for a squeezed one; None where they are not of a list here.

    A town that only the list of one of these countries has lies there wherever it stands. Where the
    policy keeps an area, they are those of the same postcode area, or else all.
    """
    if subject.locale != "en":
        return None
    if country not in _FORMS:
        if country or town in lexicon.load("cities", "en").places:
            return None
        country = next((each for each in _FORMS if town in _towns(each, "").places), "")
        if not country:
            return None
    whole = _towns(country, "")
    place = whole.places.get(town)
    if subject.policy.keep_area == gazetteer.EVERYWHERE or place is None:
        return whole
    near = _towns(country, _area(whole.codes[place], country))
    return near if len(near) >= _FEWEST else whole


def replace_postcode(mention: Mention, subject: Subject, country: str, drawn_code: str) -> str:
    """Return a postcode of the district of a drawn town, else of any; its last part is drawn."""
    found = _FORMS[country].fullmatch(mention.text.strip())
    assert found
    own, written = found[1].upper(), compact(mention.text)
    codes = _towns(country, "").codes
    for counter in range(DRAWS):
        code = drawn_code
        if not code or counter or code == own:
            code = codes[subject.key.number(Label.ZIP, own.lower(), len(codes), counter=counter)]
        end = _draw_end(country, written, subject, counter)
        made = mention.text.strip()[len(found[1]) : found.start(2)].join((code, end))
        if code != own and compact(made) not in subject.avoided_codes:
            return made.lower() if mention.text.islower() else made
    raise Unsafe("no-surrogate")


def replace_region(text: str, subject: Subject, country: str, code: str) -> str:
    """Return the county or province of a drawn town's postcode, another if it is the original's.

    It is empty where the country is unknown or has none in the form of the original.
    """
    is_abbreviated = len(text) == len("ON") and text.isupper()
    # A town may be known by its name alone, with no postcode beside it that tells the country.
    country = country or next((each for each in ("gb", "ca") if code in _regions(each)), "")
    if not country or (is_abbreviated and country != "ca"):
        return ""
    regions = _regions(country)
    names = sorted(set(regions.values()))
    at = subject.key.number(Label.REGION, squeeze(text), len(names))
    for name in (regions.get(code, ""), *names[at:], *names[:at]):
        written = _PROVINCES[name] if name and is_abbreviated else name
        if written and squeeze(written) != squeeze(text) and subject.allows(written):
            return written if is_abbreviated else apply_case(text, written)
    return ""


def _draw_end(country: str, written: str, subject: Subject, counter: int) -> str:
    letters = _LETTERS if country == "gb" else _CANADIAN
    sizes = (10, len(letters), len(letters) if country == "gb" else 10)
    drawn = [
        subject.key.number(f"{Label.ZIP}/end/{place}", written, size, counter=counter)
        for place, size in enumerate(sizes)
    ]
    last = letters[drawn[2]] if country == "gb" else str(drawn[2])
    return f"{drawn[0]}{letters[drawn[1]]}{last}"


def _area(code: str, country: str) -> str:
    """Return the letters of a British postcode area, the first letter of a Canadian one."""
    found = _PREFIX.match(code)
    return found[0] if found and country == "gb" else code[:1]


@cache
def _towns(country: str, area: str) -> Lexicon:
    rows = [line.split(";") for line in lexicon.lines(f"towns_{country}", "en")]
    rows = [row for row in rows if not area or _area(row[1], country) == area]
    entries, codes = tuple(row[0] for row in rows), tuple(row[1] for row in rows)
    places = {squeeze(entry): place for place, entry in enumerate(entries)}
    return Lexicon(f"towns_{country}.en/{area}", entries, codes, places)


@cache
def _regions(country: str) -> dict[str, str]:
    rows = (line.split(";") for line in lexicon.lines(f"towns_{country}", "en"))
    return {code: region for _, code, region in rows}

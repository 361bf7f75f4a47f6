"""Number plates, by the shapes of countries, and vehicle identification numbers."""

import re
from collections.abc import Iterator

from locales import check_digits
from record.label import Label
from record.span import Span
from rules.matching.scanner import Pattern

_DETECTOR = "rules.identifiers"

# Alone, only the French plate with its hyphens is sure to be none of the codes of medicine.
_PLATE = Pattern(
    r"(?<![A-Z0-9\-])[A-HJ-NP-TV-Z]{2}-[0-9]{3}-[A-HJ-NP-TV-Z]{2}(?![A-Z0-9\-])", cased=True
)

# After a word for a vehicle or a plate.
_PLATES = (
    r"[a-z]{2}[ \-]?[0-9]{3}[ \-]?[a-z]{2}",  # France since 2009, Italy
    r"[0-9]{1,4} ?[a-z]{2,3} ?(?:[0-9]{2}|2[ab])",  # France before 2009
    r"[a-z]{2}[0-9]{2} ?[a-z]{3}",  # United Kingdom
    r"[0-9][a-z]{3}[0-9]{3}|[a-z]{3}[ \-]?[0-9]{3,4}",  # United States
    r"[0-9]{4}[ \-]?[b-df-hj-np-tv-z]{3}",  # Spain since 2000
    r"[a-z]{1,2}[ \-][0-9]{4}[ \-][a-z]{1,2}",  # Spain before 2000
    r"[a-z]{1,3}[ \-][a-z]{1,2} ?[0-9]{1,4}[eh]?",  # Germany
    r"[0-9]{1,2}-[a-z]{2,3}-[0-9]{1,3}|[0-9]{2}-[0-9]{2}-[a-z]{2}",  # Netherlands, Belgium
    r"[a-z]{1,2}-[0-9]{2,3}-[a-z]{1,2}|[0-9]{2}-[a-z]{2}-[a-z]{2}",  # the same, and Portugal
    r"[a-z]{2}-[a-z]{2}-[0-9]{2}",  # the same
)
_CALLED = Pattern(
    r"\b(?:plaque(?: mineralogique)?|immatricul(?:ation(?: du vehicule)?|ee?)"
    r"|voiture|vehicule|vehicle(?: registration)?|car(?: registration)?|coche|matricula"
    r"|vehiculo|kennzeichen|kenteken(?:nummer)?|plate|pkw)"
    r"(?: (?:number|no))?[ .:#(]{1,4}"
    rf"({'|'.join(_PLATES)})(?!-?[0-9a-z])"
)
_VIN = Pattern(r"\b(?<!-)[A-HJ-NPR-Z0-9]{17}\b(?!-)", cased=True)
_VIN_CALLED = Pattern(
    r"\b(?:vin|chassis|bastidor|fahrgestell)(?: ?num[bm]er)?(?: n[°o])?[ .:#]{1,4}"
    r"([0-9a-hj-npr-z]{17})(?![0-9a-z])"
)
_DIGIT = re.compile(r"[0-9]")


def find(folded: str, cased: str) -> Iterator[Span]:
    """Yield plates and vehicle numbers of a text, folded and with its case, as VEHICLE_ID."""
    for match in _PLATE.finditer(cased):
        yield Span(match.start(), match.end(), Label.VEHICLE_ID, _DETECTOR)
    for match in _CALLED.finditer(folded):
        if cased[match.start(1) : match.end(1)].isupper():
            yield Span(match.start(1), match.end(1), Label.VEHICLE_ID, _DETECTOR)
    for match in _VIN_CALLED.finditer(folded):
        if _DIGIT.search(match[1]):
            yield Span(match.start(1), match.end(1), Label.VEHICLE_ID, _DETECTOR)
    for match in _VIN.finditer(cased):
        if not match[0].isdigit() and check_digits.vin(match[0]):
            yield Span(match.start(), match.end(), Label.VEHICLE_ID, _DETECTOR)

"""Reading of the name of a town that begins at an offset, with its district or CEDEX."""

import re

from record.label import Label
from rules.names.words import is_clinical, is_common
from rules.places.address_parts import read_name
from rules.places.gazetteer import find_listed, wide_end

STOPS = frozenset(
    "tel tel. telephone telefono tfno tfno. fax email e-mail mail correo dr dr. cp service servicio"
    " cedex nhc france espana ne nee ipp nda le les du rendez-vous date email: hospital tlf tlf."
    " telefoon telefon phone".split()
)
"""Words in small letters at which the name of a town ends."""

_SMALL = frozenset("de la del les le los las du des y et en sur sous".split())
_CEDEX = re.compile(r"[ \-]cedex(?: [0-9]{1,2})?(?![a-z0-9])")
_DISTRICT = re.compile(
    r"[ ](?:[0-9]{1,2}(?:(?:er|e|eme)(?: arrondissement)?(?![a-z0-9])|(?=[,.;)\n]|\Z)(?![.,][0-9]))"
    r"|[ivx]{1,5}e(?: arrondissement)?(?![a-z]))"
)
_WITH_DISTRICTS = frozenset(["paris", "lyon", "marseille"])
# `ISSY LES` or `BOULOGNE-` at the end of a line goes on in the next.
_BROKEN = re.compile(r"[ -][A-Za-z]{2,4}\n[A-Z][A-Za-z\-]+")
_BROKEN_AT = frozenset("le les la sur sous en de du".split())
_ON_A_RIVER = re.compile(r" (?:am|an der|ob der|aan de[nr]?|op|upon) ([a-z]+)")
_RIVERS = frozenset(
    "main rhein neckar inn see donau oder saale ruhr zoom rijn ijssel avon tyne tauber".split()
)


def read_town(cased: str, folded: str, at: int, *, stops: frozenset[str] = STOPS) -> int:
    """Return the end of the town's name that begins at an offset, or the offset if none does.

    `cased` is the text without accents, `folded` without case too; offsets are code points. The
    number of a district and `CEDEX` belong to the name.
    """
    end = read_name(cased, at, stops=stops)
    if end == at:
        return at
    known = find_listed(folded, at)
    town = known.end if known and Label.CITY in known.labels else at
    if town < end:
        town = max(town, wide_end(folded, at))
    if town > at and (town > end or _continues_name(folded, town, end)):
        end = town
    elif known is None and town == at and is_clinical(folded[at:end].partition(" ")[0]):
        return at
    river = _ON_A_RIVER.match(folded, end)
    river = river if river and river[1] in _RIVERS else None
    broken = _BROKEN.match(cased, end)
    small = folded[end : folded.find("\n", end)].strip(" -") if broken else ""
    broken = broken if not small or small in _BROKEN_AT else None
    end = river.end() if river else broken.end() if broken else end
    return with_district(folded, at, end)


def _continues_name(folded: str, known: int, end: int) -> bool:
    """Return whether what follows a listed town is another word than of its name."""
    more = [word for word in folded[known:end].split() if word not in _SMALL]
    return bool(more) and folded[known] in " ." and is_common(more[0])


def with_district(folded: str, at: int, end: int) -> int:
    """Return the end of the district or the CEDEX behind a town that lies between two offsets."""
    cedex = _CEDEX.match(folded, end)
    if cedex:
        return cedex.end()
    if folded[at:end] in _WITH_DISTRICTS:
        district = _DISTRICT.match(folded, end)
        return district.end() if district else end
    return end

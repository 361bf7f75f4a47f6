"""Feasts that are on the same day of every year, written out as that day: `seit Silvester`."""

import re

from surrogates.dates.words import MONTHS
from surrogates.patient.text_normalization import fold, unaccented

_DAYS = {
    "jour de l'an|nouvel an|new year's day|ano nuevo|neujahr|neujahrstag|nieuwjaar|nieuwjaarsdag": (
        1, 1,
    ),
    "epiphanie|epiphany|twelfth night|dia de reyes|reyes|heilige drei konige|driekoningen": (6, 1),
    "saint-valentin|valentine's day|san valentin|valentinstag|valentijnsdag": (14, 2),
    "toussaint|all saints' day|todos los santos|allerheiligen": (1, 11),
    "halloween": (31, 10),
    "veille de noel|christmas eve|nochebuena|heiligabend|heiliger abend|kerstavond": (24, 12),
    "noel|jour de noel|christmas|christmas day|xmas|navidad|dia de navidad|weihnachten"
    "|1. weihnachtstag|weihnachtstag|kerst|kerstmis|eerste kerstdag": (25, 12),
    "boxing day|2. weihnachtstag|tweede kerstdag": (26, 12),
    "saint-sylvestre|reveillon|new year's eve|nochevieja|silvester|silvesterabend|oudejaarsavond"
    "|oud en nieuw": (31, 12),
}  # fmt: skip
_DAY_OF = {name: day for names, day in _DAYS.items() for name in names.split("|")}
_YEAR = re.compile(r"(.+?),? (?:de |of )?((?:19|20)[0-9]{2})")


def write_out(text: str, lang: str) -> str | None:
    """Return the day of a feast as a date of the language, with the year if it has one.

    None for any other text.
    """
    folded = unaccented(fold(text)).replace("’", "'").strip()
    dated = _YEAR.fullmatch(folded)
    found = _DAY_OF.get(dated[1] if dated else folded)
    names = next((each.words for each in MONTHS if each.lang == lang and not each.short), None)
    if found is None or names is None:
        return None
    (day, month), year = found, dated[2] if dated else ""
    name = names[month - 1]
    if lang == "en":
        return f"{name} {day}, {year}" if year else f"{name} {day}"
    if lang == "es":
        return f"{day} de {name} de {year}" if year else f"{day} de {name}"
    number = "1er" if lang == "fr" and day == 1 else f"{day}." if lang == "de" else f"{day}"
    return f"{number} {name} {year}".strip()

"""Dates as programs and forms count them: `14032021`, `073/2021`, milliseconds since 1970."""

import re
from collections.abc import Iterator

from rules.dates.calendar import Moment, possible_day
from rules.matching.preceding_words import words_before
from rules.matching.scanner import Pattern

_YEAR = r"(20[0-3][0-9])"
# An underscore joins a date to the name of a file.
_RUN = Pattern(
    r"(?<![0-9a-z.,/\-+])(?:"
    rf"([0-3][0-9])([0-3][0-9]){_YEAR}|{_YEAR}([01][0-9])([0-3][0-9]))(?![0-9a-z]|[.,/\-][0-9])"
)
_ORDINAL_DAY = r"(00[1-9]|0[1-9][0-9]|[12][0-9][0-9]|3[0-5][0-9]|36[0-6])"
_DAY_OF_YEAR = Pattern(
    rf"(?<![\w/.,:+\-])(?:{_ORDINAL_DAY}/{_YEAR}|{_YEAR}/{_ORDINAL_DAY})(?!\w|/| ?%|[.,\-][0-9])"
)
_COUNTED_DAY = Pattern(
    r"(?<![\w/.,:+\-])(?:[0-3]?[0-9]{1,2}"
    r" ?(?:er|eme|e|th|st|nd|rd|o|\.)? ?(?:jour|dia|day|tag|dag)"
    r"|(?:jour|dia|day|tag|dag) (?:n[o°]\.? ?)?"
    r"[0-3]?[0-9]{1,2})"
    r"(?:/| (?:de (?:l'annee )?|del (?:ano )?|of |van |des jahres |im jahr ))"
    rf"{_YEAR}(?![0-9a-z])"
)
# From 2001 to 2033.
_MILLISECONDS = Pattern(r"(?<![0-9a-z.,/\-+])(1[0-9]{12})(?![0-9a-z]|[.,/\-][0-9])")
_MONTH_OF_BIRTH = re.compile(r"1[0-9]{2}(?:0[1-9]|1[0-2])")
_CLOCKS = frozenset("timestamp epoch ts unix time ms horodatage zeitstempel tijdstempel".split())
# What says that a number is of another kind.
_NUMBERED = frozenset(
    (
        "n n° no nr nro num numero nummer number id ipp nip nhc mrn nhs tel telefono telefon"
        " phone fax fon mobil gsm movil portable rpps adeli finess nss nir iban siret lot charge"
        " dni nie cip sip case fall fallnr kvnr bsn dossier reg registro expediente ref"
    ).split()
)
_LAWS = frozenset("loi ley decret decreto verordnung regulation reglement reglamento rd".split())


def find(folded: str) -> Iterator[Moment]:
    """Yield runs of eight digits, days of a year and milliseconds since 1970.

    A run has a year from 2000 on, and no word before it says that it is a number of another kind.
    """
    for match in _RUN.finditer(folded):
        if _has_possible_day(match) and not _is_numbered(folded, match.start()):
            year = int(match[3] or match[4])
            yield Moment(match.start(), match.end(), year, *_parts(match))
    for match in _DAY_OF_YEAR.finditer(folded):
        if words_before(folded, match.start())[1] not in _LAWS:
            yield Moment(match.start(), match.end(), int(match[2] or match[3]), None, None)
    for match in _COUNTED_DAY.finditer(folded):
        yield Moment(match.start(), match.end(), int(match[1]), None, None)
    for match in _MILLISECONDS.finditer(folded):
        words = words_before(folded, match.start())
        # What may be a French social security number needs a word for a time of a program.
        is_numbered = _is_numbered(folded, match.start()) or bool(_MONTH_OF_BIRTH.match(match[1]))
        if not is_numbered or not _CLOCKS.isdisjoint(words):
            yield Moment(match.start(), match.end(), None, None, None)


def _parts(match: re.Match[str]) -> tuple[int, int]:
    """Return month and day of a run of digits, in the order of Europe where both are possible."""
    if match[4]:
        return int(match[5]), int(match[6])
    first, second = int(match[1]), int(match[2])
    return (second, first) if possible_day(first, second) else (first, second)


def _has_possible_day(match: re.Match[str]) -> bool:
    month, day = _parts(match)
    return possible_day(day, month)


def _is_numbered(folded: str, start: int) -> bool:
    previous, last = words_before(folded, start)
    return not _NUMBERED.isdisjoint((previous.strip(".:"), last.strip(".:")))

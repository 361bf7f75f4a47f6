"""Dates with the name of a month or a weekday, and years that stand alone after a word."""

import re
from collections.abc import Iterator

from rules.calendar import (
    AMBIGUOUS_MONTHS,
    MONTH,
    MONTHS,
    SPOKEN,
    WEEKDAY,
    Moment,
    full_year,
    spoken,
)
from rules.scan import Pattern

_REACH = 40

_MONTH = Pattern(rf"(?<![a-z])({MONTH})(?![a-z])\.?")
_LINK = r"(?:de|del|du|of|d'|en|l'an|el|la|ano|year|the|mes)"
_DAY = re.compile(
    r"(?<![0-9])([0-3]?[0-9o])((?:er|ere|st|nd|rd|th|eme|e|o|°|ª)?[ .,]{0,2}[\-/]?[ \n]{0,3})"
    r"((?:(?:de|del|du|of|d')[ \n]{1,2})?)\Z"
)
# Hospitals and streets are named after days: 12 de Octubre, rue du 4 septembre.
_PLACE = re.compile(
    r"\b(?:hospital|hopital|universitario|universitaire|calle|c/|avenida|avda\.?|av\.?|ave|plaza"
    r"|pza\.?"
    r"|rue|place|bd|boulevard|quai|pont|colonia|barrio|allee|impasse|square|cours|edificio)"
    r"(?: general)?,? [\"'«]?(?:du |de |del )?\Z"
)
_DECIMAL = re.compile(r"[0-9][.,/]\Z")
_DAY_IN_WORDS = re.compile(
    rf"\b({SPOKEN}(?:(?:[ \-](?:et[ \-]|y )?){SPOKEN}){{0,2}})( (?:de |of )?)\Z"
)
_SHORT_BUT_FULL = frozenset({"mars", "mai", "juin", "aout", "mayo", "june", "july"})
_ARTICLES = frozenset({"un", "une", "una", "one", "zero", "cero", "cent", "mil", "mille"})
_YEAR_FIRST = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})[ \-/]{1,3}\Z")
_YEAR = re.compile(
    rf"[ .,\-/]{{0,3}}(?:{_LINK} ?){{0,3}}'?((?:1[89]|20|21)[0-9]{{2}}|[0-9]{{2}})(?![0-9])"
    rf"|[ ,.]{{0,2}}\n *(?:{_LINK} )?((?:19|20)[0-9]{{2}})(?![0-9])"
)
_YEAR_IN_WORDS = re.compile(
    r"[ ,]{1,2}(?:(?:de|del|of) )?"
    rf"((?:mille?|deux[ \-]mille|dos mil|two thousand|dix-neuf[ \-]cents?|nineteen|twenty)"
    rf"(?:[ \-](?:(?:et|and|y) )?{SPOKEN}){{0,6}})(?![a-z])"
)
_GLUED_YEAR = re.compile(r"(?:19|20)[0-9]{2}(?![0-9])")
_DAY_AFTER = re.compile(r"[ .\-/]{0,2}(?:the )?([0-3]?[0-9])(?:st|nd|rd|th)?(?![0-9a-z])")
_ORDINAL_AFTER = re.compile(r" (?:the )?([0-3]?[0-9])(?:st|nd|rd|th)(?![0-9a-z])")
_YEAR_NEAR = re.compile(r" ?,? ?((?:19|20)[0-9]{2})(?![0-9])")
_YEAR_AFTER_DAY = re.compile(
    r" ?, ?((?:1[89]|20|21)[0-9]{2})(?![0-9])|[ \-/]((?:19|20)[0-9]{2})(?![0-9])"
)
_QUANTITY = re.compile(
    r" ?(?:[:%/.,][0-9]|%|h\b|[mµuk]?g\b|m?l\b|[cm]?m\b|fois\b|x\b|veces\b|times\b|ans\b|mois\b"
    r"|jours\b|days\b|hours\b|weeks\b|months\b|years\b|minutes\b|semaines\b|anos\b|dias\b|meses\b"
    r"|patients?\b|pacientes?\b|heures\b|horas\b)"
)
_MONTH_TRIGGER = re.compile(
    r"\b(?:en|in|depuis|since|desde|mois de|mois d'|month of|mes de|fin|debut|mi-?|courant"
    r"|jusqu'en|until|till|hasta|dernier|early|late|mid|pour|during|courant|ce"
    r"|au mois de)[ ]{0,2}\Z"
)
_RANGE = re.compile(rf" ?(?:a|au|al|to|through|et|and|y|e|ou|or|-|/|,) ?({MONTH})(?![a-z])")

_YEAR_ALONE = Pattern(r"((?:19|20)[0-9]{2})(?![0-9a-z])(?![.,][0-9]|[ ]?[/\-][0-9]{1,2}(?![0-9]))")
_YEAR_TRIGGER = re.compile(
    r"(?:\b(?:en|in|depuis|since|desde|during|durant|annees?|anos?|year|avant|apres|before|after"
    r"|until|till|jusqu'en|jusqu'a|hasta|hacia|fin|finales de|principios de|mediados de|debut|mi-?"
    r"|end of|beginning of|early|late|mid|entre|between|vers|circa|courant|l'annee|from"
    r"|datant de|date de|dated|printemps|ete|automne|hiver|summer|winter|spring|fall|autumn"
    r"|primavera|verano|otono|invierno|noel|navidad|christmas|des|depuis l'an|l'an|et al\.?,?"
    r"|ne en|nee en|born in|class of|circa|vaccine en|opere en)(?:[ ,]{1,2}| ?\n)(?:l'annee "
    r"|el ano |the year )?"
    r"|\b(?:fecha|date)[a-z ]{0,24} ?: ?|\bd'ici )\Z"
)
_YEAR_TRIGGER_WEAK = re.compile(r"\b(?:de|of|du|a|to|by|al|del) \Z")
_NUMBER = re.compile(r" ?[0-9]")
_IN_BRACKETS = re.compile(r"[(\[] ?\Z")
_CLOSES = re.compile(r" ?[)\];,:/]| ?(?:-|y|et|and|a|to) ?(?:19|20)[0-9]{2}")
_HEAD = re.compile(r"(?:(?:^|\n) {0,8}[\-•*·>+] {0,3}|[:;,] ?- ?| - )\Z")
_HEADED = re.compile(r" {0,2}[:\-.]? {0,2}[a-z]")
_LINE_STARTS = re.compile(r"(?:^|\n) {0,8}\Z")
_LINE_GOES_ON = re.compile(r" {0,2}[:\-] {0,2}[a-z]")
_LISTED = re.compile(r" ?(?:,|et|y|e|and|o|ou|or|a|au|to|-|/|puis|hasta|jusqu'en|et en|y en) ?")
# A blank forgotten: `depuis2009`.
_RUN_ON = re.compile(r"(?<![a-z0-9])(?:depuis|since|desde|en|in)\Z")
_TIED = re.compile(r"[\w/.'\-]\Z")
_NO_YEAR = re.compile(
    r" ?(?:m[lgm]\b|[µu]g|k?g\b|ui\b|u\b|cc\b|k?cal|/|cm|[mlhx]\b|%|cell?ules|cells|copies|pas\b"
    r"|metres|meters|metros|eur|€|\$|[np]g\b|mmol|patients?\b|pacientes?\b|ans\b|anos\b|years\b"
    r"|fois|times|veces|cas\b|casos|cases|personnes|people|h\b|hz|rpm|j\b|w\b|v\b|unit|calor|pieds)"
)
_WEEKDAY_AND_DAY = Pattern(
    rf"\b{WEEKDAY},? {{1,2}}(?:le |the |el |dia )?([0-3]?[0-9])(?:er|st|nd|rd|th)?(?![0-9a-z])"
    rf"(?! ?(?:(?:de|of|del) )?{MONTH}(?![a-z]))"
    r"(?! ?[:h%/.,\-]? ?[0-9]| ?(?:h\b|[mµ]?g\b|m?l\b|[:%]))"
)


def find(folded: str, text: str) -> Iterator[Moment]:
    """Yield dates with a month's or weekday's name and years alone; `text` shows the capitals."""
    yield from _months(folded, text)
    yield from _years(folded)
    for match in _WEEKDAY_AND_DAY.finditer(folded):
        if 1 <= int(match[1]) <= 31:
            yield Moment(match.start(), match.end(), None, None, int(match[1]))


def _months(folded: str, text: str) -> Iterator[Moment]:
    """Yield dates with a month; a bare month counts beside one: `mai à juin 2029`."""
    waiting: Moment | None = None
    last = -1
    for match in _MONTH.finditer(folded):
        found = _around(folded, text, match)
        alone = None
        if found is None and match[1] not in AMBIGUOUS_MONTHS:
            alone = Moment(match.start(), match.end(1), None, MONTHS[match[1]], None)
        if found and waiting:
            yield waiting
        if alone and 0 <= last <= alone.start and _LISTED.fullmatch(folded, last, alone.start):
            found = alone
        if found:
            yield found
            last = found.end
        waiting = alone if _RANGE.match(folded, match.end()) else None


def _around(folded: str, text: str, match: re.Match[str]) -> Moment | None:
    """Complete the name of a month with the day and the year around it."""
    name, month = match[1], MONTHS[match[1]]
    start, end, day = match.start(), match.end(), None
    before = _day_before(folded, start, name)
    if before and not _counts_on(folded, match):
        start, day = before
    year, end = _year_after(folded, match.end())
    if day is not None:
        if _PLACE.search(folded, max(0, start - _REACH), start):
            return None
        if year is None and not _plain(folded, text, match, start):
            return None
        return Moment(start, _trim(folded, end), year, month, day)
    first = _YEAR_FIRST.search(folded, max(0, match.start() - 8), match.start())
    if first and (year is None or year < 2032):
        return _year_first(folded, match, first)
    return _month_first(folded, text, match)


def _counts_on(folded: str, match: re.Match[str]) -> bool:
    """Tell whether a number before `of` is no day, as the day follows: `24C6-3 of June 8, 2023`."""
    linked = folded.startswith("of ", max(0, match.start() - 3))
    return linked and _month_day_year(folded, match) is not None


def _year_first(folded: str, match: re.Match[str], first: re.Match[str]) -> Moment:
    """Read `2016 janvier`, `2013-jan-12`."""
    day = _DAY_AFTER.match(folded, match.end())
    if day and 1 <= int(day[1]) <= 31 and not _QUANTITY.match(folded, day.end()):
        return Moment(first.start(), day.end(), int(first[1]), MONTHS[match[1]], int(day[1]))
    end = _trim(folded, match.end())
    return Moment(first.start(), end, int(first[1]), MONTHS[match[1]], None)


def _trim(folded: str, end: int) -> int:
    """Leave out the dot of an abbreviation that ends a date."""
    return end - 1 if folded[end - 1] == "." else end


def _day_before(folded: str, at: int, name: str) -> tuple[int, int] | None:
    """Find the day before a month: (start, day)."""
    match = _DAY.search(folded, max(0, at - _REACH), at)
    if match:
        day = int(match[1].replace("o", "0"))
        glued = _DECIMAL.search(folded, max(0, match.start() - 2), match.start())
        if 1 <= day <= 31 and not glued:
            return match.start(), day
        return None
    match = _DAY_IN_WORDS.search(folded, max(0, at - _REACH), at)
    if match and match[1] not in _ARTICLES and (len(name) > 4 or name in _SHORT_BUT_FULL):
        number = spoken(match[1])
        if number is not None and 1 <= number <= 31:
            return match.start(), number
    return None


def _year_after(folded: str, at: int) -> tuple[int | None, int]:
    """Find the year after a month: (year, end), or (None, at)."""
    match = _YEAR.match(folded, at)
    if match:
        digits = match[1] or match[2]
        if not (len(digits) == 2 and _QUANTITY.match(folded, match.end())):
            return full_year(digits), match.end()
        return None, at
    match = _YEAR_IN_WORDS.match(folded, at)
    if match:
        year = spoken(match[1])
        if year is not None and 1800 <= year < 2200:
            return year, match.end()
    return None, at


def _plain(folded: str, text: str, match: re.Match[str], start: int) -> bool:
    """Tell whether a day and a month without a year can be nothing else."""
    if match[1] not in AMBIGUOUS_MONTHS or text[match.start()].isupper():
        return True
    between = folded[start : match.start()].lstrip("0123456789")
    return between.strip() != "" or between == ""


def _month_first(folded: str, text: str, match: re.Match[str]) -> Moment | None:
    start, end, month = match.start(), match.end(), MONTHS[match[1]]
    capital = text[start].isupper()
    ambiguous = match[1] in AMBIGUOUS_MONTHS and not capital
    whole = _month_day_year(folded, match)
    if whole:
        return whole
    if folded[end : end + 1].isdigit() and not _GLUED_YEAR.match(folded, end):
        return None
    year, year_end = _year_after(folded, end)
    if year is not None and not (ambiguous and match[1] in ("ago", "set", "may", "march")):
        return Moment(start, year_end, year, month, None)
    day = _DAY_AFTER.match(folded, end)
    if day and capital and 1 <= int(day[1]) <= 31 and not _QUANTITY.match(folded, day.end()):
        return Moment(start, day.end(), None, month, int(day[1]))
    triggered = _MONTH_TRIGGER.search(folded, max(0, start - 16), start)
    if triggered and not ambiguous:
        return Moment(start, match.end(1), None, month, None)
    return None


def _month_day_year(folded: str, match: re.Match[str]) -> Moment | None:
    """Read `March 12th`, `March 12, 2024`: a day that is ordinal or goes before a year."""
    ordinal = _ORDINAL_AFTER.match(folded, match.end())
    day = ordinal or _DAY_AFTER.match(folded, match.end())
    if day is None or not 1 <= int(day[1]) <= 31:
        return None
    year = (_YEAR_NEAR if ordinal else _YEAR_AFTER_DAY).match(folded, day.end())
    if year is None and ordinal is None:
        return None
    number = int(next(filter(None, year.groups()))) if year else None
    end = year.end() if year else day.end()
    return Moment(match.start(), end, number, MONTHS[match[1]], int(day[1]))


def _years(folded: str) -> Iterator[Moment]:
    last = -1
    for match in _YEAR_ALONE.finditer(folded):
        start, end = match.span()
        listed = 0 <= last <= start and _LISTED.fullmatch(folded, last, start)
        run_on = _RUN_ON.search(folded, max(0, start - 8), start)
        if _NO_YEAR.match(folded, end) or (
            _TIED.search(folded, max(0, start - 1), start) and not (listed or run_on)
        ):
            continue
        if listed or run_on or _says_year(folded, start, end):
            last = end
            yield Moment(start, end, int(match[1]), None, None)


def _says_year(folded: str, start: int, end: int) -> bool:
    left = max(0, start - _REACH)
    if _YEAR_TRIGGER.search(folded, left, start):
        return True
    if folded[start:end] != "2000" and _YEAR_TRIGGER_WEAK.search(folded, left, start):
        return not _NUMBER.match(folded, end)
    if _IN_BRACKETS.search(folded, left, start):
        return bool(_CLOSES.match(folded, end))
    if _LINE_STARTS.search(folded, left, start):
        return bool(_LINE_GOES_ON.match(folded, end))
    return bool(_HEAD.search(folded, left, start) and _HEADED.match(folded, end))

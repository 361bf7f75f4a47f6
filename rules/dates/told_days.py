"""Days, weeks and times of a year that are written without month or year, and what proves them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from record.document import Document
from record.label import Label
from record.span import Span
from rules.dates.calendar import Moment
from rules.matching.normalized_document import fold_once
from rules.matching.scanner import Pattern

_DAY = r"(?:[1-9]|[12][0-9]|3[01])"
_FRENCH_DAY = Pattern(
    r"(?<![\w'\-])(?:lun|mar|mer|jeu|ven|sam|dim)"
    rf"\.? {_DAY}(?![\w/:%\-]|[.,][0-9]| {{1,2}}[0-9]{{1,2}}h| ?(?:%|h\b|[0-9]+ ?h|fois|mg|ml)"
    r"| (?:janv|fevr?|mars|avril|mai|juin|juil|aout|sept|oct|nov|dec))"
)
_SPANISH_DAY = Pattern(
    rf"(?<![\w'\-])(?:lun|mar|mie|jue|vie|sab|dom)\.? {_DAY}(?![\w/:%\-]|[.,][0-9]"
    r"| (?:de|a|h|mg|ml|veces)\b| ?%)"
)
# What was done or will be on a day of this month: `IRM le 12`, `fibroscopie faite le douze`.
_SPOKEN_DAY = (
    r"(?:[1-9]|[12][0-9]|3[01]|premier|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze"
    r"|treize|quatorze|quinze|seize|dix[ -](?:sept|huit|neuf)|trente(?:[ -]et[ -]un)?"
    r"|vingt(?:[ -](?:et[ -]un|deux|trois|quatre|cinq|six|sept|huit|neuf))?)"
)
_DONE_ON = Pattern(
    r"(?<![\w'\-])(?:faite?s?|vue?s?|revue?s?|irm|scanner|echo|radio|fibroscopie|coloscopie|posee?"
    r"|operee?s?|osteosynthese|prevue?s?|possible|rdv|sortie?|entree?|hospitalisee?|admise?"
    rf"|prelevee?|debutee?) (?:le|du) ({_SPOKEN_DAY})(?![\w/:%\-]|[.,][0-9])"
)
_NO_DAY_BEHIND = re.compile(
    r" (?:mg|ml|cm|mm|fois|h\b|heures?|jours?|mois|ans|semaines?|min|gouttes|x\b|sur|virgule"
    r"|points?|cent|mille|janv|fevr?|mars|avr|mai|juin|juil|aout|sept|oct|nov|dec|zero|un\b|deux|trois"
    r"|quatre|cinq|six|huit|neuf|dix)"
)
# Weeks of pregnancies and treatments are counted in the other languages.
_FRENCH_WEEK = Pattern(
    r"(?<![\w'\-(])(?:semaine|sem\.) ?(?:n[o°]\.? ?)?(?:[1-4][0-9]|5[0-3]|[1-9])"
    r"(?![\w/%]|[.,][0-9]| \(| ?(?:sa\b|\+|d'|de\b|sur\b|seances?\b))"
)
# No pregnancy lasts so long.
_LATE_WEEK = Pattern(
    r"(?<![\w'\-])(?:week|wk\.?|semana|woche) ?(?:4[3-9]|5[0-3])"
    r"(?![\w/%]|[.,][0-9]| ?(?:min|mg|ml))"
)
_GERMAN_SEASON = Pattern(
    r"(?:(?:bis|ab|seit|vor|nach|im|zum|ueber|uber)(?: (?:dem|den|der|zu den|zum))?|in der|zu den) "
    r"(fruhjahr|fruhling|sommer|herbst|winter|fasching|karneval|jahresende|jahresbeginn"
    r"|jahreswechsel|osternacht|adventszeit|(?:oster|pfingst|sommer|herbst|winter|weihnachts)ferien)"
    r"(?![\w\-])"
)
_REACH = 18
# What belongs to a date that stands behind it.
_PART_OF_A_MONTH = re.compile(
    r"(?<![\w'\-])(?:anfang|mitte|ende|debut|mi|fin|midden|begin|eind|early|late|mid"
    r"|(?:principios|inicios|mediados|finales) de)[ \-]\Z"
)
_WEEKDAY = re.compile(
    r"(?<![\w'\-])(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    r"|lun|mar|mer|jeu|ven|sam|dim)\.? \Z"
)
_WEEK = re.compile(r"(?<![\w'\-])(?:semaine|sem\.|semana|kw|wk\.?) ?\Z")
# A line of a table begins with the day of the week and the day.
_LETTER = re.compile(r"(?:\A|\n) {0,4}[ljvsdmw]\. \Z")
_BARE, _NUMERIC = re.compile(r"[0-9]{1,2}"), re.compile(r"[0-9]{1,2}[/.\-][0-9]{1,2}")
_MONTH = re.compile(r"[a-z]{3,10}\.?(?: (?:19|20)[0-9]{2})?")


def find(folded: str, lang: str) -> Iterator[Moment]:
    """Yield days behind their weekday, weeks and seasons that a language tells without a year."""
    patterns = [_LATE_WEEK]
    if lang == "fr":
        patterns += [_FRENCH_DAY, _FRENCH_WEEK]
    if lang == "es":
        patterns.append(_SPANISH_DAY)
    for pattern in patterns:
        for match in pattern.finditer(folded):
            yield Moment(match.start(), match.end(), None, None, None)
    for match in _DONE_ON.finditer(folded) if lang == "fr" else ():
        if not _NO_DAY_BEHIND.match(folded, match.end()):
            yield Moment(*match.span(1), None, None, None)
    for match in _GERMAN_SEASON.finditer(folded) if lang == "de" else ():
        yield Moment(*match.span(1), None, None, None)


def complete_told_days(document: Document, found: Iterable[Span]) -> list[Span]:
    """Return longer spans where what belongs to a date stands before it: `sam. [10]`, `mi-[mai]`.

    They have label, detector and score of the span they hold.
    """
    folded = fold_once(document.text)
    longer = []
    for span in found:
        if span.label != Label.DATE:
            continue
        written = folded[span.start : span.end]
        low = max(0, span.start - _REACH)
        before = folded[low : span.start]
        match = None
        if _BARE.fullmatch(written):
            match = _WEEKDAY.search(before) or _WEEK.search(before)
        elif _NUMERIC.fullmatch(written):
            match = _LETTER.search(before) or _WEEKDAY.search(before)
        elif _MONTH.fullmatch(written):
            match = _PART_OF_A_MONTH.search(before)
        if match:
            start = low + match.start()
            start += len(match.group()) - len(match.group().lstrip(" \n"))
            longer.append(replace(span, start=start))
    return longer

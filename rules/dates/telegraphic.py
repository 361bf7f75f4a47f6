"""Dates that hurried writers shorten: `Holter 19-21/02`, `Lab 15+17-5`, `le 8 courant`."""

import re
from collections.abc import Iterator

from rules.dates.calendar import MONTHS, Moment, possible_day
from rules.dates.context import is_followed_by_unit
from rules.matching.scanner import Pattern

_DAY = "[0-3]?[0-9]"
_MONTH = "[01]?[0-9]"
# Only dates are joined so: a word for `until` between two days, or a plus sign.
_RANGE_IN_WORDS = Pattern(
    rf"(?<![\w/.,:+\-])({_DAY})\.?(?: ?t/m | (?:au|al|bis|tot|hasta|jusqu'au) (?:el |zum )?)"
    rf"({_DAY})([/.\-])({_MONTH})\.?(?![0-9a-z/]|[.,:\-][0-9]| ?%)"
)
# What is done on a day, before the days on which it was done.
_EVENT = (
    r"holter|mapa|ecg|ekg|eeg|emg|irm|mri|mrt|rmn|tdm|tac|scanner|ct|echo|eco|rx|radio|labo?|bilan"
    r"|bio|analitica|blutbild|hospi?(?:talisation)?|sejour|ingreso|aufnahme|opname|stay|admission"
    r"|consult(?:ation|a)?|visite?|cs|kontrolle|controle?|garde|urgences|urgencias|notaufnahme|seh"
    r"|dialyse|dialisis|chimio|chemo|quimio|cure|kur|conges?|urlaub|vacaciones|vakantie"
)
_RANGE_IN_SIGNS = Pattern(
    rf"(?<![\w\-/])(?:{_EVENT})\.? ?:? (?:du |del? |vom |on |van |le |am )?"
    rf"({_DAY})\.?( ?[\-–+] ?)({_DAY})([/.\-])({_MONTH})\.?(?![0-9a-z/]|[.,:\-+][0-9]| ?%)"
)
# Higher than a pressure in centimetres of mercury or a score.
_HIGH_RANGE = Pattern(
    rf"(?<![\w/.,:+\-])({_DAY})\.?( ?[\-–] ?)(2[3-9]|3[01])([/.])({_MONTH})"
    r"(?![0-9a-z/]|[.,:\-+][0-9]| ?%)"
)
# A night: `14/15-3`.
_NIGHT = Pattern(
    rf"(?<![\w/.,:+\-])({_DAY})/({_DAY})([.\-])({_MONTH})(?![0-9a-z/]|[.,:\-][0-9]| ?%)"
)
# Two days of this month: `absent du 15 au 30.`
_DAYS = Pattern(
    rf"(?<![\w'])(?:du|del) ({_DAY} (?:au|al) {_DAY})"
    r"(?= ?[.,;)\n](?![0-9])|\Z| ct| courant| inclus)"
)
# In a sentence of its own: `el día 25`.
_SPANISH_DAY = Pattern(rf"(?<![\w'])(?:el|del) dia ({_DAY})(?= ?[.,;)\n](?![0-9])|\Z)")
# An English weekday with its day: `Fri 15th`.
_ENGLISH_DAY = Pattern(
    r"(?<![\w'\-])(?:mon|tues?|weds?|thu|thurs?|fri|sat|sun)\.? "
    rf"({_DAY}(?:st|nd|rd|th))(?![\w\-])"
)
_MONTH_BEHIND = re.compile(r" (?:of )?([a-z]{3,9})")
# A day of the month that goes on.
_THIS_MONTH = Pattern(
    rf"(?<![\w/.,:+\-])(({_DAY})(?:er|st|nd|rd|th)?)"
    r"(?= (?:courant|ct\.|crt|cte|de?l cte|del? (?:mes )?corriente|del mes en curso|del actual"
    r"|dezer|inst(?:ant)?\.)(?![a-z])|\. ?d\. ?m\.|\. dieses monats)"
)
# Where a patient comes and goes a number with a point is a day: `urgencias 6.2`.
_STAY = (
    r"urgences|urgencias|urg|notaufnahme|seh|ingresos?|ingresa|ingresada?o?|reingreso|alta|admitted"
    r"|admission|discharged?|readmitted|aufnahme|aufgenommen|entlassung|entlassen"
    r"|opname|opgenomen|ontslag|ontslagen|hospi|hospitalise|hospitalisation|entree|sortie|admise?"
    r"|visite|consulta|cita|rdv|appointment|op|operado|operada|operiert|opere"
)
_POINTED = Pattern(
    rf"(?<![\w\-/])(?:{_STAY})\.?:? (?:el |le |am |on |vom |del )?"
    rf"({_DAY})\.({_MONTH})(?!\w)"
)


_NUMBER = re.compile(r"[0-9]+")
_LAST_DAY = 31


def find(folded: str) -> Iterator[Moment]:
    """Yield ranges of days in one month, days of the month that goes on, and days of a stay."""
    for match in _RANGE_IN_WORDS.finditer(folded):
        yield from _range(match, 1, 2, 4)
    for match in _RANGE_IN_SIGNS.finditer(folded):
        if match[2].strip() != match[4]:
            yield from _range(match, 1, 3, 5)
    for match in _HIGH_RANGE.finditer(folded):
        yield from _range(match, 1, 3, 5)
    for match in _NIGHT.finditer(folded):
        if int(match[1]) + 1 == int(match[2]):
            yield from _range(match, 1, 2, 4)
    for match in _DAYS.finditer(folded):
        first, last = (int(each) for each in _NUMBER.findall(match[1]))
        if 1 <= first < last <= _LAST_DAY:
            yield Moment(*match.span(1), None, None, None)
    for pattern in (_SPANISH_DAY, _ENGLISH_DAY):
        for match in pattern.finditer(folded):
            behind = _MONTH_BEHIND.match(folded, match.end())
            if behind is None or behind[1] not in MONTHS:
                yield Moment(*match.span(1), None, None, int(_NUMBER.findall(match[1])[0]))
    for match in _THIS_MONTH.finditer(folded):
        if 1 <= int(match[2]) <= _LAST_DAY:
            yield Moment(*match.span(1), None, None, int(match[2]))
    for match in _POINTED.finditer(folded):
        day, month = int(match[1]), int(match[2])
        goes_on = folded[match.end() : match.end() + 1] in (":", "/")
        if possible_day(day, month) and not (goes_on or is_followed_by_unit(folded, match.end())):
            yield Moment(match.start(1), match.end(2), None, month, day)


def _range(match: re.Match[str], first: int, last: int, month: int) -> Iterator[Moment]:
    one, other, number = int(match[first]), int(match[last]), int(match[month])
    if 1 <= one < other and possible_day(other, number):
        yield Moment(match.start(first), match.end(month), None, number, other)

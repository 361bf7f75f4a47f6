"""Rooms, beds and places of a ward: with a date they tell who lay there."""

import re
from collections.abc import Iterator

from record.label import Label
from record.span import Span
from rules.dates.number_words import read_number_after
from rules.matching.scanner import Pattern
from rules.matching.table_columns import cells_under

_DETECTOR = "rules.identifiers"

_WORD = (
    r"bed|room|rm|cubicle|ward|locker|lit|chambre|chb|box|cama|hab|habitacion|sala|sillon"
    r"|kamer|kmr|bett|zi|zimmer|zimmernr|platz"
    r"|fauteuil|bat|batiment|sonnette|casier|spind|wertfach|schliess?fach|fach|schrank|puesto|puerta"
    r"|taquilla|kluis|stoel|sessel"
)
_CODE = Pattern(
    rf"(?<![\w\-])(?:{_WORD})(?:\.?[ :]{{0,2}}(?:n\.?[°ºo]\.?|nr\.?|#)?[ ]?|[ ]?-)"
    r"(?![0-9](?:[.,][0-9])?t\b)"  # a magnet
    r"((?:[a-z]-?)?[0-9]{1,4}(?:[.\-/][0-9a-z]{1,3})?[a-z]?"
    r"(?: (?:bis|ter|links|rechts|ventana|puerta|raam|deur)(?![\w]))?)(?![\w°]|[,.:][0-9])"
    r"(?! ?(?:°|am\b|pm\b|min|h\b|t\b|x\b|ml\b|mg\b|cm\b|%))"
)
# Chairs, doors and houses that have a letter.
_LETTER = Pattern(
    r"(?<![\w\-])(?:[Ff]auteuil|FAUTEUIL|[Bb]at(?:iment)?|BAT(?:IMENT)?|[Pp]uerta|PUERTA|[Pp]ieza"
    r"|[Hh]aus|[Uu]nit(?= [A-H] kamer))\.? ([A-H])(?![\w'\-]|\.[A-Z])",
    cased=True,
)
_HEADINGS = frozenset(
    "hab habitacion cama cuna sillon zi zimmer bett room rm ch chambre lit box kamer kmr fauteuil"
    " sessel puesto".split()
)
_CELL = re.compile(r"[a-z]?-?[0-9]{1,4}[a-z]?")
# Where a number may stand in words, as it is dictated.
_SPOKEN = Pattern(
    r"(?<![\w\-])(?:bed|room|chambre|lit|cama|habitacion|kamer|bett|zimmer) (?=[a-z])"
)
_HIGHEST = 999
_NO_NUMBERS = frozenset("un une una uno ein eine een a".split())
_LINKS = ("and ", "en ", "et ", "y ", "und ")


def find_rooms(folded: str, cased: str) -> Iterator[Span]:
    """Yield the numbers and codes of rooms, beds and lockers, as ID.

    `cased` is the text without accents, `folded` without case too.
    """
    for match in _CODE.finditer(folded):
        yield Span(*match.span(1), Label.ID, _DETECTOR)
    for match in _LETTER.finditer(cased):
        yield Span(*match.span(1), Label.ID, _DETECTOR)
    for start, end in cells_under(folded, _HEADINGS):
        if _CELL.fullmatch(folded, start, end):
            yield Span(start, end, Label.ID, _DETECTOR)
    for match in _SPOKEN.finditer(folded):
        spoken = read_number_after(folded, match.end())
        if spoken is None or spoken[1] > _HIGHEST:
            continue
        words = folded[match.end() : spoken[0]]
        if words not in _NO_NUMBERS and not words.startswith(_LINKS):
            yield Span(match.end(), spoken[0], Label.ID, _DETECTOR)

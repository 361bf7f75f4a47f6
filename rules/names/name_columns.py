"""Names and initials in the columns of tables, told by their headings, and initials that sign."""

import re
from collections.abc import Iterator

from record.label import Label
from rules.matching.table_columns import cells_under
from rules.names.found_names import Found

_SIGNED_UNDER = frozenset(
    "handzeichen hz paraaf par init initials sign signature signe visa vise firma enf enfermera ide"
    " iao verpl vpk kurzel unterschrift initiales inic iniciales paraphe lnit sig rn nurse".split()
)
_NAMED_UNDER = frozenset(
    "nombre name naam patient patiente paciente residente bewohner bewohnerin resident nom prenom"
    " apellidos apellido nachname vorname achternaam voornaam surname".split()
)
_INITIALS = re.compile(r"[A-Za-z]{2,4}\.?")
_NAME = re.compile(r"[A-Z][A-Za-z'\-]+(?:[ ,]{1,2}[A-Za-z][A-Za-z.'\-]*){0,4}")
# `scribe AB`, `Drawn by: LT`, `Typed jb`; below a dictation the days it was dictated and typed on.
_SIGNED = re.compile(
    r"(?<![\w'\-])(?:[Ss]cribe|(?:[Dd]rawn|[Tt]yped|[Tt]ranscribed|[Dd]ictated|[Mm]inutes) by"
    r"|[Ii]nitials|[Ii]nitial(?:es|en)|[Ii]niciales|[Mm]inute) ?:? {0,3}([A-Z]{2,3})"
    r"(?![\w'\-]|\.[A-Za-z])"
    r"|(?<![\w'\-])(?:[Tt]yped|[Ss]ign) ?:? {0,3}([a-z]{2,3})(?=  |\n|\Z)"
    r"|(?<![\w'\-])[TD] ?: ?[0-9OlI/\-]{6,10} {1,30}([A-Za-z]{2,3})(?![\w'.\-])"
)
_TITLE = re.compile(r"(?:(?:mme|mlle|mrs?|ms|hr|herr|frau|fr|sra?|dhr|mw|m|dr)\.? )+")
_EMPTY = frozenset(
    "libre vide frei leer vacia vacio empty leeg none nn nvt nil idem dito id ja nein si no oui non"
    " na".split()
)


def names_in_columns(cased: str, folded: str) -> Iterator[Found]:
    """Yield what stands under headings for a name or a signature, and initials, as NAME; half open.

    `cased` is the text without accents, `folded` without case too.
    """
    for start, end in cells_under(folded, _SIGNED_UNDER):
        if _INITIALS.fullmatch(cased, start, end) and folded[start:end].rstrip(".") not in _EMPTY:
            yield start, end, Label.NAME
    for match in _SIGNED.finditer(cased):
        start, end = match.span(match.lastindex or 0)
        yield start, end, Label.NAME
    for start, end in cells_under(folded, _NAMED_UNDER):
        title = _TITLE.match(folded, start, end)
        first = title.end() if title else start
        is_name = _NAME.fullmatch(cased, first, end)
        if is_name and folded[first:end].split(maxsplit=1)[0] not in _EMPTY:
            yield first, end, Label.NAME

"""Organizations by a word for their kind that a name follows: `association Présence 76`."""

import re
from collections.abc import Iterator

from rules.matching.lexicon import word_rank
from rules.matching.scanner import Pattern

Place = tuple[int, int]

_PART = r"(?:[A-Z][A-Za-z0-9'\-]+|[0-9]{2}(?![0-9]))"
_NAME = (
    rf"[A-Z][A-Za-z0-9'\-]+(?: (?:(?:de la|de los|des|du|de|del|la|et|y|van|der) )?{_PART}){{0,4}}"
)
_LINK = r"(?:d'|de la |de l'|des |de |du |del |la |les |le |los )?"
_BY_KIND = Pattern(
    r"(?<![\w\-])(?:[Aa]ssociation|[Pp]lateforme|[Ff]ondation|ARS|MSA|CPAM|CGSS|DDASS"
    r"|[Mm]aison d'arret|[Cc]entre penitentiaire|[Aa]sociacion|[Ff]undacion"
    r"|CEIP|IES|EI|CEE|[Pp]rograma|[Ss]tichting|OCMW|CAW|CGG"
    r"|(?:Amts|Land|Sozial|Arbeits|Familien)gericht|(?:Jugend|Gesundheits|Sozial|Ordnungs|Standes"
    r"|Bezirks|Landrats|Versorgungs)amt|Landkreis|Stiftung|Chor der) (?=[A-Za-z])",
    cased=True,
)
_LABORATORY = Pattern(r"(?<![\w'\-])(?:[Ll]abo|[Tt]axi) (?=[A-Z][a-z])", cased=True)
_NAMED = re.compile(_LINK + _NAME)
_LABORATORY_NAME = re.compile(r"[A-Z][a-z]+(?:[ \-][A-Z][A-Za-z]+){0,2}")
_NO_NAMES = frozenset("mme mlle mr dr nr vsl crp register krankenfahrt".split())
_OF_A_LANGUAGE = 2  # a rank: the 5,000 most frequent words


def organizations_by_kind(cased: str) -> Iterator[Place]:
    """Yield organizations named behind their kind, which is part of the name.

    Of a laboratory and a taxi the name alone. `cased` is the text without accents; code points,
    half open.
    """
    for match in _BY_KIND.finditer(cased):
        name = _NAMED.match(cased, match.end())
        if name and _is_name(cased[match.end() : name.end()].rsplit(maxsplit=1)[-1]):
            yield match.start(), name.end()
    for match in _LABORATORY.finditer(cased):
        name = _LABORATORY_NAME.match(cased, match.end())
        if name and _is_name(name[0].split()[0]):
            yield name.span()


def _is_name(word: str) -> bool:
    """Return whether a word is none that prose has: `labo Mme`, `Landratsamt Nr`."""
    low = word.lower()
    return low not in _NO_NAMES and not 0 < word_rank(low) <= _OF_A_LANGUAGE

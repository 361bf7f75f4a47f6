"""Detection of German and Dutch streets: `Hauptstraße 12a`, `Am Markt 3`, `Kerkstraat 12-III`."""

import re

from rules.matching.scanner import Pattern
from rules.names.words import clinical
from rules.places.street_parts import annex_end, cue_before, postcode_ahead

Place = tuple[int, int]

_COMPOUND_SURE = Pattern(
    r"(?:stra(?:ss|ß)e|str\.|gasse|allee|ufer|chaussee|straat|laan|plein|gracht|singel|kade)"
    r" ?(?=[0-9])"
)
# These end the names of other things too: an address has to go on behind them.
_LIKELY = Pattern(r"(?:weg|platz|ring|damm|hof|markt|wall|graben|dijk|haven|park|pad) (?=[0-9])")
_PREPOSITION = Pattern(
    r"\b(?:Am|Im|Zum|Zur|(?:An|In|Auf|Unter) de[rmn])"
    r" (?:[A-Z][^\W\d_]{2,20} ){1,2}(?=[0-9])",
    cased=True,
)
_KIND_FIRST = Pattern(
    r"\b(?:Platz|Stra(?:ss|ß)e|Allee) (?:der|des)"
    r" (?:[0-9]{1,2}\. )?[A-Z][^\W\d_]{2,20} (?=[0-9])",
    cased=True,
)
_NUMBER = re.compile(
    r"[0-9]{1,4}(?![0-9])(?:(?:[-/][0-9]{1,3}){1,3}| ?- ?[IVX]{1,4}(?![A-Za-z])| hs(?![a-z])"
    r"| bis(?![a-z])|-?[A-Fa-f](?![A-Za-z])| [a-f](?![A-Za-z]))?(?![,.][0-9]|[A-Za-z%])"
    r"(?! ?(?:[mck]?[gm]|ml|x|Uhr|Tage?|Wochen?|Monate?|Jahren?|St)(?![a-z]))"
)
_WORD_BEFORE = re.compile(r"[^\s,;:()]+\Z")
_WHOLE_KINDS = frozenset(
    "strasse straße str. allee platz gasse ring weg damm markt ufer chaussee graben wall haven"
    " plein kade singel gracht dijk hof berg park".split()
)
_PARTICLES = frozenset("van de der den ter ten 't von zu".split())
_LEADING = frozenset(
    "burgemeester professor prof. dr. dokter doctor pastoor sint st. oude nieuwe grote kleine lange"
    " korte eerste tweede derde alte neue grosse große kleine obere untere".split()
)
_ORDINAL = re.compile(r"[0-9]e\Z")


def compound_streets(cased: str, folded: str) -> list[Place]:
    """Find streets with a house number; offsets are code points of the text, half open.

    `cased` is the text without accents, `folded` without case too.
    """
    found: list[Place] = []
    for pattern, text, sure in (
        (_COMPOUND_SURE, folded, True),
        (_LIKELY, folded, False),
        (_PREPOSITION, cased, False),
        (_KIND_FIRST, cased, False),
    ):
        for match in pattern.finditer(text):
            first = _first(cased, folded, match.end()) if text is folded else match.start()
            span = _numbered(cased, folded, first, match.end(), sure=sure)
            if span:
                found.append(span)
    return found


def _numbered(cased: str, folded: str, first: int | None, at: int, *, sure: bool) -> Place | None:
    number = _NUMBER.match(cased, at)
    if first is None or number is None:
        return None
    if any(clinical(word) for word in folded[first:at].split()):
        return None
    end = annex_end(folded, number.end())
    if sure or postcode_ahead(folded, end) or cue_before(folded, first):
        return first, end
    return None


def _first(cased: str, folded: str, number: int) -> int | None:
    """Return where the name begins whose last word ends before a house number."""
    line = max(cased.rfind("\n", 0, number) + 1, number - 70)
    word = _WORD_BEFORE.search(cased[line:number].rstrip(" "))
    if word is None:
        return None
    at = line + word.start()
    whole = folded[at : line + word.end()] in _WHOLE_KINDS
    if not cased[at].isupper() and not whole:
        return None
    before = _word_before(cased, line, at)
    if whole:
        if before is None or not cased[before].isupper():
            return None
        return before
    return _with_leading(cased, folded, line, at)


def _word_before(cased: str, line: int, at: int) -> int | None:
    """Return where the word begins that stands one blank before an offset, in the same line."""
    if at - 1 <= line or cased[at - 1] != " ":
        return None
    word = _WORD_BEFORE.search(cased[line : at - 1])
    return line + word.start() if word else None


def _with_leading(cased: str, folded: str, line: int, at: int) -> int:
    """Go back over `Burgemeester de` and the like; particles alone stay outside."""
    first = at
    while (before := _word_before(cased, line, at)) is not None:
        word = folded[before : at - 1]
        if word in _LEADING or _ORDINAL.match(word):
            first = at = before
        elif word in _PARTICLES:
            at = before
            first = at if cased[at].isupper() else first
        elif at < first and cased[before].isupper():
            first = at = before
        else:
            break
    return first

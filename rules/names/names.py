"""Detection of persons' names by titles, roles, signatures and lexicons of names."""

import re
from collections.abc import Iterator
from functools import cache

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from record.document import Document
from record.label import Label
from record.span import Span
from rules.matching.normalized_document import cased_once, fold_once
from rules.matching.scanner import Pattern
from rules.names.announced import follow
from rules.names.cues import TITLES, announced
from rules.names.given_or_family import Found, label
from rules.names.matches import Finds
from rules.names.parsing import read_back
from rules.names.plausibility import bare_size, is_address, is_person, is_site, plausible, unclaimed
from rules.names.signatures import closes_entry, signatures
from rules.names.words import (
    BARRED,
    CLINICAL,
    COMMON,
    GIVEN,
    NameWord,
    bits,
    is_sure,
    written_given_names,
)

_INITIAL = Pattern(
    r"\b(?<![/°])(?:[A-Z][hl]?|[A-CE-GI-LNOQRT-Z]r)\."
    r"(?:[ \-]?[A-Z]\.){0,3}[ ]?(?:de )?[A-Z][A-Za-z']",
    cased=True,
)
# What follows the name of a person: a role, a degree, a shift, a date of birth, a sex.
_ROLE_AFTER = Pattern(
    r"\((?:interne|externe|phc?|pu-?ph|mcu-?ph|cca|ide|ffi|dj|as|iade|medecin|chirurgien|md"
    r"|resident|rn)\b|[a-z],? (?:md|m\.d|rn|np|do|pa-c|phd|pharmd|ide|iade|lpn)\b"
    r"|\b(?:night|day|evening) (?:shift|nurse)|\bde (?:nuit|jour|noche)\b"
    r"|[a-z] ?[|¦] ?(?:[hmf]|[0-9]{1,2}/)[ /0-9]|\bnee? (?:le |en )|\bborn "
    r"|[a-z],? [0-9]{2}/[0-9]{2}/[0-9]{4}|[a-z], [0-9]{1,2}(?:er)?[ \-./][0-9a-z]"
)
_LONGEST_WORD = 60
_REST = re.compile(rf"[A-Za-zŒÆœæßªº'.\-]{{0,{_LONGEST_WORD}}}")
_SMALL = frozenset([" d", " v", " l", " t"])
_WITH = frozenset("avec with con par by por mit met et and y".split())
_INDEXED = Pattern(r"\n[ ]{0,4}[A-Z]{2}[A-Za-z'\- ]{1,60},[ ]?[A-Z][A-Za-z]", cased=True)
_INDEX_LINE = re.compile(
    r"[ ]{0,4}(?P<family>[A-Z][A-Z'\-]{1,30}(?:[ ][A-Z][A-Za-z'\-]{1,30}){0,3}),[ ]?"
    r"(?P<given>[A-Z][A-Za-z\-]{2,30}(?:[ ][A-Z][A-Za-z\-]{2,30})?)"
    r"(?=[ ]{0,3}(?:$|[0-9]{1,4}[/.\- ]|[|(),\-]))",
    re.MULTILINE,
)
_INDEX_END = re.compile(r"[ ]{0,3}(?:\n|\Z|[0-9]{1,4}[/.\- ]|[|(),\-]|dob\b|nee?\b|geb\b)")


def look_around(finds: Finds) -> None:
    """Take the names that nothing announces, where their neighbours prove them."""
    for names in signatures(finds.cased, finds.folded):
        if not finds.taken(names[0][0]):
            finds.claim(names)
    _indexed(finds)
    for match in _ROLE_AFTER.finditer(finds.folded):
        start = match.start()
        # An alternative that begins with a letter begins with the last one of the name.
        whole = match.group()[1:2] in (" ", ",", "|", "¦")
        _identified(start + 1 if whole else _ends(finds.folded, start), finds)
    for at in sorted(_seeds(finds.cased)):
        if not finds.taken(at):
            _bare(at, finds)


def _ends(folded: str, at: int) -> int:
    """Step back from a role to the end of the name before it."""
    before = folded[max(0, at - 18) : at].removesuffix("equipe ").removesuffix("turno ")
    return at - min(at, 18) + len(before.rstrip(" ,"))


def _seeds(cased: str) -> Iterator[int]:
    """Yield where given names of the lexicons and initials before names stand."""
    # One byte for each code point, so that offsets hold in both: twice as fast as text.
    data = cased.encode("ascii", "replace")
    for _, at, end in _given_names().find_matches_as_indexes(data):
        after = cased[end : end + 1]
        # `TomHart` holds a name, `JEANNEX` none.
        if after.islower() or (after.isalpha() and cased[end - 1].isupper()):
            continue
        if not (at and cased[at - 1].isupper()):
            yield at
    for match in _INITIAL.finditer(cased):
        yield match.start()


@cache
def _given_names() -> BytesAhoCorasick:
    names = [name.encode() for name in written_given_names() if name.isascii() and name.isalpha()]
    return BytesAhoCorasick(names, matchkind=MatchKind.LeftmostLongest)


def _bare(at: int, finds: Finds) -> None:
    """Take a name around a given name or an initial."""
    cased = finds.cased
    start = at
    low = max(0, at - _LONGEST_WORD)
    while start > low and (cased[start - 1].isalpha() or cased[start - 1] in "-'"):
        start -= 1
    if not _has_company(cased, start) or is_site(finds.folded, start):
        return
    before = read_back(cased, finds.folded, start) if start and cased[start - 1] == " " else []
    before = [piece for piece in before if not finds.taken(piece.start)]
    pieces = finds.read(before[0].start if before else start)
    for first in range(min(len(pieces) - 1, 4)):
        if pieces[first].start > at:
            break
        name = pieces[first : first + bare_size(pieces, first)]
        if name and name[-1].end > at:
            if finds.stands(name):
                finds.claim(label(name, finds.lang))
            return
    if pieces and not _signs(pieces, finds):
        _index_entry(pieces, at, finds)


def _has_company(cased: str, start: int) -> bool:
    """Return whether a word has a capital beside it or closes a sentence, a list: cheap to ask."""
    rest = _REST.match(cased, start + 1)
    end = rest.end() if rest else start + 1
    after = cased[end : end + 2]
    if (
        after[:1] == "\n"
        or after[1:].isupper()
        or after in _SMALL
        or not cased[start + 1 : end].islower()
    ):
        return True
    if cased[start - 2 : start] in (", ", ". ") or not start or cased[start - 1] != " ":
        return True
    low = max(0, start - _LONGEST_WORD)
    word = max(low - 1, cased.rfind(" ", low, start - 1), cased.rfind("\n", low, start - 1)) + 1
    return cased[word].isupper()


def _signs(pieces: list[NameWord], finds: Finds) -> bool:
    """Take the names that close an entry of a log."""
    known = len(pieces) > 1 or pieces[0].sure
    if not known or not closes_entry(finds.folded, pieces) or not finds.stands(pieces):
        return False
    finds.claim(finds.label(pieces))
    return True


def _index_entry(pieces: list[NameWord], at: int, finds: Finds, *, certain: bool = False) -> None:
    """Take `Turner, Jennifer` where the given name is sure."""
    if not pieces[0].sure or pieces[0].start > at or finds.folded[max(0, at - 2) : at] != ", ":
        return
    family = read_back(finds.cased, finds.folded, at - 2)
    size = 1
    while size < len(pieces) and pieces[size].bits & GIVEN:
        size += 1
    if (
        not family
        or any(piece.bits & BARRED for piece in family)
        or (family[0].sure and not certain)
    ):
        return
    if _INDEX_END.match(finds.folded, pieces[size - 1].end) and finds.stands(family):
        finds.claim([(family[0].start, family[-1].end, Label.LAST_NAME)])
        finds.claim([(pieces[0].start, pieces[size - 1].end, Label.FIRST_NAME)])


def _identified(at: int, finds: Finds) -> None:
    """Take the name that ends before a role, a degree or a date of birth."""
    if not at or finds.taken(at - 1):
        return
    pieces = read_back(finds.cased, finds.folded, at)
    if not pieces or pieces[-1].end != at or finds.taken(pieces[0].start):
        return
    if any(piece.bits & (CLINICAL | BARRED) for piece in pieces) or not finds.stands(pieces):
        return
    if len(pieces) == 1:
        start = pieces[0].start
        if finds.folded[max(0, start - 2) : start] == ", ":
            _index_entry(pieces, start, finds, certain=True)
            return
        before = finds.folded[max(0, start - _LONGEST_WORD) : start]
        line = before.rpartition("\n")[2].split()
        proven = pieces[0].sure and (not line or line[-1] in _WITH)
    else:
        known = any(piece.bits & GIVEN for piece in pieces)
        proven = known or (unclaimed(pieces) == pieces and plausible(pieces, "cue"))
    if proven and len(pieces) == 1:
        finds.claim([(pieces[0].start, pieces[0].end, Label.FIRST_NAME)])
    elif proven:
        finds.claim(label(pieces, finds.lang))


def _indexed(finds: Finds) -> None:
    """Take `FAMILY, Given` alone at the beginning of a line or before a number."""
    lines = [match.start() + 1 for match in _INDEXED.finditer(finds.cased)]
    for start in (0, *lines):
        match = _INDEX_LINE.match(finds.cased, start)
        if match is None or finds.taken(match.start("family")):
            continue
        words = finds.folded[match.start("family") : match.end()].replace(",", " ").split()
        known = [bits(word) for word in words]
        certain = is_sure(known[-1])
        if not any(of & BARRED or (of & COMMON and not certain) for of in known):
            finds.claim([
                (*match.span("family"), Label.LAST_NAME),
                (*match.span("given"), Label.FIRST_NAME),
            ])  # fmt: skip


def again(finds: Finds) -> list[Found]:
    """Return the further places of names; what the lists of words claim is not looked for."""
    folded = finds.folded
    names = {
        word: kind
        for start, end, kind in finds.found
        for word in folded[start:end].split()
        if len(word) > 2 and word.isalpha() and not bits(word) & (COMMON | BARRED)
    }
    return [
        (at, at + len(word), kind)
        for word, kind in names.items()
        for at in _places(finds, word)
        if is_person(folded, at, at + len(word)) and not is_address(folded, at)
    ]


def _places(finds: Finds, word: str) -> Iterator[int]:
    cased, folded = finds.cased, finds.folded
    at = folded.find(word)
    while at >= 0:
        end = at + len(word)
        if cased[at].isupper() and not finds.taken(at) and not _inside(cased, at, end):
            yield at
        at = folded.find(word, end)


def _inside(cased: str, at: int, end: int) -> bool:
    """Return whether a stretch is part of a longer word or of an address of the net."""
    if at and (cased[at - 1].isalnum() or cased[at - 1] in "_@-'"):
        return True
    after = cased[end : end + 2]
    return (
        after[:1].isalnum() or after[:1] in ("_", "@") or (after[:1] == "-" and after[1:].isalpha())
    )


_DETECTOR = "rules.names"


def detect(document: Document) -> list[Span]:
    """Find given and family names that their surroundings or the lexicons give away.

    Offsets are code points, half open. Titles and civilities are not part of the spans.
    """
    text = document.text
    folded, cased = fold_once(text), cased_once(text)
    cues = announced(cased, folded, document.lang)
    titles = frozenset(cue.begin for cue in cues if cue.kind in TITLES)
    finds = Finds(cased, folded, document.lang, titles)
    for cue in cues:
        follow(cue, finds)
    look_around(finds)
    found = {*finds.found, *again(finds)}
    return [Span(start, end, str(kind), _DETECTOR) for start, end, kind in sorted(found)]

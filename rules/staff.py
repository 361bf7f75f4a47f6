"""Detection of the names of nurses and others who sign the entries of a ward's log."""

import re

from record.label import Label
from rules.calendar import MONTH, WEEKDAY
from rules.name_parts import clinical, common, family, given, surely_given
from rules.scan import Pattern

Found = tuple[int, int, str]

_W = r"[a-z][a-z'’\-]{1,24}"
_INITIAL = r"[a-z](?:-[a-z])?\.?"
# `Turner`, `J. Turner`, `Turner Jennifer`, `Turner, Jennifer`.
_NAME = rf"(?:(?P<initial>{_INITIAL})[ ])?(?P<one>{_W}(?:[ ]{_W}){{0,2}})(?:,[ ](?P<given>{_W}))?"
_ROLE = (
    r"(?:rn|lpn|lvn|cna|ide|iao|iade|ibode|due|as|nurse|charge nurse|triage(?: nurse)?|triaje"
    r"|infirmiere?|aide-soignante?|enfermer[oa](?: de triaje)?|residente|interne|resident|ayudante"
    r"|auxiliar|instrumentista|operateur|assistant)"
)
_ENDS = r"(?=[ \t]{0,3}(?:\n|\Z|[-–(|,;.]|le |el |on |a [0-9]))"
# A role in front of the name: `RN Turner, Jennifer`, `IAO : M. Letellier`.
_AFTER_ROLE = Pattern(rf"\b(?P<role>{_ROLE})(?P<gap>[ ]?:[ ]{{0,2}}|[ ]){_NAME}{_ENDS}")
# A name on its own between a sentence and the next entry or the end of the section.
_SIGNED = Pattern(
    rf"[.!?)][ ]{_NAME}\n(?=\n|[ \t]{{0,3}}(?:[0-9]{{1,4}}[/.\-: ]|{MONTH}|{WEEKDAY})|\Z)"
)
# A name that opens a line or stands behind `with`, with the role or the shift behind it.
_OPENS = Pattern(
    rf"(?:\n[ \t]{{0,3}}|\b(?:avec|with|con|par|by|por)[ \n]){_NAME},?[ ]"
    r"(?:\(?(?:ide|iade|ibode|due|rn|lpn|np|infirmiere?|aide-soignante?"
    r"|enfermer[oa]|nurse|night shift|day shift|evening shift|night nurse|day nurse"
    r"|turno de|equipe de|de nuit|de jour))(?![a-z])"
)
_HANDED = Pattern(
    r"\b(?:releve(?: faite| transmise)? a|transmissions faites a|relevo a|relevo dado a"
    rf"|hand(?:ed )?-?off (?:given )?to|report (?:given )?to)[ ](?P<role>){_NAME}{_ENDS}"
)
_DATED = re.compile(rf"[ \t]{{0,3}}(?:[0-9]|{MONTH}|{WEEKDAY})")


def staff(text: str, folded: str) -> list[Found]:
    """Find names signed under an entry, after a role, or before a shift; code points, half open.

    `M.` before a nurse's name is taken for an initial, as it may be one.
    """
    found: list[Found] = []
    for pattern in (_AFTER_ROLE, _HANDED):
        for match in pattern.finditer(folded):
            if _is_role(text, match):
                found += _read(text, folded, match, sure=True)
    for match in _SIGNED.finditer(folded):
        found += _read(text, folded, match, sure=_DATED.match(folded, match.end()) is not None)
    for match in _OPENS.finditer(folded):
        found += _read(text, folded, match, sure=True)
    return found


def _is_role(text: str, match: "re.Match[str]") -> bool:
    """Tell whether a role is meant: short ones are words of every day in small letters."""
    written = text[match.start("role") : match.end("role")]
    return len(written) > 4 or not written or written.isupper()


def _read(text: str, folded: str, match: "re.Match[str]", *, sure: bool) -> list[Found]:
    """Label the parts of a name, or nothing where the lexicons know no name in it."""
    start, end = match.span("one")
    words = [(m.start(), m.end(), m.group()) for m in _WORD.finditer(folded, start, end)]
    if not all(text[at].isupper() for at, _, _ in words) or any(clinical(w) for *_, w in words):
        return []
    found: list[Found] = []
    if match["initial"] is not None:
        if not text[match.start("initial")].isupper() or not _all_named(words, strict=not sure):
            return []
        return [(*match.span("initial"), Label.FIRST_NAME), (start, end, Label.LAST_NAME)]
    if match["given"] is not None:
        first = match.span("given")
        if not text[first[0]].isupper() or not given(match["given"]):
            return []
        if not _all_named(words, strict=True):
            return []
        return [(start, end, Label.LAST_NAME), (*first, Label.FIRST_NAME)]
    if not _believable([word for *_, word in words], sure=sure):
        return []
    for at, to, word in words:
        kind = Label.FIRST_NAME if _first(word, alone=len(words) == 1) else Label.LAST_NAME
        found.append((at, to, kind))
    return found


_WORD = re.compile(_W)


def _first(word: str, *, alone: bool) -> bool:
    return given(word) and (alone or not family(word) or surely_given(word))


def _all_named(words: list[tuple[int, int, str]], *, strict: bool) -> bool:
    if all(family(word) for *_, word in words):
        return True
    return not strict and not any(common(word) for *_, word in words)


def _believable(words: list[str], *, sure: bool) -> bool:
    if not all(given(word) or family(word) for word in words):
        return False
    if len(words) == 1:
        return (given(words[0]) and sure and not common(words[0])) or surely_given(words[0])
    return any(given(word) for word in words)

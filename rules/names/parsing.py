"""Reading of the words of a person's name, forwards and backwards from a place in a text."""

import re
from string import ascii_letters

from rules.matching.lexicon import lexicon
from rules.names.words import (
    CLINICAL,
    COMMON,
    FAMILY,
    FUNCTION,
    GIVEN,
    INITIALS,
    PARTICLE,
    SMALL,
    UPPER,
    NameWord,
    bits,
)

# All expressions here read text without accents, its case kept.
_PART = (
    r"(?:[A-Z]['\-])?(?:(?:Mc|Mac|De|Di|La|Le|Van|Von|Fitz)(?=[A-Z][a-z]))?"
    r"[A-ZŒÆ](?:[a-zœæß]{1,30}(?![a-zœæß]|[A-Z](?![A-Za-z]))|[A-ZŒÆ]{1,30}(?![A-Za-z])|[A-ZŒÆ]{3,30}(?=[a-z]))"
)
_WORD = rf"{_PART}(?:['\-](?:{_PART}|[a-z]{{2,24}})){{0,3}}"
_INITIALS = (
    r"M\.?a(?=[ ][A-Z])|[A-Z][hlr]?\.(?:[ ]?-?[ ]?[A-Z]\.(?![A-Za-z]{2})){0,3}"
    r"|[A-Z](?:-[A-Z])+(?:\.|(?![A-Za-z]))|[A-Z](?![A-Za-z'\-/0-9°])"
)
_SMALL = (
    r"(?:de|du|des|del|la|le|las|los|van|von|vom|der|den|ten|ter|'t|zu|zum|ben|bin|el|al|da|do|dos"
    r"|di|y|e|i)(?=[ \n])|[dl]'(?=[A-Z])"
)
_STEP = re.compile(rf"[ ]{{0,2}}(?:(?=[A-ZŒÆ])(?:({_INITIALS})|({_WORD}))|({_SMALL}))")
# What most steps are, cheap to ask first.
_PLAIN = re.compile(r"[ ]{0,2}([A-Z][a-z]{2,30})(?=[ ,\n])")
# The groups of a step.
_WITH_DOTS, _WORDS = 1, 2
# What ends a name: the title of the next person.
_TITLES = frozenset(
    "dr drs dra dras pr prs prof mme mmes mlle mr mrs ms sr sra srta dna dona dhr mw mevr frau herr"
    " madame monsieur docteur doctor professeur miss mademoiselle messieurs ide iao iade rn"
    " hr kollege kollegin".split()
)
# Degrees and kinds of companies that look like initials, and Roman numbers.
_NO_NAMES = (
    _TITLES
    | {"s.l.u", "s.l", "s.a", "s.a.s", "l.l.c", "m.d", "d.o", "r.n", "ph.d", "d.f"}
    | set("ii iii iv vi vii viii ix xi xii".split())
)
_MONTHS = frozenset("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split())
_WRAPPED = re.compile(r"[ ]?\n[ ]{0,8}(?=[A-Za-z])")
# What words are made of, without accents.
_OF_WORDS = ascii_letters + "ŒÆœæßªº'-."
# A line as long as this was broken by its width, and goes on in the next.
_WIDTH = 60
_MOST = 7
_COLONS = (":", " :", "\n:")
# No name goes on at these.
_STOPS = frozenset(["", *",.;:()/\n"])
_LINE_ENDS = ("\n", " \n")


def read(cased: str, folded: str, at: int, *, most: int = _MOST) -> list[NameWord]:
    """Read the words of a name from an offset on: capitalised words, initials, particles.

    Offsets are code points, the same in both readings of the text. What is read may go on
    beyond the name; small particles at its end are dropped.
    """
    pieces: list[NameWord] = []
    while len(pieces) < most and cased[at : at + 1] not in _STOPS:
        piece = _read_word(cased, folded, at)
        if piece is None or piece.folded in _NO_NAMES or _is_role(piece):
            break
        if pieces and not _continues_name(cased, pieces[-1], piece):
            break
        pieces.append(piece)
        at = piece.end
        if cased.startswith(_LINE_ENDS, at):
            at = _skip_line_break(cased, at, piece)
    while pieces and pieces[-1].bits & SMALL:
        pieces.pop()
    return pieces


def _is_role(piece: NameWord) -> bool:
    """Return whether a word is the abbreviation of a role or degree: `CNS`, of a surname `Cns`."""
    return piece.bits & UPPER != 0 and piece.folded in lexicon("staff_abbreviations")


def _continues_name(cased: str, before: NameWord, piece: NameWord) -> bool:
    if piece.start == before.end:
        # Whether a word with no blank before it goes on with the name: `J.Hart`, `TomHart`
        if before.bits & INITIALS or cased[piece.start - 1] == "'":
            return True
        return cased[piece.start - 1].islower() and cased[piece.start].isupper()
    if not cased.startswith(_COLONS, piece.end):
        return True
    # A word before a colon may be the next heading and no more of the name.
    apart = piece.start - before.end > 1 and not before.bits & INITIALS
    return not apart and piece.bits & (COMMON | FAMILY) != COMMON


def _skip_line_break(cased: str, at: int, last: NameWord) -> int:
    """Step over the end of a line that its width alone broke within a name."""
    particle = last.bits & PARTICLE
    if not (particle or last.bits & INITIALS or last.sure):
        return at
    broken = _WRAPPED.match(cased, at)
    if broken is None or cased[broken.end() : broken.end() + 3] in _MONTHS:
        return at
    wide = at - cased.rfind("\n", 0, at) >= _WIDTH
    return broken.end() if wide or particle else at


def _read_word(cased: str, folded: str, at: int) -> NameWord | None:
    step = _PLAIN.match(cased, at)
    if step is not None:
        start, end = step.span(1)
        word = folded[start:end]
        return NameWord(start, end, word, bits(word))
    step = _STEP.match(cased, at)
    if step is None:
        return None
    which = step.lastindex or _WORDS
    start, end = step.span(which)
    word = folded[start:end]
    if which == _WORDS:
        upper = end - start > 1 and cased[end - 1].isupper()
        return NameWord(start, end, word, bits(word) | UPPER if upper else bits(word))
    if which == _WITH_DOTS:
        return NameWord(start, end, word.strip("."), INITIALS)
    return NameWord(start, end, word, bits(word) | SMALL)


def read_back(cased: str, folded: str, at: int, *, most: int = 4) -> list[NameWord]:
    """Read the words of a name that end at an offset or one blank before it.

    Everyday words that are no names stop the reading, and so does the end of a line.
    """
    end = at - 1 if at and cased[at - 1] == " " else at
    start = end
    for _ in range(most):
        floor = max(0, start - 28)
        word = floor + len(cased[floor:start].rstrip(_OF_WORDS))
        if (
            word == start
            or cased[max(0, word - 1)] == "/"
            or not _may_belong(cased, folded, word, start)
        ):
            break
        start = word
        if not start or cased[start - 1] != " ":
            break
        start -= 1
    if start == end:
        return []
    if cased[start] == " ":
        start += 1
    pieces = [piece for piece in read(cased, folded, start) if piece.end <= end]
    while pieces and pieces[0].bits & SMALL:
        pieces.pop(0)
    return pieces if pieces and pieces[-1].end == end else []


def _may_belong(cased: str, folded: str, start: int, end: int) -> bool:
    word = folded[start:end]
    if not cased[start].isupper():
        return word in ("de", "du", "la", "le", "del", "van", "von", "der", "den")
    of = bits(word)
    if of & PARTICLE and cased[start:end].isupper() and end - start > 1:
        return True
    if of & COMMON and (of & (CLINICAL | FUNCTION) or not of & (GIVEN | FAMILY)):
        return False
    return word.strip(".") not in _TITLES

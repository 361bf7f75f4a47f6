"""Names in small letters, taken where a cue announces them and the lexicons know every word."""

import re

from record.label import Label
from rules.names.cues import Cue
from rules.names.given_or_family import (
    Found,
    label,
)
from rules.names.matches import Finds
from rules.names.words import (
    COMMON,
    FAMILY,
    FUNCTION,
    GIVEN,
    Piece,
    bits,
)

_WORD = re.compile(r"([^\W\d_]{2,30}(?:['\-][^\W\d_]{2,30})?)(?![\w/@])")
_SLASHED = re.compile(r"([^\W\d_]{2,24})/([^\W\d_]{2,24})(?![\w/])")
_MOST = 3


def small_letters(cue: Cue, finds: Finds) -> list[Found]:
    """Read a name in small letters after a title or a heading, or `tom/smith` after a heading."""
    if cue.kind in ("weak", "by", "agent", "relative", "relation", "kin", "born", "initial"):
        return []
    headed = cue.kind in ("person", "signed")
    if headed and (slashed := _slashed(cue.at, finds)):
        return slashed
    pieces = _known(cue.at, finds.folded)
    if not pieces or (headed and len(pieces) < 2):
        return []
    if cue.kind in ("first", "last"):
        kind = Label.FIRST_NAME if cue.kind == "first" else Label.LAST_NAME
        return [(pieces[0].start, pieces[-1].end, kind)]
    if len(pieces) == 1 and pieces[0].bits & (GIVEN | FAMILY) == GIVEN:
        return [(pieces[0].start, pieces[0].end, Label.FIRST_NAME)]
    return label(pieces, finds.lang)


def _known(at: int, folded: str) -> list[Piece]:
    pieces: list[Piece] = []
    while len(pieces) < _MOST and (word := _WORD.match(folded, at)):
        of = bits(word[1])
        everyday = of & (COMMON | FUNCTION) and not (pieces and of & FAMILY)
        if not of & (GIVEN | FAMILY) or everyday:
            break
        pieces.append(Piece(word.start(), word.end(), word[1], of))
        if folded[word.end() : word.end() + 1] != " ":
            break
        at = word.end() + 1
    return pieces


def _slashed(at: int, finds: Finds) -> list[Found]:
    match = _SLASHED.match(finds.folded, at)
    if match is None:
        return []
    pieces = [Piece(*match.span(which), match[which], bits(match[which])) for which in (1, 2)]
    if all(piece.named for piece in pieces) and any(piece.bits & GIVEN for piece in pieces):
        return label(pieces, finds.lang)
    return []

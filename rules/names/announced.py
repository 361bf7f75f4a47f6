"""The names that titles, roles, headings and relatives announce, and those listed after them."""

import re

from record.label import Label
from rules.matching.lexicon import lexicon
from rules.names.cues import NURSES, Cue
from rules.names.given_or_family import Found, label
from rules.names.matches import Finds
from rules.names.parsing import read
from rules.names.plausibility import is_person, is_site, plausible, until_stop
from rules.names.signatures import initials_signed
from rules.names.words import (
    BARRED,
    CLINICAL,
    COMMON,
    FAMILY,
    FUNCTION,
    GIVEN,
    INITIALS,
    PARTICLE,
    SMALL,
    UPPER,
    WRITTEN,
    NameWord,
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


def _known(at: int, folded: str) -> list[NameWord]:
    pieces: list[NameWord] = []
    while len(pieces) < _MOST and (word := _WORD.match(folded, at)):
        of = bits(word[1])
        everyday = of & (COMMON | FUNCTION) and not (pieces and of & FAMILY)
        if not of & (GIVEN | FAMILY) or everyday:
            break
        pieces.append(NameWord(word.start(), word.end(), word[1], of))
        if folded[word.end() : word.end() + 1] != " ":
            break
        at = word.end() + 1
    return pieces


def _slashed(at: int, finds: Finds) -> list[Found]:
    match = _SLASHED.match(finds.folded, at)
    if match is None:
        return []
    pieces = [NameWord(*match.span(which), match[which], bits(match[which])) for which in (1, 2)]
    if all(piece.named for piece in pieces) and any(piece.bits & GIVEN for piece in pieces):
        return label(pieces, finds.lang)
    return []


# Titles that leave no doubt: even an everyday word after them is a name.
_CERTAIN = frozenset("dr drs pr docteur professeur mme mlle mr dra mrs doctor dhr mevr".split())
_MANY = frozenset("drs dres dras mmes mm sres srs messieurs mesdames".split())
_GERMAN_ARTICLES = frozenset("der des den vom zum du".split())
_ARTICLES = frozenset("le la les el los las y e i".split())
_ENUMERATED = re.compile(
    r"[ \n]{0,2}(?:\([^()\n]{0,24}\)[ ]?)?(?:[,;/&|-]|\b(?:et|and|y|e|ou|und|en)\b)[ \n]{0,3}"
    r"(?:(?:et|and|y|und|en)[ ])?(?=[A-Z]|d[eu']|van|von)"
)
_COMMA = re.compile(r"[ ]?,[ ]?(?=[A-Z])")
_GOES_ON = re.compile(r"[ ][a-z]")
_FIELD_END = re.compile(r"[ ]{0,3}(?:\n|\Z|[|(]|,?[ ](?:geb|nee?|dob|born)\b)")
_POSTCODE = re.compile(r"(?:,?[ ][0-9]{1,3}[.,]?)?[ ,]{1,2}[0-9]{5}(?![0-9])")
# `Niña de 9 años` is no name.
_AGED = re.compile(r"[ ]de[ ][a-z0-9 ]{1,20}?(?:ans|anos|mois|mes|meses|dias|semanas)\b")
# A ward, a number of a house.
_NUMBERED = re.compile(r"[ ][0-9]{1,3}[a-z]?(?![0-9/.:\-])")
# Cues that many other words follow as well.
_WEAK = frozenset(["weak", "agent", "relative"])
_LONGEST_LIST = 12


def follow(cue: Cue, finds: Finds) -> None:
    """Take the name that a cue announces, and the names listed after it."""
    if cue.at >= len(finds.cased) or finds.taken(cue.at):
        return
    names = _announced(cue, finds)
    if names:
        finds.claim(names)
        _follow_list(names, cue, finds)


def _announced(cue: Cue, finds: Finds) -> list[Found]:
    if cue.kind in ("signed", "initials"):
        signed = initials_signed(finds.cased, cue.at)
        if signed or cue.kind == "initials":
            return signed
    pieces = finds.read(cue.at)
    if not pieces:
        return small_letters(cue, finds)
    if cue.kind in ("title", "given title"):
        return _titled(pieces, cue, finds)
    if cue.kind in ("first", "last", "born"):
        return _asked(pieces, cue, finds)
    if cue.kind == "kin":
        return _kin(pieces, finds)
    return _cued(pieces, cue, finds)


def _titled(pieces: list[NameWord], cue: Cue, finds: Finds) -> list[Found]:
    first = pieces[0]
    if not first.bits & INITIALS and _is_no_name(pieces, cue, finds.lang):
        return []
    if cue.words in _MANY:
        pieces = _before_link(pieces)
    kept = until_stop(pieces)
    if first.bits & SMALL and all(piece.particle for piece in kept):
        return []
    if finds.folded[cue.begin : kept[-1].end] in lexicon("namesakes"):
        return []
    if len(kept) == 1 and first.bits & INITIALS and cue.words in ("m", "d"):
        return []
    if is_site(finds.folded, cue.begin) or _POSTCODE.match(finds.folded, kept[-1].end):
        return []
    if len(kept) == 1 and not first.bits & INITIALS:
        of = first.bits & (GIVEN | FAMILY)
        is_given = cue.kind == "given title" and of != FAMILY
        return [(first.start, first.end, Label.FIRST_NAME if is_given else Label.LAST_NAME)]
    return finds.label(kept)


def _before_link(pieces: list[NameWord]) -> list[NameWord]:
    links = [at for at, piece in enumerate(pieces) if piece.folded in ("y", "e", "i")]
    return pieces[: links[0]] if links and links[0] else pieces


def _is_no_name(pieces: list[NameWord], cue: Cue, lang: str) -> bool:
    if pieces[0].bits & (GIVEN | FAMILY) and not pieces[0].bits & PARTICLE:
        return False
    if pieces[0].bits & SMALL and pieces[0].folded in _ARTICLES:
        return True
    first = next((piece for piece in pieces if not piece.particle), pieces[0])
    of = first.bits
    if all(piece.particle and piece.bits & COMMON for piece in pieces):
        return True
    if first.bits & INITIALS or first.bits & (GIVEN | FAMILY):
        return False
    if of & (CLINICAL | FUNCTION) and not first.particle:
        return True
    if not of & COMMON:
        return False
    if first is not pieces[0]:
        return pieces[0].folded in _GERMAN_ARTICLES
    if first.bits & WRITTEN or first.particle:
        return False
    return len(pieces) == 1 and (cue.words not in _CERTAIN or lang in ("de", "nl"))


def _asked(pieces: list[NameWord], cue: Cue, finds: Finds) -> list[Found]:
    """Read what stands in the field of given or of family names."""
    kept = until_stop(pieces)
    first, last = kept[0], kept[-1]
    if first.bits & (CLINICAL | FUNCTION) and not first.named:
        return []
    if len(kept) == 1 and (first.bits & CLINICAL or (first.bits & COMMON and not first.named)):
        return []
    if cue.kind == "born":
        sure = plausible(kept, "cue") or all(piece.named for piece in kept)
        return [(first.start, last.end, Label.LAST_NAME)] if sure else []
    words = [piece for piece in kept if not piece.particle]
    mixed = len({piece.bits & UPPER for piece in words}) > 1
    given_too = last.bits & (GIVEN | FAMILY) == GIVEN
    if cue.kind == "last" and finds.lang != "es" and len(words) > 1 and (mixed or given_too):
        return label(kept, finds.lang)
    if cue.kind == "first" and finds.lang == "es" and len(kept) > 2 and last.bits & FAMILY:
        return label(kept, finds.lang)
    return [(first.start, last.end, Label.FIRST_NAME if cue.kind == "first" else Label.LAST_NAME)]


def _kin(pieces: list[NameWord], finds: Finds) -> list[Found]:
    """Read a relative: a capital after `his sister` begins a name more often than not."""
    kept = until_stop(pieces)
    first = kept[0]
    if first.bits & (BARRED | CLINICAL | FUNCTION) and not first.particle:
        return []
    if not is_person(finds.folded, first.start, kept[-1].end):
        return []
    if len(kept) > 1:
        if finds.lang == "es" and all(piece.bits & GIVEN for piece in kept):
            return [(first.start, kept[-1].end, Label.FIRST_NAME)]
        turned = _turned(kept, finds)
        proven = first.named or first.bits & INITIALS or plausible(kept, "cue")
        return turned or (finds.label(kept) if proven else [])
    known = first.bits & GIVEN or (not first.bits & COMMON and not first.bits & WRITTEN)
    if not known or first.bits & INITIALS:
        return []
    is_family = first.bits & (GIVEN | FAMILY) == FAMILY
    return _turned(kept, finds) or [
        (first.start, first.end, Label.LAST_NAME if is_family else Label.FIRST_NAME)
    ]


def _cued(pieces: list[NameWord], cue: Cue, finds: Finds) -> list[Found]:
    """Read what a role, a heading or a verb of signing announces."""
    kept = until_stop(pieces)
    alone = len(kept) == 1
    if _is_refused(kept, cue) or (alone and _AGED.match(finds.folded, kept[0].end)):
        return []
    goes_on = alone and _GOES_ON.match(finds.folded, kept[0].end)
    weak = cue.kind in _WEAK or goes_on or (alone and cue.kind == "by")
    if not plausible(kept, "weak" if weak else "cue"):
        of = kept[0].bits
        barred = of & (BARRED | FUNCTION) or of & (CLINICAL | FAMILY) == CLINICAL
        return [] if weak or barred else _turned(kept, finds)
    if (weak or alone) and not is_person(finds.folded, kept[0].start, kept[-1].end):
        return []
    turned = _turned(kept, finds)
    if not turned and alone and kept[0].bits & GIVEN and cue.words in NURSES:
        return [(kept[0].start, kept[0].end, Label.FIRST_NAME)]
    return turned or finds.label(kept)


def _is_refused(kept: list[NameWord], cue: Cue) -> bool:
    """Return whether a cue says too little for a name as short as this."""
    first = kept[0]
    if cue.kind == "initial":
        return len(kept) < 2 or not first.bits & INITIALS
    if len(kept) > 1:
        return False
    if cue.kind == "relation":
        return not first.bits & GIVEN
    return cue.kind == "agent" or (cue.kind == "relative" and not first.sure)


def _turned(kept: list[NameWord], finds: Finds) -> list[Found]:
    """Read `Turner, Jennifer`: family names, a comma and a given name."""
    comma = _COMMA.match(finds.cased, kept[-1].end)
    if not comma or any(piece.bits & INITIALS for piece in kept):
        return []
    after: list[NameWord] = []
    for piece in read(finds.cased, finds.folded, comma.end(), most=3):
        known = piece.bits & GIVEN or piece.bits & INITIALS
        if not known and (after or not _is_field(finds.folded, piece)):
            break
        after.append(piece)
    two_given = kept[0].bits & (GIVEN | FAMILY) == GIVEN and kept[-1].bits & FAMILY
    if not after or after[0].bits & INITIALS or two_given:
        return []
    return [
        (kept[0].start, kept[-1].end, Label.LAST_NAME),
        (after[0].start, after[-1].end, Label.FIRST_NAME),
    ]


def _is_field(folded: str, piece: NameWord) -> bool:
    """Return whether an unknown word ends a field and may so be the given name in it."""
    unknown = not piece.bits & ~FAMILY
    return unknown and _FIELD_END.match(folded, piece.end) is not None


def _follow_list(names: list[Found], cue: Cue, finds: Finds) -> None:
    last = names[-1]
    for _ in range(_LONGEST_LIST):
        gap = _ENUMERATED.match(finds.cased, last[1])
        if gap is None or finds.taken(gap.end()):
            return
        if "en" in gap.group() and finds.lang != "nl":
            return
        initials = finds.cased[last[0] + 1 : last[0] + 2] in ".-" or (
            finds.cased[names[0][0] + 1 : names[0][0] + 2] == "."
        )
        pieces = until_stop(finds.read(gap.end(), titles=not initials))
        if cue.words in _MANY:
            pieces = _before_link(pieces)
        if not pieces or _NUMBERED.match(finds.folded, pieces[-1].end):
            return
        many = cue.words in _MANY and not any(
            piece.bits & COMMON and not piece.named for piece in pieces
        )
        if not (many or plausible(pieces, "list")):
            return
        listed = finds.label(pieces)
        if (
            len(listed) == 1
            and pieces[0].bits & GIVEN
            and last[2] == Label.FIRST_NAME
            and "," in gap.group()
        ):
            listed = [(*listed[0][:2], Label.FIRST_NAME)]
        finds.claim(listed)
        last = listed[-1]

"""Detection of persons' names by titles, roles, signatures and lexicons of names."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from string import ascii_uppercase

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from record.document import Document
from record.label import Label
from record.span import Span
from rules.matching.lexicon import lexicon, surname_rank
from rules.matching.normalized_document import cased_once, fold_once
from rules.matching.scanner import Pattern
from rules.names.cues import NURSES, TITLES, Cue, closes_entry, find_cues, read_initials, signatures
from rules.names.dictated_names import dictated_names
from rules.names.found_names import Found, FoundNames, label
from rules.names.lone_names import lone_given_names, shortened_names
from rules.names.mentions import find_stems, free_occurrences
from rules.names.name_columns import names_in_columns
from rules.names.nicknames import take_nicknames
from rules.names.parsing import read, read_back
from rules.names.plausibility import (
    bare_size,
    is_address,
    is_person,
    is_shortened,
    is_site,
    plausible,
    unclaimed,
    until_stop,
)
from rules.names.signed_initials import signed_initials
from rules.names.spelled_names import spelled_names
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
    is_sure,
    written_given_names,
)

_WORD = re.compile(r"([^\W\d_]{2,30}(?:['\-][^\W\d_]{2,30})?)(?![\w/@])")
_SLASHED = re.compile(r"([^\W\d_]{2,24})/([^\W\d_]{2,24})(?![\w/])")
_MOST = 3


def read_small_letters(cue: Cue, finds: FoundNames) -> list[Found]:
    """Read a name in small letters after a title or a heading, or `tom/smith` after a heading."""
    if cue.kind in ("weak", "by", "agent", "relative", "relation", "kin", "born", "initial"):
        return []
    headed = cue.kind in ("person", "signed")
    if headed and (slashed := _read_slashed_name(cue.at, finds)):
        return slashed
    at = cue.at
    pieces: list[NameWord] = []
    while len(pieces) < _MOST and (word := _WORD.match(finds.folded, at)):
        of = bits(word[1])
        everyday = of & (COMMON | FUNCTION) and not (pieces and of & FAMILY)
        if not of & (GIVEN | FAMILY) or everyday:
            break
        pieces.append(NameWord(word.start(), word.end(), word[1], of))
        if finds.folded[word.end() : word.end() + 1] != " ":
            break
        at = word.end() + 1
    if not pieces or (headed and len(pieces) < 2):
        return []
    if cue.kind in ("first", "last"):
        kind = Label.FIRST_NAME if cue.kind == "first" else Label.LAST_NAME
        return [(pieces[0].start, pieces[-1].end, kind)]
    if len(pieces) == 1 and pieces[0].bits & (GIVEN | FAMILY) == GIVEN:
        return [(pieces[0].start, pieces[0].end, Label.FIRST_NAME)]
    return label(pieces, finds.lang)


def _read_slashed_name(at: int, finds: FoundNames) -> list[Found]:
    match = _SLASHED.match(finds.folded, at)
    if match is None:
        return []
    pieces = [NameWord(*match.span(which), match[which], bits(match[which])) for which in (1, 2)]
    if all(piece.named for piece in pieces) and any(piece.bits & GIVEN for piece in pieces):
        return label(pieces, finds.lang)
    return []


# Titles that leave no doubt: even an everyday word after them is a name.
_CERTAIN = frozenset("dr drs pr docteur professeur mme mlle mr dra mrs doctor dhr mevr".split())
_ADDRESSES = frozenset("frau herr herrn mme madame monsieur mrs mevr mevrouw dhr mlle".split())
# What is said of an office behind such a word, and when: `eine Frau Mitte 50`.
_OFFICES = (
    "doktor docteur doctor profess patient kolleg pfleg schwester chirurg surgeon nurse direkt"
    " direct president medecin infirmi mitte ende anfang pfarrer pastor minist chef chief"
    " consultant maire juge notaire richter betreuer arts huisarts collega verple arztin"
).split()
_OFFICE_BEGINS, _OFFICE_ENDS = tuple(_OFFICES), ("arzt", "arztin", "erin")
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


def take_announced_names(cue: Cue, finds: FoundNames) -> None:
    """Take the name that a cue announces, and the names listed after it."""
    if cue.at >= len(finds.cased) or finds.taken(cue.at):
        return
    names = _read_announced_name(cue, finds)
    if names:
        finds.claim(names)
        _take_listed_names(names, cue, finds)


def _read_announced_name(cue: Cue, finds: FoundNames) -> list[Found]:
    if cue.kind in ("signed", "initials"):
        signed = read_initials(finds.cased, cue.at)
        if signed or cue.kind == "initials":
            return signed
    pieces = finds.read(cue.at)
    if not pieces:
        return read_small_letters(cue, finds)
    if cue.kind in ("title", "given title"):
        return _read_titled_name(pieces, cue, finds)
    if cue.kind in ("first", "last", "born"):
        return _read_name_field(pieces, cue, finds)
    if cue.kind == "kin":
        return _read_relative_name(pieces, finds)
    # Read what a role, a heading or a verb of signing announces
    kept = until_stop(pieces)
    alone = len(kept) == 1
    if _is_cue_too_weak(kept, cue) or (alone and _AGED.match(finds.folded, kept[0].end)):
        return []
    goes_on = alone and _GOES_ON.match(finds.folded, kept[0].end)
    weak = cue.kind in _WEAK or goes_on or (alone and cue.kind == "by")
    if not plausible(kept, "weak" if weak else "cue"):
        of = kept[0].bits
        barred = of & (BARRED | FUNCTION) or of & (CLINICAL | FAMILY) == CLINICAL
        return [] if weak or barred else _read_inverted_name(kept, finds)
    if (weak or alone) and not is_person(finds.folded, kept[0].start, kept[-1].end):
        return []
    turned = _read_inverted_name(kept, finds)
    if not turned and alone and kept[0].bits & GIVEN and cue.words in NURSES:
        return [(kept[0].start, kept[0].end, Label.FIRST_NAME)]
    return turned or finds.label(kept)


def _read_titled_name(pieces: list[NameWord], cue: Cue, finds: FoundNames) -> list[Found]:
    if cue.words in _ADDRESSES and len(pieces) > 1 and _is_office(pieces[0]):
        pieces = pieces[1:]  # `Frau Oberärztin Klein`
    first = pieces[0]
    if not first.bits & INITIALS and _is_ordinary_word(pieces, cue, finds.lang):
        return []
    if cue.words in _MANY:
        pieces = _cut_before_conjunction(pieces)
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


def _is_office(piece: NameWord) -> bool:
    if piece.bits & (GIVEN | FAMILY | INITIALS) or piece.folded == "arzt":
        return False
    return piece.folded.startswith(_OFFICE_BEGINS) or piece.folded.endswith(_OFFICE_ENDS)


def _cut_before_conjunction(pieces: list[NameWord]) -> list[NameWord]:
    links = [at for at, piece in enumerate(pieces) if piece.folded in ("y", "e", "i")]
    return pieces[: links[0]] if links and links[0] else pieces


def _is_ordinary_word(pieces: list[NameWord], cue: Cue, lang: str) -> bool:
    if pieces[0].bits & (GIVEN | FAMILY) and not pieces[0].bits & PARTICLE:
        return False
    if pieces[0].bits & SMALL and pieces[0].folded in _ARTICLES:
        return True
    first = next((piece for piece in pieces if not piece.particle), pieces[0])
    of = first.bits
    if len(pieces) == 1 and cue.words in _ADDRESSES and not of & (UPPER | FUNCTION | INITIALS):
        # Nobody is called `Frau Schmerz` who does not bear the name; `Frau Kollegin` may be.
        return not first.particle and _is_office(first)
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


def _read_name_field(pieces: list[NameWord], cue: Cue, finds: FoundNames) -> list[Found]:
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


def _read_relative_name(pieces: list[NameWord], finds: FoundNames) -> list[Found]:
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
        turned = _read_inverted_name(kept, finds)
        proven = first.named or first.bits & INITIALS or plausible(kept, "cue")
        return turned or (finds.label(kept) if proven else [])
    known = first.bits & GIVEN or (not first.bits & COMMON and not first.bits & WRITTEN)
    if not known or first.bits & INITIALS:
        return []
    is_family = first.bits & (GIVEN | FAMILY) == FAMILY
    return _read_inverted_name(kept, finds) or [
        (first.start, first.end, Label.LAST_NAME if is_family else Label.FIRST_NAME)
    ]


def _is_cue_too_weak(kept: list[NameWord], cue: Cue) -> bool:
    """Return whether a cue says too little for a name as short as this."""
    first = kept[0]
    if cue.kind == "initial":
        return len(kept) < 2 or not first.bits & INITIALS
    if len(kept) > 1:
        return False
    if cue.kind == "relation":
        return not first.bits & GIVEN
    return cue.kind == "agent" or (cue.kind == "relative" and not first.sure)


def _read_inverted_name(kept: list[NameWord], finds: FoundNames) -> list[Found]:
    """Read `Turner, Jennifer`: family names, a comma and a given name."""
    comma = _COMMA.match(finds.cased, kept[-1].end)
    if not comma or any(piece.bits & INITIALS for piece in kept):
        return []
    after: list[NameWord] = []
    for piece in read(finds.cased, finds.folded, comma.end(), most=3):
        known = piece.bits & GIVEN or piece.bits & INITIALS
        # An unknown word may be the given name in a field that it ends.
        ends_field = not piece.bits & ~FAMILY and _FIELD_END.match(finds.folded, piece.end)
        if not known and (after or not ends_field):
            break
        after.append(piece)
    two_given = kept[0].bits & (GIVEN | FAMILY) == GIVEN and kept[-1].bits & FAMILY
    if not after or after[0].bits & INITIALS or two_given:
        return []
    return [
        (kept[0].start, kept[-1].end, Label.LAST_NAME),
        (after[0].start, after[-1].end, Label.FIRST_NAME),
    ]


def _take_listed_names(names: list[Found], cue: Cue, finds: FoundNames) -> None:
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
            pieces = _cut_before_conjunction(pieces)
        if not pieces or _NUMBERED.match(finds.folded, pieces[-1].end):
            return
        many = cue.words in _MANY and not any(
            piece.bits & COMMON and not piece.named for piece in pieces
        )
        if not (many or plausible(pieces, "list") or _attends(pieces, cue)):
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


_ATTENDING = frozenset("present presents participants excuses staff equipe".split())


def _attends(pieces: list[NameWord], cue: Cue) -> bool:
    """Return whether one word in a list of those present is a family name of the wide list."""
    if cue.words not in _ATTENDING or len(pieces) != 1 or pieces[0].bits & (INITIALS | UPPER):
        return False
    return surname_rank(pieces[0].folded) != 0 and not pieces[0].bits & (BARRED | CLINICAL)


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
_LONGEST_ROLE = 10
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


def take_uncued_names(finds: FoundNames) -> None:
    """Take the names that nothing announces, where their neighbours prove them."""
    for names in signatures(finds.cased, finds.folded):
        if not finds.taken(names[0][0]):
            finds.claim(names)
    # Take `FAMILY, Given` alone at the beginning of a line or before a number
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
    for match in _ROLE_AFTER.finditer(finds.folded):
        start = match.start()
        # An alternative that begins with a letter begins with the last one of the name.
        whole = match.group()[1:2] in (" ", ",", "|", "¦")
        _take_name_before_role(
            start + 1 if whole else _name_end_before_role(finds.folded, start), finds
        )
    for at in sorted(_name_candidates(finds.cased)):
        if not finds.taken(at):
            _take_uncued_name(at, finds)
    take_nicknames(finds)
    for names in chain(shortened_names(finds), lone_given_names(finds)):
        if not finds.taken(names[0][0]):
            finds.claim(names)


def _name_end_before_role(folded: str, at: int) -> int:
    """Step back from a role to the end of the name before it."""
    before = folded[max(0, at - 18) : at].removesuffix("equipe ").removesuffix("turno ")
    return at - min(at, 18) + len(before.rstrip(" ,"))


def _name_candidates(cased: str) -> Iterator[int]:
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


def _take_uncued_name(at: int, finds: FoundNames) -> None:
    """Take a name around a given name or an initial."""
    cased = finds.cased
    start = at
    low = max(0, at - _LONGEST_WORD)
    while start > low and (cased[start - 1].isalpha() or cased[start - 1] in "-'"):
        start -= 1
    if cased.startswith("D'", start) and start + 2 == at:
        start = at  # `FILLE D'ANTOINE`: a given name behind the elided particle
    if _take_name_after_role(start, finds):
        return
    if not _may_be_name(cased, start) or is_site(finds.folded, start):
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
                finds.claim(_label_shortened(name) or label(name, finds.lang))
            return
    if pieces and not _take_entry_signature(pieces, finds):
        _take_index_entry(pieces, at, finds)


def _take_name_after_role(start: int, finds: FoundNames) -> bool:
    """Take a given name, and the family name behind it, after a role: `SPV Jeroen Maatman`."""
    role = finds.cased[max(0, start - _LONGEST_ROLE) : start].removesuffix(" ")
    role = role[len(role.rstrip(ascii_uppercase)) :]
    if not role or role.lower() not in lexicon("staff_abbreviations"):
        return False
    pieces = until_stop(finds.read(start))
    if not pieces or not pieces[0].sure or not finds.stands(pieces):
        return False
    alone = [(pieces[0].start, pieces[0].end, Label.FIRST_NAME)]
    finds.claim(alone if len(pieces) == 1 else finds.label(pieces))
    return True


def _label_shortened(pieces: list[NameWord]) -> list[Found]:
    if not is_shortened(pieces):
        return []
    given, initial = pieces
    return [
        (given.start, given.end, Label.FIRST_NAME),
        (initial.start, initial.end, Label.LAST_NAME),
    ]


def _may_be_name(cased: str, start: int) -> bool:
    """Return, at little cost, whether a word has a capital beside it or ends a sentence or list."""
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


def _take_entry_signature(pieces: list[NameWord], finds: FoundNames) -> bool:
    """Take the names that close an entry of a log."""
    known = len(pieces) > 1 or pieces[0].sure
    if not known or not closes_entry(finds.folded, pieces) or not finds.stands(pieces):
        return False
    finds.claim(finds.label(pieces))
    return True


def _take_index_entry(
    pieces: list[NameWord], at: int, finds: FoundNames, *, certain: bool = False
) -> None:
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


def _take_name_before_role(at: int, finds: FoundNames) -> None:
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
            _take_index_entry(pieces, start, finds, certain=True)
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


_DETECTOR = "rules.names"


def detect(document: Document) -> list[Span]:
    """Find given and family names by their context or the lexicons.

    Offsets are code points, half open. Titles and civilities are not part of the spans.
    """
    text = document.text
    folded, cased = fold_once(text), cased_once(text)
    cues = find_cues(cased, folded, document.lang)
    titles = frozenset(cue.begin for cue in cues if cue.kind in TITLES)
    finds = FoundNames(cased, folded, document.lang, titles)
    for cue in cues:
        take_announced_names(cue, finds)
    take_uncued_names(finds)
    # The further places of names; what the lists of words claim is not looked for
    folded = finds.folded
    names = {
        word: kind
        for start, end, kind in finds.found
        for written in folded[start:end].split()
        for word in (written, *find_stems(written, document.lang))
        if len(word) > 2 and word.isalpha() and not bits(word) & (COMMON | BARRED)
    }
    found = {
        *finds.found,
        *[
            (at, end, kind)
            for word, kind in names.items()
            for at, end in free_occurrences(
                finds.cased, folded, word, finds.taken, lang=document.lang
            )
            if finds.cased[at].isupper()
            and is_person(folded, at, end)
            and not is_address(folded, at)
        ],
    }
    found.update(spelled_names(finds.cased, folded))
    found.update(names_in_columns(finds.cased, folded))
    found.update(dictated_names(finds.cased, folded, document.lang))
    found.update(
        initials
        for initials in signed_initials(finds.cased, folded)
        if not any(start <= initials[0] and initials[1] <= end for start, end, _ in finds.found)
    )
    return [Span(start, end, str(kind), _DETECTOR) for start, end, kind in sorted(found)]

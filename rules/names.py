"""Detection of persons' names by titles, roles, signatures and lexicons of names."""

import regex

from record.document import Document
from record.label import Label
from record.span import Span
from rules.folded import fold_once
from rules.lexicon import lexicon, lexicons
from rules.name_cues import context
from rules.name_parts import (
    Piece,
    Shape,
    clinical,
    common,
    family,
    first_only,
    given,
    label,
    stretches,
    surely_given,
)
from rules.name_proof import bare_size, is_person, may_be_name, plausible, unclaimed, until_stop
from rules.staff import staff

Found = tuple[int, int, str]

_DETECTOR = "rules.names"
_ROLES = frozenset(
    (
        "patient patiente patients patientes paciente interne internes externe externes medecin"
        " referent infirmier infirmiere ide assure name nom prenom nombre apellidos consultant"
        " attending surgeon nurse chirurgien anesthesiste psychologue secretaire dear cher chere"
        " medico medica fdo pere mere gh due rn iao"
    ).split()
)
_ROLE_AFTER = regex.compile(
    r"[ ]?\((?:interne|externe|phc?|pu-?ph|mcu-?ph|cca|ide|ph|ffi|dj|as|iade|ccA|medecin"
    r"|chirurgien|md|resident|rn)"
    r"(?![a-z])|,? (?:md|m\.d\.|rn|np|do|pa-c|phd)(?![a-z])"
    r"|[ ]?[|¦] ?(?:[hmf]|[0-9]{1,2}/)[ /0-9]|,? nee? (?:le |en )|,? born "
    r"|,? [0-9]{2}/[0-9]{2}/[0-9]{4}|, [0-9]{1,2}(?:er)?[ \-./][0-9a-z]"
)
_INDEXED = regex.compile(
    r"(?m)(?:^[ \t]{0,4}|(?P<inside>[:(][ ]?|(?<=\p{L}\.?)[ ]))"
    r"(?P<family>\p{Lu}[\p{Lu}'’\-]{2,}(?:[ ]\p{Lu}[\p{Lu}'’\-]+){0,2}),[ ]?"
    r"(?P<given>\p{Lu}[\p{L}\-]{2,})(?=[ \t]{0,3}(?:$|[0-9|(),\-]))"
)
_COMMA = regex.compile(r"\p{Lu},[ ]?\p{Lu}")
_GOES_ON = regex.compile(r"[ ][a-z]")
_AFTER_TITLE = regex.compile(
    r"(?<!\w)(?:[Dd][Rr]|[Pp]r|[Dd]octeur|[Mm]me|[Mm]lle|[Mm]r|[Mm]adame|[Mm]onsieur|[Dd]ra"
    r"|[Ss]ra|Mrs|Ms)\.?[ \u00a0]"
    r"(\p{Ll}[\p{L}\-]{2,30})(?:[ ](\p{Ll}[\p{L}\-]{2,30}))?"
)
_LIST_GAP = regex.compile(
    r"\s{0,2}(?:\([^()\n]{0,24}\)?)?\s{0,2}(?:[,;/&|]|et|and|y|e|ou|-|–)?\s{0,3}(?:(?:et|and|y)\s)?"
)


def detect(document: Document) -> list[Span]:
    """Find given and family names that their surroundings or the lexicons give away.

    Offsets are code points, half open. Titles and civilities are not part of the spans.
    """
    text = document.text
    folded = fold_once(text)
    found: list[Found] = _lower_case(text, folded)
    last: Found | None = None
    runs = list(stretches(text, folded))
    for run in runs:
        names = _names(text, folded, run, last, document.lang)
        found.extend(names)
        if names:
            last = (min(start for start, _, _ in names), *max(names)[1:])
    found += _indexed(text, folded)
    signed = staff(text, folded)
    places = {(start, end) for start, end, _ in signed}
    found = signed + [name for name in found if name[:2] not in places]
    found += _again(folded, runs, found)
    return [Span(start, end, str(kind), _DETECTOR) for start, end, kind in sorted(set(found))]


def _lower_case(text: str, folded: str) -> list[Found]:
    found: list[Found] = []
    for match in _AFTER_TITLE.finditer(text):
        for group in (1, 2):
            start, end = match.span(group)
            word = folded[start:end] if start >= 0 else ""
            if not word or common(word) or not (family(word) or given(word)):
                break
            is_given = given(word) and not family(word)
            found.append((start, end, Label.FIRST_NAME if is_given else Label.LAST_NAME))
    return found


def _indexed(text: str, folded: str) -> list[Found]:
    """Find `FAMILY, Given` alone at the beginning of a line or before a number."""
    found: list[Found] = []
    if not _COMMA.search(text):
        return found
    for match in _INDEXED.finditer(text):
        words = folded[match.start("family") : match.end()].replace(",", " ").split()
        certain = surely_given(words[-1])
        if match["inside"] and not certain:
            continue
        if any(
            (common(word) and not certain) or word in lexicons("eponyms", "species")
            for word in words
        ):
            continue
        found.append((*match.span("family"), Label.LAST_NAME))
        found.append((*match.span("given"), Label.FIRST_NAME))
    return found


def _names(text: str, folded: str, run: list[Piece], last: Found | None, lang: str) -> list[Found]:
    found: list[Found] = []
    segment: list[Piece] = []
    title = context(folded, run[0].start)
    if not title and last and last[1] <= run[0].start <= last[1] + 32:
        title = "list" if _LIST_GAP.fullmatch(text, last[1], run[0].start) else ""
    # In `N. Petit, M. Leroy` the second letter is an initial as the first is.
    initials = title == "list" and last is not None and text[last[0] + 1 : last[0] + 2] in ".-"
    begins = -1
    for at, piece in enumerate(run):
        addressed = at == 0 and (title.startswith("title") or _is_hers(folded, piece.start))
        if _is_title(run, at, lang, listed=initials or addressed):
            found += _segment(folded, segment, title, lang)
            segment, title = [], f"title {piece.folded}"
            begins = piece.end
        elif piece.folded in _ROLES or (not segment and _heading(piece, title)):
            # A heading or a role before a name is no part of it; what it announces counts anew.
            found += _segment(folded, segment, title, lang)
            segment = []
            title = context(folded, run[at + 1].start) if at + 1 < len(run) else ""
        else:
            segment.append(piece)
    found += _segment(folded, segment, title, lang)
    return _with_particle(text, found, segment, begins)


def _with_particle(
    text: str, found: list[Found], segment: list[Piece], title_end: int
) -> list[Found]:
    """Add a particle in small letters that stands between a title and the name."""
    if not segment or title_end < 0 or segment[0].start - title_end <= 2:
        return found
    gap = text[title_end : segment[0].start]
    start = title_end + len(gap) - len(gap.lstrip(" .\u00a0\t"))
    return [
        (start, end, kind) if begin == segment[0].start and start < begin else (begin, end, kind)
        for begin, end, kind in found
    ]


# No man: `M.` and `D.` after these are initials, not titles.
_HERS = regex.compile(
    r"(?r)(?<![a-z])(?:mere|fille|s(?:oe|œ)ur|epouse|femme|tante|niece|hermana|madre|hija|esposa"
    r"|tia|nin[oa]|enfant)[ \n]$"
)


def _is_hers(folded: str, start: int) -> bool:
    return _HERS.search(folded, max(0, start - 10), start) is not None


def _heading(piece: Piece, title: str) -> bool:
    if piece.shape is Shape.INITIALS:
        return False
    return clinical(piece.folded) and not (title and (given(piece.folded) or family(piece.folded)))


def _is_title(run: list[Piece], at: int, lang: str, *, listed: bool) -> bool:
    piece = run[at]
    if piece.folded == "d" and piece.shape is Shape.INITIALS and at + 1 < len(run):
        after_title = at > 0 and run[at - 1].titled
        return lang == "es" and piece.end - piece.start == 2 and not (after_title or listed)
    if piece.folded == "don" and lang == "es" and at + 1 < len(run):
        return True
    if not piece.titled or (at + 1 == len(run) and piece.shape is Shape.INITIALS):
        return False
    if piece.folded == "m" and lang in ("en", "es"):
        return False
    # `M.` after another title or in a list of initials is an initial.
    return not (piece.folded == "m" and (listed or (at > 0 and run[at - 1].titled)))


def _again(folded: str, runs: list[list[Piece]], found: list[Found]) -> list[Found]:
    """Find again, wherever it stands with a capital, a name that was found once."""
    names = {
        word: kind
        for start, end, kind in found
        for word in folded[start:end].split()
        if len(word) > 2 and word.isalpha() and not common(word)
    }
    names = {
        word: kind for word, kind in names.items() if word not in lexicons("eponyms", "species")
    }
    if not names:
        return []
    taken = {at for start, end, _ in found for at in range(start, end)}
    return [
        (piece.start, piece.end, names[piece.folded])
        for run in runs
        for piece in run
        if piece.folded in names and piece.start not in taken
        and is_person(folded, piece, piece)
    ]  # fmt: skip


def _segment(folded: str, pieces: list[Piece], title: str, lang: str) -> list[Found]:
    if not pieces:
        return []
    if title.startswith("title"):
        return _titled(pieces, title, lang)
    if title in ("first", "last"):
        return _asked(pieces, title, lang)
    if title:
        kept = until_stop(pieces)
        sentence = len(kept) == 1 and _GOES_ON.match(folded, kept[0].end) is not None
        if kept and plausible(kept, "weak" if sentence else title):
            return label(kept, lang)
    elif _identified(folded, pieces) and is_person(folded, pieces[0], pieces[-1]):
        return label(pieces, lang)
    return _bare(folded, pieces, lang)


def _identified(folded: str, pieces: list[Piece]) -> bool:
    """Tell whether words are a name by the date of birth, the sex or the role that follows."""
    if not 1 < len(pieces) < 5 or not _ROLE_AFTER.match(folded, pieces[-1].end):
        return False
    if any(clinical(piece.folded) or piece.folded in lexicon("eponyms") for piece in pieces):
        return False
    if any(given(piece.folded) for piece in pieces):
        return True
    return unclaimed(pieces) == pieces and plausible(pieces, "cue")


def _titled(pieces: list[Piece], title: str, lang: str) -> list[Found]:
    first = pieces[0]
    if clinical(first.folded) and not (family(first.folded) or given(first.folded)):
        return []
    initials = first.shape is Shape.INITIALS
    if not initials and first.folded in lexicon("function_words") and not may_be_name(first):
        return []
    everyday = first.shape is Shape.TITLE and common(first.folded) and not may_be_name(first)
    if everyday and not (title[6:] in _CERTAIN or len(pieces) > 1):
        return []
    kept = until_stop(pieces)
    if all(piece.particle for piece in kept):
        return []
    if title.endswith(("don", "dona", "dna", "soeur")) and len(kept) == 1 and first_only(title[6:]):
        return [(kept[0].start, kept[0].end, Label.FIRST_NAME)] if kept else []
    return label(kept, lang) if kept else []


_CERTAIN = frozenset(
    ["dr", "pr", "docteur", "professeur", "mme", "mlle", "mr", "dra", "mrs", "doctor"]
)


def _asked(pieces: list[Piece], title: str, lang: str) -> list[Found]:
    kept = until_stop(pieces)
    if not kept or (len(kept) == 1 and clinical(kept[0].folded)):
        return []
    mixed = len({piece.shape for piece in kept}) > 1
    if title == "last" and lang == "fr" and len(kept) > 1 and (mixed or given(kept[-1].folded)):
        return label(kept, lang)
    if title == "first" and lang == "es" and len(kept) > 2:
        return label(kept, lang)
    kind = Label.FIRST_NAME if title == "first" else Label.LAST_NAME
    return [(kept[0].start, kept[-1].end, kind)]


def _bare(folded: str, pieces: list[Piece], lang: str) -> list[Found]:
    """Find names that nothing announces: a given name of the lexicon beside a family name."""
    found: list[Found] = []
    at = 0
    while at < len(pieces) - 1:
        size = bare_size(pieces, at)
        if size and is_person(folded, pieces[at], pieces[at + size - 1]):
            found += label(pieces[at : at + size], lang)
            at += size
        else:
            at += 1
    return found

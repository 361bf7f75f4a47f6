"""What tells a name of a person from ordinary words: its shape, its neighbours, the lexicons."""

from collections.abc import Sequence

import regex

from rules.lexicon import lexicon, lexicons
from rules.name_parts import Piece, Shape, clinical, common, family, given, surely_given

_NO_PERSON_BEFORE = regex.compile(
    r"(?r)(?:maladies?|syndromes?|sd|signes?|scores?|tests?|classifications?|echelles?|index"
    r"|indices?|manoeuvres?|reflexes?|triade"
    r"|lesions?|nevralgies?|fractures?|operations?|interventions?|techniques?|methodes?"
    r"|formules?|criteres?|stades?|loi|regle"
    r"|point|ligne|angle|espace|ligament|canal|tubercule|cellules?|corps|bacille|virus|sonde"
    r"|drain|pince|aiguille|valve|prothese"
    r"|chaussee|hernie|abces|kyste|ulcere|tumeur|sarcome|lymphome|purpura|choree|paralysie"
    r"|phenomene|position|protocole|type"
    r"|enfermedad|sindrome|signo|escala|clasificacion|maniobra|indice|prueba|criterios|tumor"
    r"|sonda|tecnica|metodo|fenomeno"
    r"|rue|avenue|av\.?|boulevard|bd|place|allee|impasse|chemin|square|quai|calle|avenida"
    r"|avda\.?|plaza|paseo|c/"
    r"|hopital|hopitaux|clinique|centre|chu|chr|ch|gh|ghu|institut|fondation|hospital|clinica"
    r"|pavillon|batiment|salle|unite|lycee"
    r"|laboratoires?|maison|ehpad|residence|college|ecole|universite|saint|sainte|st|ste|san|santa)"
    r"[ ](?:de |du |des |d'|la |le |l'|del |los |las |von |van )*$"
)
_NO_PERSON_AFTER = regex.compile(
    r"(?:'s)?[ \-](?:disease|syndrome|sign|score|test|scale|criteria|classification|maneuver"
    r"|catheter|palsy|lymphoma|phenomenon"
    r"|fracture|reflex|index|procedure|street|st\.?|avenue|ave\.?|road|rd\.?|drive|lane|hospital"
    r"|clinic|medical|university|hall"
    r"|inc|sa|sas|sarl|ltd|corp|gmbh|s\.l\.|foundation)(?![a-z])"
)


def may_be_name(piece: Piece) -> bool:
    """Tell whether a word is a name of the lexicons or a particle of names."""
    return family(piece.folded) or given(piece.folded) or piece.particle


def until_stop(pieces: list[Piece]) -> list[Piece]:
    """Cut a stretch where it turns from a name into ordinary words; at most six pieces."""
    kept: list[Piece] = []
    for piece in pieces[:6]:
        if kept and _stops(piece, kept):
            break
        kept.append(piece)
    while kept and kept[-1].particle and len(kept) > 1:
        kept.pop()
    return kept


_WAYS = frozenset(["av", "bd", "bp", "cp", "pl", "avd", "avda", "ctra"])
_NEVER = frozenset(
    [
        "nee",
        "ne",
        "nees",
        "tel",
        "rdv",
        "le",
        "the",
        "service",
        "ipp",
        "servicio",
        "hospital",
        "calle",
        "avenida",
        "email",
        "fax",
        "centro",
        "clinica",
        "departamento",
        "unidad",
        "e-mail",
        "email",
        "mail",
    ]
)


def _stops(piece: Piece, kept: Sequence[Piece]) -> bool:
    if piece.folded in _WAYS:
        return True
    if piece.shape is Shape.INITIALS or piece.particle:
        return False
    if piece.titled or piece.folded in _NEVER:
        return True
    if not common(piece.folded):
        return False
    particle_before = piece.start - kept[-1].end > 2 or kept[-1].particle
    if particle_before and not clinical(piece.folded):
        return False
    if len(kept) == 1 and surely_given(kept[0].folded) and not family(kept[0].folded):
        return False
    if clinical(piece.folded) and not family(piece.folded):
        return True
    named = may_be_name(piece)
    changes = piece.shape is Shape.UPPER and kept[-1].shape is not Shape.UPPER
    return not (named or (changes and len(kept) == 1))


def plausible(pieces: list[Piece], title: str) -> bool:
    """Tell whether what a cue announces is a name; a title would need no such proof."""
    words = [piece for piece in pieces if piece.shape is not Shape.INITIALS and not piece.particle]
    initials = any(piece.shape is Shape.INITIALS for piece in pieces)
    if not words or any(piece.folded in lexicons("eponyms", "species") for piece in words):
        return False
    opens = pieces[0]
    if opens.folded in lexicon("function_words") and not (initials or opens.particle):
        return False
    if title == "colon" and len(pieces) < 2:
        return False
    if any(surely_given(piece.folded) for piece in words):
        return True
    if title == "cue" and len(pieces) > 1 and given(words[0].folded):
        return True
    if any(common(piece.folded) for piece in words):
        upper = words[0].shape is Shape.UPPER and len(words[0].folded) > 3
        return len(words) == 1 and initials and upper and not clinical(words[0].folded)
    return _looks_named(words, title, initials=initials)


def _looks_named(words: list[Piece], title: str, *, initials: bool) -> bool:
    long = all(len(piece.folded) > 2 for piece in words)
    if initials:
        return title != "list" or long
    if len({piece.shape for piece in words}) > 1 and long:
        return title != "colon"
    if title == "cue":
        return all(len(piece.folded) > 1 for piece in words)
    return all(family(piece.folded) for piece in words)


def bare_size(pieces: list[Piece], at: int) -> int:
    """Count the pieces of a name that nothing announces and that begins at an index; 0 for none."""
    first, second = pieces[at], pieces[at + 1]
    if second.particle and at + 2 < len(pieces):
        second = pieces[at + 2]
    rest = [*unclaimed(pieces[at : at + 5])]
    if len(rest) < 2 or second not in rest:
        return 0
    if first.shape is Shape.INITIALS:
        dotted = first.end - first.start > 1 and len(first.folded) <= 5
        return len(rest) if dotted and _surname(second, strict=True) else 0
    if surely_given(first.folded) and _surname(second, strict=False):
        return len(rest)
    if given(first.folded) and not clinical(first.folded) and _surname(second, strict=True):
        return len(rest)
    if surely_given(second.folded) and _surname(first, strict=second.shape is first.shape):
        return rest.index(second) + 1
    return 0


def unclaimed(pieces: Sequence[Piece]) -> list[Piece]:
    """Keep the leading pieces that no list of words, species or eponyms claims."""
    kept: list[Piece] = []
    for piece in pieces:
        claimed = piece.folded in lexicons("species", "eponyms") or piece.titled
        everyday = (
            common(piece.folded) and not (kept and family(piece.folded)) and not given(piece.folded)
        )
        if claimed or (everyday and not piece.particle and piece.shape is not Shape.INITIALS):
            break
        kept.append(piece)
    while kept and kept[-1].particle:
        kept.pop()
    return kept


def _surname(piece: Piece, *, strict: bool) -> bool:
    if piece.shape is Shape.INITIALS or len(piece.folded) < 2:
        return False
    if family(piece.folded) and not common(piece.folded):
        return True
    if strict:
        return piece.shape is Shape.UPPER and len(piece.folded) > 3 and not common(piece.folded)
    return not common(piece.folded) and (piece.shape is Shape.TITLE or len(piece.folded) > 2)


def is_person(folded: str, first: Piece, last: Piece) -> bool:
    """Tell whether a name is no part of a disease, a device, a street or a site."""
    before = folded[max(0, first.start - 40) : first.start]
    if _NO_PERSON_BEFORE.search(before):
        return False
    return _NO_PERSON_AFTER.match(folded, last.end) is None

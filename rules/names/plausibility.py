"""Whether words are the name of a person: by their shape, their neighbours and the lexicons."""

import re
from collections.abc import Sequence

from rules.matching.lexicon import lexicon
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
)

# Words before an eponym: what follows them is a disease, a device, a street or a site.
NO_PERSON = frozenset(
    (
        "maladie maladies syndrome syndromes sd signe signes score scores test tests"
        " classification classifications echelle echelles index indice indices manoeuvre"
        " manoeuvres reflexe reflexes triade lesion lesions nevralgie fracture fractures operation"
        " operations intervention interventions technique techniques methode methodes formule"
        " formules criteres critere stade stades loi regle point ligne angle espace ligament canal"
        " tubercule cellule cellules corps bacille virus sonde drain pince aiguille valve prothese"
        " chaussee hernie abces kyste ulcere tumeur sarcome lymphome purpura choree paralysie"
        " phenomene position protocole type regime oedeme"
        " enfermedad sindrome signo escala clasificacion maniobra prueba criterios tumor sonda"
        " tecnica metodo fenomeno conducto celulas morbus zeichen ziekte teken"
        " rue avenue av boulevard bd place allee impasse chemin square quai calle avenida avda"
        " plaza paseo rambla alameda ronda camino acceso ctra carretera street road cours passage"
        " hopital hopitaux clinique centre chu chr ch gh ghu institut fondation hospital clinica"
        " complejo universitario universitaria hospitalier pavillon pabellon batiment salle unite"
        " unidad planta lycee laboratoire laboratoires maison ehpad residence college ecole"
        " universite saint sainte sint sankt st ste san santa santo virgen nuestra instituto"
        " fundacion institute universitatsklinikum klinikum klinik straat strasse ziekenhuis"
        " ward wing"
        " pavilion tower campus callejon vial pasaje urbanizacion canada pso carrer prolongacion"
        " glorieta travesia via colonia delegacion barrio poligono infanta infantil"
    ).split()
)
_LINKS = frozenset("de du des d la le l del los las von van of the dr dra docteur doctor".split())
# Words behind an eponym or the name of a street, a site or a company.
_THINGS = frozenset(
    (
        "disease syndrome syndrom sign score test scale criteria classification maneuver catheter"
        " palsy lymphoma phenomenon fracture reflex index procedure street st avenue ave road"
        " roads rd drive lane mall rapid hospital clinic medical university hall institut"
        " institute instituto klinik strasse krankheit zeichen boulevard blvd ziekte center"
        " vaccine inc sa sas sarl ltd corp gmbh company foundation et"
    ).split()
)
_KINDS_OF_SITES = frozenset(["cancer", "memorial", "children's", "regional", "health"])
_WORDS_AFTER = re.compile(r"(?:'s)?[ \-]([a-z]+(?:'s)?)(?:[ ]([a-z]+))?")
# A company, an address of the net, `s/n`, a postal code, a house number.
_NO_PERSON_AFTER = re.compile(
    r"[ ](?:s\.[ ]?[al]\.|&[ ])|@|,?[ ]s[ ]?/[ ]?n\b|[ ,]{1,2}[0-9]{5}(?![0-9])"
)
_HOUSE_AFTER = re.compile(r"[ ,]{1,2}(?:n[o°]\.?[ ]?)?[0-9]{1,4}[ ]?(?:,|\.[ ]|-[ ])")
_ADDRESS = re.compile(
    r"(?:domicilio|direccion|address|localidad|provincia|poblacion|ciudad|municipio|city"
    r"|ville|adres|anschrift|wohnhaft|home|natural de|resid(?:e|ing) (?:en|in|a)|barrio"
    r"|urb(?:anizacion)?\.?)[^:\n]{0,24}[: ][^\n:]{0,40}\Z"
)
_HOUSE_NUMBER = re.compile(r"(?<![0-9/.\-:,+])[0-9]{1,5}(?:[ ]?bis|[ ]?ter)?,?[ ]\Z")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}[ ,]")


def is_person(folded: str, start: int, end: int, *, is_given: bool = False) -> bool:
    """Return whether a stretch is no part of a disease, a device, a street or a site.

    Offsets are code points of the folded text, half open. What stands behind a name that `is_given`
    is an age sooner than the number of a house.
    """
    if _NO_PERSON_AFTER.match(folded, end) or folded[start:end] in lexicon("namesakes"):
        return False
    if not is_given and _HOUSE_AFTER.match(folded, end):
        return False
    after = _WORDS_AFTER.match(folded, end)
    if after and after[1] in _KINDS_OF_SITES:
        return after[2] not in _THINGS and not is_site(folded, start)
    if after and after[1] in _THINGS and (after[1] != "et" or after[2] == "al"):
        return False
    return not is_site(folded, start)


def is_site(folded: str, start: int) -> bool:
    """Return whether the words before an offset make what follows a disease, a street or a site."""
    if not start or folded[start - 1] not in " '-/.":
        return False
    line = folded[max(0, start - 40) : start].rpartition("\n")[2]
    for written in reversed(line.replace("'", " ").split()):
        word = written.rstrip("./-").lstrip("(")
        if word in NO_PERSON:
            return not (len(word) > 4 and written[-1] == ".")
        if written == "c/":
            return True
        if word not in _LINKS:
            return False
    return False


def is_address(folded: str, start: int) -> bool:
    """Return whether an offset stands in an address: behind its heading or a house number."""
    line = folded.rfind("\n", max(0, start - 80), start) + 1
    low = max(line, start - 80)
    number = _HOUSE_NUMBER.search(folded, max(low, start - 20), start)
    if number and not _YEAR.match(folded, number.start()):
        return True
    return _ADDRESS.search(folded, low, start) is not None


def until_stop(pieces: list[NameWord]) -> list[NameWord]:
    """Cut a stretch where it turns from a name into ordinary words; at most six pieces."""
    size = min(len(pieces), 6)
    for at in range(1, size):
        if _ends_name(pieces[at], pieces[at - 1], at):
            size = at
            break
    while size > 1 and pieces[size - 1].bits & PARTICLE:
        size -= 1
    return pieces[:size]


_NEVER = frozenset(
    "av bd bp cp pl avd avda ctra nee ne nees tel rdv le the service ipp servicio hospital calle"
    " avenida email fax centro clinica departamento unidad e-mail mail dob mrn md do rn np phd"
    " nocol col no geb dr".split()
)


def _ends_name(piece: NameWord, before: NameWord, at: int) -> bool:
    of = piece.bits
    if of & (INITIALS | SMALL | PARTICLE):
        return False
    if piece.folded in _NEVER:
        return True
    if not of & COMMON:
        return False
    if before.particle and not of & CLINICAL:
        return False
    if at == 1 and before.sure and not before.bits & FAMILY:
        return False
    if of & CLINICAL and not of & FAMILY:
        return True
    changes = of & UPPER and not before.bits & UPPER
    return not (of & (GIVEN | FAMILY) or (changes and at == 1))


def plausible(pieces: list[NameWord], kind: str) -> bool:
    """Return whether what a cue announces is a name; a title would need no such proof."""
    words = [piece for piece in pieces if not piece.bits & (INITIALS | PARTICLE)]
    any_bits = 0
    for piece in words:
        any_bits |= piece.bits
    first = words[0] if words else pieces[0]
    if not words or any_bits & BARRED or pieces[0].bits & (FUNCTION | PARTICLE) == FUNCTION:
        return False
    if first.folded in NO_PERSON and not first.bits & (GIVEN | FAMILY):
        return False
    if any_bits & GIVEN and any(piece.sure for piece in words):
        return True
    if kind == "cue" and len(pieces) > 1 and first.bits & GIVEN:
        return True
    initials = any(piece.bits & INITIALS for piece in pieces)
    if any_bits & COMMON:
        first = words[0]
        if len(words) > 1 or first.bits & CLINICAL:
            return False
        upper = first.bits & UPPER != 0 and len(first.folded) > 3
        return (initials and upper) or (kind == "cue" and first.bits & FAMILY != 0)
    shortest = min(len(piece.folded) for piece in words)
    if initials:
        return kind != "list" or shortest > 2
    if len({piece.bits & UPPER for piece in words}) > 1 and shortest > 2:
        return True
    if kind == "cue":
        alone = len(words) == 1 and words[0].bits & UPPER
        return shortest > (3 if alone else 1)
    return all(piece.bits & FAMILY for piece in words)


def bare_size(pieces: list[NameWord], at: int) -> int:
    """Count the pieces of a name that nothing announces and that begins at an index; 0 for none."""
    first, second = pieces[at], pieces[at + 1]
    if second.particle and at + 2 < len(pieces):
        second = pieces[at + 2]
    rest = unclaimed(pieces[at : at + 5])
    if len(rest) < 2 or second not in rest:
        return _index_entry_size(pieces[at : at + 6])
    if first.bits & INITIALS:
        dotted = first.end - first.start > 1 and len(first.folded) <= 5
        return len(rest) if dotted and _may_be_surname(second, strict=True) else 0
    if first.sure and _may_be_surname(second, strict=False):
        return len(rest)
    if first.bits & GIVEN and not first.bits & CLINICAL and _may_be_surname(second, strict=True):
        return len(rest)
    if second.sure and _may_be_surname(first, strict=not (second.bits ^ first.bits) & UPPER):
        return _extend_over_given_names(rest, rest.index(second) + 1)
    if is_shortened(pieces[at : at + 2]):
        return 2
    return _index_entry_size(pieces[at : at + 6])


def is_shortened(pieces: Sequence[NameWord]) -> bool:
    """Return whether words are a given name and the initial of a family name: `Robert L.`."""
    if len(pieces) != 2 or not pieces[0].sure or pieces[0].bits & (INITIALS | BARRED):
        return False
    initial = pieces[1]
    return bool(initial.bits & INITIALS) and initial.end - initial.start == len("L.")


def _extend_over_given_names(pieces: list[NameWord], size: int) -> int:
    while size < len(pieces) and pieces[size].sure:
        size += 1
    return size


def _index_entry_size(pieces: Sequence[NameWord]) -> int:
    """Count the pieces of `DE LA TORRE RUIZ Ana`: capitals, then given names; 0 for none."""
    first = next((at for at, piece in enumerate(pieces) if not piece.bits & UPPER), 0)
    if (
        not first
        or not pieces[first].sure
        or any(piece.bits & CLINICAL for piece in pieces[:first])
    ):
        return 0
    names = [piece for piece in pieces[:first] if not piece.particle]
    known = [piece for piece in names if piece.bits & FAMILY or not piece.bits & COMMON]
    return (
        _extend_over_given_names(list(pieces), first + 1)
        if known and not names[0].bits & BARRED
        else 0
    )


def unclaimed(pieces: Sequence[NameWord]) -> list[NameWord]:
    """Keep the leading pieces that no list of words, species or eponyms claims."""
    kept: list[NameWord] = []
    for piece in pieces:
        of = piece.bits
        everyday = of & COMMON and not (kept and of & FAMILY) and not of & GIVEN
        free = piece.particle or piece.bits & INITIALS
        site = not kept and piece.folded in NO_PERSON
        if not free and (of & BARRED or everyday or site):
            break
        kept.append(piece)
    while kept and kept[-1].particle:
        kept.pop()
    return kept


def _may_be_surname(piece: NameWord, *, strict: bool) -> bool:
    if piece.bits & INITIALS or len(piece.folded) < 2 or piece.bits & COMMON:
        return False
    if piece.bits & FAMILY:
        return True
    if strict:
        return piece.bits & UPPER != 0 and len(piece.folded) > 3
    return not piece.bits & WRITTEN or len(piece.folded) > 3

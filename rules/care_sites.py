"""Detection of hospitals, clinics, surgeries and wards that bear a name."""

import regex

from rules.lexicon import lexicon
from rules.name_parts import clinical, common
from rules.proper import Triggers, read_name
from rules.scan import Pattern

_WARDS = "salle pavillon unite secteur batiment aile unidad planta pabellon sala ward unit"
_AFTER_NAME = (
    "hospital|medical center|medical centre|clinic|infirmary|health center|health centre|healthcare"
    "|hospice|nursing home|cancer center|cancer institute|rehabilitation center|surgery center"
    "|ward|unit|pavilion"
    "|medical group|health system|family practice|health clinic"
)


_KINDS = [
    "hopital", "hopitaux", "hop.", "hop", "clinique", "polyclinique", "chu", "chr", "chru",
    "chi", "chg", "chs", "ghu",
    "ghi", "gh", "ch", "hia", "ehpad", "centre hospitalier", "groupe hospitalier",
    "centre de sante",
    "centre medical", "centre de reeducation", "centre de readaptation", "centre de dialyse",
    "centre de radiologie", "maison de sante", "maison de retraite", "cabinet medical",
    "institut", "fondation",
    "maternite", "hospital", "clinica", "policlinica", "ambulatorio", "consultorio", "sanatorio",
    "centro de salud", "centro medico", "centro hospitalario", "complejo hospitalario",
    "complexo hospitalario",
    "complejo asistencial", "fundacion", "instituto", "fundacio", "hospitales",
]  # fmt: skip
_FRENCH = Triggers(_KINDS)
_WARD = Triggers(_WARDS.split())
_ENGLISH = Triggers(_AFTER_NAME.split("|"))
# Kinds in capitals that are something else in small letters or as abbreviations of drugs and doses.
_ACRONYMS = frozenset(
    ["hop", "chu", "chr", "chru", "chi", "chg", "chs", "ghu", "ghi", "gh", "ch", "hia"]
)
_ADJECTIVES = regex.compile(
    r"(?: (?:hospitalo-)?(?:universitaires?|universitario|universitari|universitaria|general[e]?"
    r"|generaux|regional[e]?|intercommunal"
    r"|specialise|departemental|prive[e]?|psychiatrique|clinico|comarcal|provincial|infantil"
    r"|militaire|militar|central|publico|privado"
    r"|nacional|national[e]?|oncologico|materno[- ]infantil|de dia|civil|mutualiste|locale?"
    r"|pediatrique|medicale?|chirurgicale?"
    r"|europeen|americain|materno|quirurgico|veterinario|metropolitano))+"
)
# `clinique` and `clinica` are adjectives too, unless an article or nothing stands before.
_NOUN_BEFORE = regex.compile(
    r"(?r)(?:^|[\n.,;:(\-–|\t][ ]{0,3}|(?<![a-z])(?:la|de|a|une?|el|en|notre|cette|dans|par|vers"
    r"|sa|l'|en la|the|at|in)[ ])$"
)
_STOPS = frozenset(
    "service services servicio unité unidad département departamento sección section pavillon"
    " dr dr. pr pr. m. mme tel tel. tél tél."
    " calle avenida avda avda. paseo plaza c/ carretera ctra. av. rue avenue boulevard place"
    " consultation tfno. servei fax email"
    " e-mail correo cp".split()
)
_BEFORE_ENGLISH = regex.compile(
    r"(?r)(?<![\p{L}\d])(?:(?:St\.|Mt\.|\p{Lu}[\p{L}'’.\-]+)(?:[ ](?:of|de|the|and|for"
    r"|&))?[ ]){1,5}$"
)
# `Osler 7 West`, `Barton 4B`: a name and a number where a patient lies or goes to.
_NUMBERED = Pattern(
    r"\b(?:(?:ad\w{2,3}t(?:ted)?|transfer(?:red)?|moved|discharged?)\s(?:to|from|on)\s"
    r"|(?:unit|ward|floor) ?: {0,2}|nursing (?:handoff|notes?|report|summary|record) ?[\-–:] "
    r"|(?:dr|prof)\.? (?:[a-z][a-z.'’\-]{0,20} ){0,2}[a-z][a-z.'’\-]{0,20}, )"
    r"(([a-z]{3,20}) [0-9]{1,2}(?: ?[a-h](?![a-z])| (?:north|south|east|west))?)(?![\w/.:%])"
)
_OF = regex.compile(r" (?:of|for|at) (?=\p{Lu})")
_LEADING = frozenset(
    [
        "the",
        "at",
        "from",
        "in",
        "to",
        "emergency",
        "dr.",
        "patient",
        "our",
        "local",
        "outside",
        "transfer",
        "admitted",
    ]
)
_GENERIC = frozenset(
    "general memorial university community regional county city children's childrens women's"
    " medical health hospital clinic"
    " center veterans affairs va state national central public district rehabilitation"
    " psychiatric teaching university's".split()
)


def care_sites(text: str, folded: str, lang: str) -> list[tuple[int, int]]:
    """Find the names of care sites, kind of site included; code points, half open."""
    found = [
        span
        for start, end, kind in _FRENCH.find(folded)
        if (span := _after_kind(text, folded, (start, end), kind))
        and not (lang == "en" and kind == "hospital" and _is_heading(text, span))
    ]
    found += [
        span for start, end, _ in _WARD.find(folded) if (span := _ward(text, folded, (start, end)))
    ]
    found += [
        span
        for start, end, _ in (_ENGLISH.find(folded) if lang in ("en", "") else ())
        if (span := _before_kind(text, (start, end)))
    ]
    return found + (_numbered(text, folded) if lang in ("en", "") else [])


def _numbered(text: str, folded: str) -> list[tuple[int, int]]:
    """Find wards named by a word and a number, and again wherever the same name stands."""
    names = {
        text[match.start(1) : match.end(1)]
        for match in _NUMBERED.finditer(folded)
        if text[match.start(1)].isupper() and not common(match[2])
    }
    return [
        found.span()
        for name in sorted(names)
        for found in regex.finditer(rf"(?<!\w){regex.escape(name)}(?!\w)", text)
    ]


_HEADING = regex.compile(r"[ \t*=:#_\-]*(?:\n|$)")
_LINE = regex.compile(r"(?r)(?:^|\n)[ \t*=#_\-]*$")


def _is_heading(text: str, span: tuple[int, int]) -> bool:
    """Tell whether a stretch in capitals has a line of its own, as `HOSPITAL COURSE` has."""
    start, end = span
    if not text[start:end].isupper() or not _HEADING.match(text, end):
        return False
    return _LINE.search(text, max(0, start - 12), start) is not None


def _after_kind(
    text: str, folded: str, place: tuple[int, int], kind: str
) -> tuple[int, int] | None:
    start, end = place
    if kind in _ACRONYMS and not text[start:end].isupper():
        return None
    if kind in ("clinique", "clinica") and (
        not _NOUN_BEFORE.search(folded, max(0, start - 24), start)
        or folded[:start].endswith(("chef de ", "chefs de "))
    ):
        return None
    adjectives = _ADJECTIVES.match(folded, end)
    at = adjectives.end() if adjectives else end
    if text[at : at + 1] != " ":
        named = bool(adjectives) and text[start].isupper() and not text[start:at].isupper()
        return (start, at) if named and kind == "hospital" and text[end + 1].isupper() else None
    name_end = read_name(text, at + 1, stops=_STOPS)
    if name_end == at + 1 or _is_prose(folded[at + 1 : name_end]):
        return None
    return start, name_end


_SERVICES = frozenset(
    "service services servicio unite unidad departement departamento section seccion dr pr"
    " consultation tel fax".split()
)


def _is_prose(name: str) -> bool:
    small = {"de", "du", "des", "la", "le", "les", "del", "los", "las", "el", "of", "a", "en", "y"}
    words = [word.strip("\"«»“”'") for word in name.split()]
    words = [word for word in words if word not in small]
    if not words:
        return True
    first = words[0].removeprefix("l'").removeprefix("d'")
    if (len(words) == 1 and len(first) < 3) or first in _SERVICES:
        return True
    return first in lexicon("function_words") or (
        clinical(first) and first not in _GENERIC and first not in ("sud", "nord", "est", "ouest")
        and first not in lexicon("cities") and len(words) == 1
    )  # fmt: skip


def _ward(text: str, folded: str, place: tuple[int, int]) -> tuple[int, int] | None:
    start, end = place
    if text[end : end + 1] != " ":
        return None
    name_end = read_name(text, end + 1, stops=_STOPS)
    words = folded[end + 1 : name_end].split()
    if not words or len(words) > 3 or text[end + 1 : name_end].isupper():
        return None
    if len(words[0]) < 4 or any(common(word) for word in words) or not words[0].isalpha():
        return None
    return start, name_end


def _before_kind(text: str, place: tuple[int, int]) -> tuple[int, int] | None:
    start, end = place
    if not text[start].isupper():
        return None
    of = _OF.match(text, end)
    before = _BEFORE_ENGLISH.search(text, max(0, start - 60), start)
    if before is None:
        after = read_name(text, of.end(), stops=_STOPS) if of else end
        return (start, after) if of and after > of.end() else None
    first = before.start()
    words = text[first:start].split(" ")
    while words and words[0].casefold() in _LEADING:
        first += len(words.pop(0)) + 1
    telling = [word for word in words if word and word.casefold() not in _GENERIC]
    if not any(not common(word.casefold().strip(".,'")) for word in telling):
        return None
    return first, end

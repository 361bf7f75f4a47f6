"""Detection of hospitals and clinics whose kind stands behind their name, or ends it."""

import re
from collections.abc import Iterator

from rules.matching.lexicon import lexicon, word_rank
from rules.matching.scanner import Pattern
from rules.names.words import is_clinical, is_common
from rules.places.address_parts import read_name
from rules.places.gazetteer import is_town

Place = tuple[int, int]

_KIND = Pattern(
    r"\b(?:hopital|hopitaux|hop\.|(?:poly)?clinique|ehpad|ssr"
    r"|centre (?:hospitalier|medical|de (?:sante|reeducation|dialyse))"
    r"|groupe hospitalier|maison de (?:sante|retraite)|institut|fondation"
    r"|maternite|hospital(?:es)?|(?:poli)?clinica|consultorio|sanatorio"
    r"|centro (?:de salud|medico|hospitalario)|comple[jx]o (?:hospitalario|asistencial)"
    r"|fundacion?|instituto|residencia|c\.s\."
    r"|(?:universitats|kreis|stadtisches )?klinikum|(?:kreis|bezirks)?krankenhaus"
    r"|(?:uni|fach|reha-?|rehabilitations)?klinik|(?:herz|rheuma)zentrum"
    r"|medizinische hochschule|(?:kantons|universitats)spital|pflegeheim|seniorenheim|altenheim"
    r"|seniorenresidenz|seniorenzentrum|pflegezentrum|altersheim|hospiz|sozialstation|hospice"
    r"|(?:streek|academisch )?ziekenhuis|verpleeghuis|verzorgingshuis|(?:woon)?zorgcentrum"
    r"|huisartsenpraktijk|gasthuis|revalidatiecentrum|(?:universitair )?medisch centrum"
    r"|oncologisch centrum|kliniek)(?=[ ])"
)
# In capitals alone: in small letters they are abbreviations of drugs and doses.
_ACRONYM = Pattern(
    r"\b(?<!/)(?:HOP|CHRU?|CH[UIGS]?|GH[UI]?|HIA|UMC|UZ|AZ|ZNA|MVZ)"
    r" (?=(?:[dl][a-z]{1,2} ){0,2}(?:[dl]')?[\"«“]?[A-Z])",
    cased=True,
)
# `centre Léon Bérard`: the word needs a person's name behind it.
_CENTRE = Pattern(r"\b[Cc]entre [A-Z][a-z]{2,12} [A-Z][a-z]{2,14}\b", cased=True)
_WARD = Pattern(
    r"\b(?:[Ss]alle|[Pp]avillon|[Uu]nite|[Ss]ecteur|[Bb]atiment|[Aa]ile|[Uu]nidad"
    r"|[Pp]lanta|[Pp]abellon|[Ss]ala|[Ww]ard|[Uu]nit|Station|[Aa]fdeling|[Zz]aal) [A-Z][a-z]",
    cased=True,
)
_ADJECTIVES = re.compile(
    r"(?: (?:hospitalo-)?(?:universitaires?|universitari[oa]?|generale?|regionale?"
    r"|intercommunal|specialise|departemental|privee?|psychiatrique|clinico|comarcal|provincial"
    r"|infantil|militaire|militar|central|publico|privado|nacional|nationale?|oncologico"
    r"|materno[- ]infantil|de dia|civil|mutualiste|locale?|pediatrique|medicale?|chirurgicale?"
    r"|europeen|americain|materno|quirurgico|veterinario|metropolitano|d'instruction des armees"
    r"|sud|nord))+(?![a-z])"
)
# `clinique` and `clinica` are adjectives too, unless an article or nothing stands before.
_NOUN_BEFORE = re.compile(
    r"(?:^|[\n.,;:(\-|][ ]{0,3}|(?<![a-z])(?:la|del?|al?|un[ea]|el|en|notre|cette|dans|par|vers"
    r"|sa|the|at|in)[ ]|l')\Z"
)
_ADJECTIVES_TOO = ("clinique", "clinica", "residencia", "instituto", "klinik", "kliniek")
_DUTCH = ("huis", "centrum", "praktijk")
_HEAD_OF = ("chef de ", "chefs de ", "historia ", "chef ")
_STOPS = frozenset(
    "service services servicio unite unidad departement departamento section seccion pavillon"
    " dr dr. pr pr. m. mme tel tel. calle avenida avda avda. paseo plaza c/ carretera ctra. av."
    " rue avenue boulevard place consultation tfno. po p.o av ctra cra carrer avinguda raval"
    " servei fax email e-mail correo cp abteilung"
    " afdeling".split()
)
_SERVICES = frozenset(
    "service services servicio unite unidad departement departamento section seccion dr pr"
    " consultation tel fax abteilung innere intensiv".split()
)
_SMALL = frozenset(
    "de du des la le les del los las el of a en y der die den fur van voor het".split()
)
# Adjectives of kinds of care.
_NO_NAMES = frozenset(
    "dental dentaire veterinaire veterinaria compatible previa coronaire coronaria protege protegee"
    " ferme fermee ouvert ouverte mobile blanche blanca renal".split()
)
_GENERIC = frozenset(
    "general memorial university community regional county city children's childrens women's"
    " medical health hospital clinic center veterans affairs va state national central public"
    " district rehabilitation psychiatric teaching university's sud nord est ouest".split()
)
# German nouns have capitals.
_NOUN_ENDS = ("ung", "heit", "keit", "schaft", "medizin", "chirurgie", "logie", "logia", "logy")
_HEADING = re.compile(r"[ *=:#_\-]*(?:\n|\Z)")
_LINE = re.compile(r"(?:^|\n)[ *=#_\-]*\Z")
_TAIL = re.compile(r" (?:rechts der Isar)")
_SICK_CHILDREN = re.compile(r"(?<=Enfants) [mM]alades")
_NUMBER_NAME = re.compile(r" [0-9]{1,2} de [A-Z][a-z]+")


def care_sites(cased: str, folded: str, lang: str) -> list[Place]:
    """Find the names of care sites, kind of site included; code points, half open.

    `cased` is the text without accents, `folded` without case too.
    """
    # Whether the words behind `hospital` are no name: the English name stands before
    found = [
        span
        for match in _KIND.finditer(folded)
        if (span := _site_after_kind(cased, folded, match.span()))
        and not (
            lang == "en"
            and match.group() == "hospital"
            and (_is_heading(cased, span) or is_common(folded[span[0] : span[1]].split()[1]))
        )
    ]
    found += _sites_by_acronym(cased, folded)
    found += [
        match.span()
        for match in _CENTRE.finditer(cased)
        if not any(is_common(word) for word in folded[match.start() + 7 : match.end()].split())
    ]
    return found + [
        span for match in _WARD.finditer(cased) if (span := _read_ward(cased, folded, match))
    ]


def _sites_by_acronym(cased: str, folded: str) -> Iterator[Place]:
    for match in _ACRONYM.finditer(cased):
        end = read_name(cased, match.end(), stops=_STOPS)
        if end > match.end() and not _is_prose(folded[match.end() : end]):
            yield match.start(), end


def _is_heading(cased: str, span: Place) -> bool:
    """Return whether a stretch in capitals has a line of its own, as `HOSPITAL COURSE` has."""
    start, end = span
    if not cased[start:end].isupper() or not _HEADING.match(cased, end):
        return False
    return _LINE.search(cased[max(0, start - 12) : start]) is not None


def _site_after_kind(cased: str, folded: str, place: Place) -> Place | None:
    start, end = place
    kind = folded[start:end]
    if kind in ("clinique", "clinica", "residencia", "instituto", "klinik", "kliniek"):
        noun = _NOUN_BEFORE.search(folded[max(0, start - 24) : start])
        if noun is None or folded.endswith(_HEAD_OF, 0, start):
            return None
    adjectives = _ADJECTIVES.match(folded, end)
    at = adjectives.end() if adjectives else end
    tail = _TAIL.match(cased, at) or (_NUMBER_NAME.match(cased, at) if kind == "hospital" else None)
    if tail:
        return start, tail.end()
    if cased[at : at + 1] != " ":
        named = bool(adjectives) and cased[start].isupper() and not cased[start:at].isupper()
        return (start, at) if named and kind == "hospital" and cased[end + 1].isupper() else None
    name_end = read_name(cased, at + 1, stops=_STOPS)
    if name_end == at + 1 or folded.startswith(("a ", "en "), at + 1):
        return None
    malades = _SICK_CHILDREN.match(cased, name_end)
    name_end = malades.end() if malades else name_end
    name = folded[at + 1 : name_end]
    if kind.endswith(_DUTCH) and 0 < word_rank(name, "nl") < 4:
        return None
    if _is_prose(name) or (kind in _ADJECTIVES_TOO and at == end and _is_common_word(name)):
        return None
    return start, name_end


def _is_common_word(name: str) -> bool:
    words = [word for word in name.split() if word not in _SMALL]
    return len(words) == 1 and is_common(words[0])


def _is_prose(name: str) -> bool:
    words = [word.strip("\"«»“”'") for word in name.split()]
    words = [word for word in words if word not in _SMALL]
    if not words or (len(words) == 1 and words[0].endswith(_NOUN_ENDS)):
        return True
    first = words[0].removeprefix("l'").removeprefix("d'")
    if (len(words) == 1 and len(first) < 3) or first in _SERVICES | _NO_NAMES:
        return True
    if len(words) == 1 and (first in lexicon("function_words")):
        return True
    return len(words) == 1 and is_clinical(first) and first not in _GENERIC and not is_town(first)


def _read_ward(cased: str, folded: str, match: re.Match[str]) -> Place | None:
    at = match.end() - 2
    end = read_name(cased, at, stops=_STOPS)
    words = folded[at:end].split()
    if match.group()[0] in "Zz" and 0 < word_rank(folded[at:end], "nl") < 4:
        return None
    if not words or len(words) > 3:
        return None
    if (
        len(words[0]) < 4
        or words[0] in _NO_NAMES
        or any(is_common(word) for word in words)
        or not words[0].isalpha()
    ):
        return None
    return match.start(), end


_ENGLISH = Pattern(
    r"\b(?:H(?:ospital|OSPITAL)|(?:Medical|MEDICAL|Health|Cancer|Rehabilitation|Surgery)"
    r" (?:Cent(?:er|re)|CENTER|System|Group|Institute)|C(?:linic|LINIC)|Infirmary|Hospice"
    r"|Nursing Home|Ward|Unit|Pavilion|Family Practice|Assisted Living|Surgery)\b",
    cased=True,
)
_CONTINENTAL = Pattern(
    r"(?:-(?:Krankenhaus|Klinikum|Klinik|Stift|Spital)|[a-z](?:hospital|krankenhaus))"
    r"(?![a-z])",
    cased=True,
)
_NAMED_DUTCH = Pattern(
    r"(?<=[a-z] )(?:[Zz]iekenhuis|Gasthuis|[Mm]edisch [Cc]entrum)(?![A-Za-z])", cased=True
)
_CHAIN = Pattern(
    r"\b(?:Asklepios|Helios|Sana|Vivantes|Median|Ameos|Paracelsus) Klini(?:k|kum) "
    r"(?=[A-Z])",
    cased=True,
)
# `Osler 7 West`, `Barton 4B`: a name and a number where a patient lies or goes to.
_NUMBERED = Pattern(
    r"\b(?:(?:admit(?:ted)?|transfer(?:red)?|moved|discharged?)\s(?:to|from|on)\s"
    r"|(?:unit|ward|floor) ?: {0,2}|nursing [a-z]{4,8} ?[\-:] "
    r"|(?:dr|prof)\.? (?:[a-z][a-z.'\-]{0,20} ){0,2}[a-z][a-z.'\-]{0,20}, )"
    r"(([a-z]{3,20}) [0-9]{1,2}(?: ?[a-h](?![a-z])| (?:north|south|east|west))?)(?![\w/.:%])"
)
_LONGEST_FIRST = sorted(lexicon("care_sites"), key=lambda name: (-len(name), name))
_KNOWN = Pattern(rf"\b(?:{'|'.join(map(re.escape, _LONGEST_FIRST))})(?![a-z0-9])")
_MOST_NAMES = 20
_OF = re.compile(r" (?:of|for|at) (?=[A-Z])")
_WORD = re.compile(r"(?:[A-Z][^\W\d_]*(?:['.\-][^\W\d_]*){0,4}|&)\Z")
_OTHER_SITES = frozenset(["Hospital", "Clinic", "Infirmary", "Hospice"])
_BETWEEN = frozenset("of de the and for".split())
_LEADING = frozenset(
    "the at from in to emergency dr. patient our local outside transfer admitted".split()
)
_NAMED_GENERIC = frozenset(
    "general memorial university community regional county city children's childrens women's"
    " medical health hospital clinic center veterans affairs va state national central public"
    " district rehabilitation psychiatric teaching university's".split()
)
# Kinds of care that lists of everyday words lack.
_CARE = frozenset(
    "outpatient inpatient burn dialysis stroke trauma urgent specialty mobility memory birth"
    " observation telemetry stepdown nursing assisted".split()
)
_ROADS = frozenset(
    "road street lane park house tree green hill village mill lodge bridge court grove farm church"
    " gate wood cross manor way".split()
)
# Saints and patrons whose names a German hospital runs together with its kind.
_PATRONS = frozenset(
    "marien josef josefs joseph josephs elisabeth elisabethen johannis johannes katharinen vinzenz"
    " franziskus luisen barbara annen theresien insel augusta georg georgs martin martins".split()
)
# `St. Mary's` alone is a hospital in a note, but for plants and diseases.
_SAINTS = Pattern(r"\bSt\.? [A-Z][a-z]{2,12}'s(?= [a-z]|[.,;)\n])", cased=True)
_NO_SITE = re.compile(r" (?:wort|fire|dance|disease|school|church)")
_COMPOUND = re.compile(r"[A-Z][^\s,;:()]+\Z")


def english_sites(cased: str, folded: str) -> list[Place]:
    """Find care sites in the English order: `St. Mary's Hospital`; code points, half open."""
    found = [
        span
        for match in _ENGLISH.finditer(cased)
        if (span := _site_before_kind(cased, match.span()))
    ]
    found += [
        match.span() for match in _SAINTS.finditer(cased) if not _NO_SITE.match(folded, match.end())
    ]
    # Find wards named by a word and a number, and again wherever the same name stands
    names = {
        cased[match.start(1) : match.end(1)]
        for match in _NUMBERED.finditer(folded)
        if cased[match.start(1)].isupper() and not is_common(match[2])
    }
    return found + [
        place for name in sorted(names)[:_MOST_NAMES] for place in _occurrences(cased, name)
    ]


def known_sites(folded: str) -> list[Place]:
    """Find care sites that go by a name without a kind; code points, half open."""
    return [match.span() for match in _KNOWN.finditer(folded)]


def continental_sites(cased: str, folded: str) -> list[Place]:
    """Find German and Dutch care sites named before their kind; code points, half open."""
    found = [
        span
        for match in _CONTINENTAL.finditer(cased)
        if (span := _compound_site(cased, match.end()))
    ]
    for match in _NAMED_DUTCH.finditer(cased):
        start = _name_start(cased, match.start())
        words = folded[start : match.start()].split()
        if start < match.start() and not all(is_common(word) for word in words):
            found.append((start, match.end()))
    return found + [
        (match.start(), read_name(cased, match.end())) for match in _CHAIN.finditer(cased)
    ]


def _compound_site(cased: str, end: int) -> Place | None:
    low = max(0, end - 50)
    word = _COMPOUND.search(cased[low:end])
    if word is None:
        return None
    name = word.group()
    parts = name.split("-")
    if (
        len(parts) < 3
        and not name.startswith("St")
        and name.lower().removesuffix("hospital").removesuffix("krankenhaus") not in _PATRONS
    ):
        return None
    town = read_name(cased, end + 1) if cased[end : end + 1] == " " else end
    return low + word.start(), max(town, end) if town > end + 1 else end


def _occurrences(cased: str, name: str) -> Iterator[Place]:
    at = cased.find(name)
    while at >= 0:
        end = at + len(name)
        if not (cased[at - 1 : at].isalnum() or cased[end : end + 1].isalnum()):
            yield at, end
        at = cased.find(name, end)


def _name_start(cased: str, start: int) -> int:
    """Go back over capitalised words, and the small words between them, to the first."""
    low = max(0, start - 70)
    line = max(cased.rfind("\n", low, start) + 1, low)
    first = at = start
    for word in reversed(cased[line : start - 1].split(" ")[-6:]):
        at -= len(word) + 1
        bare = word.lstrip('("«“')
        if bare in _OTHER_SITES:
            break
        if _WORD.match(bare):
            first = at + len(word) - len(bare)
            if bare != word:
                break
        elif word not in _BETWEEN or first - at > 12:
            break
    return first


def _site_before_kind(cased: str, place: Place) -> Place | None:
    start, end = place
    first = _name_start(cased, start) if cased[start - 1 : start] == " " else start
    words = cased[first:start].split()
    while words and words[0].lower() in _LEADING:
        first = cased.find(" ", first) + 1
        words.pop(0)
    of = _OF.match(cased, end)
    after = read_name(cased, of.end()) if of else end
    if not words:
        named = (
            of is not None and after > of.end() and not is_clinical(cased[of.end() : after].lower())
        )
        return (start, after) if named else None
    distinctive = [
        word for word in words if word.lower() not in _NAMED_GENERIC and word not in _BETWEEN
    ]
    kind = cased[start:end]
    if kind == "Surgery" and (words[-1].lower() not in _ROADS or len(words) < 2):
        return None
    bare = [word.lower().strip(".,'") for word in distinctive]
    if all(word in _CARE or is_common(word) for word in bare):
        return None
    if kind == "Infirmary" and of and after > of.end():
        return first, after
    return first, end

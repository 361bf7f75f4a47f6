"""What announces the name of a person: titles, roles, headings before it; and signatures."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from locales.registry import every
from record.label import Label
from rules.matching.scanner import Pattern, Patterns, longest_first
from rules.names.found_names import Found
from rules.names.words import COMMON, FAMILY, INITIALS, NameWord, bits

TITLES = ("title", "given title")
"""The kinds of cues that are titles."""


class Cue(NamedTuple):
    """What announces a name that begins at an offset: its kind, its folded words, its beginning.

    Offsets are code points.
    """

    at: int
    kind: str
    words: str
    begin: int


def _kinds_by_phrase(**lists: str) -> dict[str, str]:
    return {phrase.strip(): kind for kind, text in lists.items() for phrase in text.split("|")}


HEADINGS = _kinds_by_phrase(
    first="prenom|prenoms|prenom usuel|first name|given name|given names|forename|forenames"
    "|middle name|nombre|nombre de pila|vorname|vornamen|rufname|voornaam|voornamen|roepnaam",
    last="nom|noms|nom de naissance|nom de jeune fille|nom d'usage|nom usuel|nom marital"
    "|nom de famille|nom patronymique|last name|surname|family name|maiden name|apellido"
    "|apellidos|primer apellido|segundo apellido|nachname|familienname|geburtsname|achternaam"
    "|geboortenaam|familienaam|meisjesnaam|nee",
    person="nom et prenom|nom, prenom|nom prenom|noms et prenoms|nom/prenom|nom-prenom|prenom nom"
    "|prenom et nom|identite|nom du patient|nom de la patiente|nom du medecin|name|full name"
    "|patient name|legal name|nombre y apellidos|apellidos y nombre|nombre completo|naam"
    "|patient|patiente|patients|patientes|paciente|patientin|assure|beneficiaire|re"
    "|personne de confiance|personne a prevenir|personnes a prevenir|contact|tuteur|tutrice"
    "|aidant|next of kin|emergency contact|persona de contacto|contacto|contactpersoon|betreuer"
    "|betreuerin|angehorige"
    "|iao|due|triage|triaje|ide|iade|ibode|rn|lpn|nurse|infirmier|infirmiere|infirmiers"
    "|infirmieres|aide-soignant|aide-soignante|cadre|cadre de sante|secretaire|psychologue"
    "|psychotherapeute|kine|kinesitherapeute|dieteticienne|assistante sociale|sage-femme"
    "|pharmacien|pharmacienne|radiologue|enfermero|enfermera|auxiliar|matrona"
    "|interne|internes|externe|externes|referent|referente|medecin|medecins|medecin traitant"
    "|medecin referent|medecin responsable|medecin de famille|medecin demandeur"
    "|medecin prescripteur|medecin senior|senior|praticien|praticien hospitalier|prescripteur"
    "|demandeur|correspondant|correspondants|destinataire|destinataires|expediteur|redacteur"
    "|redactrice|auteur|chirurgien|chirurgiens|anesthesiste|anesthesistes|operateur|operateurs"
    "|aide|aides|aide operatoire|premier aide|deuxieme aide|instrumentiste|instrumentista"
    "|chef de service|chef de clinique|chef de pole|chefs de clinique|coordonnateur"
    "|presents|present|excuses|participants|equipe|staff|copie a|copies a|copie|cc"
    "|a l'attention de|compte rendu de|dossier de"
    "|residente|ayudante|attending|attending physician|referring physician|primary care"
    "|primary care physician|primary care provider|primary physician|ordering physician"
    "|consulting physician|physician|provider|ordering provider|practitioner|clinician|pcp"
    "|surgeon|assistant|first assistant|assistants|assistant surgeon|anesthesiologist"
    "|anesthetist|resident|fellow|consultant|author|transcriptionist|scribe|dear|to|from|attn"
    "|reported by|medico|medica|medico responsable|medico solicitante|facultativo|facultativa"
    "|responsable|responsable clinico|autor|autora|cirujano|cirujana|anestesista|anestesiologo"
    "|tutor|tutora|remitente|profesional|a la atencion de|atencion"
    "|facharzt|facharztin|hausarzt|hausarztin|arzt|arztin|behandelnder arzt|behandelnde arztin"
    "|oberarzt|oberarztin|chefarzt|chefarztin|stationsarzt|stationsarztin|assistenzarzt"
    "|operateurin|assistenz|anasthesist|anasthesistin|pfleger|pflegekraft|bezugspflege"
    "|huisarts|arts|behandelend arts|behandelaar|specialist|verwijzer|assistent|verpleegkundige"
    "|verpleegster|anesthesist|anesthesioloog|supervisor|hoofdbehandelaar|verteiler|an|aan",
    relation="conjoint|conjointe|epoux|epouse|pere|mere|fils|fille|frere|soeur|sœur|neveu|niece"
    "|mari|femme|compagnon|compagne|concubin|concubine|voisin|voisine|ami|amie|marido|esposa"
    "|esposo|hijo|hija|hermano|hermana|madre|padre|mujer|mother|father|husband|wife|spouse|son"
    "|daughter|brother|sister|partner|mutter|vater|sohn|tochter|bruder|schwester|ehefrau"
    "|ehemann|moeder|vader|zoon|dochter|broer|zus|echtgenoot|echtgenote",
    signed="signe|signee|signature|signed|firmado|firma|fdo|gez|unterschrift|handtekening"
    "|ondertekend|signe par|signed by|electronically signed by|firmado por|fdo. por|valide par"
    "|dictated by|dictee|dicte|dictee par|dicte par|dictation|diktat|diktiert"
    "|gedicteerd|saisi par|redige par"
    "|transcribed by|reviewed by|verified by|realise par|vu par|prescrit par|relu par"
    "|remitido por|realizado por|informado por|solicitado por|validado por|elaborado por"
    "|unterschrieben von|ondertekend door|seen by|performed by|authored by|written by"
    "|approved by|interpreted by|cosigned by|co-signed by|adresse par|diktiert von",
    initials="ref|n/ref|v/ref|our ref|diktatzeichen|getypt|typed by|tape par|frappe",
)  # fmt: skip
"""What stands before a colon or an equals sign, and the kind of name it announces."""
_LAST_WORDS = frozenset(phrase.split()[-1] for phrase in HEADINGS)
_SPECIALISTS = (
    "ologue", "ologues", "ologiste", "ologist", "ologo", "ologa", "ologe", "ologin",
    "oloog", "iatre", "iatres", "iatra", "iater", "iatrist", "istes", "iciens", "iciennes",
)  # fmt: skip
_BRACKETED = re.compile(r"[ ]?\([a-z0-9 .]{1,12}\)\Z")
_AFTER_COLON = re.compile(r"[ ]{0,4}\n?[ ]{0,4}(?=[A-Za-z'])")
# Where a heading may end: its last word, a bracket, a specialist.
_ENDS = sorted({
    re.split(r"\W", word)[-1] for word in _LAST_WORDS if not word.endswith(_SPECIALISTS)
})  # fmt: skip
_SEPARATED = r"[.\-]{0,2}[ ]{0,4}[:=]"
_HEADED = Patterns([
    *(Pattern(rf"(?<![a-z0-9])(?:{'|'.join(_ENDS[at::4])}){_SEPARATED}") for at in range(4)),
    Pattern(rf"(?:{'|'.join(_SPECIALISTS)}|\)){_SEPARATED}"),
])  # fmt: skip
_INITIALED = Pattern(r"[:=][ \n]{0,4}[A-Z]\.", cased=True)
_REACH = 48
_MARKS = "-*•.;,([\ufeff"


def headings(cased: str, folded: str) -> Iterator[Cue]:
    """Yield what colons and equals signs announce, if it is a person."""
    marks = {match.end() - 1 for _, match in _HEADED.finditer(folded)}
    marks.update(match.start() for match in _INITIALED.finditer(cased))
    for at in marks:
        cue = _heading_cue(cased, folded, at)
        if cue is not None:
            yield cue


def _heading_cue(cased: str, folded: str, at: int) -> Cue | None:
    end = at
    while end and folded[end - 1] in " .":
        end -= 1
    if folded[end - 1] == ")" and (bracketed := _BRACKETED.search(folded, max(0, end - 14), end)):
        end = bracketed.start()
    low = max(0, end - _REACH)
    start = max(low - 1, folded.rfind(" ", low, end), folded.rfind("\n", low, end)) + 1
    last = folded[start:end].strip(_MARKS)
    known = last in _LAST_WORDS
    if not known and not last.endswith(_SPECIALISTS):
        # After any heading an initial with its dot begins a name, if a name follows it
        near = cased[at + 1 : at + 5].lstrip()
        if near[1:2] != "." or not near[0].isupper():
            return None
        after = _AFTER_COLON.match(cased, at + 1)
        return Cue(after.end(), "initial", last, at) if after else None
    after = _AFTER_COLON.match(cased, at + 1)
    if after is None:
        return None
    return (
        _longest_heading(folded, start, end, after.end())
        if known
        else Cue(after.end(), "person", last, at)
    )


def _longest_heading(folded: str, start: int, end: int, after: int) -> Cue | None:
    """Find the longest heading of the table that ends with a word."""
    line = folded[max(0, end - _REACH) : end].rpartition("\n")[2]
    words = line.rsplit(None, 4)[-4:]
    for first in range(len(words)):
        phrase = " ".join(words[first:]).strip(_MARKS)
        if phrase in HEADINGS:
            return Cue(after, HEADINGS[phrase], phrase, start)
    return None


# Titles that are nothing else, folded.
_SURE_TITLES = every(
    lambda language: (
        language.persons.female_titles
        | language.persons.male_titles
        | language.persons.doctor_titles
        | language.persons.other_titles
    )
) - every(lambda language: language.persons.cased_titles)
_TITLE = Pattern(rf"\b(?P<title>{longest_first(_SURE_TITLES)})(?![a-z'\-])[. \n:]")
# Titles that small letters or another language read otherwise: capitals and dots decide.
_CAREFUL = Pattern(
    r"\b(?P<title>MM?|Me|Ms|Sr|SR|D|Don|DON|Dona|DONA|Dna|DNA|Hr|Hrn|Fr|OA|CA|PD|Rev|Sir|Sor"
    r"|[Ss](?:oe|œ)ur|Sister|[Ss]chwester|[Pp]fleger|[Zz]uster|[Nn]urse|[Mm]aitre|[Hh]eer"
    r"|[Mm]aster|Dipl\.-[A-Z][a-z]+)(?:\.[ ]?\n?|[ ])"
    r"(?:[A-Z](?!\.[ ]?[A-Z]\.)|d[eu']|van|von|te[nr])",
    cased=True,
)
# After these a capital letter is a sex or a unit.
_LONGEST_ABBREVIATION = 4
_FIELD = frozenset([": ", "| ", ":", "/"])
_GIVEN_TITLES = frozenset("d don dona dna sor soeur sœur sister schwester pfleger zuster".split())
# Titles, the languages where they are titles (all, where none is given) and whether a dot is due.
_CONDITIONS: dict[str, tuple[str, bool]] = {
    "M": ("fr", False),
    "MM": ("fr", False),
    "Me": ("fr", False),
    "Ms": ("en", False),
    "Sr": ("es", False),
    "SR": ("es", True),
    "D": ("es", True),
    "Don": ("es", False),
    "DON": ("es", False),
    "Dona": ("es", False),
    "DONA": ("es", False),
    "Hr": ("de nl", True),
    "Hrn": ("de", True),
    "Fr": ("de nl", True),
    "OA": ("de", False),
    "CA": ("de", False),
    "PD": ("de", False),
    "Sir": ("en", False),
    "Master": ("en", False),
    "master": ("en", True),
    "Sister": ("en", False),
    "schwester": ("de", False),
}
_SEPARATOR = re.compile(
    r"(?:[ ]?:[ ]?|\.[ ]{0,2}(?::[ ])?|[ ]{1,2})?"
    r"(?:(?:med|phil|rer|nat|dent|habil|ag|univ|h\.c)\.[ ]?){0,4}(?:[ ]?\n[ ]{0,4})?"
)


def titles(cased: str, folded: str, lang: str) -> Iterator[Cue]:
    """Yield the titles and civilities of persons."""
    for match in _TITLE.finditer(folded):
        title = match["title"]
        start, end = match.span("title")
        if title == "frau" and _OWNED.search(folded, max(0, start - 24), start):
            yield Cue(_skip_separator(folded, end), "kin", title, start)
        elif title in _LOWER_TOO or cased[start:end] not in _NOT_IN_CAPITALS or folded[end] == ".":
            yield Cue(_skip_separator(folded, end), "title", title, start)
    for match in _CAREFUL.finditer(cased):
        if _is_title(cased, match, lang):
            word = folded[match.start() : match.end("title")]
            kind = "given title" if word in _GIVEN_TITLES else "title"
            yield Cue(_skip_separator(folded, match.end("title")), kind, word, match.start())


def _is_title(cased: str, match: "re.Match[str]", lang: str) -> bool:
    """Return whether a title is meant: by the language, a dot, and what stands before it."""
    start, end = match.span("title")
    langs, dot_is_due = _CONDITIONS.get(match["title"], ("", False))
    if langs and lang and lang not in langs:
        return False
    if cased[end] == ".":
        return end - start <= _LONGEST_ABBREVIATION or "-" in match["title"]
    in_field = end - start == 1 and cased[max(0, start - 2) : start] in _FIELD
    return not dot_is_due and not in_field


# In capitals without a dot these are other things too: an interval, a density.
_NOT_IN_CAPITALS = frozenset(["PR", "MR", "MW", "SRS", "DRS"])
_LOWER_TOO = frozenset(["docteur"])


def _skip_separator(folded: str, end: int) -> int:
    separator = _SEPARATOR.match(folded, end)
    return separator.end() if separator else end


# Relatives, and those who do something: a name may follow without a colon.
_KIN = Pattern(
    r"\b(?:mere|pere|fille|fils|frere|mari|femme|epou(?:x|se)|compagn(?:on|e)"
    r"|conjointe?|niece|neveu|tante|oncle|cousine?|hij[oa]|hermana?o?|madre|padre|espos[oa]"
    r"|marido|mujer|ti[oa]|niet[oa]|pareja|mother|father|husband|wife|son|daughter|brother|sister"
    r"|partner|spouse|nephew|mutter|vater|sohn|tochter|bruder|ehefrau|ehemann"
    r"|partnerin|enkel(?:in)?|moeder|vader|zoon|dochter|broer|zus|vrouw|man|echtgeno(?:ot|te)"
    r"|kleinkind|neef|nicht|betreuer(?:in)?|vormund|tuteur(?: legal)?|tutrice(?: legale)?"
    r"|curateur|curatrice|guardian|tutora?(?: legal)?|mentor|bewindvoerder|voogd)[, \n]"
)
_ACTOR = Pattern(
    r"\b(?<![\-/])(?P<word>par|by|por|von|door|[Pp]atiente?s?|[Pp]aciente|[Ii]nterne|[Ee]xterne"
    r"|[Mm]edec?in|[Mm]edico|[Ii]nfirmiere?|IDE|IAO|RN|enfant|[Ee]nfermer[oa]|[Rr]esidente?|[Dd]ear"
    r"|[Cc]h[eè]re?|[Nn]ee?|[Bb]orn|[Gg]eb|geborene?|[Cc]hirurgien|[Ff]do|cc|CC|traitant"
    r"|maiden name|DUE|[Ff]amili[ae]|[Ff]amille)(?P<end>[ .\n])[ \n]?(?:[A-Z]|d[eu']|van|von)",
    cased=True,
)
_HANDED = Pattern(
    r"\b(?:releve(?: faite| transmise)? a|transmissions faites a|relevo(?: dado)? a"
    r"|hand(?:ed )?-?off (?:given )?to|report (?:given )?to)[ ]"
)
_OWNED = re.compile(
    r"\b(?:sa|son|ses|leur|su|sus|his|her|their|sein(?:e[mnrs]?)?|ihr(?:e[mnrs]?)?|zijn|haar|hun)"
    r"[ \n](?:[a-z]{3,10}[ \n])?\Z"
)


def mentions(cased: str, folded: str) -> Iterator[Cue]:
    """Yield relatives and roles that a capital follows."""
    for match in _KIN.finditer(folded):
        at = _next_name_start(cased, match.end() - 1)
        if at and _OWNED.search(folded, max(0, match.start() - 24), match.start()):
            yield Cue(at, "kin", match.group(), match.start())
        elif at:
            yield Cue(at, "relative", match.group().strip(" .,\n"), match.start())
    for match in _HANDED.finditer(folded):
        yield Cue(match.end(), "person", "handed", match.start())
    for match in _ACTOR.finditer(cased):
        at = _next_name_start(cased, match.start("end"))
        word = folded[match.start() : match.end("word")]
        of = word not in _BORN and word not in _BY and cased[at] == "d"
        if at and not of and (match["end"] != "." or word in _ABBREVIATED):
            start = match.start()
            if word in _BORN:
                kind = "born"
            elif word not in _BY:
                kind = "weak"
            else:
                before = folded[max(0, start - 20) : start].split()
                kind = "by" if before and before[-1].startswith(_DONE) else "agent"
            yield Cue(at, kind, word, match.start())


_BY = frozenset(["par", "by", "por", "von", "door"])
# Beginnings of the participles of signing, dictating, seeing, sending, operating.
_DONE = tuple(
    (
        "sign valid redig dict saisi vu prescri realis realiz effectu envoy suivi imprim interpret"
        " adress"
        " pratiqu relu transmi analys assist ecrit review verif author transcrib perform seen"
        " written approv referr firmad remiti enviad solicit elabor inform redact escrit diktiert"
        " unterschrieben gesehen gezeichnet erstellt geschrieben ondertekend gedicteerd geschreven"
        " gezien opgesteld"
    ).split()
)
_BORN = frozenset(["ne", "nee", "geb", "geboren", "geborene", "born", "maiden name"])
_ABBREVIATED = frozenset(["geb", "fdo", "nee", "ne"])
_NEXT = re.compile(r"(?:[.,]?[ ]{1,2}|,?[ ]?\n[ ]{0,4})(?=[A-Z]|d'[A-Z]|(?:del?|du|van|von)[ ])")


def _next_name_start(cased: str, at: int) -> int:
    """Find the capitalised word or the particle that follows a word; 0 for none."""
    found = _NEXT.match(cased, at)
    return found.end() if found else 0


def find_cues(cased: str, folded: str, lang: str) -> list[Cue]:
    """Return all that announces a person, in the order of the places where a name may begin.

    `M.` and `D.` after another title, a nurse's role, a woman or a child are initials.
    """
    cues = [*headings(cased, folded), *mentions(cased, folded)]
    nursing = {cue.at for cue in cues if cue.words in NURSES and folded[cue.at - 1] != "\n"}
    entitled: list[Cue] = []
    after = -1
    for title in sorted(titles(cased, folded, lang), key=lambda cue: cue.begin):
        begin = title.begin
        initial = title.words in _INITIAL_TITLES and (
            begin == after or begin in nursing or is_hers(folded, begin)
        )
        if not initial:
            entitled.append(title)
            after = title.at
    begins = {title.begin for title in entitled}
    return sorted(cue for cue in (*entitled, *cues) if cue.at not in begins)


_INITIAL_TITLES = frozenset(["m", "d"])
NURSES = frozenset("ide iao iade ibode rn lpn infirmier infirmiere interne due nurse".split())


# No man: `M.` and `D.` after these are initials, not titles.
_HERS = frozenset(
    (
        "mere fille soeur sœur epouse femme tante niece hermana madre hija esposa tia nina nino"
        " enfant"
    ).split()
)


def is_hers(folded: str, start: int) -> bool:
    """Return whether a woman or a child is meant before an offset."""
    before = folded[max(0, start - 10) : start]
    words = before.replace("'", " ").split()
    return before[-1:] in (" ", "\n") and bool(words) and words[-1] in _HERS


_SIGNS = re.compile(
    r"(?P<one>[A-Z]{2,4})/(?P<two>[a-z]{2,4}|[A-Z]{2,4})(?![\w/])"
    r"|(?P<dotted>[A-Z]\.[ ]?-?(?:[A-Z]\.[ ]?-?){0,2}[A-Z]\.?)(?=[ ]{0,3}(?:\n|\Z|[,;)]))"
)
# `JD/mk` in a line of its own at the end of a letter: who dictated and who typed it.
_LAST_LINE = Pattern(r"\n[A-Z]{2,3}/[a-z]{2,3}\b", cased=True)
_FROM_THE_END = 300
# An initial and a name between a sentence and the next entry.
_ENTRY = Pattern(
    r"[.!?)][ ](?P<initial>[A-Z])\.?[ ](?P<name>[A-Z][a-z]{1,24}(?:['\-][A-Za-z]{1,24})?)[ ]?\n",
    cased=True,
)
_SENTENCE = re.compile(r"[.!?)][ ]\Z")
# A blank line, the end, or a line that begins with a date.
_DATED = r"[ \t]{0,3}(?:[0-9]|[a-z]{3,10}\.?,?[ ][0-9])"
_NEXT_ENTRY = re.compile(rf"[ ]?(?:\Z|\n(?=\n|\Z|{_DATED}))")
_NEXT_DATE = re.compile(rf"[ ]?\n{_DATED}")


def read_initials(cased: str, at: int) -> list[Found]:
    """Read initials that stand for a signature, as `JD/mk` or `J.D.`; code points, half open."""
    match = _SIGNS.match(cased, at)
    if match is None:
        return []
    return [
        (*match.span(which), Label.NAME)
        for which, written in match.groupdict().items()
        if written is not None
    ]


def signatures(cased: str, folded: str) -> Iterator[list[Found]]:
    """Yield the initials in a letter's last lines and the names that sign a log's entries."""
    for match in _LAST_LINE.finditer(cased):
        own_line = cased[match.end() : match.end() + 1] in ("", "\n")
        if own_line and match.start() > len(cased) - _FROM_THE_END:
            yield read_initials(cased, match.start() + 1)
    for match in _ENTRY.finditer(cased):
        end = match.end("name")
        of = bits(folded[match.start("name") : end])
        dated = _NEXT_DATE.match(folded, end) is not None
        if _NEXT_ENTRY.match(folded, end) and (of & FAMILY or (dated and not of & COMMON)):
            yield [
                (*match.span("initial"), Label.FIRST_NAME),
                (*match.span("name"), Label.LAST_NAME),
            ]


def closes_entry(folded: str, pieces: Sequence[NameWord]) -> bool:
    """Return whether names of the lexicons stand between a sentence and the next entry of a log."""
    start, end = pieces[0].start, pieces[-1].end
    if not _SENTENCE.search(folded, max(0, start - 2), start):
        return False
    if not all(piece.named or piece.bits & INITIALS for piece in pieces):
        return False
    return _NEXT_ENTRY.match(folded, end) is not None

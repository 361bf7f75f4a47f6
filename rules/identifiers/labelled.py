"""Numbers that a word before them names: `IPP : 8012345678`, `Fall-Nr. 750123`, `NHC: 204567`."""

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from record.label import Label
from record.span import Span
from rules.matching.scanner import Pattern, Patterns

MARK = (
    r"n\.?[°o]\.?s?|nrn?s?|s?nummers?|numbers?|num|numeros?|nbr|ids?|code|codigo"
    r"|ref(?:erence|erencia)?|kennung|identifi\w{2,17}"
)
MARK_BEFORE = (
    r"n\.?[°o]\.?s?|num(?:ber)?|numeros?|ids?|code|codigo|ref(?:erence|erencia)?"
    r"|identifi\w{2,17}"
)

# These say by themselves what follows.
NAMES: dict[Label, str] = {
    Label.PATIENT_ID: (
        r"i\.?p\.?p|ip|nip|mrns?|m\.r\.n|nhc|h\.?c|nuhsa|uhid|e?mpi|piz"
        r"|medical record|med\.? rec|identifiant unique"
    ),
    Label.VISIT_ID: r"nda|n\.d\.a|iep|csn",
    Label.PROVIDER_ID: (
        r"rpps|adeli|npi|upin|inami|riziv|lanr|bsnr|efn|cias|colegiad[oa]s?|cedula profesional"
        r"|matricula medica|agb"
    ),
    Label.INSURANCE_ID: (
        r"nass|nuss|cipa|cip(?! ?13)(?: autonomico| sns)?|hicn?|mbi|ohip|phn|uzovi|tsi"
        r"|medicare|medicaid|tarjeta sanitaria"
    ),
    Label.SSN: (
        r"n\.?i\.?r|n\.?s\.?s|ssn|securite sociale|secu|assurance maladie|social security"
        r"|soc\.? sec|national insurance|itin|d\.?n\.?i|n\.?i\.?e|n\.?i\.?f|bsn"
        r"|burgerservice|sofi|insz|niss|rrn|rijksregister|registre national|numero national"
        r"|national id|sozialversicherungs|rentenversicherungs|rvnr|steuer-?id(?:nr)?|idnr"
        r"|ahv|ins(?:-nir)?|rut|cedula de (?:identidad|ciudadania)"
        r"|documento (?:nacional )?de identidad|codice fiscale"
    ),
    Label.ACCOUNT: r"iban|rib|ccc",
    Label.DEVICE_ID: r"serial|lot[es]?s?|udi(?:-di)?|imei|batch|chargen|ch\.-b",
    Label.ID: r"passe?ports?|pasaporte|reisepass|paspoort|finess|siret|siren|orcid|cni",
}

# These do so before a colon; elsewhere the number has to be long or to be called one.
TITLES: dict[Label, str] = {
    Label.PATIENT_ID: (
        r"pid|urn|nhs|hsc|h&c|identifiant|expediente|patient file|utente|patientenakte"
        r"|krankenakte"
        r"|(?:n\.?[°o]\.?|numero) ?(?:(?:de |d')?identifica(?:tion|cion)|id)"
    ),
    Label.VISIT_ID: (
        r"encounters?|accessions?|fin|requisition|prevision|episodios?|peticion(?:es)?|sejours?"
        r"|venues?|dossiers? administratif|accessie|e-nr|t-nummer"
    ),
    Label.PROVIDER_ID: r"dea|gmc|licen[sc]e|lic|nmc pin|cnp|big(?:-registratie)?|col",
    Label.INSURANCE_ID: (
        r"adherente?|contrat|policy|member|subscriber|poliza|asegurad[oa]|sip|tis|naf|cite|kv"
        r"|versicherten|polis|seguridad social"
    ),
    Label.SSN: r"assuree?(?: social)?|s\.?s|sv|ni(?!r)",
    Label.ACCOUNT: (
        r"account|acct|comptes?(?: bancaire)?|cuenta(?: bancaria| corriente)?|konto|har"
        r"|(?:bank)?rekening|carte bancaire|kreditkarten?|tarjeta de (?:credito|debito)"
        r"|(?:credit)?card"
    ),
    Label.DEVICE_ID: r"s/?n|serien?|charge",
    Label.ID: (
        r"permis(?: de conduire)?|driver'?s? licen[sc]e|driving licen[sc]e|carte d'identite"
        r"|(?:carte|titre) de sejour|permiso de (?:conducir|residencia)|carnet de conducir"
        r"|id card|identi(?:ty|teits) ?(?:card|kaart|bewijs)|(?:personal)?ausweis|fuhrerschein"
        r"|rijbewijs|matricule|badge|aktenzeichen|id-kaart|subject"
    ),
}

# Words of every day, also headings: a code has to follow, or a number that is called one.
NOUNS: dict[Label, str] = {
    Label.PATIENT_ID: (
        r"pat(?:ient(?:e|in|en)?)?(?:'?s|id)?|pacientes?|dossiers? (?:patient|medical)"
        r"|historia(?: clinica)?"
    ),
    Label.VISIT_ID: (
        r"dossiers?|visit[ea]?s?|passages?|exam(?:en)?s?|demandes?|episodes?|prelevements?"
        r"|hospitalisations?|admissions?|echantillons?|orders?|cases?|stays?|requests?"
        r"|specimens?|samples?|muestras?|estudios?|biops(?:ies?|ias?|y)|ingresos?|opname"
        r"|fall|falle|aufnahme|auftrags?|proben?|befunde?|journal|histologie|bezoeks?"
        r"|onderzoek(?:s|en)?|monster|aanvraag|verrichtings?|casus"
    ),
    Label.INSURANCE_ID: r"mutuelles?|assurance|insurance",
    Label.DEVICE_ID: r"device|implant|dispositif",
}

# Names something only where it is called a number right before or after.
THINGS: dict[Label, str] = {
    Label.PATIENT_ID: (
        r"hosp(?:ital)?|unit|chart|file|record|person|emr|mr(?!n)|ur|pt|permanent|krankenblatt|archiv|ficha"
        r"|ha(?: clinica)?|ident|expte|ziekenhuis|identificatie"
    ),
    Label.VISIT_ID: (
        r"labo?(?:ratoire|or)?|reports?|comptes?[ -]rendus?|cr(?!d)|blocs?|lames?|slides?|bons?"
        r"|commande|consulta(?:tions?)?|intervention|enregistrement|anapath|referral|booking"
        r"|appointment|prescription|ordonnance|proceso|rx|path(?:ology)?|surgical|adm|acc|informes?|cita|registro"
        r"|solicitud|pruebas?|admision|orden|urgencias?|asistencia|accesion|untersuchungs?"
        r"|einsenden?|eingangs?|vorgangs?|besuchs?|aufenthalts?|aufn|histo|behandlungsfall|praparat"
    ),
    Label.PROVIDER_ID: (
        r"provider|prescriber|prescripteur|ordre|arzt|betriebsstatten|zsr"
        r"|colegiacion|coleg"
    ),
    Label.INSURANCE_ID: (
        r"group|beneficia(?:ry|rio)|plan|claim|authorization|health card|insured"
        r"|police|teletransmission|prise en charge|ame|amc|cmu|complementaire sante"
        r"|afiliacion(?: s\.?s)?|mutualista|seguro medico|aseguradora|vers|kranken(?:versicherten"
        r"|versicherungs|kassen?)|versicherungs?|kassen?|mitglieds?|egk|(?:zorg)?verzekering(?:s)?"
        r"|verzekerden?|zorgpas|lid|relatie|klant|insurance card"
    ),
    Label.SSN: r"immatriculation|steuer",
    Label.ACCOUNT: r"routing|tarjeta",
    Label.DEVICE_ID: (
        r"boitier|tige|prothese|generateur|stimulateur|pacemaker|pm|pac|defibrillateur|sonde"
        r"|materiel|cupule|cotyle|insert|plaque|stents?|valve|chambre implantable|generador"
        r"|marcapasos|implante|protesis|vastago|reservorio|dispositivo|valvula|dai|electrodo"
        r"|cotilo|stem|port|generator|prosthesis|hardware|icd|lead|pump|gerate|implantat"
        r"|schrittmacher|implantaat|apparaat"
    ),
    Label.ID: (
        r"inclusion|randomi[sz]ation|screening|participant|employee|study|studien?"
        r"|certificate|certificat|participante|aleatorizacion|certificado|pass|probanden"
        r"|personal|personeels|donation|poche|don"
    ),
}

# Says no more than that something has a number: any other word says better what it is.
ANYTHING: dict[Label, str] = {Label.ID: r"id|identifica(?:tion|cion)|referen(?:ce|cia|tie)|ref"}


_DETECTOR = "rules.identifiers"


class LabelEvidence(IntEnum):
    """How much a word says of the number after it."""

    ANYTHING = 0
    THING = 1
    NOUN = 2
    TITLE = 3
    NAME = 4


# What may stand between the word and its number, over one line break.
_LINK = re.compile(
    r"(?:\([^()\n0-9]{1,30}\)"
    rf"|(?P<mark>n\.?°|n(?= [0-9])|#|(?:{MARK})(?![a-z]))|(?P<colon>[:=])"
    r"|[ .,|()\[\]*_'\"/\-]"
    r"|(?:est|is|es|ist|was|etant|etait|le|la|el|du|de|del|of|the|con|sous|patiente?|paciente"
    r"|unique|permanent|chu|aux|urgences)"
    r"(?![a-z])){0,10}(?P<broken>\n{1,2} {0,8})?"
)
# A maker and a model may stand between a device and its number.
_DEVICE_LINK = re.compile(
    r"[a-z ,\-]{1,40}(?<![a-z])(?P<mark>n[°o]\.?|nr\.?|ref\.?|#)"
    r"(?P<colon> ?[:=])? ?(?P<broken>\n)?"
)
_CALLED_BEFORE = re.compile(
    rf"(?<![a-z])(?:{MARK_BEFORE})[ :.]{{0,3}}"
    r"(?:(?:de |d')?(?:administratif|serie|lot|inscription) )?"
    r"(?:(?:de|du|d'|de la|del|de l'|a l'|of|of the) ?)?\Z"
)

# Digits with letters before and among them, then groups of digits parted by blanks.
_TOKEN = re.compile(
    r"(?:[a-z]{1,6}[\-./]?)?[0-9][0-9a-z]{0,30}"
    r"(?:(?!/(?:mm|l\b))(?:[\-/_][a-z]{0,6}[0-9][0-9a-z]{0,24}|\.[0-9]{1,12}"
    r"|[\-/][a-z]{1,2}(?![0-9a-z]))){0,6}"
)
_GROUP = re.compile(r" {1,2}[0-9]{1,12}(?:-[0-9]{1,4})?")
# A group of digits before this is a count, a date or the number of a house.
_AFTER_NO_GROUP = re.compile(
    r"[0-9a-z°%]|[/.,:\-][0-9]"
    r"| ?(?:%|ans?|anos|years?|y\.?o|mois|months?|jahre|jaar|jours|days|mg|ml|mm|cm|kg|ui|euros"
    r"|rue|avenue|bis)(?![a-z])"
)
_LAST_GROUP = re.compile(r" [0-9]{1,2}(?=\.?(?:\n|\Z))")
_MORE = re.compile(r"(?: ?[,;/&+] {0,2}| (?:et|and|y|und|en) )(?:n[°o]\.? ?)?")

_DATE = (
    r"(?:[0-3]?[0-9]|[12][09][0-9]{2})([/.\-])[0-3]?[0-9]\1(?:[12][09])?[0-9]{2}(?![\-/.]?[0-9])"
    r"|[0-3]?[0-9](?:jan|ene|fe[bv]|mar|mrt|a[bpv]r|ma[iy]|mei|jui?n|jui?l|aou|aug|ago|sep|o[ck]t"
    r"|nov|de[cz]|dic)[a-z]{0,6}(?:[0-9]{2}){1,2}(?![0-9a-z])"
)
_OTHER_THING = re.compile(
    rf"{_DATE}"
    r"|(?:nct|pmc|rs|isrctn|crd)[0-9]|34009"  # studies, papers, variants; French medicines
    r"|(?:ipp?|nip|mrn|nhc|nda|nir|csn|fin)[\-/]?[0-9]"  # another word for a number, joined to it
    r"|(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![.0-9])"  # an address of the internet
)
_DAY_OF = re.compile(r"\b(?:date|fecha|datum|jour|dia)(?: d\w{1,2}| of| van)?(?: la)? (?:l')?\Z")
_CODE = re.compile(
    r"[a-z]{0,3}-?[0-9]{6,14}(?:[\-/][0-9]{1,4})?"
    r"|[a-z]{0,2}(?:[12][09])?[0-9]{2}[\-/.][0-9]{5,6}(?:-[0-9]{1,2})?"
    r"|[0-9]{2}\.[0-9]{3}\.[0-9]{3}(?<!00)"
)
# Of accounts and devices, only long numbers are believed without a sign before them.
_ALWAYS_LONG = (Label.ACCOUNT, Label.DEVICE_ID)
_ZIP = re.compile(r"[a-z]-[0-9]{4,5}")
_SIZE = re.compile(r"[0-9]+x[0-9]+")
_AMOUNT = re.compile(
    r" ?(?:%|mg|ml|g/|mm|cm|kg|euros|€|\$|ui\b|ufc|copies|plaq|/(?:mm|l\b))|[.,][0-9]|[+_]"
)
_PHONE = re.compile(r"0[1-9](?:[ .\-]?[0-9]{2}){4}(?![0-9])")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


class Named(NamedTuple):
    """A number that a word names; `rank` sorts the best reading of a number first."""

    rank: tuple[int, int, int]
    span: Span

    @property
    def sure(self) -> bool:
        """Whether the word says more than that there is a number."""
        return self.rank[0] < -LabelEvidence.ANYTHING


def find(folded: str) -> list[Named]:
    """Return the numbers of folded text that a word before them names.

    Where several words name one number there are several; the best comes first: the word that
    says most, then the earlier one, then the longer one.
    """
    found = [
        named
        for index, match in _WORDS.finditer(folded)
        for named in read_after(folded, match.start(), match.end(1), *_LABEL_OF_PATTERN[index])
    ]
    found.extend(_numbers_under_headings(folded))
    found.sort()
    return found


def read_after(
    folded: str, start: int, end: int, label: Label, proof: LabelEvidence = LabelEvidence.NAME
) -> list[Named]:
    """Read the numbers that a word at `start` to `end` of folded text names."""
    link = _LINK.match(folded, end)
    numbers = _read_numbers(folded, start, link, label, proof) if link else []
    if numbers or label is not Label.DEVICE_ID:
        return numbers
    link = _DEVICE_LINK.match(folded, end)
    return _read_numbers(folded, start, link, label, proof) if link else []


# A word ends, or a word for a number is joined to it, or the number; three digits follow near.
_ENDS = r"(?:\b|num[bm]er|n[ro°]n?(?![a-z])|kennung|identifikation|[a-z]?[0-9])"
_NEAR = r"(?=[^0-9]{0,40}+[0-9](?:[^0-9\n]{0,3}[0-9]){2})"

_TABLES = [
    (words, label, proof)
    for proof, table in (
        (LabelEvidence.NAME, NAMES),
        (LabelEvidence.TITLE, TITLES),
        (LabelEvidence.NOUN, NOUNS),
        (LabelEvidence.THING, THINGS),
        (LabelEvidence.ANYTHING, ANYTHING),
    )
    for label, words in table.items()
]
# In Spanish sign-offs the word is joined to the name before it.
_GLUED = Pattern(rf"(n[°o]\.? ?col)(?![a-z]){_NEAR}")
_WORDS = Patterns(
    (*(Pattern(rf"\b(?<!&)({words}){_ENDS}{_NEAR}") for words, _, _ in _TABLES), _GLUED)
)
_LABEL_OF_PATTERN = [
    *((label, proof) for _, label, proof in _TABLES),
    (Label.PROVIDER_ID, LabelEvidence.NAME),
]


# Two headings, one on each line, then their two numbers.
_PATIENT = r"(?:ipp|nip|mrn|nhc)"
_VISIT = r"(?:nda|iep|csn|fin|episodio|encounter)"
_LINE = r"[ :.]{0,3}\n{1,2}"
_VALUES = r"([a-z]?[0-9]{4,14})\n{1,2}([a-z]?[0-9]{4,14}(?:-[0-9]{1,2})?)(?![^\n .])"
_STACKED = Patterns(
    Pattern(rf"\b{first}{_LINE}{second}{_LINE}{_VALUES}")
    for first, second in ((_PATIENT, _VISIT), (_VISIT, _PATIENT))
)


def _numbers_under_headings(folded: str) -> Iterator[Named]:
    for index, match in _STACKED.finditer(folded):
        labels = (Label.PATIENT_ID, Label.VISIT_ID)
        rank = (-LabelEvidence.NAME - 1, match.start(), 0)
        yield Named(rank, Span(*match.span(1), labels[index], _DETECTOR))
        yield Named(rank, Span(*match.span(2), labels[1 - index], _DETECTOR))


def _read_numbers(
    folded: str, start: int, link: re.Match[str], label: Label, proof: LabelEvidence
) -> list[Named]:
    token = _TOKEN.match(folded, link.end())
    if token is None:
        return []
    at, end = token.start(), _end_with_groups(folded, token)
    written = folded[at:end]
    digits = end - at if written.isdigit() else sum(map(str.isdigit, written))
    if digits < 3:
        return []
    called = bool(link["mark"])
    if not called and proof is not LabelEvidence.NAME:
        called = _CALLED_BEFORE.search(folded, max(0, start - 28), start) is not None
    if proof is LabelEvidence.THING and not called:
        return []
    said = _LabelContext(label, proof, called, called or bool(link["colon"]))
    if digits < _min_digits(said, written) or (
        link["broken"] and digits < 6 and not said.announced
    ):
        return []
    if not _is_believable(folded, at, end, said) or _is_day(folded, start, written):
        return []
    sure = proof if proof in (LabelEvidence.NAME, LabelEvidence.ANYTHING) else LabelEvidence.NOUN
    rank = (-sure, start, start - link.start())
    return [Named(rank, span) for span in _numbers_in_series(folded, at, end, label)]


class _LabelContext(NamedTuple):
    """What the words before a number say of it."""

    label: Label
    proof: LabelEvidence
    called: bool
    announced: bool


def _end_with_groups(folded: str, token: re.Match[str]) -> int:
    """Take in the groups of digits after a short first one."""
    start, end = token.span()
    if not token[0].isdigit():
        return end
    if end - start > 4:
        last = _LAST_GROUP.match(folded, end)
        return last.end() if last else end
    while (group := _GROUP.match(folded, end)) and group.end() - start <= 48:
        if _AFTER_NO_GROUP.match(folded, group.end()):
            break
        end = group.end()
    return end


def _is_believable(folded: str, start: int, end: int, said: _LabelContext) -> bool:
    """Return whether what stands after a word is no date, amount, telephone, range or zip code."""
    if _OTHER_THING.match(folded, start) or _AMOUNT.match(folded, end):
        return False
    sure = said.proof is LabelEvidence.NAME
    if _YEAR.fullmatch(folded, start, end) and not (sure and said.called):
        return False
    if sure:
        return True
    if not (said.called and said.label is not Label.PATIENT_ID) and _PHONE.match(folded, start):
        return False
    written = folded[start:end]
    titled = said.proof is LabelEvidence.TITLE and (said.announced or said.label in _ALWAYS_LONG)
    return said.called or (titled and not _ZIP.fullmatch(written)) or _is_code(written)


def _is_code(written: str) -> bool:
    """Return whether a number is built like those of registers, and like no measure."""
    if _CODE.fullmatch(written):
        return True
    digits = sum(map(str.isdigit, written))
    mixed = written.isalnum() and 7 <= len(written) <= 14 and digits < len(written)
    return mixed and digits >= 6 and not _SIZE.fullmatch(written)


def _is_day(folded: str, start: int, written: str) -> bool:
    """Return whether the word at an offset is part of `Fecha de ingreso` and the like."""
    return not written.isdigit() and bool(_DAY_OF.search(folded, max(0, start - 16), start))


def _min_digits(said: _LabelContext, written: str) -> int:
    """Return the digits that a number must have; letters among them make up for some."""
    if said.label is Label.SSN:
        return 7
    device = said.label is Label.DEVICE_ID
    lettered = not written.isdigit() and any(map(str.isalpha, written))
    if said.called or (said.proof is LabelEvidence.NAME and said.announced):
        return 3 if lettered else 4
    if said.announced:
        return (3 if device else 4) if lettered else 5
    if said.proof is LabelEvidence.NAME:
        return (3 if lettered else 6) if device else 4
    return (4 if device else 5) if lettered else 6 if device else 7


def _numbers_in_series(folded: str, start: int, end: int, label: Label) -> Iterator[Span]:
    """Yield a number and those after it that are built like it."""
    yield Span(start, end, label, _DETECTOR)
    length = end - start
    while more := _MORE.match(folded, end):
        token = _TOKEN.match(folded, more.end())
        if token is None or not _is_alike(folded, token, length):
            return
        start, end = token.span()
        yield Span(start, end, label, _DETECTOR)


def _is_alike(folded: str, token: re.Match[str], length: int) -> bool:
    start, end = token.span()
    digits = sum(map(str.isdigit, token[0]))
    if digits < 4 or abs(end - start - length) > 1 or _AMOUNT.match(folded, end):
        return False
    other = _OTHER_THING.match(folded, start) or _YEAR.fullmatch(token[0])
    return not other and not _PHONE.match(folded, start)

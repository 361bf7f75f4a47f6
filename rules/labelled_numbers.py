"""Numbers that a word before them names: `IPP : 8012345678`, `Visit no. 17qz34512`."""

import re
from collections.abc import Iterator

from record.label import Label
from record.span import Span
from rules.scan import Pattern

_DETECTOR = "rules.identifiers"
_REACH = 64

_NUMBER_MARK = r"(?:n[°o]\.?s?|num(?:ero|\.)?|number|nbr|no\.?|#|id|ids|identifiant|codigo|code)"

# Words that say by themselves what follows.
_STRONG: dict[Label, str] = {
    Label.PATIENT_ID: (
        r"i\.?p\.?p\.?|nip|ip|mrn|nhc|n\.h\.c\.|nuhsa|medical record(?: number| no\.?)?"
        r"|chart number"
        r"|hospital (?:number|no\.?|id)|unit number|num(?:ero|\.)? (?:de )?historia(?: clinica)?"
        r"|n[°o] (?:de )?historia(?: clinica)?|historia clinica n[°o]?"
        r"|identifiant (?:permanent |unique )?(?:du )?patient|patient(?:'s)? (?:id|identifier"
        r"|number)"
        r"|n[°o] ?(?:de |du )?patient|numero (?:de |du )?patient|patient n[°o]|n[°o] ?id|id patient"
        r"|n[°o] d'identification|numero d'identification|identification patient|ins"
        r"|identificador(?: del paciente)?|person number|nhs(?: number| no\.?)?"
    ),
    Label.VISIT_ID: (
        r"nda|n\.d\.a\.|iep|episodio|num(?:ero|\.)? (?:de )?episodio|accession(?: number| no\.?)?"
        r"|encounter(?: id| number| no\.?)?|visit (?:id|number|no\.?)|csn|admission (?:id|number)"
        r"|case (?:id|number|no\.?)|order (?:id|number|no\.?)|(?:n[°o]|numero) (?:de |du |d')?"
        r"(?:la )?(?:sejour|dossier|visite|venue|examen|demande|episode|admission|passage"
        r"|prelevement"
        r"|hospitalisation|commande|bon|accession)|n[°o] (?:de )?(?:peticion|muestra|ingreso)"
    ),
    Label.PROVIDER_ID: (
        r"rpps|adeli|am rpps|npi|dea(?: number| no\.?)?|n[°o]\.? ?col\.?"
        r"|n[°o]\.? ?(?:de )?colegiad[oa]"
        r"|num(?:ero|\.)? ?(?:de )?(?:col\.|colegiad[oa])|colegiad[oa]|n[°o]\.? ?cole?g\.?|cias|cnp"
        r"|(?:medical )?licen[sc]e (?:number|no\.?|#)|n[°o] d'ordre"
    ),
    Label.INSURANCE_ID: (
        r"nass|cipa|cip|tsi|naf|mutuelle|(?:n[°o]|numero) (?:d')?adherent|adherent"
        r"|(?:n[°o]|numero) (?:de )?(?:contrat|mutuelle|police)|policy(?: number| no\.?| id)?"
        r"|member (?:id|number|no\.?)|subscriber (?:id|number)|group (?:number|no\.?)"
        r"|medicare(?: id| number)?"
        r"|medicaid(?: id| number)?|insurance (?:id|number|no\.?)|health plan(?: id| number)?"
        r"|(?:n[°o]|numero) (?:de )?(?:poliza|tarjeta sanitaria|asegurado|afiliacion)|poliza"
        r"|tarjeta sanitaria|(?:n[°o]|numero) (?:de )?(?:la )?seguridad social|beneficiary (?:id"
        r"|number)"
    ),
    Label.SSN: (
        r"n\.?s\.?s\.?|n\.?i\.?r\.?|ssn|secu|(?:n[°o]|numero) (?:de )?s\.?s\.?|securite sociale"
        r"|assurance maladie|social security(?: number| no\.?)?|d\.?n\.?i\.?|n\.?i\.?e\.?"
        r"|n\.?i\.?f\.?"
        r"|(?:n[°o]|numero) d'(?:assuree?|immatriculation)|d'assuree?|assuree?(?:\(e\))?"
    ),
    Label.ACCOUNT: (
        r"iban|rib|bic|swift|compte(?: bancaire)?|account(?: number| no\.?)?|acct\.?|routing number"
        r"|cuenta(?: bancaria)?|(?:credit |debit |bank )?card(?: number| no\.?)?|cc|carte bancaire"
        r"|cb"
        r"|tarjeta de (?:credito|debito)|carte bleue"
    ),
    Label.DEVICE_ID: (
        r"(?:n[°o]|num(?:ero|\.)?) (?:de )?(?:serie|lot|lote)|serial(?: number| no\.?)?|s/n ?[:#]"
        r"|sn ?[:#]|udi(?:-di)?"
        r"|(?:boitier|tige|materiel|prothese|implant|generateur|stimulateur|pacemaker|sonde|cupule"
        r"|cotyle|insert|plaque|dispositif|stent|generador|marcapasos|reservorio|vastago|protesis"
        r"|implante|dispositivo|device|stem|port|generator|prosthesis|hardware)"
        r",? (?:n[°o]\.?|no\.?|number|#|ref\.?|reference|serial)"
        r"|lot(?: number| no\.?)?|lote|batch(?: number| no\.?)?|device (?:id|number)|imei"
        r"|mac address"
        r"|model number"
    ),
    Label.VEHICLE_ID: (
        r"(?:plaque|matricula|license plate|licence plate|number plate|plate|vin|chassis|bastidor)"
        r"(?: d'immatriculation)?(?: number| no\.?)?|immatricule[e]?|vehicule"
    ),
    Label.ID: (
        r"passeport|passport|pasaporte|permis(?: de conduire)?|driver'?s? licen[sc]e"
        r"|carte d'identite|cni"
        r"|carte de sejour|titre de sejour|permiso de conducir|carnet de conducir|identity card"
        r"|id card"
        r"|finess|siret|siren|study (?:id|number)|protocol number|certificate (?:number|no\.?)"
        r"|certificat n[°o]|state id|employee (?:id|number)|matricule|badge"
    ),
}
# Words of every day: the number has to be long or to be called one.
_WEAK: dict[Label, str] = {
    Label.PATIENT_ID: r"patiente?|paciente|dossier patient|historia|patient file|identifiant|file",
    Label.VISIT_ID: (
        r"dossier|visite?|sejour|examen|demande|episode|hospitalisation|venue|passage|admission"
        r"|prelevement|accession|peticion|prevision|order|case|stay|exam|request"
    ),
    Label.INSURANCE_ID: r"contrat|assurance|insurance|aseguradora|seguro",
    Label.ID: r"id|identification|reference|ref\.?",
}
# Between the word and its number.
_FILLER = (
    rf"(?:[ :=.|(,)/'\-]|{_NUMBER_MARK}|etant|est|is|es|was|le|la|el|l'|du|de|del|of|the|for"
    rf"|pour"
    r"|patiente?|paciente|permanent|unique|visite|dossier|sejour|venue){0,12}"
)


def _pattern(words: dict[Label, str]) -> re.Pattern[str]:
    named = "|".join(f"(?P<{label.name}>{alternatives})" for label, alternatives in words.items())
    ends = r"(?=[^a-z]|\Z|n[°o]?[0-9]|[nh]?\Z)"
    return re.compile(rf"(?<![a-z0-9])(?:{named}){ends}{_FILLER}(?:(?<=[: ])\n)?\Z")


# In Spanish sign-offs the word is glued to the name before it.
_COLLEGE = re.compile(r"n[°o]\.? ?col\.?:? {0,3}\Z")
_AFTER_STRONG = _pattern(_STRONG)
_AFTER_WEAK = _pattern(_WEAK)

# Digits with letters and separators among them, and groups of digits parted by blanks after it.
_VALUE = re.compile(
    r"[0-9][0-9a-z]{0,30}(?:[\-/.][0-9a-z]{1,24}){0,5}(?:(?: {1,2}[0-9]{1,12}(?![0-9a-z]))"
    r"(?:-[0-9]{1,4}(?![0-9a-z]))?){0,7}"
)
_FIRST_WORD = re.compile(r"[0-9][0-9a-z]{0,30}(?:[\-/.][0-9a-z]{1,24}){0,5}")
_PREFIX = re.compile(r"(?<![a-z])[a-z]{1,5}[\-]?\Z")
_GLUED = re.compile(r"[0-9][/,.]?\Z")
_CALLED_NUMBER = re.compile(rf"[:#=]|\b{_NUMBER_MARK}(?![a-z])")
_DATE = re.compile(r"[0-9]{1,4}([/.\-])[0-9]{1,2}\1[0-9]{2,4}(?![\-/.]?[0-9])")
_AMOUNT = re.compile(r" ?(?:%|mg|ml|g/|mm|cm|kg|euros|€|\$|ui\b|[.,][0-9])")
_FRENCH_PHONE = re.compile(r"0[1-9][0-9]{8}")
_GOES_ON = re.compile(r"[/.][0-9]|[a-z°%]| (?![eft])[a-z°%]")  # not `e-mail`, `tel`, `fax`
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_TIGHT = re.compile(r"[-/+_]")
_USER = Pattern(
    r"\b(?:login|user ?name|user id|nom d'utilisateur|identifiant de connexion|nombre de usuario"
    r"|usuario)"
    r" ?[:=] ?([\w.\-@]{3,40})"
)
# Who typed or entered a note, by the letters and digits of an account.
_TYPIST = Pattern(
    r"\b(?:(?:trans\w{3,12}|retype|typed|tape|saisi|dactylographie|frappe|enregistre|valide"
    r"|modifie|cree|entered|keyed|logged|created|modified|edited|signed|printed|mecanografi\w{2,4}"
    r"|teclead|registrad|modificad|grabad|firmad|impres|imprime)[aoes]{0,2}[ \n](?:by|par|por)"
    r"|frappe|login|utilisateur|user|session|logged in as|usuario|compte utilisateur)"
    r"(?: ?[:=] {0,2}|[ \n]{1,2})"
    r"((?:(?:[a-z]{1,16}[.\-_]){1,2}[a-z]{1,20}|[a-z]{3,20})[0-9]{1,5})(?![\w@]|[.\-]\w)"
)


def find(folded: str) -> Iterator[Span]:
    """Yield the numbers of folded text that a word before them names."""
    for match in _VALUE.finditer(folded):
        written = match[0]
        if sum(map(str.isdigit, written)) < 4:
            continue
        found = _named(folded, match.start(), match.end())
        if found:
            yield found
    for pattern in (_USER, _TYPIST):
        for match in pattern.finditer(folded):
            yield Span(match.start(1), match.end(1), Label.USERNAME, _DETECTOR)


def _named(folded: str, at: int, end: int) -> Span | None:
    start = _start(folded, at)
    if start is None or _DATE.match(folded, at):
        return None
    window = max(0, start - _REACH)
    strong = _AFTER_STRONG.search(folded, window, start)
    trigger = strong or _AFTER_WEAK.search(folded, window, start)
    if trigger:
        label = Label[str(trigger.lastgroup)]
    elif _COLLEGE.search(folded, window, start):
        return Span(start, _end(folded, at, end, Label.PROVIDER_ID), Label.PROVIDER_ID, _DETECTOR)
    else:
        return None
    end = _end(folded, at, end, label)
    digits = sum(map(str.isdigit, folded[start:end]))
    if digits < 4 or _AMOUNT.match(folded, end):
        return None
    if strong is None and not _believable(folded, trigger.start(), start, end):
        return None
    if label is Label.SSN and digits < 7:
        return None
    if _YEAR.fullmatch(folded, start, end) and not _CALLED_NUMBER.search(
        folded, trigger.start(), start
    ):
        return None
    return Span(start, end, label, _DETECTOR)


def _start(folded: str, at: int) -> int | None:
    """Take in letters glued before the first digit, unless they are the word that names it."""
    prefix = _PREFIX.search(folded, max(0, at - 8), at)
    if prefix is None:
        return None if _GLUED.search(folded, max(0, at - 2), at) else at
    letters = prefix[0].rstrip("-")
    for length in (len(letters), len(letters) - 1):
        if length and _AFTER_STRONG.search(folded, prefix.start(), prefix.start() + length):
            return at if length == len(letters) else prefix.start() + length
    return prefix.start()


def _end(folded: str, at: int, end: int, label: Label) -> int:
    """Leave out groups after a blank that are not part of the number."""
    first = _FIRST_WORD.match(folded, at)
    shortest = first.end() if first else end
    while end > shortest and _other_number(folded, end):
        cut = folded.rfind(" ", shortest, end)
        end = len(folded[:cut].rstrip(" ")) if cut > 0 else shortest
    if label in (Label.VISIT_ID, Label.DEVICE_ID) and not folded[at:end].replace(" ", "").isdigit():
        return shortest
    return end


def _other_number(folded: str, end: int) -> bool:
    """Tell whether the last group opens something else: a date, a street, a quantity."""
    return _GOES_ON.match(folded, end) is not None


def _believable(folded: str, trigger: int, start: int, end: int) -> bool:
    digits = sum(map(str.isdigit, folded[start:end]))
    if digits >= 7 and folded[start:end].isalnum():
        return not _FRENCH_PHONE.fullmatch(folded, start, end)
    called = _CALLED_NUMBER.search(folded, trigger, start)
    return bool(called) and digits >= 5 and not _TIGHT.match(folded, end)

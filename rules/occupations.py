"""Detection of what a person does for a living and of the company it is done for."""

import re

import regex

from record.label import Label
from rules.name_parts import clinical, common, family
from rules.scan import Pattern
from rules.trades import TRADES

Found = tuple[int, int, str]

_WORD = r"[^\W\d_][\w'’\-]{1,24}"
# After a heading whatever stands there is the profession.
_FIELD = Pattern(
    r"\b(?:profession|occupation|metier|profesion|ocupacion|oficio|job title"
    r"|activite professionnelle|current job|puesto de trabajo)(?: actuelle?| anterieure| actual"
    r"| habitual)?\s{0,2}[:=]\s{0,3}"
    rf"({_WORD}(?:[ ]{_WORD}){{0,5}})"
)
# These say that a job follows; it is read as far as a word that leads on to something else.
_SAID = Pattern(
    r"\b(?:travaill(?:e|ait|ant|er|ais)\scomme|exerc(?:e|ait|ant) (?:la profession|le metier) de"
    r"|de profession|work(?:s|ed|ing)\sas(?: an?| the)|employed as(?: an?)?"
    r"|by (?:trade|profession),? an?|trabaj(?:a|o|aba|ando)\scomo|de profesion,?|ejerce como)"
    rf"\s{{1,2}}({_WORD}(?:[ ]{_WORD}){{0,5}})"
)
# These go with habits and illnesses too: a word for a trade has to follow.
_HINTED = Pattern(
    r"\b(?:ancien(?:ne)?|retraitee?,?(?:\sancien(?:ne)?)?|retired|former|ex-"
    r"|jubilad[oa],?\s?\(?(?:antes|ex)?|antigu[oa]|(?:il|elle)\s(?:est|etait)"
    r"|(?:he|she|who)\s(?:is|was)(?: an?)?|(?:es|era|fue)(?: un| una)?|(?:is|was) an?"
    r"|work(?:s|ed|ing)?\sas|trabaj(?:a|o|aba|ando)\sde|occupation of)[\s(]{0,2}"
    rf"({_WORD}(?:\s{_WORD}){{0,3}})"
)
_NO_TRADE = frozenset(
    "non sans none no not inconnue inconnu unknown retraite retraitee retired jubilado jubilada"
    " renseigne renseignee unemployed aucune aucun ninguna desconocida invalidite chomage".split()
)
_LEADS_ON = frozenset(
    "chez a au aux for at with in dans en et and y until jusqu since depuis desde he she il elle"
    " ne pas qui que who which tabac tobacco habite lives vive from to has had con del by on"
    " actuellement currently actualmente now posible possible mais but pero pour para part full"
    " temps hasta formerly antes retired toujours still".split()
)
_JOINS = frozenset("de du des la le d of".split())

_NAME = (
    r"\p{Lu}[\p{L}\d'’\-&]*(?:(?:,[ ]\p{Lu}[\p{L}'’\-]+){1,3}[ ](?:and|et|y|&)[ ]\p{Lu}[\p{L}'’\-]+"
    r"|[ ](?:(?:and|et|y|&|de|du|del|des|de la|of)[ ])?\p{Lu}[\p{L}\d'’\-]+"
    r"|[ ](?:and|et|y|&)[ ](?i:asociados|associes|associés|associates|fils|hijos|hermanos|sons)"
    r"){0,5}"
)
_SUFFIX = (
    r"(?:S\.?A\.?R\.?L\.?|S\.?A\.?S\.?(?:U\.?)?|S\.A\.?|SA|S\.?C\.?I\.?|EURL|SNC|SCOP|Inc\.?|LLC|LLP"
    r"|Ltd\.?|PLC|plc|Corp\.?|GmbH|AG|S\.?L\.?(?:U\.?|L\.?|N\.?E\.?)?|S\.?Coop\.?|S\.?C\.?P\.?"
    r"|S\.Com\.?|S\.?C\.?|C\.B\.?)(?![\p{L}\d])"
)
_COMPANY = regex.compile(rf"{_NAME}(?:,?[ ]{_SUFFIX})?")
# The place of a suffix is found first, then the capitalised words before it.
_ENDING = re.compile(r"(?<=[\w'’,] )" + _SUFFIX.replace(r"\p{L}\d", r"\w"))
_BEFORE_ENDING = regex.compile(
    r"(?r)(?<![\p{L}\d'’\-])\p{Lu}[\p{L}\d'’\-]*(?:[ ](?:(?:and|et|y|&|de|du|del|des|of)[ ])?"
    r"\p{Lu}[\p{L}\d'’\-]*){0,4}"
    r"(?:[ ](?:and|et|y|&)[ ](?i:asociados|associ[eé]s|associates|fils|hijos|hermanos|sons))?,?[ ]$"
)
# Letters that say something else in notes unless they are written with dots or after a name.
_SHORT_ENDINGS = frozenset(["SA", "SC", "SL", "AG", "SAS", "SCI", "SCP", "SLU", "SLL", "SARL"])
_EMPLOYER = Pattern(
    r"\b(?:employeur|employer|empleador|empresa|entreprise|company)\s?:\s{0,2}"
    r"|\b(?:medecins?|medecine|service de sante)\s(?:du|au)\stravail\s(?:de|chez)(?: la| l')?\s?"
    r"|\boccupational\s(?:physician|health|medicine)(?: service| department)?\s(?:of|at|for)\s"
    r"|\b(?:servicio\smedico|medicina\sdel\strabajo|medico\s(?:del?\s)?(?:la\s)?empresa)\sde\s"
    r"|\b(?:form\w{2,4}y|previously)\s(?:with|at|employed by)\s"
    r"|\b(?:employed|employee?|salarie)\s(?:by|de|chez|par|of|at)\s"
    r"|\btrabaja(?:ba|ndo)?\s(?:en|para)\s(?:la empresa )"
    r"|\b(?:travaill(?:e|ait)|works?|worked)\s(?:chez|for)\s"
)
_WHERE = regex.compile(r",?\s(?:chez|for|with|at|en|in|para|a la|de la)\s")
_NO_COMPANY = frozenset("dr pr mme mr mrs ms dra sr sra prof m mlle docteur professeur".split())


def occupations(text: str, folded: str) -> list[Found]:
    """Find professions (PROFESSION) and companies (ORGANIZATION) behind what announces them.

    A company is also found by the legal form behind its name, which its span holds. Offsets are
    code points, half open.
    """
    found = [*_professions(text, folded), *_employers(text, folded), *_by_ending(text, folded)]
    return sorted(set(found))


def _professions(text: str, folded: str) -> list[Found]:
    found: list[Found] = []
    for pattern, certain in ((_FIELD, True), (_SAID, True), (_HINTED, False)):
        for match in pattern.finditer(folded):
            start, end = match.span(1)
            end = _job_end(folded, start, end, certain=certain)
            if end == start:
                continue
            found.append((start, end, Label.PROFESSION))
            where = _WHERE.match(folded, end)
            company = _company(text, folded, where.end()) if where else None
            if company:
                found.append(company)
    return found


_WORDS = regex.compile(_WORD)


def _job_end(folded: str, start: int, end: int, *, certain: bool) -> int:
    """Give where a job ends that begins at `start`, or `start` where there is none."""
    last, known = start, False
    for word in _WORDS.finditer(folded, start, end):
        said = word.group()
        if said in _LEADS_ON or (last == start and said in _NO_TRADE):
            break
        if known and said not in _JOINS and not _joined(folded, last, word.start()):
            break
        known = known or said in TRADES
        last = word.end() if said not in _JOINS else last
    return last if known or certain else start


def _joined(folded: str, last: int, at: int) -> bool:
    """Tell whether `de` or the like ties a word to the one before it."""
    between = folded[last:at].split()
    return any(word in _JOINS for word in between)


def _employers(text: str, folded: str) -> list[Found]:
    return [
        company
        for match in _EMPLOYER.finditer(folded)
        if (company := _company(text, folded, match.end()))
    ]


def _company(text: str, folded: str, at: int) -> Found | None:
    """Read the name of a company that begins at an offset."""
    name = _COMPANY.match(text, at)
    if name is None:
        return None
    first = regex.match(r"[\w'’\-]+", folded, pos=at)
    word = first.group() if first else ""
    if word in _NO_COMPANY or len(word) < 2 or clinical(word):
        return None
    return at, name.end(), Label.ORGANIZATION


def _by_ending(text: str, folded: str) -> list[Found]:
    found: list[Found] = []
    for ending in _ENDING.finditer(text):
        name = _BEFORE_ENDING.search(text, max(0, ending.start() - 60), ending.start())
        if name is None:
            continue
        start = name.start()
        words = folded[start : ending.start()].replace(",", " ").split()
        if ending.group() in _SHORT_ENDINGS and not _named(text[start : ending.start()], words):
            continue
        if all(clinical(word) or len(word) < 2 for word in words):
            continue
        found.append((start, ending.end(), Label.ORGANIZATION))
    return found


def _named(written: str, words: list[str]) -> bool:
    if len(words) == 1 and not family(words[0]):
        return False
    return not written.isupper() and not any(common(word) for word in words)

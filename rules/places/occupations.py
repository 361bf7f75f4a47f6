"""Detection of what a person does for a living and of the company it is done for."""

import re

from record.label import Label
from rules.matching.scanner import (
    Pattern,
    Patterns,
)
from rules.places.companies import (
    companies,
    company_at,
)
from rules.places.occupation_words import TRADES

Found = tuple[int, int, str]

_WORD = r"[^\W\d_][\w'\-]{1,24}"
# After a heading whatever stands there is the profession.
_FIELD = Pattern(
    r"\b(?:profession|occupation|metier|profesion|ocupacion|oficio|job title|beruf|beroep"
    rf"|activite professionnelle|puesto de trabajo)(?: [a-z]{{5,10}})?\s{{0,2}}[:=]"
    rf"\s{{0,3}}({_WORD}(?:[ ]{_WORD}){{0,5}})"
)
# These say that a job follows; it is read as far as a word that leads on to something else.
_SAID = Pattern(
    r"\b(?:travaill[a-z]{1,4}\scomme|exerc[a-z]{1,4} l(?:a profession|e metier) de"
    r"|de profession|(?:work(?:s|ed|ing)|employed)\sas(?: an?)?"
    r"|by (?:trade|profession),? an?|trabaj[a-z]{1,4}\scomo|de profesion,?|ejerce como"
    r"|von beruf|van beroep|arbeitete?\sals|werkte?\sals)"
    rf"\s{{1,2}}({_WORD}(?:[ ]{_WORD}){{0,5}})"
)
# These go with habits and illnesses too: a word for a trade has to follow.
_HINTED = Pattern(
    r"\b(?:ancien(?:ne)?|retraitee?,?(?:\sancien(?:ne)?)?|retired|former|ex-"
    r"|jubilad[oa],?\s?\(?(?:antes|ex)?|antigu[oa]|(?:il|elle)\s(?:est|etait)"
    r"|(?:is|was)\san?|(?:es|era|fue)(?: una?)?"
    r"|trabaj[a-z]{1,4}\sde|gepensioneerd|ehemaliger?"
    rf"|fruher|vroeger)[\s(]{{0,2}}({_WORD}(?:\s{_WORD}){{0,3}})"
)
_ANNOUNCED = Patterns([_FIELD, _SAID, _HINTED])
_CERTAIN = 2
"""How many of them, from the first on, need no word for a trade."""
_NO_TRADE = frozenset(
    "non sans none no not inconnue inconnu unknown retraite retraitee retired jubilado jubilada"
    " renseigne renseignee unemployed aucune aucun ninguna desconocida invalidite chomage consta"
    " keiner keine nicht unbekannt geen onbekend selbststandig selbststandige selbstandig"
    " tolerated tolerantie rentner rentnerin".split()
)
_LEADS_ON = frozenset(
    "chez a au aux for at with in dans en et and y until jusqu since depuis desde he she il elle"
    " ne pas qui que who which tabac tobacco habite lives vive from to has had con del by on"
    " actuellement currently actualmente now posible possible mais but pero pour para part full"
    " temps hasta formerly antes retired toujours still und bei seit bij sinds hij zij er sie"
    " raucht rookt lebt woont".split()
)
_JOINS = frozenset("de du des la le d of".split())
_WHERE = re.compile(r",?\s(?:chez|for|with|at|en|in|para|a la|bei|bij)\s")
_WORDS = re.compile(_WORD)


def occupations(cased: str, folded: str) -> list[Found]:
    """Find professions (PROFESSION) and companies (ORGANIZATION) behind what announces them.

    A company is also found by the legal form behind its name, which its span holds. Offsets are
    code points, half open; `cased` is the text without accents, `folded` without case too.
    """
    return [*_professions(cased, folded), *companies(cased, folded)]


def _professions(cased: str, folded: str) -> list[Found]:
    found: list[Found] = []
    for index, match in _ANNOUNCED.finditer(folded):
        start, end = match.span(1)
        certain = index < _CERTAIN
        if not certain and TRADES.isdisjoint(match[1].split()):
            continue
        end = _job_end(folded, start, end, certain=certain)
        if end == start:
            continue
        found.append((start, end, Label.PROFESSION))
        where = _WHERE.match(folded, end)
        company = company_at(cased, folded, where.end()) if where else None
        if company:
            found.append(company)
    return found


def _job_end(folded: str, start: int, end: int, *, certain: bool) -> int:
    """Return where a job ends that begins at `start`, or `start` where there is none."""
    last, known = start, False
    for word in _WORDS.finditer(folded, start, end):
        said = word.group()
        if said in _LEADS_ON or (last == start and said in _NO_TRADE):
            break
        if known and said not in _JOINS | TRADES and not _joined(folded, last, word.start()):
            break
        known = known or said in TRADES
        last = word.end() if said not in _JOINS else last
    return last if known or certain else start


def _joined(folded: str, last: int, at: int) -> bool:
    """Return whether `de` or the like ties a word to the one before it."""
    between = folded[last:at].split()
    return any(word in _JOINS for word in between) or folded.startswith("d'", at)

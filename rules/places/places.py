"""Detection of postal addresses, towns, care sites, and of jobs and the companies they are at."""

import re
from bisect import bisect
from collections.abc import Iterator

from record.document import Document
from record.label import Label
from record.span import Span
from rules.matching.lexicon import surname_rank
from rules.matching.normalized_document import cased_once, fold_once
from rules.matching.scanner import Pattern, Patterns
from rules.names.words import is_clinical, is_common, is_family_name
from rules.places.countries_alone import countries_alone
from rules.places.kinds_of_organizations import organizations_by_kind
from rules.places.listed_organizations import listed_organizations
from rules.places.named_sites import care_sites, continental_sites, english_sites, known_sites
from rules.places.postcodes import Around, city_and_state, postcodes
from rules.places.streets import (
    compound_streets,
    declared_streets,
    english_streets,
    letter_boxes,
    spelt_boxes,
    street_before,
    streets,
)
from rules.places.streets_alone import streets_alone
from rules.places.towns import behind_streets, regions_behind_towns, towns
from rules.places.towns_of_services import towns_before_dates, towns_of_services
from rules.places.trades import TRADES, trades_beside_persons
from rules.places.workplaces import employers

Found = tuple[int, int, str]

_NAME = (
    r"[A-Z][\w'\-&]*(?:(?:, [A-Z][\w'\-]+){1,3} (?:and|et|y|&) [A-Z][\w'\-]+"
    r"| (?:and|et|y|&) (?:[Aa]sociados|[Aa]ssocies|[Aa]ssociates|[Ff]ils|[Hh]ijos|[Hh]ermanos"
    r"|[Ss]ons|[Ss]ohne|[Zz]onen|[Cc]o)(?![A-Za-z])"
    r"| (?:(?:and|et|y|&|de|du|del|des|de la|of) )?[A-Z][\w'\-]+){0,5}"
)
_SUFFIX = (
    r"(?:S\.?A\.?R\.?L\.?|S\.?A\.?S\.?(?:U\.?)?|S\.A\.?|SA|S\.?C\.?I\.?|EURL|SNC|SCOP|Inc\.?|LLC|LLP"
    r"|Ltd\.?|PLC|plc|Corp\.?|GmbH(?: & Co\. KG)?|AG|B\.?V\.|N\.V\.|S\.?L\.?(?:U\.?|L\.?|N\.?E\.?)?"
    r"|S\.?Coop\.?|S\.?C\.?P\.?|S\.Com\.?|S\.?C\.?|C\.B\.?)(?![A-Za-z0-9])"
)
_COMPANY = re.compile(rf"{_NAME}(?:,? {_SUFFIX})?")
# The place of a suffix is found first, then the capitalised words before it.
_ENDING = Pattern(rf"(?<=[\w',] ){_SUFFIX}", cased=True)
_TOKEN = re.compile(r"[A-Z][\w'\-]*\Z")
_LINKS = frozenset("and et y & de du del des of".split())
_KIN = frozenset("asociados associes associates fils hijos hermanos sons".split())
_MOST_WORDS = 5
# Letters that say something else in notes unless they are written with dots or after a name.
_SHORT_ENDINGS = frozenset(["SA", "SC", "SL", "AG", "SAS", "SCI", "SCP", "SLU", "SLL", "SARL"])
_EMPLOYER = Pattern(
    r"\b(?:(?:employ(?:eur|er)|empleador|empresa|entreprise|arbeitgeber|werkgever)\s?:"
    r"\s{0,2}"
    r"|(?:medecins?|medecine)\sdu\stravail\sde(?: la)?\s"
    r"|occupational\s(?:physician|health)(?: service)?\s(?:of|at|for)\s"
    r"|(?:servicio\smedico|medicina\sdel\strabajo|medico\sde\sempresa)\sde\s"
    r"|(?:formerly|previously)\s(?:with|at)\s"
    r"|(?:employed by|salarie chez)\s"
    r"|trabaja(?:ba|ndo)?\s(?:en|para)\sla\sempresa\s"
    r"|(?:travaill(?:e|ait)|works?|worked)\s(?:chez|for)\s"
    r"|arbeitet\sbei\s|werkt\sbij\s)(?=[a-z])"
)
_NO_COMPANY = frozenset("dr pr mme mr mrs ms dra sr sra prof m mlle docteur professeur".split())
_FIRST_WORD = re.compile(r"[\w'\-]+")


def companies(cased: str, folded: str) -> Iterator[Found]:
    """Yield companies (ORGANIZATION), legal form included; code points, half open.

    `cased` is the text without accents, `folded` without case too.
    """
    for match in _EMPLOYER.finditer(folded):
        company = company_at(cased, folded, match.end())
        if company:
            yield company
    for ending in _ENDING.finditer(cased):
        # Go back over the capitalised words, and the small ones between them, before an offset
        end = ending.start()
        low = max(0, end - 60)
        low = max(low, cased.rfind("\n", low, end) + 1)
        start = at = end
        count = 0
        for token in reversed(cased[low:end].rstrip(" ,").split(" ")):
            at = cased.rfind(token, low, at)
            if count < _MOST_WORDS and _TOKEN.match(token):
                start, count = at, count + 1
            elif not (token in _LINKS or (count == 0 and token.lower() in _KIN)):
                break
        if start == ending.start():
            continue
        if ending.group().startswith("GmbH") and cased[ending.start() - 2] == ",":
            continue
        words = folded[start : ending.start()].replace(",", " ").split()
        if ending.group().rstrip(".") in _SHORT_ENDINGS and not (
            not (len(words) == 1 and not is_family_name(words[0]))
            and not cased[start : ending.start()].isupper()
            and not any(is_common(word) for word in words)
        ):
            continue
        if not all(is_clinical(word) or len(word) < 2 for word in words):
            yield start, ending.end(), Label.ORGANIZATION


def company_at(cased: str, folded: str, at: int) -> Found | None:
    """Read the name of a company that begins at an offset."""
    name = _COMPANY.match(cased, at)
    if name is None:
        return None
    first = _FIRST_WORD.match(folded, at)
    word = first.group() if first else ""
    if word in _NO_COMPANY or len(word) < 2 or (is_clinical(word) and not surname_rank(word)):
        return None
    return at, name.end(), Label.ORGANIZATION


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
    rf"|fruher|vroeger)(?:(?<=-)|(?![a-z]))[\s(]{{0,2}}({_WORD}(?:\s{_WORD}){{0,3}})"
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


def _professions(cased: str, folded: str) -> list[Found]:
    found: list[Found] = []
    for index, match in _ANNOUNCED.finditer(folded):
        start, end = match.span(1)
        certain = index < _CERTAIN
        if not certain and TRADES.isdisjoint(match[1].split()):
            continue
        # Where a job ends that begins at `start`, or `start` where there is none
        last, known = start, False
        for word in _WORDS.finditer(folded, start, end):
            said = word.group()
            if said in _LEADS_ON or (last == start and said in _NO_TRADE):
                break
            if known and said not in _JOINS | TRADES:
                # Whether `de` or the like ties a word to the one before it
                at = word.start()
                between = folded[last:at].split()
                if not (any(word in _JOINS for word in between) or folded.startswith("d'", at)):
                    break
            known = known or said in TRADES
            last = word.end() if said not in _JOINS else last
        end = last if known or certain else start
        if end == start:
            continue
        found.append((start, end, Label.PROFESSION))
        where = _WHERE.match(folded, end)
        company = company_at(cased, folded, where.end()) if where else None
        if company:
            found.append(company)
    return found


_DETECTOR = "rules.places"
_ANGLOPHONE = ("en", "")
_GERMANIC = ("de", "nl", "")


_IN_ONE_CELL = frozenset((Label.HOSPITAL, Label.ORGANIZATION, Label.PROFESSION))


def detect(document: Document) -> list[Span]:
    """Find streets, postal codes, towns, regions, countries, care sites, jobs and companies.

    Offsets are code points of the text, half open. Countries are found only beside a town or
    behind a cue; kinds of sites (`Hôpital`, `Clinic`) are part of a care site's span.
    """
    cased, folded, lang = cased_once(document.text), fold_once(document.text), document.lang
    found = _find_streets(cased, folded, lang) + _find_care_sites(cased, folded, lang)
    starts, ends = {start for start, _, _ in found}, {end for _, end, _ in found}
    placed = [*postcodes(cased, folded, Around(starts, ends), lang), *towns(cased, folded, lang)]
    placed += behind_streets(cased, folded, ends, lang)
    placed += [(*place, Label.COUNTRY) for place in countries_alone(cased, folded)]
    placed += [(*place, Label.CITY) for place in towns_of_services(cased, folded)]
    placed += [(*place, Label.CITY) for place in towns_before_dates(cased, folded)]
    if lang in _ANGLOPHONE:
        placed += city_and_state(cased, folded, ends)
    # Find streets without a kind before postal codes that no street ends at
    towns_at = {start for start, _, kind in placed if kind == Label.CITY}
    found += [
        (*street, Label.STREET)
        for start, end, kind in placed
        if kind == Label.ZIP
        and not any(at in ends for at in range(start - 4, start + 1))
        and any(at in towns_at for at in range(end, end + 4))
        and (street := street_before(cased, folded, start, lang))
    ]
    found += placed + regions_behind_towns(cased, folded, placed)
    found += letter_boxes(folded, found)
    found += [*_professions(cased, folded), *companies(cased, folded)]
    found += [(*place, Label.PROFESSION) for place in trades_beside_persons(folded, lang)]
    found += [(*place, Label.ORGANIZATION) for place in listed_organizations(cased)]
    found += [(*place, Label.ORGANIZATION) for place in organizations_by_kind(cased)]
    found += [(*place, Label.ORGANIZATION) for place in employers(cased, folded, lang)]
    # A tab parts the columns of a table: `Unidad\tRango` is no site.
    found = [
        (start, end, kind)
        for start, end, kind in found
        if kind not in _IN_ONE_CELL or "\t" not in document.text[start:end]
    ]
    first = {(start, end): kind for start, end, kind in reversed(found)}
    return [Span(start, end, str(kind), _DETECTOR) for (start, end), kind in sorted(first.items())]


def _find_streets(cased: str, folded: str, lang: str) -> list[Found]:
    ways = streets(cased, folded, lang) + spelt_boxes(folded)
    declared = declared_streets(folded)
    if lang in _ANGLOPHONE:
        english = english_streets(cased, folded)
        starts = sorted(start for start, _ in english)
        declared = [way for way in declared if bisect(starts, way[0] - 1) == bisect(starts, way[1])]
        ways += english
    ways += declared
    if lang in _GERMANIC:
        ways += compound_streets(cased, folded)
    ways += streets_alone(cased, lang)
    return [(start, end, Label.STREET) for start, end in ways]


def _find_care_sites(cased: str, folded: str, lang: str) -> list[Found]:
    sites = care_sites(cased, folded, lang) + known_sites(folded)
    if lang in _ANGLOPHONE:
        sites += english_sites(cased, folded)
    if lang in _GERMANIC:
        sites += continental_sites(cased, folded)
    return [(start, end, Label.HOSPITAL) for start, end in sites]

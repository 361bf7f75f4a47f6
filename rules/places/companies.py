"""Detection of companies by what announces an employer or by the legal form behind their name."""

import re
from collections.abc import Iterator

from record.label import Label
from rules.matching.lexicon import surname_rank
from rules.matching.scanner import Pattern
from rules.names.words import clinical, common, family

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
        start = _name_start(cased, ending.start())
        if start == ending.start():
            continue
        if ending.group().startswith("GmbH") and cased[ending.start() - 2] == ",":
            continue
        words = folded[start : ending.start()].replace(",", " ").split()
        if ending.group().rstrip(".") in _SHORT_ENDINGS and not _named(
            cased[start : ending.start()], words
        ):
            continue
        if not all(clinical(word) or len(word) < 2 for word in words):
            yield start, ending.end(), Label.ORGANIZATION


def company_at(cased: str, folded: str, at: int) -> Found | None:
    """Read the name of a company that begins at an offset."""
    name = _COMPANY.match(cased, at)
    if name is None:
        return None
    first = _FIRST_WORD.match(folded, at)
    word = first.group() if first else ""
    if word in _NO_COMPANY or len(word) < 2 or (clinical(word) and not surname_rank(word)):
        return None
    return at, name.end(), Label.ORGANIZATION


def _name_start(cased: str, end: int) -> int:
    """Go back over the capitalised words, and the small ones between them, before an offset."""
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
    return start


def _named(written: str, words: list[str]) -> bool:
    if len(words) == 1 and not family(words[0]):
        return False
    return not written.isupper() and not any(common(word) for word in words)

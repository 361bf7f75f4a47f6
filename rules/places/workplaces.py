"""Where somebody works: behind the job that a detector found, or a word for working."""

import re
from collections.abc import Iterable, Iterator

from record.document import Document
from record.folding import fold
from record.label import Label
from record.span import Span
from rules.matching.lexicon import lexicons, place_rank, term_kind, word_rank
from rules.matching.scanner import Pattern
from rules.names.words import CLINICAL, COMMON, bits

_CAPITALISED = r"[A-ZÀ-ÖØ-Þ][\w'’&.\-]*[\w'’]"
_AT = re.compile(
    r"(?: [a-zà-ÿ.\-]{2,16}){0,2}?"
    r" (?:chez|aux?|à|à la|à l'|bei|beim|bei der|im|in der|at|with|for|en el|en la|en|bij|bij de)"
    r" ?((?:(?:La|Le|Les|El|The|De|Het) )?"
    rf"{_CAPITALISED}"
    rf"(?: (?:(?:de la|de|du|des|del|d'|of|and|&|et|y|van|der) ?)?{_CAPITALISED}){{0,3}})"
)
# Where somebody comes from: a town of the lists only.
_FROM = re.compile(rf" (?:de|aus|from|d'|uit|out of) ?({_CAPITALISED}(?: {_CAPITALISED}){{0,2}})")
_WORKS = Pattern(
    r"(?<![\w'\-])(?:works?|worked|working|travaillait|travaille|bosse|arbeitet|arbeitete|trabaja"
    r"|trabajaba|werkt|werkte|employed|angestellt)(?= )"
)
_AT_WORK = re.compile(
    r"(?: [A-Za-z/.\-]{2,14}){0,3}?"
    r" (?:at|for|chez|aux?|a la|fur|bei|bei der|beim|en|en la|en el|para|bij|voor)"
    r" ([A-Z][\w'&\-]*[\w'](?: (?:(?:de|du|of|and|&|y) )?[A-Z][\w'&\-]*[\w']){0,3})"
)
_OF_A_LANGUAGE = 2  # a rank: the 5,000 most frequent words
_ARTICLES = frozenset("la le les el los the de het".split())
_LONGEST = 88


def employers(cased: str, folded: str, lang: str) -> Iterator[tuple[int, int]]:
    """Yield where somebody is said to work: `works nights at Greggs`, `travaille chez Faurecia`.

    `cased` is the text without accents, `folded` without case too; code points, half open.
    """
    for match in _WORKS.finditer(folded):
        place = _AT_WORK.match(cased, match.end())
        if place and not _is_everyday(place[1].lower(), lang):
            yield place.span(1)


def find_workplaces(document: Document, found: Iterable[Span]) -> list[Span]:
    """Return spans of employers, sites and towns that a preposition ties to a job.

    They are a town where the lists have one of that name alone, else an organization. What an
    other span touches, and what begins with a frequent word or a term, is left out. Detector and
    score are those of the job.
    """
    text = document.text
    spans = list(found)
    made = []
    for job in spans:
        if job.label != Label.PROFESSION:
            continue
        limit = min(len(text), job.end + _LONGEST)
        match = _AT.match(text, job.end, limit) or _FROM.match(text, job.end, limit)
        if match is None or (match.re is _FROM and not place_rank(fold(match[1]))):
            continue
        start, end = match.span(1)
        if any(start < span.end and span.start < end for span in spans):
            continue
        name = fold(match[1])
        if _is_everyday(name, document.lang):
            continue
        label = Label.CITY if place_rank(name) else Label.ORGANIZATION
        made.append(Span(start, end, str(label), job.detector, job.score))
    return made


def _is_everyday(name: str, lang: str) -> bool:
    """Return whether a name begins with an abbreviation of a clinic, a term or a frequent word.

    Between German nouns, which all have a capital, one word alone must be none of the language.
    """
    words = [word for word in name.split() if word not in _ARTICLES]
    if not words:
        return True
    word = words[0]
    if word in lexicons("clinical_abbreviations", "staff_abbreviations") or term_kind(word):
        return True
    rank = word_rank(word, lang)
    if lang == "de" and len(words) == 1 and (rank or bits(word) & (COMMON | CLINICAL)):
        return True
    return 0 < rank <= _OF_A_LANGUAGE

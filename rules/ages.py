"""Ages of people, in digits or words, and not the durations that look like them."""

import re
from collections.abc import Iterator

from record.document import Document
from record.label import Label
from record.span import Span
from rules.calendar import SPOKEN, spoken
from rules.folded import fold_once
from rules.name_parts import common, family, given, surely_given
from rules.scan import Pattern

_WORDS = rf"{SPOKEN}(?:(?:[ \-](?:et[ \-]|y )?){SPOKEN}){{0,3}}"

# "72 ans", "72-year-old", "72 yo", "72 años", "3 mois": what follows the number.
_UNIT = re.compile(
    r" {0,2}(?:"
    r"(?P<old>-? ?(?:years?|yrs?|months?|mos?|mths?|weeks?|wks?|days?)[ \-.]{0,2}(?:of age"
    r"|olds?)(?![a-z])"
    r"|-? ?(?:y/?o[mf]?|y\.o\.?|yr[ .\-]?o|a[nñ]os de vida)(?![a-z]))"
    r"|(?=de edad)"
    r"|(?P<years>(?:ans|anos|an|ano|years|yrs)(?![a-z]))"
    r"|(?P<small>(?:mois|meses|mes|months?|semaines?|semanas?|weeks?|jours?|dias?|days?)(?![a-z])))"
)
_DIGITS = re.compile(r"[0-9][0-9]{0,2}(?:[.,][0-9])?(?![0-9])(?=[ \-]{0,3}[aydmsjw])")
_UNIT_WORD = Pattern(
    r"[a-z]([ \-])(?:ans?|anos?|years?|mois|meses|mes|months?|semanas?|semaines?|dias?"
    r"|jours)(?:[^a-z]|\Z)"
)
_WORDS_BEFORE = re.compile(rf"\b({_WORDS})[ \-]\Z")
# The rest of an age in two units, and the first of two ages that share theirs.
_AND_SMALLER = re.compile(
    r" (?:ans?|anos?|years?|mois|mes|meses|months?)(?: (?:y|et|and)|,)? ([0-9]{1,2})"
    r"(?= ?(?:mois|mes|meses|months?|semaines?|semanas?|jours?|dias?|days?)(?![a-z]))"
)
_ALSO_BEFORE = re.compile(r"(?<![0-9a-z.,/\-])([0-9]{1,3})(?: ?(?:y|et|and|o|ou|or|e|,|-|/|a) ?)\Z")

_AGE_WORD = (
    r"(?:ages?|agee?s?|aged|edad(?:es)?|age of|at age|age at|aged about|edad gestacional|terme de)"
)
_AFTER_AGE = re.compile(
    rf"\b{_AGE_WORD}(?:\(e\)|e)?(?:[ :=\-,|(]|de|del|of|is|est|es|was|about|environ|actuelle|actual"
    rf"|du|patient|paciente|en|anos|ans|years|el|la|le|l'){{0,6}}\Z"
)
# A bare number is an age only right after the word.
_BARE = Pattern(
    r"\b(?:age|aged|edad|agee?(?:\(e\))?|at the age of|a la edad de|a l'age de|age of)"
    r" {0,2}(?:[:=|\-] ?|of |de |is |est |at |about )?([0-9]{1,3})(?![0-9/%]|[b-z]|[.,/:\-][0-9]"
    r"| ?(?:%|/|mm|kg|cm))"
)
_TURNED = Pattern(
    r"\b(?:just turned|turned|i'll turn|will turn|when (?:he|she) was|cumplio|i'm"
    r"|i am) ([0-9]{1,3})"
    r"(?![0-9a-z/%]|[.,/:\-][0-9]| ?(?:mg|ml|kg|cm|%|days|weeks|months|weeks|minutes|hours|times))"
)
_PERSON = (
    r"(?:patiente?s?|hommes?|femmes?|garcons?|filles?|fillettes?|enfants?|nourrissons?"
    r"|nouveau-nee?|bebe"
    r"|dame|monsieur|madame|mr|mme|mlle|m\.|frere|soeur|pere|mere|fils|mari|epoux|epouse|cousine?"
    r"|oncle"
    r"|tante|adolescente?|octogenaire|sujet|jumelles?|jumeaux|conjointe?|compagnon|gestante"
    r"|primipare"
    r"|varon(?:es)?|mujer(?:es)?|hombres?|nin[oa]s?|pacientes?|lactante|bebe|recien nacid[oa]"
    r"|senora?"
    r"|hij[oa]s?|herman[oa]s?|padres?|madres?|espos[oa]|marido|joven|muchach[oa]|escolar|anciano"
    r"|anciana"
    r"|neonato|prematur[oa]|chic[oa]|adulto|persona|individuo|male|female|man|woman|boy|girl"
    r"|gentleman"
    r"|lady|infant|child|newborn|baby|son|daughter|brother|sister|father|mother|wife|husband)"
)
_AFTER_PERSON = re.compile(
    rf"\b{_PERSON}(?:[ ,:(\-]+(?:[a-z'\-]+ ){{0,3}}?)(?:de |d'|of |a los |a l'age de |,|\(| )?\Z"
)
# Days, weeks and months are an age only right after a child.
_AFTER_CHILD = re.compile(
    rf"\b{_PERSON}(?: (?:sexo|sex|masculin\w?|feminin\w?|femenin\w?|varon|mujer|male|female))?"
    r"(?: de | d'| of |, ?(?:de )?| ?\()\Z"
)
_OF_AGE = re.compile(r" (?:de edad(?! gest)|de vida(?! en)|d'age\b|of age|de vie\b)")
_AT_AGE = re.compile(r"\b(?:a|desde|hasta|hacia|sobre|entre|y) los \Z|\b(?:a|des) l'age de \Z")
_PREGNANT = re.compile(r"\b(?:gestante|primipare|enceinte|embarazada|pregnant)[a-z ,]{0,12} \Z")

# A number of years after these says how long, how often or how late, not how old.
_DURATION_BEFORE = re.compile(
    r"\b(?:depuis|pendant|durant|il y a|apres|dans|sous|sur|pour|en|tous les|toutes les|chaque"
    r"|duree"
    r"|plus de|moins de|environ|suivi|suivie|recul|survie|risque|pronostic|evolution|delai"
    r"|ancienn?ete"
    r"|for|over|since|within|after|every|per|past|last|next|previous|first|during|about|almost"
    r"|nearly"
    r"|hace|hacia|lleva(?:ba|n)?|desde|durante|tras|cada|hasta|ultimos?|ultimas?|primeros?"
    r"|proximos?|a lo largo de|despues"
    r"|unos|seguimiento|evolucion|supervivencia|duracion|mas|menos|mayor(?:es)?|menor(?:es)?"
    r"|dernier(?:e?s)?|derniers|premier(?:e?s)?|x|paquetes?|paquets?|pa|pack|intervalle|periode"
    r"|contrat|bilan|controle|mariee? depuis|arret|sevre|sevree|scanner|irm)"
    r"(?: (?:a|de|d'|des|les|the|los|las|al|of|un|los ultimos|lo|hace|unos|environ|more than"
    r"|que)){0,2} ?\Z"
)
_DURATION_AFTER = re.compile(
    r" ?(?:plus tard|auparavant|avant|apres|plus tot|durant|de suivi|d'evolution|de recul|de tabac"
    r"|de traitement|de tabagisme|de grossesse|d'anciennete|d'intervalle|consecutif|ago|later"
    r"|earlier"
    r"|prior|of (?!age)|post|before|after|history|follow|antes|despues|atras|mas tarde|de evolucion"
    r"|de seguimiento|de duracion|de antiguedad|de tratamiento|previos|consecutivos|de historia"
    r"|de estancia|tras|del? (?:diag|ingres|trat|alta|inicio|interv|post)|-? ?paquet|de mariage"
    r"|de matrimonio|d'existence|de vie commune|/|de tiempo|de (?:la|su|haber)\b)"
)
_POPULATION = re.compile(r"(?:[<>≥≤]|entre|between|between the ages of) ?\Z")


def detect(document: Document) -> list[Span]:
    """Find ages (AGE) in years, months, weeks or days.

    A span covers the number alone, in digits or words, without its unit (`72` of `72 ans`), so
    that a surrogate is a number too. Durations are left out. Spans are sorted and disjoint.
    """
    folded = fold_once(document.text)
    found = {**_bare(folded), **_with_unit(document.text, folded)}
    return [Span(start, end, Label.AGE, "rules.ages") for start, end in sorted(found.items())]


def _bare(folded: str) -> dict[int, int]:
    return {
        match.start(1): match.end(1)
        for pattern in (_BARE, _TURNED)
        for match in pattern.finditer(folded)
        if int(match[1]) <= 120
    }


def _with_unit(text: str, folded: str) -> dict[int, int]:
    found = {}
    for start, end in _numbers(folded):
        unit = _UNIT.match(folded, end)
        if unit is None:
            continue
        if not _is_age(folded, start, end, unit) and not _of_somebody(text, folded, start, unit):
            continue
        found[start] = end
        smaller = _AND_SMALLER.match(folded, end)
        if smaller:
            found[smaller.start(1)] = smaller.end(1)
        also = _ALSO_BEFORE.search(folded, max(0, start - 10), start)
        if also and unit["years"] and int(also[1]) <= 120:
            found[also.start(1)] = also.end(1)
    return found


def _numbers(folded: str) -> Iterator[tuple[int, int]]:
    """Yield numbers up to 120, in digits, or in words before a unit of time."""
    for match in _DIGITS.finditer(folded):
        start, end = match.span()
        if _DIGIT_BEFORE.search(folded, max(0, start - 2), start):
            continue
        if float(match[0].replace(",", ".")) <= 120:
            yield start, end
    for unit in _UNIT_WORD.finditer(folded):
        words = _WORDS_BEFORE.search(folded, max(0, unit.start() - 48), unit.end(1))
        if words:
            number = spoken(words[1])
            if number is not None and 0 < number <= 120:
                yield words.span(1)


_DIGIT_BEFORE = re.compile(r"[0-9][.,/+\-]?\Z|[a-z]\Z")


def _is_age(folded: str, start: int, end: int, unit: re.Match[str]) -> bool:
    if unit["old"] or _OF_AGE.match(folded, unit.end()):
        return True
    written = folded[start:end]
    listed = _ALSO_BEFORE.search(folded, max(0, start - 10), start)
    if listed and int(listed[1]) <= 120:
        start = listed.start()
    window = max(0, start - 40)
    if _AFTER_AGE.search(folded, window, start):
        return True
    if unit["years"] and _AT_AGE.search(folded, window, start):
        return not _DURATION_AFTER.match(folded, unit.end())
    if _DURATION_BEFORE.search(folded, window, start) or _POPULATION.search(folded, window, start):
        return False
    if _DURATION_AFTER.match(folded, unit.end()):
        return False
    if unit["small"]:
        child = _AFTER_CHILD.search(folded, window, start)
        return bool(child) and not _PREGNANT.search(folded, window, start)
    if unit["years"] in ("years", "yrs"):
        return False
    if _AFTER_PERSON.search(folded, window, start):
        return True
    return _adult(written)


def _of_somebody(text: str, folded: str, start: int, unit: re.Match[str]) -> bool:
    """Tell whether an age follows a name, `Laurent, 11 ans,`, or a date of birth, in brackets."""
    if _DURATION_AFTER.match(folded, unit.end()):
        return False
    if _AFTER_BIRTH.search(folded, max(0, start - 60), start):
        return folded.startswith(")", unit.end())
    name = _AFTER_WORD.search(folded, max(0, start - 32), start)
    if name is None or not text[name.start(1)].isupper() or not _AGE_ENDS.match(folded, unit.end()):
        return False
    return surely_given(name[1]) or ((given(name[1]) or family(name[1])) and not common(name[1]))


_AFTER_BIRTH = re.compile(
    r"\b(?:nee?|naissance|nacid[oa]|nacimiento|f\. ?nac\.?|born|birth|dob|ddn)\b"
    r"[^()\n]{0,40}[0-9] ?\(\Z"
)
_AFTER_WORD = re.compile(r"(?<!\w)([a-z][a-z'\-]{2,24}), {1,2}(?:de )?\Z")
_AGE_ENDS = re.compile(r" ?[,.;)]| (?:a|con|with|presente|consulte)\b")


def _adult(written: str) -> bool:
    """Tell whether a number of years is an age though no word says so: few durations are longer."""
    number = int(written) if written.isdigit() else spoken(written)
    return number is not None and number >= 16

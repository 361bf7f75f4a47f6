"""Ages that a phrase of one language tells without a unit, and those of a table's column."""

import re
from collections.abc import Iterator

from rules.matching.scanner import Pattern
from rules.matching.table_columns import cells_under

_TOLD = {
    "de": Pattern(r"(?<![\w.,])([1-9][0-9]?\. ?(?:lebensjahr|lj))(?![a-z])"),
    "nl": Pattern(
        r"(?<!\w)op (?:zijn|haar|mijn) ([1-9][0-9]e?)(?![\w/,]|\.[0-9]| ?(?:verjaardag|dag))"
    ),
    "fr": Pattern(
        r"(?<![\w'])(?:elle|il|lui)(?: en)?(?: a)? ([1-9][0-9])(?=[.;)](?![0-9])|, |\n|\Z)"
    ),
}
# `20H15 H 34 BERTRAND`, in capitals; `7 H 40 POSE` is a time.
_SEX_ALONE = Pattern(
    r"(?<![\w/+\-])(?<![\s(][0-9] )(?<![\s(][0-9]{2} )[HF] ([1-9][0-9])(?=,| ans| [A-Z]{3})",
    cased=True,
)
# Years and months of a child: `10;4 ans`, `5;3 J.`
_YEARS_AND_MONTHS = Pattern(
    r"(?<![\w.,;])([1-9][0-9]?;(?:[0-9]|1[01]) ?(?:ans?|j|jahre?|anos|a|y|yrs?|jaar|jr))"
    r"(?![a-z0-9])"
)
_HEADINGS = frozenset("edad age alter leeftijd lft".split())
_CELL = re.compile(
    r"[1-9][0-9]{0,2}(?: ?(?:d|j|a|y|m|w|mo|mnd|mois|meses|ans|an|anos|ano|jr|jahre|yrs?)\.?)?"
    r"(?: [0-9]{1,2} ?(?:d|w|m|mo|mois|meses))?"
)


def told_ages(cased: str, folded: str, lang: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of ages: `op zijn 52e`, `16. Lebensjahr`, the cells under `Edad`.

    `cased` is the text without accents, `folded` without case too; code points, half open.
    """
    told = _TOLD.get(lang)
    for match in told.finditer(folded) if told else ():
        yield match.span(1)
    for match in _SEX_ALONE.finditer(cased) if lang == "fr" else ():
        yield match.span(1)
    for match in _YEARS_AND_MONTHS.finditer(folded):
        yield match.span(1)
    for start, end in cells_under(folded, _HEADINGS):
        if _CELL.fullmatch(folded, start, end):
            yield start, end

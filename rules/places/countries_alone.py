"""Countries that stand alone: in brackets, at the head of a line, behind a word for a way there."""

import re
from collections.abc import Iterator

from rules.matching.lexicon import lexicon
from rules.matching.scanner import Pattern

Place = tuple[int, int]

_OPENING = Pattern(
    r"\((?=[a-z])"
    r"|(?<![\w'\-])(?:nach|aus|aus (?:dem|der)|in (?:den|die)|voyage (?:au|en)|trajet :|equipe de"
    r"|hacia|naar) (?=[a-z])"
)
_HEAD = re.compile(r"^(?=[a-z'\- ]{4,30}[:,])", re.MULTILINE)
_NAME = re.compile(r"[A-Z][A-Za-z'\-]{3,24}(?: (?:(?:and|et|y|und|en) )?[A-Z][A-Za-z'\-]+){0,2}")
_ENDS = re.compile(r"[a-z'\-]+")


def countries_alone(cased: str, folded: str) -> Iterator[Place]:
    """Yield countries of the list with a capital where they are hardly part of something else.

    `cased` is the text without accents, `folded` without case too; code points, half open.
    """
    starts = [match.end() for match in _OPENING.finditer(folded)]
    starts += [match.start() for match in _HEAD.finditer(folded)]
    for start in starts:
        name = _NAME.match(cased, start)
        end = _end_of_country(folded, start, name.end()) if name else start
        if end == start:
            continue
        before, after = folded[start - 1 : start] if start else "", folded[end : end + 1]
        if before == "(" and after != ")":
            continue
        if before in ("", "\n") and after not in (":", ","):
            continue
        yield start, end


def _end_of_country(folded: str, start: int, end: int) -> int:
    ends = [word.end() for word in _ENDS.finditer(folded, start, end)]
    return next((at for at in reversed(ends) if folded[start:at] in lexicon("countries")), start)

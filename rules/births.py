"""Which dates of a text are dates of birth."""

import re
from bisect import bisect_left

from rules.calendar import Moment
from rules.scan import Pattern

_BIRTH = Pattern(
    r"\b(?:nee?s?|ne\(e\)|ne\.e|naissance|naiss|naissances|ddn|d\.d\.n\.?|date de nais\w{0,6}"
    r"|born|birth|birthdate|birthday|dob|d\.o\.b\.?|b\.d\.|mise au monde|venue? au monde"
    r"|nacid[oa]|nacio|nacimiento|nac|fn|f\.n\.|f\. ?nac\.?|fec\.? ?nac\.?|fdn)(?![a-z])"
)
_TOKEN = re.compile(r"\w+")
# Between a birth and a date these tell of something else that happened.
_EVENT = re.compile(
    r"\b(?:hospitalis\w*|vue?s?|admise?|admitted|seen|consult\w*|oper\w*|suivie?|entree?|sortie?"
    r"|decede\w*|deceased|died|fallec\w*|ingres\w*|exit|visite|rdv|rendez|rediger?|edite\w*"
    r"|imprime\w*|presente\w*|presents|adresse\w*)\b"
)

_TOKENS_AWAY = 5


def values(folded: str, moments: list[Moment]) -> set[tuple[int | None, int | None, int | None]]:
    """Give the values of the dates that a word for birth points at, within five tokens.

    The date that follows the word wins over one before it; `moments` are sorted and disjoint.
    """
    starts = [moment.start for moment in moments]
    born = set()
    for match in _BIRTH.finditer(folded):
        at = bisect_left(starts, match.end())
        following = moments[at] if at < len(moments) else None
        preceding = moments[at - 1] if at else None
        if following and _near(folded, match.end(), following.start):
            born.add(following.value)
        elif preceding and preceding.end <= match.start():
            between = folded[preceding.end : match.start()]
            if len(between) < 60 and "\n" not in between and _after(between):
                born.add(preceding.value)
    return born


def _near(folded: str, start: int, end: int) -> bool:
    if end - start > 90:
        return False
    between = folded[start:end]
    return len(_TOKEN.findall(between)) <= _TOKENS_AWAY and not _EVENT.search(between)


def _after(between: str) -> bool:
    """Tell whether a date before the word is explained by it: `12/03/1950 (date de naissance)`."""
    return bool(re.fullmatch(r"[ (:,=\-]{0,4}(?:date )?(?:de |of )?(?:la )?", between))

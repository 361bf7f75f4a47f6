"""Towns that a service, an office or a transfer is at: `SMUR Arras`, `PMI : Sens`, `avis Lille`."""

import re
from collections.abc import Iterator

from rules.matching.lexicon import place_rank, word_rank
from rules.matching.scanner import Pattern

Place = tuple[int, int]

_SERVICE = Pattern(
    r"(?<![\w'\-])(?:smur|samu|sdis|urgences|chir|chirurgie|bloc|pmi|cmpp?|hdj|labo|laboratoire"
    r"|dechoc|rea|ophtalmo|cardio|neuro|neurochir|neurochirurgie|ortho|orl|gyneco|visio|telestaff"
    r"|avis|transfert|transfere|transferee|mediatheque|prefecture|gendarmerie|commissariat|tribunal"
    r"|dialyse|reeducation|verlegung|verlegt nach|uniklinik|transfer to|traslado a|trasladad[oa] a"
    r"|derivad[oa] a|overplaatsing naar|overgeplaatst naar|neurochirurg)"
    r"(?: (?:de|a|du|au|sur|vers)|(?=:)| (?=:))?(?: ?(?::|->|=))? (?:d')?(?=[a-z])|(?<![\w'\-])"
    r"(?:pmi|labo|laboratoire|commissariat|mediatheque|prefecture|tribunal) d'(?=[a-z])"
)
_NAME = re.compile(r"[A-Z][A-Za-z'\-]+(?:[ \-][A-Z][A-Za-z'\-]+){0,3}")
_WORD = re.compile(r"[a-z'\-]+")
_SCORED = re.compile(r" ?[:=]? ?[0-9]{1,3}(?![0-9]*h)")
_TOWN = 2  # a rank: 10,000 inhabitants
_OF_A_LANGUAGE = 2  # a rank: the 5,000 most frequent words
_SHORTEST = 4


def towns_of_services(cased: str, folded: str) -> Iterator[Place]:
    """Yield towns of 10,000 inhabitants and more right behind a service; code points, half open.

    `cased` is the text without accents, `folded` without case too.
    """
    for match in _SERVICE.finditer(folded):
        at = match.end()
        name = _NAME.match(cased, at)
        if name is None:
            continue
        ends = [word.end() for word in _WORD.finditer(folded, at, name.end())]
        for end in reversed(ends):
            town = folded[at:end]
            if len(town) >= _SHORTEST and 0 < place_rank(town) <= _TOWN and not _is_word(town):
                if not _SCORED.match(folded, end):  # `Glasgow 15`
                    yield at, end
                break


def _is_word(town: str) -> bool:
    return 0 < word_rank(town, "fr") <= _OF_A_LANGUAGE

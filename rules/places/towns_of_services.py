"""Towns that a service, an office or a transfer is at: `SMUR Arras`, and of a letter's date."""

import re
from collections.abc import Iterator

from rules.matching.lexicon import place_rank, word_rank
from rules.matching.scanner import Pattern

Place = tuple[int, int]

_SERVICE = Pattern(
    r"(?<![\w'\-])(?:smur|samu|sdis|urgences|chir|chirurgie|bloc|pmi|cmpp?|hdj|labo|laboratoire"
    r"|dechoc|rea|ophtalmo|cardio|neuro|neurochir|neurochirurgie|ortho|orl|gyneco|visio|telestaff"
    r"|avis|transfert|transfere|transferee|mediatheque|prefecture|gendarmerie|commissariat|tribunal"
    r"|dialyse|reeducation|verlegung|verlegt nach|fuhrerscheinstelle|auslanderbehorde|polizei"
    r"|uniklinik|transfer to|traslado a|trasladad[oa] a"
    r"|derivad[oa] a|overplaatsing naar|overgeplaatst naar|neurochirurg)"
    r"(?: (?:de|a|du|au|sur|vers)|(?=:)| (?=:))?(?: ?(?::|->|=))? (?:d')?(?=[a-z])|(?<![\w'\-])"
    r"(?:pmi|labo|laboratoire|commissariat|mediatheque|prefecture|tribunal) d'(?=[a-z])"
)
_NAME = re.compile(r"[A-Z][A-Za-z'\-]+(?:[ \-][A-Z][A-Za-z'\-]+){0,3}")
_WORD = re.compile(r"[a-z'\-]+")
# `Bautzen d. 9.10.`, `Almería a ocho de julio`, `Gelsenkirchen 4. d.M.`
_WRITTEN_AT = Pattern(
    r"(?:\n|[.!?»] |\A)([A-Z][a-z]+(?:[ \-][A-Z][a-z]+){0,2}),?"
    r" (?:(?:d\.|den|le|el|a|op|the) [0-3]?[0-9](?![0-9%])|a [a-z]{3,12} de [a-z]{4,10} de "
    r"|[0-3]?[0-9]\. ?d\. ?M\.)",
    cased=True,
)
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


def towns_before_dates(cased: str, folded: str) -> Iterator[Place]:
    """Yield towns of the lists that begin a sentence, before the day of writing.

    `cased` is the text without accents, `folded` without case too; code points, half open.
    """
    for match in _WRITTEN_AT.finditer(cased):
        town = folded[slice(*match.span(1))]
        is_word = 0 < word_rank(town) <= _OF_A_LANGUAGE
        if place_rank(town) and not is_word and len(town) >= _SHORTEST:
            yield match.span(1)


def _is_word(town: str) -> bool:
    return 0 < word_rank(town, "fr") <= _OF_A_LANGUAGE

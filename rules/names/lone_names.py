"""Given names that nothing announces and that nothing else can mean: `Okay per Malachy`."""

import re
from collections.abc import Iterator

from record.label import Label
from rules.matching.lexicon import (
    given_rank,
    lexicon,
    lexicons,
    place_rank,
    surname_rank,
    term_kind,
    word_rank,
)
from rules.matching.scanner import Pattern
from rules.names.found_names import Found, FoundNames
from rules.names.words import AMBIGUOUS, BARRED, COMMON, GIVEN, bits, is_sure

# A word of its own with one capital in each of its hyphened parts.
_CAPITALISED = re.compile(
    r"(?<![\w@.'/+&\-])[A-Z][a-z]{2,24}(?:-[A-Z][a-z]{2,24}){0,2}(?![\w@/&]|-[A-Za-z])"
)
_FAMILY_AFTER = re.compile(
    r" (?:(?:de|du|la|le|van|von|der|den|del|di|da|dos|el|al|bin|ben) ){0,3}"
    r"([A-Z][A-Za-z'\-]{1,25})(?![\w@])"
)
_FAMILY_BEFORE = re.compile(r"(?<![\w@.'\-])([A-Z][A-Za-z'\-]{1,25}) \Z")
_SHORTENED = Pattern(
    r"(?<![\w@.'\-])([A-Z][a-z]{2,14}) ([A-Z])(?=[,;:)](?![0-9])|\.(?!\w)|\n|\Z)", cased=True
)
_WIDEST = 30
_WORD_BEFORE, _WORD_AFTER = re.compile(r"([a-z']+)[ \-]\Z"), re.compile(r"[ \-]([a-z']+)")
_OF_A_LANGUAGE = 2  # a rank: one of the 5,000 most frequent words
_LARGE_TOWN = 1
_RARE_GIVEN, _KNOWN_GIVEN, _USUAL_SURNAME = 4, 3, 2
_SENTENCE_ENDS = ".!?:;•*-–>|("


def lone_given_names(finds: FoundNames) -> Iterator[list[Found]]:
    """Yield given names that stand alone, written with one capital, and a family name beside them.

    They are no frequent word, term, eponym or large town. Names of the short lists that are a rare
    word of some language do not begin a sentence; names of the wide lists are no word and no usual
    family name. What no list has for a word is a family name right behind one, and where it is
    known as one before it as well.
    """
    for match in _CAPITALISED.finditer(finds.cased):
        if not _means_a_person(finds, *match.span()):
            continue
        names: list[Found] = [(*match.span(), Label.FIRST_NAME)]
        after = _FAMILY_AFTER.match(finds.cased, match.end())
        before = _FAMILY_BEFORE.search(finds.cased, max(0, match.start() - _WIDEST), match.start())
        if after and _may_be_family(finds, *after.span(1)):
            names.append((after.start() + 1, after.end(), Label.LAST_NAME))
        elif before and _may_be_family(finds, *before.span(1), known=True):
            names.insert(0, (*before.span(1), Label.LAST_NAME))
        yield names


def shortened_names(finds: FoundNames) -> Iterator[list[Found]]:
    """Yield given names of the short lists with the first letter of a family name: `Ken B`.

    A mark or the end of a line follows, and no frequent word or term is meant.
    """
    for match in _SHORTENED.finditer(finds.cased):
        word = finds.folded[match.start(1) : match.end(1)]
        of = bits(word)
        if not of & GIVEN or of & (COMMON | BARRED) or term_kind(word):
            continue
        if 0 < word_rank(word, finds.lang) <= _OF_A_LANGUAGE or word in lexicon("given_eponyms"):
            continue
        if finds.stands_at(match.start(1), match.end(2), is_given=True):
            yield [(*match.span(1), Label.FIRST_NAME), (*match.span(2), Label.LAST_NAME)]


def _may_be_family(finds: FoundNames, start: int, end: int, *, known: bool = False) -> bool:
    """Return whether a word beside a given name is no word of any list but that of families."""
    word = finds.folded[start:end]
    if finds.taken(start) or bits(word) & (COMMON | BARRED) or word_rank(word) or term_kind(word):
        return False
    is_upper = finds.cased[start:end].isupper()
    if (known or is_upper) and not surname_rank(word):
        return False
    return not (is_upper and word in lexicons("clinical_abbreviations", "staff_abbreviations"))


def _means_a_person(finds: FoundNames, start: int, end: int) -> bool:
    word = finds.folded[start:end]
    of = bits(word)
    if of & BARRED or not (is_sure(of) or _is_known_widely(word, of)):
        return False
    if word in lexicons("given_eponyms", "eponyms_families") or term_kind(word):
        return False
    rank = word_rank(word)
    if 0 < rank <= _OF_A_LANGUAGE or place_rank(word) == _LARGE_TOWN:
        return False
    if (rank and _begins_sentence(finds.cased, start)) or not finds.stands_at(
        start, end, is_given=True
    ):
        return False
    return not _is_part_of_namesake(finds.folded, start, end)


def _is_known_widely(word: str, of: int) -> bool:
    """Return whether a word is of the wide list of given names, and nothing else that is known."""
    given, family = given_rank(word), surname_rank(word)
    if not given or of & (COMMON | AMBIGUOUS) or word_rank(word):
        return False
    if not family:
        return True
    return family > _USUAL_SURNAME and (given <= _KNOWN_GIVEN or family == _RARE_GIVEN)


def _is_part_of_namesake(folded: str, start: int, end: int) -> bool:
    """Return whether a word is one of `Eli Lilly`, `Robert Koch-Institut`, `Juan Carlos I`."""
    before = _WORD_BEFORE.search(folded, max(0, start - 24), start)
    after = _WORD_AFTER.match(folded, end)
    word = folded[start:end]
    pairs = [f"{before[1]} {word}"] if before else []
    if after:
        pairs.append(f"{word} {after[1]}")
    return any(pair in lexicon("namesakes") for pair in pairs)


def _begins_sentence(cased: str, start: int) -> bool:
    before = cased[max(0, start - 3) : start].rstrip(" ")
    return not before or before[-1] == "\n" or before[-1] in _SENTENCE_ENDS

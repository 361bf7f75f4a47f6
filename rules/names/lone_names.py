"""Given names that nothing announces and that nothing else can mean: `Okay per Malachy`."""

import re
from collections.abc import Iterable, Iterator

from record.label import Label
from rules.matching.lexicon import lexicon, lexicons, place_rank, term_kind, word_rank
from rules.names.found_names import Found, FoundNames
from rules.names.words import BARRED, bits, is_sure

_SHORTEST = 3
_LONGEST = 30
_OF_A_LANGUAGE = 2  # a rank: one of the 5,000 most frequent words
_LARGE_TOWN = 1
_BEFORE, _AFTER = "_@-'/.+&", "_@/&"
_WORD_BEFORE, _WORD_AFTER = re.compile(r"([a-z']+)[ \-]\Z"), re.compile(r"[ \-]([a-z']+)")
_SENTENCE_ENDS = ".!?:;•*-–>|("


def lone_given_names(finds: FoundNames, places: Iterable[int]) -> Iterator[Found]:
    """Yield given names that stand alone; `places` are the offsets where one of the lists begins.

    They are written with one capital, are no frequent word, term, eponym or large town, and, where
    they are a rare word of some language, do not begin a sentence.
    """
    for start in places:
        end = _word_end(finds.cased, start)
        if _is_alone(finds.cased, start, end) and _means_a_person(finds, start, end):
            yield start, end, Label.FIRST_NAME


def _word_end(cased: str, start: int) -> int:
    """Return where a word with one capital in each of its hyphened parts ends."""
    end = start + 1
    while end < len(cased) and end - start < _LONGEST and cased[end].islower():
        end += 1
    if cased[end : end + 1] == "-" and cased[end + 1 : end + 2].isupper():
        return _word_end(cased, end + 1)
    return end


def _is_alone(cased: str, start: int, end: int) -> bool:
    """Return whether a stretch is a word of its own."""
    before, after = cased[start - 1 : start], cased[end : end + 1]
    if end - start < _SHORTEST or before.isalnum() or after.isalnum():
        return False
    if after == "-" and cased[end + 1 : end + 2].isalpha():
        return False
    return before not in tuple(_BEFORE) and after not in tuple(_AFTER)


def _means_a_person(finds: FoundNames, start: int, end: int) -> bool:
    word = finds.folded[start:end]
    of = bits(word)
    if not is_sure(of) or of & BARRED or word in lexicons("given_eponyms", "eponyms_families"):
        return False
    rank = word_rank(word)
    if 0 < rank <= _OF_A_LANGUAGE or term_kind(word) or place_rank(word) == _LARGE_TOWN:
        return False
    if (rank and _begins_sentence(finds.cased, start)) or not finds.stands_at(
        start, end, is_given=True
    ):
        return False
    return not _is_part_of_namesake(finds.folded, start, end)


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
    before = cased[:start].rstrip(" ")[-1:] if start < 3 else cased[start - 3 : start].rstrip(" ")
    return not before or before[-1] == "\n" or before[-1] in _SENTENCE_ENDS

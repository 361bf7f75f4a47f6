"""Further mentions of names: a name that was found once in a note is one wherever it stands."""

from collections.abc import Callable, Iterable, Iterator

from locales import name_endings
from record.document import Document
from record.label import Label
from record.span import Span
from rules.matching.lexicon import given_rank, lexicon, surname_rank, term_kind, word_rank
from rules.matching.normalized_document import cased_once, fold_once
from rules.names.plausibility import is_address, is_person
from rules.names.words import BARRED, COMMON, FAMILY, GIVEN, bits

_NAMES = frozenset((Label.FIRST_NAME, Label.LAST_NAME, Label.NAME))
_SHORTEST = 3
_SHORTEST_INFLECTED = 4
_OF_A_LANGUAGE = 3  # a rank: the 20,000 most frequent words
_FREQUENT = 2  # a rank: the 10,000 most frequent family names, the 1,000 given names, of a country


def find_mentions(document: Document, found: Iterable[Span]) -> list[Span]:
    """Return spans of the other places of names that a detector found in a document.

    They have label, detector and score of the span where a word stands first. What the lists of
    words, terms and eponyms claim is not looked for, nor are words of one or two letters; a
    mention is no part of a longer word, a disease, a street or a site. It begins with a capital,
    unless the name was found in small letters and is no word of any language. Genitives and plurals
    (`Grünwalds`) are mentions, too, and those of which one was found.
    """
    spans = list(found)
    folded, cased = fold_once(document.text), cased_once(document.text)
    taken = bytearray(len(cased) + 1)
    names: dict[str, Span] = {}
    in_small_letters: set[str] = set()
    for span in spans:
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
        if span.label not in _NAMES:
            continue
        words = folded[span.start : span.end].split()
        words += [stem for word in words for stem in find_stems(word, document.lang)]
        for word in words:
            is_new = len(word) >= _SHORTEST and word not in names
            if is_new and _is_distinctive(word, document.lang):
                names[word] = span
        if cased[span.start : span.end].islower():
            in_small_letters.update(word for word in words if not word_rank(word))
    return [
        Span(at, end, span.label, span.detector, span.score)
        for word, span in names.items()
        for at, end in free_occurrences(
            cased, folded, word, lambda at: taken[at] == 1, lang=document.lang
        )
        if (cased[at].isupper() or word in in_small_letters)
        and is_person(folded, at, end)
        and not is_address(folded, at)
    ]


def free_occurrences(
    cased: str, folded: str, word: str, is_taken: Callable[[int], bool], *, lang: str
) -> Iterator[tuple[int, int]]:
    """Yield start and end of where a folded word stands alone at offsets that are not taken.

    With a capital it may have the ending of the genitive or plural of a language.
    """
    ending = name_endings.inflect(word, lang).removeprefix(word)
    inflected = word + ending
    has_ending = (
        ending.isalpha()
        and word in name_endings.stems(inflected, lang)
        and len(word) >= _SHORTEST_INFLECTED
        and _is_distinctive(inflected, lang)
    )
    at = folded.find(word)
    while at >= 0:
        end = at + len(word)
        if not is_taken(at):
            if not _is_part_of_word(cased, at, end):
                yield at, end
            elif has_ending and cased[at].isupper() and folded.startswith(ending, end):
                end += len(ending)
                if not _is_part_of_word(cased, at, end):
                    yield at, end
        at = folded.find(word, end)


def find_stems(word: str, lang: str) -> list[str]:
    """Return the names of which a folded word that is no name itself is the genitive or plural."""
    if bits(word) & (GIVEN | FAMILY):
        return []
    return [
        stem
        for stem in name_endings.stems(word, lang)
        if bits(stem) & (GIVEN | FAMILY) and _is_distinctive(stem, lang)
    ]


def _is_distinctive(word: str, lang: str) -> bool:
    """Return whether a folded word found as a name can hardly be meant otherwise in a language."""
    is_term = term_kind(word) or word in lexicon("clinical_abbreviations")
    if not word.isalpha() or is_term or bits(word) & (COMMON | BARRED):
        return False
    known = given_rank(word), surname_rank(word)
    frequent = any(0 < rank <= _FREQUENT for rank in known)
    return frequent or not 0 < word_rank(word, lang) <= _OF_A_LANGUAGE


def _is_part_of_word(cased: str, at: int, end: int) -> bool:
    """Return whether a stretch is part of a longer word or of an address of the net."""
    if at and (cased[at - 1].isalnum() or cased[at - 1] in "_@-'"):
        return True
    after = cased[end : end + 2]
    return (
        after[:1].isalnum() or after[:1] in ("_", "@") or (after[:1] == "-" and after[1:].isalpha())
    )

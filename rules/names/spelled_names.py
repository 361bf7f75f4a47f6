"""Names that are spelled letter by letter in dictation: `c h e v r i e r`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from record.document import Document
from record.label import Label
from record.span import Span
from rules.matching.lexicon import given_rank, surname_rank, term_kind, word_rank
from rules.matching.normalized_document import fold_once
from rules.matching.scanner import Pattern
from rules.names.found_names import Found

_LETTERS = Pattern(r"(?<![a-z0-9'.])[a-z] [a-z] [a-z] [a-z](?: [a-z]){0,24}(?![a-z0-9'.])")
_LONG = 6
_NAMES = frozenset((Label.FIRST_NAME, Label.LAST_NAME, Label.NAME))
_SPELLED = re.compile(r"(?<![a-z0-9])[a-z] [a-z] [a-z](?![a-z0-9])")
# A letter, what is said of one (`e accent aigu`), and what is said between two parts of a name.
_LETTER = (
    r"(?:[a-z]|apostroph(?:e|es)?|apostrof|tiret|trait d'union|accent (?:aigu|grave|circonflexe)"
    r"|trema|cedille|plus loin|plus|double|guion|con tilde|hyphen|dash|bindestrich|koppelteken)"
)
_LETTERS_BEFORE = re.compile(rf"(?<![a-z0-9'.])(?:{_LETTER} ){{1,30}}\Z")
_LETTERS_BEHIND = re.compile(rf"(?: {_LETTER}){{1,30}}(?![a-z0-9'.])")
_REACH = 90


def spelled_names(cased: str, folded: str) -> Iterator[Found]:
    """Yield names (NAME) in small letters with single blanks between; code points, half open.

    Four or five letters must spell a name of the wide lists; more are one unless they spell a word
    or a term. The first or last letter may be a word of its own (`a`, `y`).
    """
    for match in _LETTERS.finditer(folded):
        start, end = match.span()
        if not cased[start:end].islower():
            continue
        whole = folded[start:end].replace(" ", "")
        parts = [whole[1:], whole[:-1]] if len(whole) > _LONG else []
        is_known = any(given_rank(word) or surname_rank(word) for word in (whole, *parts))
        is_word = word_rank(whole) or term_kind(whole)
        if is_known or (len(whole) >= _LONG and not is_word):
            yield start, end, Label.NAME


def complete_spelled_names(document: Document, found: Iterable[Span]) -> list[Span]:
    """Return longer spans of names of which a detector found three spelled letters or more.

    They reach over all letters before and behind, and over what is said of these: `apostrophe`,
    `accent aigu`. They have label, detector and score of the span they hold.
    """
    folded = fold_once(document.text)
    longer = []
    for span in found:
        if span.label not in _NAMES or not _SPELLED.search(folded[span.start : span.end]):
            continue
        low = max(0, span.start - _REACH)
        before = _LETTERS_BEFORE.search(folded[low : span.start])
        behind = _LETTERS_BEHIND.match(folded, span.end)
        start = low + before.start() if before else span.start
        end = behind.end() if behind else span.end
        if document.text.endswith(" à", span.end, end):
            end -= 2  # the preposition, which has lost its accent in the folded text
        if (start, end) != (span.start, span.end):
            longer.append(replace(span, start=start, end=end))
    return longer

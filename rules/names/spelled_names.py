"""Names that are spelled letter by letter in dictation: `c h e v r i e r`."""

from collections.abc import Iterator

from record.label import Label
from rules.matching.lexicon import given_rank, surname_rank, term_kind, word_rank
from rules.matching.scanner import Pattern
from rules.names.found_names import Found

_LETTERS = Pattern(r"(?<![a-z0-9'.])[a-z] [a-z] [a-z] [a-z](?: [a-z]){0,24}(?![a-z0-9'.])")
_LONG = 6


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

"""Nicknames in quotation marks: after a word that announces one, and inside or behind a name."""

import re

from record.label import Label
from rules.matching.lexicon import given_rank, term_kind, word_rank
from rules.matching.scanner import Pattern
from rules.names.found_names import FoundNames
from rules.names.plausibility import NO_PERSON
from rules.names.words import BARRED, CLINICAL, COMMON, FUNCTION, GIVEN, bits

_OPEN = r"(?:<<|[\"'«‹“„‚‘»›”’`]{1,2})"
_CLOSE = r"(?:>>|[\"'»›”“’‘«‹`]{1,2})"
_NAME = r"[a-z][a-z'\-]{1,20}"
# What announces a nickname, in all languages at once: quotation marks have to follow.
_ANNOUNCED = Pattern(
    r"\b(?:dite?|surnommee?|alias|aka|a\.k\.a\.|known as|nicknamed|goes by|prefers|called"
    r"|apodad[oa]|llamad[oa]|conocid[oa] como|alias|genannt|rufname|rufnamen|spitzname"
    r"|roepnaam|genaamd|bijgenaamd|bijnaam)[ :,]{1,3}"
    rf"{_OPEN}[ ]?{_NAME}[ ]?{_CLOSE}"
)
_INSIDE = Pattern(rf"[a-z.\-][ ]\(?{_OPEN}[ ]?{_NAME}[ ]?{_CLOSE}\)?(?=[ ,.;)\n]|\Z)")
_QUOTED = re.compile(rf"{_OPEN}[ ]?({_NAME})[ ]?{_CLOSE}\)?\Z")
_PERSON_BEFORE = re.compile(
    r"(?:\bpat(?:ient(?:e|in)?)?\.?|\bpaciente|\bpatiente|\bpatient|\bmr|\bmrs|\bms)[ ]\(?\Z"
)
_WORD_BEFORE = re.compile(r"([a-z]+)[ ,]{1,2}\Z")
_OF_A_LANGUAGE = 3  # a rank: one of the 20,000 most frequent words


def take_nicknames(finds: FoundNames) -> None:
    """Take one capitalized word in quotation marks that is announced or stands at a name.

    A name stands right before it (`Desmond "Dezzie" Okonjo`, `Maria Huber ("Mitzi")`), or a word
    for a patient. Terms, and everyday words that are no given name, are none.
    """
    for match in _ANNOUNCED.finditer(finds.folded):
        # A test, a sign, a street may be called something, too.
        word = _WORD_BEFORE.search(finds.folded, max(0, match.start() - 30), match.start())
        if word is None or word[1] not in NO_PERSON:
            _take_quoted(finds, match.start(), match.end())
    for match in _INSIDE.finditer(finds.folded):
        before = match.start() + 1
        low = max(0, before - 12)
        if finds.taken(match.start()) or _PERSON_BEFORE.search(finds.folded[low : before + 2]):
            _take_quoted(finds, match.start(), match.end())


def _take_quoted(finds: FoundNames, start: int, end: int) -> None:
    quoted = _QUOTED.search(finds.folded[start:end])
    if quoted is None:
        return
    first, last = start + quoted.start(1), start + quoted.end(1)
    written, word = finds.cased[first:last], quoted[1]
    of = bits(word)
    rank = word_rank(word, finds.lang)
    is_word = of & (COMMON | FUNCTION | CLINICAL) or 0 < rank <= _OF_A_LANGUAGE
    is_given = of & GIVEN or given_rank(word)
    if not written[0].isupper() or finds.taken(first) or of & BARRED or term_kind(word):
        return
    if is_given or not is_word:
        finds.claim([(first, last, Label.FIRST_NAME)])

"""Whole names of which a detector found a part: `Gijsbert [Onderwater]`, `Anton ("Toon") [Bos]`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from locales.registry import every
from record.document import Document
from record.folding import fold
from record.label import Label
from record.span import Span
from rules.matching.lexicon import given_rank, surname_rank, term_kind, word_rank
from rules.names.words import BARRED, bits

_NAMES = frozenset((Label.FIRST_NAME, Label.LAST_NAME, Label.NAME))
_PARTICLES = (
    r"(?:(?:van|von|de|der|den|du|da|di|del|dos|das|la|le|el|al|ben|ter|ten|zu|zum|zur) ){0,3}"
)
_CAPITALISED = r"[A-ZÀ-ÖØ-ÞŁŚŻŽŠČ][^\W\d_]['’\w\-]{1,24}(?![\w@])"
_BEHIND = re.compile(rf" ({_PARTICLES})({_CAPITALISED})")
_DICTATED = re.compile(rf" ({_PARTICLES})([^\W\d_]{{3,15}})(?![\w'’\-])")
# The family name by its first letter: `Tomasz K`. It may be a sex as well.
_INITIAL_BEHIND = re.compile(r" ([A-ZÀ-ÖØ-Þ])(?:\.(?![\w\-])|(?![\w.'’/+\-]))")
_SEXES = {"fr": "FMH", "en": "FM", "es": "FHMV", "de": "MW", "nl": "MV"}
_OF_A_LANGUAGE = 2  # a rank: the 5,000 most frequent words
_NICKNAMED = re.compile(
    r" ?\(?[\"“„«'‘] ?[A-ZÀ-ÖØ-Þ][\w\-]{1,14} ?[\"”“»'’]\)? "
    rf"({_PARTICLES})({_CAPITALISED})"
)
_PARTICLE_BEFORE = re.compile(
    r"(?<=[ (,;:\n–\-])((?:V[Aa][Nn]|V[Oo][Nn]|D[AIEU]|D[aiu]|D[Oo][Ss]|D[Ee][NnRr]|D[Ee][Ll]|E[lL]"
    r"|A[lL]|B[Ee][Nn]|A[iIïÏ][tT]|T[Ee][NnRr]|M[Aa][Cc]|S[Tt]|L[AE]) )+\Z"
)
_LISTED = re.compile(
    rf"(?: ?\([^()\n]{{1,12}}\))?, ({_CAPITALISED})(?: ?\([^()\n]{{1,12}}\))?,"
    r" (?:(?:[A-Z][a-z]{1,4}\.|Mme|Mrs?|Dra?|Frau|Herr) ){0,2}"
)
_WIDEST_LIST = 60
_REACH = 20
_SHORTEST = 3
_SURE = 0.95  # a score
_KNOWN_FAMILY = 3
_NO_NAMES = every(
    lambda language: frozenset(
        fold(word)
        for styles in (
            language.dates.weekdays,
            language.dates.months,
            language.dates.short_weekdays,
        )
        for style in styles
        for word in style.words
    )
)


def complete_names(document: Document, found: Iterable[Span]) -> list[Span]:
    """Return spans of what belongs to names of which a detector found a part.

    A family name stands right behind a given name that is sure or of the lists, though it is an
    everyday word, or behind a nickname in quotation marks, in dictations without capitals one of
    the lists; particles with a capital stand before one. Between two names of a list stands a third
    one. They have detector and score of the span they complete.
    """
    text = document.text
    spans = list(found)
    taken = bytearray(len(text) + 1)
    for span in spans:
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
    return [
        replace(span, start=start, end=end, label=Label.LAST_NAME)
        for span in spans
        if span.label in _NAMES
        for start, end in _parts(text, span, document.lang)
        if not any(taken[start:end])
    ] + [
        replace(span, start=start, end=end, label=Label.LAST_NAME)
        for span, start, end in _listed_between(text, spans)
        if not any(taken[start:end])
    ]


def initials_behind_names(document: Document, found: Iterable[Span]) -> list[Span]:
    """Return spans of the first letter of a family name behind given names of the lists.

    They have detector and score of the span they complete.
    """
    made = []
    for span in found:
        if span.label != Label.FIRST_NAME:
            continue
        initial = _INITIAL_BEHIND.match(document.text, span.end)
        if (
            initial
            and (initial[1] not in _SEXES.get(document.lang, "FMHVW") or initial[0].endswith("."))
            and given_rank(fold(document.text[span.start : span.end]))
        ):
            start, end = initial.start(1), initial.end()
            made.append(replace(span, start=start, end=end, label=Label.LAST_NAME))
    return made


def _listed_between(text: str, spans: Iterable[Span]) -> Iterator[tuple[Span, int, int]]:
    """Yield words between two names of a list: `[Ahrens], Lorenzen, Dr. [Siddiqui]`."""
    names = sorted((span for span in spans if span.label in _NAMES), key=lambda span: span.start)
    for one, other in pairwise(names):
        if one.end < other.start <= one.end + _WIDEST_LIST:
            between = _LISTED.fullmatch(text, one.end, other.start)
            if between and not _is_everyday(between[1]):
                yield one, between.start(1), between.end(1)


def _is_everyday(word: str) -> bool:
    folded = fold(word)
    if bits(folded) & BARRED or term_kind(folded) or folded in _NO_NAMES:
        return True
    return word_rank(folded) > 0 and not surname_rank(folded)


def _parts(text: str, span: Span, lang: str) -> Iterator[tuple[int, int]]:
    if text[span.start : span.end].islower():
        behind = _DICTATED.match(text, span.end) if span.label == Label.FIRST_NAME else None
        if behind and behind[2].islower() and _is_dictated_family_name(behind[2], lang):
            yield behind.start(1), behind.end()
        return
    nicknamed = _NICKNAMED.match(text, span.end)
    if nicknamed:
        yield nicknamed.start(1), nicknamed.end()
    elif span.label == Label.FIRST_NAME and (behind := _BEHIND.match(text, span.end)):
        written = text[span.start : span.end]
        is_sure = span.score >= _SURE and lang != "de"
        if (is_sure or given_rank(fold(written))) and _is_family_name(written, behind[2], lang):
            yield behind.start(1), behind.end()
    if span.label == Label.LAST_NAME and text[span.start : span.start + 1].isupper():
        before = _PARTICLE_BEFORE.search(text, max(0, span.start - _REACH), span.start)
        if before:
            yield before.start(), before.end() - 1


def _is_dictated_family_name(family: str, lang: str) -> bool:
    """Return whether a word in small letters is a family name, and no frequent word."""
    word = fold(family)
    return 0 < surname_rank(word) <= _KNOWN_FAMILY and not (
        0 < word_rank(word, lang) <= _OF_A_LANGUAGE
    )


def _is_family_name(given: str, family: str, lang: str) -> bool:
    """Return whether a word right behind a given name can be taken for the family name.

    Between German nouns, which all have a capital, it must be one of the lists.
    """
    word = fold(family)
    if word in _NO_NAMES or len(given) < _SHORTEST:
        return False
    if not (given[1:].islower() and family[1:].islower()):
        return False
    if bits(word) & BARRED and not surname_rank(word):
        return False
    return lang != "de" or 0 < surname_rank(word) <= _KNOWN_FAMILY

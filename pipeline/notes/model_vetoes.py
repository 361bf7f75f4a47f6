"""Spans of a model that can be nothing of their label: left out before they meet those of rules.

A veto needs no context that a name could have: it is for words and numbers that no name is. Known
values and what rules find are never asked.
"""

import re
from collections.abc import Callable

from record.folding import fold
from record.label import Label
from record.span import Span
from rules.matching.lexicon import given_rank, lexicon, place_rank, surname_rank, word_rank
from rules.matching.normalization import plain
from rules.names.words import FAMILY, GIVEN, bits

_NAMES = frozenset((Label.FIRST_NAME, Label.LAST_NAME, Label.NAME))
_PLACES = frozenset((Label.CITY, Label.REGION, Label.COUNTRY))
_NUMBERS = frozenset(
    (
        *(Label.PHONE, Label.FAX, Label.SSN, Label.ID, Label.PATIENT_ID, Label.VISIT_ID),
        *(Label.PROVIDER_ID, Label.INSURANCE_ID, Label.ACCOUNT, Label.DEVICE_ID, Label.ZIP),
    )
)
_DATES = frozenset((Label.DATE, Label.BIRTH_DATE))
_WORDS = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_CAPITAL = re.compile(r"(?<!\w)[^\W\d_a-z][a-zß-öø-ÿ]")
_SMALL = re.compile(r"(?<!\w)[a-zß-öø-ÿ]{2}")
_COLUMNS = re.compile(r"\t| {2,}|\n")
_VALUE = re.compile(r"[+\-<>]?(?!0[0-9])[0-9]{1,5}(?:[.,][0-9]{1,3}){0,2}%?")
_FOUR_DIGITS = re.compile(r"[0-9]{4}")
_FIRST_YEAR, _LAST_YEAR = 1900, 2099
_OF_A_LANGUAGE = 3  # a rank: one of the 20,000 most frequent words
_LEAST_CAPITALS = 0.02


def make_veto(text: str, lang: str) -> Callable[[Span], bool]:
    """Return what tells of a span of the text whether it can be nothing of its label."""
    capitals = len(_CAPITAL.findall(text))
    has_capitals = capitals >= _LEAST_CAPITALS * (capitals + len(_SMALL.findall(text)))

    def veto(span: Span) -> bool:
        written = text[span.start : span.end]
        if span.label in _NUMBERS:
            return _are_values_in_columns(written)
        if span.label in _DATES:
            return _is_no_year(written)
        words = _WORDS.findall(written)
        if not words:
            return False
        folded = [fold(plain(word)) for word in words]
        if span.label in _NAMES:
            if all(map(_is_abbreviation, folded)):
                return True
            if has_capitals and written.islower():
                return all(_is_everyday(word, lang) for word in folded)
            is_plain = len(words) == 1 and written[1:].islower()
            return is_plain and _is_only_a_word(folded[0], lang)
        if span.label in _PLACES and has_capitals and written.islower():
            return all(_is_everyday(word, lang) and not _is_town(word) for word in folded)
        return False

    return veto


def _are_values_in_columns(written: str) -> bool:
    """Return whether numbers stand in columns or lines, each as short as a value is."""
    columns = [column.strip() for column in _COLUMNS.split(written.strip())]
    return len(columns) > 1 and all(_VALUE.fullmatch(column) for column in columns if column)


def _is_no_year(written: str) -> bool:
    """Return whether a date is nothing but four digits of an hour: `2158`."""
    if not _FOUR_DIGITS.fullmatch(written):
        return False
    return not _FIRST_YEAR <= int(written) <= _LAST_YEAR


def _is_abbreviation(word: str) -> bool:
    return word in lexicon("clinical_abbreviations") and not bits(word) & (GIVEN | FAMILY)


def _is_everyday(word: str, lang: str) -> bool:
    """Return whether a word is one of the more frequent of its language."""
    return 0 < word_rank(word, lang) <= _OF_A_LANGUAGE


def _is_only_a_word(word: str, lang: str) -> bool:
    """Return whether a word is frequent in its language, and no name anywhere."""
    return _is_everyday(word, lang) and not (
        given_rank(word) or surname_rank(word) or bits(word) & (GIVEN | FAMILY)
    )


def _is_town(word: str) -> bool:
    return place_rank(word) != 0

"""Numbers in words, as dates and ages write them: one, first, zweitausend."""

from collections.abc import Iterator
from functools import cache

from locales.registry import LANGUAGES
from locales.roman_numbers import write_roman
from surrogates.patient.text_normalization import fold

# The ways to write a day as an ordinal; the language stands before the hyphen.
ORDINAL_FORMS = {
    name: form
    for language in LANGUAGES.values()
    for name, form in language.numbers.ordinals.items()
}


ROMAN = "roman"
"""The manner of a number in Roman letters."""


def spell(number: int, manner: str) -> str:
    """Write a number below 3000 in words: a language's cardinal, or one of `ORDINAL_FORMS`.

    Or write it in Roman capitals.
    """
    if manner == ROMAN:
        return write_roman(number)
    if manner in ORDINAL_FORMS:
        return ORDINAL_FORMS[manner].write(number)
    return LANGUAGES[manner].numbers.cardinal(number)


_Known = dict[tuple[str, ...], list[tuple[str, int]]]


def _variants(spelt: str) -> Iterator[str]:
    """Yield the spellings of a number in words that are read alike."""
    yield spelt
    for before, after in (("cents", "cent"), ("vingts", "vingt"), ("ß", "ss")):
        if before in spelt:
            yield spelt.replace(before, after)
    # Dutch parts a year as `tweeduizend vierentwintig` or not; German never has to.
    for head in ("honderd", "duizend", "hundert", "tausend"):
        start, found, rest = spelt.partition(head)
        if found and rest:
            rest = rest.strip()
            yield from (f"{start}{head}{blank}{rest}" for blank in ("", " "))


def _add(known: _Known, spelt: str, manner: str, value: int) -> None:
    for variant in _variants(fold(spelt)):
        found = known.setdefault(tuple(variant.replace("-", " ").split()), [])
        if (manner, value) not in found:
            found.append((manner, value))


@cache
def list_cardinals() -> _Known:
    """Return the folded words of each cardinal -> the languages they are of, with the value."""
    known: _Known = {}
    for code, language in LANGUAGES.items():
        for number in (*range(1, 100), *range(1800, 2100)):
            _add(known, language.numbers.cardinal(number), code, number)
        for written, number in language.numbers.spellings.items():
            _add(known, written, code, number)
    return known


@cache
def list_spelt() -> _Known:
    """Return the folded words of a number -> the manners it may be written in, with each value."""
    known = {words: list(found) for words, found in list_cardinals().items()}
    for name, form in ORDINAL_FORMS.items():
        for number in range(1, form.last + 1):
            _add(known, form.write(number), name, number)
    return known


@cache
def list_first_words() -> frozenset[str]:
    """Return the words that a number in words may begin with."""
    return frozenset(words[0] for words in list_spelt())


@cache
def count_longest() -> int:
    """Return the number of words of the longest number."""
    return max(map(len, list_spelt()))

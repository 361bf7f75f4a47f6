"""The lexicons are there in every language, without doubles, large and clean."""

import pytest

from record.folding import fold
from record.languages import LANGUAGES as LOCALES
from surrogates.patient import gazetteer, lexicon

KINDS = {
    "given.male": 400,
    "given.female": 400,
    "family": 3000,
    "cities": 140,
    "streets": 100,
    "hospitals": 50,
    "organizations": 50,
    "professions": 80,
    "regions": 50,
    "countries": 90,
}
# Lists that no register stands behind are shorter.
SHORTER = {"family": 1500}


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("kind", KINDS)
def test_entries_are_many_distinct_and_trimmed(kind: str, locale: str) -> None:
    entries = lexicon.load(kind, locale)
    least = SHORTER.get(kind, KINDS[kind]) if locale in ("de", "nl") else KINDS[kind]
    assert len(entries) >= least
    assert len(entries.places) == len(entries), "two entries fold to the same"
    assert all(entry == entry.strip() and entry for entry in entries.entries)


@pytest.mark.parametrize("locale", LOCALES)
def test_names_are_single_words(locale: str) -> None:
    for kind in ("given.male", "given.female", "family"):
        assert all(entry.isalpha() for entry in lexicon.load(kind, locale).entries)


@pytest.mark.parametrize("locale", LOCALES)
def test_names_start_with_many_letters(locale: str) -> None:
    """A surrogate never starts with its original's letter: enough must be left."""
    for entries in (lexicon.given(locale), lexicon.load("family", locale)):
        firsts = [fold(entry)[0] for entry in entries.entries]
        assert max(map(firsts.count, set(firsts))) < len(firsts) / 4


@pytest.mark.parametrize("locale", LOCALES)
def test_every_town_has_a_postal_code(locale: str) -> None:
    towns = lexicon.load("cities", locale)
    assert len(towns.codes) == len(towns)
    width = gazetteer.code_width(locale)
    assert width == (4 if locale == "nl" else 5)
    assert all(len(code) == width and code.isdigit() for code in towns.codes)

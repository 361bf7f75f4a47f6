"""The endings of names in the genitive and the plural."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locales.name_endings import inflect, stems

LANGUAGES = ("de", "en", "nl")


@pytest.mark.parametrize(
    ("word", "lang", "expected"),
    [
        ("grunwalds", "de", ("grunwald",)),
        ("jansens", "nl", ("jansen",)),
        ("millers", "en", ("miller",)),
        ("joneses", "en", ("jonese", "jones")),
        ("marches", "en", ("marche", "march")),
        ("grunwald", "de", ()),
        ("voss", "de", ()),
        ("lis", "nl", ()),
        ("martins", "fr", ()),
        ("lopezs", "es", ()),
    ],
)
def test_stems_are_what_a_word_may_be_of(word: str, lang: str, expected: tuple[str, ...]) -> None:
    assert stems(word, lang) == expected


@pytest.mark.parametrize(
    ("name", "lang", "expected"),
    [
        ("Karner", "de", "Karners"),
        ("Voss", "de", "Voss'"),
        ("Weiß", "de", "Weiß'"),
        ("Ross", "en", "Rosses"),
        ("March", "en", "Marches"),
        ("Bakker", "nl", "Bakkers"),
        ("Otto", "nl", "Otto's"),
        ("Vos", "nl", "Vos'"),
        ("Martin", "fr", "Martin"),
    ],
)
def test_endings_fit_the_last_letters(name: str, lang: str, expected: str) -> None:
    assert inflect(name, lang) == expected


@given(st.text("abcehinorstvxz", min_size=3, max_size=10), st.sampled_from(LANGUAGES))
def test_an_inflected_name_leads_back_to_it(name: str, lang: str) -> None:
    written = inflect(name, lang)
    if written.isalpha():
        assert name in stems(written, lang)

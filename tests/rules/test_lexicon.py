from importlib.resources import files

import pytest

from record.folding import fold
from rules.lexicon import lexicon, lexicons
from rules.views import plain

NAMES = sorted(
    path.name for path in (files("rules") / "lexicons").iterdir() if path.name.endswith(".txt")
)


@pytest.mark.parametrize("name", NAMES)
def test_lists_are_readable_folded_and_say_where_they_come_from(name: str) -> None:
    text = (files("rules") / "lexicons" / name).read_text("utf-8")
    head = "".join(line for line in text.splitlines() if line.startswith("#"))
    assert "Source:" in head or "Written for this project" in head
    if "Source:" in head:
        assert "MIT licence" in head
    entries = lexicon(name.removesuffix(".txt"))
    assert entries
    assert all(entry == fold(plain(entry)).strip() for entry in entries)


def test_a_list_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        lexicon("nowhere")


def test_lists_join() -> None:
    assert lexicons("species", "cities") == lexicon("species") | lexicon("cities")
    assert {"helene", "jose", "emily"} <= lexicons("given_fr", "given_en", "given_es")


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("aspirine", "given_fr"),
        ("service", "family_fr"),
        ("patient", "given_en"),
        ("hospital", "family_es"),
    ],
)
def test_words_of_the_ward_are_no_names(word: str, name: str) -> None:
    assert word not in lexicon(name)

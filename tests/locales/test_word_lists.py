"""The lists that rules know and surrogates are drawn from: whole, distinct, and nowhere twice."""

import hashlib
from importlib.resources import files
from pathlib import Path

import pytest

from locales import word_lists
from record.folding import fold
from record.languages import LANGUAGES

ROOT = Path(__file__).parents[2]
LISTS = [(kind, lang) for lang in word_lists.LISTED for kind in sorted(word_lists.KINDS)]
ORDER = {
    ("cities", "fr"): "2cb5b50c6e49a745",
    ("countries", "fr"): "42b25e636c6c5a8f",
    ("family", "fr"): "b965ba119e84c2b3",
    ("given", "fr"): "4ff05b0d8b5ee2a4",
    ("regions", "fr"): "98428f0f37997cf6",
    ("cities", "en"): "5ff730b3386fd4e4",
    ("countries", "en"): "aa13077bd06d6bcc",
    ("family", "en"): "7113c33f32d17386",
    ("given", "en"): "4357cdf1fc0603a1",
    ("regions", "en"): "aa71dc98b0812f6e",
    ("cities", "es"): "8dabe39224ed200e",
    ("countries", "es"): "7bc6a2c33decfa58",
    ("family", "es"): "b85a72b360a3c57e",
    ("given", "es"): "ed8caa43cb857f3b",
    ("regions", "es"): "39f8448123971054",
    ("cities", "de"): "73d730085f5edc08",
    ("countries", "de"): "f0fa2a3bd650c0c5",
    ("family", "de"): "7cd8915e20776bf6",
    ("given", "de"): "672ba1f9675c084d",
    ("regions", "de"): "6664392b31d730fe",
    ("cities", "nl"): "868fef0f50d3c8b4",
    ("countries", "nl"): "dd5a1eef9e4d7ab1",
    ("family", "nl"): "f4f5f174ad407da1",
    ("given", "nl"): "d37b6e555bd2c890",
    ("regions", "nl"): "3a6ed083f2752ae7",
}
"""Digests of the drawn entries of each list, in order: another order is another surrogate."""


def lines(kind: str, lang: str) -> list[str]:
    text = (files("locales") / "lexicons" / lang / f"{kind}.txt").read_text(encoding="utf-8")
    return text.splitlines()


def digest(kind: str, lang: str) -> str:
    return hashlib.sha256(repr(word_lists.drawn(kind, lang)).encode()).hexdigest()[:16]


def test_every_listed_language_has_every_list_and_no_other() -> None:
    paths = (ROOT / "locales" / "lexicons").rglob("*.txt")
    assert sorted((path.stem, path.parent.name) for path in paths) == sorted(LISTS)


@pytest.mark.parametrize(("kind", "lang"), LISTS)
def test_every_entry_is_for_somebody_and_none_stands_twice(kind: str, lang: str) -> None:
    entries = [line.split(";") for line in lines(kind, lang) if not line.startswith("#")]
    assert all((len(row) == 2 and row[1]) or row[2:] == ["x"] for row in entries)
    folded = [fold(row[0]) for row in entries]
    assert len(set(folded)) == len(folded)
    assert [row[0] for row in entries if row[0] != row[0].strip()] == []


@pytest.mark.parametrize(("kind", "lang"), LISTS)
def test_what_is_known_and_what_is_drawn_are_the_list(kind: str, lang: str) -> None:
    drawn = {entry for entry, _ in word_lists.drawn(kind, lang)}
    known = set(word_lists.known(kind, lang))
    entries = {line.partition(";")[0] for line in lines(kind, lang) if not line.startswith("#")}
    assert drawn | known == entries
    assert drawn & known


@pytest.mark.parametrize(("kind", "lang"), LISTS)
def test_what_is_drawn_stands_in_the_order_of_every_release_so_far(kind: str, lang: str) -> None:
    assert digest(kind, lang) == ORDER[kind, lang]


@pytest.mark.parametrize(("kind", "lang"), LISTS)
def test_lists_say_where_they_come_from(kind: str, lang: str) -> None:
    head = [line for line in lines(kind, lang) if line.startswith("#")]
    if kind in ("family", "given"):
        if lang not in ("de", "nl"):
            registers = ("Insee", "Census", "Estadística")
            assert any(register in line for line in head for register in registers)
        assert any("Faker" in line and "MIT licence" in line for line in head)
    else:
        assert any("ompiled for this project" in line or "Insee" in line for line in head)


def test_the_listed_languages_are_those_of_policies() -> None:
    assert word_lists.LISTED == LANGUAGES


def test_no_room_has_a_list_of_its_own_of_what_is_shared() -> None:
    """The places of other countries stay in the rules: they share no entry with those here."""
    own = {path.stem: path for path in (ROOT / "rules" / "lexicons").rglob("*.txt")}
    for kind, lang in LISTS:
        assert f"{kind}_{lang}" not in own
        if kind in own:
            left = {fold(line) for line in own[kind].read_text(encoding="utf-8").splitlines()}
            assert left.isdisjoint(fold(entry) for entry in word_lists.known(kind, lang))
    drawn = {path.stem for path in (ROOT / "surrogates" / "lexicons").rglob("*.txt")}
    assert drawn.isdisjoint(word_lists.KINDS)

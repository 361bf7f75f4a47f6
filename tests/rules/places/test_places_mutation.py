"""Every alternative of the expressions on places, sites, jobs and companies is needed by a line."""

import pytest

from rules.places import (
    address_parts,
    gazetteer,
    named_sites,
    places,
    postcodes,
    streets,
    town_names,
    towns,
)
from tests.rules.marked import unmark
from tests.rules.mutation import survivors
from tests.rules.places.forms_places import LANGUAGES, negatives, valid
from tests.rules.places.forms_places_each import EACH, HEADINGS
from tests.rules.places.test_places_forms import outer

MODULES = (
    places,
    streets,
    towns,
    town_names,
    gazetteer,
    postcodes,
    named_sites,
    address_parts,
)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_line_holds_what_is_marked_and_nothing_else(lang: str) -> None:
    lines = [(line, *unmark(line)) for line in EACH[lang]]
    wrong = [line for line, text, spans in lines if outer(text, lang) != set(spans)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("text", HEADINGS)
def test_headings_are_no_sites(text: str) -> None:
    assert not outer(text, "en")


@pytest.mark.slow
def test_each_alternative_is_needed_by_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    # Wider rules that find some of the same: they have tables of their own.
    for name in ("employers", "streets_alone", "towns_before_dates", "trades_beside_persons"):
        monkeypatch.setattr(places, name, lambda *_: iter(()))
    lines = [(unmark(line)[0], lang) for lang in LANGUAGES for line in (*valid(lang), *EACH[lang])]
    lines += [(line, lang) for lang in LANGUAGES for line in negatives(lang)]
    lines += [(text, "en") for text in HEADINGS]
    assert survivors(MODULES, places.detect, lines) == []

"""Streets without a number, and places that are none."""

import pytest

from record.document import Document
from record.label import Label
from rules.places.places import detect


def streets(text: str, lang: str) -> list[str]:
    found = detect(Document("n", text, lang=lang))
    return [text[s.start : s.end] for s in found if s.label == Label.STREET]


@pytest.mark.parametrize("before", [
    "in der", "In der", "an der", "auf der", "Ecke", "ecke", "wohnt", "Wohnt", "wohnhaft", "am",
    "Am", "auf dem", "vom", "zum", "zur", "beim",
])  # fmt: skip
@pytest.mark.parametrize(
    "street", ["Wilhelmsplatz", "Goethestraße", "Goethestrasse", "Karl-Marx-Allee", "Badergasse"]
)
def test_german_streets_behind_a_preposition(before: str, street: str) -> None:
    assert streets(f"Sturz, {before} {street} gestern", "de") == [street]
    assert streets(f"Sturz, {before} {street} gestern", "fr") == []


@pytest.mark.parametrize(
    "place",
    "Arbeitsplatz Heimplatz Parkplatz Dialyseplatz Therapieplatz Landstraße Einbahnstraße"
    " Seitengasse Sackgasse".split(),
)
def test_places_of_a_kind_are_no_streets(place: str) -> None:
    assert streets(f"wartet am {place} auf ihn", "de") == []


@pytest.mark.parametrize("street", [
    "bd de l'Atlantique", "Bd Voltaire", "bld. Saint-Michel", "boul. des Alouettes",
    "ave du Maine", "bd de la Liberté",
])  # fmt: skip
def test_french_streets_by_their_abbreviation(street: str) -> None:
    assert streets(f"dort {street}.", "fr") == [street]


def test_what_is_no_street() -> None:
    assert streets("ave maria, bd 12, ABD Voltaire", "fr") == []
    assert streets("an der Ahornstraße 3 mg lang", "de") == []

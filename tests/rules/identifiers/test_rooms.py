"""Rooms and beds, by number, code or number in words."""

import pytest

from record.document import Document
from rules.identifiers.identifiers import detect


def rooms(text: str) -> list[str]:
    found = detect(Document("1", text))
    return [text[span.start : span.end] for span in found if span.label == "ID"]


WORDS = (
    "bed room rm cubicle ward locker lit chambre chb box cama hab habitación sala sillón kamer kmr"
    " Bett Zi Zimmer Zimmernr Platz fauteuil bât bâtiment sonnette casier Spind Wertfach"
    " Schliessfach Fach Schrank puesto puerta taquilla kluis stoel Sessel"
).split()


@pytest.mark.parametrize("word", WORDS)
def test_every_word_for_a_room_or_bed_announces_its_number(word: str) -> None:
    assert rooms(f"Patient, {word} 12, stable") == ["12"]
    assert rooms(f"x{word} 12, {word}s 12, {word[:-1]} 12, stable") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zi. 216 — Schlaganfall", ["216"]),
        ("hab: 204-2", ["204-2"]),
        ("cama n.º 3.07 en", ["3.07"]),
        ("chambre n° 8b", ["8b"]),
        ("Kamer nr. 12", ["12"]),
        ("room #B12", ["B12"]),
        ("Bed-7 empty", ["7"]),
        ("bed twenty three vomited", ["twenty three"]),
        ("room four", ["four"]),
        ("room B-12", ["B-12"]),
        ("chambre douze", ["douze"]),
        ("lit trois", ["trois"]),
        ("cama dos", ["dos"]),
        ("kamer veertien meneer", ["veertien"]),
        ("Bett vier", ["vier"]),
        ("Zimmer zwölf", ["zwölf"]),
        ("Zimmer 105 links", ["105 links"]),
        ("habitación 214 ventana", ["214 ventana"]),
        ("chambre 21 bis, seul", ["21 bis"]),
        ("kamer 3 raam", ["3 raam"]),
        ("Fauteuil A : Taxol", ["A"]),
        ("bât C, cellule", ["C"]),
        ("BATIMENT D\n", ["D"]),
        ("puerta B, y llevad", ["B"]),
        ("en pieza B. Diagnóstico", ["B"]),
        ("unit D kamer 09", ["D", "09"]),
        (
            "Nombre        Hab    Barthel\nAna Cobo      101    35\nLuz Raya      S-02   95",
            ["101", "S-02"],
        ),
    ],
)
def test_codes_and_words(text: str, expected: list[str]) -> None:
    assert rooms(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "RM 3T: esclerosis",
        "Room 24 °C, room 24° and room 24%",
        "use room 6 am, room 6 pm, bed 30 min, ward 5 h, bed 2 x, box 20 ml, box 5 mg, bed 90 cm",
        "room 12,5 and bed 12345",
        "in one room and two men, bed a, une chambre, un lit un",
        "lit un, chambre une, cama una, habitación uno, Bett ein, Zimmer eine, kamer een",
        "room et deux, lit y dos, kamer en twee, Bett und zwei",
        "room four thousand",
    ],
)
def test_hours_sizes_and_articles_are_none(text: str) -> None:
    assert rooms(text) == []

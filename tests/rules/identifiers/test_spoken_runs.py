"""Long numbers that are dictated by their digits."""

import pytest

from record.document import Document
from rules.identifiers.identifiers import detect


def found(text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], str(span.label)) for span in detect(Document("1", text))]


@pytest.mark.parametrize(
    ("text", "number", "label"),
    [
        ("mon numéro {} merci", "zéro sept soixante et un neuf zéro trente trois", "PHONE"),
        ("mi número, apunte, {}. Gracias", "seis cero cero, cuarenta y siete, veinte", "PHONE"),
        ("phone {}, call me", "five five five oh one nine two", "PHONE"),
        ("callback {} please", "double oh seven three two nine", "PHONE"),
        ("fax {} danke", "null sechs zwo eins siebzig acht drei", "PHONE"),
        ("bel {} terug", "nul zes twaalf drie vier vijf", "PHONE"),
        ("Patient number {} ward", "one two three four five six", "ID"),
        ("ahv nummer {} termin", "sieben fünf sechs punkt eins sieben eins null", "ID"),
        ("dossier {} vu", "quatre quatre un deux huit neuf", "ID"),
        ("expediente {} visto", "ocho uno dos tres cuatro nueve", "ID"),
    ],
)
def test_a_number_of_digits_in_words_is_found_whole(text: str, number: str, label: str) -> None:
    assert found(text.format(number)) == [(number, label)]


@pytest.mark.parametrize(
    "text",
    [
        "cien, noventa y tres, ochenta y seis, setenta y nueve, setenta y dos, sesenta y cinco",
        "tension cent quarante sur quatre vingt dix",
        "one two three four and then five",
        "zero point five milligrams",
        "seven of nine and three of five and two",
        "un deux trois\nquatre cinq six zéro",
        "two hundred thousand platelets and twenty one percent",
    ],
)
def test_counts_values_and_short_runs_are_none(text: str) -> None:
    assert found(text) == []

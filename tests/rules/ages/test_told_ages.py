"""Ages without a unit that a phrase of the language tells, and those of a column."""

import pytest

from record.document import Document
from rules.ages.ages import detect


def ages(text: str, lang: str) -> list[str]:
    return [text[span.start : span.end] for span in detect(Document("n", text, lang=lang))]


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("Elle a 47, fume", "fr", ["47"]),
        ("Lui 90, elle 86. Mariés", "fr", ["90", "86"]),
        ("lui en a 86\nfume", "fr", ["86"]),
        ("(il a 47) fume", "fr", ["47"]),
        ("il a 47", "fr", ["47"]),
        ("P2 20H15 H 34 BERTRAND", "fr", ["34"]),
        ("P4 F 40, CHUTE", "fr", ["40"]),
        ("overleden op zijn 52e.", "nl", ["52e"]),
        ("op haar 58 aan dialyse, op mijn 40e", "nl", ["58", "40e"]),
        ("CM2 10;4 ans, instit", "fr", ["10;4 ans"]),
        ("Kind 5;3 J., Kita", "de", ["5;3 J"]),
        ("seit dem 16. Lebensjahr, im 2. LJ", "de", ["16. Lebensjahr", "2. LJ"]),
        (
            "nom   edad   lit\nx     67     4\ny     2 a 4 m  5\nz     ?     6",
            "es",
            ["67", "2 a 4 m"],
        ),
    ],
)
def test_ages_told(text: str, lang: str, expected: list[str]) -> None:
    assert ages(text, lang) == expected


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("elle a 47 kg", "fr"),
        ("il a 38,5 ce matin", "fr"),
        ("fille 47, ", "fr"),
        ("posé à 7 H 40 POSE", "fr"),
        ("op zijn 40e verjaardag, op zijn 12e dag", "nl"),
        ("op zijn 37,5", "nl"),
        ("am 16. Lebewohl", "de"),
    ],
)
def test_other_numbers(text: str, lang: str) -> None:
    assert ages(text, lang) == []

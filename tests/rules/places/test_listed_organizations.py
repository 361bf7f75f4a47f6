"""Insurers, funds and large employers of the list."""

import pytest

from record.document import Document
from rules.places.places import detect


def organizations(text: str, lang: str) -> list[str]:
    found = detect(Document("1", text, lang=lang))
    return [text[span.start : span.end] for span in found if span.label == "ORGANIZATION"]


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("assurée MGEN, dossier transmis", "fr", ["MGEN"]),
        ("Krankenkasse: AOK Baden-Württemberg, Nr. folgt", "de", ["AOK Baden-Württemberg"]),
        ("verzekerd bij Zilveren Kruis.", "nl", ["Zilveren Kruis"]),
        ("Afiliada a EsSalud, viene", "es", ["EsSalud"]),
        ("Blue Cross Blue Shield, MassHealth", "en", ["Blue Cross Blue Shield", "MassHealth"]),
    ],
)  # fmt: skip
def test_organizations_of_the_list_are_found_whole(
    text: str, lang: str, expected: list[str]
) -> None:
    assert organizations(text, lang) == expected


@pytest.mark.parametrize("text", ["mgen", "XMGEN", "MGEN2", "a@MGEN", "web.MGEN", "pro-MGEN"])
def test_parts_of_words_and_small_letters_are_left(text: str) -> None:
    assert organizations(text, "fr") == []

"""Given names that nothing announces."""

import pytest

from record.document import Document
from rules.names.names import detect


def names(text: str, lang: str) -> list[str]:
    return [text[s.start : s.end] for s in detect(Document("n", text, lang=lang))]


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("okay per Malachy, back at six", "en", ["Malachy"]),
        ("Malachy rang. Call Siobhan's mum", "en", ["Malachy", "Siobhan"]),
        ("appelle Ghislaine demain (Thibault)", "fr", ["Ghislaine", "Thibault"]),
        ("avisa Joaquina, y luego Nuria", "es", ["Joaquina", "Nuria"]),
        ("seen with Roshni 36 and Jagdish", "en", ["Roshni", "Jagdish"]),
        ("ruft Gerlinde an", "de", ["Gerlinde"]),
        ("belt Femke terug", "nl", ["Femke"]),
        ("siblings Malachy, 7, and Siobhan, 5, came", "en", ["Malachy", "Siobhan"]),
        (
            "ward RN Roshni Zabrowczyk, then Ole van Zabrow",
            "en",
            ["Roshni", "Zabrowczyk", "Ole", "van Zabrow"],
        ),
        ("3 Kumar Roshni, per Roshni Wound care", "en", ["Kumar", "Roshni", "Roshni"]),
        ("Roshni KUMAR, Jagdish CHF", "en", ["Roshni", "KUMAR", "Jagdish"]),
        ("met Jean-Baptiste ce jour", "fr", ["Jean-Baptiste"]),
    ],
)
def test_a_given_name_alone_is_found(text: str, lang: str, expected: list[str]) -> None:
    assert names(text, lang) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Wilson ratio 0.5, Douglas pouch, Russell sign",
        "Eli Lilly pens, the Robert Koch-Institut, Los Angeles",
        "malachy in small letters, MALACHYX, xMalachy, Malachy@x, Malachy/x, _Malachy",
        "12 Malachy Street, St Malachy hospital, Malachy-type",
        "Rose petals. Jet lag. May improve. Grace period",
        "surco de Harrison, Cameron erosions",
        "Madrid, Florence and Victoria",
    ],
)
def test_what_else_a_given_name_may_mean_is_left(text: str) -> None:
    assert names(text, "en") == []


def test_a_rare_word_is_a_name_within_a_sentence_only() -> None:
    assert names("call Lieve now", "nl") == ["Lieve"]
    assert names("Seen. Lieve collega", "nl") == []


@pytest.mark.parametrize("text", [
    "Pt 3: Kenneth B, Alport", "with Gladys P. today", "Crew Wignall/Maureen S.", "(Yannick L)",
])  # fmt: skip
def test_a_given_name_with_the_first_letter_of_a_family_name(text: str) -> None:
    found = [str(span.label) for span in detect(Document("n", text, lang="en"))]
    assert found[-2:] == ["FIRST_NAME", "LAST_NAME"]


@pytest.mark.parametrize("text", ["Hepatitis B, ok", "Vitamin D.", "Influenza A,", "Faktor V:"])
def test_a_term_with_a_letter_is_no_name(text: str) -> None:
    assert names(text, "en") == []

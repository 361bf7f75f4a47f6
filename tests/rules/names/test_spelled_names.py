"""Names that are spelled letter by letter."""

import pytest

from record.document import Document
from rules.names.names import detect


def names(text: str) -> list[str]:
    return [
        text[span.start : span.end]
        for span in detect(Document("1", text, lang="fr"))
        if span.label == "NAME"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("docteur c h e v r i e r merci", "c h e v r i e r"),
        ("il s'épelle c o a t a n l e m voilà", "c o a t a n l e m"),
        ("et m e y e r, né", "m e y e r"),
        ("le z w b r o w k z merci", "z w b r o w k z"),
    ],
)
def test_letters_that_spell_a_name(text: str, expected: str) -> None:
    assert names(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "le s i a d h ou le d d a v p",
        "C O N C L U S I O N du jour",
        "le p r o s t a t e du patient",
        "a b c pour les hépatites",
        "x  o  v  v  g  g  g  g",
    ],
)
def test_abbreviations_headings_words_and_charts_are_none(text: str) -> None:
    assert names(text) == []

"""Names that are spelled letter by letter."""

import pytest

from record.document import Document
from record.label import Label
from record.span import Span
from rules.names.names import detect
from rules.names.spelled_names import complete_spelled_names


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


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("docteur ndiaye n apostrophe d i a y e je dicte", "d i a y e", "n apostrophe d i a y e"),
        ("le gouic l e plus loin g o u i c quarante", "g o u i c", "l e plus loin g o u i c"),
        ("au docteur l a m a n d e accent aigu à", "l a m a n d", "l a m a n d e accent aigu"),
        ("je pense t i p o amérindienne", "t i p", "t i p o"),
    ],
)
def test_a_name_that_is_spelled_is_found_to_its_last_letter(
    text: str, part: str, whole: str
) -> None:
    start = text.index(part)
    span = Span(start, start + len(part), Label.LAST_NAME, "model", 0.6)
    (longer,) = complete_spelled_names(Document("1", text), [span])
    assert text[longer.start : longer.end] == whole
    assert (longer.label, longer.detector, longer.score) == ("LAST_NAME", "model", 0.6)


@pytest.mark.parametrize(
    ("text", "part", "label"),
    [
        ("docteur martin a y e", "martin", Label.LAST_NAME),
        ("salle a b c d e", "a b c", Label.ID),
        ("docteur m e y e r, né", "m e y e r", Label.NAME),
    ],
)
def test_nothing_else_is_lengthened(text: str, part: str, label: Label) -> None:
    start = text.index(part)
    span = Span(start, start + len(part), label, "model")
    assert not complete_spelled_names(Document("1", text), [span])

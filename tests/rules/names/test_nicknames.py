"""Nicknames in quotation marks are names, and so are their other mentions."""

import pytest

from pipeline.notes.detection import by_rules
from pipeline.notes.model_detection import refine_spans
from record.document import Document
from record.label import Label
from record.span import Span


def names(text: str, lang: str) -> list[str]:
    found = by_rules(Document("1", text, lang=lang))
    return [
        text[s.start : s.end] for s in sorted(found, key=lambda s: s.start) if "NAME" in s.label
    ]


@pytest.mark.parametrize(
    ("lang", "text", "nickname", "times"),
    [
        ("fr", "Mme KERMARREC, dite « Soso », revient. Soso refuse la cure.", "Soso", 2),
        ("en", 'Mr. Desmond "Dezzie" Okonjo is here. Dezzie slept.', "Dezzie", 2),
        ("de", 'Der Pat. („Balti") lebt allein. Balti schläft.', "Balti", 2),
        ("es", 'Paciente conocida como "Chelo". Chelo niega dolor.', "Chelo", 2),
        ("nl", "Mevrouw De Vries, roepnaam 'Toos', is opgenomen. Toos eet.", "Toos", 2),
    ],
)
def test_nicknames_are_found_wherever_they_stand(
    lang: str, text: str, nickname: str, times: int
) -> None:
    assert names(text, lang).count(nickname) == times


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("fr", "Le test dit « Mini-Cog » est normal. La maladie dite « Osler »."),
        ("fr", 'Il a dit "Non" à tout. Patient dit « stable ».'),
        ("en", 'The so-called "Sunset" drug; a patient called "stable".'),
        ("es", 'Signo llamado "Murphy" negativo.'),
    ],
)
def test_other_quoted_words_are_none(lang: str, text: str) -> None:
    assert names(text, lang) == []


def test_a_word_of_another_language_is_mentioned_again() -> None:
    """`soso` is a word in Spanish: in French it is none, and covered where it stands again."""
    text = "Mme dite Soso, revue. Soso va bien."
    found = [Span(9, 13, Label.FIRST_NAME, "model", 0.9)]
    spans = refine_spans(found, Document("1", text, lang="fr"))
    assert {(s.start, s.end) for s in spans} == {(9, 13), (22, 26)}

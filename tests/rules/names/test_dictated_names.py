"""Names in small letters in dictations without capitals."""

import pytest

from record.document import Document
from rules.names.names import detect

REST = " douleur thoracique depuis hier soir sans fièvre scanner normal sortie demain fin"


def names(text: str, lang: str) -> list[str]:
    return [text[s.start : s.end] for s in detect(Document("n", text, lang=lang))]


@pytest.mark.parametrize(
    ("text", "lang", "name"),
    [
        ("prénom manuel né le", "fr", "manuel"),
        ("Nom X, Prénom Léone, née", "fr", "Léone"),
        (f"patient samuel tarrant{REST}", "en", "samuel"),
        (f"patiente ghislaine{REST}", "fr", "ghislaine"),
        (f"patient jorgensen astrid{REST}", "en", "jorgensen"),
    ],
)
def test_names_behind_a_word_for_a_person(text: str, lang: str, name: str) -> None:
    assert name in names(text, lang)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        (f"patient stable{REST}", "fr"),
        (f"frau doktor{REST}", "de"),
        ("prénom donné par les parents", "fr"),
        (f"Le Patient Dit Que patient samuel{REST}", "fr"),
    ],
)
def test_words_are_no_names(text: str, lang: str) -> None:
    assert not {"stable", "doktor", "donné", "samuel"} & set(names(text, lang))

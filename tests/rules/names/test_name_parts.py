"""Whole names of which a part was found; `<` and `>` stand around that part."""

import pytest

from record.document import Document
from record.label import Label
from record.span import Span
from rules.names.name_parts import complete_names, initials_behind_names

SCORE = 0.97
FIRST, LAST = Label.FIRST_NAME, Label.LAST_NAME


def completed(marked: str, label: str, lang: str) -> list[str]:
    start, end = marked.index("<"), marked.index(">") - 1
    text = marked.replace("<", "").replace(">", "")
    found = complete_names(
        Document("n", text, lang=lang), [Span(start, end, label, "model", SCORE)]
    )
    assert all((span.label, span.detector, span.score) == (LAST, "model", SCORE) for span in found)
    return [text[span.start : span.end] for span in found]


@pytest.mark.parametrize(
    ("marked", "label", "lang", "expected"),
    [
        ("groet, <Gijsbert> Onderwater, GZ", FIRST, "nl", "Onderwater"),
        ("Patiënt, <Pieter> de Zwart, 61", FIRST, "nl", "de Zwart"),
        ("<Colette> Tension (c'est son nom)", FIRST, "fr", "Tension"),
        ("<Elias> Wegener, 19 J.", FIRST, "de", "Wegener"),
        ('cliënt <Anton> ("Toon") Wezenbeek wil', FIRST, "nl", "Wezenbeek"),
        ("<Eufemia> “Femi” de la Raya 105", FIRST, "es", "de la Raya"),
        ("concernant l'enfant <ethan> roche né treize", FIRST, "fr", "roche"),
        ("LARRIEU, DA <SILVA>, NOGUES", LAST, "fr", "DA"),
        ("frau, Von <Brandt> ruft", LAST, "de", "Von"),
    ],
)
def test_what_belongs_to_a_name(marked: str, label: str, lang: str, expected: str) -> None:
    assert completed(marked, label, lang) == [expected]


@pytest.mark.parametrize(
    ("marked", "label", "lang"),
    [
        ("<Elias> Besuch um 10", FIRST, "de"),  # a noun
        ("Next: <Daniel> Monday", FIRST, "en"),
        ("<Login> Dokumentation", FIRST, "de"),
        ("<Hawa> G5P4, 39+4", FIRST, "fr"),
        ("<MARIE> Martin", FIRST, "fr"),
        ("<daniel> Martin", FIRST, "fr"),
        ("<Daniel> martin", FIRST, "fr"),
        ("patient de <Brandt> ruft", LAST, "fr"),
        ("<Lyon> Martin", Label.CITY, "fr"),
    ],
)
def test_what_does_not(marked: str, label: str, lang: str) -> None:
    assert completed(marked, label, lang) == []


def test_what_was_found_is_not_found_again() -> None:
    text = "Gijsbert Onderwater"
    spans = [Span(0, 8, FIRST, "model"), Span(9, 19, LAST, "model")]
    assert complete_names(Document("n", text, lang="nl"), spans) == []


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("<Tomasz> K, HGV driver", "en", "K"),
        ("<Zainab> H, booked", "en", "H"),
        ("<Gladys> W 93 NOF", "en", "W"),
        ("vue avec <Ambre> L.", "fr", "L."),
        ("<Clara> F. ruft an", "de", "F."),
        ("<Clara> F., 34", "fr", "F."),
    ],
)
def test_the_first_letter_of_a_family_name(text: str, lang: str, expected: str) -> None:
    start, end = text.index("<"), text.index(">") - 1
    plain = text.replace("<", "").replace(">", "")
    span = Span(start, end, FIRST, "model", SCORE)
    (found,) = initials_behind_names(Document("n", plain, lang=lang), [span])
    assert plain[found.start : found.end] == expected
    assert (found.label, found.detector, found.score) == (LAST, "model", SCORE)


@pytest.mark.parametrize(
    ("text", "label", "lang"),
    [
        ("<Clara> F 34", FIRST, "fr"), ("<Clara> M", FIRST, "de"), ("<Paul> C3", FIRST, "en"),
        ("<Paul> A.B", FIRST, "en"), ("<Paul> x", FIRST, "en"), ("<Kowal> K, ok", LAST, "en"),
        ("<Levin> M.-S.", FIRST, "de"), ("<Qwrtzu> K,", FIRST, "en"),
    ],
)  # fmt: skip
def test_letters_that_are_no_name(text: str, label: str, lang: str) -> None:
    start, end = text.index("<"), text.index(">") - 1
    plain = text.replace("<", "").replace(">", "")
    span = Span(start, end, label, "model", SCORE)
    assert initials_behind_names(Document("n", plain, lang=lang), [span]) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Teilnehmer <Ahrens>, Lorenzen, Fr. Dr. <Siddiqui>", ["Lorenzen"]),
        ("<Ahrens> (RT), Lorenzen (HNO), <Siddiqui>", ["Lorenzen"]),
        ("<Ahrens>, Chemotherapie, <Siddiqui>", []),
        ("<Ahrens>, Montag, <Siddiqui>", []),
        ("<Ahrens> und Lorenzen, <Siddiqui>", []),
    ],
)
def test_a_third_name_between_two_of_a_list(text: str, expected: list[str]) -> None:
    plain, spans = "", []
    for place, piece in enumerate(text.replace(">", "<").split("<")):
        if place % 2:
            spans.append(Span(len(plain), len(plain) + len(piece), LAST, "model", SCORE))
        plain += piece
    found = complete_names(Document("n", plain, lang="de"), spans)
    assert [plain[span.start : span.end] for span in found] == expected

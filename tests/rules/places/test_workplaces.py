"""Employers and towns behind a job or a word for working."""

import pytest

from record.document import Document
from record.label import Label
from record.span import Span
from rules.places.places import detect
from rules.places.workplaces import find_workplaces


def behind(marked: str, lang: str) -> list[tuple[str, str]]:
    start, end = marked.index("<"), marked.index(">") - 1
    text = marked.replace("<", "").replace(">", "")
    job = Span(start, end, Label.PROFESSION, "model", 0.8)
    found = find_workplaces(Document("n", text, lang=lang), [job])
    assert all((span.detector, span.score) == ("model", 0.8) for span in found)
    return [(text[span.start : span.end], str(span.label)) for span in found]


@pytest.mark.parametrize(
    ("marked", "lang", "expected"),
    [
        ("<soudeur> aux Chantiers Navals de Nantes.", "fr", "Chantiers Navals de Nantes"),
        ("<facteur> à La Bouinotte, fume", "fr", "La Bouinotte"),
        ("<intérimaire> chez Manitou.", "fr", "Manitou"),
        ("<Kassiererin> bei Zwickert, Handy", "de", "Zwickert"),
        ("<Tierpflegerin> im Zoo Hoyerswerda.", "de", "Zoo Hoyerswerda"),
        ("<midwife> at Kirkstall Bank.", "en", "Kirkstall Bank"),
        ("<profe> en el Ramiro de Maeztu", "es", "Ramiro de Maeztu"),
        ("<kok> bij Zwaluwenhof.", "nl", "Zwaluwenhof"),
    ],
)
def test_organizations(marked: str, lang: str, expected: str) -> None:
    assert behind(marked, lang) == [(expected, "ORGANIZATION")]


@pytest.mark.parametrize(
    ("marked", "lang", "town"),
    [
        ("<albañil> de Torrelodones, caída", "es", "Torrelodones"),
        ("<institutrice> à Vierzon, 2 enfants", "fr", "Vierzon"),
        ("<Landwirt> aus Apolda.", "de", "Apolda"),
        ("<trawlerman> from Brixham", "en", "Brixham"),
    ],
)
def test_towns(marked: str, lang: str, town: str) -> None:
    assert behind(marked, lang) == [(town, "CITY")]


@pytest.mark.parametrize(
    ("marked", "lang"),
    [
        ("<soudeur> de métier", "fr"), ("<nurse> with COPD", "en"), ("<Lehrer> mit Fieber", "de"),
        ("<teacher> at ICU", "en"), ("<Koch> im Krankenhaus", "de"),
        ("<albañil> de Profesión", "es"),
        ("<soudeur>. Vu à Nantes", "fr"),
    ],
)  # fmt: skip
def test_what_is_no_workplace(marked: str, lang: str) -> None:
    assert behind(marked, lang) == []


def test_what_was_found_already_is_left_to_it() -> None:
    text = "soudeur chez Manitou"
    spans = [Span(0, 7, Label.PROFESSION, "model"), Span(13, 20, Label.LAST_NAME, "model")]
    assert find_workplaces(Document("n", text, lang="fr"), spans) == []


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("she works nights at Zettlers Farm now", "en", "Zettlers Farm"),
        ("il travaille chez Manitou depuis", "fr", "Manitou"),
        ("travaillait à la Manufacture Bohin", "fr", "Manufacture Bohin"),
        ("arbeitet auf Montage für Strabag,", "de", "Strabag"),
        ("su hijo trabaja en la Azucarera Ebro", "es", "Azucarera Ebro"),
        ("werkt al jaren bij Zwaluwenhof", "nl", "Zwaluwenhof"),
    ],
)
def test_employers_behind_a_word_for_working(text: str, lang: str, expected: str) -> None:
    found = detect(Document("n", text, lang=lang))
    assert expected in [text[s.start : s.end] for s in found if s.label == Label.ORGANIZATION]


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("works well with Physio", "en"), ("works on the ward at ICU", "en"),
        ("le traitement travaille", "fr"), ("arbeitet im Krankenhaus", "de"),
    ],
)  # fmt: skip
def test_what_no_employer_is(text: str, lang: str) -> None:
    found = detect(Document("n", text, lang=lang))
    assert not [span for span in found if span.label == Label.ORGANIZATION]

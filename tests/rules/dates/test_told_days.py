"""Days, weeks and seasons without month or year; and what belongs to a date behind it."""

import pytest

from record.document import Document
from record.label import Label
from record.span import Span
from rules.dates.dates import detect
from rules.dates.told_days import complete_told_days


def dates(text: str, lang: str) -> list[str]:
    return [text[s.start : s.end] for s in detect(Document("n", text, lang=lang))]


@pytest.mark.parametrize("day", "lun mar. mer jeu. ven sam dim lundi mardi jeudi dimanche".split())
def test_french_weekdays_with_their_day(day: str) -> None:
    assert dates(f"relève du {day} 24, calme", "fr") == [f"{day} 24"]
    assert dates("relève du dim 24, calme", "en") == []


@pytest.mark.parametrize("behind", ["h", " h", "/5", ",5", " mg", "h30", " %", " 8 h"])
def test_hours_and_quantities_behind_a_weekday_are_no_days(behind: str) -> None:
    assert "jeu 18" not in dates(f"relève du jeu 18{behind}", "fr")


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("RMM inscrite pour la semaine 18.", "fr", ["semaine 18"]),
        ("ablation broches sem. 19", "fr", ["sem. 19"]),
        ("à la semaine n° 18.", "fr", ["semaine n° 18"]),
        ("la fibroscopie faite le douze montre", "fr", ["douze"]),
        ("retour possible le vingt et un selon", "fr", ["vingt et un"]),
        ("IRM le 12 pas faite", "fr", ["12"]),
        ("Evaluatie wk 49. Aan", "nl", ["wk 49"]),
        ("Oplevering week 47", "nl", ["week 47"]),
        ("ausgesetzt bis Herbst.", "de", ["Herbst"]),
        ("fährt seit dem Herbst nicht", "de", ["Herbst"]),
        ("eingeklemmt in der Osternacht,", "de", ["Osternacht"]),
        ("erbeten bis zu den Herbstferien an", "de", ["Herbstferien"]),
        ("Einschulung ab Sommer?", "de", ["Sommer"]),
    ],
)
def test_weeks_and_seasons(text: str, lang: str, expected: list[str]) -> None:
    assert dates(text, lang) == expected


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("écho semaine 12 SA", "fr"),
        ("vu le 3 fois, irm le 12 mg, faite le dix heures", "fr"),
        ("montre le douze", "fr"),
        ("semaine 2 de Taxol", "fr"),
        ("semaine 12+3", "fr"),
        ("echo wk 32, 18mm", "nl"),
        ("drie x week 50 min", "nl"),
        ("screening vanaf week 5", "nl"),
        ("Frau Winter und Herr Sommer", "de"),
        ("wie im Sommerhaus", "de"),
    ],
)
def test_weeks_of_treatments_and_names_are_no_dates(text: str, lang: str) -> None:
    assert dates(text, lang) == []


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("sam. 10 et dim. 11 août", "10", "sam. 10"),
        ("jour\nJ. 12/11     30 x2", "12/11", "J. 12/11"),
        ("jeudi 12/11 revu", "12/11", "jeudi 12/11"),
        ("Wachttijd tot midden mei.", "mei", "midden mei"),
        ("Seit Anfang August klagt", "August", "Anfang August"),
        ("depuis la mi-mai 2024", "mai 2024", "mi-mai 2024"),
        ("remplaçant de la semaine 16 :", "16", "semaine 16"),
        ("a finales de mayo", "mayo", "finales de mayo"),
    ],
)
def test_what_stands_before_a_date_belongs_to_it(text: str, found: str, expected: str) -> None:
    start = text.index(found)
    span = Span(start, start + len(found), Label.DATE, "model", 0.6)
    (longer,) = complete_told_days(Document("n", text, lang="fr"), [span])
    assert text[longer.start : longer.end] == expected
    assert (longer.label, longer.detector, longer.score) == (Label.DATE, "model", 0.6)


@pytest.mark.parametrize(
    ("text", "found", "label"),
    [
        ("foto d.d. 6/5. Besproken", "6/5", Label.DATE),
        ("t.e.m. 31 oktober", "31 oktober", Label.DATE),
        ("salle 10", "10", Label.DATE),
        ("sam. 10", "10", Label.AGE),
        ("semi mai", "mai", Label.DATE),
    ],
)
def test_other_words_before_it_do_not(text: str, found: str, label: str) -> None:
    start = text.index(found)
    assert not complete_told_days(
        Document("n", text, lang="nl"), [Span(start, start + len(found), label, "model")]
    )

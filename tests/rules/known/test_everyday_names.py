"""Patients whose names are everyday words: never left as a name, left as the word they are."""

import pytest

from record.document import Document
from record.patient import Address, PatientRecord
from rules.known.known import KnownPatient

NAMES = "Blanc Petit Rose Long Young Baker Bueno Campos Klein Koch".split()
# Where a reader takes the word for somebody, whatever its case.
ENTRIES = (
    "{} chb 12 : TA 12/7",
    "{}, 84 ans, diabétique",
    "{} lit 3 : SpO2 96 %",
    "12 {} : pansement refait",
    "CHB 7 - {} - J3",
    "Lit 4 : {}",
    "{} bed 4: BP 130/80",
    "{}, room 12, refused breakfast",
    "Mme {} vue ce jour",
    "M. {} sortant demain",
    "Sra. {} valorada hoy",
    "Herr {}, Zi. 12",
    "Patient : {}",
    "{} va bien",
    "Appel de {} pour les résultats",
    "Call from {} about the results",
    "Anruf von {} wegen der Befunde",
)
# The same with a capital alone.
CAPITALISED = (
    "Vu {} ce matin avec l'interne",
    "{} sortie ce matin",
    "Bilan de {} à récupérer",
    "{} awake and oriented",
    "Se informa a {} del resultado",
    "{} / 207 / perf en cours",
)
WORDS = (
    ("Petit", "Petit déjeuner pris. Petit foie, un petit kyste. PETIT BASSIN LIBRE"),
    ("Blanc", "Globules blancs. Blanc d'oeuf autorisé, voile blanc du tympan."),
    ("Rose", "Teint rose. Rose bengale négatif. Temperature rose to 38.9."),
    ("Long", "Long séjour. QT long. He has a long history. Long QT excluded. Long leg cast."),
    ("Young", "A young man. Young adults only."),
    ("Baker", "Kyste de Baker du creux poplité. A Baker cyst behind the knee."),
    ("Bueno", "Bueno el control de la diabetes; apetito bueno."),
    ("Campos", "Campos pulmonares bien ventilados. Ambos campos ventilados."),
    ("Klein", "Harnblase klein, Wand glatt. Klein geschnittene Kost."),
    ("Koch", "Recherche de bacille de Koch négative. Beruf: Koch, seit 2010."),
)


def _record(name: str) -> PatientRecord:
    return PatientRecord("1", ("Zébulon",), (name,))


@pytest.mark.parametrize("name", NAMES)
def test_an_everyday_word_that_stands_as_a_name_is_found(name: str) -> None:
    known = KnownPatient(_record(name))
    for lines, writings in (
        (ENTRIES, (name, name.upper(), name.lower())),
        (CAPITALISED, (name, name.upper())),
    ):
        for line in lines:
            for written in writings:
                text = f"Transmissions\n{line.format(written)}\n"
                at = text.index(written, len("Transmissions"))
                found = known.search(Document("1", text))
                places = [(span.start, span.end) for span in found.exact + found.undecided]
                assert (at, at + len(name)) in places, (line, written)


@pytest.mark.parametrize(("name", "text"), WORDS)
def test_the_word_itself_is_left(name: str, text: str) -> None:
    known = KnownPatient(_record(name))
    assert known.search(Document("1", text)) == ([], [], [])


def test_towns_and_given_names_are_read_the_same_way() -> None:
    record = PatientRecord("1", ("Rose",), addresses=(Address(city="Nice"),))
    known = KnownPatient(record)
    assert [known.find(text) for text in ("Nice chb 12", "ROSE lit 3", "vit à Nice")] == [
        [(0, 4, "CITY")],
        [(0, 4, "FIRST_NAME")],
        [(6, 10, "CITY")],
    ]
    assert known.find("A nice man. Nice recovery, skin rose.") == []


def test_short_names_need_a_capital_and_a_place_of_names() -> None:
    known = KnownPatient(PatientRecord("1", ("Thi",), ("Le",)))
    for line in ("Le : douleur", "Le chb 12 : TA 12/7", "Vu Le ce matin", "Mme Le dort"):
        assert known.find(line) != [], line
    assert known.find("Le 12/04, le bilan de Le Havre. Le patient dort. IRM LE 3") == []


@pytest.mark.parametrize("line", ["rose ce jour", "vu rose ce jour", "- rose"])
def test_words_that_nothing_decides_are_told_apart(line: str) -> None:
    known = KnownPatient(PatientRecord("1", ("Rose",)))
    found = known.search(Document("1", line))
    assert found.exact == []
    assert [line[span.start : span.end] for span in found.undecided] == ["rose"]

import pytest

from record.document import Document
from record.patient import Address, PatientRecord, PersonName
from rules.known.known import KnownPatient
from tests.rules.marked import detected, unmark

MARTIN = PatientRecord(
    "1",
    ("Josiane",),
    ("Martin", "Kowalczyk"),
    birth_names=("Delacourcelle",),
    addresses=(Address("4 rue Haute", "59000", "Wasquehal"),),
    relatives=(PersonName(("Théodore", "Zoé"), ("Quéméner",)),),
)


@pytest.mark.parametrize(
    "line",
    [
        # substitution, insertion, deletion, transposition
        "Mme [[Kowalszyk|LAST_NAME]], Mme [[Kowalcczyk|LAST_NAME]], Mme [[Kowalczk|LAST_NAME]]",
        "Mme [[KOWALCYZK|LAST_NAME]], patiente [[Kovalczyk|LAST_NAME]]",
        # the first letter, where the length stays or a title stands before
        "Mme [[Towalczyk|LAST_NAME]], Mme [[Okwalczyk|LAST_NAME]], Mme [[Owalczyk|LAST_NAME]]",
        # two letters in a name of nine and more
        "Mme [[Kovalzcyk|LAST_NAME]], Mme [[Delacourselles|LAST_NAME]], Mme Kowaltschek",
        # beside another known part, also where the word is another's name
        "[[Josiane|FIRST_NAME]] [[Marin|LAST_NAME]] va bien",
        "[[Jossiane|FIRST_NAME]] [[Martin|LAST_NAME]], [[MARTIN|LAST_NAME]] [[Jsiane|FIRST_NAME]]",
        "son mari [[Theodorre|FIRST_NAME]] [[Quéméner|LAST_NAME]]",
        # somebody else
        "Dr Martinez, Mme Martinot, Pr Delacroix, des marins",
        # another's name that is one letter from the patient's is covered like the patient's
        "Mme [[Marin|LAST_NAME]], Pr [[Martino|LAST_NAME]], Dr J. [[Kowalczk|LAST_NAME]]",
        # words
        "Le Matin, un matin, un martinet. MATIN ET SOIR. Matin et soir",
        "Mme [[M a r t 1 n|LAST_NAME]], M. [[T-h-é-o-d-o-r|FIRST_NAME]]",
        "Mme [[Z O É|FIRST_NAME]] est venue",
        # recognition
        "Mme [[Josi4ne|FIRST_NAME]], Mme [[KOWA1CZYK|LAST_NAME]], Mme [[Delacourcelle|LAST_NAME]]",
        "Mme [[Quérnéner|LAST_NAME]], Mme [[Kowaldzyk|LAST_NAME]]",
        "Mme [[MARTlN|LAST_NAME]], Mme [[Kowa#czyk|LAST_NAME]], Mme [[KowaIczyk|LAST_NAME]]",
        # by ear, and where somebody has sent a message
        "Mme [[Delakourcelle|LAST_NAME]], appel de [[delacourcele|LAST_NAME]]",
        # a disease and a sentence's own words
        "maladie de Kowalczik, Kowalczik's disease",
        "vers [[Wasquehat|CITY]], Mme [[Kowalczik|LAST_NAME]] Durand, [[kowalczik|LAST_NAME]]",
        "M. [[Kowalczik|LAST_NAME]] [[Martin|LAST_NAME]], "
        "[[Martin|LAST_NAME]] [[Kowalcik|LAST_NAME]]",
    ],
)
def test_names_with_letters_wrong(line: str) -> None:
    known = KnownPatient(MARTIN)
    assert detected(known.detect, line) == line


def test_members_of_the_staff() -> None:
    line = "Dr [[Kowalczik|LAST_NAME]], Dr. A. [[KOWALZCYK|LAST_NAME]]"
    text, _ = unmark(line)
    document = Document("1", text, clinicians=(PersonName(("Anna",), ("Kowalczyk",)),))
    spans = KnownPatient(PatientRecord("1")).detect(document)
    assert [text[span.start : span.end] for span in spans if span.label == "LAST_NAME"] == [
        "Kowalczik",
        "KOWALZCYK",
    ]


def test_misspellings_are_looked_for_where_asked() -> None:
    known = KnownPatient(MARTIN)
    assert known.find("Mme Kowalszyk") == []
    assert known.find("Mme Kowalszyk", misspelt=True) == [(4, 13, "LAST_NAME")]
    assert known.detect(Document("1", "Mme Kowalszyk"), misspelt=False) == []


@pytest.mark.parametrize("block", ["Martni ", "MARTIM\n", "Kowalczik-", "Mme Kowalczy. ", "A'"])
def test_long_texts_take_bounded_work(block: str) -> None:
    known = KnownPatient(MARTIN)
    text = block * (60_000 // len(block))
    assert len(known.find(text, misspelt=True)) <= 60_000 // len(block)

"""The independent scanner: it finds known values however they are written, and nothing else."""

from datetime import date

import pytest

from evaluation.detection.leaks import fold_words, make_leak_scanner
from record.patient import Address, Identifier, PatientRecord, PersonName

RECORD = PatientRecord(
    person_id="42",
    given_names=("Jean-Paul",),
    family_names=("D'ALMÉIDA",),
    birth_names=("Li",),
    birth_date=date(1950, 2, 3),
    addresses=(Address(street="12 rue des Lilas", zip="75012", city="Saint-Étienne"),),
    phones=("+33 1 44 55 66 77",),
    emails=("jp.dalmeida@example.org",),
    identifiers=(
        Identifier("PATIENT_ID", "8012345678"),
        Identifier("SSN", "1 50 02 75 012 345 66"),
    ),
    relatives=(PersonName(("Marie",), ("QUILL",)),),
)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("M. JEAN PAUL a été vu", "given_names"),
        ("Jean–Paul", "given_names"),
        ("M. d’almeida", "family_names"),
        ("sa fille MARIE", "relatives"),
        ("12, Rue des\nLilas", "street"),
        ("à SAINT ETIENNE.", "city"),
        ("CP 75012", "zip"),
        ("tél : 01.44.55.66.77", "phones"),
        ("tel 0033144556677", "phones"),
        ("JP.DALMEIDA@EXAMPLE.ORG", "emails"),
        ("IPP 80 12 34 56 78", "identifiers"),
        ("150027501234566", "identifiers"),
        ("née le 3/2/1950", "birth_date"),
        ("le 03-02-1950", "birth_date"),
        ("born February 3, 1950", "birth_date"),
        ("3 de febrero de 1950", "birth_date"),
    ],
)
def test_known_values_are_found(text: str, field: str) -> None:
    assert field in {leak.field_name for leak in make_leak_scanner(RECORD).scan(text)}


@pytest.mark.parametrize(
    "text",
    ["Jeanne et Paulette", "Lilas blancs", "glycémie 7,5", "li", "75 012 000", "le 3/2/1951"],
)
def test_other_words_are_no_leaks(text: str) -> None:
    assert make_leak_scanner(RECORD).scan(text) == []


def test_leaks_hold_no_text() -> None:
    (leak,) = make_leak_scanner(RECORD).scan("voir QUILL demain")
    assert "QUILL" not in repr(leak).upper()
    assert "QUILL" not in repr(make_leak_scanner(RECORD)).upper()


def test_words_lose_case_and_accents() -> None:
    assert fold_words("L'Haÿ-les-Roses, œuvre") == ["l", "hay", "les", "roses", "œuvre"]

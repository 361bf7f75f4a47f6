from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from rules.ages.ages import detect_numbers as detect
from tests.rules.marked import detected, whole

AROUND = (
    "{} ans", "âgé de {} ans", "âgée de {} ans", "patient de {} ans", "Homme de {} ans,",
    "femme âgée de {} ans", "Âge : {} ans", "AGE: {}", "Patiente, {} ans", "garçon de {} ans",
    "{}-year-old man", "{} year old", "{} years old", "{} yo male", "{} y/o", "{} y.o. F",
    "aged {}", "age {}", "Age: {}", "at the age of {}", "mujer de {} años",
    "varón de {} años de edad", "Edad: {} años", "edad {}", "a los {} años", "paciente de {} años",
    "niño de {} años", "à l'âge de {} ans", "{} yr old", "{}yo", "{} years of age",
    "Mme X ({} ans)", "a {}-year old woman", "turned {} last", "hijo de {} años",
)  # fmt: skip
NUMBERS = (
    "16", "19", "23", "27", "35", "41", "45", "58", "64", "72", "77", "80", "89", "90", "99", "102",
)  # fmt: skip
FORMS = [around.format(f"[[{number}|AGE]]") for around, number in product(AROUND, NUMBERS)]
CHILDREN = [
    "A [[79|AGE]]M. with chest pain",
    "Varón de [[52|AGE]], mujer de [[61|AGE]].",
    "Patient V [[61|AGE]], dyspnée",
    "Hombre de [[48|AGE]] con fiebre",
    "nourrisson de [[3|AGE]] mois",
    "lactante de [[5|AGE]] meses",
    "niño de [[dos|AGE]] años",
    "âgé de [[soixante-douze|AGE]] ans",
    "femme de [[quatre-vingt-deux|AGE]] ans",
    "niña de [[3|AGE]] años y [[8|AGE]] meses",
    "mujer de [[cuarenta y cinco|AGE]] años",
    "aged [[3|AGE]] months",
    "[[6|AGE]]-month-old girl",
    "enfant de [[18|AGE]] mois",
    "Edad: [[26|AGE]] días",
    "a los [[31|AGE]] y [[37|AGE]] años",
    "âgés de [[3|AGE]] et [[5|AGE]] ans",
    "enfant de [[4|AGE]] ans",
    "né le 02/06/2021 ([[2|AGE]] ans)   Sexe : M",
    "Fecha de nacimiento: 31/10/2021 ([[3|AGE]] años)",
    "Laurent, [[11|AGE]] ans, tousse depuis hier",
    "l'enfant MULLER, [[8|AGE]] ans, que j'ai vu",
    "DANIEL, de [[3|AGE]] años, con tos",
    "Daniel, [[19|AGE]] mois, tousse",
]
DURATIONS = (
    "depuis {} ans", "pendant {} ans", "il y a {} ans", "for {} years", "hace {} años",
    "over the past {} years", "desde hace {} años", "durante {} años", "suivi de {} ans",
    "survie à {} ans", "tous les {} ans", "{} years ago", "{} ans plus tard",
    "{} años después", "{} paquets-années", "{} mg", "pendant les {} derniers jours",
    "{} jours de traitement", "tras {} meses", "{} semaines d'aménorrhée",
    "à {} mois du diagnostic", "après {} ans d'évolution", "dans {} ans", "x {} ans",
    "every {} years", "{} days later", "since {} years", "traitement de {} jours", "J{}",
    "Tabac, {} mois,", "opérée (12/03/2020 : {} mois)", "Aspirine, {} mois,",
    "{} mois", "los últimos {} años", "{} ans de suivi", "duración de {} años", "{} cigarettes",
    "{}%", "followed for {} months", "{} ans auparavant",
)  # fmt: skip
LENGTHS = ("2", "3", "5", "7", "10", "12", "15", "18", "20", "25", "30", "45", "60", "cinq")
NEGATIVES = [words.format(length) for words, length in product(DURATIONS, LENGTHS)]


@pytest.mark.parametrize("cases", [FORMS, CHILDREN])
def test_finds_every_form(cases: list[str]) -> None:
    assert [detected(detect, case) for case in cases if not whole(detect, case)] == []


def test_there_are_enough_forms() -> None:
    assert min(len(FORMS), len(NEGATIVES)) >= 500


def test_leaves_durations_alone() -> None:
    assert [found for case in NEGATIVES if (found := detected(detect, case)) != case] == []


@given(st.text(alphabet="0123456789 ,.-agedansyomile\n", max_size=60))
def test_spans_hold_a_number_and_are_disjoint(text: str) -> None:
    spans = detect(Document("1", text))
    assert all(a.end <= b.start for a, b in pairwise(spans))
    for span in spans:
        assert text[span.start : span.end].replace(" ", "").isalnum() or "." in text or "," in text

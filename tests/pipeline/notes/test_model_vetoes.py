"""Which spans of a model can be nothing of their label, and which are left to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.notes.model_detection import refine_spans
from pipeline.notes.model_vetoes import make_veto
from record.document import Document
from record.label import Label
from record.span import Span

SCORE = 0.7
PROSE = "Seen in clinic. The patient was told that Warfarin stops. "


def is_vetoed(text: str, written: str, label: str, lang: str = "en") -> bool:
    start = text.index(written)
    return make_veto(text, lang)(Span(start, start + len(written), label, "model", SCORE))


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("163         91     182", Label.PHONE),
        ("2        3,950.00     7,900.00", Label.SSN),
        ("12.5\t13.0", Label.ID),
        ("98%\n97%", Label.ACCOUNT),
        ("2158", Label.DATE),
        ("2120", Label.BIRTH_DATE),
        ("17/17", Label.DATE),
        ("14-16", Label.DATE),
        ("18-0-22", Label.DATE),
        ("Doxepin", Label.FIRST_NAME),
        ("Ventoline", Label.ORGANIZATION),
        ("Klebsiella", Label.LAST_NAME),
        ("pT2N0M0", Label.ID),
        ("G5P4A1", Label.ID),
        ("E4M6V5", Label.DEVICE_ID),
        ("C4-C5", Label.ID),
        ("1-0-1", Label.ID),
        ("q6h", Label.ID),
        ("Ehlers-Danlos", Label.LAST_NAME),
        ("Leriche", Label.CITY),
        ("CHF", Label.FIRST_NAME),
        ("copd", Label.LAST_NAME),
        ("stops", Label.LAST_NAME),
        ("patient was", Label.NAME),
        ("told", Label.CITY),
        ("2135", Label.NAME),
        ("Guillain-Barré", Label.LAST_NAME),
        ("Lyrica", Label.FIRST_NAME),
        ("WITHOUT", Label.FIRST_NAME),
    ],
)
def test_values_hours_abbreviations_and_everyday_words(written: str, label: str) -> None:
    assert is_vetoed(f"{PROSE}{written} end", written, label)


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("0117  496  0019", Label.PHONE),
        ("163", Label.ID),
        ("C4", Label.ID),
        ("T2N", Label.ID),
        ("Huntington Okwuosa", Label.NAME),
        ("A5 512     O8", Label.PATIENT_ID),
        ("123456     91", Label.SSN),
        ("1958", Label.DATE),
        ("17/12", Label.DATE),
        ("12/17", Label.DATE),
        ("3/47", Label.DATE),
        ("22-11-03", Label.DATE),
        ("03-25-47", Label.DATE),
        ("yesterday", Label.DATE),
        ("Ada", Label.FIRST_NAME),
        ("ADA", Label.FIRST_NAME),
        ("CHF", Label.ORGANIZATION),
        ("okwuosa", Label.LAST_NAME),
        ("Rose", Label.FIRST_NAME),
        ("Stops Okwuosa", Label.NAME),
        ("ONrust", Label.LAST_NAME),
        ("reading", Label.CITY),
        ("Told", Label.CITY),
        ("7", Label.LAST_NAME),
    ],
)
def test_what_may_be_an_identifier_is_left(written: str, label: str) -> None:
    assert not is_vetoed(f"{PROSE}{written} end", written, label)


def test_in_a_note_without_capitals_small_letters_prove_nothing() -> None:
    assert not is_vetoed("seen with brown today, brown agrees to all", "brown", Label.LAST_NAME)
    assert is_vetoed(f"{PROSE} a brown stool", "brown", Label.LAST_NAME)


@pytest.mark.parametrize(
    ("text", "written", "expected"),
    [
        ("Phénomène de Raynaud connu", "Raynaud", True),
        ("Signo de Murphy positivo", "Murphy", False),
        ("Signe de Babinski à droite", "Babinski", True),
        ("Morbus Basedow seit 2019", "Basedow", True),
        ("La maladie de Martin le fatigue", "Martin", False),
        ("Vu par le Dr Raynaud ce jour", "Raynaud", False),
        ("Fille de Raynaud Sophie", "Raynaud", False),
        ("Syndrome de Wexlovitch", "Wexlovitch", False),
    ],
)
def test_names_of_diseases_behind_what_makes_them_one(
    text: str, written: str, expected: bool
) -> None:
    for label in (Label.FIRST_NAME, Label.LAST_NAME, Label.NAME):
        assert is_vetoed(text, written, label, "fr") is expected


@pytest.mark.parametrize(
    ("written", "label", "expected"),
    [
        ("Lyon 3e", Label.ZIP, Label.CITY),
        ("Paris 15e", Label.STREET, Label.CITY),
        ("MARSEILLE 1er", Label.REGION, Label.CITY),
        ("Paris 15e", Label.LAST_NAME, Label.LAST_NAME),
        ("Lyon 69003", Label.ZIP, Label.ZIP),
        ("Nantes 3e", Label.ZIP, Label.ZIP),
    ],
)
def test_a_town_with_its_arrondissement_is_a_town(written: str, label: str, expected: str) -> None:
    text = f"Elle habite à {written}."
    span = Span(text.index(written), text.index(written) + len(written), label, "model")
    found = refine_spans([span], Document("1", text, lang="fr"))
    assert [each.label for each in found] == [expected]


def test_vetoed_spans_are_not_refined_into_mentions() -> None:
    document = Document("1", f"{PROSE}CHF today. CHF again. Okwuosa came, Okwuosa left.", lang="en")
    spans = [
        Span(document.text.index(word), document.text.index(word) + len(word), label, "model")
        for word, label in (("CHF", Label.FIRST_NAME), ("Okwuosa", Label.LAST_NAME))
    ]
    found = refine_spans(spans, document)
    assert [document.text[span.start : span.end] for span in found] == ["Okwuosa", "Okwuosa"]


@given(
    st.text(min_size=1, max_size=60),
    st.sampled_from(list(Label)),
    st.sampled_from(["fr", "en", "", "xx"]),
)
def test_any_text_is_judged(text: str, label: str, lang: str) -> None:
    assert make_veto(text, lang)(Span(0, len(text), label, "model")) in (True, False)


@pytest.mark.parametrize(
    ("lang", "written", "label"),
    [
        ("fr", "l'accompagnait", Label.ORGANIZATION),
        ("fr", "l’accompagnait", Label.ORGANIZATION),
        ("fr", "association l'accompagnait", Label.ORGANIZATION),
        ("fr", "l'accompagne", Label.HOSPITAL),
        ("fr", "s'occupait", Label.PROFESSION),
        ("fr", "accompagnaient", Label.ORGANIZATION),
        ("fr", "qu'accompagnait", Label.CITY),
    ],
)
def test_a_pronoun_and_its_verb_are_no_institution(lang: str, written: str, label: str) -> None:
    text = f"Le Dr Martin : sa fille Anne {written} chez elle"
    assert is_vetoed(text, written, label, lang)


@pytest.mark.parametrize(
    "written", ["l'Oréal", "Association l'Accompagnait", "l'ofii", "l'université", "l'enfant bleu"]
)
def test_institutions_with_an_article_are_left(written: str) -> None:
    text = f"Le Dr Martin : sa fille Anne {written} chez elle"
    assert not is_vetoed(text, written, Label.ORGANIZATION, "fr")


@pytest.mark.parametrize(
    ("lang", "text", "written"),
    [
        ("de", "Der gesetzliche Betreuer, Herr Meier", "gesetzliche Betreuer"),
        ("de", "gesetzlicher Betreuer stimmt zu", "gesetzlicher Betreuer"),
        ("de", "Betreuer: Klaus Meier", "Betreuer"),
        ("de", "Betreuerin Frau Meier", "Betreuerin"),
        ("fr", "son tuteur légal Paul Durand", "tuteur légal"),
        ("fr", "La curatrice, Mme Petit", "curatrice"),
        ("en", "Her legal guardian John Miller", "legal guardian"),
        ("en", "main carer Jane Doe", "main carer"),
        ("es", "Tutora legal: Ana Ruiz", "Tutora legal"),
        ("es", "Cuidadora principal Pilar López", "Cuidadora principal"),
        ("nl", "Wettelijk vertegenwoordiger Jan de Vries", "Wettelijk vertegenwoordiger"),
        ("nl", "mantelzorger mevr. Smit", "mantelzorger"),
    ],
)
def test_roles_towards_the_patient_are_no_professions(lang: str, text: str, written: str) -> None:
    assert is_vetoed(text, written, Label.PROFESSION, lang)


@pytest.mark.parametrize(
    ("lang", "text", "written"),
    [
        ("de", "arbeitet als Betreuer im Heim", "Betreuer"),
        ("en", "works as a carer. Lives alone", "carer"),
        ("fr", "ancien tuteur de stage", "tuteur"),
        ("en", "security guardian John", "security guardian"),
    ],
)
def test_such_words_may_be_professions(lang: str, text: str, written: str) -> None:
    assert not is_vetoed(text, written, Label.PROFESSION, lang)


@pytest.mark.parametrize(
    ("text", "written", "label"),
    [
        ("Karnofsky 60, ECOG 2", "60", Label.AGE),
        ("Bishop 6, Propess posé", "6", Label.ID),
        ("Biceps 5/5 4-/5, Triceps 4/5", "4/5", Label.DATE),
        ("pT3 N1b (4/27) M0", "4/27", Label.DATE),
        ("Switched from Camila to Mirena", "Camila", Label.FIRST_NAME),
        ("Yasmin suspendida por migraña", "Yasmin", Label.FIRST_NAME),
        ("Diane 35 arrêtée", "Diane", Label.FIRST_NAME),
        ("type 2 depuis quatorze ans", "quatorze ans", Label.AGE),
        ("Concor 1/2 0", "1/2", Label.DATE),
        ("rémission sous Enbrel.", "Enbrel", Label.DATE),
        ("I&O   Days   Nights", "Days   Nights", Label.ORGANIZATION),
        ("Unidad\tRango", "Unidad\tRango", Label.HOSPITAL),
        ("Graves disease noted", "Graves", Label.LAST_NAME),
        ("Hémocultures à Salmonella Dublin", "Salmonella Dublin", Label.ORGANIZATION),
        ("Sehr geehrte Damen und", "Damen", Label.FIRST_NAME),
        ("Actrapid 8 - 6 - 8 IE", "IE", Label.NAME),
        ("Switched from Allegra to", "Allegra", Label.FIRST_NAME),
        ("Mère porteuse de", "porteuse", Label.PROFESSION),
        ("Violet. He was. The gentiane on", "gentiane", Label.FIRST_NAME),
    ],
)
def test_scores_strengths_nodes_and_drugs(text: str, written: str, label: str) -> None:
    assert is_vetoed(text, written, label)


@pytest.mark.parametrize(
    ("text", "written", "label"),
    [
        ("Mrs Bishop, 60, ECOG 2", "60", Label.AGE),
        ("seen 4/5 and 5/5", "4/5", Label.DATE),
        ("seen (4/27)", "4/27", Label.DATE),
        ("Camila stopped by", "Camila", Label.FIRST_NAME),
        ("he took Camila home", "Camila", Label.FIRST_NAME),
        ("Diane 35 ans", "Diane", Label.FIRST_NAME),
        ("Yasmin a suspendu", "Yasmin", Label.FIRST_NAME),
        ("Barré-Petit", "Barré-Petit", Label.LAST_NAME),
        ("fille de quatorze ans", "quatorze ans", Label.AGE),
        ("seit 14", "14", Label.AGE),
        ("Marie   Okwuosa", "Marie   Okwuosa", Label.NAME),
        ("nurse, married", "nurse", Label.PROFESSION),
        ("Mrs Graves noted", "Graves", Label.LAST_NAME),
        ("seen by IE", "IE", Label.NAME),
        ("Allegra came", "Allegra", Label.FIRST_NAME),
    ],
)
def test_persons_ages_and_days_beside_such_words(text: str, written: str, label: str) -> None:
    assert not is_vetoed(text, written, label)

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locales.check_digits import nir_key
from record.document import Document
from rules.identifiers.identifiers import detect
from rules.identifiers.site_patterns import SiteNumbers
from tests.rules.marked import detected, whole

PLACES = (
    ("75", "116"), ("2A", "004"), ("2B", "033"), ("97", "105"), ("98", "716"), ("99", "352"),
    ("01", "001"),
)  # fmt: skip
BODIES = [
    (sex, year, month, *place, order)
    for sex, (year, month), place, order in product(
        "12",
        (("50", "01"), ("99", "12"), ("03", "25"), ("77", "42"), ("85", "99")),
        PLACES,
        ("608",),
    )
]


def spellings(parts: tuple[str, ...]) -> list[str]:
    body, apart = "".join(parts), " ".join(parts)
    key = nir_key(body)
    return [
        body + key, f"{apart} {key}", f"{body} {key}", body, apart, f"{body}-{key}",
        f"{apart} - {key}", " ".join(body + key), " ".join(body), f"{body} clé {key}",
        ".".join((*parts, key)), f"{body}/{key}", f"{apart} clé : {key}", (body + key).lower(),
    ]  # fmt: skip


NIR = [f"[[{spelling}|SSN]]" for parts in BODIES for spelling in spellings(parts)]
NIR += [f"N° sécurité sociale : {case}, mutuelle" for case in NIR[::5]]
WORDS = {
    "PATIENT_ID": (
        "IPP : {}", "IPP {}", "IPP: {}", "NIP {}", "MRN: {}", "MRN {}", "NHC: {}", "NHC:\n{}",
        "N° patient : {}", "patient n° {}", "I.P.P. : {}", "IPP n° {}", "Patient ID: {}",
        "Medical record number: {}", "son IPP est {}", "l'IPP étant le {}", "(IPP {})",
        "Número de historia clínica: {}",
    ),
    "VISIT_ID": (
        "NDA : {}", "NDA {}", "dossier n° {}", "N° de dossier : {}", "Numéro de séjour : {}",
        "séjour n°{}", "Episodio: {}", "Encounter ID: {}", "Visit number: {}",
        "n° d'examen : {}", "numéro de la visite : {}", "demande n° {}", "Accession number {}",
    ),
    "PROVIDER_ID": (
        "RPPS : {}", "N° RPPS {}", "ADELI {}", "NPI: {}", "NºCol: {}", "Nº Colegiado {}",
        "colegiado {}", "LópezNºCol: {}",
    ),
    "INSURANCE_ID": (
        "NASS: {}", "CIPA: {}", "N° adhérent : {}", "Policy number: {}", "Member ID: {}",
        "mutuelle n° {}", "n° de contrat : {}", "Medicare ID {}",
    ),
    "DEVICE_ID": ("n° de série : {}", "Serial number {}", "S/N: {}", "boîtier n° {}",
        "tige n° {}", "matériel n° {}", "generador nº {}", "device # {}", "lot n° {}", "Lot: {}"),
    "ACCOUNT": ("Account number: {}", "RIB : {}"),
    "ID": ("passeport n° {}", "N° FINESS {}", "passport {}"),
}  # fmt: skip
VALUES = {
    "PATIENT_ID": ("8012345678", "2345678", "N20456781", "41230987/12", "123456", "80 123 456"),
    "VISIT_ID": ("1998K123450", "3216549870", "17qz34512", "87654321-9"),
    "PROVIDER_ID": ("28 28 12345", "10001234567", "12345", "28-28-12345"),
    "INSURANCE_ID": ("28 12345 67", "281234567-1", "AB123456", "4213567890", "28-12345678-90"),
    "DEVICE_ID": ("QRX77120034", "123456", "SN-12345", "WTM026996D"),
    "ACCOUNT": ("42135678901",),
    "ID": ("12AB34567", "750100042"),
}
LABELLED = [
    around.format(words.format(f"[[{value}|{label}]]"))
    for label, phrases in WORDS.items()
    for words, value, around in product(phrases, VALUES[label], ("{}", "Mme X, {}, vue ce jour"))
]
SHAPED = [
    around.format(case)
    for case, around in product(
        (
            "[[8012345678|PATIENT_ID]]", "[[8 0 1 2 3 4 5 6 7 8|PATIENT_ID]]",
            "[[856-45-6789|SSN]]", "[[12345678Z|SSN]]", "[[12345678-Z|SSN]]",
            "[[12.345.678-Z|SSN]]", "[[X1234567L|SSN]]", "[[X-1234567-L|SSN]]",
            "[[FR7630006000011234567890189|ACCOUNT]]",
            "[[FR76 3000 6000 0112 3456 7890 189|ACCOUNT]]", "[[ES9121000418450200051332|ACCOUNT]]",
            "[[gb29 nwbk 6016 1331 9268 19|ACCOUNT]]", "[[4111 1111 1111 1111|ACCOUNT]]",
            "[[4111-1111-1111-1111|ACCOUNT]]", "[[378282246310005|ACCOUNT]]",
            "[[3782 822463 10005|ACCOUNT]]", "[[AB-123-CD|VEHICLE_ID]]",
            "[[(01)42135678901234(17)250101(10)AB12|DEVICE_ID]]", "login: [[jdupont|USERNAME]]",
            "Frappe : [[alebrun24|USERNAME]]", "tapé par [[nprev34|USERNAME]]",
            "typed by [[ckline20|USERNAME]]", "transcribed by [[mrojas-o24|USERNAME]]",
            "mecanografiado por [[rbonet13|USERNAME]]", "Tecleado por [[j.soto2|USERNAME]]",
            "Transcrito por [[lgis33|USERNAME]]", "utilisateur : [[mroux7|USERNAME]]",
            "exam [[20H43404-7|VISIT_ID]]", "sous le n° [[24P95806|VISIT_ID]]",
            "estudio [[19P61586|VISIT_ID]]", "compared with [[20C25024|VISIT_ID]]",
            "DNI: [[12345678|SSN]]", "SSN [[123456789|SSN]]", "[[987654321|ID]]",
            "[[742135678901234|SSN]]", "[[3 85 05 78 006 084 36|SSN]]",
        ),
        ("{}", "note {} fin", "({})", "{}\n", "de {}, ce jour"),
    )
]  # fmt: skip
NOTHING = (
    "01 42 16 00 07", "tel 0142160007", "tel: 912345678", "Plaquettes 250000",
    "120000000 copies/ml", "leucocytes 12 000", "12/03/2024", "dossier du 12/03/2024", "visite 3",
    "examen 12", "patient 12 ans", "10.5 mg", "séjour de 12345", "n° 12", "page 1234",
    "lot de 12", "id 5", "créatinine 123456", "NCT01234567", "PMID: 123456789",
    "doi 10.1000/123456789", "séjour à 75012 Paris", "2024", "1 000 000 UI",
    "4111 1111 1111 1112", "12345678A", "AB-123-CI1", "3 mois", "IPP à vie 20 mg", "IPP 40 mg",
    "IPP 2x/j", "lot 12", "dossier 12", "ASA 1234", "12 rue X 75012 Paris", "1.234.567",
    "120/80 130/85 140/90", "10 20 30 40 50 60", "7.40 40 90 24", "case 12 of 15",
    "examen du 12", "Policy 2012", "carte 12", "s/n 28041 Madrid", "2 2 2 2 2 2 2 2 2 2 2 2",
    "validé par CD20", "frappe 24", "signed by Dr. Gray", "tapé par Marie", "24h1500", "12x10000",
    "MRN pending", "000-12-3456", "912-34-5678", "version 10.2.3.4", "L4-L5 L5-S1",
)  # fmt: skip
NEGATIVES = [
    around.format(value)
    for value, around in product(
        NOTHING,
        (
            "{}", "Bilan : {} ce jour", "({})", "- {}\n", "soit {}", "{};", "noté {}, RAS",
            "{} ; stable", "puis {} ?", "Biologie\n{}\n",
        ),
    )
]  # fmt: skip


@pytest.mark.parametrize("cases", [NIR, LABELLED, SHAPED])
def test_finds_every_form(cases: list[str]) -> None:
    assert [detected(detect, case) for case in cases if not whole(detect, case)] == []


def test_there_are_enough_forms() -> None:
    assert min(len(NIR), len(LABELLED), len(NEGATIVES)) >= 500


def test_finds_nothing_in_counts_dates_and_publications() -> None:
    assert [found for case in NEGATIVES if (found := detected(detect, case)) != case] == []


def test_a_form_of_boxes_is_split_into_its_dates_and_its_number() -> None:
    line = "0 3 0 9 2 0 1 6 [[2 7 3 0 5 1 3 0 5 5 1 2 3 4 5 6|SSN]] 1 7 0 2 1 9 7 3 X"
    assert detected(detect, line) == line


def test_a_site_names_its_own_patient_numbers() -> None:
    spans = detect(
        Document("1", "vue (q123-45)"), site=SiteNumbers(patient_shapes=(r"q[0-9]{3}-[0-9]{2}",))
    )
    assert [(span.start, span.end, span.label) for span in spans] == [(5, 12, "PATIENT_ID")]


@given(st.text(alphabet="0123456789 .-/ABXnip:°\n", max_size=80))
def test_spans_lie_in_the_text_and_hold_a_digit(text: str) -> None:
    for span in detect(Document("1", text)):
        held = text[span.start : span.end]
        assert span.end <= len(text)
        assert held == held.strip()
        assert any(char.isdigit() for char in held)

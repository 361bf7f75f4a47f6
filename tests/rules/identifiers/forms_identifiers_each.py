"""Lines that need one single alternative of an expression: one word, one unit, one sign each."""

from collections.abc import Iterator
from itertools import product

# Words to which the word for a number is glued, one of each kind of number and of proof.
COMPOUNDS: dict[str, str] = {
    "PATIENT_ID": "ipp patientenakte patient krankenblatt",
    "VISIT_ID": "nda accession befund besuchs",
    "PROVIDER_ID": "rpps license arzt",
    "INSURANCE_ID": "medicare policy mutuelle kassen",
    "SSN": "burgerservice assure steuer",
    "ACCOUNT": "rib konto tarjeta",
    "DEVICE_ID": "serial serien implant prothese",
    "ID": "reisepass ausweis studien reference",
}
GLUED = ("{}nummer {}", "{}Number: {}", "{}nr. {}", "{}nrn. {}", "{}n° {}", "{}kennung {}",
         "{}identifikation {}", "n° {}{}")  # fmt: skip

# One line each, ⏎ for a line break.
FOUND = """
    MRN #[[K1234567|PATIENT_ID]]
    IPP du patient [[4567|PATIENT_ID]]
    MRN of the patient [[4567|PATIENT_ID]]
    NHC de la paciente [[4567|PATIENT_ID]]
    code patient [[4567|PATIENT_ID]]
    référence patient [[4567|PATIENT_ID]]
    referencia paciente [[4567|PATIENT_ID]]
    réf. patient [[4567|PATIENT_ID]]
    patient réf. [[4567|PATIENT_ID]]
    patient, référence [[4567|PATIENT_ID]]
    paciente, referencia [[4567|PATIENT_ID]]
    stimulateur Medtronic réf. [[PVX123456S|DEVICE_ID]]
    pacemaker Medtronic Azure # [[RNB123456H|DEVICE_ID]]
    N° administratif de dossier [[4567|VISIT_ID]]
    N° de lot du stent : [[4567|DEVICE_ID]]
    n° de série prothèse [[4567|DEVICE_ID]]
    nº de la muestra [[4567|VISIT_ID]]
    número del estudio [[4567|VISIT_ID]]
    numéro de l'examen [[4567|VISIT_ID]]
    numéro du dossier [[4567|VISIT_ID]]
    number of the file [[4567|PATIENT_ID]]
    ID of patient [[4567|PATIENT_ID]]
    identifiant unique [[204567|PATIENT_ID]]
    NHC: [[9764132 3|PATIENT_ID]]
    NHC [[204567|PATIENT_ID]], [[204568|PATIENT_ID]]
    NHC [[204567|PATIENT_ID]] / [[204568|PATIENT_ID]]
    onderzoeken nr. [[4567|VISIT_ID]] en [[4568|VISIT_ID]]
    Fälle Nr. [[4567|VISIT_ID]] und [[4568|VISIT_ID]]
    biopsy no. [[4567|VISIT_ID]]
    identificatienummer: [[204567|PATIENT_ID]]
    Historia: [[12.345.678|PATIENT_ID]]
    T-nummer: [[T2024-12345|VISIT_ID]]
    Nº de identificación: [[204567|PATIENT_ID]]
    N° assurée : [[1234567|SSN]]
    N° assuré(e) : [[1234567|SSN]]
    NISS [[1234567|SSN]]
    RRN [[1234567|SSN]]
    SVNR [[1237 010180|SSN]]
    SteuerID [[1234567|SSN]]
    codice fiscale [[RSSMRA85T10A562X|SSN]]
    IBAN : [[FR7612345678901234567890123|ACCOUNT]]
    generator no. [[718420|DEVICE_ID]]
    ICD no. [[718420|DEVICE_ID]]
    lead no. [[718420|DEVICE_ID]]
    pump no. [[718420|DEVICE_ID]]
    participant no. [[4567|ID]]
    employee no. [[4567|ID]]
    study no. [[4567|ID]]
    poche n° [[750123|ID]]
    don n° [[750123|ID]]
    N° dossier : IPP[[204567|PATIENT_ID]]
    N° dossier : NIP[[204567|PATIENT_ID]]
    Chart no. MRN[[204567|PATIENT_ID]]
    N° patient : NDA[[204567|VISIT_ID]]
    mutuelle n° NIR[[1234567|SSN]]
    account no. CSN[[204567|VISIT_ID]]
    account no. FIN[[20456789|VISIT_ID]]
    SSN: [[xxx-xx-6789|SSN]]
    Social Security: [[xxx-xx-6789|SSN]]
    social security number: [[***-**-6789|SSN]]
    SSN no. [[xxx-xx-6789|SSN]]
    SSN last 4: [[6789|SSN]]
    SSN last four: [[6789|SSN]]
    social security last 4 digits: [[6789|SSN]]
    SSN ending in [[6789|SSN]]
    last 4 of SSN: [[6789|SSN]]
    last four of her SSN: [[6789|SSN]]
    last four digits of his social security number: [[6789|SSN]]
    last 4 of SSN no. [[6789|SSN]]
    CIP autonómico: [[PEGA 1 680412 00 3|INSURANCE_ID]]
    CIP SNS: [[BBBBBBBBNN123456|INSURANCE_ID]]
    tarjeta sanitaria: [[GOLO 1 720315 00 4|INSURANCE_ID]]
    TSI: [[GOLO 1 720315 00 4|INSURANCE_ID]]
    CIP nº [[PEGA 1 680412 00 3|INSURANCE_ID]]
    CIP number [[PEGA 1 680412 00 3|INSURANCE_ID]]
    IK-Nummer: [[108312345|ID]]
    IK-Nr. [[108312345|ID]]
    [[7564722494187|SSN]]
    CHI number [[010180 1234|PATIENT_ID]]
    CHI no. [[010180 1234|PATIENT_ID]]
    NINO: [[qq 12 34 56 c|SSN]]
    NI [[qq 12 34 56 c|SSN]]
    National Insurance: [[qq 12 34 56 c|SSN]]
    N.I. [[qq 12 34 56 c|SSN]]
    NI number [[qq 12 34 56 c|SSN]]
    NI no. [[qq 12 34 56 c|SSN]]
    SIN [[664 240 876|SSN]]
    social insurance: [[664 240 876|SSN]]
    SIN number: [[664 240 876|SSN]]
    SIN no. [[664 240 876|SSN]]
    AM number [[75 1 23456 7|PROVIDER_ID]]
    AM n° [[75 1 23456 7|PROVIDER_ID]]
    voiture [[AB 123 CD|VEHICLE_ID]]
    véhicule [[AB 123 CD|VEHICLE_ID]]
    vehículo [[1234 BCD|VEHICLE_ID]]
    Pkw [[HH AB 1234|VEHICLE_ID]]
    matrícula del vehículo: [[1234 BCD|VEHICLE_ID]]
    matrícula del coche: [[1234 BCD|VEHICLE_ID]]
    kenteken [[12-34-AB|VEHICLE_ID]]
    kenteken [[12-AB-CD|VEHICLE_ID]]
    kenteken [[AB-CD-12|VEHICLE_ID]]
    VIN: [[WVWZZZ1KZAW123456|VEHICLE_ID]]
    châssis n° [[VF1BB05CF31234567|VEHICLE_ID]]
    Fahrgestellnummer: [[WVWZZZ1KZAW123456|VEHICLE_ID]]
    nom d'utilisateur : [[jdupont|USERNAME]]
    login [[alebrun24|USERNAME]]
    usuario [[mroux7|USERNAME]]
    frappe par [[nprev34|USERNAME]]
    [[8012345678|PATIENT_ID]] | 320360/97
    [[8012345678|PATIENT_ID]] | 320360-123
"""

# Headings one below the other, then their numbers.
PATIENT_HEADINGS = ("IPP", "NIP :", "MRN:", "NHC")
VISIT_HEADINGS = ("NDA", "IEP :", "CSN:", "FIN", "Episodio:", "Encounter")

# What ends a number written in groups of digits: the count or the date after it is none of it.
AFTER_GROUPS = (
    "12h30", "12/03/2024", "98 %", "72 ans", "72 años", "72 years", "72 yo", "72 y.o.", "8 mois",
    "8 months", "72 Jahre", "72 jaar", "8 jours", "8 days", "500 mg", "12 ml", "12 mm", "12 cm",
    "72 kg", "500 UI", "12 euros", "12 rue Monge", "12 avenue Foch", "12 bis",
)  # fmt: skip

# Amounts and dates after a word that also names numbers.
WORDS_OF_MEASURES = ("HC : {}", "IP: {}", "Medicare {}")
MEASURES = (
    "1250 %", "1250 mg", "1250 ml", "1250 g/j", "1250 mm", "1250 cm", "1250 kg", "1250 euros",
    "1250 €", "1250 $", "1250 UI", "1250 UFC", "1250 copies", "1250 plaq", "1250/mm3", "1250/l",
    "1250,5", "12345+2", "12/03/2024", "2024-03-12", "12jan2024", "12ene2024", "12feb2024",
    "12mar2024", "12mrt2024", "12apr2024", "12may2024", "12mei2024", "12jun2024", "12jul2024",
    "12aou2024", "12aug2024", "12ago2024", "12sep2024", "12oct2024", "12nov2024", "12dec2024",
    "12dic2024", "192.168.10.12",
)  # fmt: skip

NOTHING = """
    dossier n° 1998
    study no. CRD42020123456
    Date de venue : 12/2024
    Fecha del episodio: 12/2024
    Datum der Charge: 12/2024
    jour de venue : 12/2024
    día de petición: 12/2024
    date of accession: 12/2024
    datum van accessie: 12/2024
    BG 12 34 56 A
    GB 12 34 56 A
    KN 12 34 56 A
    NK 12 34 56 A
    NT 12 34 56 A
    TN 12 34 56 A
    ZZ 12 34 56 A
    EAN 4012345678902
    GTIN 04012345678902
    CIP13 : 3400930000121
    UCD 13 : 3400892611109
    Fax 912345678
    Tfno 912345678
    tfn 912345678
    phone 5551234567
    móvil 612345678
    mobile 612345678
    mob. 475123456
    portable 612345678
    GSM 475123456
    123456789@qq.com
    123456789,50
    123456789 UI
    123456789 cop/ml
    123456789 cellules
    123456789/ml
    123456789 %
    123456789 eq
    123456789 CFU
    123456789 GE
    Plate: LCP-123-4
    login: n/a
    username: none
    username: unknown
    login: null
    login alebrun24@chu
    session srv12.chu
"""


def _lines(table: str) -> list[str]:
    return [line.strip().replace("⏎", "\n") for line in table.strip().splitlines()]


def each() -> Iterator[str]:
    """Yield marked lines; those without a mark hold nothing."""
    for label, words in COMPOUNDS.items():
        value = f"[[20456789|{label}]]"
        for word, form in product(words.split(), GLUED):
            yield form.format(word, value)
    yield from _lines(FOUND)
    for patient, visit in product(PATIENT_HEADINGS, VISIT_HEADINGS):
        yield f"{patient}\n{visit}\n[[8012345678|PATIENT_ID]]\n[[320360971|VISIT_ID]]"
        yield f"{visit}\n{patient}\n[[320360971|VISIT_ID]]\n[[204567|PATIENT_ID]]"
    for after in AFTER_GROUPS:
        yield f"NHC [[204 567|PATIENT_ID]] {after}"
    for words, measure in product(WORDS_OF_MEASURES, MEASURES):
        yield words.format(measure)
    yield from _lines(NOTHING)

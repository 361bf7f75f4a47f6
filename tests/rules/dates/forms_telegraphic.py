"""Dates that hurried writers shorten, and days that programs count; numbers that are neither."""

from collections.abc import Iterator

Line = tuple[str, str]

EVENTS = (
    "holter mapa ecg ekg eeg emg irm mri mrt rmn tdm tac scanner ct echo eco rx radio lab labo"
    " bilan bio analitica blutbild hosp hospi hospitalisation sejour ingreso aufnahme opname stay"
    " admission consult consultation consulta visit visite cs kontrolle controle control garde"
    " urgences urgencias notaufnahme seh dialyse dialisis chimio chemo quimio cure kur conge conges"
    " urlaub vacaciones vakantie"
).split()
STAYS = (
    "urgences urgencias urg notaufnahme seh ingreso ingresos ingresa ingresad ingresada ingresado"
    " reingreso alta admitted admission discharge discharged readmitted aufnahme aufgenommen"
    " entlassung entlassen opname opgenomen ontslag ontslagen hospi hospitalise hospitalisation"
    " entree sortie admis admise visite consulta cita rdv appointment op operado operada operiert"
    " opere"
).split()
ENGLISH_DAYS = "mon tue tues wed weds thu thur thurs fri sat sun".split()
SHORTENED = {
    "fr": (
        "absent du [[15 au 30|DATE]].",
        "absent du [[15 au 30|DATE]]",
        "absent du [[3 au 7|DATE]] ct pour",
        "absent du [[3 au 7|DATE]] courant",
        "absent du [[3 au 7|DATE]] inclus",
        "nuit [[14/15-3|DATE]] : RAS",
        "[[19-23/02|DATE]] : RAS",
        "[[19-31.01|DATE]] : RAS",
        "DDR [[3/1|DATE]], ok",
        "revoir [[mercredi 25|DATE]] 9h30 avec",
        "revoir [[mercredi 25|DATE]] 9h avec",
        "[[trimestre 1 1998|DATE]]",
        "Holter [[19-21/02|DATE]] : RAS",
        "Holter du [[19–21/02|DATE]] : RAS",
        "du [[6 au 8/05|DATE]]",
        "absent [[6 jusqu'au 8/05|DATE]]",
        "congé le [[6 - 8.05|DATE]]",
        "congé : [[6-8/5|DATE]]",
        "courrier du [[8|DATE]] courant",
        "reçu le [[8|DATE]] ct. ok",
        "lettre [[8|DATE]] crt, ok",
        "lettre [[1er|DATE]] courant",
        "vu le [[14 mars MMXXI|DATE]]",
        "[[14 mars mmxxi|DATE]] : RAS",
        "[[trimestre 1 2021|DATE]]",
        "urgences le [[6.2|DATE]] pour chute",
        "hospi. [[6.2|DATE]]",
        "[[14 mars MCMXCI|DATE]] : RAS",
        "[[semestre n°1 de 2021|DATE]]",
    ),
    "en": (
        "LMP [[3/1|DATE]], ok",
        "visit [[Weds 6th Nov|DATE]].",
        "visit [[Tues 12/3|DATE]].",
        "stay [[29+31-12|DATE]]",
        "seen [[Mar-14-21|DATE]]",
        "[[Mar-14-21|DATE]]: ok",
        "letter of the [[8th|DATE]] inst. received",
        "letter of [[8|DATE]] instant. ok",
        "[[1st|DATE]] inst., [[2nd|DATE]] inst. and [[3rd|DATE]] inst.",
        "admitted on [[6.2|DATE]] with fever",
        "stay on [[6-8/5|DATE]]",
        "[[quarter 1 of 2021|DATE]]",
        "[[Q1/21|DATE]]: 3 visits",
        "[[quarter 1, 2021|DATE]]",
    ),
    "es": (
        "vacuna el día [[25|DATE]].",
        "vacuna el día [[25|DATE]]",
        "del día [[25|DATE]]; luego",
        "baja del [[3 al 7|DATE]].",
        "a domicilio ([[mar 5|DATE]])",
        "visto [[29/8|DATE]], bien",
        "Lab [[15+17-5|DATE]]: Hb 12",
        "visto el [[10|DATE]] cte.",
        "visto el [[10|DATE]] del cte.",
        "visto el [[10|DATE]] del corriente",
        "visto el [[10|DATE]] de corriente",
        "visto el [[10|DATE]] del mes corriente",
        "visto el [[10|DATE]] del mes en curso",
        "escrito el [[10|DATE]] del actual",
        "urgencias el [[6.2|DATE]] por fiebre",
        "ingreso del [[6-8/5|DATE]]",
        "control de [[6-8/5|DATE]]",
        "vacaciones [[6 al 8/5|DATE]]",
        "vacaciones [[6 hasta el 8/5|DATE]]",
        "alta del [[6.2|DATE]] ok",
        "[[trimestre 1 del 2021|DATE]]",
    ),
    "de": (
        "Ethik [[17/10|DATE]]. Taxi",
        "Urlaub vom [[6.-8.5|DATE]].",
        "Urlaub [[6. bis 8.5|DATE]]. ok",
        "Urlaub [[6. bis zum 8.5|DATE]]. ok",
        "Urlaub am [[6.-8.5|DATE]]. ok",
        "[[Quartal 1 2021|DATE]]",
        "[[Quartal 1/2021|DATE]]",
        "Schreiben vom [[8|DATE]]. d.M. dankend",
        "Schreiben vom [[8|DATE]].d. M. dankend",
        "Schreiben vom [[8|DATE]]. dieses Monats",
        "Aufnahme am [[6.2|DATE]] mit Fieber",
        "Entlassung vom [[6.2|DATE]]",
        "[[Halbjahr 1 2021|DATE]]",
    ),
    "nl": (
        "[[halfjaar 2 2021|DATE]]",
        "opname [[6.2|DATE]]. ok",
        "[[6 t/m 8-5|DATE]] opgenomen",
        "[[6 tot 8-5|DATE]] opgenomen",
        "brief [[8|DATE]] dezer",
        "opname van [[6-8/5|DATE]] ok",
        "[[kwartaal 1 van 2021|DATE]]",
        "[[6 t/m 8/5|DATE]]",
    ),
}
RUNS = (
    "vu [[14032021|DATE]] RAS",
    "seen [[03142021|DATE]] ok",
    "CR_[[20210314|DATE]]_v2",
    "CR_[[14032021|DATE]].pdf",
)
COUNTED = {
    "fr": (
        "[[jour 73 de 2021|DATE]] : RAS",
        "CR [[073/2021|DATE]]",
        "[[2021/073|DATE]] : RAS",
        "le [[073e jour de 2021|DATE]]",
        "le [[73ème jour de l'année 2021|DATE]]",
        "le [[1er jour de 2021|DATE]]",
    ),
    "en": (
        "ts [[1615723200000|DATE]]",
        "epoch [[1601251200000|DATE]]",
        "[[day 073/2021|DATE]]",
        "the [[73rd day of 2021|DATE]]",
        "[[74th day of 2021|DATE]]",
        "[[81st day of 2021|DATE]]",
        "[[82nd day of 2021|DATE]]",
        "[[360th day of 2021|DATE]]",
        "[[day no. 73 of 2021|DATE]]",
        "[[day 365 of 2021|DATE]]",
        "rec. [[001/2021|DATE]], [[212/2021|DATE]], [[351/2021|DATE]], [[366/2020|DATE]]",
        "rec. [[2021/001|DATE]], [[2021/212|DATE]], [[2021/351|DATE]], [[2020/366|DATE]]",
    ),
    "es": (
        "el [[día 73 de 2021|DATE]]",
        "[[día 73 del año 2021|DATE]]",
        "[[73º día de 2021|DATE]]",
        "[[día 120 del 2021|DATE]]",
    ),
    "de": (
        "am [[73. Tag des Jahres 2021|DATE]]",
        "am [[Tag 73 im Jahr 2021|DATE]]",
        "[[Tag 200/2021|DATE]]",
    ),
    "nl": (
        "op [[dag 73 van 2021|DATE]]",
        "op [[dag 5 van 2021|DATE]]",
        "op [[73e dag van 2021|DATE]]",
    ),
}
NUMBERS = {
    "fr": (
        "du 15 au 30 mg",
        "du 30 au 15.",
        "14/16-3",
        "14/15-3-2",
        "14/15-3a",
        "12-14/08",
        "19-23/02/1",
        "19-23/02 %",
        "19-23/02+4",
        "14/15-3 %",
        "CRP 6.2, Hb 12",
        "trimestre 1 2021a",
        "T1/219",
        "urgences 6.2a",
        "urgences 6.2/3",
        "6 au 8/05 %",
        "cure 6-8/5 %",
        "urgences 6.2 %",
        "vu 14032021A",
        "ts 1615723200000a",
        "ts 1615723200000.5",
        "CR 073/2021/4",
        "CR 073/2021.5",
        "lab 6-8/05+3",
        "T1/21/3",
        "Holter 19-21/02/1",
        "TA 12-14/08",
        "Holter 21-19/02",
        "IPP 14032021",
        "dossier n° 14032021",
        "vu 99032021",
        "loi 073/2021",
        "ratio 400/2021",
        "073/2021 %",
        "réf. 1615723200000123",
        "NSS 1601251200000",
        "1601251200000",
        "tél 1615723200000",
        "urgences 6.2 mg",
        "urgences 6.2.4",
        "urgences 16.2%",
        "6 au 8/05/3",
        "cure 15-17-5",
        "6 au 40/05",
        "page 14 MMXXI",
        "8 courants électriques",
        "rapport 1.073/2021",
        "lot 14032021",
        "IRM 6.2",
        "14032021-7",
    ),
    "en": (
        "pain 4-6/10 at rest",
        "6 to 8/10",
        "stay 8-6/5",
        "day 73 of treatment",
        "Q1/2",
        "quarter 5 2021",
        "[[Mar-14|DATE]]-21b",
        "[[Mar-14|DATE]]-21-7",
        "x14032021",
        "inst. 8",
    ),
    "es": (
        "el día 5 de ingreso",
        "lun 5 veces",
        "mar 5 mg",
        "mar 5 %",
        "PA 13/8",
        "lab 15+17-5-3: Hb 12",
        "el 10 cta",
        "decreto 073/2021",
        "urgencias 6.25",
    ),
    "de": (
        "Pinsp  24/10  22/9",
        "Urlaub 6.-8.13.",
        "Verordnung 073/2021",
        "Aufnahme 6.2 kg",
        "Entlassung 31.2",
    ),
    "nl": ("8 t/m 6-5", "opname 6.2%"),
}


def shortened() -> Iterator[Line]:
    """Yield lines with dates that are shifted in their form."""
    yield from ((lang, line) for lang, lines in SHORTENED.items() for line in lines)
    yield from (("fr", line) for line in RUNS[:1] + RUNS[2:])
    yield "en", RUNS[1]
    yield from (("fr", f"{event} [[9-11/02|DATE]] ok") for event in EVENTS)
    yield from (("fr", f"{stay} [[6.2|DATE]] ok") for stay in STAYS)

    yield from (
        ("en", f"seen [[{day} {number}|DATE]] ok")
        for day in ENGLISH_DAYS
        for number in ("1st", "2nd", "3rd", "15th")
    )


def counted() -> Iterator[Line]:
    """Yield lines with days that only a surrogate of their own moves."""
    yield from ((lang, line) for lang, lines in COUNTED.items() for line in lines)


def numbers() -> Iterator[Line]:
    """Yield lines without a date."""
    yield from ((lang, line) for lang, lines in NUMBERS.items() for line in lines)

from datetime import date, timedelta
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from rules.dates.dates import detect
from tests.rules.marked import detected, unmark, whole

WHOLE = (
    "12/03/2024", "12.03.2024", "12-03-2024", "12 03 2024", "12 / 03 / 2024", "2024-03-12",
    "2024/03/12", "2024.03.12", "1/2/2024", "01/12/24", "12-03-24", "12.03.24", "03/25/2024",
    "12|03|2024", "12/03-2024", "O1/02/2O23", "12/O3/2024", "l2/03/2024", "31/12/1899",
    "05/05/2073", "12 mars 2024", "1er mars 2024", "12 MARS 2024", "12 déc. 2024", "12 dec 2024",
    "14 décembre 94", "3 août 2022", "12nov2023", "12nov", "12-nov-2023", "12/nov/2023",
    "12-mar-2024", "March 12, 2024", "March 12th, 2024", "12th of March 2024", "12 March 2024",
    "Mar 12 2024", "Sept 04,2021", "12 de marzo de 2024", "12 de marzo del 2024", "17-abril-2011",
    "1 de enero de 2020", "12 ene 2020", "3 de setiembre de 2019",
    "trente et un mai deux mille dix-neuf", "neuf octobre mille neuf cent cinquante-deux",
    "doce de marzo de dos mil veinte", "February 3, 1999", "2016 janvier", "03/2024", "3/2024",
    "mars 2024", "MARS 2024", "enero de 2031", "Mayo del 2011", "May 2012", "déc1994",
    "dec. 1993", "décembre 1993", "14, Mai 1981", "23 novembre, 2015", "0 7 0 3 2 0 1 8",
    "02 1 7 2 0 0 3", "2 0 0 2 2 0 3 1", "29/02/2024", "fév 2009", "12 juil. 2019",
    "Jun 5, 2020", "12 avr 2020", "5 JUILLET 2021", "premier mars 2020", "12 JUIN 2031",
)  # fmt: skip
AROUND = (
    "{}", "le {}.", "vu ({}), revu", "Date : {}\nsuite", "- {} : RAS", "en {} puis", "du {}, ce",
    "consultation {}",
)  # fmt: skip
PARTIAL = (
    "12/03", "3/9", "12.03", "12-03", "12 mars", "1er avril", "12032024", "20240312", "2/11",
)  # fmt: skip
YEAR_WORDS = (
    "en", "En", "depuis", "in", "since", "desde", "depuis l'année", "fin", "durant", "until",
    "hasta", "en el año", "before", "vers", "début", "année",
)  # fmt: skip
BIRTHS = (
    "né le {}", "née le {}", "Né(e) le : {}", "Date de naissance : {}", "DDN {}", "DDN: {}",
    "DOB: {}", "born on {}", "Date of birth: {}", "Nacido el {}", "Fecha de nacimiento: {}",
    "F. nac.: {}", "née à Paris le {}", "NÉE LE {}", "Nacida el {}", "D.O.B. {}",
    "naissance le {}", "Née Martin le {}", "Né le\n{}",
)  # fmt: skip
BIRTHDAYS = (
    "12/03/1950", "12.03.50", "12 mars 1950", "1er mars 1950", "1950-03-12", "12 MARS 1950",
    "March 12, 1950", "12 de marzo de 1950", "12031950", "1 2 0 3 1 9 5 0",
)  # fmt: skip
FORMS = [
    *(around.format(f"[[{value}|DATE]]") for value, around in product(WHOLE, AROUND)),
    *(
        around.format(f"[[{value}|DATE]]")
        for value, around in product(PARTIAL, ("le {} au matin", "vu le {},", "RDV {} "))
    ),
    *(
        f"opéré {word} [[{year}|DATE]], puis"
        for word, year in product(YEAR_WORDS, ("2019", "1995", "2003"))
    ),
]
BIRTH_FORMS = [
    words.format(f"[[{value}|BIRTH_DATE]]") for words, value in product(BIRTHS, BIRTHDAYS)
]
LINES = [
    "du [[10|DATE]] au [[12/08/1995|DATE]]",
    "du [[10|DATE]] au [[12 août 1995|DATE]]",
    "[[10|DATE]]-[[12/08/1995|DATE]]",
    "du [[14|DATE]] - [[16/06|DATE]]",
    "les [[3|DATE]], [[5|DATE]] et [[7 mars 2020|DATE]]",
    "del [[10|DATE]] al [[12 de agosto de 2010|DATE]]",
    "[[March 3|DATE]]-[[5, 2024|DATE]]",
    "[[lundi 12|DATE]]",
    "[[lundi 12 mars|DATE]] à 8h",
    "[[Monday, March 12, 2024|DATE]]",
    "[[lunes 12 de marzo|DATE]]",
    "le [[mardi 3/9|DATE]]",
    "de [[mai|DATE]] à [[juin 2029|DATE]]",
    "de [[jan|DATE]] à [[fév 2009|DATE]]",
    "entre [[2010|DATE]] et [[2012|DATE]]",
    "en [[2010|DATE]], [[2012|DATE]] et [[2014|DATE]]",
    "début ([[2011|DATE]])",
    "[[2024-03-12|DATE]]T10:15:00",
    "[[12/03/2024|DATE]] 10:15",
    "C1 [[4/5/21|DATE]] C2 [[1/6/21|DATE]] C3 [[5/7|DATE]] C4 [[14/08|DATE]]",
    "- [[1987|DATE]] fracture",
    "le [[12\nmars 2024|DATE]]",
    "le [[12 mars\n2024|DATE]]",
    "([[12/03/2024|DATE]])([[13/03/2024|DATE]])",
    "[[14/06/2009|DATE]]COURRIER",
    "en [[mars|DATE]]",
    "on [[april 11th|DATE]] at",
    "on [[January 17th 1958|DATE]].",
    "the month of [[November|DATE]] and [[December|DATE]]",
    "in [[March|DATE]]",
    "en el mes de [[marzo|DATE]]",
    "du [[27/02|DATE]] au [[04/03/2016|DATE]]",
    "vers les [[14|DATE]]-[[15/06/09|DATE]]",
    "[[12/03/24|DATE]] - [[15/03/24|DATE]]",
    "Le [[1er|DATE]] et [[2 mars|DATE]]",
    "on the [[12th of March|DATE]]",
    "le [[120324|DATE]]",
    "Fecha de Ingreso: [[31409/2015|DATE]]",
    "née le [[12/03/1950|BIRTH_DATE]], vue le [[12/03/2020|DATE]]. X [[12 mars 1950|BIRTH_DATE]]",
    "Vue le [[12/03/2020|DATE]], née le [[05/05/1950|BIRTH_DATE]]",
    "née Martin, hospitalisée le [[12/03/2020|DATE]]",
    "[[12/03/1950|BIRTH_DATE]] (date de naissance)",
    "né en [[1937|BIRTH_DATE]]",
    "soulagé.\n[[29/12|DATE]] : vu par l'interne",
    "[[22/05|DATE]] 16h41 : sa sœur appelle",
    "Constantes : [[07/04|DATE]] 23:55 : diurèse",
    "[[06/11|DATE]]] 10:46: resting",
    "with relief.\n[[05-26-21|DATE]] 7:39: resting",
    "[[08-10-21|DATE]] 9h25 : TA stable",
    "EVA stable. [[17-02-21|DATE]] 12:40: diuresis",
    "- [[12/11|DATE]]: dressing changed",
    "Labs of [[10/26|DATE]]: ferritin. Cultures drawn [[11/27|DATE]] at night",
    "Hospitalized from [[10/13|DATE]] to [[10.18.2019|DATE]]",
    "vue le[[30/11|DATE]], stable",
    "suivie depuis[[2014|DATE]], stable",
    "Compared with 24C60076-3 of [[January 28, 2023|DATE]].",
    "X [[0 3 0 9 2 0 1 6|DATE]] 2 7 3 0 5 1 3 0 5 5 1 2 3 4 5 6 [[1 7 0 2 1 9 7 3|DATE]] Y",
]
NOTHING = (
    "Hb 12.03 g/dL", "créat 12,03", "page 1/2", "TA 12/8", "TA : 12/08", "120/80 mmHg", "1/2 cp",
    "3/7", "24/24", "24h/24 7j/7", "2/3 supérieur", "au 1/3 moyen", "EVA 5/10", "v1.2.3",
    "version 10.2.23", "10.2.3.4", "01 42 16 00 07", "06.12.34.56.78", "04-15-02-98-37", "T2N0M0",
    "pT3N1", "ratio 3/4", "1:100", "1/160", "1/2048", "2000 ml", "en 2000 mg",
    "soit 1995 patients", "12 mg", "10 à 12 mg/j", "3 x 2 mg", "acuité 10/10", "Glasgow 15/15",
    "souffle 3/6", "L4-L5", "FEV1 0,88", "FEV1/FVC", "une OCT", "12 may be", "may 3 times",
    "grade 3", "12.5 mg x 3", "1-2 cp", "10-12 mg", "n° 12345", "0,12-0,15", "le patient",
    "du 2/3 distal", "le 1/3 inf", "12-15 ans", "PSA 12.03 ng/ml", "M. Mars", "CIM-10 F32.1",
    "ratio 1.2.3", "Hospital 12 de Octubre", "rue du 4 septembre", "7 sets", "500 mg 1-0-1",
    "1 - 0 - 1", "08:30", "12h30", "38.5°C", "75015 Paris", "IMC 24.5", "45,3%", "NYHA 2/4",
    "ASA 2", "Gleason 3+4=7", "SpO2 98%", "2,5/10", "4/5", "12345678", "marche 6 minutes",
    "EVA 10/10 12h30", "TA 12/11 à 8h", "pain from 8/10 to 3/10", "Glasgow 12/12 14:10",
    "VEMS +6\nFEV1 1.5", "1.5/2.5", "3 marches", "0.25 0.50 0.75",
)  # fmt: skip
NEGATIVES = [
    around.format(value)
    for value, around in product(
        NOTHING,
        ("{}", "Bilan : {} ce jour", "- {}\n", "patient ({}),", "soit {}", "{};", "noté {}, RAS"),
    )
]


@pytest.mark.parametrize("cases", [FORMS, BIRTH_FORMS, LINES])
def test_finds_every_form(cases: list[str]) -> None:
    assert [detected(detect, case) for case in cases if not whole(detect, case)] == []


def test_there_are_enough_forms() -> None:
    assert min(len(FORMS), len(NEGATIVES)) >= 500


def test_finds_nothing_in_measures_scores_and_versions() -> None:
    assert [found for case in NEGATIVES if (found := detected(detect, case)) != case] == []


DAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31))
FRENCH_MONTHS = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
).split()
SPANISH_MONTHS = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
).split()


@given(DAYS, st.text(alphabet="abc éœ€\U0001f600 \n", max_size=10))
def test_finds_any_day_in_any_format(day: date, around: str) -> None:
    french, spanish = FRENCH_MONTHS[day.month - 1], SPANISH_MONTHS[day.month - 1]
    for written in (
        f"{day:%d/%m/%Y}", f"{day:%d.%m.%Y}", f"{day:%d-%m-%Y}", f"{day:%Y-%m-%d}",
        f"{day.day} {french} {day.year}", f"{day.day} {french.upper()} {day.year}",
        f"{day:%B} {day.day}, {day.year}", f"{day.day} de {spanish} de {day.year}",
        f"{day.day}{french}{day.year}",
    ):  # fmt: skip
        text, spans = unmark(f"{around} le [[{written}|DATE]] {around}")
        assert [(s.start, s.end, s.label) for s in detect(Document("1", text))] == spans


@given(DAYS, st.integers(1, 3000))
def test_only_dates_of_the_same_value_become_dates_of_birth(born: date, later: int) -> None:
    seen = min(born + timedelta(days=later), date(2199, 1, 1))
    text = f"née le {born:%d/%m/%Y}. Vue le {seen:%d/%m/%Y} et le {born.day} {born:%m}"
    text += f". DUPONT {born:%Y-%m-%d}"
    labels = [span.label for span in detect(Document("1", text))]
    assert labels[:2] == ["BIRTH_DATE", "DATE"]
    assert labels[-1] == "BIRTH_DATE"


@given(st.text(alphabet="0123456789 ./-,ledumarsjuinnové\n", max_size=80))
def test_spans_are_disjoint_sorted_and_never_blank(text: str) -> None:
    spans = detect(Document("1", text))
    assert all(a.end <= b.start for a, b in pairwise(spans))
    for span in spans:
        held = text[span.start : span.end]
        assert span.end <= len(text)
        assert held == held.strip()
        assert any(char.isalnum() for char in held)

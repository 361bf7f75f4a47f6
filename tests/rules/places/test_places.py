import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from record.document import Document
from rules.places.places import detect
from tests.growth import MOST, calls, growth, repeated

MARK = re.compile(r"\[([^\]|]*)\|([A-Z]+)\]")


def _found(text: str, lang: str) -> list[tuple[str, str]]:
    spans = detect(Document("n", text, lang=lang))
    outer = [
        s for s in spans if not any(o != s and o.start <= s.start and s.end <= o.end for o in spans)
    ]
    return [(text[s.start : s.end], s.label) for s in outer]


FRENCH = [
    "habite [12 bis rue des Lilas|STREET], [75012|ZIP] [Paris|CITY]",
    "[12, avenue du Général de Gaulle|STREET] [94000|ZIP] [CRÉTEIL CEDEX|CITY]",
    "[12 RUE DU DOCTEUR GACHET|STREET] [92300|ZIP] [LEVALLOIS-PERRET|CITY]",
    "[3 place de la République|STREET] - [69003|ZIP] [Lyon|CITY]",
    "[47-83 Boulevard de l'Hôpital|STREET], [75013|ZIP] [Paris|CITY]",
    "[5 rue du 8 mai 1945|STREET]\n[31000|ZIP] [Toulouse|CITY]",
    "[17 RUE DE RENNES, APPT 188|STREET], [75011|ZIP] [PARIS 11|CITY]",
    "[28 ter, place de Beaubourg|STREET]\n[93000|ZIP] [THIELLES CEDEX 09|CITY]",
    "au [85 rue de Rivoli|STREET], à [Paris|CITY] dans le [75001|ZIP].",
    "transféré au [CHU de Nantes|HOSPITAL] puis à l'[hôpital Tenon|HOSPITAL]",
    "[Hôpital Saint-Louis|HOSPITAL], [Clinique des Tilleuls|HOSPITAL]",
    "[Centre hospitalier de Montrevel|HOSPITAL]",
    "admise à la [clinique Val d'Ouest|HOSPITAL] hier",
    "en [salle Gerbillon|HOSPITAL], [unité Dejerine|HOSPITAL]",
    "né à [Marseille|CITY], habite à [Tourcoing|CITY]",
    "[Vichy|CITY], le 2024-08-23",
    "[Amiens|CITY], le 7avr2023",
    "Né le 24/05/1942 à [Paris|CITY]",
    "courrier du cabinet de [Versailles|CITY], reçu. Originaire de [Cannes|CITY]",
    "vu à [Saint Denis|CITY], hier",
    "Profession : [conductrice de bus|PROFESSION]. Tabac : non",
    "Retraitée, ancienne [couturière|PROFESSION]. Ancien [soudeur|PROFESSION], exposé",
    "Il est [secrétaire|PROFESSION] chez [Lecomte|ORGANIZATION] et ne travaille pas",
    "au médecin du travail de [Weiss Colin S.A.S.|ORGANIZATION]",
    "chez [Guichard Blanchet SA|ORGANIZATION], à temps plein",
    "Ville : [Brest|CITY]\nPays : [France|COUNTRY]",
]
ENGLISH = [
    "lives at [1600 Pennsylvania Avenue|STREET], [Springfield|CITY], [IL|REGION] [62704|ZIP]",
    "[221 N. Baker St., Apt 4B|STREET], [Boston|CITY], [MA|REGION] [02118-1234|ZIP]",
    "transferred from [Northfield General Hospital|HOSPITAL]",
    "to [Saint Alban Medical Center|HOSPITAL]",
    "She was born in [Chicago|CITY] and follows at [Ashgrove Clinic|HOSPITAL].",
    "[P.O. Box 1234|STREET]",
    "letter from Dr. Duane Gray in [Trenton|CITY] asking for advice",
    "Appendectomy in 2008 in [Charleston|CITY]. Birthplace: [Peoria|CITY]",
    "[Los Angeles|CITY], [California|REGION]\n[90033|ZIP]",
    "Admit to [Barton 4B|HOSPITAL] under Dr. Gray. Seen in [Barton 4B|HOSPITAL].",
    "Transferred from [Osler 7 West|HOSPITAL] today",
    "Works as a [bank manager|PROFESSION] for [Payne-Webb|ORGANIZATION]. Enjoys gardening",
    "Retired [civil engineer|PROFESSION], formerly with [Green-Johnson|ORGANIZATION].",
    "He is a [clerk|PROFESSION] for [Roberts, Thompson and Richards|ORGANIZATION] and rests",
    "occupational physician of [Rhodes LLC|ORGANIZATION].",
]
SPANISH = [
    "Domicilio: [C/ Carmen Romero, 23, 1D|STREET].\nCP: [28035|ZIP].",
    "Localidad/ Provincia: [Madrid|CITY].\nCP: [28035|ZIP].",
    "[Calle Miguel Benitez 90|STREET]. [28016|ZIP] [Madrid|CITY]. [España|COUNTRY]",
    "[Avda. Marie Curie s/n|STREET] [28822|ZIP] [Coslada|CITY]",
    "País: [España|COUNTRY].",
    "Servicio de Urología. [Hospital Universitario La Paz|HOSPITAL].",
    "[Paseo de la Castellana, 261|STREET]",
    "[Acceso Aurelio Amat 76 Apt. 17|STREET], [21005|ZIP] [Huelva|CITY]",
    "[Terrassa|CITY], sábado 28 de mayo",
    "Trabaja como [enfermera|PROFESSION] en [Fábrica Salazar S.A.|ORGANIZATION], de baja",
    "Jubilado ([maestro|PROFESSION] en [Compañía Globales S.C.P|ORGANIZATION])",
    "servicio médico de [Rey y Lozano S.L.|ORGANIZATION]",
    "[Clínica Los Almendros|HOSPITAL], [Centro de Salud La Ermita|HOSPITAL]",
]
TABLE = [
    (line, lang)
    for lang, lines in (("fr", FRENCH), ("en", ENGLISH), ("es", SPANISH))
    for line in lines
]


@pytest.mark.parametrize(("line", "lang"), TABLE)
def test_places(line: str, lang: str) -> None:
    text = MARK.sub(r"\1", line)
    assert _found(text, lang) == [(match[1], match[2]) for match in MARK.finditer(line)]


HARD = [
    "En cours de traitement, 3 cours de chimiothérapie. Mise en place d'une sonde.",
    "2 passages aux urgences, 1 place disponible, par voie orale, en route.",
    "Examen clinique Normal. Essai clinique Phase II. Chef de clinique.",
    "Pression 12345 Pa, 10000 UI/j, leucocytes 12500 /mm3, plaquettes 250000.",
    "Bilan 75 012 leucocytes. Dossier 92300. Poste 73389.",
    "Hôpital de jour. Hospitalisation. Clinique : apyrétique. Unité de soins.",
    "Por vía oral 500 mg. Curso clínico favorable. Camino de la curación.",
    "Street drugs, drive for 2 hours, Dr. Smith, St. wound, 5 way bypass.",
    "La place du traitement, le passage à la chronicité, la cité plus haut.",
    "Unité Coronaire. Service de Cardiologie. Secteur protégé.",
    "savon de Marseille, L3B2 de Montréal, Montreal L3B2, stage IV Ann Arbor, Ann Arbor IIB",
    "T° 38 °C. EVA 5/10. T 37,2 °C. Glasgow 15, 38 °C. Peso 97 kg",
    "Ancien fumeur. Il est fatigué. Retired in 2001. Former smoker. She is a poor historian.",
    "Return to work as tolerated. Antigua fractura. Patient SAS appareillé, 35 SA.",
    "Seen by Dr. Gray in Cardiology, in May. Transferred to Stage 4B.",
    "Valor\tUnidad\tRango. Biopsias por protocolo de Seattle.",
    "Medical Center. The hospital course was uneventful. Clinic Note.",
]


@pytest.mark.parametrize("text", HARD)
@pytest.mark.parametrize("lang", ["fr", "en", "es"])
def test_everyday_words_are_no_places(text: str, lang: str) -> None:
    assert _found(text, lang) == []


def test_a_heading_in_capitals_is_no_hospital() -> None:
    assert _found("nodes.\n\n* HOSPITAL COURRSE *\nReturn", "en") == []


@settings(max_examples=150, deadline=None)
@given(
    number=st.integers(1, 400).map(str),
    repeat=st.sampled_from(["", " bis", " ter", "bis"]),
    comma=st.sampled_from([" ", ", "]),
    kind=st.sampled_from(
        "rue|avenue|boulevard|allée|impasse|chemin|quai|place|Rue|Bd|av.".split("|")
    ),
    name=st.sampled_from(
        "des Érables|Jean Jaurès|de l'Église|du Clos-Fleuri|Saint-Michel|d'Orves|de La Paix".split(
            "|"
        )
    ),
    code=st.integers(1000, 95999).map("{:05d}".format),
    upper=st.booleans(),
)
def test_a_whole_address_is_covered(
    number: str, repeat: str, comma: str, kind: str, name: str, code: str, upper: bool
) -> None:
    street = f"{number}{repeat}{comma}{kind} {name}"
    address = f"{street}, {code} Villers-le-Bel"
    address = address.upper() if upper else address
    text = f"Il vit au {address}."
    covered = {at for s in detect(Document("n", text, lang="fr")) for at in range(s.start, s.end)}
    start = text.index(address)
    assert {at for at in range(start, start + len(address)) if text[at].isalnum()} <= covered
    assert covered <= set(range(start, start + len(address)))


@given(st.text("12 rueav. ParisCHU,deÀ\n-:75012/ª'(", max_size=120))
@settings(max_examples=150, deadline=None)
def test_spans_lie_within_any_text(text: str) -> None:
    for lang in ("fr", "en", "es"):
        for span in detect(Document("n", text, lang=lang)):
            assert 0 <= span.start < span.end <= len(text)
            assert span.detector == "rules.places"


@pytest.mark.parametrize(
    "block",
    [
        "12 ",
        "rue ",
        "rue de la ",
        "12 rue A ",
        "CHU de ",
        "75012 P ",
        "c/ ",
        "A. ",
        "12, 3, ",
        "ancien a ",
        "S.A. ",
        "A SA ",
        "chez A, ",
        "unit: a 4",
        " in A",
        "St ",
        "Rue De La ",
        "lives in A ",
        "SW1A 1AA ",
        "A & B SA ",
    ],
)
def test_work_grows_with_the_text_and_no_faster(block: str) -> None:
    assert growth(lambda text: detect(Document("n", text, lang="es")), block) < MOST


@pytest.mark.parametrize(
    "block", ["7", " ", ", ", "aaaa ", "M. M. M. ", "A-A-A-", "\n", "[", "a", "A", "."]
)
def test_a_text_without_places_costs_next_to_nothing(block: str) -> None:
    text = repeated(block, 10_000)
    detect(Document("n", "", lang=""))
    assert calls(lambda: detect(Document("n", text, lang=""))) < 3 * len(text)

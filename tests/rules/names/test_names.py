import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from record.document import Document
from rules.names.names import detect
from tests.growth import MOST, growth

MARK = re.compile(r"\[([^\]|]*)\|([FL])\]")
KINDS = {"FIRST_NAME": "F", "LAST_NAME": "L"}


def _found(text: str, lang: str) -> list[tuple[str, str]]:
    return [(text[s.start : s.end], KINDS[s.label]) for s in detect(Document("n", text, lang=lang))]


FRENCH = [
    "Le VSAV [Denis|F] [Lechevrel|L], VSAV2 et OPJ DEBOUT",
    "Vu par le Dr [DUPONT|L] et Mme [Jeanne|F] [MARTIN|L].",
    "M. [DURAND|L] [Paul|F], adressé par le Docteur [Claire|F] [PETIT|L]",
    "Mlle [Lefèvre|L], Pr. [GARNIER|L], MME [LEROY|L], Monsieur [Bernard|L]",
    "Dr [A.|F] [MARTIN|L], Dr [J.-P.|F] [DE LA TOUR|L], Dr [P-A.|F] [ROUX|L]",
    "Drs [A.|F] [MARTIN|L], [B.|F] [DURAND|L] et [C.|F] [PETIT|L]",
    "Dr.[Hardy|L] et M.[Benoit|L]",
    "Interne : [CAMUS|L] [Hélène|F] (Interne)",
    "Chef de service : Pr [Luc|F] [VASSEUR|L]",
    "Nom : [DUBOIS|L]\nPrénom : [Sophie|F]\nNom de naissance : [ROYER|L]",
    "Validé par [Antoine|F] [MERCIER|L] le 12",
    "Signé : [Emma|F] [ROUSSEL|L]",
    "Patiente [Julie|F] [BARBIER|L], suivie depuis mars",
    "née [GAUTHIER|L] en 1950",
    "Mme [d'Almeida|L] et M. [Le Goff|L]",
    "Dr [Van der Linden|L], Mme [El Amrani|L]",
    "Accompagnée de [Thierry|F] [MOREAU|L] ce jour",
    "Parle de [Sandrine|F] [B.|L] au salon, vitamine D. reçue",
    "[GIRARD|L] [Camille|F] est venue",
    "le dr [lefebvre|L] a vu le patient",
    "Psychologue : [Zulmira|F] [Morano|L] N° 12",
    "[BENALI|L], [Yassine|F]\n12 rue",
    "IAO : [LETELLIER|L] [Martin|F]\nMotif",
    "IDE : [M.|F] [Letellier|L]\n\nConstantes",
    "pas d'écoulement. [M|F] [Letellier|L]\n27/05 : bien",
    "Rien à signaler. [Odette|F]\n22/08 10h32 : calme",
    "Relève faite à [Odette|F] le 29 décembre",
    "annonce avec [Joseph|F], IDE",
    "l'enfant [M.|F] [Martineau|L], né hier; sa mère [M.|F] [Mallet|L]",
    "Dr [Benjamin|F] [de La Motte|L], Dr [B.|F] [de La Motte|L]",
    "Mme [Kowalczyk|L] va mieux. Suite : [Kowalczyk|L] sort demain.",
]
ENGLISH = [
    "Present: [Feldstein|L], [Rao|L], [Pope|L] (path), nursing",
    "CNS [Bernadette|F], CPN [Malachy|F] [Burns|L], [Deborah|F] [Macklin|L] RGN",
    "Photos by WOCN [Hannah|F] and [Ignacio|F] [Wren|L] LMSW",
    "Patient: CNS involved. OT: seen. CPN to ring",
    "Seen by Dr. [Kumar|L] and Mrs. [Olivia|F] [Bennett|L].",
    "Mr. [Taylor|L] notes pain. Mr. [Taylor|L]'s wife agrees.",
    "Attending: [Sarah|F] [Whitfield|L], MD",
    "Electronically signed by [Brian|F] [Walker|L]",
    "Patient Name: [Martha|F] [Collins|L]",
    "Dear Dr. [O'Connor|L], thank you",
    "RN: [Turner|L], [Jennifer|F]\n\nVital signs",
    "Triage: [Turner|L], [Jennifer|F]",
    "clean and dry. [Richardson|L], [Jordan|F]\nJune 13: pain",
    "clean and dry. [Jennifer|F]\n07/04/2022: settled",
    "\n[J|F] [Richardson|L], night shift",
    "visit with [Alexander|L], [Anne|F], RN",
    "[Jennifer|F] [Lopez|L] is a 40-year-old female",
    "Last name: [Nguyen|L]\nFirst name: [Thi|F]",
]
SPANISH = [
    "Se avisa a TCAE [Leire|F] y ENF [Joaquina|F]",
    "Nombre: [Ernesto|F].\nApellidos: [Rivera Bueno|L].",
    "Médico: [Ignacio|F] [Navarro Cuéllar|L] NºCol: 28",
    "Remitido por: Dr. [Pablo|F] [Garrido Abad|L]. Servicio de Urología",
    "Dña. [Carmen|F] [Ruiz|L] y D. [Luis|F] [Soto|L]",
    "Dra. [M.ª|F] [Torres|L]",
    "Responsable clínico: [Pilar|F] [del Río Martínez|L]",
    "Ayudante: [Gárate|L], [Magdalena|F]\nAnestesia",
    "Residente: [C.|F] [Pont|L]\n",
    "Enfermera: [Benigna|F]\n",
    "consulta con Dra. [del Valle|L], continúa",
    "su hermana [D.|F] [Nieto Lucena|L]",
    "Sr. [Gómez|L], Sra. [Vega|L]",
]
TABLE = [
    (line, lang)
    for lang, lines in (("fr", FRENCH), ("en", ENGLISH), ("es", SPANISH))
    for line in lines
]


@pytest.mark.parametrize(("line", "lang"), TABLE)
def test_names_are_found_by_what_stands_around_them(line: str, lang: str) -> None:
    text = MARK.sub(r"\1", line)
    assert _found(text, lang) == [(match[1], match[2]) for match in MARK.finditer(line)]


HARD = [
    "Maladie de Parkinson, syndrome de Guillain-Barré, signe de Babinski.",
    "Score de Charlson à 5, échelle de Glasgow à 15, classification de Child-Pugh.",
    "Drain de Redon, sonde de Foley, M. tuberculosis, E. coli, S. aureus.",
    "Crohn's disease, Alzheimer disease, Hodgkin lymphoma, Epstein-Barr virus.",
    "Enfermedad de Crohn, escala de Glasgow, signo de Murphy, síndrome de Sjögren.",
    "Dr en médecine. Docteur en pharmacie.",
    "Sister Mary Joseph nodule absent. Marcus Gunn pupil. Bence Jones negative.",
    "MOTIF D'HOSPITALISATION : Douleur thoracique. ANTÉCÉDENTS : Aucun.",
    "HISTOIRE DE LA MALADIE\nPatient : Homme de 50 ans.\nExamen : Normal",
    "Interne : Service de garde. Nom : Prénom : Date :",
    "Traitement : Doliprane, Kardegic 75, Lovenox. Madame, Monsieur, Cher Confrère,",
    "IRM Cérébrale et Scanner Thoracique. ECG Normal. PR Normal, QT 400 ms.",
    "Past Medical History: Diabetes. Chief Complaint: Chest Pain. Vital Signs Stable.",
    "NEUROLOGICAL: No TIA or CVA. Review of Systems. Will Start Metformin. May Return.",
    "Y de Roux, IgG ELISA positiva, IgM PCR. Servicio de Urología. Estado General Bueno.",
    "Hôpital Georges Pompidou, rue Jean Moulin, avenue Victor Hugo, clinique Pasteur",
    "La patiente rentre lundi. Le patient Va bien. Par ailleurs, RAS.",
    "INFORME DE ALTA HOSPITALARIA\n\nServicio. fièvre à 38,7 °C. VEMS à 56 %",
    "Infirmière : Passage ce jour.\nIDE à domicile. RN to follow. Nurse: Call back.",
    "Douleur.\nTransit. Normal\n\nSelles. Calme\n12/03 : RAS. Sortie demain. Stable\n12/04",
    "Vitamine D. Le bilan est normal. Groupe A. Rhésus positif. Hépatite C. Pas de fièvre.",
]


@pytest.mark.parametrize("text", HARD)
@pytest.mark.parametrize("lang", ["fr", "en", "es", ""])
def test_words_of_the_ward_are_no_persons(text: str, lang: str) -> None:
    assert _found(text, lang) == []


TITLES = [
    "Dr",
    "Dr.",
    "DR",
    "Docteur",
    "Pr",
    "Mme",
    "MME",
    "Madame",
    "Monsieur",
    "M.",
    "Mlle",
    "Mrs.",
    "Dra.",
]
GIVEN = ["Jeanne", "Thomas", "Hélène", "Marie-Claude", "J.", "A.-B."]
SURNAMES = [
    "Quéméner",
    "Lefrançois",
    "Brückner",
    "D'Arvieux",
    "De La Motte",
    "Saint-Aubin",
    "Okonkwo",
]


@given(
    st.sampled_from(TITLES),
    st.sampled_from(GIVEN),
    st.sampled_from(SURNAMES),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_a_title_covers_the_whole_name(
    title: str, first: str, last: str, upper: bool, swapped: bool
) -> None:
    last = last.upper() if upper else last
    name = f"{last} {first}" if swapped and upper else f"{first} {last}"
    text = f"vu hier par {title} {name}, qui confirme"
    covered = {at for s in detect(Document("n", text, lang="fr")) for at in range(s.start, s.end)}
    start = text.index(name)
    wanted = {at for at in range(start, start + len(name)) if text[at].isalpha()}
    assert wanted <= covered
    assert covered <= set(range(start, start + len(name)))


@given(st.text("Dr. Mme MARTIN Jean, A.-é\n:('’0", max_size=120))
@settings(max_examples=150, deadline=None)
def test_spans_lie_within_any_text(text: str) -> None:
    for span in detect(Document("n", text, lang="fr")):
        assert 0 <= span.start < span.end <= len(text)
        assert span.detector == "rules.names"


@pytest.mark.parametrize(
    "block",
    [
        "A. ",
        "Dr ",
        "Jean ",
        "DE LA ",
        "a-",
        "M.",
        "Nom : ",
        "X-",
        "É'",
        "RN A ",
        ". Ab\n",
        "\nAb, ",
    ],
)
def test_work_grows_with_the_text_and_no_faster(block: str) -> None:
    assert growth(lambda text: detect(Document("n", text, lang="fr")), block) < MOST

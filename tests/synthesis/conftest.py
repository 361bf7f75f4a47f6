"""A hospital of two patients, made by hand, whose notes are known to the letter."""

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta

import pytest

from record.document import Annotated, Document
from record.patient import Address, Identifier, PatientRecord, PersonName
from record.span import Span
from synthesis.fictional.people.records import (
    CareSite,
    Clinician,
    FictionalNote,
    Hospital,
    Rendering,
    Visit,
)

_PARAGRAPHS = {
    "fr": [
        "COMPTE RENDU D'HOSPITALISATION",
        "",
        "[FIRST_NAME|Jean-Gaël] [LAST_NAME|LEFÈVRE-DUPONT], né le [BIRTH_DATE|03/02/1950], âgé de "
        "[AGE|74 ans], a été hospitalisé du [DATE|28/02/2024] au [DATE|2 mars 2024] pour une "
        "décompensation cardiaque. Il vit au [STREET|12 rue de l'Église],\n  [ZIP|75012] "
        "[CITY|Saint-Étienne-du-Rouvray] (tél. [PHONE|01 44 55 66 77]).",
        "",
        "Évolution :",
        "  - œdèmes des membres inférieurs, SpO2 ≥ 92 %, furosémide 40 mg → 80 mg ;",
        "  - courrier adressé au Dr [FIRST_NAME|Zoë] [LAST_NAME|Nuñez] "
        "([EMAIL|zoe.nunez@example.org]) et au dossier [URL|https://dossier.chu-exemple.fr/patients/8012345678/compte-rendu/"
        "hospitalisation-de-cardiologie-du-printemps-2024/version-definitive-signee].",
    ],
    "en": [
        "DISCHARGE SUMMARY",
        "",
        "[FIRST_NAME|John] [LAST_NAME|O’Neill] (born [BIRTH_DATE|02/03/1950]) was seen on "
        "[DATE|March 2, 2024] at [HOSPITAL|St. Mary’s Hospital], [PHONE|(555) 010-2233].",
        "He was discharged to his daughter [FIRST_NAME|Mary Ann] [LAST_NAME|Smith-Jones].",
    ],
    "es": [
        "INFORME DE ALTA",
        "",
        "[FIRST_NAME|Íñigo] [LAST_NAME|García López], nacido el [BIRTH_DATE|03/02/1950], ingresó "
        "el [DATE|28 de febrero de 2024] en el [HOSPITAL|Hospital Niño Jesús] por disnea.",
        "¿Alergias? Ninguna. NHC [PATIENT_ID|8012345678].",
    ],
    "de": [
        "ENTLASSUNGSBRIEF",
        "",
        "[FIRST_NAME|Jürgen] [LAST_NAME|Groß], geb. [BIRTH_DATE|03.02.1950], befand sich vom "
        "[DATE|28.02.2024] bis [DATE|2. März 2024] im [HOSPITAL|Klinikum Weißensee].",
        "Anschrift: [STREET|Schloßstraße 3], [ZIP|69115] [CITY|Heidelberg].",
    ],
    "nl": [
        "ONTSLAGBRIEF",
        "",
        "[FIRST_NAME|Zoë] [LAST_NAME|de Vries], geb. [BIRTH_DATE|03-02-1950], was opgenomen van "
        "[DATE|28-02-2024] tot [DATE|2 maart 2024] in [HOSPITAL|Ziekenhuis De Geïnde].",
        "Adres: [STREET|Kerkstraat 3], [ZIP|1017 GN] [CITY|Amsterdam].",
    ],
}  # fmt: skip


def _annotated(marked: str, document: Document) -> Annotated:
    text, spans = "", []
    for part in marked.split("["):
        inside, closing, outside = part.partition("]")
        if not closing:
            text += part
            continue
        label, _, value = inside.partition("|")
        spans.append(Span(len(text), len(text) + len(value), label))
        text += value + outside
    return Annotated(
        Document(
            note_id=document.note_id,
            text=text,
            person_id=document.person_id,
            lang=document.lang,
            written=document.written,
            kind=document.kind,
        ),
        tuple(spans),
    )


def _patients() -> dict[int, PatientRecord]:
    home = Address("12 rue de l'Église", "75012", "Saint-Étienne-du-Rouvray", "FR")
    numbers = (
        Identifier("PATIENT_ID", "8012345678"),
        Identifier("SSN", "1 50 02 75 012 345 67"),
        Identifier("INSURANCE_ID", "MUT-99887766"),
    )
    full = PatientRecord(
        person_id="101",
        given_names=("Jean-Gaël", "Paul"),
        family_names=("LEFÈVRE-DUPONT",),
        birth_names=("MÜLLER",),
        gender="M",
        birth_date=date(1950, 2, 3),
        addresses=(home, Address("3 quai d’Orsay", "69001", "Lyon", "FR")),
        phones=("01 44 55 66 77", "06 11 22 33 44"),
        emails=("jg.lefevre@example.org",),
        identifiers=numbers,
        relatives=(PersonName(("Zoë",), ("LEFÈVRE",)), PersonName(("Mary", "Ann"), ())),
    )
    bare = PatientRecord(person_id="102", given_names=("Ana",), family_names=("Ñuñez",))
    return {101: full, 102: bare}


def _clinicians() -> tuple[Clinician, ...]:
    names = [("Hélène", "BŒUF"), ("Marc", "D’Arcy"), ("Iñaki", "Etxeberría"), ("Ann", "Lee")]
    return tuple(
        Clinician(
            provider_id=200 + k,
            name=PersonName((given,), (family,)),
            title="Dr",
            gender="F",
            specialty="Cardiologie",
            provider_number=f"1000123456{k}",
            phone=f"01 44 00 11 2{k}",
            email=f"medecin{k}@chu-exemple.fr",
        )
        for k, (given, family) in enumerate(names)
    )


def _sites() -> tuple[CareSite, ...]:
    address = Address("1 place de l’Hôpital", "76800", "Rouen", "FR")
    phones = ("02 35 00 11 22", "02 35 00 11 23", "www.chu-exemple.fr")
    return (
        CareSite(300, "CHU Sainte-Élisabeth", address, *phones),
        CareSite(301, "Service de cardiologie Pr Léon Bérard", address, *phones),
    )


@pytest.fixture
def small_hospital() -> Callable[..., Hospital]:
    """Build it: language, how many notes, how they are rendered in turn, paragraphs repeated."""

    def build(
        lang: str = "fr",
        *,
        notes: int = 3,
        renderings: tuple[Rendering, ...] = ("text", "pdf", "scan"),
        repeats: int = 1,
    ) -> Hospital:
        start = datetime(2024, 2, 28, 9, 0)
        visits = tuple(
            Visit(400 + k, 101 + k, 200, 301, f"24000{k}77", start, start + timedelta(days=3 * k))
            for k in (0, 1)
        )

        def written() -> Iterator[FictionalNote]:
            for k in range(notes):
                person, moment = 101 + k % 2, datetime(2024, 3, 2, 10, 15)
                document = Document(f"{k + 1}", "", f"{person}", lang, moment, "discharge")
                marked = "\n".join(_PARAGRAPHS[lang] * repeats)
                yield FictionalNote(
                    note_id=k + 1,
                    person_id=person,
                    provider_id=200 + k % 4,
                    visit_id=400 + k % 2,
                    care_site_id=300 + k % 2,
                    kind="discharge",
                    title="Compte rendu d'hospitalisation",
                    lang=lang,
                    written=moment,
                    annotated=_annotated(marked, document),
                    rendering=renderings[k % len(renderings)],
                )

        return Hospital(lang, _patients(), _clinicians(), _sites(), visits, written)

    return build

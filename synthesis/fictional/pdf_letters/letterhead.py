"""Everything a hospital prints around the body of a letter, line by line and by language."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from random import Random

from locales import registry
from record.folding import fold
from record.label import Label
from record.patient import Address, PatientRecord, PersonName
from synthesis.fictional.pdf_letters.marked_lines import MarkedLine, joined, line
from synthesis.fictional.people.records import CareSite, Clinician, FictionalNote, Hospital, Visit
from synthesis.fictional.templates.languages import LANGUAGES

_TEAM = 6
_BEGINNING = 600


@dataclass(frozen=True, slots=True)
class Letter:
    """The data from which the PDF of one note is made; picklable."""

    note: FictionalNote
    patient: PatientRecord
    author: Clinician
    team: tuple[Clinician, ...]
    site: CareSite
    group: CareSite
    visit: Visit | None


class LetterDirectory:
    """A hospital's people and places by their ids."""

    def __init__(self, hospital: Hospital) -> None:
        self._hospital = hospital
        self._clinicians = {c.provider_id: c for c in hospital.clinicians}
        self._sites = {site.care_site_id: site for site in hospital.care_sites}
        self._visits = {visit.visit_id: visit for visit in hospital.visits}

    def letter(self, note: FictionalNote, *, seed: int) -> Letter:
        """Gather what a note's printed form needs.

        Raises KeyError for a note of a person, clinician or care site that the hospital has not.
        """
        author = self._clinicians[note.provider_id]
        # The same few for an author in a ward; those of the author's specialty come first
        ward = f"{seed}:{note.care_site_id}"
        random = Random(f"team:{ward}:{author.provider_id}")
        others = [c for c in self._hospital.clinicians if c is not author and c.specialty != "gp"]
        others = random.sample(others, len(others))
        others.sort(key=lambda clinician: clinician.specialty != author.specialty)
        return Letter(
            note=note,
            patient=self._hospital.patients[note.person_id],
            author=author,
            team=(author, *others[: _TEAM - 1]),
            site=self._sites[note.care_site_id],
            group=self._hospital.care_sites[0],
            visit=self._visits.get(note.visit_id),
        )


@dataclass(frozen=True, slots=True)
class LetterWording:
    """The fixed words of a printed letter in one language."""

    lang: str
    phone: str
    fax: str
    born: dict[str, str]
    birth_name: str
    sex: str
    mrn: str
    visit: str
    ssn: str
    provider: str
    page: str
    signed: str
    printed: str
    patient: str
    team: str
    dateline: str
    confidential: str
    numeric_date: str
    long_date: str


WORDINGS = {
    "fr": LetterWording(
        lang="fr",
        phone="Tél. : ", fax="Fax : ", born={"M": "Né le ", "F": "Née le ", "": "Né(e) le "},
        birth_name="Nom de naissance : ", sex="Sexe : ", mrn="IPP : ", visit="NDA : ",
        ssn="N° Sécu : ", provider="RPPS : ", page="Page {n}/{of}",
        signed="Signé électroniquement par ", printed="Édité le ", patient="Patient : ",
        team="Équipe médicale", dateline=", le ",
        confidential="Document confidentiel couvert par le secret médical",
        numeric_date="{d:02}/{m:02}/{y}", long_date="{d} {month} {y}",
    ),
    "en": LetterWording(
        lang="en",
        phone="Tel: ", fax="Fax: ", born={"": "DOB: "}, birth_name="Née: ", sex="Sex: ",
        mrn="MRN: ", visit="Encounter: ", ssn="SSN: ", provider="NPI: ", page="Page {n} of {of}",
        signed="Electronically signed by ", printed="Printed on ", patient="Patient: ",
        team="Medical staff", dateline=", ",
        confidential="Confidential: contains protected health information",
        numeric_date="{m:02}/{d:02}/{y}", long_date="{month} {d}, {y}",
    ),
    "es": LetterWording(
        lang="es",
        phone="Tel.: ", fax="Fax: ", born={"": "F. nac.: "}, birth_name="Apellidos de nacimiento: ",
        sex="Sexo: ", mrn="NHC: ", visit="Episodio: ", ssn="NASS: ", provider="N.º colegiado: ",
        page="Página {n} de {of}", signed="Firmado electrónicamente por ", printed="Impreso el ",
        patient="Paciente: ", team="Equipo médico", dateline=", a ",
        confidential="Documento confidencial sujeto a secreto profesional",
        numeric_date="{d:02}/{m:02}/{y}", long_date="{d} de {month} de {y}",
    ),
    "de": LetterWording(
        lang="de",
        phone="Tel.: ", fax="Fax: ", born={"": "geb. "}, birth_name="Geburtsname: ",
        sex="Geschlecht: ", mrn="Pat.-Nr.: ", visit="Fallnr.: ", ssn="RV-Nr.: ",
        provider="LANR: ", page="Seite {n} von {of}", signed="Elektronisch signiert von ",
        printed="Gedruckt am ", patient="Patient: ", team="Ärztliches Team", dateline=", den ",
        confidential="Vertraulich: unterliegt der ärztlichen Schweigepflicht",
        numeric_date="{d:02}.{m:02}.{y}", long_date="{d}. {month} {y}",
    ),
    "nl": LetterWording(
        lang="nl",
        phone="Tel.: ", fax="Fax: ", born={"": "Geb. "}, birth_name="Geboortenaam: ",
        sex="Geslacht: ", mrn="Patiëntnr.: ", visit="Opnamenr.: ", ssn="BSN: ",
        provider="AGB-code: ", page="Pagina {n} van {of}", signed="Elektronisch ondertekend door ",
        printed="Afgedrukt op ", patient="Patiënt: ", team="Medisch team", dateline=", ",
        confidential="Vertrouwelijk: valt onder het medisch beroepsgeheim",
        numeric_date="{d:02}-{m:02}-{y}", long_date="{d} {month} {y}",
    ),
}  # fmt: skip


def wording(letter: Letter) -> LetterWording:
    """The words of the letter's language; English where there are none."""
    return WORDINGS.get(letter.note.lang, WORDINGS["en"])


def site_lines(letter: Letter) -> tuple[MarkedLine, ...]:
    """Name the hospital, the ward where it has a name of its own, and where they are."""
    site, words = letter.site, wording(letter)
    names = [letter.group.name]
    if site.name != letter.group.name:
        names.append(site.name)
    phones = line(
        *_labelled(words.phone, site.phone, Label.PHONE),
        "   " if site.fax else "",
        *_labelled(words.fax, site.fax, Label.FAX),
    )
    return _kept(
        *(line((name, Label.HOSPITAL)) for name in names),
        *address_lines(site.address),
        phones,
        line((site.url, Label.URL)),
    )


def address_lines(address: Address) -> tuple[MarkedLine, ...]:
    """Write a postal address over two lines."""
    gap = " " if address.zip and address.city else ""
    town = line((address.zip, Label.ZIP), gap, (address.city, Label.CITY))
    return _kept(line((address.street, Label.STREET)), town)


def staff_lines(letter: Letter) -> tuple[tuple[MarkedLine, ...], ...]:
    """Write the entries of the medical staff, each a name line and lines below it."""
    return tuple(_staff_entry(clinician, letter.note.lang) for clinician in letter.team)


def _staff_entry(clinician: Clinician, lang: str) -> tuple[MarkedLine, ...]:
    words = WORDINGS.get(lang, WORDINGS["en"])
    return _kept(
        clinician_line(clinician),
        specialty_line(clinician, lang),
        line(*_labelled(words.phone, clinician.phone, Label.PHONE)),
        line((clinician.email, Label.EMAIL)),
        line(*_labelled(words.provider, clinician.provider_number, Label.PROVIDER_ID)),
    )


def clinician_line(clinician: Clinician) -> MarkedLine:
    """Write a clinician as title, given names and family names."""
    return joined(_kept(line(clinician.title), *_given(clinician.name), *_family(clinician.name)))


def specialty_line(clinician: Clinician, lang: str) -> MarkedLine:
    """Write a clinician's specialty, in the language's word if it has one for it."""
    words = LANGUAGES[lang].words if lang in LANGUAGES else {}
    (name, *_) = words.get(f"specialty.{clinician.specialty}", (clinician.specialty,))
    return line(name[:1].upper() + name[1:])


def name_line(letter: Letter) -> MarkedLine:
    """Write the patient with the family names first, in capitals."""
    families = tuple(family.upper() for family in letter.patient.family_names)
    name = PersonName(letter.patient.given_names, families)
    return joined((*_family(name), *_given(name)))


def identity_lines(letter: Letter, *, full: bool) -> tuple[MarkedLine, ...]:
    """Write a patient label; `full` adds birth name and social security number."""
    patient, words = letter.patient, wording(letter)
    sex = line(words.sex, patient.gender) if patient.gender else MarkedLine("")
    rows = [name_line(letter), birth_line(letter), sex, *number_lines(letter)]
    if full:
        # Write the patient's birth names; empty where there are none.
        names = [line((name, Label.LAST_NAME)) for name in letter.patient.birth_names]
        rows.insert(
            1,
            joined((line(wording(letter).birth_name.rstrip()), *names))
            if names
            else MarkedLine(""),
        )
        rows.append(line(*_labelled(words.ssn, identifier(patient, Label.SSN), Label.SSN)))
    return _kept(*rows)


def birth_line(letter: Letter) -> MarkedLine:
    """Write when the patient was born; empty where it is not known."""
    words, born = wording(letter), letter.patient.birth_date
    lead = words.born.get(letter.patient.gender, words.born[""])
    return line(*_labelled(lead, written_date(born, words) if born else "", Label.BIRTH_DATE))


def number_lines(letter: Letter) -> tuple[MarkedLine, ...]:
    """Write the hospital's numbers for the patient and the stay."""
    words = wording(letter)
    visit = letter.visit.number if letter.visit else ""
    mrn = identifier(letter.patient, Label.PATIENT_ID)
    return _kept(
        line(*_labelled(words.mrn, mrn, Label.PATIENT_ID)),
        line(*_labelled(words.visit, visit, Label.VISIT_ID)),
    )


def identifier(patient: PatientRecord, label: str) -> str:
    """Look up the patient's first identifier of a label; empty where there is none."""
    return next((i.value for i in patient.identifiers if i.label == label), "")


def recipient_lines(letter: Letter) -> tuple[MarkedLine, ...]:
    """Write the patient's name and postal address, as for the window of an envelope."""
    patient = letter.patient
    name = PersonName(patient.given_names, patient.family_names)
    address = patient.addresses[0] if patient.addresses else Address()
    return _kept(joined((*_given(name), *_family(name))), *address_lines(address))


def title_line(letter: Letter) -> MarkedLine:
    """Write the title above the body; empty if the body begins with it.

    A title with figures is left out as well: they could be dates that nobody marked.
    """
    title, text = letter.note.title, letter.note.annotated.document.text
    unfit = any(char.isdigit() for char in title) or fold(title) in fold(text[:_BEGINNING])
    return line("" if unfit else title)


def dateline(letter: Letter) -> MarkedLine:
    """Write place and date of the letter."""
    words, city = wording(letter), letter.site.address.city
    written = written_date(letter.note.written, words, long=True)
    return line(*((city, Label.CITY), words.dateline) if city else "", (written, Label.DATE))


def signature_lines(letter: Letter, *, electronic: bool) -> tuple[MarkedLine, ...]:
    """Write who signs; the electronic form adds when it was signed."""
    words = wording(letter)
    number = line(*_labelled(words.provider, letter.author.provider_number, Label.PROVIDER_ID))
    name = clinician_line(letter.author)
    if not electronic:
        return _kept(name, specialty_line(letter.author, letter.note.lang), number)
    stamp = f" {letter.note.written:%H:%M}"
    when = line((written_date(letter.note.written, words), Label.DATE), stamp)
    return _kept(joined((line(words.signed.rstrip()), name, MarkedLine("-"), when)), number)


def running_line(letter: Letter) -> MarkedLine:
    """Write the line that heads every further page."""
    name = joined((line(wording(letter).patient.rstrip()), name_line(letter)))
    return joined(_kept(name, birth_line(letter), *number_lines(letter)), " - ")


def imprint_line(letter: Letter) -> MarkedLine:
    """Write the small print along the edge of a sheet: when it was printed, and for whom."""
    words = wording(letter)
    when = line(words.printed, (written_date(letter.note.written, words), Label.DATE))
    return joined(_kept(when, *number_lines(letter)), " - ")


def foot_lines(letter: Letter) -> tuple[MarkedLine, ...]:
    """Write the lines at the foot of every page but the page number."""
    site, words = letter.site, wording(letter)
    address = joined(address_lines(site.address), ", ")
    contact = _kept(
        line(*_labelled(words.phone, site.phone, Label.PHONE)),
        line(*_labelled(words.fax, site.fax, Label.FAX)),
        line((site.url, Label.URL)),
    )
    where = joined(_kept(line((letter.group.name, Label.HOSPITAL)), address), " - ")
    return _kept(where, joined(contact, " - "), line(words.confidential))


def page_line(letter: Letter, number: int, total: int) -> MarkedLine:
    """Write the number of a page."""
    return line(wording(letter).page.format(n=number, of=total))


def written_date(day: date | datetime, words: LetterWording, *, long: bool = False) -> str:
    """Write a date as the language does, in figures or with the month's name."""
    month = registry.LANGUAGES[words.lang].dates.months[0].words[day.month - 1]
    form = words.long_date if long else words.numeric_date
    return form.format(d=day.day, m=day.month, y=day.year, month=month)


def _labelled(lead: str, value: str, label: Label) -> tuple[str | tuple[str, str], ...]:
    return (lead, (value, label)) if value else ()


def _given(name: PersonName) -> Iterable[MarkedLine]:
    return [line((given, Label.FIRST_NAME)) for given in name.given_names]


def _family(name: PersonName) -> Iterable[MarkedLine]:
    return [line((family, Label.LAST_NAME)) for family in name.family_names]


def _kept(*rows: MarkedLine) -> tuple[MarkedLine, ...]:
    return tuple(row for row in rows if row.text.strip())

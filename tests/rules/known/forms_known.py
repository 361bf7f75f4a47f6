"""Made-up patients of five languages and letters about them, with every mention marked.

A mention is `exact` (the patient's own value in another dress), `misspelt` (one letter of a name
wrong where names stand), `misread` (as text recognition confuses letters and digits) or an `other`
person with a similar name. Letters also hold what must not be found: words, drugs and eponyms.
"""

import random
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta

from record.document import Document
from record.patient import Address, Identifier, PatientRecord, PersonName

GIVEN = {
    "fr": "Hélène Jean-Paul Maëlys Guénolé François Capucine Marie-Thérèse Yoann Bérénice Rose"
    " Cédric Anne Théophraste Jeanne Violette Élisabeth Loïc Ghislaine Mohamed Solenn",
    "en": "Margaret Oliver Siobhán Jonathan Grace Percival Elizabeth Tyrone Winifred Mark"
    " Penelope Augustus Mary-Ann Deborah Lamar Hope Nicholas Gwendolyn Bill Katherine",
    "es": "José Inés María-José Guillermo Rocío Ximena Íñigo Concepción Álvaro Blanca Begoña"
    " Federico Nuria Estrella Joaquín Remedios Santiago Leticia Ángel Micaela",
    "de": "Jürgen Hannelore Götz Friederike Karl-Heinz Ursula Sören Wiebke Matthias Käthe",
    "nl": "Sjoerd Anneke Willemijn Joost Marieke Gerrit Liesbeth Hendrik Fleur Teunis",
}
FAMILY = {
    "fr": "Martin|Dupont|Lefèvre|Quéméner|DE LA TOUR|Petit|Rousseau|Le Goff|Bœuf|Guillaumin"
    "|Legrand-Vasseur|N'Diaye|d'Ormesson|Blanchard|Marchand|Faucheux|Kervella|Bernard|Roche"
    "|Saint-Martin|Parkinson|Charcot|Bouvier|Thévenot|Barbier|Hernandez|Nowakowski|Cordonnier",
    "en": "Smith|Johnson|O'Connor|McAllister|White|Brown|Parkinson|Murphy|Fitzgerald|Hathaway"
    "|Young|Foley|Anderson|Thistlewood|Marlowe|Carmichael|Bernstein|St. John|Long|Pemberton"
    "|Vanderbilt|Rosenthal|Garner|Whitcombe|Barrett|Ashworth-Lane|Clark|Hollingsworth",
    "es": "García|Martínez|Fernández|Blanco|Flores|de la Fuente|Ibáñez|Santamaría|Rey|Delgado"
    "|Echeverría|Gutiérrez|Calvo|Cabeza|Zubizarreta|Peñalver|Campos|Quintanilla|Mármol"
    "|del Río|Sepúlveda|Montero|Bermúdez|Iglesias|Olazábal|Villanueva|Rincón|Cebrián",
    "de": "Müller|Großmann|von Hohenfels|Schreiber|Kühn|Baumgartner|Weißenberg|Klein|Hölderlin"
    "|Schnitzler|Zimmermann|Oberländer",
    "nl": "van den Berg|de Vries|Hoogeveen|Bakker|Oosterhuis|Terpstra|van der Meulen|Groot"
    "|Schoonhoven|Dijkstra|Wagenaar|Kuipers",
}
# Persons who are somebody else, close as their names may be.
OTHERS = {
    "Martin": "Martinez Marin Martinet", "Dupont": "Dupond Duport", "Bernard": "Bernardin Besnard",
    "Lefèvre": "Lefebvre Lefebure", "Rousseau": "Rousset Rousseaux", "Blanchard": "Blanchet",
    "Marchand": "Marchal Marchant", "Barbier": "Barbieri", "Hernandez": "Fernandez",
    "Smith": "Smithson Smyth", "Johnson": "Johnston Jonson", "Anderson": "Andersen Sanderson",
    "Garner": "Gardner Warner", "Clark": "Clarke Clarkson", "Murphy": "Murray", "Brown": "Browne",
    "García": "Garcés Gracia", "Martínez": "Martín Martins", "Fernández": "Hernández",
    "Delgado": "Salgado", "Montero": "Monteros Moreno", "Campos": "Campo Ocampo",
    "Müller": "Möller Miller", "Bakker": "Bakkers Bekker", "Kuipers": "Kuyper",
}  # fmt: skip
CITIES = {
    "fr": "Montreuil|Saint-Brieuc|Le Puy-en-Velay|Évreux|Romorantin",
    "en": "Springfield|Kalamazoo|Wilkes-Barre|Chattanooga|Duluth",
    "es": "Albacete|Almuñécar|San Sebastián|Ponferrada|Mérida",
    "de": "Göttingen|Bad Oldesloe|Würzburg",
    "nl": "Apeldoorn|Zutphen|'s-Gravenhage",
}
STREETS = {
    "fr": "rue des Écoliers|avenue Gabriel-Péri|impasse du Moulin-Vert",
    "en": "Meadowbrook Lane|Old Mill Road|Sycamore Avenue",
    "es": "calle de la Encina|avenida Constitución|plaza Zurbarán",
    "de": "Lindenstraße|Am Mühlbach",
    "nl": "Prinsengracht|Kerkstraat",
}
# Where names stand; {f} the family name, {g} the given name.
PLACES = {
    "fr": "Je vois en consultation Mme {f} ce jour.|Monsieur {g} {f} a été opéré.|Nom : {f}"
    "|{f} {g}, suivi depuis un an|Prénom : {g}|Merci de recevoir M. {f} en urgence."
    "|Le patient {f} refuse l'examen.|Identité : {f}, {g}|Mlle {g} {f} vit seule.",
    "en": "I saw Mr. {f} in clinic today.|Mrs {g} {f} was discharged.|Name: {f}, {g}"
    "|Ms. {f} denies chest pain.|Patient: {g} {f}|First name: {g}|Dear Mr {f},"
    "|{g} {f} presented with dyspnea.|The wife of Mr. {f} was called.",
    "es": "Acude a consulta la Sra. {f} por disnea.|D. {g} {f} fue intervenido.|Nombre: {g}"
    "|Apellidos: {f}|Paciente: {g} {f}|Sr. {f}, le citamos en un mes.|{g} {f} refiere dolor."
    "|Se informa a Don {g} {f} del resultado.",
    "de": "Herr {f} stellte sich vor.|Frau {g} {f} klagt über Schmerzen.|Name: {f}, {g}"
    "|Patient: {g} {f}|Vorname: {g}|Wir berichten über Herrn {f}.",
    "nl": "Dhr. {f} werd opgenomen.|Mevr. {g} {f} heeft pijn.|Naam: {f}|Patiënt: {g} {f}"
    "|Voornaam: {g}|Mevrouw {f} woont alleen.",
}
NUMBERS = {
    "fr": "Tél. : {p}|IPP : {i}|Né(e) le {d}|Demeurant {a}, {z} {c}|n° patient {i}, tél. {p}",
    "en": "Phone: {p}|MRN {i}|Date of birth: {d}|Lives at {a}, {c} {z}|MRN: {i}, call {p}",
    "es": "Teléfono: {p}|NHC: {i}|Fecha de nacimiento: {d}|Domicilio: {a}, {z} {c}|NHC {i}, {p}",
    "de": "Tel.: {p}|Pat.-Nr. {i}|geboren am {d}|wohnhaft {a}, {z} {c}",
    "nl": "Tel. {p}|Patiëntnummer {i}|geboren op {d}|Adres: {a}, {z} {c}",
}
ACCOUNTS = ("Login : {u}", "user {u} 12:04", "copie à {u}", "C:\\Users\\{u}\\scan", "({u})")
RELATIVES = {
    "fr": "Son épouse {r} est prévenue.", "en": "Her sister {r} was called.",
    "es": "Su hermana {r} acude.", "de": "Die Ehefrau {r} ist informiert.",
    "nl": "De echtgenote {r} is gebeld.",
}  # fmt: skip
DISTRACTORS = {
    "fr": "Petit épanchement pleural droit.|Lésion rose, petite, en regard de la tour.|Roche en"
    " place.|Urines roses, selles blanches, petit foie.|Maladie de Parkinson, Charcot négatif."
    "|Signe de Babinski absent, sonde de Foley en place.|Traitement : Lasilix, Doliprane,"
    " Martinal, Lovenox.|Articulation de Charcot, maladie de Crohn.|Grand axe de 12 cm."
    "|MARCHAND DE SABLE|Douleur le long du bord blanc.|Pt vu le 12/04/2021, dossier 77120945.",
    "en": "White blood cells 12.4, white sputum.|Brown urine, long bones intact.|Parkinson's"
    " disease, Murphy sign negative.|Foley catheter removed; Barrett esophagus.|Young adult, bill"
    " paid, mark on the skin.|Started Lasix, Percocet, Anderex and Garnerol.|Long acting insulin."
    "|Grace period, hope for recovery.|WHITE MATTER CHANGES|Clark level II.|Seen 04/12/2021."
    "|Young female, brown spots; account 77120945.",
    "es": "Paño blanco, flores vaginales.|Cabeza y cuello normales; calvo.|Enfermedad de Parkinson"
    " conocida.|Signo de Murphy positivo.|Delgado, iglesias visitadas.|Tratamiento: Seguril,"
    " Nolotil, Monterol, Camposil.|Sustancia blanca sin lesiones.|Campos pulmonares claros."
    "|Rey del hogar, rincón oscuro.|REMEDIOS CASEROS|Visto el 12/04/2021, expediente 77120945.",
    "de": "Kleiner Erguss, klein und groß.|Morbus Parkinson bekannt.|Ibuprofen, Marcumar, Torem."
    "|Das Zimmer ist belegt.|KLEINES BECKEN FREI|Gesehen am 12.04.2021, Akte 77120945.",
    "nl": "Groot hematoom, kleine wond.|Ziekte van Parkinson.|Metoprolol, Ascal, Bakkerol."
    "|De berg op gelopen.|GROOT BLOEDVERLIES|Gezien op 12-04-2021, dossier 77120945.",
}
STAFF = {
    "fr": "Dr {o}|Pr {o}, chef de service|Madame {o}, voisine|adressé par le Docteur {o}",
    "en": "Dr. {o}|Prof. {o}, consultant|Mrs. {o}, a neighbour|referred by Doctor {o}",
    "es": "Dr. {o}|Dra. {o}, jefa de servicio|la Sra. {o}, vecina|remitido por la doctora {o}",
    "de": "Dr. {o}|Prof. {o}, Chefarzt|Frau {o}, Nachbarin",
    "nl": "Dr. {o}|Prof. {o}, hoogleraar|Mevr. {o}, buurvrouw",
}


@dataclass
class Letter:
    """A text in the making and its mentions: start, end (code points, half open), kind."""

    lang: str
    text: str = ""
    mentions: list[tuple[int, int, str]] = field(default_factory=list)

    def line(self, template: str, kind: str, **values: str) -> None:
        """Append a line; each value written into it is a mention of a kind."""
        rest = template
        while "{" in rest:
            before, _, rest = rest.partition("{")
            name, _, rest = rest.partition("}")
            self.text += before
            start = len(self.text)
            self.text += values[name]
            if kind:
                self.mentions.append((start, len(self.text), kind))
        self.text += rest + "\n"

    def document(self) -> Document:
        """Return the letter as a document without known clinicians."""
        return Document("1", self.text, person_id="1", lang=self.lang)


def make_patient(number: int) -> tuple[str, PatientRecord]:
    """Make up a patient and the language of the letters."""
    rng = random.Random(f"patient/{number}")
    lang = ("fr", "en", "es", "fr", "en", "es", "fr", "en", "es", "de", "nl")[number % 11]
    families = FAMILY[lang].split("|")
    given = tuple(rng.sample(GIVEN[lang].split(), rng.choice((1, 1, 2))))
    family = tuple(rng.sample(families, 2 if lang == "es" else 1))
    born = date(1925, 1, 1) + timedelta(days=rng.randrange(34_000))
    relative = PersonName((rng.choice(GIVEN[lang].split()),), (rng.choice(families),))
    digits = "".join(rng.choice("0123456789") for _ in range(17))
    phone = {"fr": f"06{digits[:8]}", "en": f"(555) {digits[:3]}-{digits[3:7]}"}.get(
        lang, f"6{digits[:8]}"
    )
    return lang, PatientRecord(
        person_id=str(number),
        given_names=given,
        family_names=family,
        birth_names=(rng.choice(families),) if rng.random() < 0.3 else (),
        birth_date=born,
        addresses=(
            Address(
                f"{rng.randint(2, 98)} {rng.choice(STREETS[lang].split('|'))}",
                str(rng.randint(10_000, 98_999)),
                rng.choice(CITIES[lang].split("|")),
            ),
        ),
        phones=(phone,),
        emails=(f"contact{number}@exemple.org",),
        identifiers=(Identifier("PATIENT_ID", "8" + digits[8:]),),
        relatives=(relative,),
    )


def bare(value: str) -> str:
    """Strip the accents of a value."""
    decomposed = unicodedata.normalize("NFD", value)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


DRESSES: tuple[Callable[[str], str], ...] = (
    str, str.upper, bare, lambda value: bare(value).upper(), str.title,
    lambda value: unicodedata.normalize("NFD", value),
    lambda value: value.replace("-", "‑"), lambda value: value.replace("-", " "),
    lambda value: value.replace("'", "’"), lambda value: value.replace("œ", "oe"),
    lambda value: value.upper().replace(" ", "").replace("-", ""),
    lambda value: value.replace(" ", "\u00a0"),
    lambda value: value[:3] + "-\n" + value[3:] if value.isalpha() and len(value) > 5 else value,
)  # fmt: skip
NUMBER_DRESSES: tuple[Callable[[str], str], ...] = (
    str, " ".join, lambda n: f"{n[:2]} {n[2:]}", lambda n: ".".join((n[:3], n[3:6], n[6:])),
    lambda n: "-".join(n[at : at + 2] for at in range(0, len(n), 2)),
    lambda n: "/".join((n[:4], n[4:])), lambda n: f"{n[:5]}  {n[5:]}",
)  # fmt: skip
DATE_DRESSES = ("%d/%m/%Y", "%d.%m.%y", "%d-%m-%Y", "%Y-%m-%d", "%d%m%Y", "%d / %m / %Y")
MISREAD = (("0", "O"), ("1", "l"), ("5", "S"), ("1", "I"), ("8", "B"))
MISREAD_NAMES = (("o", "0"), ("rn", "m"), ("l", "1"), ("m", "rn"), ("d", "cl"), ("i", "l"))


def misspell(name: str, rng: random.Random) -> str:
    """Get one letter wrong: substitution, insertion, deletion or transposition."""
    at = rng.randrange(len(name))
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    letter = letter.upper() if name[at].isupper() else letter
    kind = rng.randrange(4)
    if kind == 3:
        at = min(at, len(name) - 2)
        return name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    return name[:at] + ("", letter, letter + name[at])[kind] + name[at + 1 :]


def misspelt(name: str, rng: random.Random) -> str:
    """Misspell a name, again until it differs and is still written as a name."""
    for _ in range(50):
        written = misspell(name, rng)
        if bare(written).casefold() != bare(name).casefold():
            first = written[0].upper() + written[1:]
            return written.upper() if name.isupper() else first[0] + first[1:].lower()
    return name


def letters(number: int) -> tuple[PatientRecord, list[Letter]]:
    """Make a patient and five letters: names, numbers, accounts, misspellings, misreadings."""
    lang, record = make_patient(number)
    made: list[Letter] = []
    for index in range(5):
        rng = random.Random(f"letter/{number}/{index}")
        letter = Letter(lang)
        _others(letter, record, rng)
        (_named, _numbered, _accounts, _misspelt, _misread)[index](letter, record, rng)
        _others(letter, record, rng)
        made.append(letter)
    return record, made


def _others(letter: Letter, record: PatientRecord, rng: random.Random) -> None:
    for line in rng.sample(DISTRACTORS[letter.lang].split("|"), 4):
        letter.line(line, "")
    for name in (*record.family_names, *record.birth_names):
        for other in OTHERS.get(name, "").split():
            place = rng.choice(STAFF[letter.lang].split("|"))
            letter.line(place, "other", o=other)


def _named(letter: Letter, record: PatientRecord, rng: random.Random) -> None:
    for place in rng.sample(PLACES[letter.lang].split("|"), 5):
        family = rng.choice(record.family_names + record.birth_names)
        dress, other = rng.choice(DRESSES), rng.choice(DRESSES)
        letter.line(place, "exact", f=dress(family), g=other(rng.choice(record.given_names)))
    relative = record.relatives[0]
    both = f"{relative.given_names[0]} {relative.family_names[0]}"
    letter.line(RELATIVES[letter.lang], "exact", r=rng.choice(DRESSES[:6])(both))
    first = bare(record.given_names[0])[0]
    if first not in "MD":  # these are titles, too
        letter.line("{i} {f}", "exact", i=f"{first}.", f=record.family_names[0])


def _numbered(letter: Letter, record: PatientRecord, rng: random.Random) -> None:
    address, born = record.addresses[0], record.birth_date or date(1900, 1, 1)
    phone = "".join(char for char in record.phones[0] if char.isdigit())
    for line in rng.sample(NUMBERS[letter.lang].split("|"), 4):
        letter.line(
            line,
            "exact",
            p=rng.choice(NUMBER_DRESSES)(phone),
            i=rng.choice(NUMBER_DRESSES)(record.identifiers[0].value),
            d=born.strftime(rng.choice(DATE_DRESSES)),
            a=rng.choice((str, str.upper, bare))(address.street),
            z=address.zip,
            c=rng.choice((str, str.upper, bare))(address.city),
        )


def _accounts(letter: Letter, record: PatientRecord, rng: random.Random) -> None:
    given = bare(record.given_names[0]).lower().replace("-", "")
    family = "".join(char for char in bare(record.family_names[0]).lower() if char.isalpha())
    family = family.replace("œ", "oe").replace("ß", "ss")
    written = (
        given[0] + family, family + given[0], given + family, f"{given}.{family}@exemple.org",
        (given + family).upper(), f"{given[0]}{family}@exemple.org", f"{family}_{given}",
        f"{given[0]}{family}{rng.randint(10, 99)}", f"{given[0]}.{family}@chu.example",
    )  # fmt: skip
    for line in rng.sample(ACCOUNTS, 4):
        letter.line(line, "exact", u=rng.choice(written))


def _misspelt(letter: Letter, record: PatientRecord, rng: random.Random) -> None:
    for place in PLACES[letter.lang].split("|"):
        for mark, names in (("f", record.family_names), ("g", record.given_names)):
            name = rng.choice(names)
            if len(name) < 5 or not name.isalpha() or f"{{{mark}}}" not in place:
                continue
            wrong = misspelt(rng.choice((str, str.upper, bare))(name), rng)
            other = record.given_names[0] if mark == "f" else record.family_names[0]
            right = place.replace("{g}" if mark == "f" else "{f}", other)
            at = len(letter.text) + right.index("{")
            letter.line(right.replace(f"{{{mark}}}", wrong), "")
            letter.mentions.append((at, at + len(wrong), "misspelt"))
            if other in right:
                begins = letter.text.rindex(other)
                letter.mentions.append((begins, begins + len(other), "exact"))


def _misread(letter: Letter, record: PatientRecord, rng: random.Random) -> None:
    number = record.identifiers[0].value
    for right, wrong in MISREAD:
        if right in number:
            letter.line("ID {i} ok", "misread", i=number.replace(right, wrong, 1))
    for name in record.family_names:
        low = name.lower()
        for right, wrong in MISREAD_NAMES:
            if len(name) >= 5 and name.isalpha() and right in low[1:]:
                at = low.index(right, 1)
                written = name[:at] + wrong + name[at + len(right) :]
                place = rng.choice([p for p in PLACES[letter.lang].split("|") if "{g}" not in p])
                letter.line(place, "misread", f=written)

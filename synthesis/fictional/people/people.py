"""The people of the fictional hospital: patients and their relatives, clinicians, care sites."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from random import Random

from faker import Faker

from record.folding import fold
from record.patient import Address, Identifier, PatientRecord, PersonName
from synthesis.fictional.people import identifiers
from synthesis.fictional.people.places import COUNTRIES, HOSPITALS, TOWNS, Town
from synthesis.fictional.people.records import CareSite, Clinician
from synthesis.fictional.templates.grammar import LetterLanguage, vocabulary

_LOCALES = {"fr": "fr_FR", "en": "en_US", "es": "es_ES", "de": "de_DE", "nl": "nl_NL"}

# Names no patient or relative bears, besides every word the templates themselves can write. An
# independent scan of a note for the patient's known values, which must find none outside the
# spans, could not tell such a name from the ordinary word (`Petit`, `Rose`, `Long`, `Calvo`).
ORDINARY_WORDS = {
    "fr": "petit blanc roux rose noir brun leblanc lenoir legrand grand gros bon roy rey colas "
    "andre aime fleur joly lebon france victoire reine parfait clement prosper constant desire "
    "franc gay court bois pierre perle marin boulanger berger fournier page val masse",
    "en": "brown white black green gray grey young long short may rose king hill wood woods stone "
    "day dean grant price rice bush cook cross ward case chase good best hope faith grace joy "
    "summer autumn will mark art drew bill frank pat sky page barker parks rich strong sharp "
    "small little noble power love bell lane banks church field fields mills moss pope valentine",
    "es": "rosa rey leon blanco calvo cano rubio moreno delgado bravo bueno cruz luz sol mar paz "
    "pilar dolores remedios consuelo socorro salud angustias cuesta campo campos rojo castillo "
    "iglesias abril perla franco pastor herrero zapatero marina casado crespo seco heredia luna "
    "rios rio plaza llano prado vidal clara blanca gracia ventura fe olmo nieves concepcion",
    "de": "klein gross groß lang kurz schwarz weiss weiß roth rot braun grün grau jung alt neu "
    "stark schön süß kalt warm frei freitag sommer winter herbst mai berg bach wald baum "
    "stein sand brand horn kopf hand fuß zahn herz blut arzt koch bauer becker schneider "
    "müller schmidt fischer weber wagner richter schulz kaiser könig graf engel vogel wolf "
    "fuchs hase hahn rose ring keller haus gut ernst anders rosa nagel kern krebs hamburg "
    "frank",
    "nl": "de het een groot klein kort lang wit zwart rood bruin groen grijs jong oud nieuw sterk "
    "mooi koud warm vrij zomer winter mei berg beek bos boom steen zand brand hoorn kop hand "
    "voet hart bloed arts kok boer bakker visser smit mulder koning prins ridder engel vogel "
    "wolf vos haan roos ring kelder huis goed ernst anders roze nagel kern kamp wal dijk dam "
    "poort post vink snel",
}
# A few clinicians bear just such a name: there it is an identifier and must be found.
TRAP_NAMES = {
    "fr": ("Petit", "Rose", "Charcot", "Blanc"),
    "en": ("Rose", "Parkinson", "Young", "Long"),
    "es": ("Rosa", "Crespo", "Calvo", "Delgado"),
    "de": ("Klein", "Lang", "Roth", "Winter"),
    "nl": ("Roos", "Bakker", "Koning", "Vink"),
}
# Names of several words or with an apostrophe, which Faker seldom makes.
_ODD_NAMES = {
    "fr": (
        "Le Goff",
        "de Kermadec",
        "Le Bihan",
        "D'Almeida",
        "N'Diaye",
        "de La Motte",
        "El Amrani",
    ),
    "en": ("O'Connor", "McAllister", "Van Houten", "MacLeod", "De Luca", "O'Rourke"),
    "es": ("de la Fuente", "de la Torre", "del Valle", "de la Vega", "del Pozo", "San Martín"),
    "de": ("von der Heyde", "von Bülow", "zu Rantzau", "Meyer-Landrut", "El Khatib", "D'Angelo"),
    "nl": (
        "van der Meulen",
        "van den Heuvel",
        "ten Brinke",
        "de Graaff",
        "van 't Hof",
        "El Idrissi",
    ),
}


_PARTICLES = frozenset(
    "de la del le sur les du van der den von zu ten ter 't t 's s am an in aan bij op het".split()
)


@dataclass(frozen=True, slots=True)
class Relative:
    """A relative of a patient; `relation` is a key of the language's words (`wife`, `son`)."""

    relation: str
    gender: str
    name: PersonName = field(repr=False)
    phone: str = field(repr=False)
    age_gap: int = 0


@dataclass(frozen=True, slots=True)
class FictionalPerson:
    """A patient as the notes describe them: the warehouse's record, and facts beyond it."""

    record: PatientRecord
    birth_date: date = field(repr=False)
    birthplace: Town
    home: Town
    kin: tuple[Relative, ...]
    insurance: str = field(repr=False)
    profession: str = field(repr=False)
    employer: str = field(repr=False)
    gp: int = 0


@dataclass(frozen=True)
class Pools:
    """The pools that names and addresses are drawn from, for one language and seed."""

    given: dict[str, tuple[str, ...]]
    family: tuple[str, ...]
    streets: tuple[str, ...]
    towns: tuple[Town, ...]
    employers: tuple[str, ...]
    jobs: tuple[str, ...]


def make_pools(language: LetterLanguage, seed: int) -> Pools:
    """Draw the names, streets and employers of a hospital with a seeded Faker."""
    lang = language.code
    fake = Faker(_LOCALES[lang])
    fake.seed_instance(seed)
    forbidden = vocabulary(language) | set(ORDINARY_WORDS[lang].split())

    def draw(source: Callable[[], str], count: int) -> tuple[str, ...]:
        values = dict.fromkeys(" ".join(source().split()) for _ in range(count))
        kept = (value for value in values if "," not in value)
        return tuple(value for value in kept if not is_ordinary(value, forbidden))

    return Pools(
        given={
            "M": draw(fake.first_name_male, 900),
            "F": draw(fake.first_name_female, 900),
        },
        family=draw(fake.last_name, 1600),
        streets=tuple(dict.fromkeys(" ".join(fake.street_address().split()) for _ in range(1200))),
        towns=tuple(town for town in TOWNS[lang] if not is_ordinary(town.city, forbidden)),
        employers=tuple(dict.fromkeys(fake.company() for _ in range(160))),
        jobs=tuple(language.words["job"]),
    )


def is_ordinary(name: str, forbidden: Iterable[str]) -> bool:
    """Return whether a name is too short, or any of its words is one that notes also write."""
    parts = re.findall(r"[^\W\d_]+", fold(name))
    words = [part for part in parts if part not in _PARTICLES]
    return not words or len("".join(words)) < 3 or any(word in forbidden for word in words)


@dataclass(frozen=True, slots=True)
class PersonFactory:
    """Draws the people of one hospital; each depends on the seed and their own id only."""

    language: LetterLanguage
    seed: int
    pools: Pools

    def person(self, person_id: int, known: PatientRecord | None, *, gps: int) -> FictionalPerson:
        """Make up a patient; gender and birth date are kept where they are known."""
        rng = Random(f"{self.seed}/{self.language.code}/person/{person_id}")
        gender = known.gender[:1].upper() if known and known.gender else ""
        gender = gender if gender in ("M", "F") else rng.choice("MF")
        birth = known.birth_date if known and known.birth_date else draw_birth(rng)
        home, birthplace = rng.choice(self.pools.towns), rng.choice(self.pools.towns)
        family, born = self._family_names(rng, gender, birth)
        given = self._given_names(rng, gender)
        record = PatientRecord(
            person_id=str(person_id),
            given_names=given,
            family_names=family,
            birth_names=born,
            gender=gender,
            birth_date=birth,
            addresses=(self._address(rng, home),),
            phones=self._phones(rng),
            emails=self._emails(rng, given, family, birth),
            identifiers=self._identifiers(rng, gender, birth, birthplace),
        )
        kin = self._kin(rng, record, birth)
        return FictionalPerson(
            record=replace(record, relatives=tuple(relative.name for relative in kin)),
            birth_date=birth,
            birthplace=birthplace,
            home=home,
            kin=kin,
            insurance=identifiers.insurance_number(rng, self.language.code),
            profession=_job(rng, self.pools.jobs, gender),
            employer=rng.choice(self.pools.employers),
            gp=rng.randrange(gps),
        )

    def _given_names(self, rng: Random, gender: str) -> tuple[str, ...]:
        pool = self.pools.given[gender]
        count = rng.choices((1, 2, 3), (60, 32, 8))[0]
        names = rng.sample(pool, count)
        if self.language.code == "fr" and rng.random() < 0.08:
            names[0] = f"{'Jean' if gender == 'M' else 'Marie'}-{names[0].split('-')[0]}"
        return tuple(names)

    def _surname(self, rng: Random) -> str:
        name = rng.choice(self.pools.family)
        draw = rng.random()
        if draw < 0.05:
            return rng.choice(_ODD_NAMES[self.language.code])
        if draw < 0.12 and "-" not in name and self.language.code != "es":
            return f"{name}-{rng.choice(self.pools.family).split(' ')[-1]}"
        return name

    def _family_names(
        self, rng: Random, gender: str, birth: date
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if self.language.code == "es":
            return (self._surname(rng), self._surname(rng)), ()
        own = self._surname(rng)
        married = gender == "F" and birth.year < 1998 and rng.random() < 0.6
        return ((self._surname(rng),), (own,)) if married else ((own,), ())

    def _address(self, rng: Random, town: Town) -> Address:
        street = rng.choice(self.pools.streets)
        if not any(char.isdigit() for char in street):
            street = f"{rng.randint(1, 140)} {street}"
        country = COUNTRIES[self.language.code]
        return Address(street, town.zip, town.city, country, town.region)

    def _phones(self, rng: Random) -> tuple[str, ...]:
        lang = self.language.code
        first = identifiers.phone(rng, lang, mobile=rng.random() < 0.6)
        if rng.random() < 0.3:
            return (first, identifiers.phone(rng, lang))
        return (first,)

    def _emails(
        self, rng: Random, given: tuple[str, ...], family: tuple[str, ...], birth: date
    ) -> tuple[str, ...]:
        if rng.random() < 0.25:
            return ()
        first, last = _plain(given[0]), _plain(family[0])
        local = rng.choice(
            (f"{first}.{last}", f"{first[0]}{last}", f"{last}{birth.year % 100:02d}")
        )
        return (f"{local}@{rng.choice(('example.org', 'example.com', 'mail.example.net'))}",)

    def _identifiers(
        self, rng: Random, gender: str, birth: date, birthplace: Town
    ) -> tuple[Identifier, ...]:
        national = identifiers.national_number(
            rng, self.language.code, gender=gender, birth=birth, zip_code=birthplace.zip
        )
        number = identifiers.patient_number(rng)
        return (Identifier("PATIENT_ID", number), Identifier("SSN", national))

    def _kin(self, rng: Random, record: PatientRecord, birth: date) -> tuple[Relative, ...]:
        if birth.year > 2000:
            young = [("mother", "F", -rng.randint(22, 38)), ("father", "M", -rng.randint(23, 42))]
            relations = young[: rng.randint(1, 2)]
        elif birth.year > 1980:
            close = [
                ("mother", "F", -28),
                ("father", "M", -30),
                ("sister", "F", 2),
                ("brother", "M", 3),
            ]
            relations = rng.sample(close, rng.randint(1, 3))
        else:
            spouse = (
                ("wife", "F", rng.randint(-3, 6)) if record.gender == "M" else ("husband", "M", -2)
            )
            options = [
                spouse,
                ("daughter", "F", rng.randint(21, 36)),
                ("son", "M", rng.randint(21, 36)),
                ("sister", "F", rng.randint(-5, 5)),
                ("brother", "M", rng.randint(-5, 5)),
            ]
            relations = rng.sample(options, rng.randint(1, 3))
        kin = []
        for relation, gender, gap in relations:
            given = (rng.choice(self.pools.given[gender]),)
            family = record.family_names
            if relation in ("sister", "daughter") and rng.random() < 0.5:
                family = (self._surname(rng),)
            phone = identifiers.phone(rng, self.language.code, mobile=True)
            kin.append(Relative(relation, gender, PersonName(given, family), phone, gap))
        return tuple(kin)

    def clinicians(self, count: int) -> tuple[Clinician, ...]:
        """Make the hospital's clinicians: every specialty is there, a few names are also words."""
        specialties = sorted(
            key.removeprefix("specialty.")
            for key in self.language.words
            if key.startswith("specialty.")
        )
        return tuple(
            self._clinician(number, specialties[(number - 1) % len(specialties)])
            for number in range(1, max(count, 2 * len(specialties)) + 1)
        )

    def _clinician(self, number: int, specialty: str) -> Clinician:
        lang, words = self.language.code, self.language.words
        rng = Random(f"{self.seed}/{lang}/clinician/{number}")
        gender = rng.choice("MF")
        given = rng.choice(self.pools.given[gender])
        surname = self._surname(rng)
        if number % 9 == 4:
            surname = TRAP_NAMES[lang][number // 9 % len(TRAP_NAMES[lang])]
        family = (surname, self._surname(rng)) if lang == "es" else (surname,)
        titles = words.get(f"title.{specialty}.{gender}") or words[f"title.{gender}"]
        return Clinician(
            provider_id=number,
            name=PersonName((given,), family),
            title=rng.choice(titles),
            gender=gender,
            specialty=specialty,
            provider_number=identifiers.provider_number(rng, lang),
            phone=identifiers.phone(rng, lang),
            email=f"{_plain(given)}.{_plain(surname)}@{'hopital' if lang == 'fr' else 'hospital'}"
            f".example.org",
        )

    def care_sites(self) -> tuple[CareSite, ...]:
        """Make the hospital's sites, with addresses and numbers."""
        return tuple(
            self._care_site(number, name)
            for number, name in enumerate(HOSPITALS[self.language.code][:5], 1)
        )

    def _care_site(self, number: int, name: str) -> CareSite:
        lang = self.language.code
        rng = Random(f"{self.seed}/{lang}/site/{number}")
        host = re.sub(r"[^a-z]+", "-", fold(name)).strip("-")
        return CareSite(
            care_site_id=number,
            name=name,
            address=self._address(rng, rng.choice(self.pools.towns)),
            phone=identifiers.phone(rng, lang),
            fax=identifiers.phone(rng, lang),
            url=f"{rng.choice(('https://www.', 'www.'))}{host}.example.org",
        )


def draw_birth(rng: Random) -> date:
    """Draw a birth date; about one person in eight is over 89."""
    low, high = rng.choices(((1, 15), (18, 54), (55, 88), (90, 103)), (8, 27, 50, 15))[0]
    return date(2025, 1, 1) - timedelta(days=rng.randint(low * 365, high * 366))


def _job(rng: Random, jobs: tuple[str, ...], gender: str) -> str:
    male, _, female = rng.choice(jobs).partition("/")
    return female if female and gender == "F" else male


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]+", "-", fold(name)).strip("-")

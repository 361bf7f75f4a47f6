"""How identifiers are mentioned: the many ways to write one name, day, place or number."""

import unicodedata
from datetime import date

from record.patient import Address, PersonName
from synthesis.fictional.notes.note_writer import Scribe
from synthesis.fictional.people import calendar, identifiers
from synthesis.fictional.people.records import Clinician

PATIENT = "patient"


def respell(scribe: Scribe, name: str, *, upper: bool) -> str:
    """Write a name as a hurried or careful writer would: case, accents and hyphens vary."""
    rng = scribe.rng
    draw = rng.random()
    if draw < 0.06:
        name = name.replace("-", " ")
    if draw > 0.94 or (upper and draw < 0.4):
        name = without_accents(name)
    if rng.random() < 0.1:
        upper = not upper
    return name.upper() if upper else name


def without_accents(text: str) -> str:
    """Strip accents and keep case."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def who(scribe: Scribe, name: PersonName) -> str:
    """Return the patient, by any family name, from everybody else."""
    record = scribe.scene.person.record
    families = (record.family_names, record.birth_names or record.family_names)
    if name.family_names in families and name.given_names[:1] in ((), record.given_names[:1]):
        return PATIENT
    return " ".join((*name.given_names[:1], *name.family_names[:1]))


def plant_first(scribe: Scribe, name: PersonName, *, upper: bool = False) -> None:
    """Plant the first given name."""
    value = respell(scribe, name.given_names[0], upper=upper)
    scribe.draft.plant(value, "FIRST_NAME", who(scribe, name))


def plant_initial(scribe: Scribe, name: PersonName) -> None:
    """Plant the initials of the first given name; their dots belong to the span."""
    dot = "" if scribe.rng.random() < 0.12 else "."
    initials = [part[0].upper() + dot for part in name.given_names[0].split("-")]
    scribe.draft.plant("-".join(initials), "FIRST_NAME", who(scribe, name))


def plant_last(scribe: Scribe, name: PersonName, *, upper: bool | None = None) -> None:
    """Plant the family names, each under a span of its own."""
    upper = scribe.upper_family if upper is None else upper
    names, person = name.family_names, who(scribe, name)
    if scribe.lang == "es" and len(names) > 1 and scribe.rng.random() < 0.25:
        names = names[:1]
    for number, family in enumerate(names):
        if number:
            scribe.draft.write(" ")
        scribe.draft.plant(respell(scribe, family, upper=upper), "LAST_NAME", person)


def plant_name(scribe: Scribe, name: PersonName, *, initials: float = 0.15) -> None:
    """Plant a whole name in one of its orders: Jean DUPONT, DUPONT Jean, J. Dupont."""
    draw = scribe.rng.random()
    if draw < initials:
        plant_initial(scribe, name)
        scribe.draft.write(" ")
        plant_last(scribe, name)
    elif draw < initials + 0.15:
        plant_last(scribe, name)
        scribe.draft.write(", " if scribe.lang != "fr" else " ")
        plant_first(scribe, name)
    else:
        plant_first(scribe, name)
        scribe.draft.write(" ")
        plant_last(scribe, name)


def plant_clinician(scribe: Scribe, clinician: Clinician, *, upper: bool | None = None) -> None:
    """Write the title and plant the name; the title stays outside the spans."""
    scribe.draft.write(f"{clinician.title} ")
    draw = scribe.rng.random()
    if draw < 0.3:
        plant_last(scribe, clinician.name, upper=upper)
        return
    if draw < 0.55:
        plant_initial(scribe, clinician.name)
    else:
        plant_first(scribe, clinician.name)
    scribe.draft.write(" ")
    plant_last(scribe, clinician.name, upper=upper)


def plant_day(scribe: Scribe, day: date, *, form: str = "", partial: bool = False) -> None:
    """Plant a day; on the patient's birthday of birth it is a birth date, whoever wrote it."""
    if day == scribe.scene.person.birth_date:
        scribe.draft.plant(calendar.write_day(day, scribe.lang, scribe.birth_form), "BIRTH_DATE")
        return
    rng = scribe.rng
    if partial and rng.random() < 0.35:
        short = rng.choice(list(calendar.PARTIAL[scribe.lang]))
        scribe.draft.plant(calendar.write_partial(day, scribe.lang, short), "DATE")
        return
    form = form or (scribe.form if rng.random() < 0.75 else calendar.draw_form(rng, scribe.lang))
    scribe.draft.plant(calendar.write_day(day, scribe.lang, form), "DATE")


def plant_city(scribe: Scribe, city: str, *, upper: bool = False, cedex: bool = False) -> None:
    """Plant a town; in capitals it may lose its accents and gain a CEDEX."""
    draw = scribe.rng.random()
    if draw < 0.05:
        city = city.replace("-", " ")
    if upper:
        city = without_accents(city).upper() if draw < 0.6 else city.upper()
    if cedex and upper and scribe.lang == "fr" and draw > 0.6:
        city = f"{city} CEDEX" + (f" {len(city) + 1}" if draw > 0.8 else "")
    scribe.draft.plant(city, "CITY")


def plant_address(scribe: Scribe, address: Address) -> None:
    """Plant a postal address in its country's order."""
    scribe.draft.plant(address.street, "STREET")
    scribe.draft.write(", " if scribe.rng.random() < 0.7 else " - ")
    if scribe.lang == "en":
        plant_city(scribe, address.city)
        scribe.draft.write(", ")
        scribe.draft.plant(address.region, "REGION")
        scribe.draft.write(" ")
        scribe.draft.plant(address.zip, "ZIP")
        return
    scribe.draft.plant(address.zip, "ZIP")
    scribe.draft.write(" ")
    plant_city(scribe, address.city, upper=scribe.rng.random() < 0.5, cedex=True)


def plant_phone(scribe: Scribe, number: str, label: str = "PHONE") -> None:
    """Plant a telephone number in one of its usual spellings."""
    scribe.draft.plant(identifiers.respell_phone(scribe.rng, number, scribe.lang), label)

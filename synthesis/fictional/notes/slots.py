"""Template slots: the functions that write dates, names and other values into a note."""

from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

from record.folding import strip_accents
from record.patient import Address, PersonName
from synthesis.fictional.notes.note_writer import Fill, NoteWriter
from synthesis.fictional.people import date_formats, identifiers
from synthesis.fictional.people.places import HOSPITALS, WARDS
from synthesis.fictional.people.records import Clinician
from synthesis.fictional.people.visit_planning import first_day

PATIENT = "patient"


def respell(scribe: NoteWriter, name: str, *, upper: bool) -> str:
    """Write a name as a hurried or careful writer would: case, accents and hyphens vary."""
    rng = scribe.rng
    draw = rng.random()
    if draw < 0.06:
        name = name.replace("-", " ")
    if draw > 0.94 or (upper and draw < 0.4):
        name = strip_accents(name)
    if rng.random() < 0.1:
        upper = not upper
    return name.upper() if upper else name


def who(scribe: NoteWriter, name: PersonName) -> str:
    """Return PATIENT for any of the patient's names, else the name itself."""
    record = scribe.scene.person.record
    families = (record.family_names, record.birth_names or record.family_names)
    if name.family_names in families and name.given_names[:1] in ((), record.given_names[:1]):
        return PATIENT
    return " ".join((*name.given_names[:1], *name.family_names[:1]))


def plant_first(scribe: NoteWriter, name: PersonName, *, upper: bool = False) -> None:
    """Plant the first given name."""
    value = respell(scribe, name.given_names[0], upper=upper)
    scribe.draft.plant(value, "FIRST_NAME", who(scribe, name))


def plant_initial(scribe: NoteWriter, name: PersonName) -> None:
    """Plant the initials of the first given name; their dots belong to the span."""
    dot = "" if scribe.rng.random() < 0.12 else "."
    initials = [part[0].upper() + dot for part in name.given_names[0].split("-")]
    scribe.draft.plant("-".join(initials), "FIRST_NAME", who(scribe, name))


def plant_last(scribe: NoteWriter, name: PersonName, *, upper: bool | None = None) -> None:
    """Plant the family names, each under a span of its own."""
    upper = scribe.upper_family if upper is None else upper
    names, person = name.family_names, who(scribe, name)
    if scribe.lang == "es" and len(names) > 1 and scribe.rng.random() < 0.25:
        names = names[:1]
    for number, family in enumerate(names):
        if number:
            scribe.draft.write(" ")
        scribe.draft.plant(respell(scribe, family, upper=upper), "LAST_NAME", person)


def plant_name(scribe: NoteWriter, name: PersonName, *, initials: float = 0.15) -> None:
    """Plant a full name in one of its orders: Jean DUPONT, DUPONT Jean, J. Dupont."""
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


def plant_clinician(scribe: NoteWriter, clinician: Clinician, *, upper: bool | None = None) -> None:
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


def plant_day(scribe: NoteWriter, day: date, *, form: str = "", partial: bool = False) -> None:
    """Plant a day; the patient's day of birth is labelled as a birth date."""
    if day == scribe.scene.person.birth_date:
        scribe.draft.plant(
            date_formats.write_day(day, scribe.lang, scribe.birth_form), "BIRTH_DATE"
        )
        return
    rng = scribe.rng
    if partial and rng.random() < 0.35:
        short = rng.choice(list(date_formats.PARTIAL[scribe.lang]))
        scribe.draft.plant(date_formats.write_partial(day, scribe.lang, short), "DATE")
        return
    form = form or (
        scribe.form if rng.random() < 0.75 else date_formats.draw_form(rng, scribe.lang)
    )
    scribe.draft.plant(date_formats.write_day(day, scribe.lang, form), "DATE")


def plant_city(scribe: NoteWriter, city: str, *, upper: bool = False, cedex: bool = False) -> None:
    """Plant a town; in capitals it may lose its accents and gain a CEDEX."""
    draw = scribe.rng.random()
    if draw < 0.05:
        city = city.replace("-", " ")
    if upper:
        city = strip_accents(city).upper() if draw < 0.6 else city.upper()
    if cedex and upper and scribe.lang == "fr" and draw > 0.6:
        city = f"{city} CEDEX" + (f" {len(city) + 1}" if draw > 0.8 else "")
    scribe.draft.plant(city, "CITY")


def plant_address(scribe: NoteWriter, address: Address) -> None:
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


def plant_phone(scribe: NoteWriter, number: str, label: str = "PHONE") -> None:
    """Plant a telephone number in one of its usual spellings."""
    scribe.draft.plant(identifiers.respell_phone(scribe.rng, number, scribe.lang), label)


# Facts of a life are the same in every note: what began more than so many days ago.
_FACT = 1500


def _birth(scribe: NoteWriter, _: str) -> None:
    form = scribe.birth_form
    if scribe.rng.random() < 0.2:
        form = date_formats.draw_form(scribe.rng, scribe.lang, birth=True)
    value = date_formats.write_day(scribe.scene.person.birth_date, scribe.lang, form)
    scribe.draft.plant(value, "BIRTH_DATE")


def _before(scribe: NoteWriter, days: str) -> date:
    """Draw a day before the visit, not before birth.

    What lies further back is a fact, the same in each note, and belongs to adult life.
    """
    start, birth = scribe.scene.visit.start.date(), scribe.scene.person.birth_date
    rng = scribe.rng
    if int(days) > _FACT:
        rng = scribe.facts(days)
        start = min(start, first_day(birth))
    room = (start - birth).days - 1
    if int(days) > _FACT and room > 18 * 365:
        room -= 16 * 365
    return start - timedelta(days=rng.randint(1, max(1, min(int(days), room))))


def _next(scribe: NoteWriter, days: str) -> None:
    ahead = scribe.rng.randint(max(1, int(days) // 3), int(days))
    plant_day(scribe, scribe.day + timedelta(days=ahead), partial=int(days) < 30)


def _month(scribe: NoteWriter, months: str) -> None:
    day = _before(scribe, str(int(months) * 30))
    scribe.draft.plant(date_formats.write_month(day, scribe.lang), "DATE")


def _next_month(scribe: NoteWriter, months: str) -> None:
    day = scribe.day + timedelta(days=30 * scribe.rng.randint(1, int(months)))
    scribe.draft.plant(date_formats.write_month(day, scribe.lang), "DATE")


def _range(scribe: NoteWriter, days: str) -> None:
    visit = scribe.scene.visit
    start, end = visit.start.date(), visit.end.date()
    if days:
        start = _before(scribe, days)
        end = min(start + timedelta(days=scribe.rng.randint(1, 9)), visit.start.date())
    if end <= start:
        scribe.draft.write(scribe.pick("on"))
        plant_day(scribe, start)
        return
    before, between = scribe.pick("range").split("/")
    scribe.draft.write(before)
    form = scribe.rng.choice(("slashes", "slashes", "words", "dots"))
    whole = scribe.scene.person.birth_date in (start, end) or start.month != end.month
    if whole or start.year != end.year:
        plant_day(scribe, start, form=form)
    elif scribe.lang == "en":
        short = "day and month in words" if form == "words" else "day and month"
        scribe.draft.plant(date_formats.write_partial(start, scribe.lang, short), "DATE")
    else:
        scribe.draft.plant(date_formats.write_day_number(start, scribe.lang), "DATE")
        scribe.draft.write("." if scribe.lang == "de" else "")
    scribe.draft.write(f" {between}")
    plant_day(scribe, end, form=form)


def _time(scribe: NoteWriter, _: str) -> None:
    hour, minute = scribe.time()
    form = "{}h{:02d}" if scribe.lang == "fr" and scribe.rng.random() < 0.7 else "{}:{:02d}"
    scribe.draft.write(form.format(hour, minute))


DAY_SLOTS: dict[str, Fill] = {
    "birth": _birth,
    "today": lambda s, _: plant_day(s, s.day),
    "day": lambda s, _: plant_day(s, min(s.day, s.scene.visit.end.date())),
    "admission": lambda s, _: plant_day(s, s.scene.visit.start.date()),
    "discharge": lambda s, _: plant_day(s, s.scene.visit.end.date()),
    "weekday": lambda s, _: plant_day(s, s.scene.visit.start.date(), form="weekday"),
    "time": _time,
    "past": lambda s, days: plant_day(s, _before(s, days)),
    "earlier": lambda s, _: plant_day(s, s.earlier()),
    "recent": lambda s, days: plant_day(s, _before(s, days), partial=int(days) < 150),
    "next": _next,
    "nextmonth": _next_month,
    "month": _month,
    "year": lambda s, years: s.draft.plant(str(_before(s, str(int(years) * 365)).year), "DATE"),
    "range": _range,
    "step": lambda s, _: plant_day(s, s.step(), partial=True),
}


def _record_name(scribe: NoteWriter) -> PersonName:
    record = scribe.scene.person.record
    return PersonName(record.given_names, record.family_names)


def _given(scribe: NoteWriter, _: str) -> None:
    separator = scribe.rng.choice((" ", ", "))
    upper = scribe.rng.random() < 0.2
    for number, name in enumerate(scribe.scene.person.record.given_names):
        if number:
            scribe.draft.write(separator)
        scribe.draft.plant(name.upper() if upper else name, "FIRST_NAME", PATIENT)


def _maiden(scribe: NoteWriter, _: str) -> None:
    names = scribe.scene.person.record.birth_names
    if names:
        before = scribe.pick("maiden")
        scribe.write(before)
        plant_last(scribe, PersonName((), names))
        scribe.draft.write(")" if "(" in before else "")


def _stranger(scribe: NoteWriter, argument: str) -> None:
    """Plant the name of a third party who is in no register."""
    rng, pools = scribe.rng, scribe.cast.pools
    name = PersonName((rng.choice(pools.given[rng.choice("MF")]),), (rng.choice(pools.family),))
    if argument == "last":
        plant_last(scribe, name)
    else:
        plant_name(scribe, name, initials=1.0 if argument == "initial" else 0.15)


def _nurse(scribe: NoteWriter, _: str) -> None:
    nurse = scribe.scene.author
    nurses = scribe.cast.by_specialty.get("nursing", ())
    if nurse.specialty != "nursing" or scribe.rng.random() < 0.5:
        nurse = scribe.rng.choice(nurses) if nurses else nurse
    if scribe.rng.random() < 0.3:
        plant_first(scribe, nurse.name)
    else:
        plant_name(scribe, nurse.name, initials=0.35)


def _kin(scribe: NoteWriter, argument: str) -> None:
    relative = scribe.relative()
    start = len(scribe.draft.pieces)
    scribe.write(scribe.pick(f"kin.{relative.relation}"))
    if argument == "capital":
        first = scribe.draft.pieces[start]
        scribe.draft.pieces[start] = first._replace(text=first.text[0].upper() + first.text[1:])
    scribe.draft.write(" ")
    draw = scribe.rng.random()
    if draw < 0.35:
        plant_first(scribe, relative.name)
    elif draw < 0.5:
        scribe.draft.write(f"{scribe.pick(f'civil.{relative.gender}')} ")
        plant_last(scribe, relative.name)
    else:
        plant_name(scribe, relative.name, initials=0.05)


def _body(scribe: NoteWriter, argument: str) -> None:
    """Write weight, height or body mass index, which change little from note to note."""
    rng = scribe.facts("body")
    height = rng.randint(163, 188) if scribe.gender == "M" else rng.randint(151, 175)
    index = rng.uniform(19.5, 31.0)
    if scribe.minor:
        height = min(height, 62 + round(6.4 * scribe.years))
        index = rng.uniform(15.0, 18.5)
    weight = round(index * (height / 100) ** 2)
    values = {"weight": weight, "height": height, "bmi": round(index)}
    if argument == "pounds":
        weight = round(weight * 2.2)
        values["weight"] = weight
    scribe.draft.write(str(values[argument if argument in values else "weight"]))


def _age(scribe: NoteWriter, argument: str) -> None:
    """Plant the patient's age, the number alone; months under two years."""
    years = scribe.years
    if argument == "kin":
        years = scribe.rng.randint(38, 84)
    if years >= 2 or argument == "kin":
        template, count = scribe.pick("aged" if argument == "aged" else "age"), years
    else:
        born = scribe.scene.person.birth_date
        template, count = scribe.pick("months"), max(1, (scribe.day - born).days // 30)
    before, after = template.split("{}")
    scribe.draft.write(before)
    scribe.draft.plant(str(count), "AGE")
    scribe.draft.write(after)


def _home(part: str, scribe: NoteWriter, _: str) -> None:
    address = scribe.scene.person.record.addresses[0]
    if part == "city":
        plant_city(scribe, address.city)
    elif part == "city_caps":
        plant_city(scribe, address.city, upper=True)
    else:
        value = str(getattr(address, part))
        if part == "street" and scribe.rng.random() < 0.08:
            value = value.upper()
        scribe.draft.plant(value, part.upper())


def _number(label: str, scribe: NoteWriter, _: str) -> None:
    for identifier in scribe.scene.person.record.identifiers:
        if identifier.label == label:
            value = identifiers.respell_number(scribe.rng, identifier.value, label)
            scribe.draft.plant(value, label)


def _exam(scribe: NoteWriter, argument: str) -> None:
    if argument == "old":
        scribe.draft.plant(identifiers.exam_number(scribe.rng, scribe.record_day), "VISIT_ID")
        return
    if not scribe.exam_number:
        scribe.exam_number = identifiers.exam_number(scribe.rng, scribe.day)
    scribe.draft.plant(scribe.exam_number, "VISIT_ID")


def _email(scribe: NoteWriter, _: str) -> None:
    record = scribe.scene.person.record
    local = strip_accents(record.given_names[0]).lower().replace(" ", "-").replace("'", "")
    address = record.emails[0] if record.emails else f"{local}@example.org"
    scribe.draft.plant(address, "EMAIL", PATIENT)


def _username(scribe: NoteWriter, _: str) -> None:
    name = scribe.scene.author.name
    local = name.given_names[0][0] + name.family_names[0][:7].replace(" ", "").replace("'", "")
    number = scribe.scene.author.provider_id % 90 + 10
    account = f"{strip_accents(local).lower()}{number}"
    scribe.draft.plant(account, "USERNAME", who(scribe, name))


def _decimal(scribe: NoteWriter, argument: str) -> None:
    low, high = argument.split("-")
    value = f"{scribe.rng.uniform(float(low), float(high)):.1f}"
    comma = scribe.lang != "en" and scribe.rng.random() < 0.75
    scribe.draft.write(value.replace(".", ",") if comma else value)


def _url_and_mail(scribe: NoteWriter, _: str) -> None:
    scribe.draft.plant(scribe.scene.site.url, "URL")
    scribe.draft.write(" - ")
    scribe.draft.plant(f"contact@{scribe.scene.site.url.split('www.')[-1]}", "EMAIL")


def _gp_city(scribe: NoteWriter, _: str) -> None:
    scribe.draft.write(scribe.pick("in"))
    plant_city(scribe, _practice(scribe).city)


def _practice(scribe: NoteWriter) -> Address:
    return scribe.cast.practices.get(scribe.gp.provider_id) or scribe.scene.site.address


def _plant(label: str, value: Callable[[NoteWriter], str], scribe: NoteWriter, _: str) -> None:
    scribe.draft.plant(value(scribe), label)


SLOTS: dict[str, Fill] = {
    **DAY_SLOTS,
    "title": lambda s, _: s.write(s.title),
    "specialty": lambda s, _: s.write(s.words[f"specialty.{s.scene.author.specialty}"][0]),
    # the patient
    "patient": lambda s, _: plant_name(s, _record_name(s), initials=0.1),
    "first": lambda s, _: plant_first(s, _record_name(s)),
    "last": lambda s, _: plant_last(s, _record_name(s)),
    "LAST": lambda s, _: plant_last(s, _record_name(s), upper=True),
    "given": _given,
    "birthname": lambda s, _: plant_last(
        s,
        PersonName((), s.scene.person.record.birth_names or s.scene.person.record.family_names),
    ),
    "maiden": _maiden,
    "civil": lambda s, _: s.write(s.pick("civil.child" if s.minor else f"civil.{s.gender}")),
    "age": _age,
    "aged": lambda s, _: _age(s, "aged"),
    "kinage": lambda s, _: _age(s, "kin"),
    "street": partial(_home, "street"),
    "zip": partial(_home, "zip"),
    "city": partial(_home, "city"),
    "city_caps": partial(_home, "city_caps"),
    "region": partial(_home, "region"),
    "country": partial(_home, "country"),
    "birthplace": lambda s, _: plant_city(s, s.scene.person.birthplace.city),
    "phone": lambda s, _: plant_phone(s, s.rng.choice(s.scene.person.record.phones)),
    "email": _email,
    "job": partial(_plant, "PROFESSION", lambda s: s.scene.person.profession),
    "employer": partial(_plant, "ORGANIZATION", lambda s: s.scene.person.employer),
    "ipp": partial(_number, "PATIENT_ID"),
    "ssn": partial(_number, "SSN"),
    "insurance": partial(_plant, "INSURANCE_ID", lambda s: s.scene.person.insurance),
    "visit": partial(_plant, "VISIT_ID", lambda s: s.scene.visit.number),
    "exam": _exam,
    "device": partial(_plant, "DEVICE_ID", lambda s: identifiers.device_number(s.rng)),
    "account": partial(_plant, "ACCOUNT", lambda s: identifiers.iban(s.rng, s.lang)),
    # everybody else
    "kin": _kin,
    "kin_caps": lambda s, _: _kin(s, "capital"),
    "kinphone": lambda s, _: plant_phone(s, (s.kin or s.relative()).phone),
    "author": lambda s, _: plant_clinician(s, s.scene.author),
    "author_caps": lambda s, _: plant_clinician(s, s.scene.author, upper=True),
    "signature": lambda s, _: plant_name(s, s.scene.author.name, initials=0.4),
    "author_email": lambda s, _: s.draft.plant(
        s.scene.author.email, "EMAIL", who(s, s.scene.author.name)
    ),
    "rpps": lambda s, _: s.draft.plant(
        identifiers.respell_number(s.rng, s.scene.author.provider_number, "PROVIDER_ID"),
        "PROVIDER_ID",
    ),
    "username": _username,
    "ip": lambda s, _: s.draft.plant(
        ".".join(["10", *(str(s.rng.randrange(256)) for _ in range(3))]), "IP_ADDRESS"
    ),
    "doctor": lambda s, argument: plant_clinician(s, s.doctor(argument)),
    "surgeon": lambda s, _: plant_clinician(s, s.doctor("surgery")),
    "chief": lambda s, _: plant_clinician(s, s.cast.by_specialty[s.scene.author.specialty][0]),
    "gp": lambda s, _: plant_clinician(s, s.gp),
    "gp_phone": lambda s, _: plant_phone(s, s.gp.phone),
    "gp_city": _gp_city,
    "gp_address": lambda s, _: plant_address(s, _practice(s)),
    "nurse": _nurse,
    "third": _stranger,
    "third_last": lambda s, _: _stranger(s, "last"),
    "third_initial": lambda s, _: _stranger(s, "initial"),
    "other_phone": lambda s, _: plant_phone(s, identifiers.phone(s.rng, s.lang)),
    "othercity": lambda s, _: plant_city(s, s.rng.choice(s.cast.pools.towns).city),
    # the hospital
    "site": partial(_plant, "HOSPITAL", lambda s: s.scene.site.name),
    "site_caps": partial(_plant, "HOSPITAL", lambda s: s.scene.site.name.upper()),
    "site_address": lambda s, _: plant_address(s, s.scene.site.address),
    "city_of_site": lambda s, _: plant_city(s, s.scene.site.address.city),
    "site_phone": lambda s, _: plant_phone(s, s.scene.site.phone),
    "site_fax": lambda s, _: plant_phone(s, s.scene.site.fax, "FAX"),
    "url": partial(_plant, "URL", lambda s: s.scene.site.url),
    "site_url_mail": _url_and_mail,
    "otherhospital": partial(_plant, "HOSPITAL", lambda s: s.rng.choice(HOSPITALS[s.lang][5:])),
    "ward": partial(_plant, "HOSPITAL", lambda s: s.rng.choice(WARDS[s.lang])),
    # values
    "side": lambda s, sides: s.draft.write(s.facts("side").choice(sides.split("/"))),
    "weight": lambda s, _: _body(s, "weight"),
    "height": lambda s, _: _body(s, "height"),
    "bmi": lambda s, _: _body(s, "bmi"),
    "pounds": lambda s, _: _body(s, "pounds"),
    "n": lambda s, ends: s.draft.write(str(s.rng.randint(*map(int, ends.split("-"))))),
    "d": _decimal,
}

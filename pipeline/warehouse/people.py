"""Records of patients, clinicians and visits, read from the warehouse by the ids of notes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from itertools import zip_longest
from typing import Any, Protocol

from pipeline.config.near_misses import suggest
from pipeline.config.settings import IdentitySettings
from pipeline.warehouse.note_rows import PersonRow, parse_date, parse_integer
from pipeline.warehouse.omop_tables import LOCATION_READ, PERSON_READ
from pipeline.warehouse.postal_addresses import split_address
from record.errors import ConfigError, Unreadable
from record.label import Label
from record.patient import Address, Identifier, PatientRecord, PersonName

GENDERS = {8507: "M", 8532: "F"}
"""OMOP concepts of gender."""

IDENTITY_FIELDS = (
    "given_names", "family_names", "birth_names", "birth_date", "gender", "phones", "emails",
    "street", "zip", "city", "region", "country", "address",
    "relative_given_names", "relative_family_names",
)  # fmt: skip
_ADDRESS = ("street", "zip", "city", "country", "region")
_RELATIVE = ("relative_given_names", "relative_family_names")
_ONE_COLUMN = frozenset((*_ADDRESS, *_RELATIVE, "birth_date", "gender"))
_TITLES = {"dr", "docteur", "pr", "professeur", "prof", "doctor", "dra", "dr.", "pr.", "prof.",
           "dra.", "m.", "mr", "mr.", "mme", "mlle", "mrs", "mrs.", "ms", "ms.", "sr.", "sra.",
           "doctora", "profesor", "profesora"}  # fmt: skip
_DEGREES = {"md", "m.d.", "do", "d.o.", "phd", "ph.d.", "rn", "np", "pa", "pa-c", "dds", "facp"}

Row = Mapping[str, Any]


class PeopleTables(Protocol):
    """Tables whose rows can be looked up by key."""

    def lookup(
        self, table: str, columns: Sequence[str], key: str, values: Sequence[int]
    ) -> Sequence[Row]:
        """Read the rows whose key is among the values."""
        ...


def check_identity(identity: IdentitySettings) -> None:
    """Raise ConfigError for an unknown field or label, and for several columns of one value."""
    known = {*IDENTITY_FIELDS, *(label.value for label in Label)}
    for name in sorted(set(identity.columns) - known):
        key = f"source.identity.columns.{name}"
        remedy = f"{suggest(name, known)} Correct or remove it".strip()
        raise ConfigError(key, "must be a field of the patient record or a label", remedy)
    for name in sorted(_ONE_COLUMN & set(identity.columns)):
        if len(identity.columns_of(name)) > 1:
            key = f"source.identity.columns.{name}"
            raise ConfigError(key, "must be one column", "create a view that has it")


def find_patients(
    tables: PeopleTables, identity: IdentitySettings | None, person_ids: Collection[Any]
) -> dict[int, PatientRecord]:
    """Return the records of these persons, read with one query per table.

    Unknown persons and ids that are not integers are left out.
    """
    persons = _group_by_key(
        tables.lookup("person", PERSON_READ, "person_id", _parse_ids(person_ids))
    )
    homes = {parse_integer(row.get("location_id")) for found in persons.values() for row in found}
    locations = _group_by_key(
        tables.lookup("location", LOCATION_READ, "location_id", _parse_ids(homes)), "location_id"
    )
    known = _read_identities(tables, identity, list(persons))
    return {
        person_id: _make_patient(
            found[0], locations.get(parse_integer(found[0].get("location_id")) or -1, []),
            _IdentityValues(identity, known.get(person_id, [])),
        )
        for person_id, found in sorted(persons.items())
    }  # fmt: skip


def find_demographics(tables: PeopleTables, person_ids: Collection[Any]) -> dict[int, PersonRow]:
    """Read the rows of the output's person table, with the source's ids."""
    persons = _group_by_key(
        tables.lookup("person", PERSON_READ, "person_id", _parse_ids(person_ids))
    )
    return {person_id: _make_person_row(found[0]) for person_id, found in sorted(persons.items())}


def find_identified(
    tables: PeopleTables, identity: IdentitySettings | None, person_ids: Collection[Any]
) -> set[int]:
    """Return the persons with a row in the identity table, or all if that is not required."""
    ids = _parse_ids(person_ids)
    if identity is None or not identity.required:
        return set(ids)
    rows = tables.lookup(identity.table, (identity.person_id,), identity.person_id, ids)
    found = (parse_integer(row[identity.person_id]) for row in rows)
    return {person_id for person_id in found if person_id is not None}


def find_clinicians(tables: PeopleTables, provider_ids: Collection[Any]) -> dict[int, PersonName]:
    """Read the names of clinicians; those without a name are left out."""
    columns = ("provider_id", "provider_name")
    rows = tables.lookup("provider", columns, "provider_id", _parse_ids(provider_ids))
    named = {
        key: split_name(_to_text(found[0].get("provider_name")))
        for key, found in sorted(_group_by_key(rows, "provider_id").items())
    }
    return {key: name for key, name in named.items() if name.given_names or name.family_names}


def find_visit_numbers(tables: PeopleTables, visit_ids: Collection[Any]) -> dict[int, str]:
    """Read the visit numbers that appear on documents."""
    key, column = "visit_occurrence_id", "visit_source_value"
    rows = tables.lookup("visit_occurrence", (key, column), key, _parse_ids(visit_ids))
    numbers = {
        key: _to_text(found[0].get(column)) for key, found in _group_by_key(rows, key).items()
    }
    return {key: number for key, number in sorted(numbers.items()) if number}


def find_note_ids(tables: PeopleTables, person_ids: Collection[Any]) -> list[int]:
    """Return the note ids of persons, sorted; an id shared by several rows is repeated."""
    rows = tables.lookup("note", ("note_id",), "person_id", _parse_ids(person_ids))
    return sorted(number for row in rows if (number := parse_integer(row["note_id"])) is not None)


def split_name(name: str) -> PersonName:
    """Split a full name into given and family names.

    The family name is the part before a comma, else the words in capitals, else the last word
    with the particles before it. Titles and degrees are left out.
    """
    before, comma, after = name.partition(",")
    after_words = _name_words(after)
    if comma and after_words and _name_words(before):
        return PersonName(tuple(after_words), (" ".join(_name_words(before)),))
    words = _name_words(before)
    capitals = [k for k, word in enumerate(words) if _is_in_capitals(word)]
    if not capitals or len(capitals) == len(words):
        capitals = [len(words) - 1] if words else []
    first = capitals[0] if capitals else 0
    last = capitals[-1] if capitals else -1
    while first > 0 and words[first - 1].islower():
        first -= 1
    family = " ".join(words[first : last + 1])
    return PersonName((*words[:first], *words[last + 1 :]), (family,) if family else ())


def _name_words(name: str) -> list[str]:
    words = name.split()
    return [w for w in words if w.lower() not in _TITLES and w.lower().strip(",") not in _DEGREES]


def _is_in_capitals(word: str) -> bool:
    return word.isupper() and sum(char.isalpha() for char in word) > 1


class _IdentityValues:
    """The values of one person in the identity table, by field, without duplicates."""

    def __init__(self, identity: IdentitySettings | None, rows: Sequence[Row]) -> None:
        self._identity = identity
        self._rows = sorted(rows, key=lambda row: [_to_text(value) for value in row.values()])

    def of_row(self, row: Row, field: str) -> list[str]:
        if self._identity is None:
            return []
        separator = self._identity.separator
        texts = [_to_text(row.get(column)) for column in self._identity.columns_of(field)]
        return [value.strip() for text in texts for value in text.split(separator)]

    def all(self, field: str) -> tuple[str, ...]:
        values = (value for row in self._rows for value in self.of_row(row, field))
        return tuple(dict.fromkeys(value for value in values if value))

    def addresses(self) -> list[Address]:
        found = []
        for row in self._rows:
            for parts in zip_longest(*(self.of_row(row, name) for name in _ADDRESS), fillvalue=""):
                if any(parts[:3]):
                    found.append(Address(*parts))
            found += [split_address(value) for value in self.of_row(row, "address") if value]
        return found

    def relatives(self) -> tuple[PersonName, ...]:
        found = []
        for row in self._rows:
            for given, family in zip_longest(
                *(self.of_row(row, name) for name in _RELATIVE), fillvalue=""
            ):
                name = PersonName((given,) if given else (), (family,) if family else ())
                if given or family:
                    found.append(name)
        return tuple(dict.fromkeys(found))

    def identifiers(self) -> list[Identifier]:
        labels = sorted(set(self._identity.columns if self._identity else ()) - set(_FIELDS))
        return [Identifier(label, value) for label in labels for value in self.all(label)]


_FIELDS = frozenset(IDENTITY_FIELDS)


def _make_patient(person: Row, homes: Sequence[Row], known: _IdentityValues) -> PatientRecord:
    row = _make_person_row(person)
    number = _to_text(person.get("person_source_value"))
    own = [Identifier(Label.PATIENT_ID.value, number)] if number else []
    born = (_parse_valid_date(value) for value in known.all("birth_date"))
    gender = next(iter(known.all("gender")), "") or GENDERS.get(row.gender_concept_id or 0, "")
    addresses = [address for home in homes for address in _split_address(home)]
    return PatientRecord(
        person_id=str(row.person_id),
        given_names=known.all("given_names"),
        family_names=known.all("family_names"),
        birth_names=known.all("birth_names"),
        gender=gender,
        birth_date=next((found for found in born if found), None) or _make_birth_date(row),
        addresses=tuple(dict.fromkeys([*known.addresses(), *addresses])),
        phones=known.all("phones"),
        emails=known.all("emails"),
        identifiers=tuple(dict.fromkeys([*own, *known.identifiers()])),
        relatives=known.relatives(),
    )


def _split_address(row: Row) -> Iterable[Address]:
    """Yield the two lines of an address as separate addresses, since a note may have either."""
    street, more = _to_text(row.get("address_1")), _to_text(row.get("address_2"))
    first = Address(
        street,
        _to_text(row.get("zip")),
        _to_text(row.get("city")),
        region=_to_text(row.get("state")),
    )
    if street or first.zip or first.city:
        yield first
    if more:
        yield Address(more)


def _make_person_row(row: Row) -> PersonRow:
    born = _parse_valid_date(row.get("birth_datetime"))
    person_id = parse_integer(row["person_id"])
    assert person_id is not None
    year, month = parse_integer(row.get("year_of_birth")), parse_integer(row.get("month_of_birth"))
    return PersonRow(
        person_id,
        gender_concept_id=parse_integer(row.get("gender_concept_id")),
        year_of_birth=year or (born.year if born else None),
        month_of_birth=month or (born.month if born else None),
        day_of_birth=parse_integer(row.get("day_of_birth")) or (born.day if born else None),
        race_concept_id=parse_integer(row.get("race_concept_id")),
        ethnicity_concept_id=parse_integer(row.get("ethnicity_concept_id")),
    )


def _make_birth_date(row: PersonRow) -> date | None:
    if row.year_of_birth is None or row.month_of_birth is None or row.day_of_birth is None:
        return None
    try:
        return date(row.year_of_birth, row.month_of_birth, row.day_of_birth)
    except ValueError:
        return None


def _parse_valid_date(value: Any) -> date | None:
    try:
        return parse_date(value)
    except Unreadable:
        return None


def _read_identities(
    tables: PeopleTables, identity: IdentitySettings | None, person_ids: Sequence[int]
) -> dict[int, list[Row]]:
    if identity is None:
        return {}
    rows = tables.lookup(identity.table, identity.all_columns, identity.person_id, person_ids)
    return _group_by_key(rows, identity.person_id)


def _group_by_key(rows: Iterable[Row], key: str = "person_id") -> dict[int, list[Row]]:
    grouped: dict[int, list[Row]] = {}
    for row in rows:
        number = parse_integer(row[key])
        if number is not None:
            grouped.setdefault(number, []).append(row)
    return grouped


def _parse_ids(values: Iterable[Any]) -> list[int]:
    return sorted({number for number in map(parse_integer, values) if number is not None})


def _to_text(value: Any) -> str:
    """Return a raw value as text; bytes that are not UTF-8 are decoded as Latin-1."""
    if isinstance(value, bytes):
        return value.decode("latin-1").strip()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else str(value).strip()

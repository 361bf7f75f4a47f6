"""Writes the fictional hospital to an OMOP CDM 5.4 database."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    Connection,
    Date,
    DateTime,
    Engine,
    Integer,
    MetaData,
    Numeric,
    String,
    Table,
    Text,
    func,
    insert,
    select,
)
from sqlalchemy.types import TypeEngine

from record.errors import ConfigError
from record.label import Label
from record.languages import OMOP_LANGUAGES
from record.patient import Address, PatientRecord, PersonName
from synthesis.fictional.pdf_letters.letterhead import identifier
from synthesis.fictional.people.records import CareSite, Clinician, FictionalNote, Hospital, Visit


def _column(word: str, *, key: bool) -> "Column[Any]":
    """Make a column of `name:type`; `!` is NOT NULL, a number the length of a string."""
    name, _, kind = word.partition(":")
    return Column(
        name,
        _type(kind.rstrip("!")),
        primary_key=key,
        autoincrement=False,
        nullable=not kind.endswith("!"),
        index=name == "person_id" and not key,
    )


def _type(kind: str) -> "TypeEngine[Any]":
    plain = {"int": Integer, "date": Date, "time": DateTime, "text": Text, "num": Numeric}
    made: TypeEngine[Any] = plain[kind]() if kind in plain else String(int(kind))
    return made


class Tables:
    """All tables, in a schema of the database or in its default one."""

    def __init__(self, schema: str | None = None) -> None:
        self.metadata = MetaData()
        self._schema = schema
        self.location = self._add(
            "location",
            "location_id:int! address_1:50 address_2:50 city:50 state:2 zip:9 county:20 "
            "location_source_value:50 country_concept_id:int country_source_value:80 "
            "latitude:num longitude:num",
        )
        self.care_site = self._add(
            "care_site",
            "care_site_id:int! care_site_name:255 place_of_service_concept_id:int location_id:int "
            "care_site_source_value:50 place_of_service_source_value:50",
        )
        self.provider = self._add(
            "provider",
            "provider_id:int! provider_name:255 npi:20 dea:20 specialty_concept_id:int "
            "care_site_id:int year_of_birth:int gender_concept_id:int provider_source_value:50 "
            "specialty_source_value:50 specialty_source_concept_id:int gender_source_value:50 "
            "gender_source_concept_id:int",
        )
        self.person = self._add(
            "person",
            "person_id:int! gender_concept_id:int! year_of_birth:int! month_of_birth:int "
            "day_of_birth:int birth_datetime:time race_concept_id:int! ethnicity_concept_id:int! "
            "location_id:int provider_id:int care_site_id:int person_source_value:50 "
            "gender_source_value:50 gender_source_concept_id:int race_source_value:50 "
            "race_source_concept_id:int ethnicity_source_value:50 ethnicity_source_concept_id:int",
        )
        self.visit_occurrence = self._add(
            "visit_occurrence",
            "visit_occurrence_id:int! person_id:int! visit_concept_id:int! visit_start_date:date! "
            "visit_start_datetime:time visit_end_date:date! visit_end_datetime:time "
            "visit_type_concept_id:int! provider_id:int care_site_id:int visit_source_value:50 "
            "visit_source_concept_id:int admitted_from_concept_id:int "
            "admitted_from_source_value:50 discharged_to_concept_id:int "
            "discharged_to_source_value:50 preceding_visit_occurrence_id:int",
        )
        self.note = self._add(
            "note",
            "note_id:int! person_id:int! note_date:date! note_datetime:time "
            "note_type_concept_id:int! note_class_concept_id:int! note_title:250 note_text:text! "
            "encoding_concept_id:int! language_concept_id:int! provider_id:int "
            "visit_occurrence_id:int visit_detail_id:int note_source_value:50 note_event_id:int "
            "note_event_field_concept_id:int",
        )
        self.note_nlp = self._add(
            "note_nlp",
            "note_nlp_id:int! note_id:int! section_concept_id:int snippet:250 offset:50 "
            "lexical_variant:250! note_nlp_concept_id:int note_nlp_source_concept_id:int "
            "nlp_system:250 nlp_date:date! nlp_datetime:time term_exists:1 term_temporal:50 "
            "term_modifiers:2000",
        )
        self.cdm_source = self._add(
            "cdm_source",
            "cdm_source_name:255! cdm_source_abbreviation:25! cdm_holder:255! "
            "source_description:text source_documentation_reference:255 cdm_etl_reference:255 "
            "source_release_date:date! cdm_release_date:date! cdm_version:10 "
            "cdm_version_concept_id:int! vocabulary_version:20!",
            key=False,
        )
        self.patient_identity = self._add(
            "patient_identity",
            "person_id:int! given_names:text family_names:text birth_names:text birth_date:date "
            "gender:10 phones:text emails:text street:text zip:text city:text country:text "
            "mrn:text ssn:text insurance_id:text relative_given_names:text "
            "relative_family_names:text",
            key=False,
        )

    def _add(self, name: str, columns: str, *, key: bool = True) -> Table:
        words = columns.split()
        made = [_column(word, key=key and word is words[0]) for word in words]
        return Table(name, self.metadata, *made, schema=self._schema)


Row = dict[str, Any]
_T = TypeVar("_T")

BATCH = 1000

NOTE_CLASSES = {
    "discharge": 3020091,  # LOINC Discharge summary
    "consultation": 3030624,  # LOINC Outpatient Note
    "emergency": 3029201,  # LOINC Emergency department Note
    "imaging": 46235057,  # LOINC Radiology report
    "nursing": 3046947,  # LOINC Nurse Note
    "pathology": 40763624,  # LOINC Pathology report
    "operation": 2_000_000_001,  # concepts of the hospital's own begin at two billion
    "board": 2_000_000_002,
}
"""The note_class_concept_id of each kind of note; any other kind is NOTE_CLASS."""

NOTE_CLASS = 706391  # LOINC document kind: Note
LANGUAGES: dict[str, int] = {lang: concept for concept, lang in OMOP_LANGUAGES.items()}
_EHR_NOTE = 32831
_EHR = 32817
_UTF8 = 32678
_CDM_5_4 = 756265
_GENDERS = {"M": 8507, "F": 8532}
_INPATIENT, _OUTPATIENT = 9201, 9202


def document_name(note: FictionalNote) -> str | None:
    """Name the PDF that holds a note; None for a note whose text is in the database."""
    return None if note.rendering == "text" else f"note-{note.note_id:06}.pdf"


def write_omop(
    hospital: Hospital,
    engine: Engine,
    *,
    notes: Iterable[FictionalNote],
    schema: str | None = None,
) -> int:
    """Write the hospital and these notes of it in one transaction; returns how many notes.

    Missing tables are made. In a database that has persons already no person is added or changed:
    notes and identities are added, and care sites, clinicians and visits whose ids are not there.
    The text of a note in a PDF is empty; its note_source_value names the file.
    Raises ConfigError when such a database lacks a patient of the hospital, or when one of the
    notes' ids is taken; nothing is written then.
    """
    tables = Tables(schema)
    with engine.begin() as connection:
        tables.metadata.create_all(connection)
        _Writer(hospital, connection, tables).references()
        return sum(_write_notes(connection, tables.note, batch) for batch in _batches(notes))


class _Writer:
    """Writes the rows that notes refer to."""

    def __init__(self, hospital: Hospital, connection: Connection, tables: Tables) -> None:
        self._hospital = hospital
        self._connection = connection
        self._tables = tables

    def references(self) -> None:
        tables, hospital = self._tables, self._hospital
        adopted = self._any(tables.person)
        patients = {} if adopted else hospital.patients
        if adopted:
            self._require_patients()
        sites = self._new(tables.care_site, {s.care_site_id: s for s in hospital.care_sites})
        addresses = [*_homes(sites.values(), patients.values())]
        column = self._tables.location.columns.location_id
        highest = self._connection.execute(select(func.max(column))).scalar_one() or 0
        places = {a: highest + n for n, a in enumerate(dict.fromkeys(addresses), 1)}
        self._insert(tables.location, (_location_row(n, a) for a, n in places.items()))
        self._insert(tables.care_site, (_site_row(site, places) for site in sites.values()))
        clinicians = self._new(tables.provider, {c.provider_id: c for c in hospital.clinicians})
        self._insert(tables.provider, map(_provider_row, clinicians.values()))
        rows = (_person_row(number, record, places) for number, record in patients.items())
        self._insert(tables.person, rows)
        visits = self._new(tables.visit_occurrence, {v.visit_id: v for v in hospital.visits})
        self._insert(tables.visit_occurrence, map(_visit_row, visits.values()))
        identities = self._new(tables.patient_identity, hospital.patients)
        rows = (row for number, record in identities.items() for row in _identity(number, record))
        self._insert(tables.patient_identity, rows)
        if not self._any(tables.cdm_source):
            self._insert(tables.cdm_source, [_source_row(hospital)])

    def _any(self, table: Table) -> bool:
        return self._connection.execute(select(table.columns[0]).limit(1)).first() is not None

    def _require_patients(self) -> None:
        missing = self._new(self._tables.person, self._hospital.patients)
        if missing:
            raise ConfigError(
                "person",
                f"{len(missing)} patients of the hospital are missing from the table",
                "create the hospital from the persons of this database, or write to a new database",
            )

    def _new(self, table: Table, values: Mapping[int, _T]) -> dict[int, _T]:
        """Keep the values whose id is not in the table's first column."""
        found = set(_present(self._connection, table.columns[0], values))
        return {number: value for number, value in values.items() if number not in found}

    def _insert(self, table: Table, rows: Iterable[Row]) -> None:
        for batch in _batches(rows):
            _insert(self._connection, table, batch)


def _write_notes(connection: Connection, table: Table, notes: Sequence[FictionalNote]) -> int:
    taken = len(_present(connection, table.columns.note_id, [note.note_id for note in notes]))
    if taken:
        raise ConfigError(
            "note",
            f"{taken} note ids of the hospital already exist",
            "start above the highest note_id, or write to a new database",
        )
    _insert(connection, table, [_note_row(note) for note in notes])
    return len(notes)


def _batches(values: Iterable[_T]) -> Iterator[list[_T]]:
    iterator = iter(values)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def _present(connection: Connection, column: "Column[Any]", numbers: Iterable[int]) -> list[int]:
    found: list[int] = []
    for batch in _batches(numbers):
        found += connection.execute(select(column).where(column.in_(batch)).distinct()).scalars()
    return found


def _insert(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows, their columns filled up with NULL and their strings cut to what fits."""
    lengths = {c.name: getattr(c.type, "length", None) for c in table.columns}
    filled = [{name: _fit(row.get(name), size) for name, size in lengths.items()} for row in rows]
    connection.execute(insert(table), filled)


def _fit(value: Any, length: int | None) -> Any:
    return value[:length] if length and isinstance(value, str) else value


# Rows --------------------------------------------------------------------------------------------


def _homes(sites: Iterable[CareSite], patients: Iterable[PatientRecord]) -> Iterator[Address]:
    yield from (site.address for site in sites)
    yield from (address for patient in patients for address in patient.addresses[:1])


def _location_row(number: int, address: Address) -> Row:
    return {
        "location_id": number,
        "address_1": address.street[:50],
        "address_2": address.street[50:] or None,
        "city": address.city,
        "state": address.region if len(address.region) == 2 else None,
        "zip": address.zip,
        "location_source_value": f"{number}",
        "country_source_value": address.country,
    }


def _site_row(site: CareSite, places: Mapping[Address, int]) -> Row:
    return {
        "care_site_id": site.care_site_id,
        "care_site_name": site.name,
        "location_id": places[site.address],
        "care_site_source_value": f"{site.care_site_id}",
    }


def _provider_row(clinician: Clinician) -> Row:
    return {
        "provider_id": clinician.provider_id,
        "provider_name": provider_name(clinician.name),
        "npi": clinician.provider_number,
        "specialty_concept_id": 0,
        "gender_concept_id": _GENDERS.get(clinician.gender, 0),
        "provider_source_value": clinician.provider_number,
        "specialty_source_value": clinician.specialty,
        "gender_source_value": clinician.gender,
    }


def provider_name(name: PersonName) -> str:
    """Write a clinician as `Given FAMILY`."""
    families = (family.upper() for family in name.family_names)
    return " ".join((*name.given_names, *families))


def _person_row(number: int, record: PatientRecord, places: Mapping[Address, int]) -> Row:
    born = record.birth_date
    return {
        "person_id": number,
        "gender_concept_id": _GENDERS.get(record.gender, 0),
        "year_of_birth": born.year if born else 0,  # the specification allows no NULL here
        "month_of_birth": born.month if born else None,
        "day_of_birth": born.day if born else None,
        "birth_datetime": datetime.combine(born, time()) if born else None,
        "race_concept_id": 0,
        "ethnicity_concept_id": 0,
        "location_id": places[record.addresses[0]] if record.addresses else None,
        "person_source_value": identifier(record, Label.PATIENT_ID) or None,
        "gender_source_value": record.gender or None,
    }


def _visit_row(visit: Visit) -> Row:
    stayed = visit.end.date() > visit.start.date()
    return {
        "visit_occurrence_id": visit.visit_id,
        "person_id": visit.person_id,
        "visit_concept_id": _INPATIENT if stayed else _OUTPATIENT,
        "visit_start_date": visit.start.date(),
        "visit_start_datetime": visit.start,
        "visit_end_date": visit.end.date(),
        "visit_end_datetime": visit.end,
        "visit_type_concept_id": _EHR,
        "provider_id": visit.provider_id,
        "care_site_id": visit.care_site_id,
        "visit_source_value": visit.number,
    }


def _note_row(note: FictionalNote) -> Row:
    name = document_name(note)
    return {
        "note_id": note.note_id,
        "person_id": note.person_id,
        "note_date": note.written.date(),
        "note_datetime": note.written,
        "note_type_concept_id": _EHR_NOTE,
        "note_class_concept_id": NOTE_CLASSES.get(note.kind, NOTE_CLASS),
        "note_title": note.title,
        "note_text": "" if name else note.annotated.document.text,
        "encoding_concept_id": _UTF8,
        "language_concept_id": LANGUAGES.get(note.lang, 0),
        "provider_id": note.provider_id,
        "visit_occurrence_id": note.visit_id,
        "note_source_value": name,
    }


def _identity(number: int, record: PatientRecord) -> Iterator[Row]:
    """One row, and one more for each further address; relatives' names are parted pairwise."""
    home, *others = record.addresses or (Address(),)
    yield {
        "person_id": number,
        "given_names": _values(record.given_names),
        "family_names": _values(record.family_names),
        "birth_names": _values(record.birth_names),
        "birth_date": record.birth_date,
        "gender": record.gender or None,
        "phones": _values(record.phones),
        "emails": _values(record.emails),
        "mrn": identifier(record, Label.PATIENT_ID) or None,
        "ssn": identifier(record, Label.SSN) or None,
        "insurance_id": identifier(record, Label.INSURANCE_ID) or None,
        "relative_given_names": _values(" ".join(r.given_names) for r in record.relatives),
        "relative_family_names": _values(" ".join(r.family_names) for r in record.relatives),
        **_address(home),
    }
    for address in others:
        yield {"person_id": number, **_address(address)}


def _address(address: Address) -> Row:
    parts = {"street": address.street, "zip": address.zip, "city": address.city}
    return {key: value or None for key, value in {**parts, "country": address.country}.items()}


def _values(values: Iterable[str]) -> str | None:
    return ";".join(values) or None


def _source_row(hospital: Hospital) -> Row:
    last = max((visit.end.date() for visit in hospital.visits), default=date(2024, 1, 1))
    return {
        "cdm_source_name": "Fictional hospital",
        "cdm_source_abbreviation": "FICTION",
        "cdm_holder": hospital.care_sites[0].name if hospital.care_sites else "Fictional hospital",
        "source_description": "Everybody and everything in this database is made up.",
        "source_release_date": last,
        "cdm_release_date": last,
        "cdm_version": "5.4",
        "cdm_version_concept_id": _CDM_5_4,
        "vocabulary_version": "none",
    }

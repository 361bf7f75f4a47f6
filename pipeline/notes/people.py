"""What is known of the people of notes, and what of it belongs to the version of a note."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

from pipeline.notes.batch import EMPTY_HASH
from pipeline.warehouse.note_rows import NoteRow, PersonRow, parse_integer
from pipeline.warehouse.warehouse import Source
from record.patient import PatientRecord, PersonName

_MOST_REMEMBERED = 200_000


class PatientLookup:
    """What is known of persons who are identified, read with one query per table."""

    def __init__(self, person_ids: Collection[Any], source: Source) -> None:
        identified = source.has_identity(person_ids)
        found = source.patients(person_ids)
        self._records = {key: each for key, each in found.items() if key in identified}
        self._rows = source.demographics(person_ids)
        self._hashes = {
            key: _hash_identity(record, self._rows.get(key))
            for key, record in self._records.items()
        }

    def record_of(self, person_id: Any) -> PatientRecord | None:
        """Return the record of a person; None if unknown or not identified."""
        return self._records.get(parse_integer(person_id) or 0)

    def row_of(self, person_id: Any) -> PersonRow | None:
        """Return the row of a person who is known and identified."""
        number = parse_integer(person_id) or 0
        return self._rows.get(number) if number in self._records else None

    def hash_of(self, person_id: Any) -> bytes:
        """Return the hash of what is known of a person."""
        return self._hashes.get(parse_integer(person_id) or 0, EMPTY_HASH)


@dataclass
class RememberedPeople:
    """Hashes of patients and names of authors that one run has read already, by their raw ids."""

    run_id: int = -1
    patients: dict[Any, bytes] = field(default_factory=dict, repr=False)
    authors: dict[Any, PersonName | None] = field(default_factory=dict, repr=False)

    def complete(self, rows: Sequence[NoteRow], source: Source, run_id: int) -> None:
        """Read what is not known yet of the people of notes; forget that of another run."""
        if run_id != self.run_id or len(self.patients) > _MOST_REMEMBERED:
            self.run_id, self.patients, self.authors = run_id, {}, {}
        persons = {row.person_id for row in rows} - self.patients.keys()
        if persons:
            found = PatientLookup(persons, source)
            self.patients.update((each, found.hash_of(each)) for each in persons)
        authors = {row.provider_id for row in rows} - self.authors.keys()
        if authors:
            names = source.clinicians(authors)
            self.authors.update((each, names.get(parse_integer(each) or 0)) for each in authors)


def extend_by_context(content: bytes, author: PersonName | None, visit_number: str | None) -> bytes:
    """Return a hash of a note's row extended by its author and visit."""
    parts = (author.given_names, author.family_names) if author else ()
    return extend_hash(content, repr((parts, visit_number)).encode())


def extend_hash(content: bytes, more: bytes) -> bytes:
    """Return the hash of a hash and more."""
    return hashlib.blake2b(content + more, digest_size=16).digest()


def _hash_identity(patient: PatientRecord, person: PersonRow | None) -> bytes:
    columns = repr(astuple(person) if person else None)
    return extend_hash(patient.digest(), columns.encode())

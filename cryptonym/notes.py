"""Notes and patients as callers of the library give them."""

import threading
from collections.abc import Mapping
from typing import Any, TypeVar

from pipeline.files.jsonl import JsonLine, parse_note
from pipeline.notes.error_boundary import attempt
from record.errors import Refused
from record.failure import Failure
from record.patient import PatientRecord

T = TypeVar("T")

Patient = PatientRecord | Mapping[str, Any]
"""What is known of a patient: a record, or the object of a line of `patients.jsonl`."""

LOCK = threading.RLock()
"""Rules keep what they last scanned: one note at a time, from however many threads."""


def read_patient(patient: Patient | None) -> PatientRecord | None:
    """Return the record of a patient; raises Refused for what is none."""
    if patient is None or isinstance(patient, PatientRecord):
        return patient
    read = attempt("", "read", lambda: PatientRecord.from_json(patient))
    return unless_refused(read)


def read_note(record: Mapping[str, Any], patient: PatientRecord | None, *, given: bool) -> JsonLine:
    """Return a note from the object of a line of notes; without a person it is the patient's.

    With `given`, its spans are read. Raises Refused for what is no note.
    """
    if patient is not None and record.get("person_id") is None:
        record = {**record, "person_id": patient.person_id}
    read = attempt("", "read", lambda: parse_note(record, "", given=given))
    return JsonLine(1, unless_refused(read), record)


def unless_refused(found: T | Failure) -> T:
    """Return what was found; raises Refused where it is a failure."""
    if isinstance(found, Failure):
        raise Refused(found.stage, found.error, found.reason)
    return found

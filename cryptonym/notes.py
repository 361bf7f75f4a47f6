"""Notes and patients as callers of the library give them."""

import threading
from collections.abc import Mapping
from datetime import date
from typing import Any, TypeVar

from pipeline.config.near_misses import suggest
from pipeline.files.jsonl import JsonLine, parse_note
from pipeline.files.patient_keys import check_patient
from pipeline.notes.error_boundary import attempt
from record.errors import ConfigError, Refused
from record.failure import Failure
from record.languages import LANGUAGES
from record.patient import PatientRecord

T = TypeVar("T")

Patient = PatientRecord | Mapping[str, Any]
"""What is known of a patient: a record, or the object of a line of `patients.jsonl`."""

NoteDate = str | date | None
"""When a note was written: a date or time, also as text of ISO 8601; None where unknown."""

LOCK = threading.RLock()
"""Rules keep what they last scanned: one note at a time, from however many threads."""


def check_language(lang: str) -> None:
    """Raise ConfigError for a language that has no rules; empty is that of the text."""
    if lang and lang not in LANGUAGES:
        remedy = suggest(lang, LANGUAGES) or f"use one of {', '.join(LANGUAGES)}, or leave it out"
        raise ConfigError("lang", "unknown language", remedy)


def dated(note_datetime: NoteDate) -> dict[str, str]:
    """Return the key of a note that says when it was written; none where that is unknown."""
    if note_datetime is None:
        return {}
    told = note_datetime if isinstance(note_datetime, str) else note_datetime.isoformat()
    return {"note_datetime": told}


def read_patient(patient: Patient | None) -> PatientRecord | None:
    """Return the record of a patient.

    Raises ConfigError for what is none, and for keys that stand for one that is searched for.
    """
    if patient is None or isinstance(patient, PatientRecord):
        return patient
    check_patient(patient, "patient")
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

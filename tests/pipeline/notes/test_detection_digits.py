"""Digits of other scripts are read by every rule and in every known value as ASCII digits are."""

import unicodedata

import pytest

from pipeline.notes.detection import KnownPatients, detect
from record.document import Document
from record.patient import PatientRecord
from synthesis.fictional.hospital import make_hospital

# The zero of each script, whose other digits follow it.
SCRIPTS = {
    "Arabic-Indic": "\u0660",
    "Persian": "\u06f0",
    "Devanagari": "\u0966",
    "Bengali": "\u09e6",
    "Thai": "\u0e50",
    "full-width": "\uff10",
    "mathematical": "\U0001d7ce",
    "subscript": "\u2080",
}
# Signs that stand where the digits stood, but are none.
NO_DIGITS = "\u1401"


def _write_in(zero: str, text: str) -> str:
    return text.translate({ord(str(digit)): chr(ord(zero) + digit) for digit in range(10)})


def _notes() -> list[tuple[Document, PatientRecord]]:
    return [
        (note.annotated.document, hospital.patients[note.person_id])
        for lang in ("fr", "en", "es")
        for hospital in [make_hospital(4, seed=3, lang=lang)]
        for note in hospital.notes()
    ]


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_is_found_does_not_depend_on_the_script_of_the_digits(script: str) -> None:
    zero, known = SCRIPTS[script], KnownPatients()
    assert unicodedata.digit(zero) == 0
    found = 0
    for document, patient in _notes():
        written = Document("1", _write_in(zero, document.text), lang=document.lang)
        spans = detect(Document("1", document.text, lang=document.lang), known.of(patient))
        assert detect(written, known.of(patient)) == spans
        found += sum(
            any(char.isdigit() for char in document.text[span.start : span.end]) for span in spans
        )
    assert found > 500


def test_without_digits_what_holds_them_is_not_found() -> None:
    known, kept, lost = KnownPatients(), 0, 0
    for document, patient in _notes():
        written = Document("1", _write_in(NO_DIGITS, document.text), lang=document.lang)
        left = {(span.start, span.end) for span in detect(written, known.of(patient))}
        for span in detect(document, known.of(patient)):
            if any(char.isdigit() for char in document.text[span.start : span.end]):
                kept += (span.start, span.end) in left
                lost += (span.start, span.end) not in left
    assert lost > 9 * kept

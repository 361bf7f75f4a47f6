"""Notes and patients as JSON Lines: read line by line, unknown keys kept, bad lines set apart."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extractors.plain import clean
from pipeline.boundary import attempt
from pipeline.note import moment
from record.document import Annotated, Document
from record.errors import ConfigError, Unavailable, Unreadable
from record.failure import Failure
from record.patient import PatientRecord
from record.span import Span


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file of notes: its number from 1, the note, and the object it came from."""

    number: int
    annotated: Annotated
    record: Mapping[str, Any] = field(repr=False)


def read_notes(path: Path) -> Iterator[Line | Failure]:
    """Read notes; a line that is no valid note gives a Failure named `line N`.

    Offsets of given spans refer to the text as it stands in the file; such a text is never
    cleaned. Raises Unavailable when the file cannot be read.
    """
    for number, raw in _lines(path):
        if raw.strip():
            yield attempt(f"line {number}", "read", lambda raw=raw, n=number: _note(raw, n))  # type: ignore[misc]


def read_patients(path: Path) -> dict[str, PatientRecord]:
    """Read patients by person id; raises ConfigError with the number of a line that is wrong."""
    patients = {}
    for number, raw in _lines(path):
        if not raw.strip():
            continue
        record = attempt(f"line {number}", "read", lambda raw=raw: _patient(raw))  # type: ignore[misc]
        if isinstance(record, Failure):
            raise ConfigError(
                f"{path}, line {number}", f"not a patient ({record.error})", "correct the line"
            )
        patients[record.person_id] = record
    return patients


def with_spans(line: Line, text: str, spans: Iterable[Span]) -> str:
    """Give a note's object with another text and other spans, as a line of JSON."""
    listed = [
        {"start": s.start, "end": s.end, "label": s.label, "score": s.score, "detector": s.detector}
        for s in spans
    ]
    return json.dumps({**line.record, "text": text, "spans": listed}, ensure_ascii=False)


def failure_line(failure: Failure) -> str:
    """Give a failure as a line of JSON: ids, stage and class, no text."""
    return json.dumps(
        {
            "note_id": failure.note_id,
            "stage": failure.stage,
            "error": failure.error,
            "reason": failure.reason,
        }
    )


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as lines:
            yield from enumerate(lines, start=1)
    except OSError as error:
        raise Unavailable(str(path), error.strerror or "cannot be read", "check the path") from None


def _note(raw: bytes, number: int) -> Line:
    record = json.loads(raw)
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise Unreadable("malformed-line")
    if not isinstance(record.get("note_id"), str | int):
        raise Unreadable("no-note-id")
    spans = tuple(_span(span) for span in record.get("spans") or ())
    # Offsets must keep their meaning: a text with spans stays exactly as it is.
    text = record["text"] if spans else clean(record["text"])
    person = record.get("person_id")
    document = Document(
        note_id=str(record["note_id"]),
        text=text,
        person_id=None if person is None else str(person),
        lang=str(record.get("lang") or ""),
        written=moment(record.get("note_datetime")),
        kind=str(record.get("note_type") or ""),
    )
    return Line(number, Annotated(document, spans), record)


def _span(record: Mapping[str, Any]) -> Span:
    return Span(
        int(record["start"]),
        int(record["end"]),
        str(record["label"]),
        str(record.get("detector") or "given"),
        float(record.get("score", 1.0)),
    )


def _patient(raw: bytes) -> PatientRecord:
    return PatientRecord.from_json(json.loads(raw))

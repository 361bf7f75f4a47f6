"""Reading and writing of notes and patients as JSON Lines; invalid lines become failures."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pipeline.files.patient_keys import check_patient
from pipeline.notes.error_boundary import attempt
from pipeline.warehouse.note_rows import parse_datetime
from record.document import Annotated, Document
from record.errors import ConfigError, Unavailable, Unreadable
from record.failure import Failure
from record.patient import PatientRecord
from record.span import Span


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One valid line of a file of notes: line number from 1, the note, and the JSON object.

    The text is exactly that of the file; it has not been cleaned.
    """

    number: int
    annotated: Annotated
    record: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is not a valid note: line number from 1, and its failure for quarantine."""

    number: int
    failure: Failure


def read_notes(
    path: Path,
    *,
    lang: str = "",
    given: bool = True,
    wanted: Callable[[int], bool] = lambda place: True,
) -> Iterator[JsonLine | BadLine]:
    """Read notes; `lang` is the language of notes without one.

    With `given`, the spans of the notes are read too, otherwise they are ignored. Lines at places
    that are not `wanted`, counted from 0 without blank ones, are left out. The failure of a bad
    line has its note id, or `line N` if it has none. Raises ConfigError if the file does not exist,
    Unavailable if it cannot be read.
    """
    for place, (number, raw) in enumerate(_read_lines(path)):
        if not wanted(place):
            continue
        record = attempt(f"line {number}", "read", lambda raw=raw: _parse_object(raw))  # type: ignore[misc]
        if isinstance(record, Failure):
            yield BadLine(number, record)
            continue
        step = lambda record=record: parse_note(record, lang, given=given)  # noqa: E731
        note = attempt(str(record["note_id"]), "read", step)
        if isinstance(note, Failure):
            yield BadLine(number, note)
        else:
            yield JsonLine(number, note, record)


def count_lines(path: Path) -> int:
    """Return the number of lines of a file; 0 if it is not a regular file, such as a pipe."""
    return sum(1 for _ in _read_lines(path)) if path.is_file() else 0


def read_patients(path: Path, warnings: list[str] | None = None) -> dict[str, PatientRecord]:
    """Read patients by person id; `warnings` is told of keys that are not read.

    Raises ConfigError with the line number for invalid lines and duplicate persons, for keys
    that stand for one that would be searched for, and for a file that has other keys alone.
    """
    patients: dict[str, PatientRecord] = {}
    unread: Counter[str] = Counter()
    for number, raw in _read_lines(path):
        where = f"{path}, line {number}"
        parsed = attempt(where, "read", lambda raw=raw: json.loads(raw.decode("utf-8-sig")))  # type: ignore[misc]
        if isinstance(parsed, Failure):
            raise ConfigError(where, "is not JSON in UTF-8", "correct the line")
        unread.update(check_patient(parsed, where))
        record = attempt(where, "read", lambda parsed=parsed: PatientRecord.from_json(parsed))  # type: ignore[misc]
        if isinstance(record, Failure):
            problem = f"not a valid patient ({record.error})"
            raise ConfigError(where, problem, "correct the line")
        if record.person_id in patients:
            raise ConfigError(where, "duplicate person_id", "merge the lines of one person")
        patients[record.person_id] = record
    if unread and not any(map(_has_known_values, patients.values())):
        problem = "no line has a name, date of birth, address or number of a patient"
        raise ConfigError(str(path), problem, "give the file of patients, not one of notes")
    if warnings is not None and unread:
        warnings.append(f"{path}: {len(unread)} unknown keys are not read, nor searched for")
    return patients


def _has_known_values(patient: PatientRecord) -> bool:
    return replace(patient, person_id="", gender="") != PatientRecord("")


def spans_to_json(spans: Iterable[Span]) -> list[dict[str, Any]]:
    """Return spans as objects for JSON."""
    return [
        {"start": s.start, "end": s.end, "label": s.label, "score": s.score, "detector": s.detector}
        for s in spans
    ]


def dump_line(record: Mapping[str, Any]) -> str:
    """Return an object as one line of JSON; lone surrogates, invalid in UTF-8, are escaped."""
    line = json.dumps(record, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:
        return json.dumps(record)
    return line


def _read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers."""
    try:
        with path.open("rb") as lines:
            for number, raw in enumerate(lines, start=1):
                if raw.strip():
                    yield number, raw
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        problem = (error.strerror or "cannot be read").lower()
        raise ConfigError(str(path), problem, "give the path of a JSON Lines file") from None
    except OSError as error:
        problem = error.strerror or "cannot be read"
        raise Unavailable(str(path), problem, "check the disk or mount") from None


def _parse_object(raw: bytes) -> Mapping[str, Any]:
    try:
        record = json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Unreadable("not-json") from None
    if not isinstance(record, dict):
        raise Unreadable("not-an-object")
    note_id = record.get("note_id")
    if isinstance(note_id, bool) or not isinstance(note_id, str | int) or note_id == "":
        raise Unreadable("no-note-id")
    return record


def _refuse_constant(_constant: str) -> None:
    raise Unreadable("not-json")  # NaN and Infinity, which are not valid JSON


def parse_note(record: Mapping[str, Any], lang: str, *, given: bool) -> Annotated:
    """Read a note from the object of its line; with `given`, its spans too.

    Raises Unreadable, KeyError, TypeError or ValueError for what is no note.
    """
    text, person = record.get("text"), record.get("person_id")
    if not isinstance(text, str):
        raise Unreadable("no-text")
    if isinstance(person, bool) or not isinstance(person, str | int | None):
        raise Unreadable("malformed-person-id")
    document = Document(
        note_id=str(record["note_id"]),
        text=text,
        person_id=None if person is None else str(person),
        lang=_parse_language(record.get("lang")) or lang,
        written=parse_datetime(record.get("note_datetime")),
        kind=str(record.get("note_type") or ""),
    )
    if not given:
        return Annotated(document)
    return Annotated(document, tuple(_parse_span(span) for span in record.get("spans") or ()))


def _parse_language(value: Any) -> str:
    """Return the language code of a tag such as `fr-CA`; empty if there is none."""
    return re.split("[-_]", value.strip().lower())[0] if isinstance(value, str) else ""


def _parse_span(record: Any) -> Span:
    if not isinstance(record, dict) or not record.keys() >= {"start", "end", "label"}:
        raise Unreadable("malformed-span")
    start, end = record["start"], record["end"]
    if not all(type(offset) is int for offset in (start, end)):
        raise Unreadable("malformed-span")
    detector, score = record.get("detector"), record.get("score")
    return Span(
        start,
        end,
        str(record["label"]),
        str(detector) if detector else "given",
        1.0 if score is None else float(score),
    )

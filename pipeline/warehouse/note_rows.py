"""Rows of the tables note and person, units of work, and parsing of raw column values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from typing import Any

from record.errors import Unreadable, Unsafe
from record.span import Span


@dataclass(frozen=True, slots=True)
class Unit:
    """A range of the note table that is read, processed and accounted for as a whole.

    `part` is empty in a database, where `low..high` is the inclusive range of note ids; in a
    folder it is the Parquet file's path below the folder and `low..high` its inclusive rows.
    `count` is the number of note ids planned. `wanted` are the only ids to process, packed; empty
    for all of them. `attempt` is the number of the claim under which a worker has it, 0 without
    one. With `is_backfill`, notes that earlier detectors read are detected again; with
    `is_condemned` the unit is a single note that ended its worker again and again.
    """

    index: int
    part: str
    low: int
    high: int
    count: int
    wanted: bytes = b""
    attempt: int = 0
    is_backfill: bool = False
    is_condemned: bool = False


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A row of the OMOP CDM 5.4 table `note`; in a source, with values as the driver returns them.

    Text that is not valid in its encoding is bytes, a date may be text. `digest` is no column: it
    is what a source's database computed of the whole row (16 bytes); None where it computes none.
    """

    note_id: int
    person_id: Any = field(default=None, repr=False)
    note_date: Any = field(default=None, repr=False)
    note_datetime: Any = field(default=None, repr=False)
    note_type_concept_id: Any = None
    note_class_concept_id: Any = None
    note_title: Any = field(default=None, repr=False)
    note_text: Any = field(default=None, repr=False)
    encoding_concept_id: Any = None
    language_concept_id: Any = None
    provider_id: Any = field(default=None, repr=False)
    visit_occurrence_id: Any = field(default=None, repr=False)
    visit_detail_id: Any = field(default=None, repr=False)
    note_source_value: Any = field(default=None, repr=False)
    note_event_id: Any = field(default=None, repr=False)
    note_event_field_concept_id: Any = None
    digest: bytes | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class PersonRow:
    """The columns used of a row of the OMOP CDM 5.4 table `person`."""

    person_id: int = field(repr=False)
    gender_concept_id: int | None = None
    year_of_birth: int | None = field(default=None, repr=False)
    month_of_birth: int | None = field(default=None, repr=False)
    day_of_birth: int | None = field(default=None, repr=False)
    race_concept_id: int | None = None
    ethnicity_concept_id: int | None = None


@dataclass(frozen=True, slots=True)
class OutputRow:
    """A released note with its replaced spans and its person, with the output's ids."""

    note: NoteRow
    spans: tuple[Span, ...]
    person: PersonRow | None


UNTOUCHED = b""
"""The digest of a row that was not touched since a date: it is not computed."""

NOTE_COLUMNS = tuple(item.name for item in fields(NoteRow) if item.compare)
PERSON_COLUMNS = tuple(item.name for item in fields(PersonRow))
SPAN_COLUMNS = ("note_id", "start_offset", "end_offset", "label")
_TEXTS = {"note_title", "note_text", "note_source_value"}
_INT64 = range(-(2**63), 2**63)


def parse_date(value: Any) -> date | None:
    """Return a raw value as a date; None if empty. Raises Unreadable `malformed`."""
    found = parse_datetime(value)
    return found.date() if found else None


def parse_datetime(value: Any) -> datetime | None:
    """Return a raw value as a datetime without time zone; None if empty.

    Raises Unreadable `malformed`.
    """
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if not isinstance(value, str):
        raise Unreadable("malformed")
    try:
        return datetime.fromisoformat(value.strip()).replace(tzinfo=None)
    except ValueError:
        raise Unreadable("malformed") from None


def parse_integer(value: Any) -> int | None:
    """Return a raw value as a 64-bit integer; None if it is not one.

    Floats and decimals without a fraction are accepted: pandas and Spark store ids this way.
    """
    if isinstance(value, bool) or value is None or isinstance(value, str | bytes):
        return None
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number == value and number in _INT64 else None


def name_kind(concept: Any, kinds: Mapping[str, str]) -> str:
    """Return the kind of note that reports show, named by `kinds` or by the concept's number.

    A class that is text may name a patient: it counts as `class-other` unless `kinds` names it.
    """
    number = parse_integer(concept)
    named = kinds.get(str(concept if number is None else number))
    unnamed = "class-other" if concept and number is None else f"class-{number or 0}"
    return named or unnamed


def normalize_note(note: NoteRow) -> dict[str, Any]:
    """Return the columns of an output note in the types that all sinks store alike.

    Characters that no sink can store (NUL, unpaired surrogates) become U+FFFD, one for one, so
    that offsets stay valid. Raises Unsafe `malformed` for a value of the wrong type.
    """
    values = {name: _normalize_value(name, getattr(note, name)) for name in NOTE_COLUMNS}
    if values["note_id"] is None:
        raise Unsafe("malformed")
    return values


def _normalize_value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _TEXTS:
        return _make_storable(value)
    try:
        if name in ("note_date", "note_datetime"):
            return parse_date(value) if name == "note_date" else parse_datetime(value)
    except Unreadable:
        raise Unsafe("malformed") from None
    number = parse_integer(value)
    if number is None:
        raise Unsafe("malformed")
    return number


def _make_storable(value: Any) -> str:
    if not isinstance(value, str):
        raise Unsafe("malformed")
    if value.isascii() and "\0" not in value:
        return value
    text = value.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        chars = ("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
        return "".join(chars)
    return text


def pack(row: OutputRow) -> bytes:
    """Return an output row as canonical JSON: equal rows give equal bytes."""
    note = [_to_json_value(value) for value in normalize_note(row.note).values()]
    spans = [[s.start, s.end, s.label, s.detector, s.score] for s in row.spans]
    person = [getattr(row.person, name) for name in PERSON_COLUMNS] if row.person else None
    packed = json.dumps([note, spans, person], separators=(",", ":"), ensure_ascii=False)
    return packed.encode()


def unpack(packed: bytes) -> OutputRow:
    """Return the output row packed by `pack`."""
    note, spans, person = json.loads(packed)
    row = dict(zip(NOTE_COLUMNS, note, strict=True))
    row["note_date"] = parse_date(row["note_date"])
    row["note_datetime"] = parse_datetime(row["note_datetime"])
    return OutputRow(
        NoteRow(**row),
        tuple(Span(*span) for span in spans),
        PersonRow(*person) if person else None,
    )


def _to_json_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value

"""Pseudonymization of tables of notes: pandas, Polars, Arrow, and whatever exports Arrow."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Required, TypedDict, Unpack

import pyarrow as pa
import pyarrow.dataset as ds

from cryptonym.detector import Detector
from cryptonym.notes import Patient, read_patient
from cryptonym.pseudonymizer import Pseudonymizer
from pipeline.notes.detection import spoken
from record.document import Document
from record.errors import ConfigError, Refused
from record.patient import PatientRecord

REFUSED = "refused"
"""The column with the reason why a row has no text; null where it has one."""

_LEAST_INEXACT = 2**53
_ROWS = 256  # notes for which the tagger is asked together


class NoteColumns(TypedDict, total=False):
    """The columns of notes: `text`, and the person, id, date and language of the note, if any."""

    text: Required[str]
    person: str
    note: str
    date: str
    lang: str


_KEYS = {
    "text": "text",
    "person": "person_id",
    "note": "note_id",
    "date": "note_datetime",
    "lang": "lang",
}


def pseudonymize(
    frame: Any,
    detector: Detector,
    *,
    pseudonymizer: Pseudonymizer,
    patients: Iterable[Patient] = (),
    keep: Sequence[str] = (),
    allow_unknown: bool = False,
    **columns: Unpack[NoteColumns],
) -> Any:
    """Return a table of the same rows in the same order, with surrogates in place of identifiers.

    Columns that are not named are left out; those of `keep` are copied as they are. Persons become
    pseudonyms, dates move with their patient. A row that is refused has null for text, person and
    date, and its reason in the column REFUSED. Without a column of ids, a note without a person is
    told apart by its row number, from 0. `patients` are known by their person ids; where any are
    given, a row of another person is refused, as `unknown-patient`, unless `allow_unknown`.

    pandas and Polars frames come back as such, datasets and readers as a reader that works as it
    is read, everything else as an Arrow table. Raises ConfigError for columns that are not there,
    for two records of one person, and for ids of persons that are floats too large to be exact.
    """
    people = [known for known in map(read_patient, patients) if known is not None]
    known_people = {each.person_id: each for each in people}
    if len(known_people) < len(people):
        raise ConfigError("patients", "a person has two records", "give one record a person")
    is_stream = isinstance(frame, ds.Dataset | pa.RecordBatchReader)
    given = frame if is_stream else _read_table(frame)
    shape = _Shape(given.schema, dict(columns), tuple(keep))
    is_known_required = bool(people) and not allow_unknown
    work = _TableWork(shape, detector, pseudonymizer, known_people, is_known_required)
    if is_stream:
        batches = given.to_batches() if isinstance(given, ds.Dataset) else given
        return pa.RecordBatchReader.from_batches(shape.output, work.run(batches))
    table = pa.Table.from_batches(work.run(given.to_batches()), shape.output)
    return _like(frame, table)


def _read_table(frame: Any) -> pa.Table:
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if isinstance(frame, pa.Table) or hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    problem = f"{type(frame).__name__} is no table that exports Arrow"
    raise ConfigError("frame", problem, "give a pandas, Polars or Arrow table or dataset")


def _like(frame: Any, table: pa.Table) -> Any:
    library = type(frame).__module__.partition(".")[0]
    if library == "pandas":
        # An index may hold what identifies a patient, and is no column that was named.
        return table.to_pandas()
    return type(frame)(table) if library == "polars" else table


class _Shape:
    """Which columns are read as what, and the schema that comes of it."""

    def __init__(self, schema: pa.Schema, columns: Mapping[str, Any], keep: Sequence[str]) -> None:
        if wrong := sorted(columns.keys() - _KEYS.keys()):
            raise ConfigError(", ".join(wrong), "unknown", f"use {', '.join(_KEYS)}")
        if "text" not in columns:
            raise ConfigError("text", "missing", "name the column of the texts")
        for name in (*columns.values(), *keep):
            if schema.names.count(name) != 1:
                raise ConfigError(str(name), "not a column of the table", "correct its name")
        if twice := sorted(set(keep) & set(columns.values())):
            raise ConfigError(", ".join(twice), "has a treatment of its own", "do not keep it")
        if REFUSED in (*columns.values(), *keep):
            raise ConfigError(REFUSED, "is the column of reasons", "rename the column")
        self.keys = {_KEYS[name]: str(column) for name, column in columns.items()}
        self.keep = tuple(keep)
        written = [name for name in schema.names if name in (*self.keys.values(), *keep)]
        fields = [_make_field(schema.field(name), self.key_of(name)) for name in written]
        self.output = pa.schema([*fields, pa.field(REFUSED, pa.string())])

    def key_of(self, column: str) -> str:
        """Return the key of `notes.jsonl` that a column is read as; empty for a kept one."""
        return next((key for key, name in self.keys.items() if name == column), "")


def _make_field(field: pa.Field, key: str) -> pa.Field:
    is_made = key in ("text", "person_id") or (key == "note_datetime" and not _is_time(field.type))
    if not is_made:
        return pa.field(field.name, field.type)
    is_large = pa.types.is_large_string(field.type)
    return pa.field(field.name, pa.large_string() if is_large else pa.string())


def _is_time(kind: pa.DataType) -> bool:
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


@dataclass(frozen=True)
class _TableWork:
    """What rewrites the rows of a table; holds keys."""

    shape: _Shape
    detector: Detector
    pseudonymizer: Pseudonymizer
    patients: Mapping[str, PatientRecord]
    is_known_required: bool

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        row = 0
        for whole in batches:
            for start in range(0, whole.num_rows, _ROWS):
                batch = whole.slice(start, _ROWS)
                yield self._rewrite(batch, row)
                row += batch.num_rows

    def _rewrite(self, batch: pa.RecordBatch, row: int) -> pa.RecordBatch:
        columns = {key: batch.column(name).to_pylist() for key, name in self.shape.keys.items()}
        records = [
            {"note_id": str(row + place)}
            | {key: _to_json(key, values[place]) for key, values in columns.items()}
            for place in range(batch.num_rows)
        ]
        released = list(map(self._release, records, self._detect(records)))
        return pa.RecordBatch.from_arrays(
            [self._make_column(field, batch, released) for field in self.shape.output],
            schema=self.shape.output,
        )

    def _detect(self, records: Sequence[dict[str, Any]]) -> list[Any]:
        """Return each note with its spans, or why it was refused."""
        known = [self.patients.get(str(record.get("person_id"))) for record in records]
        try:
            return list(self.detector.detect_records(records, known))
        except Refused as refused:
            if len(records) == 1:
                return [refused]
        # One of them was refused: which one is seen where each is alone.
        return [self._detect([record])[0] for record in records]

    def _release(self, record: dict[str, Any], found: Any) -> Mapping[str, Any] | Refused:
        if isinstance(found, Refused):
            return found
        person = record.get("person_id")
        patient = self.patients.get(str(person))
        if self.is_known_required and patient is None and person is not None:
            return Refused("read", "Unreadable", "unknown-patient")
        document = Document("", str(record.get("text")), lang=record.get("lang") or "")
        # The note is rewritten in the language that it was read in.
        given = {**found, "lang": spoken(document, self.detector.lang).lang or None}
        try:
            released = self.pseudonymizer.apply_record(given, patient)
            return {**released, "lang": record.get("lang")}
        except Refused as refused:
            return refused

    def _make_column(
        self,
        field: pa.Field,
        batch: pa.RecordBatch,
        released: Sequence[Mapping[str, Any] | Refused],
    ) -> pa.Array:
        if field.name == REFUSED:
            return pa.array([_reason(each) for each in released], field.type)
        key = self.shape.key_of(field.name)
        if key in ("", "note_id"):
            return batch.column(field.name)
        values = [None if isinstance(each, Refused) else each.get(key) for each in released]
        return pa.array([_from_json(value, field.type) for value in values], field.type)


def _reason(released: Mapping[str, Any] | Refused) -> str | None:
    if not isinstance(released, Refused):
        return None
    return released.reason or released.error or released.stage


def _to_json(key: str, value: Any) -> Any:
    if key == "note_id":
        return value if isinstance(value, str | int) else str(value)
    if key == "person_id" and isinstance(value, float) and value.is_integer():
        if abs(value) >= _LEAST_INEXACT:
            problem = "has floats from 2^53 on, each of which stands for several ids"
            raise ConfigError("person", problem, "give the column as integers or text")
        return int(value)  # whole numbers beside missing ones, as pandas keeps them
    return value.isoformat() if isinstance(value, date) else value


def _from_json(value: Any, kind: pa.DataType) -> Any:
    if value is None or not _is_time(kind):
        return value
    moved = datetime.fromisoformat(value)
    return moved.date() if pa.types.is_date(kind) else moved

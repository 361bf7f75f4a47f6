"""Builds one unit of a release: its persons, notes and rows, compared with what is published."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.notes.batch import Batch, BatchNote
from pipeline.notes.batch_commit import make_output_row
from pipeline.notes.stages import start_batch
from pipeline.notes.stored_spans import run_release_stages
from pipeline.release.release_context import ReleaseContext
from pipeline.release.request import ReleaseRequest
from pipeline.release.row_digests import Row, TableHashes, compare_rows
from pipeline.release.staging import PartResult, ReleaseUnit, ReleaseUnitResult, incomplete
from pipeline.release.tables import (
    METADATA_TABLES,
    NOTE_NLP,
    date_columns,
    start_column,
    visit_columns,
)
from pipeline.release.unit_files import TableFile, digest_file, read_keys
from pipeline.warehouse.cdm_tables import REFERENCE_TABLES, VISIT_TABLES, patient_tables
from pipeline.warehouse.databases import chunks, retrying
from pipeline.warehouse.note_rows import NoteRow, PersonRow, Unit, normalize_note, parse_integer
from pipeline.warehouse.sql_output import make_span_values
from pipeline.warehouse.table_reader import read_rows, to_rows
from record.columns import Treatment
from record.errors import Unsafe
from record.patient import PatientRecord
from surrogates.tables.columns import Subjects

_Rows = Mapping[str, Sequence[Mapping[str, Any]]]

_PERSONS = 500
_WINDOW = 8
"""Batches of notes that are read before they are grouped by patient."""


def make_unit(index: int, context: ReleaseContext) -> None:
    """Build a staged unit, compare it with what is published, and store its result."""
    unit = context.staging.unit(index)
    context.staging.commit(index, retrying(_build_unit)(unit, context))


def _build_unit(unit: ReleaseUnit, context: ReleaseContext) -> ReleaseUnitResult:
    builder = _UnitBuilder(
        context,
        unit,
        tuple(n for n in context.names if n not in (*REFERENCE_TABLES, *METADATA_TABLES)),
    )
    try:
        builder.clear()
        builder.add_persons()
        builder.find_late_visits()
        builder.add_notes()
        builder.add_rows()
    finally:
        builder.close()
    return builder.finish()


def make_reference_unit(
    index: int, context: ReleaseContext, referred: Mapping[str, Iterable[int]]
) -> None:
    """Build the unit of the tables without patients.

    It has the rows that other tables refer to, given as ids by table in `referred`, and the rows
    that these refer to.
    """
    names = tuple(name for name in REFERENCE_TABLES if name in context.names)
    builder = _UnitBuilder(context, context.staging.unit(index), names)
    wanted = {name: set(referred.get(name, ())) for name in REFERENCE_TABLES}
    try:
        builder.clear()
        for name in names:
            ids = sorted(wanted[name])
            for columns in read_rows(context.tools.source, name, f"{name}_id", ids):
                for other, found in builder.treat(name, columns).items():
                    wanted[other] |= found
    finally:
        builder.close()
    context.staging.commit(index, builder.finish())


def make_metadata_unit(index: int, context: ReleaseContext, rows: _Rows) -> None:
    """Build the unit of the tables that describe the release itself."""
    builder = _UnitBuilder(context, context.staging.unit(index), METADATA_TABLES)
    try:
        builder.clear()
        for name in METADATA_TABLES:
            builder.add(name, rows[name])
    finally:
        builder.close()
    context.staging.commit(index, builder.finish())


@dataclass
class _UnitBuilder:
    """Builds a unit: the files of its tables, and the outcomes of its notes and rows."""

    context: ReleaseContext
    unit: ReleaseUnit
    names: tuple[str, ...]
    parts: dict[str, TableFile] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    referred: dict[str, set[int]] = field(
        default_factory=lambda: {n: set() for n in REFERENCE_TABLES}
    )
    persons: set[int] = field(default_factory=set)
    records: dict[str, PatientRecord] = field(default_factory=dict)
    owners: dict[int, int] = field(default_factory=dict)
    linked_visits: dict[str, set[int]] = field(
        default_factory=lambda: {name: set() for name in VISIT_TABLES}
    )
    late_visits: dict[str, set[int]] = field(
        default_factory=lambda: {name: set() for name in VISIT_TABLES}
    )
    refused: set[int] = field(default_factory=set)
    outside: set[int] = field(default_factory=set)

    def clear(self) -> None:
        """Remove the files of an earlier attempt."""
        staging, suffix = self.context.staging, self.context.target.suffix
        is_sorted = self.context.is_sorted
        for name in self.names:
            path = staging.path(name, self.unit.index, suffix)
            if is_sorted:
                path = staging.unit_path(name, self.unit.index)
            path.unlink(missing_ok=True)
            self.parts[name] = TableFile(path, self.context.tables[name], has_digests=is_sorted)

    def close(self) -> None:
        """Close the files."""
        for part in self.parts.values():
            part.close()

    def add(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows as mappings from column to value; missing columns are empty."""
        names = [column.name for column in self.context.tables[name].columns]
        self.parts[name].add([tuple(row.get(column) for column in names) for row in rows])

    def add_persons(self) -> None:
        """Add the rows of the persons; a person whose row is refused gets no other rows."""
        source = self.context.tools.source
        for some in chunks(self.unit.person_ids, _PERSONS):
            known, records = source.demographics(some), source.patients(some)
            self.records |= {str(person): record for person, record in records.items()}
            for columns in read_rows(source, "person", "person_id", some):
                births = [_birth(person, known, records) for person in _ids(columns["person_id"])]
                born = zip(*births, strict=True)
                columns |= {
                    name: pa.array(values, pa.int64())
                    for name, values in zip(_BIRTH, born, strict=True)
                }
                self.treat("person", columns)
        self.persons &= set(self.unit.person_ids)

    def find_late_visits(self) -> None:
        """Find the visits with a date after the last that is released: nothing refers to them."""
        if self.context.request.latest is None:
            return
        for name in reversed(VISIT_TABLES):
            for some in chunks(sorted(self.persons), _PERSONS):
                for columns in read_rows(self.context.tools.source, name, "person_id", some):
                    is_late = pc.invert(self._in_time(name, columns))
                    self.late_visits[name].update(_ids(columns[f"{name}_id"].filter(is_late)))

    def treat(self, name: str, columns: dict[str, pa.Array]) -> dict[str, set[int]]:
        """Treat rows and add them; return the ids of rows without patients that they refer to."""
        batch = pa.table(columns)
        subjects = Subjects(self.owners, self.records)
        treated = self.context.tools.columns.treat(name, batch, subjects)
        kept = batch.filter(pa.array(treated.kept))
        rows, fresh = self._drop_duplicates(name, to_rows(treated.rows, self.context.tables[name]))
        kept = kept.filter(pa.array(fresh, pa.bool_()))
        self.parts[name].add(rows)
        counts = self.counts.setdefault(name, Counter())
        counts["released"] += len(rows)
        counts.update({f"refused {reason}": count for reason, count in treated.refused.items()})
        if name == "person":
            self.persons.update(_ids(kept["person_id"]))
        return self._collect_references(name, kept)

    def _drop_duplicates(self, name: str, rows: list[Row]) -> tuple[list[Row], list[bool]]:
        """Drop rows whose key another row of this unit already has."""
        seen = self.parts[name].hashes.keyed
        fresh, keys = [], set[int]()
        for row in rows:
            fresh.append(row[0] not in seen and row[0] not in keys)
            keys.add(row[0])
        if all(fresh):
            return rows, fresh
        self.counts.setdefault(name, Counter())["refused duplicate-id"] += fresh.count(False)
        return [row for row, is_fresh in zip(rows, fresh, strict=True) if is_fresh], fresh

    def _collect_references(self, name: str, kept: pa.Table) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for other in REFERENCE_TABLES:
            column = f"{other}_id"
            if other == name or column not in kept.schema.names or other not in self.context.names:
                continue
            if self.context.tools.policy.treatment(f"{name}.{column}") is Treatment.REKEY:
                found[other] = set(_ids(pc.unique(kept[column])))
                self.referred[other] |= found[other]
        for visits in VISIT_TABLES:
            if self.context.request.has_window and f"{visits}_id" in kept.schema.names:
                self.linked_visits[visits].update(_ids(kept[f"{visits}_id"]))
        return found

    def add_notes(self) -> None:
        """Add the notes with their stored spans; refuse those without valid spans."""
        tools = self.context.tools
        size = tools.settings.limits.notes_per_unit
        for number, rows in enumerate(
            _group_by_patient(tools.source.pick(self.unit.note_ids, size), size)
        ):
            unit = Unit(number, "", 0, 0, len(rows))
            batch, made = retrying(self._replay_batch)(unit, rows)
            for refused in batch.refused:
                failure = refused.failure
                self.refused.add(refused.item.row.note_id)
                self.reasons[failure.reason or failure.error] += 1
            for name, found in made.items():
                if name in self.parts:
                    self.parts[name].add(found)
            self.labels.update(label for *_, label in made["note_span"])
            for item in batch.items:
                self._register_note(item)

    def _replay_batch(self, unit: Unit, rows: list[NoteRow]) -> tuple[Batch, dict[str, list[Row]]]:
        """Process the requested notes of a batch through all stages."""
        request, tools = self.context.request, self.context.tools
        batch = start_batch(unit, rows, tools)
        moved = self._shift_days(parse_integer(item.row.person_id) for item in batch.items)
        wanted = tuple(
            item
            for item, days in zip(batch.items, moved, strict=True)
            if _is_wanted(item, request, days)
        )
        outside = {item.row.note_id for item in batch.items}
        self.outside |= outside - {item.row.note_id for item in wanted}
        columns = [column.name for column in self.context.tables["note"].columns]
        notes: list[Row] = []
        spans: list[Row] = []

        def step(item: BatchNote) -> BatchNote:
            if parse_integer(item.row.person_id) not in self.persons:
                raise Unsafe("person-refused")
            row = make_output_row(self._without_late_visits(item), tools.columns)
            notes.append(tuple(map(normalize_note(row.note).get, columns)))
            spans.extend(make_span_values([row]))
            return item

        batch = run_release_stages(replace(batch, items=wanted), tools).apply("write", step)
        return batch, {"note": notes, "note_span": spans}

    def _without_late_visits(self, item: BatchNote) -> BatchNote:
        gone: dict[str, Any] = {
            f"{name}_id": None
            for name, late in self.late_visits.items()
            if late and parse_integer(getattr(item.row, f"{name}_id")) in late
        }
        return replace(item, row=replace(item.row, **gone)) if gone else item

    def _register_note(self, item: BatchNote) -> None:
        row = item.row
        person = parse_integer(row.person_id)
        assert person is not None
        self.owners[row.note_id] = person
        policy = self.context.tools.policy
        provider = parse_integer(row.provider_id)
        if provider is not None and policy.treatment("note.provider_id") is Treatment.REKEY:
            self.referred["provider"].add(provider)
        for name in VISIT_TABLES:
            number = parse_integer(getattr(row, f"{name}_id"))
            if number is not None:
                self.linked_visits[name].add(number)

    def add_rows(self) -> None:
        """Add the persons' rows of structured tables; visits that rows belong to come last."""
        names = [name for name in patient_tables() if name not in VISIT_TABLES]
        for name in (name for name in (*names, *VISIT_TABLES) if name in self.context.names):
            for some in chunks(sorted(self.persons), _PERSONS):
                for columns in read_rows(self.context.tools.source, name, "person_id", some):
                    self.treat(name, self._in_window(name, columns))
        if NOTE_NLP in self.context.names:
            for some in chunks(sorted(self.owners), _PERSONS):
                for columns in read_rows(self.context.tools.source, NOTE_NLP, "note_id", some):
                    self.treat(NOTE_NLP, self._hold_back(NOTE_NLP, columns))

    def _in_time(self, name: str, columns: dict[str, pa.Array]) -> pa.Array:
        """Return which rows have no date after the last that is released, nor their visit."""
        request, size = self.context.request, len(next(iter(columns.values())))
        persons = columns.get("person_id")
        days = [0] * size if persons is None else self._shift_days(_whole_numbers(persons))
        late = np.zeros(size, np.bool_)
        for column in date_columns(name):
            if column in columns:
                texts = columns[column].cast(pa.string()).to_pylist()
                late |= np.fromiter(map(request.is_late, texts, days), np.bool_, size)
        if name == "visit_detail" and "visit_occurrence_id" in columns:
            gone = self.late_visits["visit_occurrence"]
            late |= [n in gone for n in _whole_numbers(columns["visit_occurrence_id"])]
        return pa.array(~late)

    def _shift_days(self, persons: Iterable[int | None]) -> list[int]:
        """Return the date shift of each row's person, 0 where nothing depends on it."""
        context = self.context
        if not context.is_sorted:
            return [0 for _ in persons]
        days = context.tools.columns.days
        return [0 if person is None else days(str(person)) for person in persons]

    def _hold_back(self, name: str, columns: dict[str, pa.Array]) -> dict[str, pa.Array]:
        """Leave out late rows, and what refers to visits that are."""
        if self.context.request.latest is None:
            return columns
        mask = self._in_time(name, columns)
        columns = {each: values.filter(mask) for each, values in columns.items()}
        for visits, names in visit_columns(name).items():
            late = self.late_visits[visits]
            for column in names if late else ():
                if column in columns:
                    numbers = _whole_numbers(columns[column])
                    kept = [None if number in late else number for number in numbers]
                    columns[column] = pa.array(kept, pa.int64())
        return columns

    def _in_window(self, name: str, columns: dict[str, pa.Array]) -> dict[str, pa.Array]:
        columns = self._hold_back(name, columns)
        column = start_column(name)
        if not self.context.request.has_window or column not in columns:
            return columns
        days = columns[column].cast(pa.string()).to_pylist()
        inside = [self.context.request.is_in_window(value) for value in days]
        if name in VISIT_TABLES:
            linked_visits = self.linked_visits[name]
            inside = [
                is_inside or number in linked_visits
                for is_inside, number in zip(
                    inside, _whole_numbers(columns[f"{name}_id"]), strict=True
                )
            ]
        mask = pa.array(inside, pa.bool_())
        return {each: values.filter(mask) for each, values in columns.items()}

    def finish(self) -> ReleaseUnitResult:
        """Read back what was written, compare it with what is published, and return the result.

        Where tables are sorted as a whole, both are done then: see `arrange_tables`.
        """
        self._check_notes()
        is_sorted = self.context.is_sorted
        written = {name: part.hashes for name, part in self.parts.items() if is_sorted}
        return ReleaseUnitResult(
            () if is_sorted else tuple(map(self._verify_part, self.names)),
            {name: dict(found) for name, found in self.counts.items()},
            dict(self.reasons),
            {name: sorted(found) for name, found in self.referred.items()},
            dict(self.labels),
            sorted(self.owners),
            sorted(self.refused),
            sorted(self.outside),
            {name: (hashes.rows, hashes.total) for name, hashes in written.items()},
        )

    def _check_notes(self) -> None:
        if "note" not in self.names:
            return
        cohort = self.context.tools.cohort
        expected = {cohort.pseudonym("note", str(note_id)) for note_id in self.owners}
        if expected != self.parts["note"].hashes.keyed.keys():
            raise incomplete("the written notes are not the expected ones")

    def _verify_part(self, name: str) -> PartResult:
        part, target = self.parts[name], self.context.target
        rows, keys = read_keys(part.path, self.context.tables[name])
        if rows != part.hashes.rows or keys != part.hashes.keyed.keys():
            raise incomplete(f"table {name} does not read back as written")
        before = TableHashes()
        for page in target.read_published(name, self.unit):
            before.add(page)
        sha256 = digest_file(part.path) if rows else ""
        made = part.hashes
        return PartResult(name, made.rows, made.total, sha256, compare_rows(before, made))


_BIRTH = ("year_of_birth", "month_of_birth", "day_of_birth")


def _birth(
    person_id: int, known: Mapping[int, PersonRow], records: Mapping[int, PatientRecord]
) -> tuple[int | None, int | None, int | None]:
    """Return year, month and day of birth as detection and the nightly job know them."""
    record, person = records.get(person_id), known.get(person_id)
    if record is not None and record.birth_date is not None:
        born = record.birth_date
        return born.year, born.month, born.day
    return (person.year_of_birth, None, None) if person is not None else (None, None, None)


def _group_by_patient(pages: Iterator[list[NoteRow]], size: int) -> Iterator[list[NoteRow]]:
    """Group notes by patient within a bounded window.

    The known values of a patient are then compiled only once.
    """
    waiting: list[NoteRow] = []
    for page in pages:
        waiting += page
        if len(waiting) >= _WINDOW * size:
            yield from _sort_by_person(waiting, size)
            waiting = []
    yield from _sort_by_person(waiting, size)


def _sort_by_person(rows: list[NoteRow], size: int) -> Iterator[list[NoteRow]]:
    def place(row: NoteRow) -> tuple[int, int, int]:
        return (
            parse_integer(row.person_id) or 0,
            parse_integer(row.visit_occurrence_id) or 0,
            row.note_id,
        )

    rows.sort(key=place)
    for some in chunks(rows, size):
        yield list(some)


def _is_wanted(item: BatchNote, request: ReleaseRequest, days: int) -> bool:
    row = item.row
    is_kind = not request.kinds or item.kind in request.kinds
    is_late = request.is_late(row.note_date, days) or request.is_late(row.note_datetime, days)
    return is_kind and not is_late and request.is_in_window(row.note_date or row.note_datetime)


def _whole_numbers(column: pa.Array | pa.ChunkedArray) -> list[int | None]:
    return [parse_integer(value) for value in column.to_pylist()]


def _ids(column: pa.Array | pa.ChunkedArray) -> list[int]:
    return [number for number in _whole_numbers(column) if number is not None]

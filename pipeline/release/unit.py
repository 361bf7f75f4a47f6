"""One unit of a release: its persons, their notes and their rows, made and compared."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.notes.batch import Batch, BatchNote
from pipeline.notes.batch_commit import make_output_row
from pipeline.notes.stages import start_batch
from pipeline.notes.stored_spans import run_release_stages
from pipeline.release.draft import PartMade, ReleaseUnit, UnitMade, incomplete
from pipeline.release.release_context import ReleaseContext
from pipeline.release.request import ReleaseRequest
from pipeline.release.row_digests import Hashes, Row, differ
from pipeline.release.table_reader import read_rows, to_rows
from pipeline.release.tables import OF_NOTES, REFERRED, SELVES, VISITS, patient_tables, started
from pipeline.release.unit_files import TableFile, digest_file, read_keys
from pipeline.warehouse.databases import chunks, retrying
from pipeline.warehouse.note_rows import NoteRow, PersonRow, Unit, normalize_note, parse_integer
from pipeline.warehouse.sql_output import make_span_values
from record.columns import Treatment
from record.errors import Unsafe
from record.patient import PatientRecord
from surrogates.tables.columns import Subjects

_Rows = Mapping[str, Sequence[Mapping[str, Any]]]

_PERSONS = 500
_WINDOW = 8
"""Batches of notes that are held at a time, so that those of one patient come together."""


def make_unit(index: int, desk: ReleaseContext) -> None:
    """Make a unit of the draft, compare it with what is visible, and store what came of it."""
    unit = desk.draft.unit(index)
    desk.draft.commit(index, retrying(_made)(unit, desk))


def _made(unit: ReleaseUnit, desk: ReleaseContext) -> UnitMade:
    work = _Work(desk, unit, tuple(n for n in desk.names if n not in (*REFERRED, *SELVES)))
    try:
        work.clear()
        work.add_persons()
        work.add_notes()
        work.add_rows()
    finally:
        work.close()
    return work.account()


def make_referred(index: int, desk: ReleaseContext, referred: Mapping[str, Iterable[int]]) -> None:
    """Make the unit of the tables without patients: the rows that others lead to, as `referred`
    says by table, and those that these lead to."""
    names = tuple(name for name in REFERRED if name in desk.names)
    work = _Work(desk, desk.draft.unit(index), names)
    wanted = {name: set(referred.get(name, ())) for name in REFERRED}
    try:
        work.clear()
        for name in names:
            ids = sorted(wanted[name])
            for columns in read_rows(desk.tools.source, name, f"{name}_id", ids):
                for other, found in work.treat(name, columns).items():
                    wanted[other] |= found
    finally:
        work.close()
    desk.draft.commit(index, work.account())


def make_selves(index: int, desk: ReleaseContext, rows: _Rows) -> None:
    """Make the unit that tells of the release itself."""
    work = _Work(desk, desk.draft.unit(index), SELVES)
    try:
        work.clear()
        for name in SELVES:
            work.add(name, rows[name])
    finally:
        work.close()
    desk.draft.commit(index, work.account())


@dataclass
class _Work:
    """A unit under way: the files of its tables, and what became of its notes and rows."""

    desk: ReleaseContext
    unit: ReleaseUnit
    names: tuple[str, ...]
    parts: dict[str, TableFile] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    referred: dict[str, set[int]] = field(default_factory=lambda: {n: set() for n in REFERRED})
    persons: set[int] = field(default_factory=set)
    records: dict[str, PatientRecord] = field(default_factory=dict)
    owners: dict[int, int] = field(default_factory=dict)
    noted: dict[str, set[int]] = field(default_factory=lambda: {name: set() for name in VISITS})
    refused: set[int] = field(default_factory=set)
    outside: set[int] = field(default_factory=set)

    def clear(self) -> None:
        """Remove what an earlier try left."""
        suffix = self.desk.target.suffix
        for name in self.names:
            path = self.desk.draft.path(name, self.unit.index, suffix)
            path.unlink(missing_ok=True)
            self.parts[name] = TableFile(path, self.desk.tables[name])

    def close(self) -> None:
        """Finish the files."""
        for part in self.parts.values():
            part.close()

    def add(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows under the names of their columns; missing ones are empty."""
        names = [column.name for column in self.desk.tables[name].columns]
        self.parts[name].add([tuple(row.get(column) for column in names) for row in rows])

    def add_persons(self) -> None:
        """Add the rows of the persons; whose row is refused has no notes and no other rows."""
        source = self.desk.tools.source
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

    def treat(self, name: str, columns: dict[str, pa.Array]) -> dict[str, set[int]]:
        """Treat rows and add them; returns the ids of rows without patients that they lead to."""
        batch = pa.table(columns)
        subjects = Subjects(self.owners, self.records)
        treated = self.desk.tools.columns.treat(name, batch, subjects)
        kept = batch.filter(pa.array(treated.kept))
        rows, fresh = self._alone(name, to_rows(treated.rows, self.desk.tables[name]))
        kept = kept.filter(pa.array(fresh, pa.bool_()))
        self.parts[name].add(rows)
        counts = self.counts.setdefault(name, Counter())
        counts["released"] += len(rows)
        counts.update({f"refused {reason}": count for reason, count in treated.refused.items()})
        if name == "person":
            self.persons.update(_ids(kept["person_id"]))
        return self._referred(name, kept)

    def _alone(self, name: str, rows: list[Row]) -> tuple[list[Row], list[bool]]:
        """Leave out rows whose key another row of this unit has already."""
        seen = self.parts[name].hashes.keyed
        fresh, keys = [], set[int]()
        for row in rows:
            fresh.append(row[0] not in seen and row[0] not in keys)
            keys.add(row[0])
        if all(fresh):
            return rows, fresh
        self.counts.setdefault(name, Counter())["refused duplicate-id"] += fresh.count(False)
        return [row for row, is_fresh in zip(rows, fresh, strict=True) if is_fresh], fresh

    def _referred(self, name: str, kept: pa.Table) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for other in REFERRED:
            column = f"{other}_id"
            if other == name or column not in kept.schema.names or other not in self.desk.names:
                continue
            if self.desk.tools.policy.treatment(f"{name}.{column}") is Treatment.REKEY:
                found[other] = set(_ids(pc.unique(kept[column])))
                self.referred[other] |= found[other]
        for visits in VISITS:
            if self.desk.order.has_window and f"{visits}_id" in kept.schema.names:
                self.noted[visits].update(_ids(kept[f"{visits}_id"]))
        return found

    def add_notes(self) -> None:
        """Add the notes: nothing is detected, what cannot be vouched for is refused."""
        tools = self.desk.tools
        size = tools.settings.limits.notes_per_unit
        for number, rows in enumerate(_grouped(tools.source.pick(self.unit.note_ids, size), size)):
            unit = Unit(number, "", 0, 0, len(rows))
            batch, made = retrying(self._replayed)(unit, rows)
            for refused in batch.refused:
                failure = refused.failure
                self.refused.add(refused.item.row.note_id)
                self.reasons[failure.reason or failure.error] += 1
            for name, found in made.items():
                self.parts[name].add(found)
            self.labels.update(label for *_, label in made["note_span"])
            for item in batch.items:
                self._enter(item)

    def _replayed(self, unit: Unit, rows: list[NoteRow]) -> tuple[Batch, dict[str, list[Row]]]:
        """Take the notes that were asked for through all stages."""
        order, tools = self.desk.order, self.desk.tools
        batch = start_batch(unit, rows, tools)
        wanted = tuple(item for item in batch.items if _is_wanted(item, order))
        outside = {item.row.note_id for item in batch.items}
        self.outside |= outside - {item.row.note_id for item in wanted}
        columns = [column.name for column in self.desk.tables["note"].columns]
        notes: list[Row] = []
        spans: list[Row] = []

        def step(item: BatchNote) -> BatchNote:
            if parse_integer(item.row.person_id) not in self.persons:
                raise Unsafe("person-refused")
            row = make_output_row(item, tools.columns)
            notes.append(tuple(map(normalize_note(row.note).get, columns)))
            spans.extend(make_span_values([row]))
            return item

        batch = run_release_stages(replace(batch, items=wanted), tools).apply("write", step)
        return batch, {"note": notes, "note_span": spans}

    def _enter(self, item: BatchNote) -> None:
        row = item.row
        person = parse_integer(row.person_id)
        assert person is not None
        self.owners[row.note_id] = person
        policy = self.desk.tools.policy
        provider = parse_integer(row.provider_id)
        if provider is not None and policy.treatment("note.provider_id") is Treatment.REKEY:
            self.referred["provider"].add(provider)
        for name in VISITS:
            number = parse_integer(getattr(row, f"{name}_id"))
            if number is not None:
                self.noted[name].add(number)

    def add_rows(self) -> None:
        """Add what structured tables hold of the persons; stays that a row belongs to come last."""
        names = [name for name in patient_tables() if name not in VISITS]
        for name in (name for name in (*names, *VISITS) if name in self.desk.names):
            for some in chunks(sorted(self.persons), _PERSONS):
                for columns in read_rows(self.desk.tools.source, name, "person_id", some):
                    self.treat(name, self._in_window(name, columns))
        if OF_NOTES in self.desk.names:
            for some in chunks(sorted(self.owners), _PERSONS):
                for columns in read_rows(self.desk.tools.source, OF_NOTES, "note_id", some):
                    self.treat(OF_NOTES, columns)

    def _in_window(self, name: str, columns: dict[str, pa.Array]) -> dict[str, pa.Array]:
        column = started(name)
        if not self.desk.order.has_window or column not in columns:
            return columns
        days = columns[column].cast(pa.string()).to_pylist()
        inside = [self.desk.order.holds(value) for value in days]
        if name in VISITS:
            noted = self.noted[name]
            inside = [
                is_inside or number in noted
                for is_inside, number in zip(inside, _raw(columns[f"{name}_id"]), strict=True)
            ]
        mask = pa.array(inside, pa.bool_())
        return {each: values.filter(mask) for each, values in columns.items()}

    def account(self) -> UnitMade:
        """Return what came of the unit; what was written is read back, and compared with what is
        visible."""
        self._check_notes()
        return UnitMade(
            tuple(map(self._part_made, self.names)),
            {name: dict(found) for name, found in self.counts.items()},
            dict(self.reasons),
            {name: sorted(found) for name, found in self.referred.items()},
            dict(self.labels),
            sorted(self.owners),
            sorted(self.refused),
            sorted(self.outside),
        )

    def _check_notes(self) -> None:
        if "note" not in self.names:
            return
        cohort = self.desk.tools.cohort
        expected = {cohort.pseudonym("note", str(note_id)) for note_id in self.owners}
        if expected != self.parts["note"].hashes.keyed.keys():
            raise incomplete("notes are not where they should be")

    def _part_made(self, name: str) -> PartMade:
        part, target = self.parts[name], self.desk.target
        rows, keys = read_keys(part.path, self.desk.tables[name])
        if rows != part.hashes.rows or keys != part.hashes.keyed.keys():
            raise incomplete(f"the table {name} does not read back as it was made")
        before = Hashes()
        for page in target.visible(name, self.unit):
            before.add(page)
        sha256 = digest_file(part.path) if rows else ""
        made = part.hashes
        return PartMade(name, made.rows, made.total, sha256, differ(before, made))


_BIRTH = ("year_of_birth", "month_of_birth", "day_of_birth")


def _birth(
    person_id: int, known: Mapping[int, PersonRow], records: Mapping[int, PatientRecord]
) -> tuple[int | None, int | None, int | None]:
    """Return when somebody was born, as detection and the nightly job know it."""
    record, person = records.get(person_id), known.get(person_id)
    if record is not None and record.birth_date is not None:
        born = record.birth_date
        return born.year, born.month, born.day
    return (person.year_of_birth, None, None) if person is not None else (None, None, None)


def _grouped(pages: Iterator[list[NoteRow]], size: int) -> Iterator[list[NoteRow]]:
    """Put the notes of a patient side by side, as far as a bounded number of notes allows.

    What is known of a patient is then compiled once.
    """
    waiting: list[NoteRow] = []
    for page in pages:
        waiting += page
        if len(waiting) >= _WINDOW * size:
            yield from _by_person(waiting, size)
            waiting = []
    yield from _by_person(waiting, size)


def _by_person(rows: list[NoteRow], size: int) -> Iterator[list[NoteRow]]:
    def place(row: NoteRow) -> tuple[int, int, int]:
        return (
            parse_integer(row.person_id) or 0,
            parse_integer(row.visit_occurrence_id) or 0,
            row.note_id,
        )

    rows.sort(key=place)
    for some in chunks(rows, size):
        yield list(some)


def _is_wanted(item: BatchNote, order: ReleaseRequest) -> bool:
    row = item.row
    is_kind = not order.kinds or item.kind in order.kinds
    return is_kind and order.holds(row.note_date or row.note_datetime)


def _raw(column: pa.Array | pa.ChunkedArray) -> list[int | None]:
    return [parse_integer(value) for value in column.to_pylist()]


def _ids(column: pa.Array | pa.ChunkedArray) -> list[int]:
    return [number for number in _raw(column) if number is not None]

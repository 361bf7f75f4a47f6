"""Builds one unit of a release: its persons, notes and rows, compared with what is published."""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.notes.batch import Batch, BatchNote
from pipeline.notes.batch_commit import make_output_row
from pipeline.notes.claimed_units import Worker, claim_leases
from pipeline.notes.stages import start_batch
from pipeline.notes.stored_spans import run_release_stages
from pipeline.release.release_context import ReleaseContext
from pipeline.release.request import ReleaseRequest
from pipeline.release.row_digests import Row, TableHashes, compare_rows
from pipeline.release.staging import (
    LEASED,
    PartResult,
    ReleaseUnit,
    ReleaseUnitResult,
    incomplete,
)
from pipeline.release.tables import (
    METADATA_TABLES,
    PERIODS,
    date_columns,
    find_rows_of,
    start_column,
    visit_columns,
)
from pipeline.release.unit_files import TableFile, digest_file, read_keys
from pipeline.state.unit_leases import MOST_FAILURES
from pipeline.warehouse.cdm_tables import (
    FACT_TABLES,
    REFERENCE_TABLES,
    VISIT_TABLES,
    patient_tables,
)
from pipeline.warehouse.databases import chunks, retrying
from pipeline.warehouse.findings import NOTE_NLP, make_finding
from pipeline.warehouse.note_rows import (
    NoteRow,
    OutputRow,
    PersonRow,
    Unit,
    normalize_note,
    parse_date,
    parse_integer,
)
from pipeline.warehouse.row_links import PresentRows
from pipeline.warehouse.sql_output import empty_absent_links, make_span_values
from pipeline.warehouse.table_reader import empty_impossible_ids, read_rows, to_rows
from record.columns import Treatment, id_kind
from record.errors import ConfigError, Unreadable, Unsafe
from record.patient import PatientRecord
from surrogates.tables.columns import Subjects

_Rows = Mapping[str, Sequence[Mapping[str, Any]]]

_WITHOUT_PATIENTS = (*REFERENCE_TABLES, *METADATA_TABLES, *FACT_TABLES)
_PERSONS = 500
_NOT_RELEASED = "[not released]"
_WINDOW = 8
"""Batches of notes that are read before they are grouped by patient."""


def claim_release_units(context: ReleaseContext, holder: str) -> Generator[Unit, None, None]:
    """Yield the units that this worker claims, until all are made; see `claim_units`.

    Raises Incomplete where a unit failed again and again.
    """
    worker = Worker(holder, context.tools.settings.engine.lease_seconds)
    with closing(claim_leases(context.staging.leases, LEASED, worker)) as claims:
        for claim in claims:
            if claim.unit.is_condemned:
                raise incomplete(f"unit {claim.unit.index} ended its worker {MOST_FAILURES} times")
            yield claim.unit


def make_unit(claimed: Unit, context: ReleaseContext) -> None:
    """Build a claimed unit, compare it with what is published, and store its result."""
    staging = context.staging.draft(claimed)
    unit = staging.unit(claimed.index)
    staging.commit(unit.index, retrying(_build_unit)(unit, replace(context, staging=staging)))


def _build_unit(unit: ReleaseUnit, context: ReleaseContext) -> ReleaseUnitResult:
    builder = _UnitBuilder(
        context,
        unit,
        tuple(n for n in context.names if n not in _WITHOUT_PATIENTS),
    )
    try:
        builder.clear()
        builder.add_persons()
        builder.find_visits()
        builder.add_notes()
        builder.add_rows()
    finally:
        builder.close()
    return builder.finish()


@retrying
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
    detectors: Counter[str] = field(default_factory=Counter)
    referred: dict[str, set[int]] = field(
        default_factory=lambda: {n: set() for n in REFERENCE_TABLES}
    )
    persons: set[int] = field(default_factory=set)
    records: dict[str, PatientRecord] = field(default_factory=dict)
    owners: dict[int, int] = field(default_factory=dict)
    note_dates: dict[int, Any] = field(default_factory=dict, repr=False)
    linked_visits: dict[str, set[int]] = field(
        default_factory=lambda: {name: set() for name in VISIT_TABLES}
    )
    late_visits: dict[str, set[int]] = field(
        default_factory=lambda: {name: set() for name in VISIT_TABLES}
    )
    windowed_visits: dict[str, set[int]] = field(
        default_factory=lambda: {name: set() for name in VISIT_TABLES}
    )
    present: PresentRows = field(default_factory=PresentRows)
    looked_up: dict[str, set[int]] = field(
        default_factory=lambda: {name: set() for name in REFERENCE_TABLES}
    )
    own_findings: int = 0
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

    def find_visits(self) -> None:
        """Find the visits that rows may refer to, and those with a date after the last."""
        request, tools = self.context.request, self.context.tools
        for name in (name for name in reversed(VISIT_TABLES) if name in self.context.names):
            found: list[Row] = []
            for some in chunks(sorted(self.persons), _PERSONS):
                for columns in read_rows(tools.source, name, "person_id", some):
                    if request.latest is not None:
                        is_late = pc.invert(self._in_time(name, columns))
                        self.late_visits[name].update(_ids(columns[f"{name}_id"].filter(is_late)))
                    rows = self._hold_back(name, columns)
                    if request.has_window:
                        inside = self._is_inside(name, rows)
                        self.windowed_visits[name].update(_ids(rows[f"{name}_id"].filter(inside)))
                    rows = empty_impossible_ids(name, rows, tools.cohort)
                    subjects = Subjects(self.owners, self.records)
                    treated = tools.columns.treat(name, pa.table(rows), subjects)
                    found += to_rows(treated.rows, self.context.tables[name])
            self.present.settle(name, self._columns_of(name), found)

    def _columns_of(self, name: str) -> list[str]:
        return [column.name for column in self.context.tables[name].columns]

    def _look_up_references(self, name: str, columns: Mapping[str, pa.Array]) -> None:
        """Find out which rows without patients exist of those that these rows refer to."""
        tools = self.context.tools
        for other in REFERENCE_TABLES:
            column = columns.get(f"{other}_id")
            is_kept = tools.policy.treatment(f"{name}.{other}_id") is Treatment.REKEY
            if column is None or other == name or other not in self.context.names or not is_kept:
                continue
            self._look_up(other, _ids(pc.unique(column)))

    def _look_up(self, name: str, ids: Iterable[int]) -> None:
        tools, key = self.context.tools, f"{name}_id"
        fresh = sorted(set(ids) - self.looked_up[name])
        self.looked_up[name].update(fresh)
        found = tools.source.store.lookup(name, (key,), key, fresh) if fresh else ()
        known = [number for row in found if (number := parse_integer(row[key])) is not None]
        drawn = tools.cohort.pseudonyms(name, np.array(known, np.int64)).tolist()
        self.present.owners.setdefault(name, {}).update(dict.fromkeys(drawn))

    def treat(self, name: str, columns: dict[str, pa.Array]) -> dict[str, set[int]]:
        """Treat rows and add them; return the ids of rows without patients that they refer to."""
        if name == PERIODS and (shared := self.context.request.shared_days):
            columns = self._without_shared_days(columns, shared)
        columns = empty_impossible_ids(name, columns, self.context.tools.cohort)
        self._look_up_references(name, columns)
        batch = pa.table(columns)
        subjects = Subjects(self.owners, self.records)
        treated = self.context.tools.columns.treat(name, batch, subjects)
        kept = batch.filter(pa.array(treated.kept))
        made = to_rows(treated.rows, self.context.tables[name])
        cleared = self.present.clear_each(name, self._columns_of(name), made)
        kept = kept.filter(pa.array([row is not None for row in cleared], pa.bool_()))
        counts = self.counts.setdefault(name, Counter())
        if lost := cleared.count(None):
            counts["refused no-visit"] += lost
        rows, fresh = self._drop_duplicates(name, [row for row in cleared if row is not None])
        kept = kept.filter(pa.array(fresh, pa.bool_()))
        if name == NOTE_NLP and self.context.is_sorted:
            rows = [self._fill_finding(row) for row in rows]
        self.parts[name].add(rows)
        counts["released"] += len(rows)
        counts.update({f"refused {reason}": count for reason, count in treated.refused.items()})
        if name == "person":
            self.persons.update(_ids(kept["person_id"]))
        return self._collect_references(name, kept)

    def _without_shared_days(
        self, columns: dict[str, pa.Array], shared: frozenset[str]
    ) -> dict[str, pa.Array]:
        refused = find_rows_of(shared, columns)
        if any(refused):
            self.counts.setdefault(PERIODS, Counter())["refused shared-date"] += sum(refused)
        mask = pc.invert(pa.array(refused, pa.bool_()))
        return {name: values.filter(mask) for name, values in columns.items()}

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
            if NOTE_NLP in self.parts:
                made[NOTE_NLP] = self._number_findings(made[NOTE_NLP])
            for name, found in made.items():
                if name in self.parts:
                    self.parts[name].add(found)
            self.labels.update(label for *_, label in made["note_span"])
            for item in batch.items:
                self.detectors[item.read_by] += 1
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
        findings: list[Row] = []
        if "provider" in self.context.names:
            providers = (parse_integer(item.row.provider_id) for item in wanted)
            self._look_up("provider", (each for each in providers if each))

        def step(item: BatchNote) -> BatchNote:
            if parse_integer(item.row.person_id) not in self.persons:
                raise Unsafe("person-refused")
            made = make_output_row(self._without_late_visits(item), tools.columns)
            (row,) = empty_absent_links([made], self.present)
            notes.append(tuple(map(normalize_note(row.note).get, columns)))
            spans.extend(make_span_values([row]))
            findings.extend(self._make_findings(row))
            return item

        batch = run_release_stages(replace(batch, items=wanted), tools).apply("write", step)
        return batch, {"note": notes, "note_span": spans, NOTE_NLP: findings}

    def _make_findings(self, row: OutputRow) -> Iterator[Row]:
        """Yield what `note_span` has of a note as rows of `note_nlp`, without ids."""
        if NOTE_NLP not in self.names or not self.context.has_own_findings:
            return
        note = normalize_note(row.note)
        for place in make_span_values([row]):
            values = make_finding(note, place)
            yield tuple(values.get(name) for name in self._columns_of(NOTE_NLP))

    def _number_findings(self, rows: Sequence[Row]) -> list[Row]:
        """Return rows of `note_nlp` with ids, from the permutation of those of the source.

        They are what it gives to the upper half of all numbers, of which each unit has a range.
        Raises ConfigError where that is too small.
        """
        cohort, (low, high) = self.context.tools.cohort, (self.unit.low, self.unit.high)
        first = (1 << (cohort.id_bits - 1)) + (low >> 1) + self.own_findings
        self.own_findings += len(rows)
        if self.own_findings > (high + 1 - low) // 2:
            problem = "there are more spans than ids for them"
            raise ConfigError("policy.id_bits", problem, "set id_bits = 53, or leave out spans")
        numbers = np.arange(first, first + len(rows), dtype=np.int64)
        drawn = cohort.pseudonyms(NOTE_NLP, numbers).tolist()
        return [(key, *row[1:]) for key, row in zip(drawn, rows, strict=True)]

    def _fill_finding(self, row: Row) -> Row:
        """Fill the text that OMOP requires of a finding at the source, which is not released."""
        place = self._columns_of(NOTE_NLP).index("lexical_variant")
        return (*row[:place], row[place] or _NOT_RELEASED, *row[place + 1 :])

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
        self.note_dates[row.note_id] = row.note_date
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
            if name in VISIT_TABLES and self.context.request.has_window:
                self._keep_linked(name)
            for some in chunks(sorted(self.persons), _PERSONS):
                for columns in read_rows(self.context.tools.source, name, "person_id", some):
                    self.treat(name, self._in_window(name, columns))
        if NOTE_NLP in self.context.names and self.context.has_source_findings:
            for some in chunks(sorted(self.owners), _PERSONS):
                for columns in read_rows(self.context.tools.source, NOTE_NLP, "note_id", some):
                    dated = self._date_findings(columns)
                    self.treat(NOTE_NLP, self._hold_back(NOTE_NLP, dated))

    def _date_findings(self, columns: dict[str, pa.Array]) -> dict[str, pa.Array]:
        """Date findings by their notes.

        Programs process the notes of many patients on one day: moved, that day would tell the
        shift of each.
        """
        notes = _whole_numbers(columns["note_id"])
        days = [None if note is None else self._note_date(note) for note in notes]
        dated = {"nlp_date": pa.array(days, pa.date32())}
        if "nlp_datetime" in columns:
            dated["nlp_datetime"] = pa.nulls(len(days), pa.timestamp("s"))
        return columns | dated

    def _note_date(self, note: int) -> date | None:
        try:
            return parse_date(self.note_dates.get(note))
        except Unreadable:
            return None

    def _keep_linked(self, name: str) -> None:
        """Keep of the visits that rows may refer to those in the window or referred to."""
        ids = sorted(self.windowed_visits[name] | self.linked_visits[name])
        cohort = self.context.tools.cohort
        if self.context.is_sorted:
            ids = [each for each in ids if 0 < each < 1 << cohort.id_bits]
        drawn = cohort.pseudonyms(id_kind(f"{name}_id"), np.array(ids, np.int64)).tolist()
        known = self.present.owners.get(name, {})
        self.present.owners[name] = {each: known[each] for each in drawn if each in known}

    def _in_time(self, name: str, columns: dict[str, pa.Array]) -> pa.Array:
        """Return which rows have no date after the last that is released, nor their visit."""
        request, size = self.context.request, len(next(iter(columns.values())))
        days = self._row_shifts(columns)
        late = np.zeros(size, np.bool_)
        for column in date_columns(name):
            if column in columns:
                texts = columns[column].cast(pa.string()).to_pylist()
                late |= np.fromiter(map(request.is_late, texts, days), np.bool_, size)
        if name == "visit_detail" and "visit_occurrence_id" in columns:
            gone = self.late_visits["visit_occurrence"]
            late |= [n in gone for n in _whole_numbers(columns["visit_occurrence_id"])]
        return pa.array(~late)

    def _row_shifts(self, columns: Mapping[str, pa.Array]) -> list[int]:
        """Return the date shift of each row, 0 where it has no person."""
        persons = columns.get("person_id")
        if persons is None:
            return [0] * len(next(iter(columns.values())))
        return self._shift_days(_whole_numbers(persons))

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
        inside = self._is_inside(name, columns).to_pylist()
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

    def _is_inside(self, name: str, columns: dict[str, pa.Array]) -> pa.Array:
        """Return which rows start in the window; all of a table without a date."""
        column = start_column(name)
        if column not in columns:
            return pa.array([True] * len(next(iter(columns.values()))))
        texts = columns[column].cast(pa.string()).to_pylist()
        days = self._row_shifts(columns)
        return pa.array(map(self.context.request.is_in_window, texts, days), pa.bool_())

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
            dict(self.detectors),
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
    return (
        is_kind and not is_late and request.is_in_window(row.note_date or row.note_datetime, days)
    )


def _whole_numbers(column: pa.Array | pa.ChunkedArray) -> list[int | None]:
    return [parse_integer(value) for value in column.to_pylist()]


def _ids(column: pa.Array | pa.ChunkedArray) -> list[int]:
    return [number for number in _whole_numbers(column) if number is not None]

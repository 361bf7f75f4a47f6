"""Surrogates for the columns of OMOP tables, consistent with the notes of the cohort."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from record.algorithms import ALGORITHMS
from record.columns import (
    COLUMNS,
    FACTS,
    NO_VISITS,
    TABLES,
    ColumnRule,
    ColumnType,
    Treatment,
    domains_of,
    id_kind,
)
from record.document import Document
from record.errors import ConfigError, Unsafe
from record.patient import PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates.dates.clock_order import order_minute
from surrogates.dates.clocks import keep_hour
from surrogates.keys.keys import PSEUDONYMS, CohortKey
from surrogates.patient.date_shift import (
    BACK,
    END_YEAR,
    FORWARD,
    PLACEHOLDERS,
    DateShifts,
    Precision,
    coarser,
)
from surrogates.places.generalization import truncate_zip
from surrogates.rewrite import Rewriter
from surrogates.tables import date_columns
from surrogates.tables.births import Birth, move_partial_birth, move_whole_births
from surrogates.tables.date_columns import Days, Mask, Moves

_REMEMBERED = 1 << 16
_REMEMBERED_RECORDS = 1 << 10
_SHORTEST_KNOWN = 10_000
"""Numbers below are measured values too often to be told from an identifier."""
_NOT_DIGITS = re.compile(r"[^0-9]")
# 2**62 is 1 modulo PSEUDONYMS, so that numbers are reduced in pieces of 62 bits.
_BITS = 62
_LOW = np.uint64(PSEUDONYMS)


def to_whole_numbers(column: pa.Array) -> pa.Array:
    """Convert a column to 64-bit integers; other values become empty.

    Floats and decimals without a fraction are accepted: pandas and Spark may store ids so.
    """
    kind = column.type
    if pa.types.is_int64(kind):
        return column
    if pa.types.is_integer(kind) and not pa.types.is_uint64(kind):
        return column.cast(pa.int64())
    if pa.types.is_uint64(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return pa.array([_whole(value) for value in column.to_pylist()], pa.int64())
    return pa.nulls(len(column), pa.int64())


def _whole(value: object) -> int | None:
    try:
        number = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number == value and -(2**63) <= number < 2**63 else None


class IdPseudonyms:
    """Replaces ids by the cohort's pseudonyms; the most recent are cached."""

    def __init__(self, cohort: CohortKey) -> None:
        self._cohort = cohort
        self._known: dict[str, dict[int, int]] = {}

    def rekey(self, column: pa.Array, kind: str, *, is_distinct: bool = False) -> pa.Array:
        """Return the pseudonyms of a column of 64-bit integers; empty values stay empty.

        `is_distinct` is set where values seldom recur, and disables the cache.
        """
        if is_distinct:
            present = column.is_valid()
            drawn = self._draw(kind, column.drop_null())
            if column.null_count:
                return pc.replace_with_mask(pa.nulls(len(column), pa.int64()), present, drawn)
            return drawn
        encoded = column.dictionary_encode()
        known = self._known.setdefault(kind, {})
        wanted = encoded.dictionary.to_pylist()
        missing = [number for number in wanted if number not in known]
        if missing:
            drawn = self._draw(kind, pa.array(missing, pa.int64())).to_pylist()
            fresh = dict(zip(missing, drawn, strict=True))
            found = [known[number] if number in known else fresh[number] for number in wanted]
            if len(known) + len(fresh) > _REMEMBERED:
                known.clear()
            known.update(fresh)
        else:
            found = [known[number] for number in wanted]
        return pa.array(found, pa.int64()).take(encoded.indices)

    def rekey_text(self, column: pa.Array, kind: str) -> pa.Array:
        """Return the pseudonyms of a text column in decimal digits; blank text becomes empty."""
        encoded = pc.utf8_trim_whitespace(column.cast(pa.string())).dictionary_encode()
        texts = encoded.dictionary
        drawn = to_pseudonyms(self._cohort.digests(kind, texts.cast(pa.binary()).to_pylist()))
        named = pc.if_else(pc.equal(texts, ""), None, drawn.cast(pa.string()))
        return named.cast(pa.string()).take(encoded.indices)

    def _draw(self, kind: str, numbers: pa.Array) -> pa.Array:
        if self._cohort.algorithm > ALGORITHMS[0]:
            return pa.array(self._cohort.pseudonyms(kind, numbers.to_numpy()))
        written = numbers.cast(pa.string()).cast(pa.binary()).to_pylist()
        return to_pseudonyms(self._cohort.digests(kind, written))


def to_pseudonyms(digests: bytes) -> pa.Array:
    """Convert the first 16 bytes of each digest, a big-endian number, to a pseudonym."""
    halves: NDArray[np.uint64] = np.frombuffer(digests, ">u8").reshape(-1, 4).astype(np.uint64)
    high, low = halves[:, 0], halves[:, 1]
    # high * 2**64 + low, and 2**64 is 4.
    total = (low & _LOW) + (low >> np.uint64(_BITS))
    total += ((high << np.uint64(2)) & _LOW) + (high >> np.uint64(_BITS - 2))
    total = (total & _LOW) + (total >> np.uint64(_BITS))
    total = np.where(total >= _LOW, total - _LOW, total)
    return pa.array((total + np.uint64(1)).astype(np.int64))


ValueReplacer = Callable[[str, str, str, PatientRecord | None], str]
_PERSON, _NOTE = "person_id", "note_id"
_BIRTH = ("year_of_birth", "month_of_birth", "day_of_birth")
# The number of parts of a birth date that each precision keeps.
_PARTS = {"day": 3, "month": 2, "year": 1}


@dataclass(frozen=True, slots=True)
class Subjects:
    """The persons that rows belong to, where the rows do not say it, and their records.

    `owners` maps a note's id in the source to its person's; `records` maps `person_id` as text to
    the patient's record.
    """

    owners: Mapping[int, int] = field(default_factory=dict, repr=False)
    records: Mapping[str, PatientRecord] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Treated:
    """The treated rows, and the number of refused rows by reason.

    `kept` has for each input row, in order, whether it is among the treated rows.
    """

    rows: pa.Table = field(repr=False)
    refused: Counter[str]
    kept: Mask = field(repr=False)


class CohortTables:
    """Treats tables for one cohort; `value` returns a patient's surrogate as used in the notes."""

    def __init__(
        self, cohort: CohortKey, policy: Policy, shifts: DateShifts, value: ValueReplacer
    ) -> None:
        self.policy = policy
        self.shifts = shifts
        self.value = value
        self.patient = cohort.patient
        self.id_bits = cohort.id_bits
        self.ids = IdPseudonyms(cohort)

    def check(self, table: str, names: Iterable[str]) -> None:
        """Raise ConfigError for a table or column without a treatment."""
        if table not in TABLES:
            known = ", ".join(TABLES)
            raise ConfigError(f"table {table}", "unknown table", f"use one of {known}")
        for name in names:
            if f"{table}.{name}" not in COLUMNS:
                raise ConfigError(
                    f"column {table}.{name}",
                    "unknown column, which is not released",
                    "read the table without it: select only columns of OMOP CDM 5.4",
                )

    def treat(self, table: str, batch: pa.RecordBatch | pa.Table, subjects: Subjects) -> Treated:
        """Treat rows (see `Columns.treat`)."""
        self.check(table, batch.schema.names)
        treatment = _BatchTreatment(table, batch, self, subjects)
        treated = {name: treatment.treat(name) for name in batch.schema.names}
        rows = pa.table(treated)
        if treatment.refused:
            rows = rows.filter(pa.array(treatment.kept))
        return Treated(rows, treatment.refused, treatment.kept)


class _BatchTreatment:
    """The treatment of one batch: its columns, the persons of its rows, and refused rows."""

    def __init__(
        self, table: str, batch: pa.RecordBatch | pa.Table, tables: CohortTables, subjects: Subjects
    ) -> None:
        self._table = table
        self._tables = tables
        self._subjects = subjects
        self._columns = {
            name: _decode_dictionary(batch.column(name)) for name in batch.schema.names
        }
        self._size = batch.num_rows
        self.kept = np.ones(self._size, np.bool_)
        self.refused: Counter[str] = Counter()
        self._persons = self._find_persons()
        self._moves: dict[bool, Moves] = {}
        self._births: dict[str, pa.Array] | None = None

    def treat(self, name: str) -> pa.Array:
        column, rule = self._columns[name], COLUMNS[f"{self._table}.{name}"]
        match self._tables.policy.treatment(f"{self._table}.{name}"):
            case Treatment.REKEY:
                if rule.holds is not ColumnType.ID:
                    return self._tables.ids.rekey_text(column, name)
                if name in FACTS.get(self._table, ()):
                    return self._rekey_facts(name, column)
                numbers = to_whole_numbers(column)
                if name == TABLES[self._table][0]:
                    self.refuse(numbers.is_null().to_numpy(False), "no-id")
                is_own = name == f"{self._table}_id" and name != _PERSON
                return self._tables.ids.rekey(numbers, id_kind(name), is_distinct=is_own)
            case Treatment.SHIFT:
                return self._shift(name, column, rule)
            case Treatment.KEEP:
                kept = _keep_valid(column, rule)
                return self._hide_known(kept) if rule.holds is ColumnType.NUMBER else kept
            case Treatment.GENERALIZE:
                encoded = column.cast(pa.string()).dictionary_encode()
                coarse = [
                    truncate_zip(text, self._tables.policy)
                    for text in encoded.dictionary.to_pylist()
                ]
                return pa.array(coarse, pa.string()).take(encoded.indices)
            case Treatment.REWRITE if rule.label:
                return self._rewrite(column, rule)
        # A column that is dropped: OMOP writes 0 for no concept.
        if name.endswith("_concept_id"):
            return pa.repeat(pa.scalar(0, pa.int64()), len(column))
        return pa.nulls(len(column), column.type)

    def _rekey_facts(self, name: str, column: pa.Array) -> pa.Array:
        """Replace ids of rows of several tables; refuse rows that refer to none of a patient.

        The column with their domains says which table, as `DOMAINS` has them.
        """
        domain = FACTS[self._table][name]
        known = domains_of(f"{self._table}.{domain}")
        held = self._column(domain)
        if COLUMNS[f"{self._table}.{domain}"].holds is ColumnType.CODE:
            held = to_whole_numbers(held)
        elif pa.types.is_string(held.type) or pa.types.is_large_string(held.type):
            held = held.cast(pa.string())
        else:
            held = pa.nulls(self._size, pa.string())
        numbers = to_whole_numbers(column).fill_null(0).to_numpy(False)
        is_possible = (numbers > 0) & (numbers < 1 << self._tables.id_bits)
        drawn, is_known = np.zeros(self._size, np.int64), np.zeros(self._size, np.bool_)
        for value in pc.unique(held).to_pylist():
            if value in known:
                mine = pc.fill_null(pc.equal(held, value), False).to_numpy(False)
                is_known |= mine
                mine = mine & is_possible
                kind = id_kind(f"{known[value]}_id")
                drawn[mine] = self._tables.ids.rekey(pa.array(numbers[mine]), kind).to_numpy(False)
        self.refuse(~is_known, "unknown-domain")
        self.refuse(~is_possible, "no-fact")
        return pa.array(drawn, mask=drawn == 0)

    def refuse(self, rows: Mask, reason: str) -> None:
        """Refuse rows; each is counted only under its first reason."""
        fresh = rows & self.kept
        if fresh.any():
            self.refused[reason] += int(fresh.sum())
            self.kept &= ~rows

    def _find_persons(self) -> pa.DictionaryArray | None:
        """Return the person of each row of a table with persons; refuse rows without a person."""
        if _PERSON in TABLES[self._table]:
            persons = to_whole_numbers(self._column(_PERSON))
        elif self._table == "note_nlp":
            notes = to_whole_numbers(self._column(_NOTE)).dictionary_encode()
            owned = [self._subjects.owners.get(note) for note in notes.dictionary.to_pylist()]
            persons = pa.array(owned, pa.int64()).take(notes.indices)
        else:
            return None
        self.refuse(persons.is_null().to_numpy(False), "no-person")
        return persons.dictionary_encode()

    def _column(self, name: str) -> pa.Array:
        found = self._columns.get(name)
        return pa.nulls(self._size, pa.int64()) if found is None else found

    def _hide_known(self, column: pa.Array) -> pa.Array:
        """Empty numbers that are known of the row's person: an identifier, a telephone, a birth."""
        if self._persons is None or not self._subjects.records or not len(column):
            return column
        values = column.to_pylist()
        large = [row for row, value in enumerate(values) if value and value >= _SHORTEST_KNOWN]
        if not large:
            return column
        persons = self._persons.cast(pa.int64()).cast(pa.string()).to_pylist()
        hidden = np.zeros(self._size, np.bool_)
        for row in large:
            record = self._subjects.records.get(persons[row] or "")
            if record is not None and values[row] == int(values[row]):
                hidden[row] = int(values[row]) in _known_numbers(record)
        return pc.if_else(pa.array(hidden), pa.scalar(None, column.type), column)

    def _shift(self, name: str, column: pa.Array, rule: ColumnRule) -> pa.Array:
        is_birth = self._table == "person"
        if is_birth and rule.holds is ColumnType.NUMBER:
            return self._move_births()[name]
        if is_birth:
            column = self._hide_old_births(column)
        moved = date_columns.move(
            column, self._find_moves(is_birth), is_date=rule.holds is ColumnType.DATE
        )
        self.refuse(moved.malformed, "malformed")
        self.refuse(moved.beyond, "date-out-of-range")
        return moved.values

    def _hide_old_births(self, column: pa.Array) -> pa.Array:
        """Empty birth dates where only the month or year is released, of everybody or the old."""
        policy = self._tables.policy
        if policy.drops_birth_days:
            return pa.nulls(len(column), column.type)
        if policy.old_births != "year":
            return column
        text = pc.utf8_trim_whitespace(column.cast(pa.string()))
        has_year = pc.fill_null(pc.match_substring_regex(text, r"^\d{4}"), False)
        years = pc.if_else(has_year, pc.utf8_slice_codeunits(text, 0, 4), "0").cast(pa.int64())
        is_old = pa.array(self._are_old(years.to_numpy(False)))
        return pc.if_else(pc.and_(is_old, has_year), pa.scalar(None, column.type), column)

    def _are_old(self, years: Days) -> Mask:
        """Return which years of birth may tell an age over the cap."""
        old: Mask = END_YEAR - years > self._tables.policy.age_cap
        return old

    def _find_moves(self, is_birth: bool) -> Moves:
        known = self._moves.get(is_birth)
        if known is None:
            make = self._birth_moves if is_birth else self._date_moves
            known = self._moves[is_birth] = make()
        return known

    def _date_moves(self) -> Moves:
        persons, rows = _distinct(self._persons)
        policy = self._tables.policy
        days = [self._tables.shifts.days(person) for person in persons]
        nudge = np.full(self._size, BACK if policy.shift_direction == "past" else FORWARD, np.int64)
        precision: Precision = policy.date_precision
        if policy.visits == "month" and self._table not in NO_VISITS:
            precision = coarser(precision, "month")
        return self._make_moves(_expand_to_rows(days, rows), nudge, precision)

    def _birth_moves(self) -> Moves:
        persons, rows = _distinct(self._persons)
        shifts = [self._tables.shifts.make_birth_shift(person) for person in persons]
        nudge = _expand_to_rows([shift.nudge for shift in shifts], rows)
        precision = shifts[0].precision if shifts else "day"
        days = _expand_to_rows([shift.days for shift in shifts], rows)
        return replace(self._make_moves(days, nudge, precision), are_births=True)

    def _make_moves(self, days: Days, nudge: Days, precision: Precision) -> Moves:
        times = self._tables.policy.times or "exact"
        return Moves(days, nudge, precision, times, self._order if times == "order" else None)

    def _order(self, days: Days, minutes: Days, present: Mask) -> Days:
        """Map the minutes of days to seconds in their order, for each row's patient."""
        persons, rows = _distinct(self._persons)
        keys = [self._tables.patient(person) for person in persons]
        seconds = np.zeros_like(minutes)
        for row in np.flatnonzero(present & (rows < len(keys))):
            day = date.fromordinal(int(days[row]) + date_columns.EPOCH)
            seconds[row] = order_minute(keys[rows[row]], day, int(minutes[row]))
        return seconds

    def _move_births(self) -> dict[str, pa.Array]:
        """Shift the birth columns together; parts beyond the policy's precision become empty."""
        if self._births is not None:
            return self._births
        columns = [to_whole_numbers(self._column(name)) for name in _BIRTH]
        parts = np.stack([each.fill_null(0).to_numpy(False) for each in columns], axis=1)
        empty = np.stack([each.is_null().to_numpy(False) for each in columns], axis=1)
        moves = self._find_moves(is_birth=True)
        has_year = self.kept & (parts[:, 0] != 0)
        is_whole = has_year & ~empty.any(axis=1)
        moved, is_date = move_whole_births(parts, moves)
        impossible = is_whole & ~is_date
        for row in np.flatnonzero(has_year & ~is_whole):
            person, year, month, day = (each[row].as_py() for each in (self._persons, *columns))
            shift = self._tables.shifts.make_birth_shift(str(person))
            try:
                birth = move_partial_birth(Birth(year, month, day), shift)
            except Unsafe:
                impossible[row] = True
            else:
                found = (birth.year, birth.month, birth.day)
                moved[row] = [part or 0 for part in found]
                empty[row] = [part is None for part in found]
        self.refuse(impossible, "no-date")
        empty[~has_year | impossible] = True
        empty[:, _PARTS[moves.precision] :] = True
        if self._tables.policy.old_births == "year":
            empty[self._are_old(parts[:, 0]), 1:] = True
        self._births = {
            name: pa.array(moved[:, place], mask=empty[:, place])
            for place, name in enumerate(_BIRTH)
        }
        return self._births

    def _rewrite(self, column: pa.Array, rule: ColumnRule) -> pa.Array:
        """Replace each value by its surrogate in the notes of the same patient."""
        known: dict[tuple[str, str], str | None] = {}
        made: list[str | None] = []
        refused = np.zeros(self._size, np.bool_)
        texts = column.cast(pa.string()).to_pylist()
        persons: list[str | None] = []
        if self._persons is not None:
            persons = self._persons.cast(pa.int64()).cast(pa.string()).to_pylist()
        for row, (person, text) in enumerate(zip(persons, texts, strict=True)):
            if person is None or text is None:
                made.append(None)
                continue
            if (person, text) not in known:
                known[person, text] = self._surrogate(person, text, rule.label)
            found = known[person, text]
            refused[row] = found is None
            made.append(found)
        self.refuse(refused, "no-surrogate")
        return pa.array(made, pa.string())

    def _surrogate(self, person: str, text: str, label: str) -> str | None:
        record = self._subjects.records.get(person)
        try:
            return self._tables.value(person, label, text, record)
        except Unsafe:
            return None


@lru_cache(_REMEMBERED_RECORDS)
def _known_numbers(record: PatientRecord) -> frozenset[int]:
    """Return what is known of a patient as numbers; dates of birth in the usual orders."""
    written = [each.value for each in record.identifiers] + list(record.phones)
    if record.birth_date is not None:
        written += [record.birth_date.strftime(form) for form in ("%Y%m%d", "%d%m%Y", "%m%d%Y")]
    numbers = {int(digits) for text in written if (digits := _NOT_DIGITS.sub("", text))}
    return frozenset(number for number in numbers if number >= _SHORTEST_KNOWN)


def _decode_dictionary(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column


def _distinct(persons: pa.DictionaryArray | None) -> tuple[list[str], NDArray[np.int32]]:
    """Return the persons of a table, and the index of each row's person; one more for none."""
    if persons is None:
        raise ValueError("a table with dates must have persons")
    known = persons.dictionary.cast(pa.string()).to_pylist()
    return known, persons.indices.fill_null(len(known)).to_numpy(False)


def _expand_to_rows(values: list[int], rows: NDArray[np.int32]) -> NDArray[np.int64]:
    # Rows without a person are not shifted, and are refused.
    return np.array([*values, 0], np.int64)[rows]


def _keep_valid(column: pa.Array, rule: ColumnRule) -> pa.Array:
    """Keep values that have the type of the column, and empty all others."""
    kind = column.type
    if rule.holds is ColumnType.CODE:
        return column if pa.types.is_integer(kind) else to_whole_numbers(column)
    if rule.holds is ColumnType.NUMBER:
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if is_number or pa.types.is_decimal(kind):
            return column
        return pa.array([_number(value) for value in column.to_pylist()], pa.float64())
    return column.cast(pa.string())


def _number(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None


__all__ = ["Birth", "Columns", "Subjects", "Treated", "treat"]


def treat(
    table: str,
    batch: pa.RecordBatch | pa.Table,
    cohort: CohortKey,
    policy: Policy,
    subjects: Subjects | None = None,
) -> Treated:
    """Treat one batch of an OMOP table under a cohort's key (see `Columns.treat`).

    For several batches, reuse a `Columns`, which caches ids and shifts.
    """
    return Columns(cohort, policy).treat(table, batch, subjects)


class Columns:
    """Replaces the ids, dates and values of a cohort's tables under the cohort's key."""

    def __init__(self, cohort: CohortKey, policy: Policy) -> None:
        policy = policy.under(cohort.algorithm)
        cohort = cohort.with_id_bits(policy.id_bits)
        self._cohort = cohort
        self._policy = policy
        self._rewriter = Rewriter(cohort, policy)
        self._date_shifts = DateShifts(cohort, policy)
        self._tables = CohortTables(cohort, policy, self._date_shifts, self.value)

    def check(self, table: str, names: Iterable[str]) -> None:
        """Raise ConfigError for a table or column without a treatment."""
        self._tables.check(table, names)

    def treat(
        self, table: str, batch: pa.RecordBatch | pa.Table, subjects: Subjects | None = None
    ) -> Treated:
        """Treat rows of an OMOP table, each column as defined by `Policy.treatment`.

        `batch` has raw values of the source under the lower-case names of the CDM; columns that
        it lacks are missing in the result. Ids become integers below 2**id_bits, dates and
        timestamps keep their type (also ISO 8601 text, as in SQLite), dropped concepts become 0,
        other dropped columns are empty. `note_text` and `note_title` are empty: the rewriter makes
        them. A row that cannot be treated (no person, no id, an unreadable date or one outside the
        calendar, no surrogate) is refused and counted by reason. `subjects` has what rows lack:
        the persons of the notes of `note_nlp`, and the records of patients whose values must match
        the notes.

        Raises ConfigError as `check` does, and for an id beyond `id_bits`. Equal rows give equal
        rows whatever the batch.
        """
        return self._tables.treat(table, batch, subjects or Subjects())

    def dropped(self, table: str) -> frozenset[str]:
        """Return the columns of a table that the policy drops, besides those never released."""
        return frozenset(
            column
            for column in TABLES.get(table, ())
            if COLUMNS[f"{table}.{column}"].treatment is not Treatment.DROP
            and self._policy.treatment(f"{table}.{column}") is Treatment.DROP
        )

    def pseudonym(self, kind: str, value: str) -> int:
        """Return the pseudonym of an id, as in the columns of tables; joins are preserved.

        `kind` is the kind of row (`person`, `note`, `visit`), not the column. Raises ConfigError
        for a number beyond the policy's `id_bits`.
        """
        return self._cohort.pseudonym(kind, value)

    def days(self, person_id: str) -> int:
        """Return the number of days of a patient's date shift, which is as secret as the key."""
        return self._date_shifts.days(person_id)

    def shift_date(self, person_id: str, day: date) -> date:
        """Shift a date like dates in notes. Raises Unsafe where it leaves the calendar."""
        return self._date_shifts.make_dates_shift(person_id).move(day)

    def shift_datetime(self, person_id: str, moment: datetime) -> datetime:
        """Shift a timestamp by whole days; what stays of the time of day is the policy's `times`.

        Where the policy truncates dates, it becomes midnight at the start of the month or year.
        Only exact times have a time zone.
        """
        shift = self._date_shifts.make_dates_shift(person_id)
        times = self._policy.times
        if times == "exact" and shift.precision == "day":
            if moment.date() in PLACEHOLDERS:
                return moment
            try:
                return moment + timedelta(days=shift.days)
            except OverflowError:
                raise Unsafe("date-out-of-range") from None
        day = shift.move(moment.date())
        if times == "exact":
            return datetime.combine(day, time.min, moment.tzinfo)
        midnight = datetime.combine(day, time.min)
        if times == "midnight" or shift.precision != "day":
            return midnight
        minute = 60 * moment.hour + moment.minute
        if times == "hour":
            return midnight + timedelta(minutes=keep_hour(minute))
        key = self._cohort.patient(person_id)
        return midnight + timedelta(seconds=order_minute(key, moment.date(), minute))

    def shift_birth(self, person_id: str, birth: Birth) -> Birth:
        """Shift a complete or partial birth date like a written date with the same parts.

        A month or year alone is shifted from its middle, and by at least one. Raises Unsafe where
        the parts are not a date.
        """
        return move_partial_birth(birth, self._date_shifts.make_birth_shift(person_id))

    def value(self, person_id: str, label: str, text: str, record: PatientRecord | None) -> str:
        """Return the surrogate that a value has in the patient's notes: a name, town or number.

        Raises Unsafe where there is none. An empty value stays empty.
        """
        if not text.strip():
            return text
        cell = Document(note_id="", text=text, person_id=person_id, lang=self._policy.locale)
        return self._rewriter.rewrite(cell, (Span(0, len(text), label),), record).text

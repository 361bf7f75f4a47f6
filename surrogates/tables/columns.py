"""Surrogates for the columns of tables, so that tables and notes of a cohort agree."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from record.columns import COLUMNS, TABLES, ColumnRule, ColumnType, Treatment, id_kind
from record.document import Document
from record.errors import ConfigError, Unsafe
from record.patient import PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates.dates import dates
from surrogates.keys.keys import PSEUDONYMS, CohortKey
from surrogates.patient.date_shift import FORWARD, Courses, DateShift
from surrogates.places.generalization import coarse_zip
from surrogates.rewrite import Rewriter
from surrogates.tables import (
    date_columns,
)
from surrogates.tables.date_columns import Days, Mask, Moves, move_days, to_days, to_parts


@dataclass(frozen=True, slots=True)
class Birth:
    """The birth columns of an OMOP `person`; what is not known is None."""

    year: int
    month: int | None = None
    day: int | None = None


def move_whole(parts: Days, moves: Moves) -> tuple[Days, Mask]:
    """Move whole birth dates, years, months and days of [rows, 3], each as `move` does.

    Tells for which rows there is a date, before and after.
    """
    days, is_date = to_days(parts)
    moved, beyond = move_days(days, moves)
    is_date &= ~beyond
    return to_parts(np.where(is_date, moved, 0)), is_date


def move(birth: Birth, course: DateShift) -> Birth:
    """Move a birth date, whole or partial, by the course of the patient's births.

    A month or year alone moves from its middle, and by one at least. Raises Unsafe where the
    parts make no date.
    """
    if birth.month is not None and birth.day is not None:
        try:
            born = date(birth.year, birth.month, birth.day)
        except ValueError:
            raise Unsafe("no-date") from None
        moved = course.move(born)
        return Birth(moved.year, moved.month, moved.day)
    written = f"{birth.year:04d}" + (f"-{birth.month:02d}" if birth.month else "")
    text = dates.move_text(written, course, written=None, lang="fr")
    if text is None:
        raise Unsafe("no-date")
    return Birth(*map(int, text.split("-")))


_REMEMBERED = 1 << 16
# 2**62 is 1 modulo PSEUDONYMS, so that numbers are folded in pieces of 62 bits.
_BITS = 62
_LOW = np.uint64(PSEUDONYMS)


def whole(column: pa.Array) -> pa.Array:
    """Return a column as 64-bit numbers; what is no such number becomes empty.

    Floats and decimals without a fraction count: tables made by pandas or Spark hold ids so.
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


class Ids:
    """The pseudonyms of a cohort's ids, of which the most recent are remembered."""

    def __init__(self, cohort: CohortKey) -> None:
        self._cohort = cohort
        self._known: dict[str, dict[int, int]] = {}

    def rekey(self, column: pa.Array, kind: str, *, is_distinct: bool = False) -> pa.Array:
        """Return the pseudonym of each number of a column of 64-bit ones; empty stays empty.

        `is_distinct` says that a value seldom recurs, so that none is remembered.
        """
        if is_distinct:
            present = column.is_valid()
            drawn = self._draw(kind, column.drop_null())
            if column.null_count:
                return pc.replace_with_mask(pa.nulls(len(column), pa.int64()), present, drawn)
            return drawn
        encoded = column.dictionary_encode()
        return self._remembered(kind, encoded.dictionary).take(encoded.indices)

    def rekey_text(self, column: pa.Array, kind: str) -> pa.Array:
        """Return the pseudonym of each text in decimal digits; blank text becomes empty."""
        encoded = pc.utf8_trim_whitespace(column.cast(pa.string())).dictionary_encode()
        texts = encoded.dictionary
        drawn = to_pseudonyms(self._cohort.digests(kind, texts.cast(pa.binary()).to_pylist()))
        named = pc.if_else(pc.equal(texts, ""), None, drawn.cast(pa.string()))
        return named.cast(pa.string()).take(encoded.indices)

    def _draw(self, kind: str, numbers: pa.Array) -> pa.Array:
        written = numbers.cast(pa.string()).cast(pa.binary()).to_pylist()
        return to_pseudonyms(self._cohort.digests(kind, written))

    def _remembered(self, kind: str, numbers: pa.Array) -> pa.Array:
        known = self._known.setdefault(kind, {})
        wanted = numbers.to_pylist()
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
        return pa.array(found, pa.int64())


def to_pseudonyms(digests: bytes) -> pa.Array:
    """Make a pseudonym of the first 16 bytes of each digest, a number in big-endian order."""
    halves: NDArray[np.uint64] = np.frombuffer(digests, ">u8").reshape(-1, 4).astype(np.uint64)
    high, low = halves[:, 0], halves[:, 1]
    # high * 2**64 + low, and 2**64 is 4.
    total = (low & _LOW) + (low >> np.uint64(_BITS))
    total += ((high << np.uint64(2)) & _LOW) + (high >> np.uint64(_BITS - 2))
    total = (total & _LOW) + (total >> np.uint64(_BITS))
    total = np.where(total >= _LOW, total - _LOW, total)
    return pa.array((total + np.uint64(1)).astype(np.int64))


Value = Callable[[str, str, str, PatientRecord | None], str]
_PERSON, _NOTE = "person_id", "note_id"
_BIRTH = ("year_of_birth", "month_of_birth", "day_of_birth")
# So many parts of a birth date are left.
_PARTS = {"day": 3, "month": 2, "year": 1}


@dataclass(frozen=True, slots=True)
class Subjects:
    """What rows do not tell of whom they are about.

    `owners` gives the person of a note, both by their ids in the source; `records` what is known
    of a person, by `person_id` as text.
    """

    owners: Mapping[int, int] = field(default_factory=dict, repr=False)
    records: Mapping[str, PatientRecord] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Treated:
    """Rows of the output, and how many were refused for which reason.

    `kept` tells of each row that came in whether it is among them, in the same order.
    """

    rows: pa.Table = field(repr=False)
    refused: Counter[str]
    kept: Mask = field(repr=False)


class CohortTables:
    """Treats tables for one cohort; `value` gives what a number of a patient is in the notes."""

    def __init__(self, cohort: CohortKey, policy: Policy, courses: Courses, value: Value) -> None:
        self.policy = policy
        self.courses = courses
        self.value = value
        self.ids = Ids(cohort)

    def check(self, table: str, names: Iterable[str]) -> None:
        """Raise ConfigError for a table or column that nobody said how to treat."""
        if table not in TABLES:
            known = ", ".join(TABLES)
            raise ConfigError(f"table {table}", "nobody said how to treat it", f"known: {known}")
        for name in names:
            if f"{table}.{name}" not in COLUMNS:
                raise ConfigError(
                    f"column {table}.{name}",
                    "nobody said how to treat it, so it is not released",
                    "read the table without it: select the columns of OMOP CDM 5.4 alone",
                )

    def treat(self, table: str, batch: pa.RecordBatch | pa.Table, subjects: Subjects) -> Treated:
        """Treat rows; see `Columns.treat`."""
        self.check(table, batch.schema.names)
        sheet = _Sheet(table, batch, self, subjects)
        treated = {name: sheet.treat(name) for name in batch.schema.names}
        rows = pa.table(treated)
        if sheet.refused:
            rows = rows.filter(pa.array(sheet.kept))
        return Treated(rows, sheet.refused, sheet.kept)


class _Sheet:
    """One batch under treatment: its columns, whom its rows are about, and which are refused."""

    def __init__(
        self, table: str, batch: pa.RecordBatch | pa.Table, tables: CohortTables, subjects: Subjects
    ) -> None:
        self._table = table
        self._tables = tables
        self._subjects = subjects
        self._columns = {name: _plain(batch.column(name)) for name in batch.schema.names}
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
                return self._rekey(name, column, rule)
            case Treatment.SHIFT:
                return self._shift(name, column, rule)
            case Treatment.KEEP:
                return _kept(column, rule)
            case Treatment.GENERALIZE:
                return _generalized(column, self._tables.policy)
            case Treatment.REWRITE if rule.label:
                return self._rewrite(column, rule)
        # A column that is dropped: OMOP writes 0 for no concept.
        if name.endswith("_concept_id"):
            return pa.repeat(pa.scalar(0, pa.int64()), len(column))
        return pa.nulls(len(column), column.type)

    def refuse(self, rows: Mask, reason: str) -> None:
        """Leave rows out; each counts under its first reason alone."""
        fresh = rows & self.kept
        if fresh.any():
            self.refused[reason] += int(fresh.sum())
            self.kept &= ~rows

    def _find_persons(self) -> pa.DictionaryArray | None:
        """Tell whom each row is about, where the table is about persons; nobody is refused."""
        if _PERSON in TABLES[self._table]:
            persons = whole(self._column(_PERSON))
        elif self._table == "note_nlp":
            notes = whole(self._column(_NOTE)).dictionary_encode()
            owned = [self._subjects.owners.get(note) for note in notes.dictionary.to_pylist()]
            persons = pa.array(owned, pa.int64()).take(notes.indices)
        else:
            return None
        self.refuse(persons.is_null().to_numpy(False), "no-person")
        return persons.dictionary_encode()

    def _column(self, name: str) -> pa.Array:
        found = self._columns.get(name)
        return pa.nulls(self._size, pa.int64()) if found is None else found

    def _rekey(self, name: str, column: pa.Array, rule: ColumnRule) -> pa.Array:
        if rule.holds is not ColumnType.ID:
            return self._tables.ids.rekey_text(column, name)
        numbers = whole(column)
        if name == TABLES[self._table][0]:
            self.refuse(numbers.is_null().to_numpy(False), "no-id")
        is_own = name == f"{self._table}_id" and name != _PERSON
        return self._tables.ids.rekey(numbers, id_kind(name), is_distinct=is_own)

    def _shift(self, name: str, column: pa.Array, rule: ColumnRule) -> pa.Array:
        is_birth = self._table == "person"
        if is_birth and rule.holds is ColumnType.NUMBER:
            return self._born()[name]
        moved = date_columns.move(
            column, self._course(is_birth), is_date=rule.holds is ColumnType.DATE
        )
        self.refuse(moved.malformed, "malformed")
        self.refuse(moved.beyond, "date-out-of-range")
        return moved.values

    def _course(self, is_birth: bool) -> Moves:
        known = self._moves.get(is_birth)
        if known is None:
            make = self._birth_moves if is_birth else self._date_moves
            known = self._moves[is_birth] = make()
        return known

    def _date_moves(self) -> Moves:
        persons, rows = _distinct(self._persons)
        days = [self._tables.courses.days(person) for person in persons]
        nudge = np.full(self._size, FORWARD, np.int64)
        return Moves(_spread(days, rows), nudge, self._tables.policy.date_precision)

    def _birth_moves(self) -> Moves:
        persons, rows = _distinct(self._persons)
        courses = [self._tables.courses.of_births(person) for person in persons]
        nudge = _spread([course.nudge for course in courses], rows)
        precision = courses[0].precision if courses else "day"
        return Moves(_spread([course.days for course in courses], rows), nudge, precision)

    def _born(self) -> dict[str, pa.Array]:
        """Move the birth columns together; parts that the policy cuts away become empty."""
        if self._births is not None:
            return self._births
        columns = [whole(self._column(name)) for name in _BIRTH]
        parts = np.stack([each.fill_null(0).to_numpy(False) for each in columns], axis=1)
        empty = np.stack([each.is_null().to_numpy(False) for each in columns], axis=1)
        moves = self._course(is_birth=True)
        is_told = self.kept & (parts[:, 0] != 0)
        is_whole = is_told & ~empty.any(axis=1)
        moved, is_date = move_whole(parts, moves)
        impossible = is_whole & ~is_date
        for row in np.flatnonzero(is_told & ~is_whole):
            person, year, month, day = (each[row].as_py() for each in (self._persons, *columns))
            course = self._tables.courses.of_births(str(person))
            try:
                birth = move(Birth(year, month, day), course)
            except Unsafe:
                impossible[row] = True
            else:
                found = (birth.year, birth.month, birth.day)
                moved[row] = [part or 0 for part in found]
                empty[row] = [part is None for part in found]
        self.refuse(impossible, "no-date")
        empty[~is_told | impossible] = True
        empty[:, _PARTS[moves.precision] :] = True
        self._births = {
            name: pa.array(moved[:, place], mask=empty[:, place])
            for place, name in enumerate(_BIRTH)
        }
        return self._births

    def _rewrite(self, column: pa.Array, rule: ColumnRule) -> pa.Array:
        """Map each number to the surrogate that it has in the notes of its patient."""
        known: dict[tuple[str, str], str | None] = {}
        made: list[str | None] = []
        refused = np.zeros(self._size, np.bool_)
        texts = column.cast(pa.string()).to_pylist()
        for row, (person, text) in enumerate(zip(_texts(self._persons), texts, strict=True)):
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


def _plain(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column


def _distinct(persons: pa.DictionaryArray | None) -> tuple[list[str], NDArray[np.int32]]:
    """Return the persons of a table, and which of them each row is about; one more for nobody."""
    if persons is None:
        raise ValueError("dates of a table that is about nobody")
    known = persons.dictionary.cast(pa.string()).to_pylist()
    return known, persons.indices.fill_null(len(known)).to_numpy(False)


def _spread(values: list[int], rows: NDArray[np.int32]) -> NDArray[np.int64]:
    # Rows of nobody do not move, and are refused.
    return np.array([*values, 0], np.int64)[rows]


def _texts(persons: pa.DictionaryArray | None) -> list[str | None]:
    return [] if persons is None else persons.cast(pa.int64()).cast(pa.string()).to_pylist()


def _kept(column: pa.Array, rule: ColumnRule) -> pa.Array:
    """Keep what is of the form that the column is meant for, and nothing else."""
    kind = column.type
    if rule.holds is ColumnType.CODE:
        return column if pa.types.is_integer(kind) else whole(column)
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


def _generalized(column: pa.Array, policy: Policy) -> pa.Array:
    encoded = column.cast(pa.string()).dictionary_encode()
    coarse = [coarse_zip(text, policy) for text in encoded.dictionary.to_pylist()]
    return pa.array(coarse, pa.string()).take(encoded.indices)


__all__ = ["Birth", "Columns", "Subjects", "Treated", "treat"]


def treat(
    table: str,
    batch: pa.RecordBatch | pa.Table,
    cohort: CohortKey,
    policy: Policy,
    subjects: Subjects | None = None,
) -> Treated:
    """Treat rows of an OMOP table under a cohort's key, once: see `Columns.treat`.

    For more than one batch make `Columns` and keep it: it remembers ids and shifts.
    """
    return Columns(cohort, policy).treat(table, batch, subjects)


class Columns:
    """Return the ids, dates and values of a cohort's tables under the cohort's key."""

    def __init__(self, cohort: CohortKey, policy: Policy) -> None:
        self._cohort = cohort
        self._policy = policy
        self._rewriter = Rewriter(cohort, policy)
        self._courses = Courses(cohort, policy)
        self._tables = CohortTables(cohort, policy, self._courses, self.value)

    def check(self, table: str, names: Iterable[str]) -> None:
        """Raise ConfigError for a table or column that nobody said how to treat: at the start."""
        self._tables.check(table, names)

    def treat(
        self, table: str, batch: pa.RecordBatch | pa.Table, subjects: Subjects | None = None
    ) -> Treated:
        """Treat rows of an OMOP table: each column as `Policy.treatment` says.

        `batch` holds raw values of the source under the lower-case names of the CDM; columns
        that are not there are not in the result either. Ids come out as 64-bit numbers, dates and
        moments in the type they came in (also text in ISO 8601, as SQLite has it), dropped
        concepts as 0, any other dropped column empty. `note_text` and `note_title` come out
        empty: the rewriter makes them. A row that cannot be treated (no person, no id, a date
        that nobody can read or beyond the calendar, no surrogate) is left out and counted under
        its reason. `subjects` tells what the rows do not: whose notes those of `note_nlp` are,
        and what is known of patients where numbers become those of the notes.

        Raises ConfigError as `check` does. Equal rows give equal rows whatever the batch.
        """
        return self._tables.treat(table, batch, subjects or Subjects())

    def dropped(self, table: str) -> frozenset[str]:
        """Name the columns of a table that the policy leaves out, beside those never written."""
        return frozenset(
            column
            for column in TABLES.get(table, ())
            if COLUMNS[f"{table}.{column}"].treatment is not Treatment.DROP
            and self._policy.treatment(f"{table}.{column}") is Treatment.DROP
        )

    def pseudonym(self, kind: str, value: str) -> int:
        """Return the id of a row or person; equal kinds and values keep their joins.

        In [1, 2**62). `kind` names what is counted (`person`, `note`, `visit`), not the column.
        """
        return self._cohort.pseudonym(kind, value)

    def days(self, person_id: str) -> int:
        """Return by how many days everything of a patient moves; as secret as the key."""
        return self._courses.days(person_id)

    def shift_date(self, person_id: str, day: date) -> date:
        """Move a date, as one in the text is moved. Raises Unsafe where the calendar ends."""
        return self._courses.of_dates(person_id).move(day)

    def shift_datetime(self, person_id: str, moment: datetime) -> datetime:
        """Move a moment by whole days: the time of day and the zone stay as they are.

        Where the policy cuts dates down, it is the midnight at which the month or year begins.
        """
        course = self._courses.of_dates(person_id)
        if course.precision != "day":
            return datetime.combine(course.move(moment.date()), time.min, moment.tzinfo)
        try:
            return moment + timedelta(days=course.days)
        except OverflowError:
            raise Unsafe("date-out-of-range") from None

    def shift_birth(self, person_id: str, birth: Birth) -> Birth:
        """Move a birth date, whole or partial, as a written date of the same parts is moved.

        A month or year alone moves from its middle, and by one at least. Raises Unsafe where
        the parts make no date.
        """
        return move(birth, self._courses.of_births(person_id))

    def value(self, person_id: str, label: str, text: str, record: PatientRecord | None) -> str:
        """Return the surrogate that a value has in the patient's notes: a name, town or number.

        Raises Unsafe where there is none. An empty value stays empty.
        """
        if not text.strip():
            return text
        cell = Document(note_id="", text=text, person_id=person_id, lang=self._policy.locale)
        return self._rewriter.rewrite(cell, (Span(0, len(text), label),), record).text

"""Surrogates for the columns of tables, so that tables and notes of a cohort agree."""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

import pyarrow as pa

from record.columns import COLUMNS, TABLES, Treatment
from record.document import Document
from record.errors import Unsafe
from record.patient import PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import CohortKey
from surrogates.patient.date_shift import Courses
from surrogates.rewrite import Rewriter
from surrogates.tables import birth_dates
from surrogates.tables.birth_dates import Birth
from surrogates.tables.tables import CohortTables, Subjects, Treated

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
        return birth_dates.move(birth, self._courses.of_births(person_id))

    def value(self, person_id: str, label: str, text: str, record: PatientRecord | None) -> str:
        """Return the surrogate that a value has in the patient's notes: a name, town or number.

        Raises Unsafe where there is none. An empty value stays empty.
        """
        if not text.strip():
            return text
        cell = Document(note_id="", text=text, person_id=person_id, lang=self._policy.locale)
        return self._rewriter.rewrite(cell, (Span(0, len(text), label),), record).text

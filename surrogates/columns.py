"""Surrogates for the columns of tables, so that tables and notes of a cohort agree."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from record.columns import Treatment
from record.document import Document
from record.errors import Unsafe
from record.patient import PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates import dates
from surrogates.date_course import Course, of_births, of_dates, shift_days
from surrogates.keys import CohortKey
from surrogates.rewrite import Rewriter


@dataclass(frozen=True, slots=True)
class Birth:
    """The birth columns of an OMOP `person`; what is not known is None."""

    year: int
    month: int | None = None
    day: int | None = None


class Columns:
    """Gives the ids, dates and values of a cohort's tables under the cohort's key."""

    def __init__(self, cohort: CohortKey, policy: Policy) -> None:
        self._cohort = cohort
        self._policy = policy
        self._rewriter = Rewriter(cohort, policy)

    def dropped(self, table: str) -> frozenset[str]:
        """Name the columns of a table that the policy leaves out, beside those never written."""
        names = (name.partition(".") for name in self._policy.columns)
        return frozenset(
            column
            for owner, _, column in names
            if owner == table and self._policy.treatment(f"{table}.{column}") is Treatment.DROP
        )

    def pseudonym(self, kind: str, value: str) -> int:
        """Give the id of a row or person; equal kinds and values keep their joins.

        In [1, 2**62). `kind` names what is counted (`person`, `note`, `visit`), not the column.
        """
        return self._cohort.pseudonym(kind, value)

    def days(self, person_id: str) -> int:
        """Tell by how many days everything of a patient moves; as secret as the key."""
        return shift_days(self._cohort.patient(person_id), self._policy)

    def shift_date(self, person_id: str, day: date) -> date:
        """Move a date, as one in the text is moved. Raises Unsafe where the calendar ends."""
        return self._of_dates(person_id).move(day)

    def shift_datetime(self, person_id: str, moment: datetime) -> datetime:
        """Move a moment by whole days: the time of day and the zone stay as they are.

        Where the policy cuts dates down, it is the midnight at which the month or year begins.
        """
        course = self._of_dates(person_id)
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
        if birth.month is not None and birth.day is not None:
            try:
                born = date(birth.year, birth.month, birth.day)
            except ValueError:
                raise Unsafe("no-date") from None
            moved = self._of_births(person_id).move(born)
            return Birth(moved.year, moved.month, moved.day)
        written = f"{birth.year:04d}" + (f"-{birth.month:02d}" if birth.month else "")
        text = dates.move_text(written, self._of_births(person_id), written=None, lang="fr")
        if text is None:
            raise Unsafe("no-date")
        return Birth(*map(int, text.split("-")))

    def _of_dates(self, person_id: str) -> Course:
        key = self._cohort.patient(person_id)
        return of_dates(key, self._policy, shift_days(key, self._policy))

    def _of_births(self, person_id: str) -> Course:
        key = self._cohort.patient(person_id)
        return of_births(key, self._policy, shift_days(key, self._policy))

    def value(self, person_id: str, label: str, text: str, record: PatientRecord | None) -> str:
        """Give the surrogate that a value has in the patient's notes: a name, town or number.

        Raises Unsafe where there is none. An empty value stays empty.
        """
        if not text.strip():
            return text
        cell = Document(note_id="", text=text, person_id=person_id, lang=self._policy.locale)
        return self._rewriter.rewrite(cell, (Span(0, len(text), label),), record).text

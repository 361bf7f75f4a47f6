"""Surrogates for the columns of tables, so that tables and notes of a cohort agree."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from record.document import Document
from record.errors import Unsafe
from record.patient import PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates import dates
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

    def pseudonym(self, kind: str, value: str) -> int:
        """Give the id of a row or person; equal kinds and values keep their joins.

        In [1, 2**62). `kind` names what is counted (`person`, `note`, `visit`), not the column.
        """
        return self._cohort.pseudonym(kind, value)

    def days(self, person_id: str) -> int:
        """Tell by how many days everything of a patient moves; as secret as the key."""
        return dates.shift_days(self._cohort.patient(person_id), self._policy)

    def shift_date(self, person_id: str, day: date) -> date:
        """Move a date. Raises Unsafe where the calendar ends."""
        return dates.shift(day, self.days(person_id))

    def shift_datetime(self, person_id: str, moment: datetime) -> datetime:
        """Move a moment by whole days: the time of day and the zone stay as they are."""
        try:
            return moment + timedelta(days=self.days(person_id))
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
            moved = self.shift_date(person_id, born)
            return Birth(moved.year, moved.month, moved.day)
        written = f"{birth.year:04d}" + (f"-{birth.month:02d}" if birth.month else "")
        text = dates.shift_text(written, days=self.days(person_id), written=None, lang="fr")
        if text is None:
            raise Unsafe("no-date")
        return Birth(*map(int, text.split("-")))

    def value(self, person_id: str, label: str, text: str, record: PatientRecord | None) -> str:
        """Give the surrogate that a value has in the patient's notes: a name, town or number.

        Raises Unsafe where there is none. An empty value stays empty.
        """
        if not text.strip():
            return text
        cell = Document(note_id="", text=text, person_id=person_id, lang=self._policy.locale)
        return self._rewriter.rewrite(cell, (Span(0, len(text), label),), record).text

"""The shift and precision of a patient's dates under the policy."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, TypeVar

from record.errors import Unsafe
from record.policy import Policy
from surrogates.keys.keys import CohortKey, PatientKey

_T = TypeVar("_T")
Precision = Literal["day", "month", "year"]
_WEEK = 7
# A month has at least the days of February.
_SHORTEST_MONTH = 28
_MONTHS = {"day": 0, "month": 1, "year": 12}
_REMEMBERED = 1 << 16
FORWARD = 1
"""The nudge of truncated dates other than births, so that none precedes a birth."""


@dataclass(frozen=True, slots=True)
class DateShift:
    """How the dates of one kind of one patient are shifted.

    They move by `days`, never 0, and are then truncated to the first day of their month or year.
    A year alone or a truncated date that would be unchanged moves by one further unit, in the
    direction of `nudge` (1 or -1); smaller parts of a date follow the days. With `weekly`, a
    weekday alone is unchanged.
    """

    days: int
    nudge: int
    precision: Precision = "day"
    weekly: bool = False

    def move(self, day: date) -> date:
        """Shift a day. Raises Unsafe where the result is outside the calendar."""
        try:
            moved = self.cut(day + timedelta(days=self.days))
            return moved if moved != day else self.cut(self.nudge_day(moved))
        except (OverflowError, ValueError):
            raise Unsafe("date-out-of-range") from None

    def cut(self, day: date) -> date:
        """Truncate a day to the first of its month or year, as the precision requires."""
        if self.precision == "day":
            return day
        return day.replace(day=1, month=1 if self.precision == "year" else day.month)

    def nudge_day(self, day: date) -> date:
        """Move a day by one unit of the precision, in the direction of the nudge."""
        if self.precision == "day":
            return day + timedelta(days=self.nudge)
        return add_months(day, _MONTHS[self.precision] * self.nudge)


class DateShifts:
    """The date shifts of a cohort's patients; the most recent are cached."""

    def __init__(self, cohort: CohortKey, policy: Policy) -> None:
        self._cohort = cohort
        self._policy = policy.under(cohort.algorithm)
        self._days: dict[str, int] = {}
        self._dates: dict[str, DateShift] = {}
        self._births: dict[str, DateShift] = {}

    def days(self, person_id: str) -> int:
        """Return the number of days by which a patient's dates are shifted."""
        days = self._days.get(person_id)
        if days is None:
            days = shift_days(self._cohort.patient(person_id), self._policy)
            _remember(self._days, person_id, days)
        return days

    def make_dates_shift(self, person_id: str) -> DateShift:
        """Return the shift of all dates of a patient except the birth date."""
        shift = self._dates.get(person_id)
        if shift is None:
            key = self._cohort.patient(person_id)
            shift = make_dates_shift(key, self._policy, self.days(person_id))
            _remember(self._dates, person_id, shift)
        return shift

    def make_birth_shift(self, person_id: str) -> DateShift:
        """Return the shift of a patient's birth date."""
        shift = self._births.get(person_id)
        if shift is None:
            key = self._cohort.patient(person_id)
            shift = make_birth_shift(key, self._policy, self.days(person_id))
            _remember(self._births, person_id, shift)
        return shift


def _remember(known: dict[str, _T], person_id: str, found: _T) -> None:
    if len(known) >= _REMEMBERED:
        known.clear()
    known[person_id] = found


def shift_days(key: PatientKey, policy: Policy) -> int:
    """Draw the number of days of a patient's shift: never 0, within the policy's bounds.

    With `keep_weekday` it is a whole number of weeks.
    """
    least, most, unit = policy.min_shift_days, policy.max_shift_days, 1
    if policy.keep_weekday:
        least, most, unit = -(-least // _WEEK), most // _WEEK, _WEEK
    days = unit * (least + key.number("shift", "size", most - least + 1))
    return days if key.number("shift", "sign", 2) else -days


def make_dates_shift(key: PatientKey, policy: Policy, days: int) -> DateShift:
    """Return the shift of all dates except birth dates.

    The nudge is drawn independently of the shift, so that a year alone does not reveal its sign.
    Truncated dates are nudged forward, so that none precedes a birth.
    """
    is_cut = policy.date_precision != "day"
    nudge = FORWARD if is_cut or key.number("shift", "nudge", 2) else -1
    return DateShift(days, nudge, policy.date_precision, policy.keep_weekday)


def make_birth_shift(key: PatientKey, policy: Policy, days: int) -> DateShift:
    """Return the shift of the patient's birth date.

    A plain shift keeps ages exact. A truncated or jittered birth date is earlier, so that nothing
    precedes it: by less than a month, a year, or the months of the jitter.
    """
    choice = policy.birth_dates
    if choice == "month" or choice == "year":
        return DateShift(days, -1, choice, policy.keep_weekday)
    sign = 1 if days > 0 else -1
    if choice == "jitter":
        back = key.number("shift", "birth", _SHORTEST_MONTH * policy.birth_jitter_months)
        return DateShift(days - back or -1, sign)
    nudge = sign if policy.date_precision == "day" else -1
    return DateShift(days, nudge, policy.date_precision, policy.keep_weekday)


def add_months(day: date, months: int) -> date:
    """Add months to a day; the 29th to 31st become the 28th."""
    month = day.year * 12 + day.month - 1 + months
    return date(month // 12, month % 12 + 1, min(day.day, 28))

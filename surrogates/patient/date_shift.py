"""The shift and precision of a patient's dates under the policy."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, TypeVar

from record.errors import Unsafe
from record.policy import Policy
from surrogates.keys.keys import CohortKey, PatientKey

_T = TypeVar("_T")
Precision = Literal["day", "month", "year"]
_PRECISIONS: tuple[Precision, ...] = ("day", "month", "year")
_WEEK = 7
# A month has at least the days of February.
_SHORTEST_MONTH = 28
_MONTHS = {"day": 0, "month": 1, "year": 12}
_REMEMBERED = 1 << 16
FORWARD, BACK = 1, -1
"""The nudges: forward for truncated dates other than births that may move both ways, so that none
precedes a birth; back for all dates that move into the past."""
_NEAR_SEASON = 10
"""Days by which a shift that keeps the season is at most off whole years."""
END_YEAR = 2035
"""The year at whose end ages count in tables, whose rows have no date of their own."""
_FIRST_VERSION = 2
PLACEHOLDERS = frozenset(
    date.fromisoformat(day)
    for day in (
        "0001-01-01 1111-11-11 1582-10-15 1753-01-01 1800-01-01 1840-12-31 1841-01-01 1858-11-17 "
        "1899-12-30 1899-12-31 1900-01-01 1900-01-02 1901-01-01 1904-01-01 1970-01-01 2049-12-31 "
        "2050-12-31 2079-06-06 2099-01-01 2099-12-31 2100-01-01 2100-12-31 2199-12-31 2222-02-22 "
        "2299-12-31 2500-01-01 2999-12-31 3000-01-01 3000-12-31 8888-08-08 9998-12-31 9999-01-01 "
        "9999-12-30 9999-12-31"
    ).split()
)
"""Days that systems write where no day is known: the first and last of their calendars.

They are the same for all patients, and never move: moved, each would tell the shift of its
patient.
"""


@dataclass(frozen=True, slots=True)
class DateShift:
    """How the dates of one kind of one patient are shifted.

    They move by `days`, never 0, and are then truncated to the first day of their month or year.
    A year alone or a truncated date that would be unchanged moves by one further unit, in the
    direction of `nudge` (1 or -1); smaller parts of a date follow the days. With `weekly`, a
    weekday alone is unchanged, with `seasonal` a month or season alone.
    With `is_birth` a partial date moves from its first day in place of its middle, so that nothing
    else precedes it, and years of two digits are not after the note. With `drops_parts` the parts
    of a date below the precision are not written. With `repeats_month` a day that takes its month
    from the date before it is written with its own, where it moves into another one. With
    `reads_ahead` a day and month without a year is that of the year nearest to the note, or of its
    weekday; else of the last one that has it, but for a month ahead.
    """

    days: int
    nudge: int
    precision: Precision = "day"
    weekly: bool = False
    seasonal: bool = False
    is_birth: bool = False
    drops_parts: bool = False
    repeats_month: bool = False
    reads_ahead: bool = False

    def move(self, day: date) -> date:
        """Shift a day, or keep a placeholder. Raises Unsafe where it leaves the calendar.

        A birth is none: a person born on such a day would keep it.
        """
        if day in PLACEHOLDERS and not self.is_birth:
            return day
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

    With `keep_weekday` it is a whole number of weeks, with `keep_season` whole years and at most
    10 days more or less.
    """
    policy = policy.under(key.algorithm)
    least, most, unit = policy.min_shift_days, policy.max_shift_days, 1
    if policy.keep_weekday:
        least, most, unit = -(-least // _WEEK), most // _WEEK, _WEEK
    if policy.keep_season:
        days = _draw_years(key, policy)
    else:
        days = unit * (least + key.number("shift", "size", most - least + 1))
    if policy.shift_direction == "past":
        return -days
    return days if key.number("shift", "sign", 2) else -days


def _draw_years(key: PatientKey, policy: Policy) -> int:
    """Draw whole years in days, the nearest to 365.2425 each, and some days more or less."""
    least, most = policy.shift_years
    years = least + key.number("shift", "years", most - least + 1)
    near = key.number("shift", "season", 2 * _NEAR_SEASON + 1) - _NEAR_SEASON
    return 365 * years + (97 * years + 200) // 400 + near


def make_dates_shift(key: PatientKey, policy: Policy, days: int) -> DateShift:
    """Return the shift of all dates except birth dates.

    Into the past, nothing moves forward. In both directions the nudge is drawn independently of
    the shift, so that a year alone does not reveal its sign, and truncated dates are nudged
    forward, so that none precedes a birth.
    """
    policy = policy.under(key.algorithm)
    if policy.shift_direction == "past":
        nudge = BACK
    else:
        is_cut = policy.date_precision != "day"
        nudge = FORWARD if is_cut or key.number("shift", "nudge", 2) else BACK
    return DateShift(
        days,
        nudge,
        policy.date_precision,
        policy.keep_weekday,
        seasonal=policy.keep_season,
        repeats_month=policy.algorithm != _FIRST_VERSION,
        reads_ahead=policy.algorithm != _FIRST_VERSION,
    )


def make_birth_shift(key: PatientKey, policy: Policy, days: int) -> DateShift:
    """Return the shift of the patient's birth date.

    A plain shift keeps ages exact. A truncated or jittered birth date is earlier, so that nothing
    precedes it: by less than a month, a year, or the months of the jitter.
    """
    policy = policy.under(key.algorithm)
    if policy.algorithm != _FIRST_VERSION:
        return _make_released_birth_shift(key, policy, days)
    choice = policy.birth_dates
    if choice == "month" or choice == "year":
        return DateShift(days, BACK, choice, policy.keep_weekday)
    sign = 1 if days > 0 else -1
    if choice == "jitter":
        return DateShift(_jitter(key, policy, days), sign)
    nudge = sign if policy.date_precision == "day" else BACK
    return DateShift(days, nudge, policy.date_precision, policy.keep_weekday)


def _make_released_birth_shift(key: PatientKey, policy: Policy, days: int) -> DateShift:
    """Return the shift of a birth date that precedes all other dates, whatever is truncated.

    It is never more exact than the other dates. Its day is not written where only the month stays,
    nor its month where only the year does.
    """
    choice = policy.birth_dates
    precision: Precision = choice if choice == "month" or choice == "year" else "day"
    if choice == "jitter":
        days = _jitter(key, policy, days)
    return DateShift(
        days,
        BACK,
        coarser(policy.date_precision, precision),
        policy.keep_weekday,
        is_birth=True,
        drops_parts=precision != "day",
    )


def _jitter(key: PatientKey, policy: Policy, days: int) -> int:
    back = key.number("shift", "birth", _SHORTEST_MONTH * policy.birth_jitter_months)
    return days - back or -1


def coarser(one: Precision, other: Precision) -> Precision:
    """Return the coarser of two precisions."""
    return max(one, other, key=_PRECISIONS.index)


def full_age(born: date, day: date) -> int:
    """Return the age in full years on a day."""
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def add_months(day: date, months: int) -> date:
    """Add months to a day; the 29th to 31st become the 28th."""
    month = day.year * 12 + day.month - 1 + months
    return date(month // 12, month % 12 + 1, min(day.day, 28))

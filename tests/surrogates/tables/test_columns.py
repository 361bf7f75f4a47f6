"""Tables and notes of a cohort agree."""

from collections.abc import Callable
from dataclasses import replace as replace_settings
from datetime import UTC, date, datetime, time, timedelta, timezone
from operator import eq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.errors import Unsafe
from record.patient import PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import CohortKey, MasterKey
from surrogates.patient.patient import Subject
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Birth, Columns
from tests.surrogates.conftest import Replace


@pytest.fixture(scope="module")
def columns(cohort: CohortKey) -> Columns:
    return Columns(cohort, Policy())


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.text(min_size=1, max_size=4))
def test_dates_of_tables_and_notes_move_alike(
    cohort: CohortKey, columns: Columns, day: date, person: str
) -> None:
    text = f"{day:%d/%m/%Y}"
    document = Document("n1", text, person, "fr")
    note = Rewriter(cohort, Policy()).rewrite(document, (Span(0, len(text), "DATE"),), None)
    assert note.text == f"{columns.shift_date(person, day):%d/%m/%Y}"


WHOLE = Policy(birth_dates="shift", old_births="shift", times="exact")
OPTIONS = (
    WHOLE,
    replace_settings(WHOLE, keep_weekday=True),
    replace_settings(WHOLE, date_precision="month"),
    replace_settings(WHOLE, birth_dates="jitter"),
)


@pytest.mark.parametrize("policy", OPTIONS, ids=lambda policy: policy.policy_id)
@given(day=st.dates(date(1930, 1, 1), date(2020, 1, 1)), person=st.text(min_size=1, max_size=4))
def test_tables_and_notes_agree_whatever_the_policy_says_of_dates(
    cohort: CohortKey, policy: Policy, day: date, person: str
) -> None:
    columns, text = Columns(cohort, policy), f"{day:%d/%m/%Y}"
    document = Document("n1", text, person, "fr")
    for label in ("DATE", "BIRTH_DATE"):
        span = Span(0, len(text), label)
        note = Rewriter(cohort, policy).rewrite(document, (span,), None).text
        if label == "DATE":
            moved = columns.shift_date(person, day)
            at = columns.shift_datetime(person, datetime(day.year, day.month, day.day, 9, 30))
            assert at.date() == moved
            assert at.time() == (time(9, 30) if policy.date_precision == "day" else time.min)
        else:
            birth = columns.shift_birth(person, Birth(day.year, day.month, day.day))
            moved = date(birth.year, birth.month or 1, birth.day or 1)
        assert note == f"{moved:%d/%m/%Y}"


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)))
def test_an_exact_time_of_day_stays(cohort: CohortKey, moment: datetime) -> None:
    columns = Columns(cohort, Policy(times="exact"))
    moved = columns.shift_datetime("42", moment)
    assert moved.time() == moment.time()
    assert moved.date() == columns.shift_date("42", moment.date())
    zoned = columns.shift_datetime("42", moment.replace(tzinfo=timezone(timedelta(hours=2))))
    assert zoned.replace(tzinfo=None) == moved
    assert zoned.utcoffset() == timedelta(hours=2)


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)))
def test_other_times_of_day_have_no_zone(cohort: CohortKey, moment: datetime) -> None:
    aware = moment.replace(tzinfo=timezone(timedelta(hours=2)))
    kept = {"midnight": time.min, "hour": time(moment.hour)}
    for times in ("midnight", "hour", "order"):
        columns = Columns(cohort, Policy(times=times))
        moved = columns.shift_datetime("42", aware)
        assert moved == columns.shift_datetime("42", moment)
        assert moved.date() == columns.shift_date("42", moment.date())
        assert moved.time() == kept.get(times, moved.time())
        cut = Columns(cohort, Policy(times=times, date_precision="month"))
        assert cut.shift_datetime("42", aware).time() == time.min


@given(st.dates(date(1900, 1, 1), date(2030, 1, 1)))
def test_births_move_by_their_known_parts(cohort: CohortKey, born: date) -> None:
    columns = Columns(cohort, Policy(birth_dates="shift"))
    moved = born + timedelta(days=columns.days("42"))
    whole = columns.shift_birth("42", Birth(born.year, born.month, born.day))
    assert whole == Birth(moved.year, moved.month, moved.day)
    assert columns.shift_birth("42", Birth(born.year, born.month)).day is None
    assert columns.shift_birth("42", Birth(born.year, born.month)) != Birth(born.year, born.month)
    assert abs(columns.shift_birth("42", Birth(born.year)).year - born.year) == 1


def test_an_impossible_birth_is_refused(columns: Columns) -> None:
    with pytest.raises(Unsafe):
        columns.shift_birth("42", Birth(2024, 13, 1))


def test_the_calendar_ends(columns: Columns) -> None:
    day = timedelta(days=3)
    end = datetime.max.replace(tzinfo=UTC) - day if columns.days("42") > 0 else datetime.min + day
    with pytest.raises(Unsafe):
        columns.shift_datetime("42", end)


def test_ids_keep_joins_within_a_cohort_only(master: MasterKey) -> None:
    one, two = (Columns(master.cohort(name), Policy()) for name in ("one", "two"))
    numbers = range(1, 2001)
    ids = [one.pseudonym("person", str(number)) for number in numbers]
    assert len(set(ids)) == 2000
    assert ids == [one.pseudonym("person", str(number)) for number in numbers]
    for other, kind in ((two, "person"), (one, "visit")):
        others = [other.pseudonym(kind, str(number)) for number in numbers]
        assert sum(map(eq, ids, others)) <= 1


def test_values_are_those_of_the_notes(
    cohort: CohortKey,
    columns: Columns,
    record: PatientRecord,
    replace: Replace,
    subject_of: Callable[..., Subject],
) -> None:
    subject = subject_of(record=record)
    for label, text in (("PATIENT_ID", "8012345678"), ("LAST_NAME", "DUPONT"), ("CITY", "Lyon")):
        assert columns.value("42", label, text, record) == replace(text, label, subject=subject)
    assert columns.value("42", "CITY", " ", record) == " "
    with pytest.raises(Unsafe):
        columns.value("42", "UNHEARD_OF", "x", record)

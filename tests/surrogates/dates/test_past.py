"""Shifts into the past: no date, of text or columns, is later than the original."""

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from record.policy import Policy
from surrogates.dates import dates, parsing
from surrogates.dates.dates import complete_dates
from surrogates.keys.keys import CohortKey
from surrogates.patient.date_shift import PLACEHOLDERS
from surrogates.patient.patient import Mention, Subject
from surrogates.tables.columns import Birth, Columns

WRITTEN = date(2024, 5, 20)
POLICIES = (
    Policy(),
    Policy(min_shift_days=1, max_shift_days=1),
    Policy(min_shift_days=1, max_shift_days=20, date_precision="month"),
    Policy(date_precision="year", birth_dates="jitter"),
    Policy(keep_weekday=True, times="order"),
    Policy(keep_season=True, max_shift_days=800),
    Policy(birth_dates="year", min_shift_days=700, max_shift_days=1000, times="exact"),
)
DAYS = st.dates(date(1890, 1, 1), date(2034, 12, 31)).filter(lambda day: day not in PLACEHOLDERS)
# Forms from whose text the year, or the year and month, can be read again.
FORMS = ("%d/%m/%Y", "%Y-%m-%d", "%m/%Y", "%Y", "%d-%m-%Y")
SEASONS = ("hiver", "printemps", "été", "automne")


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.policy_id)
@settings(max_examples=40)
@given(day=DAYS, at=st.times(), form=st.sampled_from(FORMS))
def test_nothing_moves_forward(
    cohort: CohortKey, policy: Policy, day: date, at: time, form: str
) -> None:
    columns = Columns(cohort, policy)
    for person in map(str, range(5)):
        key = cohort.patient(person)
        subject = Subject(key, policy, None, days=dates.shift_days(key, policy))
        assert subject.days < 0
        moved = columns.shift_date(person, day)
        assert moved < day
        moment = datetime.combine(day, at)
        assert columns.shift_datetime(person, moment) < moment
        birth = columns.shift_birth(person, Birth(day.year, day.month, day.day))
        assert date(birth.year, birth.month or 1, birth.day or 1) <= moved
        for label in ("DATE", "BIRTH_DATE"):
            text = day.strftime(form)
            mention = Mention(text, label, lang="fr", written=WRITTEN)
            assert _first(dates.replace(mention, subject)) <= _first(text)
            assert dates.replace(mention, subject) != text


def _first(text: str) -> tuple[int, ...]:
    """Return what a text says of a date, the year first."""
    numbers = text.replace("-", "/").split("/")
    return tuple(map(int, numbers if len(numbers[0]) == 4 else reversed(numbers)))


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.policy_id)
@pytest.mark.parametrize(
    "text",
    [
        *("été 2019", "hiver 2020", "1er trimestre 2021", "T3 2021", "2e semestre 2022"),
        *("mars 2024", "2019-2021", "entre 1999 et 2003", "du 10 au 12/08/1995"),
    ],
)
def test_no_part_of_a_year_moves_forward(cohort: CohortKey, policy: Policy, text: str) -> None:
    before = complete_dates(_read(text), WRITTEN)
    assert before
    for person in range(25):
        key = cohort.patient(str(person))
        subject = Subject(key, policy, None, days=dates.shift_days(key, policy))
        moved = dates.replace(Mention(text, "DATE", lang="fr", written=WRITTEN), subject)
        after = complete_dates(_read(moved), WRITTEN)
        assert after
        assert all(b <= a for a, b in zip(before, after, strict=True))
        assert moved != text


def test_no_impossible_day_moves_forward(cohort: CohortKey) -> None:
    for person in range(50):
        key = cohort.patient(str(person))
        subject = Subject(key, Policy(), None, days=dates.shift_days(key, Policy()))
        moved = dates.replace(Mention("31/02/2024", "DATE", lang="fr", written=WRITTEN), subject)
        assert _first(moved)[:2] < (2024, 2)


def _read(text: str) -> list[parsing.Group]:
    form = parsing.parse(text, lang="fr", latest=WRITTEN.year + 10)
    assert form is not None
    return form.groups


@given(st.lists(DAYS, min_size=2, max_size=6), st.integers(0, 10**6))
def test_distances_between_days_are_exact(cohort: CohortKey, days: list[date], who: int) -> None:
    policy = Policy()
    key, columns = cohort.patient(str(who)), Columns(cohort, policy)
    subject = Subject(key, policy, None, days=dates.shift_days(key, policy))
    for day in days:
        moved = day + timedelta(subject.days)
        mention = Mention(f"{day:%d/%m/%Y}", "DATE", lang="fr", written=WRITTEN)
        assert dates.replace(mention, subject) == f"{moved:%d/%m/%Y}"
        assert columns.shift_date(str(who), day) == moved

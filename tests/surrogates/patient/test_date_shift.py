"""What a policy says of time: by how much dates move, how exact they stay, births apart."""

from collections.abc import Callable
from datetime import date, timedelta
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.errors import ConfigError, Unsafe
from record.policy import Policy
from surrogates.dates import dates
from surrogates.keys.keys import CohortKey, MasterKey, PatientKey
from surrogates.patient import date_shift
from surrogates.patient.date_shift import PLACEHOLDERS, DateShift, Precision
from surrogates.patient.patient import Mention, Subject

WRITTEN = date(2024, 5, 20)
DAYS = st.dates(date(1900, 1, 3), date(2100, 12, 30)).filter(lambda day: day not in PLACEHOLDERS)
MASTER = MasterKey(bytes(range(32)))
COHORT = MASTER.cohort("asthma-2024")
Made = Callable[[str], str]


def _patient(number: int) -> PatientKey:
    return COHORT.patient(str(number))


def _subject(policy: Policy, person: int = 42) -> Subject:
    key = _patient(person)
    return Subject(key, policy, None, days=dates.shift_days(key, policy))


def _moved(text: str, policy: Policy, *, label: str = "DATE", person: int = 42) -> str:
    mention = Mention(text, label, lang="fr", written=WRITTEN)
    return dates.replace(mention, _subject(policy, person))


@given(st.integers(0, 500), st.integers(1, 300), st.integers(7, 300))
def test_weeks_are_whole_and_within_the_policy(person: int, least: int, more: int) -> None:
    policy = Policy(min_shift_days=least, max_shift_days=least + more, keep_weekday=True)
    days = dates.shift_days(_patient(person), policy)
    assert days % 7 == 0
    assert least <= abs(days) <= least + more


@pytest.mark.parametrize(
    "text", ["mardi 12 mars 2024", "mar. 12/03/2024", "mardi 12", "mardi", "MARDI 12/03"]
)
def test_kept_weekdays_stay_in_the_text(text: str) -> None:
    moved = _moved(text, Policy(keep_weekday=True))
    assert moved.lower().startswith(text[:5].lower().rstrip(". "))
    assert text == "mardi" or moved != text


@given(st.integers(0, 200), DAYS)
def test_kept_weekdays_stay_in_the_tables(person: int, day: date) -> None:
    policy = Policy(keep_weekday=True)
    key = _patient(person)
    shift = date_shift.make_dates_shift(key, policy, dates.shift_days(key, policy))
    assert shift.move(day).weekday() == day.weekday()


@pytest.mark.parametrize(
    ("text", "days", "precision", "expected"),
    [
        ("12/03/2024", 100, "month", "01/06/2024"),
        ("12/03/2024", 100, "year", "01/01/2024"),
        ("12 mars 2024", 100, "month", "1er juin 2024"),
        ("12 mars 2024", 300, "year", "1er janvier 2025"),
        ("mardi 12 mars 2024", 300, "year", "mercredi 1er janvier 2025"),
        ("2024-03-12", -100, "month", "2023-12-01"),
        ("2024-03-12", -100, "year", "2023-01-01"),
        ("mars 2024", 100, "month", "juin 2024"),
        ("mars 2024", 300, "year", "janvier 2025"),
        ("2019", 100, "year", "2020"),
        ("du 10 au 12/08/1995", 100, "month", "du 01 au 01/11/1995"),
        # What would stay moves on by a month or a year.
        ("01/01/2024", 20, "month", "01/02/2024"),
        ("01/01/2024", 20, "year", "01/01/2025"),
    ],
)
def test_dates_are_cut_down(text: str, days: int, precision: Precision, expected: str) -> None:
    shift = DateShift(days, 1, precision)
    assert dates.move_text(text, shift, written=WRITTEN, lang="fr") == expected


@given(DAYS, st.integers(-365, 365).filter(bool), st.sampled_from(["day", "month", "year"]))
def test_text_and_tables_agree(day: date, days: int, precision: Precision) -> None:
    for nudge in (1, -1):
        shift = DateShift(days, nudge, precision)
        moved = shift.move(day)
        text = dates.move_text(day.isoformat(), shift, written=WRITTEN, lang="fr")
        assert text == moved.isoformat()
        assert moved != day


def test_the_calendar_ends() -> None:
    with pytest.raises(Unsafe):
        DateShift(9, 1).move(date(9999, 12, 29))


@given(st.integers(0, 300), st.integers(1, 24), DAYS)
def test_jittered_births_keep_ages_within_the_bound(person: int, months: int, born: date) -> None:
    policy = Policy(birth_dates="jitter", birth_jitter_months=months)
    key = _patient(person)
    days = dates.shift_days(key, policy)
    moved = date_shift.make_birth_shift(key, policy, days).move(born)
    exact = born + timedelta(days)
    # Never later, so that nothing happens before the birth, and earlier by the months at most.
    assert moved <= exact or days == 1
    month = exact.year * 12 + exact.month - 1 - months
    assert moved >= date(month // 12, month % 12 + 1, min(exact.day, 28)) - timedelta(1)
    assert moved != born


def test_the_jitter_differs_between_patients_and_not_between_notes() -> None:
    policy = Policy(birth_dates="jitter", birth_jitter_months=6)
    text = "03/02/1950"
    backs = set()
    for person in range(200):
        first = _moved(text, policy, label="BIRTH_DATE", person=person)
        assert first == _moved(text, policy, label="BIRTH_DATE", person=person)
        day, month, year = map(int, first.split("/"))
        days = dates.shift_days(_patient(person), policy)
        backs.add((date(1950, 2, 3) + timedelta(days) - date(year, month, day)).days)
    assert min(backs) >= 0
    assert max(backs) < 6 * 28
    assert len(backs) > 100


@pytest.mark.parametrize("choice", ["month", "year"])
@given(person=st.integers(0, 200), born=DAYS)
def test_births_are_cut_down_and_never_come_later(choice: str, person: int, born: date) -> None:
    policy = Policy(birth_dates=choice)  # type: ignore[arg-type]
    key = _patient(person)
    days = dates.shift_days(key, policy)
    moved = date_shift.make_birth_shift(key, policy, days).move(born)
    assert moved.day == 1
    assert choice == "month" or moved.month == 1
    assert moved <= born + timedelta(days)
    assert moved != born


def test_births_move_as_dates_do_where_the_policy_says_so() -> None:
    text = "03/02/1950"
    policy = Policy(birth_dates="shift")
    assert _moved(text, policy, label="BIRTH_DATE") == _moved(text, policy)


def test_births_moved_as_dates_by_default_in_the_first_version() -> None:
    key = MASTER.cohort("asthma-2024", algorithm=2).patient("42")
    subject = Subject(key, Policy(), None, days=dates.shift_days(key, Policy()))
    one, other = (
        dates.replace(Mention("03/02/1950", label, lang="fr", written=WRITTEN), subject)
        for label in ("DATE", "BIRTH_DATE")
    )
    assert one == other


@pytest.mark.parametrize(
    ("text", "age"),
    [("03/02/1924", 90), ("3 février 1930", 90), ("03/02/1940", 84), ("20/05/1934", 90)],
)
def test_old_births_tell_the_cap(text: str, age: int) -> None:
    subject = _subject(Policy(old_births="cap", birth_dates="shift"))
    moved = dates.replace(Mention(text, "BIRTH_DATE", lang="fr", written=WRITTEN), subject)
    plain = dates.shift_text(moved, days=-subject.days, written=WRITTEN, lang="fr")
    assert plain is not None
    year = int(plain[-4:])
    assert WRITTEN.year - year == age
    assert plain[:-4] == text[:-4]


@pytest.mark.parametrize(
    ("least", "most", "years"), [(30, 365, {1}), (30, 1100, {1, 2, 3}), (366, 730, {1, 2})]
)
@pytest.mark.parametrize("direction", ["past", "both"])
def test_kept_seasons_move_by_whole_years(
    least: int, most: int, years: set[int], direction: str
) -> None:
    policy = Policy(
        min_shift_days=least,
        max_shift_days=most,
        keep_season=True,
        shift_direction=direction,  # type: ignore[arg-type]
    )
    drawn = {dates.shift_days(_patient(person), policy) for person in range(3000)}
    away = {(round(abs(days) / 365.2425), abs(days) - round(abs(days) / 365.2425) * 365.2425)
            for days in drawn}  # fmt: skip
    assert {whole for whole, _ in away} == years
    assert all(-10.5 <= rest <= 10.5 for _, rest in away)
    assert len({abs(days) for days in drawn}) == 21 * len(years)
    assert (max(drawn) > 0) == (direction == "both")


@pytest.mark.parametrize(
    "text", ["été", "hiver", "mars", "fin septembre", "été 2019", "hiver 2019-2020", "mars 2024"]
)
def test_kept_seasons_stay_in_the_text(text: str) -> None:
    for person in range(30):
        moved = _moved(text, Policy(keep_season=True), person=person)
        season = text.split(maxsplit=1)[0]
        assert moved.split(maxsplit=1)[0] == season or season == "mars"
        assert (moved == text) == (not any(map(str.isdigit, text)))


def test_a_year_alone_does_not_tell_the_sign_of_the_shift() -> None:
    """Where the shift is short of half a year, forward and back are as many under either sign."""
    policy = Policy(max_shift_days=180, shift_direction="both")
    moves: dict[bool, list[bool]] = {True: [], False: []}
    for person in range(1000):
        forward = dates.shift_days(_patient(person), policy) > 0
        moves[forward].append(_moved("2019", policy, person=person) == "2020")
    for later in moves.values():
        assert 0.4 < sum(later) / len(later) < 0.6


def test_all_years_alone_of_a_patient_keep_their_distances() -> None:
    for person in range(50):
        moved = [int(_moved(str(year), Policy(), person=person)) for year in range(1990, 2020)]
        assert {b - a for a, b in pairwise(moved)} == {1}


EDGES = [
    date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1), date(2023, 2, 28), date(2023, 3, 1),
    date(1999, 12, 31), date(2000, 1, 1), date(2000, 2, 29), date(1900, 2, 28), date(1900, 3, 1),
    date(2023, 1, 31), date(2023, 3, 31), date(2023, 4, 30), date(2023, 12, 31), date(2024, 1, 1),
]  # fmt: skip
WRITERS = ("%d/%m/%Y", "%d.%m.%Y", "%Y-%m-%d", "%d %m %Y", "%d%m%Y")


@given(st.integers(0, 10**6), st.lists(DAYS, max_size=8), st.booleans())
def test_differences_between_all_dates_of_a_patient_are_kept(
    person: int, more: list[date], weekly: bool
) -> None:
    policy = Policy(keep_weekday=weekly)
    days = [*EDGES, *more]
    moved = []
    for number, day in enumerate(days):
        form = WRITERS[number % len(WRITERS)]
        text = _moved(day.strftime(form), policy, person=person)
        digits = text if form == "%d%m%Y" else "".join(filter(str.isdigit, text))
        year_first = form.startswith("%Y")
        year = int(digits[:4] if year_first else digits[4:])
        month = int(digits[4:6] if year_first else digits[2:4])
        moved.append(date(year, month, int(digits[6:] if year_first else digits[:2])))
    for (a, x), (b, y) in combinations(zip(days, moved, strict=True), 2):
        assert b - a == y - x


def test_a_date_depends_on_key_patient_label_and_value_alone(cohort: CohortKey) -> None:
    def one(person: str, text: str, label: str = "DATE") -> str:
        key, policy = cohort.patient(person), Policy()
        subject = Subject(key, policy, None, days=dates.shift_days(key, policy))
        return dates.replace(Mention(text, label, lang="fr", written=WRITTEN), subject)

    texts = ["12/03/2024", "mars 2024", "2019", "99/99/9999", "Noël 2019", "12 mars"]
    there = [one("a", text) for text in texts]
    assert [one("a", text) for text in reversed(texts)][::-1] == there
    assert [one("b", text) for text in texts] != there


@pytest.mark.parametrize(
    "wrong",
    [
        {"date_precision": "week"},
        {"birth_dates": "keep"},
        {"old_births": "drop"},
        {"birth_jitter_months": 0},
        {"keep_weekday": True, "min_shift_days": 8, "max_shift_days": 13},
        {"keep_season": True, "keep_weekday": True},
        {"keep_season": True, "max_shift_days": 364},
        {"keep_season": True, "min_shift_days": 367, "max_shift_days": 729},
        {"times": "minute"},
        {"shift_direction": "future"},
        {"hold_back_days": -1},
    ],
)
def test_impossible_policies_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError) as caught:
        Policy(**wrong)  # type: ignore[arg-type]
    assert caught.value.remedy

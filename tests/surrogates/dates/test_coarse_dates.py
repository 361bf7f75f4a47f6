"""Births are written without the parts that a policy does not release, and before all else."""

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.policy import Policy
from surrogates.dates import dates
from surrogates.keys.keys import CohortKey
from surrogates.patient.date_shift import DateShift
from surrogates.patient.patient import Mention, Subject
from tests.rules.dates import forms_birth_dates
from tests.rules.marked import unmark

WRITTEN = date(2024, 5, 20)
MONTH = DateShift(-40, -1, "month", is_birth=True, drops_parts=True)
YEAR = DateShift(-70, -1, "year", is_birth=True, drops_parts=True)

WITHOUT_DAY = [
    ("fr", "09/03/1960", "01/1960"),
    ("fr", "1960-03-09", "1960-01"),
    ("fr", "09.03.1960", "01.1960"),
    ("fr", "9/3/1960", "1/1960"),
    ("fr", "09031960", "01/1960"),
    ("fr", "19600309", "1960-01"),
    ("fr", "090360", "01/1960"),
    ("fr", "9/3/60", "1/1960"),
    ("fr", "1 2 0 3 1 9 6 0", "02/1960"),
    ("fr", "9 mars 1960", "janvier 1960"),
    ("fr", "le mercredi 9 mars 1960", "janvier 1960"),
    ("fr", "9 MARS 1960", "JANVIER 1960"),
    ("fr", "1er févr. 1960", "déc. 1959"),
    ("fr", "3 d'octobre 1960", "août 1960"),
    ("fr", "9 mars", "janvier"),
    ("fr", "09/03", "janvier"),
    ("fr", "9 mars 60", "janvier 1960"),
    ("fr", "mars 1960", "janvier 1960"),
    ("fr", "09/03/1960 à 14h30", "01/1960"),
    ("fr", "1960-03-09T10:15:00+01:00", "1960-01"),
    ("fr", "31/02/1960", "01/1960"),
    ("fr", "09/03/35", "01/1935"),
    ("en", "March 9, 1960", "January 1960"),
    ("en", "9th of March, 1960", "January 1960"),
    ("en", "Wednesday, March 9, 1960", "January 1960"),
    ("en", "03/09/1960", "01/1960"),
    ("en", "9-Mar-1960", "Jan-1960"),
    ("en", "March 9, '60", "January 1960"),
    ("es", "9 de marzo de 1960", "enero de 1960"),
    ("es", "el 9 de marzo del año 1960", "enero del año 1960"),
    ("de", "den 9. März 1960", "Januar 1960"),
    ("de", "9.3.60", "1.1960"),
    ("nl", "9 maart 1960", "januari 1960"),
]
YEARS = [
    ("fr", "09/03/1960", "1959"),
    ("fr", "1960-03-09", "1959"),
    ("fr", "le 9 mars 1960", "1959"),
    ("fr", "mars 1960", "1959"),
    ("fr", "1960", "1959"),
    ("fr", "090360", "1959"),
    ("en", "March 9, '60", "1959"),
    ("es", "9 de marzo de 1960", "1959"),
    ("de", "9. März 1960", "1959"),
    # Without a year nothing is left: a form that tells nothing stands there.
    ("fr", "9 mars", "1er janvier"),
    ("fr", "09/03", "01/01"),
]


@pytest.mark.parametrize(("lang", "text", "expected"), WITHOUT_DAY)
def test_births_without_a_day(lang: str, text: str, expected: str) -> None:
    assert dates.move_text(text, MONTH, written=WRITTEN, lang=lang) == expected


@pytest.mark.parametrize(("lang", "text", "expected"), YEARS)
def test_births_by_year(lang: str, text: str, expected: str) -> None:
    assert dates.move_text(text, YEAR, written=WRITTEN, lang=lang) == expected


@pytest.mark.parametrize("lang", ["fr", "en", "es", "de", "nl"])
def test_no_form_of_a_birth_keeps_its_day(lang: str) -> None:
    """Of every form that the rules find, a month and year or a year are left."""
    for each, line in forms_birth_dates.born():
        if each != lang:
            continue
        text, spans = unmark(line)
        for start, end, _ in spans:
            value = text[start:end]
            month = dates.move_text(value, MONTH, written=WRITTEN, lang=lang)
            year = dates.move_text(value, YEAR, written=WRITTEN, lang=lang)
            assert month
            assert year
            if (
                value != year
                and re.search(r"\d{4}", value)
                and not re.search(r"\d ?- ?\d{3}", value)
            ):
                assert re.fullmatch(r"\D*\d{4}\D*", year)
                assert len(re.findall(r"\d+", month)) <= 2


def _replace(cohort: CohortKey, text: str, written: date, **settings: object) -> str:
    key, policy = cohort.patient("7"), Policy(**settings)  # type: ignore[arg-type]
    subject = Subject(key, policy, None, days=dates.shift_days(key, policy))
    return dates.replace(Mention(text, "BIRTH_DATE", lang="fr", written=written), subject)


@given(born=st.dates(date(1900, 1, 1), date(2020, 1, 1)), written=st.dates(date(2020, 1, 1)))
def test_the_old_have_a_year_of_birth_alone(cohort: CohortKey, born: date, written: date) -> None:
    if written.year > 2100:
        written = written.replace(year=2090, day=1)
    age = written.year - born.year - ((written.month, written.day) < (born.month, born.day))
    for births in ("month", "shift"):
        text = _replace(cohort, f"{born:%d/%m/%Y}", written, birth_dates=births)
        days = dates.shift_days(cohort.patient("7"), Policy())
        moved = born + timedelta(days)
        exact = f"{moved:%m/%Y}" if births == "month" else f"{moved:%d/%m/%Y}"
        assert text == (f"{moved:%Y}" if age > 89 else exact)
    plain = _replace(cohort, f"{born:%d/%m/%Y}", written, old_births="shift")
    assert plain == f"{moved:%m/%Y}"


@given(born=st.dates(date(1930, 1, 1), date(2020, 1, 1)), later=st.integers(0, 40))
def test_partial_births_precede_all_else(cohort: CohortKey, born: date, later: int) -> None:
    """A month or year of birth moves from its first day, all other dates from their own."""
    days = dates.shift_days(cohort.patient("7"), Policy())
    event = born + timedelta(later + days)
    for births in ("shift", "month", "year"):
        month = _replace(cohort, f"{born:%m/%Y}", WRITTEN, birth_dates=births, old_births="shift")
        year = _replace(cohort, f"{born:%Y}", WRITTEN, birth_dates=births, old_births="shift")
        assert int(year) <= event.year
        assert tuple(map(int, reversed(month.split("/")))) <= (event.year, event.month)

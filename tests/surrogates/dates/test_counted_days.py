"""Days that programs count move in their form, and milliseconds keep nothing of the day's time."""

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.policy import Policy
from record.span import Span
from surrogates.dates import counted_days
from surrogates.keys.keys import CohortKey
from surrogates.patient.date_shift import DateShift
from surrogates.rewrite import Rewriter
from tests.rules.dates.forms_telegraphic import counted
from tests.rules.marked import unmark

MS_OF_DAY = 86_400_000


@pytest.mark.parametrize(
    ("text", "days", "expected"),
    [
        ("073/2021", 10, "083/2021"),
        ("2021/073", -80, "2020/359"),
        ("365/2021", 1, "001/2022"),
        ("366/2020", -1, "365/2020"),
        ("073e jour de 2021", -70, "003e jour de 2021"),
        ("73rd day of 2021", 8, "81st day of 2021"),
        ("73rd day of 2021", 38, "111th day of 2021"),
        ("Day 73 of 2021", -72, "Day 1 of 2021"),
        ("73. Tag des Jahres 2021", 300, "8. Tag des Jahres 2022"),
        ("día 73 del año 2021", 1, "día 74 del año 2021"),
        ("dag 73 van 2021", 1, "dag 74 van 2021"),
    ],
)
def test_a_day_of_the_year_moves_by_exactly_the_constant(
    text: str, days: int, expected: str
) -> None:
    shift = DateShift(days, 1, reads_ahead=True)
    assert counted_days.move(text, shift, lambda bound: bound - 1) == expected


@pytest.mark.parametrize(
    "text", ["366/2021", "400/2021", "000/2021", "73/2021", "day 73", "3 mars"]
)
def test_other_text_is_no_counted_day(text: str) -> None:
    assert counted_days.move(text, DateShift(9, 1), lambda bound: 0) is None


@given(
    st.integers(1_000_000_000_000, 1_999_999_999_999),
    st.integers(-400, 400),
    st.integers(0, MS_OF_DAY - 1),
)
def test_milliseconds_move_by_days_and_their_time_is_drawn(
    written: int, days: int, drawn: int
) -> None:
    moved = counted_days.move(f"{written}", DateShift(days, 1), lambda bound: drawn % bound)
    assert moved is not None
    assert int(moved) // MS_OF_DAY - written // MS_OF_DAY == days
    assert int(moved) % MS_OF_DAY == drawn


def test_a_year_alone_is_left_of_them_by_a_policy_that_releases_no_more() -> None:
    shift = DateShift(100, 1, precision="year")
    moved = counted_days.move("073/2021", shift, lambda bound: 0)
    assert moved is not None
    assert moved == counted_days.move("072/2021", shift, lambda bound: 0)


def test_every_counted_day_of_the_rules_moves(cohort: CohortKey) -> None:
    rewriter = Rewriter(cohort, Policy())
    for lang, line in counted():
        text, spans = unmark(line)
        document = Document("1", text, "7", lang, written=datetime(2021, 4, 14))
        found = tuple(Span(start, end, label) for start, end, label in spans)
        released = rewriter.rewrite(document, found, None).text
        for start, end, _ in spans:
            assert text[start:end] not in released


def test_a_day_of_the_year_moves_like_the_date_beside_it(cohort: CohortKey) -> None:
    text = "073/2021 14/03/2021"
    document = Document("1", text, "7", "fr", written=datetime(2021, 4, 14))
    spans = (Span(0, 8, "DATE"), Span(9, len(text), "DATE"))
    counted_day, whole = Rewriter(cohort, Policy()).rewrite(document, spans, None).text.split()
    number, year = counted_day.split("/")
    day, month, other = map(int, whole.split("/"))
    assert int(year) == other
    assert int(number) == date(other, month, day).timetuple().tm_yday

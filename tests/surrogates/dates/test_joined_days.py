"""Two days in one text of which the second takes month or year from the first."""

import re
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surrogates.dates.dates import move_text
from surrogates.patient.date_shift import DateShift

SHIFT = DateShift(-171, -1, repeats_month=True, reads_ahead=True)
WRITTEN = date(2021, 6, 1)


def _moved(text: str, lang: str = "en", days: int = -171) -> str:
    shift = DateShift(days, -1, repeats_month=True, reads_ahead=True)
    moved = move_text(text, shift, written=WRITTEN, lang=lang)
    assert moved is not None
    return moved


@pytest.mark.parametrize(
    ("text", "days", "expected"),
    [
        ("2021-03-28/2021-04-02", -171, "2020-10-08/2020-10-13"),
        ("2021-03-28/04-02", -171, "2020-10-08/10-13"),
        ("2021-03-28/04-02", -90, "2020-12-28/2021-01-02"),
        ("2021-03-28/29", -171, "2020-10-08/09"),
        ("2021-03-28/29", -28, "2021-02-28/03-01"),
        ("2021-03-28/29", -87, "2020-12-31/2021-01-01"),
        ("2021-12-28/01-02", -60, "2021-10-29/11-03"),
        ("2021-03-28--04-02", -171, "2020-10-08--10-13"),
        ("2021-03-28 / 2021-04-02", -171, "2020-10-08 / 2020-10-13"),
        ("March 3 and 4, 2021", -171, "September 13 and 14, 2020"),
        ("March 3 and 4, 2021", -3, "February 28 and March 1, 2021"),
        ("March 3 or 4, 2021", -62, "December 31, 2020 or January 1, 2021"),
        ("March 3 and 4", -171, "September 13 and 14"),
        ("Mar 3 & 5 2021", -171, "Sep 13 & 15 2020"),
    ],
)
def test_both_days_move_by_the_shift(text: str, days: int, expected: str) -> None:
    assert _moved(text, days=days) == expected


@given(
    st.dates(date(1990, 1, 1), date(2030, 12, 31)),
    st.integers(1, 300),
    st.integers(-700, -1),
)
def test_an_interval_keeps_its_length(first: date, length: int, days: int) -> None:
    last = first + timedelta(length)
    for written in (last.isoformat(), last.isoformat()[5:]):
        if written == last.isoformat() or last.year == first.year:
            start, _, end = _moved(f"{first.isoformat()}/{written}", days=days).partition("/")
            whole = end if len(end) == 10 else start[: 10 - len(end)] + end
            assert date.fromisoformat(start) == first + timedelta(days)
            assert date.fromisoformat(whole) == last + timedelta(days)


LISTS: list[tuple[str, str, Callable[[int, int], str]]] = [
    ("fr", "mars", lambda a, b: f"{a} et {b} mars 2021"),
    ("en", "March", lambda a, b: f"{a} and {b} March 2021"),
    ("de", "März", lambda a, b: f"{a}. und {b}. März 2021"),
    ("es", "marzo", lambda a, b: f"{a} y {b} de marzo de 2021"),
    ("nl", "maart", lambda a, b: f"{a} en {b} maart 2021"),
]


@pytest.mark.parametrize(("lang", "month", "write"), LISTS)
def test_days_joined_by_a_word_move_by_the_shift(
    lang: str, month: str, write: Callable[[int, int], str]
) -> None:
    for days in (-365, -360, -372):
        ends = [date(2021, 3, day) + timedelta(days) for day in (12, 14)]
        numbers = [int(n) for n in re.findall(r"\d+", _moved(write(12, 14), lang, days))]
        assert numbers == [ends[0].day, ends[1].day, ends[1].year]
        assert month.lower() in _moved(write(12, 14), lang, days).lower()


@pytest.mark.parametrize(
    ("lang", "misread", "written"),
    [("en", "12 March 2O21", "12 March 2021"), ("fr", "l2 mars 202l", "12 mars 2021")],
)
def test_misread_digits_of_a_written_date_are_read(
    replace: Callable[..., str], lang: str, misread: str, written: str
) -> None:
    assert replace(misread, "DATE", lang=lang) == replace(written, "DATE", lang=lang)

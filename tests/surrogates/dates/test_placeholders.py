"""Days that stand for none are the same for all: moved, they would tell each patient's shift."""

from datetime import date, datetime
from typing import Literal

import pyarrow as pa
import pytest

from record.document import Document
from record.label import Label
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import CohortKey
from surrogates.patient.date_shift import PLACEHOLDERS
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns

POLICIES = [
    Policy(),
    Policy(date_precision="month"),
    Policy(shift_direction="past", times="hour"),
    Policy(keep_weekday=True),
]


@pytest.mark.parametrize("policy", POLICIES, ids=["default", "month", "past", "weekday"])
def test_columns_keep_placeholders_and_move_their_neighbours(
    cohort: CohortKey, policy: Policy
) -> None:
    columns = Columns(cohort, policy)
    days = sorted(PLACEHOLDERS)
    near = [date(1900, 1, 3), date(2078, 6, 6), date(1970, 1, 2)]
    for form in (pa.array([*days, *near], pa.date32()), pa.array(map(str, [*days, *near]))):
        rows = pa.table(
            {
                "condition_occurrence_id": range(1, len(form) + 1),
                "person_id": [7] * len(form),
                "condition_start_date": form,
            }
        )
        treated = columns.treat("condition_occurrence", rows)
        column = treated.rows["condition_start_date"].to_pylist()
        found = [date.fromisoformat(str(day)) for day in column]
        assert found[: len(days)] == days
        assert not set(found[len(days) :]) & set(near)
        assert not treated.refused
    for day in days:
        assert columns.shift_date("7", day) == day


def test_moments_keep_their_day(cohort: CohortKey) -> None:
    end = datetime(2099, 12, 31, 23, 59, 59)
    rows = pa.table(
        {"drug_exposure_id": [1], "person_id": [7], "drug_exposure_end_datetime": [end]}
    )
    treated = Columns(cohort, Policy(times="exact")).treat("drug_exposure", rows)
    assert treated.rows["drug_exposure_end_datetime"].to_pylist() == [end]


@pytest.mark.parametrize(
    ("text", "lang"),
    [("01/01/1900", "fr"), ("31 décembre 2099", "fr"), ("2100-01-01", "en"), ("1.1.1900", "de")],
)
def test_notes_keep_them_too(cohort: CohortKey, text: str, lang: str) -> None:
    rewriter = Rewriter(cohort, Policy(locale=lang))
    note = Document("1", text=f"Stop: {text}.", person_id="7", lang=lang)
    span = Span(6, 6 + len(text), Label.DATE)
    assert rewriter.rewrite(note, (span,), None).text == note.text


@pytest.mark.parametrize("born", [date(1970, 1, 1), date(1904, 1, 1)])
@pytest.mark.parametrize("births", ["shift", "month"])
def test_a_person_born_on_such_a_day_does_not_keep_it(
    cohort: CohortKey, born: date, births: Literal["shift", "month"]
) -> None:
    policy = Policy(birth_dates=births, old_births="shift")
    row = {
        "person_id": [7],
        "year_of_birth": [born.year],
        "month_of_birth": [born.month],
        "day_of_birth": [born.day],
        "birth_datetime": [datetime(born.year, born.month, born.day)],
    }
    treated = Columns(cohort, policy).treat("person", pa.table(row)).rows.to_pylist()[0]
    assert (treated["year_of_birth"], treated["month_of_birth"]) != (born.year, born.month)
    moment = treated["birth_datetime"]
    assert moment is None or moment.date() != born
    number = f"1 {born:%y %m} 75 116 005"
    text = f"Né le {born:%d/%m/%Y}, NIR {number} {97 - int(number.replace(' ', '')) % 97:02d}."
    spans = [
        Span(text.index(f"{born:%d/%m}"), text.index(", NIR"), Label.BIRTH_DATE),
        Span(text.index("1 "), len(text) - 1, Label.SSN),
    ]
    note = Document("1", text=text, person_id="7", lang="fr")
    released = Rewriter(cohort, policy).rewrite(note, tuple(spans), None).text
    assert f"1 {born:%y %m}" not in released

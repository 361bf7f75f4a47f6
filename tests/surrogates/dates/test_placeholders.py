"""Days that stand for none are the same for all: moved, they would tell each patient's shift."""

from datetime import date, datetime

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

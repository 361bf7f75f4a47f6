"""Dates beside each other tell each other's month, year and order of numbers."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from record.document import Document
from record.policy import Policy
from record.span import Span
from surrogates.dates import dates
from surrogates.keys.keys import CohortKey
from surrogates.patient.date_shift import DateShift
from surrogates.patient.patient import Mention, Subject
from surrogates.rewrite import Rewriter

WRITTEN = date(2024, 5, 20)
Marked = Callable[..., tuple[Document, tuple[Span, ...]]]


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("fr", "du [10|DATE] au [12/08/1995|DATE]", "1995-08-10"),
        ("fr", "du [30|DATE] au [3 mars 2023|DATE]", "2023-02-28"),
        ("fr", "les [3|DATE], [5|DATE] et [8 mars 2021|DATE]", "2021-03-03"),
        ("fr", "du [27/02|DATE] au [04/03/2016|DATE]", "2016-02-27"),
        ("fr", "du [28/12|DATE] au [02/01/2016|DATE]", "2015-12-28"),
        ("fr", "les [28|DATE] et [30|DATE] au [2 mars|DATE]", "2024-02-28"),
        ("en", "[March 30|DATE] to [April 2, 2021|DATE]", "2021-03-30"),
        ("en", "[April|DATE] to [June 2021|DATE]", "2021-04-15"),
        ("de", "vom [3|DATE]. bis [5. März 2021|DATE]", "2021-03-03"),
        ("nl", "van [27-02|DATE] t/m [04-03-2016|DATE]", "2016-02-27"),
        ("es", "del [10|DATE] al [12 de agosto de 2010|DATE]", "2010-08-10"),
        # Too far, parted by a sentence, of another kind: nothing is taken.
        ("fr", "le [10|DATE] RAS sous traitement habituel, le [12/08/1995|DATE]", "2024-05-20"),
        ("fr", "le [10|DATE]. Vu le [12/08/1995|DATE]", "2024-05-20"),
        ("fr", "le [10|DATE], née le [12/08/1995|BIRTH_DATE]", "2024-05-20"),
        # Nothing lacks.
        ("fr", "le [10/03/1990|DATE] et le [12/08/1995|DATE]", "2024-05-20"),
        ("fr", "en [2012|DATE] et [mars 2014|DATE]", "2024-05-20"),
    ],
)
def test_a_date_is_completed_from_the_next(
    marked: Marked, lang: str, text: str, expected: str
) -> None:
    document, spans = marked(text, lang=lang)
    found = dates.find_reference_day(document.text, spans, 0, written=WRITTEN, lang=lang)
    assert found.day == date.fromisoformat(expected)


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "[March 3, 2021|DATE] and [5|DATE]", "2021-03-05"),
        ("en", "from [March 3|DATE]-[5, 2021|DATE]", "2021-03-05"),
        ("fr", "le [28/12/2020|DATE] puis le [04/01|DATE]", "2021-01-04"),
    ],
)
def test_or_from_the_one_before(marked: Marked, lang: str, text: str, expected: str) -> None:
    document, spans = marked(text, lang=lang)
    found = dates.find_reference_day(document.text, spans, 1, written=WRITTEN, lang=lang)
    assert found.day == date.fromisoformat(expected)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["03/04/2024", "25/12/2023"], True),
        (["03/04/2024", "12/25/2023"], False),
        (["03/04/2024"], None),
        (["25/12/2023", "12/25/2023"], None),
        (["25/12/2023", "26/12/2023", "12/25/2023"], True),
        (["13.4.", "2024-12-25", "March 25, 2024", "99/99/9999", "1/2/3/4"], None),
        (["25-12"], True),
        ([], None),
    ],
)
def test_the_order_of_numbers(texts: list[str], expected: bool | None) -> None:
    assert dates.day_first(texts) is expected


@pytest.mark.parametrize(
    ("lang", "text", "days", "expected"),
    [
        ("fr", "du [10|DATE] au [12/08/1995|DATE]", 20, "du 30 au 01/09/1995"),
        ("fr", "du [28|DATE] au [3 mars 2023|DATE]", 30, "du 30 au 2 avril 2023"),
        ("fr", "les [3|DATE], [5|DATE] et [8 mars|DATE]", 30, "les 2, 4 et 7 avril"),
        ("fr", "du [27/02|DATE] au [04/03/2016|DATE]", 3, "du 01/03 au 07/03/2016"),
        ("fr", "du [28/12|DATE] au [02/01/2016|DATE]", 3, "du 31/12 au 05/01/2016"),
        ("en", "[March 30|DATE] to [April 2, 2024|DATE]", 1, "March 31 to April 3, 2024"),
        ("en", "from [March 3|DATE]-[5, 2024|DATE]", 30, "from April 2-4, 2024"),
        ("de", "vom [28|DATE]. bis [3. März 2023|DATE]", 2, "vom 2. bis 5. März 2023"),
        ("nl", "van [27-02|DATE] tot [04-03-2016|DATE]", 3, "van 01-03 tot 07-03-2016"),
        ("es", "del [10|DATE] al [12 de mayo de 2010|DATE]", 30, "del 9 al 11 de junio de 2010"),
        ("en", "[25/12/2023|DATE], then [03/04/2024|DATE]", 30, "24/01/2024, then 03/05/2024"),
        ("en", "[12/25/2023|DATE], then [03/04/2024|DATE]", 30, "01/24/2024, then 04/03/2024"),
        ("fr", "[12/25/2023|DATE], puis [03/04/2024|DATE]", 30, "01/24/2024, puis 04/03/2024"),
    ],
)
def test_a_note_tells_its_dates(
    monkeypatch: pytest.MonkeyPatch,
    cohort: CohortKey,
    marked: Marked,
    lang: str,
    text: str,
    days: int,
    expected: str,
) -> None:
    monkeypatch.setattr(dates, "shift_days", lambda key, policy: days)
    document, spans = marked(text, lang=lang)
    assert Rewriter(cohort, Policy()).rewrite(document, spans, None).text == expected


@settings(max_examples=80)
@given(
    st.tuples(st.integers(0, 32), st.integers(0, 32), st.sampled_from([0, 24, 99, 1850, 2024])),
    st.sampled_from("/.-"),
    st.sampled_from(["fr", "en"]),
)
def test_a_date_that_says_all_is_the_same_in_every_note(
    cohort: CohortKey, parts: tuple[int, int, int], sign: str, lang: str
) -> None:
    first, second, year = parts
    text = f"{first:02d}{sign}{second:02d}{sign}{year:02d}"
    key, policy = cohort.patient("42"), Policy(locale=lang)
    subject = Subject(key, policy, None, days=100)
    made = {
        dates.replace(Mention(text, "DATE", lang, written=day), subject)
        for day in (None, date(1951, 3, 31), WRITTEN, date(2049, 12, 1))
    }
    assert len(made) == 1 or not dates.is_complete(text)
    assert dates.is_complete(text) == (first > 0 and second > 0 and year > 99)


def test_a_date_of_an_unknown_month_is_completed_by_its_note(
    cohort: CohortKey, marked: Callable[..., tuple[Document, tuple[Span, ...]]]
) -> None:
    found = set()
    for written in (datetime(2024, 1, 20), datetime(2024, 6, 20)):
        document, spans = marked("le [08/00/2051|DATE]")
        rewriter = Rewriter(cohort, Policy())
        found.add(rewriter.rewrite(replace(document, written=written), spans, None).text)
    assert len(found) == 2


@pytest.mark.parametrize(
    ("lang", "text", "days", "expected"),
    [
        ("fr", "2 au 30 avril 2025", -5, "28 mars au 25 avril 2025"),
        ("fr", "2 au 30 avril 2025", 1, "3 avril au 1er mai 2025"),
        ("fr", "10 au 12 avril 2025", 3, "13 au 15 avril 2025"),
        ("en", "3 to 14 March 2025", -5, "26 February to 9 March 2025"),
        ("en", "March 3-14, 2025", 25, "March 28-April 8, 2025"),
        ("es", "3 al 14 de marzo de 2024", -5, "27 de febrero al 9 de marzo de 2024"),
        ("nl", "3 tot 14 maart 2024", -5, "27 februari tot 9 maart 2024"),
        ("de", "3. bis 14. März 2024", -5, "27. Februar bis 9. März 2024"),
        ("de", "3. bis 14. März 2024", 2, "5. bis 16. März 2024"),
    ],
)
def test_the_ends_of_a_range_have_months_of_their_own_where_these_differ(
    lang: str, text: str, days: int, expected: str
) -> None:
    shift = DateShift(days, 1, repeats_month=True)
    assert dates.move_text(text, shift, written=WRITTEN, lang=lang) == expected

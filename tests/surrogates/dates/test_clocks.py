"""Times of day joined to a date are removed, cut down or mapped; others stay."""

from collections.abc import Callable
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.policy import Action, Policy
from record.span import Span
from surrogates.dates.clock_order import order_minute
from surrogates.dates.clocks import correct_misread_clocks, find_clock, keep_hour, render_clock
from surrogates.keys.keys import CohortKey
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns

# Text with the date in brackets, what stays without the time, and what the time becomes by hours.
JOINED = [
    ("[12/03/2024] 14:32", "[12/03/2024]", " 14:00"),
    ("[12/03/2024] 14:32:05.123Z, vu", "[12/03/2024], vu", " 14:00"),
    ("[2024-03-12]T14:32:05+01:00 ok", "[2024-03-12] ok", "T14:00"),
    ("[2024-03-12] 10:15:00+02:00", "[2024-03-12]", " 10:00"),
    ("[20240312]T143205", "[20240312]", "T14:00"),
    ("le [12/03/2024] à 14h32, TA 12/8", "le [12/03/2024], TA 12/8", " à 14h00"),
    ("[12 mars 2024] vers 9h", "[12 mars 2024]", " vers 9h00"),
    ("[12/03/2024] à midi.", "[12/03/2024].", " à midi"),
    ("[12/03/2024] (14:32)", "[12/03/2024]", " (14:00)"),
    ("[12/03/2024] - 14:32 - TA", "[12/03/2024] - TA", " - 14:00"),
    ("[12/03/2024] de 8h à 12h", "[12/03/2024]", " de 8h00 à 12h00"),
    ("[12/03/2024] 8h, 12h et 18h", "[12/03/2024]", " 8h00, 12h00 et 18h00"),
    ("[12/03/2024] 12:00-14:00", "[12/03/2024]", " 12:00-14:00"),
    ("[12/03/2024] 14 h 30 ml", "[12/03/2024] 30 ml", " 14h00"),
    ("[12/03/2024] 14 h 30 TA", "[12/03/2024] TA", " 14h00"),
    ("[12/03] 8h", "[12/03]", " 8h00"),
    ("[mardi 14h]", "[mardi]", " 14h00"),
    ("[12/03/2024 à 14:30]", "[12/03/2024]", " à 14:00"),
    ("[03/12/2024] at 2:32 pm.", "[03/12/2024].", " at 2:00 pm"),
    ("[03/12/2024] at 2:32 p.m. seen", "[03/12/2024] seen", " at 2:00 p.m."),
    ("[03/12/2024]: 9:05AM, pt", "[03/12/2024], pt", ": 9:00AM"),
    ("[03/12/2024] 2:37P by", "[03/12/2024] by", " 2:00P"),
    ("[03/12/2024] 11:05A, pt", "[03/12/2024], pt", " 11:00A"),
    (
        "[12/03/2024] à 14h37 (heure d'été), TA",
        "[12/03/2024], TA",
        " à 14h00 (heure d'été)",
    ),
    ("[12/03/2024] 14:37 heure d’hiver, TA", "[12/03/2024], TA", " 14:00 heure d’hiver"),
    ("[March 12, 2024] @ 14:32", "[March 12, 2024]", " @ 14:00"),
    ("[03/12/2024] at 1432 seen", "[03/12/2024] seen", " at 14:00"),
    ("[12.03.2024] um 14:32 Uhr", "[12.03.2024]", " um 14:00 Uhr"),
    ("[12.03.2024], 14.32 Uhr", "[12.03.2024]", ", 14:00 Uhr"),
    ("[12.03.2024] um 8 Uhr 30", "[12.03.2024]", " um 08:00 Uhr"),
    ("[12-03-2024] om 14:32 uur", "[12-03-2024]", " om 14:00 uur"),
    ("[12-03-2024] 14u30", "[12-03-2024]", " 14u00"),
    ("[12/03/2024] a las 14:32 h", "[12/03/2024]", " a las 14:00 h"),
    ("[12/03/2024] a las 9 h", "[12/03/2024]", " a las 9h00"),
    ("le [12 mars 2024] à\n  14h32, TA", "le [12 mars 2024], TA", " à\n  14h00"),
    ("SpO2 98 %. [14 mars 2024]\n11h27 : TA", "SpO2 98 %. [14 mars 2024] : TA", "\n11h00"),
    ("[12.03.2024] um\r\n14:32 Uhr", "[12.03.2024]", " um\r\n14:00 Uhr"),
    ("[12/03/2024] @ 0200, pt", "[12/03/2024], pt", " @ 02:00"),
    ("[12/03/2024] @0215 seen", "[12/03/2024] seen", " @02:00"),
    ("[12 March 2024] at 0200 hrs. Seen", "[12 March 2024]. Seen", " at 02:00 hrs"),
    ("[12.03.2024] um 0230 da", "[12.03.2024] da", " um 02:00"),
    ("[12-03-2024] om 0230.", "[12-03-2024].", " om 02:00"),
    ("[12/03/2024] à 1430, TA", "[12/03/2024], TA", " à 14:00"),
    ("[12/03/2024] a las 1430 TA", "[12/03/2024] TA", " a las 14:00"),
    ("[12/03/2024] l4:3O seen", "[12/03/2024] seen", " 14:00"),
    ("[12/03/2024] à 14h3O, TA", "[12/03/2024], TA", " à 14h00"),
    ("[12/03/2024] à 14 h 3O, TA", "[12/03/2024], TA", " à 14h00"),
    ("[12/03/2024] at O200 seen", "[12/03/2024] seen", " at 02:00"),
    ("[12/03/2024] at 2:32 p.m. Seen", "[12/03/2024]. Seen", " at 2:00 p.m"),
    # The name of a field, the next moments of the day, and the next cell of a table.
    ("[12/03/2024], heure : 14:32.", "[12/03/2024].", ", heure : 14:00"),
    ("Date [12/03/2024]\tHeure 14:32", "Date [12/03/2024]", "\tHeure 14:00"),
    ("[March 12th, 2024]; time 14:32 ok", "[March 12th, 2024] ok", "; time 14:00"),
    ("[12.03.2024] Uhrzeit: 14.32", "[12.03.2024]", " Uhrzeit: 14:00"),
    ("[12-03-2024] tijd 14.32u", "[12-03-2024]", " tijd 14:00u"),
    ("[12.03.2024] kl. 14:32, ok", "[12.03.2024], ok", " kl. 14:00"),
    (
        "[12 mars 2024] à 14h32, puis 18h12 et 22h45.",
        "[12 mars 2024].",
        " à 14h00, puis 18h00 et 22h00",
    ),
    ("[12 mars 2024], puis 18h12. RAS", "[12 mars 2024]. RAS", ", puis 18h00"),
    ("[12/03/2024] entre 14h32 et 15h02", "[12/03/2024]", " entre 14h00 et 15h00"),
    ("[12/03/2024] a las 14:32 y las 16:02 h", "[12/03/2024]", " a las 14:00 y las 16:00 h"),
    ("[12.03.2024] / 14:32", "[12.03.2024]", " / 14:00"),
    ("[2024-03-12] 14.32 TA", "[2024-03-12] TA", " 14:00"),
    ("[12/03/2024]\n14:32", "[12/03/2024]", "\n14:00"),
    ("[12/03/2024]\n14:32\nNa 140", "[12/03/2024]\nNa 140", "\n14:00"),
]
BEFORE = [
    ("vu à 14h32 le [12/03/2024]", "vu le [12/03/2024]", "à 14h00 "),
    ("vu à 14h32\nle [12/03/2024]", "vu le [12/03/2024]", "à 14h00\n"),
    ("14:32 [12/03/2024]", "[12/03/2024]", "14:00 "),
    ("at 2:32 pm on [03/12/2024]", "on [03/12/2024]", "at 2:00 pm "),
    ("um 14:32 am [12.03.2024]", "am [12.03.2024]", "um 14:00 "),
    ("bloc de 14h32 à 16h02 le [12/03/2024]", "bloc le [12/03/2024]", "de 14h00 à 16h00 "),
    ("von 14:32 bis 16:02 Uhr am [12.03.2024]", "am [12.03.2024]", "von 14:00 bis 16:00 Uhr "),
    ("mort à 14h32 ce [12/03/2024]", "mort ce [12/03/2024]", "à 14h00 "),
    ("(14:32) [March 12, 2024]", "[March 12, 2024]", "(14:00) "),
    ("heure 14:32, date [12/03/2024]", "date [12/03/2024]", "heure 14:00, "),
]
APART = [
    "[12/03/2024] TA à 14h",
    "[12/03/2024]\n14:32 TA 12/8",
    "[2024-03-12] 14.32 g",
    "[2024-03-12] 14.321",
    "[2024-03-12] 98.60",
    "[12.03.2024] 14.32",
    "[12/03/2024], time to go 14:32",
    "à 14h32. Le [12/03/2024]",
    "[12/03/2024] à\n\n14h32",
    "Poids\n  [12/03/2024]\n14:32 TA",
    "Poids [12/03/2024]\n\n14:32 TA",
    "à 14h32\n[12/03/2024]",
    "[12/03/2024] 37.5",
    "[12/03/2024] à 1500 ml",
    "[12/03/2024] um 2500 Uhr",
    "[12/03/2024] à 37.5",
    "[12/03/2024] 120/80",
    "[12/03/2024] 3 mg",
    "[12/03/2024] 14 u insulina",
    "[12/03/2024] 100",
    "[12 de marzo de 2020]",
    "[du 10 au 12/08/1995]",
    "à 14h, TA 12/8, [12/03/2024]",
]


def _read(marked: str) -> tuple[str, int, int]:
    start, end = marked.index("["), marked.index("]") - 1
    return marked.replace("[", "", 1).replace("]", "", 1), start, end


@pytest.mark.parametrize(("marked", "without", "hours"), JOINED)
def test_times_after_a_date(marked: str, without: str, hours: str) -> None:
    text, start, end = _read(marked)
    text = correct_misread_clocks(text)
    found = find_clock(text, start, end, after=0, before=len(text))
    assert found is not None
    assert f"{text[:start]}[{text[start : found.date_end]}]{text[found.end :]}" == without
    assert render_clock(text[found.date_end : found.end], keep_hour) == hours
    assert found.lead == found.lead_end


@given(st.text("lO0I4|h: at3", max_size=30))
def test_misread_times_are_corrected_in_place(text: str) -> None:
    corrected = correct_misread_clocks(text)
    assert len(corrected) == len(text)
    assert correct_misread_clocks(corrected) == corrected
    assert all(one == other or other.isdigit() for one, other in zip(text, corrected, strict=True))


def test_a_misread_time_leaves_with_its_date(
    cohort: CohortKey, marked: Callable[[str], tuple[Document, list[Span]]]
) -> None:
    text = "vu le [12/03/2024|DATE] à l4h3O, tension l4:3O, lO:lO"
    document, spans = marked(text)
    release = Rewriter(cohort, Policy()).rewrite(document, spans, None)
    assert release.text[release.spans[0].end :] == ", tension l4:3O, lO:lO"


@pytest.mark.parametrize(("marked", "without", "hours"), BEFORE)
def test_times_before_a_date(marked: str, without: str, hours: str) -> None:
    text, start, end = _read(marked)
    found = find_clock(text, start, end, after=0, before=len(text))
    assert found is not None
    date_written = f"[{text[start:end]}]{text[found.end :]}"
    assert text[: found.lead] + text[found.lead_end : start] + date_written == without
    assert render_clock(text[found.lead : found.lead_end], keep_hour) == hours


@pytest.mark.parametrize("marked", APART)
def test_other_numbers_stay(marked: str) -> None:
    text, start, end = _read(marked)
    assert find_clock(text, start, end, after=0, before=len(text)) is None


@pytest.mark.parametrize(("marked", "without", "hours"), JOINED + BEFORE)
def test_notes_without_times(cohort: CohortKey, marked: str, without: str, hours: str) -> None:
    """The span that is written covers the date and what stays of its time."""
    text, start, end = _read(marked)
    lang = "en" if "03/12" in text or "March" in text else "fr"
    document, spans = Document("n", text, "1", lang), (Span(start, end, "DATE"),)
    midnight = Rewriter(cohort, Policy()).rewrite(document, spans, None)
    plain, at, stop = _read(without)
    expected = Rewriter(cohort, Policy(times="exact")).rewrite(
        Document("n", plain, "1", lang), (Span(at, stop, "DATE"),), None
    )
    assert midnight.text == expected.text
    (span,) = midnight.spans
    assert (
        midnight.text[span.start : span.end]
        == expected.text[expected.spans[0].start : expected.spans[0].end]
    )
    by_hour = Rewriter(cohort, Policy(times="hour")).rewrite(document, spans, None)
    assert hours in by_hour.text
    (span,) = by_hour.spans
    if (marked, without, hours) in JOINED:
        assert by_hour.text[span.start : span.end].endswith(hours)
    masked = Policy(actions={"DATE": Action.MASK})
    assert Rewriter(cohort, masked).rewrite(document, spans, None).text == (
        without.replace(f"[{plain[at:stop]}]", "[DATE]")
    )


def test_times_of_dates_that_are_kept_stay(cohort: CohortKey) -> None:
    text = "12/03/2024 14:32"
    kept = Policy(actions={"DATE": Action.KEEP})
    release = Rewriter(cohort, kept).rewrite(
        Document("n", text, "1", "fr"), (Span(0, 10, "DATE"),), None
    )
    assert release.text == text


def test_the_first_version_keeps_times(
    cohort: CohortKey, marked: Callable[..., tuple[Document, tuple[Span, ...]]]
) -> None:
    document, spans = marked("[12/03/2024|DATE] 14:32, [13/03/2024|DATE] à 9h")
    release = Rewriter(cohort.under(2), Policy()).rewrite(document, spans, None)
    assert release.text.endswith(" à 9h")
    assert " 14:32, " in release.text


def test_two_dates_do_not_share_a_time(
    cohort: CohortKey, marked: Callable[..., tuple[Document, tuple[Span, ...]]]
) -> None:
    document, spans = marked("[12/03/2024|DATE] 14:32 [13/03/2024|DATE] 9h [a|FIRST_NAME] 8h")
    release = Rewriter(cohort, Policy()).rewrite(document, spans, None)
    first, second, third = (release.text[span.start : span.end] for span in release.spans)
    assert release.text == f"{first} {second} {third} 8h"


@given(st.integers(0, 1439), st.integers(0, 1439), st.dates(), st.integers(0, 50))
def test_the_order_holds(cohort: CohortKey, one: int, other: int, day: date, person: int) -> None:
    key = cohort.patient(str(person))
    first, second = (order_minute(key, day, minute) for minute in (one, other))
    assert (one < other) == (first < second)
    assert first == 0 if one == 0 else 60 <= first < 86_400


def test_the_order_tells_little_of_the_time(cohort: CohortKey) -> None:
    """Noon becomes any time of the day, another on each day and for each patient."""
    key = cohort.patient("1")
    days = [date.fromordinal(738_000 + day) for day in range(400)]
    noons = sorted(order_minute(key, day, 720) for day in days)
    assert len(set(noons)) > 390
    assert noons[100] < 30_000
    assert noons[300] > 56_000
    assert order_minute(cohort.patient("2"), days[0], 720) != order_minute(key, days[0], 720)


@pytest.mark.parametrize(
    "written", ["12/03/2024 14:32", "12/03/2024 à 14h32", "12 mars 2024 14:32"]
)
def test_text_and_columns_have_the_same_order(cohort: CohortKey, written: str) -> None:
    policy = Policy(times="order")
    end = len("12 mars 2024") if "mars" in written else 10
    release = Rewriter(cohort, policy).rewrite(
        Document("n", written, "1", "fr"), (Span(0, end, "DATE"),), None
    )
    moved = Columns(cohort, policy).shift_datetime("1", datetime(2024, 3, 12, 14, 32, 50))
    form = f"{moved.hour}h{moved:%M}" if "h" in written else f"{moved:%H:%M}"
    assert release.text.endswith(form)

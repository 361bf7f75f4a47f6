"""Weeks of the calendar move with their Monday, and weekdays with the dates beside them."""

import re
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.policy import Policy
from record.span import Span
from rules.dates.dates import detect
from surrogates.dates import weeks
from surrogates.keys.keys import MasterKey
from surrogates.patient.date_shift import DateShift
from surrogates.rewrite import Rewriter

WRITTEN = date(2024, 3, 14)
COHORT = MasterKey(bytes(range(32))).cohort("asthma-2024")
BACK = DateShift(-100, -1, reads_ahead=True)


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        # 18 March 2024 is the Monday of the 12th week; 100 days before is 9 December 2023.
        ("KW 12/2024", "KW 49/2023"),
        ("KW12/24", "KW49/23"),
        ("KW 12", "KW 49"),
        ("12. KW 2024", "49. KW 2023"),
        ("Semaine 12 de 2024", "Semaine 49 de 2023"),
        ("S12 2024", "S49 2023"),
        ("S12", "S49"),
        ("sem. 20", "sem. 5"),
        ("S20", "S05"),
        ("week 12 of 2024", "week 49 of 2023"),
        ("Week 12, 2024", "Week 49, 2023"),
        ("2024-W12", "2023-W49"),
        ("2024W20", "2024W05"),
        ("2024-W12-3", "2023-W50-1"),
        ("KW 53 2024", "KW 38 2024"),
        ("KW 1/2021", "KW 39/2020"),
    ],
)
def test_a_week_moves_with_its_monday(text: str, moved: str) -> None:
    assert weeks.is_week(text)
    assert weeks.move(text, BACK, WRITTEN) == moved


@pytest.mark.parametrize(
    "text", ["12/2024", "6 sep 2021", "12 S", "KW", "KW 54", "S1 L5", "semaine du 12", "x" * 50]
)
def test_other_texts_are_no_week(text: str) -> None:
    assert not weeks.is_week(text)
    assert weeks.move(text, BACK, WRITTEN) is None


def test_a_week_that_would_stay_moves_on() -> None:
    assert weeks.move("KW 12/2024", DateShift(-3, -1), WRITTEN) == "KW 11/2024"
    assert weeks.move("KW 12", DateShift(-2, -1, seasonal=True), WRITTEN) != "KW 12"
    year = DateShift(-364, -1, seasonal=True)
    assert weeks.move("KW 12", year, WRITTEN) == "KW 12"


def test_a_week_is_cut_down_as_dates_are() -> None:
    """The week of the 4th: that of 4 January is the first of its year."""
    month = DateShift(-100, -1, "month")
    assert weeks.move("KW 12/2024", month, WRITTEN) == "KW 49/2023"
    year = DateShift(-100, -1, "year")
    assert weeks.move("KW 12/2024", year, WRITTEN) == "KW 1/2023"
    assert weeks.move("KW 1/2024", DateShift(-3, -1, "year"), WRITTEN) == "KW 1/2023"


FULL = {
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
}
SHORT = {
    "fr": "lun mar mer jeu ven sam dim",
    "en": "Mon Tue Wed Thu Fri Sat Sun",
    "de": "Mo Di Mi Do Fr Sa So",
    "es": "lun mar mié jue vie sáb dom",
    "nl": "ma di wo do vr za zo",
}
LAYOUTS = (
    ("{date} ({full})", FULL), ("{date}, {full}", FULL), ("{full} : {date}", FULL),
    ("{full}\n{date}", FULL), ("{full} x {date}", FULL), ("{date} ({full})", SHORT),
)  # fmt: skip


def _write(day: date, lang: str) -> str:
    return f"{day:%m/%d/%Y}" if lang == "en" else f"{day:%d.%m.%Y}"


@given(
    st.dates(date(1950, 1, 1), date(2030, 12, 31)),
    st.sampled_from(sorted(FULL)),
    st.sampled_from(LAYOUTS),
    st.integers(1, 50),
)
def test_a_weekday_beside_a_date_is_that_of_the_moved_date(
    day: date, lang: str, layout: tuple[str, dict[str, str]], person: int
) -> None:
    """Also where the dates move by whole weeks."""
    form, names = layout
    words = names[lang].split()
    rewriter = Rewriter(COHORT, Policy())

    def rewrite(text: str) -> str:
        document = Document("1", text, str(person), lang, written=datetime(2024, 3, 14))
        return rewriter.rewrite(document, detect(document), None).text

    whole = rewrite(f"{day:%Y-%m-%d}")
    moved = date.fromisoformat(whole)
    text = form.format(date=_write(day, lang), full=words[day.weekday()])
    assert rewrite(text) == form.format(date=_write(moved, lang), full=words[moved.weekday()])


@given(st.dates(date(1950, 1, 1), date(2030, 12, 31)), st.integers(1, 50))
def test_all_dates_of_a_note_move_by_one_constant(day: date, person: int) -> None:
    """In whatever form a day, its week or a feast is written."""
    year, week, weekday = day.isocalendar()
    lines = [
        f"{day:%d/%m/%Y}", f"{year}-W{week:02d}-{weekday}", f"{day:%Y-%m-%d}", f"KW {week}/{year}",
        f"Pâques {day.year}", f"Thanksgiving {day.year}", f"Noël {day.year}",
    ]  # fmt: skip
    document = Document("1", " ;\n".join(lines), str(person), "fr", written=datetime(2024, 3, 14))
    spans = detect(document)
    assert len(spans) == len(lines)
    moved = Rewriter(COHORT, Policy()).rewrite(document, spans, None).text.split(" ;\n")
    third = date.fromisoformat(moved[2])
    shift = third - day
    assert moved[0] == f"{third:%d/%m/%Y}"
    iso = third.isocalendar()
    assert moved[1] == f"{iso[0]}-W{iso[1]:02d}-{iso[2]}"
    monday = (day - timedelta(days=day.weekday()) + shift).isocalendar()
    assert moved[3] == f"KW {monday[1]}/{monday[0]}"
    for line, written in zip(lines[4:], moved[4:], strict=True):
        feast = feasts_day(line)
        assert written == write_french(feast + shift)


def feasts_day(text: str) -> date:
    from dateutil.easter import easter

    name, year = text.split()
    if name == "Pâques":
        return easter(int(year))
    if name == "Noël":
        return date(int(year), 12, 25)
    days = [date(int(year), 11, day) for day in range(22, 29)]
    return next(day for day in days if day.weekday() == 3)


def write_french(day: date) -> str:
    months = (
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
    ).split()
    number = "1er" if day.day == 1 else str(day.day)
    return f"{number} {months[day.month - 1]} {day.year}"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("5.3.24", date(2024, 3, 5)), ("05.03.2024", date(2024, 3, 5)),
        ("5.23.24", date(2024, 5, 23)), ("25.3.24", date(2024, 3, 25)),
        ("5/3/24", date(2024, 5, 3)), ("05/03/2024", date(2024, 5, 3)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("others", ["", "; seen 12/25/2023"])
def test_english_dates_with_dots_have_the_day_first(text: str, day: date, others: str) -> None:
    """Unless the first number is no day, or the second no month."""
    form = "{0:%d}.{0:%m}.{0:%Y}" if "." in text else "{0:%m}/{0:%d}/{0:%Y}"
    if text == "5.23.24":
        form = "{0:%m}.{0:%d}.{0:%Y}"
    whole = form.format(day)

    def rewrite(value: str) -> str:
        document = Document("1", f"{value}{others}", "7", "en", written=datetime(2024, 4, 1))
        spans = [Span(0, len(value), "DATE")]
        if others:
            spans.append(Span(len(document.text) - 10, len(document.text), "DATE"))
        return Rewriter(COHORT, Policy()).rewrite(document, spans, None).text

    iso = date.fromisoformat(rewrite(f"{day}")[:10])
    assert rewrite(whole).startswith(form.format(iso))
    short = rewrite(text).removesuffix(others and rewrite("x")[-20:])
    numbers = [int(each) for each in re.findall(r"\d+", short)[:3]]
    assert sorted(numbers) == sorted(
        (iso.day, iso.month, iso.year % 100 if len(text) < 8 else iso.year)
    )


def _rewrite(text: str, lang: str) -> str:
    document = Document("1", text, "7", lang, written=datetime(2024, 1, 20))
    return Rewriter(COHORT, Policy()).rewrite(document, detect(document), None).text


def test_days_that_share_a_year_are_as_far_apart_as_before() -> None:
    """The year stands behind the second day only."""
    moved = _rewrite("2023-03-18 ; 2023-03-19", "en").split(" ; ")
    first, second = map(date.fromisoformat, moved)
    text = _rewrite("the weekend of March 18-19, 2023", "en")
    if first.month == second.month:
        assert text == f"the weekend of {first:%B} {first.day}-{second.day}, {second.year}"
    else:
        assert f"{first:%B} {first.day}-" in text


def test_tuesday_is_no_march_before_a_day() -> None:
    day = date.fromisoformat(_rewrite("2023-03-21", "fr"))
    name = SHORT["fr"].split()[day.weekday()]
    assert _rewrite("Mar. 21/03", "fr").startswith(name.capitalize())
    moved = _rewrite("21/03", "fr") if _rewrite("21/03", "fr") != "21/03" else ""
    assert not moved or _rewrite("Mar. 21/03", "fr") == f"{name.capitalize()}. {moved}"

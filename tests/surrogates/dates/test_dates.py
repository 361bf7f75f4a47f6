"""Dates keep their format and their intervals, whatever the format."""

from collections.abc import Callable
from datetime import date, timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.errors import Unsafe
from record.folding import fold
from record.policy import Policy
from surrogates.dates import dates, parsing, rendering
from surrogates.keys.keys import CohortKey
from tests.surrogates.conftest import Replace

WRITTEN = date(2024, 5, 20)

# Full dates, each with the day it means: parsing and writing again must give the same text.
FULL = {
    "fr": """
12/03/2024 01/03/2024 1/3/2024 31/12/1999 29/02/2024 12-03-2024 12.03.2024 12|03|2024 12_03_2024
12/03/24 01.03.24 12-03-24 2024-03-12 2024/03/12 2024.03.12 2024-3-2 12032024 20240312 120324
12mars2024 12nov2023 05nov2023 12-nov-2023 1er/03/2024 12/mars/2024 22|8|1923 27-10-1968 04/07/1952
;12 mars 2024;1er mars 2024;2 mars 2024;02 mars 2024;12 MARS 2024;1ER MARS 2024;12 Mars 2024
;12 février 2024;12 fevrier 2024;12 FÉVRIER 2024;12 FEVRIER 2024;12 Février 2024;12 févr. 2024
;12 janv. 2024;3 avr. 2024;3 juil. 2024;12 sept. 2024;12 oct. 2024;12 déc. 2024;12 dec. 2024
;12 août 2024;12 aout 2024;12 AOUT 2024;12 AOÛT 2024;lundi 12 mars 2024;Mardi 12 mars 2024
;MARDI 12 MARS 2024;mardi 12/03/2024;mar. 12 mars 2024;mar 12/03/2024;le 12 mars 2024
;le 12/03/2024;Le mardi 12 mars 2024;12 mars 24;12 mars 95;12 mars, 2024;12, Mars 2024
;12 / 03 / 2024;12/03 /2024;12 03 2024;12 . 03 . 2024;24/08//1979;10 / 03 | 2020
;le 3 d'août 2003;vingt-quatre août deux mille dix-sept;vingt quatre aout deux mille dix sept
;quinze septembre mille neuf cent soixante-cinq;premier mars deux mille vingt;vingt mars 2020
;12/03/2024 à 14h30;12/03/2024 14:30;12/03/2024 14:30:12;12/03/2024 à 14h;12 mars 2024 à 9 h 05
;2024-03-12T10:15:00;2024-03-12T10:15:00Z;2024-03-12 10:15:00+02:00;20 12 2003;12 mars\n2024
;12/03/\n2024;12\xa0mars\xa02024;12\u202f03\u202f2024;12–03–2024;23-février-1931;31 MAI 1968
;11 décembre 1999;30 juin 2001;8 mai 1945;14 juillet 1989;07 avril 2073
""",
    "en": """
03/12/2024 3/4/2019 12/31/1999 03-12-2024 2024-03-12 03122024 031224 12-Nov-2023
12-May-2023 05-Jan-2001 Nov/12/2023 12NOV2023 3.12.2024 Mar-12-2024
;March 12, 2024;March 12 2024;March 12th, 2024;March 1st, 2024;March 2nd, 2024;March 3rd, 2024
;March 11th, 2024;March 22nd, 2024;March 23rd 2024;12 March 2024;12th March 2024;12th of March 2024
;the 12th of March, 2024;1 March 2024;MARCH 12, 2024;march 12, 2024;Mar 12, 2024;Mar. 12, 2024
;Sept 21, 2026;Sept. 21st, 2026;Sep 21, 2026;21 Sep 2026;Tuesday, March 12, 2024
;Tuesday 12 March 2024;Tue 12 Mar 2024;Tue, Mar 12, 2024;on March 12, 2024;March 12, '24
;March 12, 2024 at 3:15 pm;03/12/2024 15:15;2000-04-16 11:34:35;Feb 29, 2024;December 31, 1999
;June 30 1985;4 July 1976;2024 March 12
""",
    "es": """
12/03/2024 12-3-04 22-7-2004 12032024 2024-03-12 27-octubre-2016 6-abril-2004 4-8-2004
;12 de marzo de 2024;1 de enero de 2020;12 de Marzo de 2024;12 DE MARZO DE 2024;12 marzo 2024
;12 de marzo del 2024;30 de Agosto del 2003;lunes 3 de junio de 2019;Miércoles, 12 de junio de 2024
;miercoles 12 de junio de 2024;12 de marzo del año 2024;12 mar 2024;12-mar-2024;12 ene. 2024
;12 de septiembre de 2024;12 de setiembre de 2024;12 sept. 2024;el 12 de marzo de 2024
;veintiuno de junio de dos mil cinco;treinta y uno de mayo de mil novecientos ochenta y cuatro
;12/03/2024 10:30;12 de dic. de 2024;sábado 1 de junio de 2019;uno de abril de dos mil
""",
}
TABLE = [
    (lang, text)
    for lang, block in FULL.items()
    for text in block.split(";")[0].split() + [each.strip() for each in block.split(";")[1:]]
]

PARTIAL = [
    # lang, written text, days, expected
    ("fr", "12/03", 100, "20/06"),
    ("fr", "16/09", 100, "25/12"),
    ("fr", "13 / 03", 100, "21 / 06"),
    ("fr", "05nov", 100, "13fév"),
    ("fr", "1er août", 100, "9 novembre"),
    ("fr", "mars 2024", 100, "juin 2024"),
    ("fr", "MARS 2024", -40, "FEVRIER 2024"),
    ("fr", "mars 2024", 5, "avril 2024"),
    ("fr", "mars 2024", -5, "février 2024"),
    ("fr", "décembre 93", 100, "mars 94"),
    ("fr", "2013 janvier", 100, "2013 avril"),
    ("fr", "11/2005", 100, "02/2006"),
    ("fr", "03/95", 100, "06/95"),
    ("fr", "2024", 100, "2025"),
    ("fr", "2024", -100, "2023"),
    ("fr", "2024", 365, "2025"),
    ("fr", "année 2009", -30, "année 2008"),
    ("fr", "'95", 30, "'96"),
    ("fr", "mars", 100, "juin"),
    ("fr", "fin septembre", 100, "fin décembre"),
    ("fr", "18", 10, "28"),
    ("fr", "lundi", 100, "mercredi"),
    ("fr", "lundi", 70, "mardi"),
    ("fr", "lundi", -70, "dimanche"),
    ("fr", "été 2019", 100, "automne 2019"),
    ("fr", "du 10 au 12/08/1995", 100, "du 18 au 20/11/1995"),
    ("fr", "du 10 au 12/08/1995", 20, "du 30 au 01/09/1995"),
    ("fr", "du 28/07 au 02/08/1995", 100, "du 05/11 au 10/11/1995"),
    ("fr", "du 30/12 au 02/01/1996", 100, "du 08/04 au 11/04/1996"),
    ("fr", "10-12/08/1995", 100, "18-20/11/1995"),
    ("fr", "10 et 12 août 1995", 100, "18 et 20 novembre 1995"),
    ("fr", "12, 13 et 14 mars 2024", 3, "15, 16 et 17 mars 2024"),
    ("fr", "entre 1999 et 2003", 100, "entre 2000 et 2004"),
    ("fr", "10/08/1995-12/08/1995", 100, "18/11/1995-20/11/1995"),
    ("fr", "1 2 0 3 2 0 2 4", 100, "2 0 0 6 2 0 2 4"),
    ("fr", "1 2 0 3 2 4", 100, "2 0 0 6 2 4"),
    ("fr", "l2/03/2O24", 100, "20/06/2024"),
    ("fr", "O1/O3/2024", 100, "09/06/2024"),
    ("en", "March 12", 100, "June 20"),
    ("en", "Dec-08", 100, "Mar-09"),
    ("en", "Jan '24", 100, "Apr '24"),
    ("en", "3/14", 100, "6/22"),
    ("en", "13/12/2024", 100, "23/03/2025"),
    ("fr", "12/31/2024", 100, "04/10/2025"),
    ("en", "March 3-10, 2024", 100, "June 11-18, 2024"),
    ("en", "from March 3 to March 10, 2024", 100, "from June 11 to June 18, 2024"),
    ("en", "Thursday", 100, "Saturday"),
    ("en", "summer of 2012", 100, "autumn of 2012"),
    ("en", "2010-2015", 100, "2011-2016"),
    ("es", "febrero de 2011", 100, "mayo de 2011"),
    ("es", "diciembre-08", 100, "marzo-09"),
    ("es", "septiembre del año 2000", 100, "diciembre del año 2000"),
    ("es", "febrero y abril de 2002", 100, "mayo y julio de 2002"),
    ("es", "25 de agosto", 100, "3 de diciembre"),
    ("es", "del 3 al 5 de mayo de 2020", 100, "del 11 al 13 de agosto de 2020"),
]

MONTHS_FR = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
)
MONTHS_ES = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
).split()
DAYS_FR = "lundi mardi mercredi jeudi vendredi samedi dimanche".split()

# Independent writers of dates: moving a written date must give what they write for the moved day.
WRITERS: list[tuple[str, Callable[[date], str]]] = [
    ("fr", lambda d: f"{d:%d/%m/%Y}"),
    ("fr", lambda d: f"{d:%d-%m-%Y}"),
    ("fr", lambda d: f"{d:%d.%m.%Y}"),
    ("fr", lambda d: f"{d:%d/%m/%y}"),
    ("fr", lambda d: f"{d:%Y-%m-%d}"),
    ("fr", lambda d: f"{d:%d%m%Y}"),
    ("fr", lambda d: f"{d:%d%m%y}"),
    ("fr", lambda d: " ".join(f"{d:%d%m%Y}")),
    ("fr", lambda d: f"{d:%d/%m/%Y} à 14h30"),
    ("fr", lambda d: f"{_first(d.day)} {MONTHS_FR[d.month - 1]} {d.year}"),
    ("fr", lambda d: f"{_first(d.day)} {MONTHS_FR[d.month - 1].title()} {d.year}"),
    ("fr", lambda d: f"{DAYS_FR[d.weekday()]} {_first(d.day)} {MONTHS_FR[d.month - 1]} {d.year}"),
    ("fr", lambda d: f"{DAYS_FR[d.weekday()].upper()} {d:%d/%m/%Y}"),
    ("en", lambda d: f"{d:%m/%d/%Y}"),
    ("en", lambda d: f"{d:%B} {d.day}, {d.year}"),
    ("en", lambda d: f"{d.day} {d:%B} {d.year}"),
    ("en", lambda d: f"{d:%d-%b-%Y}"),
    ("en", lambda d: f"{d:%A}, {d:%B} {d.day}, {d.year}"),
    ("en", lambda d: f"{d:%B} {_english(d.day)}, {d.year}"),
    ("es", lambda d: f"{d:%d/%m/%Y}"),
    ("es", lambda d: f"{d.day} de {MONTHS_ES[d.month - 1]} de {d.year}"),
]


def _first(day: int) -> str:
    return "1er" if day == 1 else str(day)


def _english(day: int) -> str:
    if day in (11, 12, 13):
        return f"{day}th"
    return f"{day}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th') }"


def test_the_table_is_large() -> None:
    assert len(set(TABLE)) + len(PARTIAL) + len(WRITERS) >= 200
    assert len(set(TABLE)) >= 150


@pytest.mark.parametrize(("lang", "text"), TABLE)
def test_a_full_date_is_read_and_written_back(lang: str, text: str) -> None:
    form = parsing.parse(text, lang=lang, latest=WRITTEN.year + 10)
    assert form is not None
    assert len(form.groups) == 1
    group = form.groups[0]
    day = date(group.year, group.month, group.day)
    assert rendering.render(form, [(day, max(group.weekday, 0))]) == text


@pytest.mark.parametrize(("lang", "text"), TABLE)
@pytest.mark.parametrize("days", [1, -1, 30, 31, 100, -365])
def test_a_full_date_moves_by_exactly_the_days(lang: str, text: str, days: int) -> None:
    moved = dates.shift_text(text, days=days, written=WRITTEN, lang=lang)
    assert moved is not None
    assert _meant(moved, lang) - _meant(text, lang) == timedelta(days=days)
    assert fold(moved) != fold(text)


def _meant(text: str, lang: str) -> date:
    form = parsing.parse(text, lang=lang, latest=WRITTEN.year + 10)
    assert form is not None
    group = form.groups[0]
    return date(group.year, group.month, group.day)


@pytest.mark.parametrize(("lang", "text", "days", "expected"), PARTIAL)
def test_partial_dates_and_ranges(lang: str, text: str, days: int, expected: str) -> None:
    assert dates.shift_text(text, days=days, written=WRITTEN, lang=lang) == expected


@pytest.mark.parametrize(("lang", "write"), WRITERS)
@given(
    day=st.dates(date(1960, 1, 1), date(2030, 12, 31)),
    days=st.integers(-365, 365).filter(bool),
)
def test_moving_the_text_is_moving_the_day(
    lang: str, write: Callable[[date], str], day: date, days: int
) -> None:
    there = dates.shift_text(write(day), days=days, written=WRITTEN, lang=lang)
    assert there == write(day + timedelta(days=days))
    assert dates.shift_text(there, days=-days, written=WRITTEN, lang=lang) == write(day)


@pytest.mark.parametrize(
    ("text", "days", "expected"),
    [
        ("29/02/2024", 365, "28/02/2025"),
        ("29/02/2024", 366, "01/03/2025"),
        ("28/02/2023", 1, "01/03/2023"),
        ("28/02/2024", 1, "29/02/2024"),
        ("31/01/2023", 31, "03/03/2023"),
        ("31/05/2023", 30, "30/06/2023"),
        ("31/12/2023", 1, "01/01/2024"),
        ("01/01/2000", -1, "31/12/1999"),
        ("01/03/1900", -1, "28/02/1900"),
    ],
)
def test_calendar_edges(text: str, days: int, expected: str) -> None:
    assert dates.shift_text(text, days=days, written=None, lang="fr") == expected


@pytest.mark.parametrize(
    ("text", "written", "year"),
    [("01/06/34", 2024, 2034), ("01/06/35", 2024, 1935), ("01/06/05", 1990, 1905)],
)
def test_two_digit_years_follow_a_moving_window(text: str, written: int, year: int) -> None:
    form = parsing.parse(text, lang="fr", latest=written + 10)
    assert form is not None
    assert form.groups[0].year == year


def test_the_language_decides_the_order_of_ambiguous_numbers() -> None:
    moved = {
        lang: dates.shift_text("03/04/2024", days=1, written=None, lang=lang)
        for lang in ("fr", "en", "es")
    }
    assert moved == {"fr": "04/04/2024", "en": "03/05/2024", "es": "04/04/2024"}


@pytest.mark.parametrize(
    "text",
    [
        *("16/018/1961", "0/10/2017", "99/99/9999", "26708/2017", "Noël 2019", "Noël", "?", ""),
        *("anniversaire de Paul", "12 xyz 2020", "1" * 500, "٣/٤/٢٠٢٠", "31/12/9999x"),
    ],
)
def test_what_is_no_date_is_not_guessed(text: str) -> None:
    moved = dates.shift_text(text, days=50, written=WRITTEN, lang="fr")
    assert moved is None


@pytest.mark.parametrize("lang", ["fr", "en", "es"])
@pytest.mark.parametrize(
    "text",
    [
        *("16/018/1961", "0/10/2017", "99/99/9999", "26708/2017", "Noël 2019", "Pâques", "Paul"),
        *("7", "12 xyz 2020", "9" * 50, "٣/٤/٢٠٢٠", "1/1/1", "recién nacido"),
    ],
)
def test_what_is_no_date_is_replaced_all_the_same(replace: Replace, text: str, lang: str) -> None:
    drawn = replace(text, "DATE", lang=lang)
    assert fold(drawn) != fold(text)
    assert "paul" not in fold(drawn)
    assert "xyz" not in drawn
    assert drawn == replace(text, "DATE", lang=lang)


@given(
    st.text(max_size=40),
    st.integers(-365, 365).filter(bool),
    st.sampled_from(["fr", "en", "es", "de", "nl", ""]),
)
def test_no_text_makes_it_fail(text: str, days: int, lang: str) -> None:
    moved = dates.shift_text(text, days=days, written=WRITTEN, lang=lang)
    assert moved is None or fold(moved) != fold(text)


@given(
    st.lists(
        st.sampled_from(
            "12 3 1er 2024 95 mars mars. du au / - . , lundi août MAI et de 14h30 120324".split()
        ),
        max_size=7,
    ),
    st.integers(-365, 365).filter(bool),
)
def test_nothing_made_of_dates_stays_itself(words: list[str], days: int) -> None:
    text = " ".join(words)
    moved = dates.shift_text(text, days=days, written=WRITTEN, lang="fr")
    assert moved is None or fold(moved) != fold(text)


def test_intervals_between_all_pairs_are_kept(cohort: CohortKey, replace: Replace) -> None:
    days = [date(2019, 1, 31) + timedelta(days=37 * step) for step in range(30)]
    moved = [date.fromisoformat(replace(day.isoformat(), "DATE")) for day in days]
    for (a, x), (b, y) in combinations(list(zip(days, moved, strict=True)), 2):
        assert b - a == y - x


@given(st.integers(1, 400), st.integers(0, 400), st.text(min_size=1, max_size=5))
def test_the_shift_is_within_the_policy_and_never_zero(low: int, more: int, person: str) -> None:
    from surrogates.keys.keys import MasterKey

    key = MasterKey(bytes(32)).cohort("c").patient(person)
    policy = Policy(min_shift_days=low, max_shift_days=low + more)
    days = dates.shift_days(key, policy)
    assert low <= abs(days) <= low + more
    assert days == dates.shift_days(key, policy)


def test_shifts_cover_their_range(cohort: CohortKey) -> None:
    policy = Policy(min_shift_days=1, max_shift_days=10)
    drawn = [dates.shift_days(cohort.patient(str(n)), policy) for n in range(2000)]
    assert set(drawn) == set(range(-10, 0))
    both = Policy(min_shift_days=1, max_shift_days=10, shift_direction="both")
    drawn = [dates.shift_days(cohort.patient(str(n)), both) for n in range(2000)]
    assert set(drawn) == {*range(-10, 0), *range(1, 11)}
    assert 850 < sum(days > 0 for days in drawn) < 1150


def test_the_calendar_ends(cohort: CohortKey) -> None:
    with pytest.raises(Unsafe):
        dates.shift_day(date(9999, 12, 31), 1)
    assert dates.shift_day(date(2024, 2, 28), 2) == date(2024, 3, 1)

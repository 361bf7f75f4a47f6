"""A reviewed table of written dates, and an oracle that reads both sides without the program.

The oracle knows the calendar of `datetime`, the names of months and weekdays, and what each text
states, which the table says beside it. It finds the parts of the moved date in the expected text.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from surrogates.dates import dates

WRITTEN = date(2024, 5, 20)
LANGUAGES = ("fr", "en", "es", "de", "nl")


class Row(NamedTuple):
    language: str
    text: str
    days: int
    expected: str
    stated: str


def _rows() -> Iterator[Row]:
    table = (Path(__file__).parent / "dates_golden.tsv").read_text(encoding="utf-8")
    lines = [line for line in table.splitlines() if not line.startswith("#")]
    for line in lines[1:]:
        language, text, days, expected, stated = line.replace("\\n", "\n").split("\t")
        yield Row(language, text, int(days), expected, stated)


ROWS = list(_rows())
# The first letters of the months, without accents, whatever the language.
MONTHS = (
    "jan ene jän|fev feb fév|mar mär maa mrt mrz mzo mae|avr apr abr|mai may mei"
    "|juin jun|juil jul|aou aoû aug ago|sep set|oct okt|nov|dec déc dez dic dbr"
).split("|")
ROMAN = "i ii iii iv v vi vii viii ix x xi xii".split()
WEEKDAYS = (
    "lundi lun monday mon lunes montag mo maandag ma"
    "|mardi mar tuesday tue tues martes dienstag di dinsdag"
    "|mercredi mer wednesday wed miércoles mié mittwoch mi woensdag wo"
    "|jeudi jeu thursday thu thurs jueves jue donnerstag do donderdag"
    "|vendredi ven friday fri viernes vie freitag fr vrijdag vr"
    "|samedi sam saturday sat sábado sáb samstag sonnabend sa zaterdag za"
    "|dimanche dim sunday sun domingo dom sonntag so zondag zo"
).split("|")
SEASONS = (
    "printemps spring primavera frühling frühjahr lente voorjaar"
    "|été summer verano sommer zomer"
    "|automne autumn fall otoño herbst herfst najaar|hiver winter invierno"
).split("|")
FIRST_TO_FOURTH = (
    "premier first primer erstes ersten eerste|second deuxième segundo zweites zweiten tweede"
    "|third troisième tercer dritten drittes derde|fourth quatrième cuarto viertes vierde"
).split("|")
# The numbers in words that the table expects.
NUMBERS = {
    "premier": 1, "deux": 2, "quatorze": 14, "vingt-trois": 23, "vingt-quatre": 24,
    "mille neuf cent quatre-vingt-sept": 1987, "mille neuf cent quatre-vingt-huit": 1988,
    "deux mille dix-neuf": 2019, "eleventh": 11, "thirteenth": 13, "seventeenth": 17,
    "twenty-sixth": 26, "primero": 1, "cinco": 5, "siete": 7, "trece": 13, "catorce": 14,
    "mil novecientos ochenta": 1980, "dos mil diecinueve": 2019, "dos mil veintiuno": 2021,
    "dreiundzwanzigsten": 23, "dreizehnten": 13, "elften": 11, "ersten": 1, "dritter": 3,
    "zweitausendfünfundzwanzig": 2025, "elf": 11, "zesentwintig": 26, "zeventiende": 17,
    "tweeëntwintig": 22,
}  # fmt: skip


def _month_words(text: str) -> set[int]:
    """Return the months that the words of a text may name."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    found = {
        number
        for number, starts in enumerate(MONTHS, start=1)
        for word in words
        for start in starts.split()
        if word.startswith(start) and not any(word in each.split() for each in WEEKDAYS)
    }
    # `mar` is a month or a weekday; both readings count.
    found |= {3} if "mar" in words else set()
    roman = re.search(r"\d[-/]([ivx]+)[-/]\d", text.lower())
    return found | ({ROMAN.index(roman[1]) + 1} if roman else set())


def _numbers(text: str) -> set[int]:
    """Return the numbers of a text: digits, runs of digits cut in all ways, and words."""
    bare = re.sub(r"(?<=\b\d) (?=\d\b)", "", text)
    found: set[int] = set()
    for run in re.findall(r"\d+", bare):
        found.add(int(run))
        if len(run) in (6, 8):
            found |= {int(run[a : a + n]) for n in (2, 4) for a in range(0, len(run) - n + 1, 2)}
    lowered = f" {text.lower()} "
    found |= {value for words, value in NUMBERS.items() if f" {words} " in lowered.replace(",", "")}
    return found


def _part(stated: str, days: int) -> tuple[int, ...]:
    """Move one stated date by datetime arithmetic: (year,), (year, month), (year, month, day)."""
    unknown_year = stated.startswith("-")
    numbers = [int(part) for part in stated.lstrip("-").split("-")]
    if unknown_year:
        month, day = (*numbers, 15)[:2]
        # The latest such day that does not lie more than a month after the note.
        near = date(WRITTEN.year, month, day)
        near = near if near <= WRITTEN + timedelta(31) else near.replace(year=WRITTEN.year - 1)
        moved = near + timedelta(days)
        return (0, moved.month, moved.day)[: len(numbers) + 1]
    whole = (*numbers, *((7, 2), (15,), ())[len(numbers) - 1])
    moved = date(*whole) + timedelta(days)
    return (moved.year, moved.month, moved.day)[: len(numbers)]


def _nudged(stated: str, moved: tuple[int, ...], days: int) -> tuple[int, ...]:
    """Move what stayed where it was on by one of its own units, as no date may stay."""
    before = [int(part) for part in stated.lstrip("-").split("-")]
    sign = 1 if days > 0 else -1
    stays = [*moved] == before or [*moved[1:]] == before
    if len(moved) == 1 and stays:
        return (moved[0] + sign,)
    if len(moved) == 2 and stays:
        month = moved[0] * 12 + moved[1] - 1 + sign
        return (month // 12 if moved[0] else 0, month % 12 + 1)
    return (0, moved[1], moved[2] + sign) if len(moved) == 3 and stays else moved


def _shows(text: str, moved: tuple[int, ...]) -> bool:
    numbers, months = _numbers(text), _month_words(text)
    year, month, day = (*moved, 0, 0)[:3]
    return (
        (not year or bool({year, year % 100} & numbers))
        and (not month or month in months or (not months and month in numbers))
        and (not day or day in numbers)
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.language}:{row.text}:{row.days}")
def test_the_table(row: Row) -> None:
    moved = dates.shift_text(row.text, days=row.days, written=WRITTEN, lang=row.language)
    assert moved == row.expected


WHOLE = [row for row in ROWS if re.fullmatch(r"[\d.-]+", row.stated)]


@pytest.mark.parametrize("row", WHOLE, ids=lambda row: f"{row.language}:{row.text}:{row.days}")
def test_the_table_agrees_with_the_calendar(row: Row) -> None:
    parts = row.stated.split("..")
    moved = [_nudged(part, _part(part, row.days), row.days) for part in parts]
    assert _shows(row.expected, moved[-1])
    if len(parts) == 2:
        # The first date of a range shows the day, and what else it does not share with the second.
        assert _shows(row.expected, moved[0] if len(moved[0]) < 3 else (0, 0, moved[0][2]))
    if len(parts) == 1 and re.fullmatch(r"[\d\W]+(?:[^\W\d]{3,}[\d\W]+)?", row.text):
        assert _shows(row.text, _part(parts[0], 0))


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.stated == "!"], ids=lambda row: f"{row.text}:{row.days}"
)
def test_an_impossible_day_becomes_one_of_the_calendar(row: Row) -> None:
    """One that stayed impossible would tell how short the month of the original is."""
    numbers = [int(number) for number in re.findall(r"\d+", row.expected)]
    first, second = (*numbers[:2],) if len(numbers) == 3 else (numbers[0], 0)
    day, month = (second, first) if row.language == "en" and second else (first, second)
    for number in {month} if month else _month_words(row.expected):
        assert date(numbers[-1], number, day)


PERIODIC = [row for row in ROWS if re.search(r"-[SQH]\d$", row.stated)]


@pytest.mark.parametrize("row", PERIODIC, ids=lambda row: f"{row.language}:{row.text}:{row.days}")
def test_parts_of_a_year_move_by_their_middle(row: Row) -> None:
    year, kind, number = int(row.stated[:4]), row.stated[5], int(row.stated[6])
    length = {"S": 3, "Q": 3, "H": 6}[kind]
    first = {"S": (4, 7, 10, 1)[number - 1], "Q": 3 * number - 1, "H": 6 * number - 2}[kind]
    middle = date(year, first, 15)
    moved = middle + timedelta(row.days)

    def part(day: date) -> int:
        return (day.month - 3) % 12 // 3 if kind == "S" else (day.month - 1) // length

    if (part(moved), moved.year) == (part(middle), year):
        months = year * 12 + first - 1 + length * (1 if row.days > 0 else -1)
        moved = date(months // 12, months % 12 + 1, 15)
    words = re.findall(r"[^\W\d_]+", row.expected.lower())
    names = (SEASONS if kind == "S" else FIRST_TO_FOURTH)[part(moved)].split()
    assert str(moved.year) in row.expected
    assert any(word in names for word in words) or re.search(
        rf"\b\D?{part(moved) + 1}", row.expected
    )


def _weekday(text: str) -> int | None:
    words = re.findall(r"[^\W\d_]+", text.lower())
    named = [n for n, names in enumerate(WEEKDAYS) if {*words} & {*names.split()}]
    return named[0] if named else None


# `mar` is left out: a month in the one place, a weekday in the other.
WITH_WEEKDAY = [
    row
    for row in ROWS
    if re.fullmatch(r"\d{4}-\d\d-\d\d", row.stated)
    and _weekday(row.text) is not None
    and not re.search(r"\bmar\b", (row.text + row.expected).lower())
]


@pytest.mark.parametrize("row", WITH_WEEKDAY, ids=lambda row: f"{row.text}:{row.days}")
def test_weekdays_follow(row: Row) -> None:
    moved = date.fromisoformat(row.stated) + timedelta(row.days)
    assert _weekday(row.text) == date.fromisoformat(row.stated).weekday()
    assert _weekday(row.expected) == moved.weekday()


def test_the_table_covers_the_languages_and_no_date_stays() -> None:
    assert len({(row.language, row.text) for row in ROWS}) >= 300
    for lang in LANGUAGES:
        assert len({row.text for row in ROWS if row.language == lang}) >= 60
    assert all(row.text != row.expected for row in ROWS)

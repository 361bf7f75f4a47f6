"""Dates read by their shape: what the rules read and write without it, whatever the numbers."""

import re
from datetime import date
from random import Random

import pytest

from surrogates.dates import dates, format_templates, parsing
from surrogates.dates.whole_dates import read_whole_date
from surrogates.patient.date_shift import DateShift
from tests.surrogates.dates.test_dates_forms import FOUND

WRITTEN = date(2024, 5, 20)
LANGUAGES = ("fr", "en", "es", "de", "nl", "")
ORDERS = (None, True, False)


def _numbered(text: str, chance: Random) -> str:
    """Put other numbers of as many digits into a text, mostly possible ones."""

    def number(match: re.Match[str]) -> str:
        most = {1: 9, 2: chance.choice((13, 31, 99)), 4: 2210}.get(len(match[0]), 10**6)
        return f"{chance.randint(1790 if most == 2210 else 0, most):0{len(match[0])}d}"[-8:]

    return re.sub(r"[0-9]+", number, text)


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str, Random]]:
    """Dates of five languages with the numbers they were written with and with drawn ones."""
    chance = Random(7)
    some = chance.sample(FOUND, 500)
    return [
        (each, chance.choice((lang, chance.choice(LANGUAGES))), Random(place))
        for place, (lang, text) in enumerate(some)
        for each in (text, _numbered(text, chance), _numbered(text, chance))
    ]


def test_a_shape_is_read_as_the_rules_read_it(texts: list[tuple[str, str, Random]]) -> None:
    bound = 0
    for text, lang, chance in texts:
        latest, day_first = chance.choice((1999, 2034)), chance.choice(ORDERS)
        expected = parsing.parse(text, lang=lang, latest=latest, day_first=day_first)
        found = format_templates.parse(text, lang=lang, latest=latest, day_first=day_first)
        assert found == expected
        bound += found is not expected
    assert bound > len(texts) / 4


def test_whole_dates_are_written_as_the_rules_write_them(
    texts: list[tuple[str, str, Random]], monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [(*each, each[2].choice((-365, -30, -1, 7, 100))) for each in texts]

    def moved(written: date | None) -> list[str | None]:
        return [
            dates.move_text(
                text,
                DateShift(days, 1),
                written=written,
                lang=lang,
                day_first=ORDERS[len(text) % 3],
            )
            for text, lang, _, days in cases
        ]

    quick = moved(WRITTEN)
    is_whole = [
        read_whole_date(text, lang, ORDERS[len(text) % 3]) is not None for text, lang, _, _ in cases
    ]
    assert sum(is_whole) > len(cases) / 5
    monkeypatch.setattr(dates, "read_whole_date", lambda *_: None)
    monkeypatch.setattr(dates, "_move_numeric", lambda *_, **__: None)
    assert quick == moved(WRITTEN)
    # Nothing completes a whole date: when the note was written does not matter.
    early = moved(date(1961, 2, 3))
    assert [one for one, known in zip(quick, is_whole, strict=True) if known] == [
        one for one, known in zip(early, is_whole, strict=True) if known
    ]


@pytest.mark.parametrize(
    ("text", "other", "alike"),
    [
        ("3 mars 2024", "9 mars 1987", True),
        ("03/04/2024", "31/12/1999", True),
        ("1 mars 2024", "2 mars 2024", False),
        ("3 mars 2024", "13 mars 2024", False),
        ("3 mars 2024", "3 mars 2424", False),
        ("2 trimestre 2024", "5 trimestre 2024", False),
        ("T2 2024", "T7 2024", False),
    ],
)
def test_what_has_one_shape(text: str, other: str, alike: bool) -> None:
    assert (format_templates.shape(text) == format_templates.shape(other)) is alike


@pytest.mark.parametrize("text", ["12/03/2024 14h30", "12:30", "1² mars 2024", "١٢ mars 2024"])
def test_what_has_no_shape(text: str) -> None:
    assert format_templates.shape(text) == ""

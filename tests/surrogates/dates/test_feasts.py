"""Feasts move as the days that they are on, and dates without a year from the nearest one."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime

import pytest

from locales.feasts import FEASTS
from record.document import Document
from record.policy import Policy
from record.span import Span
from surrogates.dates import feast_prepositions, feasts
from surrogates.dates.dates import move_text
from surrogates.keys.keys import CohortKey
from surrogates.patient.date_shift import DateShift
from surrogates.rewrite import Rewriter

BACK = DateShift(-328, -1, reads_ahead=True)


WRITTEN = date(2024, 3, 14)


@pytest.mark.parametrize(
    ("text", "day", "dated"),
    [
        ("Silvester", date(2023, 12, 31), False),
        ("2. Weihnachtstag", date(2023, 12, 26), False),
        ("jour de l’an", date(2024, 1, 1), False),
        ("Noël 2022", date(2022, 12, 25), True),
        ("jour de Noël 2022", date(2022, 12, 25), True),
        ("Boxing Day, 2023", date(2023, 12, 26), True),
        ("Xmas '21", date(2021, 12, 25), True),
        ("Nochebuena de 2022", date(2022, 12, 24), True),
        # The calendars of these years; a feast of the coming half year is ahead of the note.
        ("Pâques 2024", date(2024, 3, 31), True),
        ("Pâques", date(2024, 3, 31), False),
        ("Easter 2023", date(2023, 4, 9), True),
        ("Ostermontag 2025", date(2025, 4, 21), True),
        ("Rosenmontag 2023", date(2023, 2, 20), True),
        ("Ash Wednesday 2025", date(2025, 3, 5), True),
        ("Karfreitag 2024", date(2024, 3, 29), True),
        ("Ascension 2024", date(2024, 5, 9), True),
        ("Pinksteren 2024", date(2024, 5, 19), True),
        ("lundi de Pentecôte 2023", date(2023, 5, 29), True),
        ("Thanksgiving 2023", date(2023, 11, 23), True),
        ("Black Friday 2023", date(2023, 11, 24), True),
        ("Labor Day 2023", date(2023, 9, 4), True),
        ("Memorial Day 2023", date(2023, 5, 29), True),
        ("Koningsdag", date(2024, 4, 27), False),
    ],
)
def test_a_feast_is_on_its_day(text: str, day: date, dated: bool) -> None:
    assert feasts.read(text, WRITTEN) == (day, dated)


@pytest.mark.parametrize("text", ["2022", "3. Januar", "", "Noël Dupont", "Noël 12"])
def test_other_words_are_no_feast(text: str) -> None:
    assert feasts.read(text, WRITTEN) is None
    assert not feasts.is_feast(text)


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("de", "31. Dezember 2023"), ("fr", "1er janvier 2024"), ("en", "December 31, 2023"),
        ("es", "24 de diciembre de 2022"), ("nl", "31 december 2023"),
    ],
)  # fmt: skip
def test_a_day_is_written_in_the_language_of_the_note(lang: str, text: str) -> None:
    year = int(text[-4:])
    day = next(
        date(year, month, day)
        for month, day in ((12, 31), (1, 1), (12, 24))
        if feasts.write_day(date(year, month, day), lang) == text
    )
    assert move_text(text, DateShift(1, 1), written=day, lang=lang) != text
    assert feasts.without_year(text) == text[:-4].rstrip(" ,").removesuffix(" de")
    assert feasts.write_day(day, "xx") is None


@pytest.mark.parametrize("name", sorted(FEASTS))
@pytest.mark.parametrize("year", [1999, 2024, 2031])
def test_a_feast_of_a_year_moves_by_exactly_the_constant(
    cohort: CohortKey, name: str, year: int
) -> None:
    """A feast, alone or with its year, reads as the date of its day does."""
    feast = feasts.read(f"{name} {year}", WRITTEN)
    assert feast is not None
    dated = feasts.write_day(feast.day, "fr")
    assert dated is not None
    texts = [f"{name} {year}", dated, f"{name}"]
    rewriter = Rewriter(cohort, Policy())
    whole = f"{feast.day:%d/%m/%Y}"
    moved = []
    for text in texts:
        document = Document("1", f"{text} | {whole}", "7", "fr", written=datetime(2024, 3, 14))
        spans = (Span(0, len(text), "DATE"), Span(len(text) + 3, len(document.text), "DATE"))
        moved.append(rewriter.rewrite(document, spans, None).text)
    assert moved[0] == moved[1]
    assert moved[2] == feasts.without_year(moved[0].partition(" | ")[0]) + moved[0][-13:]


@pytest.mark.parametrize(
    ("lang", "before", "after"),
    [
        ("fr", "Opéré à ", "Opéré le "), ("fr", "vu à la ", "vu le "), ("fr", "À ", "Le "),
        ("fr", "depuis la ", "depuis le "), ("fr", "avant ", "avant le "),
        ("fr", "jusqu'à ", "jusqu'au "), ("fr", "veille de la ", "veille du "),
        ("fr", "après la ", "après le "), ("fr", "vu la ", "vu le "), ("fr", "vu ", "vu "),
        ("fr", "chute à l'", "chute le "), ("fr", "À l’", "Le "), ("fr", "avant l'", "avant le "),
        ("fr", "jusqu'à l'", "jusqu'au "), ("fr", "fête de l'", "fête du "), ("fr", "mal'", "mal'"),
        ("en", "home at ", "home on "), ("en", "over the ", "on "), ("en", "since ", "since "),
        ("en", "until the ", "until "), ("es", "en ", "el "), ("es", "desde ", "desde el "),
        ("es", "antes de ", "antes del "), ("es", "cena de ", "cena del "), ("es", "la ", "el "),
        ("de", "an ", "am "), ("de", "zu ", "am "), ("de", "seit ", "seit dem "),
        ("de", "bis ", "bis zum "), ("de", "über ", "um den "), ("de", "am ", "am "),
        ("nl", "met ", "op "), ("nl", "rond de ", "rond "), ("nl", "op ", "op "),
        ("xx", "à ", "à "),
    ],
)  # fmt: skip
def test_the_words_before_a_feast_fit_a_day(lang: str, before: str, after: str) -> None:
    assert feast_prepositions.fit(before, lang) == after


def test_a_note_has_the_words_before_a_feast_fitted(
    cohort: CohortKey, marked: Callable[[str], tuple[Document, tuple[Span, ...]]]
) -> None:
    document, spans = marked("Opéré à [Noël 2023|DATE].")
    text = Rewriter(cohort, Policy()).rewrite(replace(document, lang="fr"), spans, None).text
    assert text.startswith("Opéré le ")
    document, spans = marked("Né à [Noël 1950|BIRTH_DATE].")
    text = Rewriter(cohort, Policy()).rewrite(replace(document, lang="fr"), spans, None).text
    assert text.startswith("Né en ") and not any(char.isdigit() for char in text[:-5])


@pytest.mark.parametrize(
    ("text", "written", "moved"),
    [
        # 16 April 2024 is a Tuesday, and 33 days ahead: 328 days before it is 24 May 2023.
        ("mardi 16 avril", date(2024, 3, 14), "mercredi 24 mai"),
        ("16 avril", date(2024, 3, 14), "24 mai"),
        # The January after the December of the note, not eleven months before it.
        ("5 mars", date(2023, 12, 20), "12 avril"),
        ("7 mars", date(2024, 3, 14), "14 avril"),
        ("20 octobre", date(2024, 3, 14), "26 novembre"),
    ],
)
def test_a_date_without_a_year_is_the_nearest(text: str, written: date, moved: str) -> None:
    assert move_text(text, BACK, written=written, lang="fr") == moved


def test_the_first_version_reads_a_month_ahead_at_most() -> None:
    plain = DateShift(-328, -1)
    assert move_text("16 avril", plain, written=date(2024, 3, 14), lang="fr") == "23 mai"


def test_a_note_without_a_date_takes_its_latest(
    cohort: CohortKey, marked: Callable[[str], tuple[Document, tuple[Span, ...]]]
) -> None:
    """The appointment is that of the year of the letter, whenever the program runs."""
    rewriter = Rewriter(cohort, Policy())
    texts = []
    for value in ("16/04/2024", "16/04"):
        document, spans = marked(f"Le [14/03/2024|DATE], RDV le [{value}|DATE].")
        texts.append(rewriter.rewrite(replace(document, written=None), spans, None).text)
    whole, partial = (text.removesuffix(".") for text in texts)
    assert whole.startswith(partial)

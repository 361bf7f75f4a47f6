"""Feasts on fixed days move as these days do, and dates without a year from the nearest one."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from record.document import Document
from record.policy import Policy
from record.span import Span
from surrogates.dates import feasts
from surrogates.dates.dates import move_text
from surrogates.keys.keys import CohortKey
from surrogates.patient.date_shift import DateShift
from surrogates.rewrite import Rewriter

BACK = DateShift(-328, -1, reads_ahead=True)


@pytest.mark.parametrize(
    ("lang", "text", "written"),
    [
        ("de", "Silvester", "31. Dezember"),
        ("de", "2. Weihnachtstag", "26. Dezember"),
        ("fr", "jour de l’an", "1er janvier"),
        ("fr", "Noël 2022", "25 décembre 2022"),
        ("en", "New Year's Eve", "December 31"),
        ("en", "Christmas 2022", "December 25, 2022"),
        ("es", "Nochebuena de 2022", "24 de diciembre de 2022"),
        ("nl", "Oudejaarsavond", "31 december"),
    ],
)
def test_a_feast_is_written_out_as_its_day(lang: str, text: str, written: str) -> None:
    assert feasts.write_out(text, lang) == written
    moved = move_text(written, BACK, written=date(2024, 3, 14), lang=lang)
    assert moved is not None and moved != written


@pytest.mark.parametrize("text", ["Ostern", "2022", "3. Januar", "", "Noël Dupont"])
def test_other_words_are_no_feast(text: str) -> None:
    assert feasts.write_out(text, "de") is None


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

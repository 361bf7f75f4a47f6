"""Ranges of days: one date where the first end is a day alone, two where it is a date."""

import pytest

from pipeline.notes.detection import by_rules
from pipeline.notes.model_detection import refine_spans
from pipeline.notes.overlap_resolution import resolve_spans
from record.document import Document
from record.label import Label
from record.span import Span
from rules.dates.ranges import complete_date_ranges


@pytest.mark.parametrize(
    ("lang", "text", "dates"),
    [
        ("fr", "du 4 au 8 novembre.", ["4 au 8 novembre"]),
        ("fr", "la nuit du 22 au 23/02/2024,", ["22 au 23/02/2024"]),
        ("fr", "du 28 au 1er février", ["28 au 1er février"]),
        ("en", "from 3 to 14 March 2025", ["3 to 14 March 2025"]),
        ("de", "vom 3. bis 14. März 2024", ["3. bis 14. März 2024"]),
        ("es", "del 3 al 14 de marzo de 2024", ["3 al 14 de marzo de 2024"]),
        ("nl", "van 3 tot 14 maart 2024", ["3 tot 14 maart 2024"]),
        ("fr", "du 28/01/2024 au 3/02/2024", ["28/01/2024", "3/02/2024"]),
        ("en", "on 3 and 5 March 2024", ["3", "5 March 2024"]),
    ],
)
def test_ranges_are_one_date_where_the_first_end_is_a_day(
    lang: str, text: str, dates: list[str]
) -> None:
    spans = resolve_spans(by_rules(Document("1", text, lang=lang)), text)
    assert [text[span.start : span.end] for span in spans if span.label == Label.DATE] == dates


def test_ranges_of_several_ends_are_one_date_and_numbers_far_apart_are_none() -> None:
    text = "1 au 3 au 5 mars; 4, puis le 5 mars"
    found = [
        Span(start, start + len(value), Label.DATE, "model")
        for value in ("1", "3", "5 mars", "4")
        for start in (text.index(value),)
    ]
    longest = max(complete_date_ranges(Document("1", text), found), key=lambda s: s.end - s.start)
    assert text[longest.start : longest.end] == "1 au 3 au 5 mars"
    assert all(span.end <= longest.end for span in complete_date_ranges(Document("1", text), found))


def test_ranges_of_a_model_are_completed() -> None:
    text = "du 4 au 8 novembre"
    found = [Span(3, 4, Label.DATE, "model", 0.9), Span(8, 18, Label.DATE, "model", 0.8)]
    assert Span(3, 18, Label.DATE, "model", 0.8) in refine_spans(found, Document("1", text))

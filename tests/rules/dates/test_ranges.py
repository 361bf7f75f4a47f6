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
        ("en", "on 3 and 5 March 2024", ["3 and 5 March 2024"]),
        ("fr", "Hospitalisé du 3 et 4 mars 2021,", ["3 et 4 mars 2021"]),
        ("fr", "vu 3 ou 4 mars", ["3 ou 4 mars"]),
        ("de", "3. und 4. März 2021", ["3. und 4. März 2021"]),
        ("de", "3. u. 4. März 2021", ["3. u. 4. März 2021"]),
        ("de", "3. oder 4. März", ["3. oder 4. März"]),
        ("es", "3 y 4 de marzo de 2021", ["3 y 4 de marzo de 2021"]),
        ("es", "RM 30 e 31 de marzo", ["30 e 31 de marzo"]),
        ("es", "RM 3 o 4 de marzo", ["3 o 4 de marzo"]),
        ("nl", "MRI 3 en 4 maart 2021", ["3 en 4 maart 2021"]),
        ("nl", "MRI 3 of 4 maart", ["3 of 4 maart"]),
        ("en", "MRI 3 and 4 March", ["3 and 4 March"]),
        ("en", "MRI 3 & the 4 March", ["3 & the 4 March"]),
        ("en", "MRI 3 or 4 March", ["3 or 4 March"]),
        ("en", "Seen on March 3 and 4, 2021.", ["March 3 and 4, 2021"]),
        ("en", "Seen on March 3rd or the 4th.", ["March 3rd or the 4th"]),
        ("en", "Seen on March 3 & 4", ["March 3 & 4"]),
        ("en", "Since March 3 and 4 tablets", ["March 3"]),
        ("en", "Since March 3 and 2, 10 mg", ["March 3"]),
        ("en", "dose 8 and 4 March", ["4 March"]),
        ("en", "C3 and 4 March", ["4 March"]),
        ("en", "Stay 2021-03-28/04-02.", ["2021-03-28/04-02"]),
        ("en", "Stay 2021-03-28/29", ["2021-03-28/29"]),
        ("en", "Stay 2021-03-28/2021-04-02", ["2021-03-28/2021-04-02"]),
        ("en", "Stay 2021-12-28--01-02", ["2021-12-28--01-02"]),
        ("en", "Stay 2021-03-28/02-30", ["2021-03-28/02-30"]),
        ("fr", "RDV 22 - 23/02.", ["22 - 23/02"]),
        ("fr", "du 4\nau 8 novembre 2023", ["4\nau 8 novembre 2023"]),
        ("en", "4 thru 8 November 2023", ["4 thru 8 November 2023"]),
        ("de", "vom 3. auf den 4. März", ["3. auf den 4. März"]),
        ("nl", "van 4 tot en met 8 november", ["4 tot en met 8 november"]),
        ("fr", "Séjour 28/02 - 02/03/2021.", ["28/02", "02/03/2021"]),
        ("en", "Stay 03/28 - 04/02/2021.", ["03/28", "04/02/2021"]),
        ("fr", "Séjour 28/02-02/03.", ["28/02", "02/03"]),
        ("de", "28.02.-02.03.2021", ["28.02", "02.03.2021"]),
        ("de", "Zyklus 3 (01.02 / 02.02.23)", ["01.02", "02.02.23"]),
        ("nl", "Opname 09-06 – 23-06-22", ["09-06", "23-06-22"]),
        ("en", "Strength 4/5-5/5. BP 120/80-130/90, 3 - 5 mg", []),
        ("fr", "Séjour du 30/02/2023 au 31/11/2022.", ["30/02/2023", "31/11/2022"]),
        ("fr", "Hb 12 - 03/04/2021", ["03/04/2021"]),
        ("fr", "du 28 au 3 mars 2021", ["28 au 3 mars 2021"]),
        ("fr", "Tél. 06-12-10-11-12 ou 01 02 - 03 04 05", []),
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


@pytest.mark.parametrize(
    ("text", "known", "dates"),
    [
        ("IV 07/10 - 10/10 puis relais", "07/10", {"07/10", "10/10"}),
        ("IV 07/10 - 10/10 puis relais", "10/10", {"07/10", "10/10"}),
        ("04.10 -> 18.10 oral", "04.10", {"04.10", "18.10"}),
        ("07-10-2021 t/m 12-10", "07-10-2021", {"07-10-2021", "12-10"}),
        ("dose 500 - 8 novembre", "8 novembre", {"8 novembre"}),
    ],
)
def test_where_a_model_has_one_end_the_other_is_a_date_too(
    text: str, known: str, dates: set[str]
) -> None:
    at = text.index(known)
    found = refine_spans([Span(at, at + len(known), Label.DATE, "model")], Document("1", text))
    assert {text[span.start : span.end] for span in found} == dates


def test_ranges_that_a_model_takes_for_a_telephone_number_are_dates() -> None:
    text = "Zyklus 3 (01.02 / 02.02.23), Tel. 01.02 / 02.02.23"
    numbers = [Span(10, 26, Label.PHONE, "model"), Span(34, 50, Label.PHONE, "model")]
    found = refine_spans(numbers, Document("1", text))
    assert [(text[s.start : s.end], str(s.label)) for s in found] == [
        ("01.02", "DATE"), ("02.02.23", "DATE"), ("01.02 / 02.02.23", "PHONE"),
    ]  # fmt: skip


def test_ranges_of_a_model_are_completed() -> None:
    text = "du 4 au 8 novembre"
    found = [Span(3, 4, Label.DATE, "model", 0.9), Span(8, 18, Label.DATE, "model", 0.8)]
    assert Span(3, 18, Label.DATE, "model", 0.8) in refine_spans(found, Document("1", text))

"""Numbers that hold a day are replaced as a whole."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.label import Label
from record.span import Span
from rules.identifiers import stamped_numbers
from rules.identifiers.identifiers import detect
from tests.rules.mutation import survivors

FOUND = (
    "HL7 [20210314153000.000+0100] ok", "HL7 [20210314153000,5+01:00] ok", "[202103141530z]",
    "at [20210314-153000] ok", "at [20210314_153000] ok", "at [20210314.1530] ok",
    "at [20210314153000-0100] ok", "CR_[20210314_1530].pdf", "CR_[20210314].pdf",
    "CR-[20210314].pdf", "IMG-[20210314]-WA0003.jpg", "[20210314]_a.pdf", "[19991231], ok",
    "[20491031] ok", "[20210930]\nok", "UID [1.2.840.113619.2.55.3.20210314.101112.467] ok",
    "[1.3.12.2.1107.5.1.4.123456] ok", "[2.16.840.1.113662.2] ok", "[2.25.329800735698586629] ok",
    "([2021-073]) ok",
    "[1950-366] ok", "[2049-001] ok", "[2021-299] ok", "prel. [21.03.14-77] ok", "[21.03.14-7777].",
    "on ([3/14/'21]) ok", "on [03/14/'21].",
    *(
        form.format(day)
        for day in ("19990109", "20491210", "20210930", "20211231")
        for form in ("[{}] ok", "[{}_1530] ok", "x_[{}] ok")
    ),
)  # fmt: skip
NOTHING = (
    "20211314 ok", "20210332 ok", "20210014", "20210300", "20500314", "18991231", "a20210314",
    "20210314a", "20210314/2", "20210314.5", "20210314,5", "0.20210314", "2,20210314", "7/20210314",
    "ISO 1.2.3.4", "1.2.840.1", "2.17.840.113619", "3.1.2.1234567.1", "2021-373",
    "1949-073", "2050-073", "2021-0734", "x2021-073", "2021-073/1", "2021-073.5", "12,2021-073",
    "2021-07", "21.03.14-77777", "121.03.14-77", "1.21.03.14-77", "21.03.14-77-1", "21.03.14-77.1",
    "1/3/14/'21", "3/14/'215", "3/14/'2", "a3/14/'21", "3/54/'21", "43/1/'21", "3/14/'21/1",
)  # fmt: skip


def stamped(text: str) -> str:
    for span in sorted(stamped_numbers.find_stamped_numbers(text.lower()), reverse=True):
        text = f"{text[: span.start]}[{text[span.start : span.end]}]{text[span.end :]}"
    return text


@pytest.mark.parametrize("line", FOUND)
def test_numbers_that_hold_a_day(line: str) -> None:
    text = line.replace("[", "").replace("]", "")
    found = [text[span.start : span.end] for span in detect(Document("1", text))]
    assert line[line.index("[") + 1 : line.index("]")] in found


@pytest.mark.parametrize("line", NOTHING)
def test_numbers_that_hold_none(line: str) -> None:
    assert stamped(line) == line


@given(
    st.dates(date(1900, 1, 1), date(2049, 12, 31)),
    st.sampled_from(
        ["{:%Y%m%d}_1530", "CR_{:%Y%m%d}.pdf", "IMG-{:%Y%m%d}-WA0003", "{:%Y%m%d}153000"]
    ),
    st.sampled_from(["", "Reçu ", "siehe ", "(", "\n"]),
)  # fmt: skip
def test_no_day_of_a_machine_is_kept(day: date, form: str, before: str) -> None:
    text = f"{before}{form.format(day)} ok"
    at = text.index(f"{day:%Y%m%d}")
    covered = {
        place for span in detect(Document("1", text)) for place in range(span.start, span.end)
    }
    assert set(range(at, at + 8)) <= covered


@pytest.mark.slow
def test_every_alternative_is_needed() -> None:
    lines = [(line.replace("[", "").replace("]", ""), "") for line in FOUND]
    lines += [(line, "") for line in NOTHING]

    def find(document: Document) -> list[Span]:
        folded = document.text.lower()
        told = [Span(0, 1, Label.ID, "holds a day")] if stamped_numbers.holds_day(folded) else []
        return [*told, *stamped_numbers.find_stamped_numbers(folded)]

    assert survivors((stamped_numbers,), find, lines) == []

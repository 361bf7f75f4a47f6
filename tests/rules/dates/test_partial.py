"""Days without a year that their company or their dots prove."""

import pytest

from record.document import Document
from rules.dates.dates import detect


def days(text: str, lang: str) -> list[str]:
    return [text[span.start : span.end] for span in detect(Document("1", text, lang=lang))]


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("1/8 T/c to court\n1/10 brother calls\n1/15 MaineCare", "en", ["1/8", "1/10", "1/15"]),
        ("4-6     fenta\n5-6     morf\n6-6     PSC", "es", ["4-6", "5-6", "6-6"]),
        ("1   10-1   6,0\n2   17-1   5,8\n3   24-1   5,1", "nl", ["10-1", "17-1", "24-1"]),
        ("23/12 vu\n30/12 revu\n6/1 sortie\n", "fr", ["23/12", "30/12", "6/1"]),
        ("- 11/4 guéri\n- 23/3 J5\n- 15/3 tousse\n", "fr", ["11/4", "23/3", "15/3"]),
        ("Mo 7.8. gut\nDi 8.8. gut\nMi 9.8. gut", "de", ["Mo 7.8", "Di 8.8", "Mi 9.8"]),
    ],
)
def test_lines_that_begin_with_days_in_order_are_a_log(
    text: str, lang: str, expected: list[str]
) -> None:
    assert days(text, lang) == expected


@pytest.mark.parametrize(
    "text",
    [
        "1-2 basis\n3-4 mid\n5-6 apex",
        "1/2 tablet\n1/2 tablet\n1/2 tablet",
        "3/4 done\n1/7 done\n2/2 done\n12/1 done",
        "13/15 nodes\n14/20 nodes\n15/22 nodes",
        "1/8 one\n1/10 two",
        "2/3 x\n2-4 x\n2/5 x",
    ],
    ids=["ranges", "standing still", "no order", "no months", "two lines", "mixed"],
)
def test_other_columns_of_numbers_are_no_log(text: str) -> None:
    assert days(text, "en") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("erster Zyklus 10.02. Sie ist", ["10.02"]),
        ("(18.03.), Krea 0,9", ["18.03"]),
        ("Termin 9.12., danach", ["9.12"]),
        ("Pleurapunktion 01.12.: Exsudat", ["01.12"]),
        ("Hb 12.03. Weiter so", []),
        ("HbA1c 7.2.\n", []),
        ("siehe Version 2.3. unten", []),
        ("Kapitel 3.2.1. und 45.2.", []),
        ("RR 13.8. gemessen", []),
    ],
)
def test_german_days_have_a_dot_behind_the_month(text: str, expected: list[str]) -> None:
    assert days(text, "de") == expected


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("hip fracture 6/22, ORIF", "en", ["6/22"]),
        ("deaths: Mr Rolls, 29/8, card sent", "en", ["29/8"]),
        ("punctie 23/2: 8 eicellen", "nl", ["23/2"]),
        ("Wond 17-1 schoon", "nl", ["17-1"]),
    ],
)
def test_a_day_above_twelve_with_a_month_is_a_date(
    text: str, lang: str, expected: list[str]
) -> None:
    assert days(text, lang) == expected


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("GDS 9/15, MMSE 4/30, BiPAP 18/6, PHQ-9 12/27", "en"),
        ("open 24/7, x 28/7, vision 20/15", "en"),
        ("acuity R 6/18 L 6/24", "en"),
        ("pT3 pN1a (1/31), R0", "en"),
        ("5/12 positive, 3/4 done", "en"),
        ("14/31 nodes and 13/40", "en"),
        ("12/2 of 14/5 mg, 15/3 %", "nl"),
        ("ratio 1.4/15, +4/15, 4/15/2, 4/15.5, 11:4/15, 4/15:30", "en"),
        ("2/23 en 2-23", "nl"),
        ("druk 14/5, BIPAP 18/8", "nl"),
        ("TA 17/9", "fr"),
    ],
)
def test_scores_acuities_and_pressures_are_none(text: str, lang: str) -> None:
    assert days(text, lang) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ll /7/ 2O seen", ["ll /7/ 2O"]),
        ("HepB 3-ll-l9 5-l4-l9", ["3-ll-l9", "5-l4-l9"]),
        ("date O2 /l9 /25", ["O2 /l9 /25"]),
        ("il.o1.ll", []),
        ("Apgar 9/l0/lO", []),
        ("40-l4-l9, 0-l4-l9, l-l-ll", []),
        ("xl2/l9/23, l2/l9/23x, l2/l9-23", []),
    ],
)
def test_a_short_year_is_read_with_letters_for_digits(text: str, expected: list[str]) -> None:
    assert days(text, "en") == expected

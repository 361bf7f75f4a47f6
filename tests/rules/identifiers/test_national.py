import re

import pytest

from record.label import Label
from rules.identifiers.identifiers import NATIONAL_NUMBERS, NationalNumber, NationalNumbers
from rules.matching.normalized_document import cased_once, fold_once

ATLANTIS = NationalNumber(
    "made-up number of Atlantis: four digits, a dash, their sum by 10",
    Label.SSN,
    r"[0-9]{4}-[0-9]",
    lambda written: sum(map(int, written[:4])) % 10 == int(written[5]),
)
LEMURIA = NationalNumber(
    "made-up number of Lemuria",
    Label.INSURANCE_ID,
    r"[A-Z]([0-9])\2\2",
    lambda _: True,
    cased=True,
)
MU = NationalNumber("made-up number of Mu", Label.ID, r"[0-9]{4}", lambda _: True, after="mu|mu id")
NUMBERS = NationalNumbers((ATLANTIS, LEMURIA, MU))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ville 1234-0, vu", ["1234-0 SSN"]),
        ("ville 1234-1, vu", []),
        ("11234-0", []),
        ("a1234-0", []),
        ("1234-0-5", []),
        ("1234-01", []),
        ("10/1234-0", []),
        ("Z777", ["Z777 INSURANCE_ID"]),
        ("z777", []),
        ("Z778", []),
        ("Mu: 9876", ["9876 ID"]),
        ("MU-ID n° 9876", []),
        ("mu id n° 9876", ["9876 ID"]),
        ("emu 9876", []),
        ("9876", []),
    ],
)
def test_a_country_is_one_entry(text: str, found: list[str]) -> None:
    spans = NUMBERS.find(fold_once(text), cased_once(text))
    assert [f"{text[span.start : span.end]} {span.label}" for span in spans] == found


def test_the_entries_are_named_and_bounded() -> None:
    names = [kind.name for kind in NATIONAL_NUMBERS]
    assert len(set(names)) == len(names)
    for kind in NATIONAL_NUMBERS:
        assert re.compile(f"({kind.shape})")
        assert not re.search(r"(?<!\\)[*+]|,\}", re.sub(r"\[[^]]*\]", "", kind.shape))

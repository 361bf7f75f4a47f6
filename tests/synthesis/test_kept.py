"""The search for what is left of identifiers finds what is planted, and nothing beside it."""

import pytest

from benchmarks.synthesis.kept_identifiers import Letter, count_consistency, find_identifiers
from record.document import Annotated, Document
from record.span import Span
from synthesis.masking import Masking, mask, words_of

SOURCE = "Dra. Marta Medrano, 03/02/2020 y 05/02/2020. NHC 123456. Firma: MEDRANO. Dolor leve."
VALUES = [
    ("NAME", "Marta Medrano"), ("DATE", "03/02/2020"), ("DATE", "05/02/2020"),
    ("PATIENT_ID", "123456"), ("LAST_NAME", "MEDRANO"),
]  # fmt: skip
MADE = "Dra. Rosa Gil, 13/04/2021 y 15/04/2021. NHC 998877. Firma: GIL. Dolor leve."
STANDINS = ("Rosa Gil", "13/04/2021", "15/04/2021", "998877", "GIL")


def spans(text: str, values: list[str]) -> list[Span]:
    found, at = [], 0
    for (label, _), value in zip(VALUES, values, strict=True):
        at = text.index(value, at)
        found.append(Span(at, at + len(value), label))
    return found


def letter(**changes: str) -> Letter:
    """The letter with some surrogates exchanged, by what they are instead of."""
    values = [changes.get(f"s{number}", value) for number, value in enumerate(STANDINS)]
    made = MADE
    for value, other in zip(STANDINS, values, strict=True):
        made = made.replace(value, other, 1)
    made = made.replace("leve", changes.get("word", "leve"))
    source = Document("n1", SOURCE, "p1", lang="es")
    given = spans(SOURCE, [value for _, value in VALUES])
    masked = mask(source, given, (), Masking({}), [""] * len(words_of(SOURCE)))
    note = Annotated(Document("s", made, lang="es"), tuple(spans(made, values)))
    return Letter(note, masked, frozenset(VALUES))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set()),
        (
            {"s0": "Marta Medrano"},
            {("NAME", "exact", "surrogate"), ("LAST_NAME", "folded", "surrogate")},
        ),
        ({"word": "medrano"}, {("LAST_NAME", "folded", "filled"), ("NAME", "a word", "filled")}),
        ({"word": "medranos"}, {("LAST_NAME", "near", "filled"), ("NAME", "near", "filled")}),
        ({"s3": "123.456"}, {("PATIENT_ID", "digits", "surrogate")}),
        ({"s1": "3-2-2020"}, {("DATE", "folded", "surrogate")}),
    ],
)
def test_what_is_planted_is_found(
    changes: dict[str, str], expected: set[tuple[str, str, str]]
) -> None:
    one = letter(**changes)
    assert {(e.label, e.way, e.where) for e in find_identifiers(one, one.identifiers)} == expected


def test_what_does_not_hold_together_is_counted() -> None:
    whole = count_consistency([letter()])
    assert whole == {
        "names with one surrogate": 2,
        "names with several surrogates": 0,
        "surrogates shared by several names": 0,
        "letters with one date shift": 1,
        "letters with several date shifts": 0,
    }
    assert count_consistency([letter(s2="16/04/2021")])["letters with several date shifts"] == 1
    assert count_consistency([letter(s0="GIL")])["surrogates shared by several names"] == 1

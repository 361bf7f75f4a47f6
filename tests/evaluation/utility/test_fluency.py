"""Whether made notes read like real ones, of notes whose answer is known."""

from random import Random

import numpy as np
import pytest

from evaluation.gate import Measured
from evaluation.utility.fluency import (
    FluencyNotes,
    form_of,
    measure_fluency,
    measure_perplexity,
    words_outside,
)
from record.document import Annotated, Document
from record.span import Span

LEARNT = ("paracetamol", "examination", "abdomen", "normal", "pain", "mild", "night", "week")
WORDS = {"patient", "seen", "fever", "then", "sent", "home", "with", "after", "cough", "rash"}


def note(text: str, *values: tuple[str, str]) -> Annotated:
    spans = [
        Span(text.index(value), text.index(value) + len(value), label) for label, value in values
    ]
    return Annotated(Document("1", text), tuple(spans))


def measured(made: list[Annotated], real: list[Annotated], **more: object) -> dict[str, Measured]:
    found = measure_fluency(FluencyNotes(made, real[::2], real[1::2], "d"), WORDS.__contains__)
    return {each.name: each for each in found}


def real_note(number: int, chance: Random) -> Annotated:
    words = " ".join(chance.choices([*sorted(WORDS), *LEARNT], k=40))
    values = ("Smith", f"{10000 + number}", f"0{number % 9 + 1}/03/2020")
    return note(
        f"{' '.join(values)} {words}", *zip(("LAST_NAME", "ZIP", "DATE"), values, strict=True)
    )


CHANCE = Random(1)
REAL_NOTES = [real_note(number, CHANCE) for number in range(16)]


def test_notes_like_real_ones_measure_like_them() -> None:
    found = measured(REAL_NOTES, REAL_NOTES)
    assert found["non-words"].value == 0 and found["well-formed-identifiers"].value == 1
    assert 0.8 < found["distinct-4-grams"].value < 1.2


def test_words_that_neither_notes_nor_list_know_are_counted_outside_of_spans() -> None:
    bad = note("fevrous patient with cough seen by Qwertz abc", ("LAST_NAME", "Qwertz"))
    found = measured([bad], REAL_NOTES)["non-words"]
    assert found.value == pytest.approx(1 / 5)  # of those of four letters and more
    assert found.null == 0
    assert words_outside(bad)[:2] == ["fevrous", "patient"]


def test_a_value_cut_short_is_malformed() -> None:
    cut = note("Jones 1000 on 1/12/1999", ("LAST_NAME", "Jones"), ("ZIP", "1000"), ("DATE", "1/12"))
    found = measured([cut, REAL_NOTES[0]], REAL_NOTES)["well-formed-identifiers"]
    assert (found.detail["values"], found.detail["malformed"]) == (4, 2)


def test_one_text_again_and_again_repeats_itself() -> None:
    assert measured([REAL_NOTES[0]] * 16, REAL_NOTES)["distinct-4-grams"].value < 0.8


@pytest.mark.parametrize(
    ("label", "value", "form"),
    [
        ("ZIP", "SW1A 1AA", "a0a 0a"),
        ("DATE", "3 de\nmarzo de 2021", "0 a a a 0"),
        ("EMAIL", "ana.gil-2@x.org", "a@a"),
        ("PHONE", "+33 1 42", "+00 0 00"),
    ],
)
def test_forms(label: str, value: str, form: str) -> None:
    assert form_of(label, value) == form


def test_perplexity_is_a_ratio_with_bounds() -> None:
    real = [np.log(np.full(50, 0.1))] * 20
    made = [np.log(np.full(30, 0.05))] * 20
    most, least = measure_perplexity(made, real, "d")
    assert most.value == pytest.approx(2.0) == least.value
    assert most.low == pytest.approx(2.0) == most.high
    assert {most.name, least.name} == {"perplexity-at-most", "perplexity-at-least"}
    with pytest.raises(ValueError, match="notes"):
        measure_perplexity([], real, "d")

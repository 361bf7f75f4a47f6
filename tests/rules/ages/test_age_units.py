"""The span of an age covers its unit."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locales.age_units import unit_end
from record.document import Document
from rules.ages.ages import detect, detect_numbers
from tests.rules.marked import mark, unmark

LINES = [
    ("fr", "homme de [[72 ans|AGE]], enfant de [[6 ans et demi|AGE]], né à terme"),
    ("fr", "nourrisson de [[3 mois|AGE]], âgée de [[soixante-treize ans|AGE]]"),
    ("en", "a [[72-year-old|AGE]] man, a [[3 day old|AGE]] girl, [[40 y/o|AGE]] male"),
    ("en", "A [[79|AGE]]M. with pain, [[67|AGE]]/M, in his [[60s|AGE]]"),
    ("es", "mujer de [[45 años|AGE]] de edad, varón de [[52|AGE]], niño de [[8 meses|AGE]]"),
    ("de", "eine [[67-jährige|AGE]] Patientin, [[3 Wochen alt|AGE]], Pat. [[67 J|AGE]].,"),
    ("nl", "een [[67-jarige|AGE]] vrouw, man [[54 jaar|AGE]], Man [[67 jr|AGE]].,"),
]


@pytest.mark.parametrize(("lang", "line"), LINES)
def test_an_age_is_covered_with_its_unit(lang: str, line: str) -> None:
    text, _ = unmark(line)
    assert mark(text, detect(Document("1", text, lang=lang))) == line


@given(st.text("ans years-jährige 0123456789,.yoMm/", max_size=60))
def test_every_number_is_covered_and_spans_are_disjoint(text: str) -> None:
    document = Document("1", text, lang="fr")
    spans, numbers = detect(document), detect_numbers(document)
    assert all(one.end <= two.start for one, two in pairwise(spans))
    covered = {at for span in spans for at in range(span.start, span.end)}
    assert all(at in covered for one in numbers for at in range(one.start, one.end))


def test_no_unit_is_the_offset_itself() -> None:
    assert [unit_end(text, 2) for text in ("79m", "79", "79 kg", "79 ab", "79 j.")] == [
        *(2, 2, 2, 2, 4)
    ]

"""Silver labels of words of medicine: which words are marked, and what is never one."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pipeline.synthetic.measurements.silver_labels import DISEASE, DRUG, TEST, mark_terms
from record.document import Annotated, Document
from record.span import Span


def marked(text: str, *spans: Span) -> dict[str, str]:
    note = mark_terms(Annotated(Document("1", text), spans))
    return {text[each.start : each.end]: each.label for each in note.spans}


def test_diseases_drugs_and_tests_are_told_apart() -> None:
    text = "Pneumonia and asthma, on metformin; ECG and colonoscopy normal after appendectomy."
    assert marked(text) == {
        "Pneumonia": DISEASE, "asthma": DISEASE, "metformin": DRUG, "ECG": TEST,
        "colonoscopy": TEST,
    }  # fmt: skip


def test_endings_tell_what_no_list_has() -> None:
    assert marked("échographie, bronchoscopie et péricardite; colangiografía") == {
        "échographie": TEST, "bronchoscopie": TEST, "péricardite": DISEASE, "colangiografía": TEST,
    }  # fmt: skip


def test_what_identifies_is_no_word_of_medicine() -> None:
    text = "Mrs Paget has Paget and metformin"
    start = text.index("metformin")
    assert "metformin" not in marked(text, Span(start, len(text), "LAST_NAME"))


@given(st.text(max_size=80), st.integers(0, 80), st.integers(0, 80))
def test_marks_lie_in_the_text_and_apart_from_each_other(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    given = (Span(start, end, "NAME"),) if start < end else ()
    found = sorted(mark_terms(Annotated(Document("1", text), given)).spans)
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert all(each.end <= start or end <= each.start for each in found)

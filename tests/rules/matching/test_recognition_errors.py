"""Correction of badly recognized texts: what is corrected, what is left, offsets back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.notes.detection import by_rules
from pipeline.notes.model_detection import find_in_readings
from record.document import Document
from record.span import Span
from rules.matching.recognition_errors import correct_recognition

BAD = "Te1l the c1inic: Ju1y l8, 2OO8, 0ffice, f0llow up, H0SPlTAL, l2/O3/l947. "
CLEAN = (
    "HbA1c 7.1, FEV1 2.1 l, O2 2l/min, BRCA1, CA19-9, T1 N0 M0, pT1b, D10, 5FU, STK11, NS1, PS1,"
    " CR1, GQ1b, 1er cycle, 5th day, KCl 20, NaCl, Il est bien, I am well, 2l drained, B12, G5P2."
)


@pytest.mark.parametrize(
    ("damaged", "meant"),
    [
        ("HOSPlTAL", "HOSPITAL"),
        ("REGI0NAL", "REGIONAL"),
        ("lNSTRUCTI0NS", "INSTRUCTIONS"),
        ("2OO8", "2008"),
        ("l l/O8/2O24", "11/08/2024"),
        ("2 O/5/ 2O", "20/5/20"),
        ("Tirnothy", "Timothy"),
        ("Marg aret", "Margaret"),
        ("T ho rnas", "Thomas"),
        ("Ju1y", "July"),
        ("fa1r", "fair"),
        ("D0nna", "Donna"),
        ("n0", "no"),
    ],
)
def test_characters_that_were_mistaken_are_corrected(damaged: str, meant: str) -> None:
    corrected = correct_recognition(f"{BAD}\n{damaged}\n")
    assert corrected
    assert corrected.text.splitlines()[1] == meant
    start = corrected.text.index("\n") + 1
    first, last = corrected.original(start, start + len(meant))
    assert corrected.source[first:last] == damaged


@pytest.mark.parametrize(
    "kept", ["from a ladder", "John Smith", "no stent", "de la Porte", "in it"]
)
def test_words_with_a_blank_between_stay_two(kept: str) -> None:
    corrected = correct_recognition(f"{BAD}\n{kept}\n")
    assert corrected
    assert corrected.text.splitlines()[1] == kept


def test_clinical_abbreviations_are_no_sign_of_bad_recognition() -> None:
    assert correct_recognition(CLEAN * 3) is None


def test_few_damaged_words_in_a_long_text_are_not_corrected() -> None:
    assert correct_recognition(BAD)
    assert correct_recognition(BAD + "The patient is well today. " * 200) is None


@given(st.text(alphabet=st.sampled_from("aeMnrl1I0O5S8 /.-'\n\u00e9"), max_size=300))
def test_every_place_leads_back_into_the_source(text: str) -> None:
    corrected = correct_recognition(BAD + text)
    assert corrected
    assert len(corrected.starts) == len(corrected.ends) == len(corrected.text)
    assert corrected.starts == sorted(corrected.starts)
    assert corrected.ends == sorted(corrected.ends)
    for at in range(len(corrected.text)):
        start, end = corrected.original(at, at + 1)
        assert 0 <= start < end <= len(corrected.source)


def test_rules_find_in_the_original_what_they_read_in_the_corrected_text() -> None:
    text = f"{BAD}Seen 0n l2/O3/ l947 by Dr. H0ward MlLLER."
    spans = by_rules(Document("1", text, lang="en"))
    covered = {at for span in spans for at in range(span.start, span.end)}
    for value in ("l2/O3/ l947", "MlLLER"):
        start = text.rindex(value)
        assert all(
            at in covered for at in range(start, start + len(value)) if text[at].isalnum()
        ), value


def test_the_model_reads_a_badly_recognized_text_twice_and_others_once() -> None:
    read: list[str] = []

    def find(document: Document) -> list[Span]:
        read.append(document.text)
        start = document.text.find("Margaret")
        return [Span(start, start + 8, "FIRST_NAME", "model")] if start >= 0 else []

    text = f"{BAD}Marg aret"
    (span,) = find_in_readings(Document("1", text), find)
    assert text[span.start : span.end] == "Marg aret"
    assert len(read) == 2
    assert find_in_readings(Document("1", "Margaret"), find)
    assert len(read) == 3

"""What is masked: identifiers always, medicine as asked, parts of speech in exact shares."""

from collections import Counter
from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from record.document import Document
from record.errors import ConfigError
from record.span import Span
from synthesis.masking import MaskedDocument, Masking, Phase, mask, words_of

TEXT = (
    "Mr Parkinson Smith, aged 93, came on 3/4/2020.\nHe has Parkinson disease, fever and a bad"
    " cough; we gave paracetamol 500 mg and he slept well. Parkinson-Smith agreed."
)


def by_length(text: str) -> list[Any]:
    """Calls words by their length, signs nothing."""
    return [f"L{end - start}" if text[start].isalnum() else "" for start, end in words_of(text)]


def span_of(value: str, label: str, nth: int = 0) -> Span:
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(value, start + 1)
    return Span(start, start + len(value), label)


IDENTIFIERS = (
    span_of("Parkinson Smith", "NAME"),
    span_of("93", "AGE"),
    span_of("3/4/2020", "DATE"),
)
MEDICAL = (span_of("Parkinson disease", "PROBLEM"), span_of("paracetamol 500 mg", "TREATMENT"))


def test_without_shares_only_identifiers_go() -> None:
    found = mask(Document("1", TEXT), IDENTIFIERS, MEDICAL, Masking(), by_length(TEXT))
    masked = [each for each in found.decisions if each.is_masked]
    assert [(each.phase, each.reason) for each in masked] == [
        (Phase.IDENTIFIER, label) for label in ("NAME", "AGE", "DATE")
    ]
    assert found.render().startswith("Mr <mask> <mask>, aged <mask>, came on <mask>")
    assert "Parkinson disease" in found.render()


def test_an_identifier_comes_before_medicine_and_medicine_before_speech() -> None:
    name = (span_of("Parkinson disease", "NAME"),)
    everything = Masking(speech={f"L{size}": 1.0 for size in range(1, 20)})
    found = mask(Document("1", TEXT), name, MEDICAL, everything, by_length(TEXT))
    assert "Parkinson disease" not in found.render()
    assert "paracetamol 500 mg" in found.render()
    kept = [each for each in found.decisions if not each.is_masked and each.reason]
    assert {each.phase for each in kept} == {Phase.MEDICAL}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.7, 1.0])
def test_shares_of_parts_of_speech_are_exact(share: float) -> None:
    parts = by_length(TEXT)
    total = Counter(parts)
    found = mask(Document("1", TEXT), (), (), Masking({"L3": share, "L5": share}), parts)
    counts = found.counts()
    for part in ("L3", "L5"):
        assert counts[Phase.SPEECH, part, True] == int(share * total[part] + 1e-9)
    others = {reason for (_, reason, is_masked) in counts if is_masked}
    assert others <= {"L3", "L5"}


def test_medicine_is_kept_in_the_share_that_is_asked() -> None:
    found = mask(Document("1", TEXT), (), MEDICAL, Masking(medical={"TREATMENT": 0.0}))
    assert found.counts()[Phase.MEDICAL, "TREATMENT", True] == 3
    assert found.counts()[Phase.MEDICAL, "PROBLEM", False] == 2


def test_the_seed_and_the_letter_decide_alone() -> None:
    masking = Masking({"L3": 0.5, "L4": 0.5}, seed=4)
    one = mask(Document("1", TEXT), IDENTIFIERS, MEDICAL, masking, by_length(TEXT))
    assert mask(Document("1", TEXT), IDENTIFIERS, MEDICAL, masking, by_length(TEXT)) == one
    others = [
        mask(Document(note, TEXT), IDENTIFIERS, MEDICAL, Masking({"L3": 0.5, "L4": 0.5}, seed=seed))
        for note, seed in (("1", 5), ("2", 4))
    ]
    assert all(other.decisions != one.decisions for other in others)


def test_the_number_of_words_of_an_identifier_may_be_blurred() -> None:
    widths = {
        mask(Document(str(n), TEXT), IDENTIFIERS, (), Masking(slots=1)).widths[0] for n in range(60)
    }
    assert widths == {1, 2, 3}


@st.composite
def letters(draw: st.DrawFn) -> tuple[str, list[Span], list[Span]]:
    text = draw(st.text("ab1 .,\n-é", min_size=1, max_size=60))
    places = st.integers(0, len(text) - 1)
    spans = [
        Span(start, draw(st.integers(start + 1, len(text))), draw(st.sampled_from("XYZ")))
        for start in draw(st.lists(places, max_size=4))
    ]
    return text, spans, draw(st.lists(st.sampled_from(spans), max_size=3)) if spans else []


@settings(max_examples=150)
@given(letters(), st.integers(0, 3))
def test_no_letter_of_an_identifier_survives_and_nothing_else_changes(
    letter: tuple[str, list[Span], list[Span]], slots: int
) -> None:
    text, identifiers, medical = letter
    found = mask(Document("1", text), identifiers, medical, Masking(slots=slots))
    assert all(
        any(each.start <= span.start and span.end <= each.end for each in found.decisions)
        for span in identifiers
    )
    assert all(one.end <= other.start for one, other in pairwise(found.decisions))
    masked = [each for each in found.decisions if each.is_masked]
    edges = [0, *(edge for each in masked for edge in (each.start, each.end)), len(text)]
    kept = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    holes = [" ".join(["?"] * width) for width in found.widths]
    assert found.render("?") == "".join(chain(*zip(kept, [*holes, ""], strict=True)))


def test_masks_stand_for_whole_words() -> None:
    start = TEXT.index("Parkinson-Smith") + 3
    found = mask(Document("1", TEXT), [Span(start, start + 2, "NAME")], (), Masking())
    assert "Par" not in found.render().split("well.")[1]


@pytest.mark.parametrize(
    "changes", [{"speech": {"NOUN": 1.1}}, {"medical": {"TEST": -0.1}}, {"slots": -1}]
)
def test_shares_that_mean_nothing_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Masking(**changes)


def test_no_text_in_what_is_printed() -> None:
    found = mask(Document("1", TEXT), IDENTIFIERS, MEDICAL, Masking())
    assert isinstance(found, MaskedDocument)
    assert "Parkinson" not in repr(found)

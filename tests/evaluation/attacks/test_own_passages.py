"""Passages of few patients without their notes: found where the search with notes finds them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.attacks.own_passages import OwnPassages, locate_views
from evaluation.attacks.passages import PassageIndex, views
from record.document import Annotated, Document
from record.span import Span

LETTERS = st.text("ab1 .-\n\u00ad\u00a0\ufb01e\u0301\uff21\u200b", max_size=40)


def note(text: str, *spans: tuple[int, int]) -> Annotated:
    return Annotated(Document("1", text), tuple(Span(*span, "NAME") for span in spans))


@settings(max_examples=200, deadline=None)
@given(LETTERS, st.integers(0, 40), st.integers(1, 10))
def test_views_are_those_of_the_search(text: str, start: int, length: int) -> None:
    spans = [(start, start + length)] if start + length <= len(text) else []
    one = note(text, *spans)
    located = locate_views(text, one.spans)
    found = {tuple(word for word, _, _ in words) for words in located}
    assert found == {tuple(view) for view in views(one)}
    assert all(0 <= start < end <= len(text) for words in located for _, start, end in words)


def test_words_are_where_they_stand() -> None:
    text = "Born 03/02/1950 in anti-\nbes, \ufb01ne."
    words = locate_views(text, ())[-2]
    assert [(word, text[start:end]) for word, start, end in words] == [
        ("born", "Born"), ("0", "03/02/1950"), ("in", "in"), ("antibes", "anti-\nbes"),
        ("fine", "\ufb01ne."),
    ]  # fmt: skip


def test_a_passage_of_one_patient_is_found_and_a_phrase_of_many_is_not() -> None:
    own, phrase = "one two three four five", "kind regards from all here"
    notes = [note(f"{own} {phrase}"), *(note(f"{phrase} {n}x") for n in "abcdef")]
    index = PassageIndex([views(each) for each in notes], map(str, range(7)), length=4)
    passages = OwnPassages.from_bytes(OwnPassages(index).to_bytes())
    text = f"So: {own}. Then {phrase}"
    found = passages.find(text, ())
    assert [" ".join(text[a:b] for a, b in run) for run in found] == [
        "one two three four", "two three four five",
    ]  # fmt: skip
    assert passages.find(f"{phrase}; one two three", ()) == []
    assert "one" not in repr(passages)

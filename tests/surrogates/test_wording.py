"""What is remembered of short texts is what their letters and digits alone tell."""

from hypothesis import given, settings
from hypothesis import strategies as st

from record import folding
from surrogates import wording


@settings(max_examples=60)
@given(st.text(max_size=12))
def test_a_text_is_folded_as_ever_and_its_letters_and_digits_are_what_is_left(text: str) -> None:
    folded = folding.fold(text)
    assert wording.fold(text) == folded
    assert wording.compact(text) == "".join(char for char in folded if char.isalnum())
    assert bool(wording.HOLDS.search(text)) == any(map(str.isalnum, text))
    assert wording.folded_words(text) == tuple(map(folding.fold, wording.WORD.findall(text)))

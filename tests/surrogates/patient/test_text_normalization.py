"""What is remembered of short texts is what their letters and digits alone tell."""

from hypothesis import given, settings
from hypothesis import strategies as st

from record import folding
from surrogates.patient import text_normalization


@settings(max_examples=60)
@given(st.text(max_size=12))
def test_a_text_is_folded_as_ever_and_its_letters_and_digits_are_what_is_left(text: str) -> None:
    folded = folding.fold(text)
    assert text_normalization.fold(text) == folded
    assert text_normalization.compact(text) == "".join(char for char in folded if char.isalnum())
    assert bool(text_normalization.HAS_CONTENT.search(text)) == any(map(str.isalnum, text))
    assert text_normalization.folded_words(text) == tuple(
        map(folding.fold, text_normalization.WORD.findall(text))
    )

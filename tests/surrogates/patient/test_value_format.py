"""The shape of a value: digits, letters, case and separators stay in their places."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.errors import Unsafe
from record.folding import fold
from surrogates.patient import value_format
from surrogates.patient.patient import Subject
from surrogates.patient.text_normalization import compact
from tests.surrogates.conftest import Replace

TEXTS = st.text(min_size=1, max_size=30)


@given(TEXTS)
def test_a_value_poured_into_itself_is_itself(text: str) -> None:
    assert fold(value_format.apply_format(compact(text), text)) == fold(text)


@given(TEXTS.filter(lambda text: bool(compact(text))))
def test_no_value_stays_itself(subject_of: Callable[..., Subject], text: str) -> None:
    drawn = value_format.scramble(text, "ID", subject_of())
    assert fold(drawn) != fold(text)
    assert len(drawn) >= len(text)
    assert [not c.isalnum() for c in fold(text)] == [not c.isalnum() for c in fold(drawn)][
        : len(text)
    ]


@pytest.mark.parametrize("text", ["", "-", " / ", "\n"])
def test_what_holds_nothing_has_no_surrogate(subject_of: Callable[..., Subject], text: str) -> None:
    with pytest.raises(Unsafe, match="no-surrogate"):
        value_format.scramble(text, "ID", subject_of())


def test_speech_stays_speakable(replace: Replace) -> None:
    assert re.fullmatch("[A-Z][aeiouy][bcdfghjklmnpqrstvwxz][aeiouy]", replace("Lina", "OTHER"))


def test_numbers_keep_their_size(replace: Replace) -> None:
    assert all(replace(str(10**9 + n), "ID")[0] != "0" for n in range(200))
    assert all(len(replace(f"{n:05d}", "ID")) == 5 for n in range(200))

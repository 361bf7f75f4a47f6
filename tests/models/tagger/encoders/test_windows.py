import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.tagger.encoders.windows import Window, WindowConfig, windows

SIZES = st.lists(st.integers(1, 16), max_size=150)


def breaks_of(sizes: list[int], every: int) -> list[int]:
    return [at for at in range(len(sizes)) if every and at % every == every - 1]


def check(sizes: list[int], breaks: list[int], cut: WindowConfig) -> list[Window]:
    found = windows(sizes, breaks, cut)
    cores = [word for window in found for word in range(window.core, window.core_end)]
    assert cores == list(range(len(sizes)))
    for window in found:
        assert window.first <= window.core < window.core_end <= window.end
        assert sum(sizes[window.first : window.end]) <= cut.pieces
    return found


@given(SIZES, st.integers(0, 30), st.integers(0, 40), st.integers(16, 300))
def test_every_word_is_labelled_once_and_no_window_is_too_long(
    sizes: list[int], every: int, context: int, core: int
) -> None:
    check(sizes, breaks_of(sizes, every), WindowConfig(2 * context + core, context))


@given(SIZES, st.integers(0, 30))
def test_there_is_context_on_both_sides(sizes: list[int], every: int) -> None:
    cut, breaks = WindowConfig(100, 20), breaks_of(sizes, every)
    for window in check(sizes, breaks, cut):
        before = sum(sizes[window.first : window.core])
        after = sum(sizes[window.core_end : window.end])
        # Beyond a line end less explains as much.
        left, right = (8 if at - 1 in breaks else 20 for at in (window.core, window.core_end))
        assert before <= left
        assert after <= right
        # One word more on either side would be too much.
        assert window.first == 0 or before + sizes[window.first - 1] > left
        assert window.end == len(sizes) or after + sizes[window.end] > right


@given(st.lists(st.integers(1, 3), min_size=1, max_size=150), st.integers(0, 30))
def test_a_word_is_in_the_core_where_it_is_most_central(sizes: list[int], every: int) -> None:
    found = windows(sizes, breaks_of(sizes, every), WindowConfig(72, 12))
    for number, window in enumerate(found):
        for word in range(window.core, window.core_end):
            here = _context(sizes, window, word)
            for other in found[:number] + found[number + 1 :]:
                if other.first <= word < other.end:
                    assert _context(sizes, other, word) <= here + 3  # a word is up to 3 pieces


def _context(sizes: list[int], window: Window, word: int) -> float:
    """Pieces on the poorer side; the border of the note is no lack of context."""
    sides = []
    if window.first > 0:
        sides.append(sum(sizes[window.first : word]))
    if window.end < len(sizes):
        sides.append(sum(sizes[word + 1 : window.end]))
    return min(sides, default=float("inf"))


def test_a_note_that_fits_is_one_window_and_an_empty_one_has_none() -> None:
    assert windows([], [], WindowConfig()) == []
    assert windows([1] * 254, [], WindowConfig()) == [Window(0, 0, 254, 254)]
    assert len(windows([1] * 255, [], WindowConfig())) == 2


def test_cuts_are_at_line_ends() -> None:
    breaks = list(range(9, 1000, 10))
    found = windows([1] * 1000, breaks, WindowConfig(100, 10))
    assert {window.core % 10 for window in found} == {0}
    assert max(window.core_end - window.core for window in found) <= 80


def test_windows_are_of_nearly_equal_length() -> None:
    found = windows([1] * 1000, [], WindowConfig(100, 10))
    cores = [window.core_end - window.core for window in found]
    assert max(cores) - min(cores) <= 1


def test_very_many_words_are_cut() -> None:
    check([1] * 200_000, [], WindowConfig())


@pytest.mark.parametrize(("pieces", "context"), [(16, 1), (254, 127), (100, -1)])
def test_windows_too_small_are_refused(pieces: int, context: int) -> None:
    with pytest.raises(ValueError, match="must exceed"):
        WindowConfig(pieces, context)

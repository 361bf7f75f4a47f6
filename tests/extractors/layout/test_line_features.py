from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.document.lines import Line
from extractors.document.page import Page
from extractors.layout.line_features import (
    BUCKETS,
    NUMBERS,
    POSITIONS,
    WINDOW,
    WORDS,
    compute_features,
)

COORDINATE = st.floats(-1e9, 1e9) | st.sampled_from([0.0, 595.0, float("inf"), float("nan")])
LINES = st.builds(
    lambda text, block, place, direction, size, bold: Line(
        text, block, place, direction, place, size, bold
    ),
    st.text(max_size=40),
    st.integers(0, 10),
    st.tuples(COORDINATE, COORDINATE, COORDINATE, COORDINATE),
    st.sampled_from([(1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (0.71, 0.71)]),
    st.floats(0, 100),
    st.booleans(),
)
PAGES = st.lists(
    st.builds(
        lambda lines, width: Page(0, width, 842.0, tuple(lines)),
        st.lists(LINES, max_size=6),
        st.floats(0, 2000),
    ),
    max_size=4,
)


def line(text: str, x: float = 50, y: float = 100, size: float = 10, **options: Any) -> Line:
    place = (x, y, x + 6 * len(text), y + 12)
    return Line(text, 0, place, place=place, size=size, **options)


def page(*lines: Line, number: int = 0) -> Page:
    return Page(number, 600, 800, lines)


@settings(deadline=None)
@given(PAGES)
def test_any_page_gives_finite_numbers_in_range(pages: list[Page]) -> None:
    found = compute_features(pages)
    count = sum(len(page.lines) for page in pages)
    assert found.edges.shape == (count, 4)
    assert found.numbers.shape == (count, NUMBERS)
    assert found.words.shape == (count, WORDS)
    assert np.isfinite(found.numbers).all()
    assert np.abs(found.numbers).max(initial=0) < 50
    assert ((found.edges >= 0) & (found.edges < POSITIONS)).all()
    assert ((found.words >= 0) & (found.words < BUCKETS)).all()
    covered = [number for start, end in found.windows for number in range(start, end)]
    assert covered == list(range(count))
    assert all(end - start <= WINDOW for start, end in found.windows)


@settings(deadline=None)
@given(st.lists(st.lists(LINES, max_size=9), min_size=1, max_size=12))
def test_pages_know_no_neighbours_on_other_pages(pages: list[list[Line]]) -> None:
    # Letters of one size: else those of the other pages decide what is near.
    document = [page(*[line._replace(size=10.0) for line in lines]) for lines in pages]
    together = compute_features(document).numbers[:, -10:]
    alone = [compute_features([each]).numbers[:, -10:] for each in document]
    np.testing.assert_array_equal(together, np.concatenate(alone))


@settings(deadline=None)
@given(PAGES)
def test_the_same_document_gives_the_same(pages: list[Page]) -> None:
    one, other = compute_features(pages), compute_features(pages)
    assert np.array_equal(one.numbers, other.numbers)
    assert np.array_equal(one.words, other.words)


def test_edges_are_steps_of_the_page() -> None:
    here = Line("a", 0, (0, 0, 0, 0), place=(0, 400, 300, 800))
    assert compute_features([page(here)]).edges.tolist() == [[0, 32, 32, 63]]


def test_digits_count_as_zeros_and_case_and_accents_do_not_count() -> None:
    words = compute_features([page(line("Né le 12/03/1950, à"), line("NE LE 30/11/2001 a"))]).words
    assert np.array_equal(words[0], words[1])


def test_a_word_is_not_its_neighbour() -> None:
    words = compute_features([page(line("Docteur Service"), line("Service"))]).words
    assert words[0, 0] != words[0, 1]
    assert words[0, 1] == words[1, 0]
    assert words[1, 1:].tolist() == [0] * (WORDS - 1)


def repetition(*pages: Page) -> list[list[float]]:
    return compute_features(pages).numbers[:, 25:27].round(2).tolist()


def test_a_footer_repeats_on_other_pages_whatever_its_digits() -> None:
    pages = [page(line(f"page {n} of 3", y=780), line("abc"[n]), number=n) for n in range(3)]
    assert repetition(*pages) == [[1, 1], [0, 0]] * 3


def test_the_same_text_elsewhere_on_the_page_repeats_less() -> None:
    pages = [page(line("Paris", y=100 + 300 * n), number=n) for n in range(2)]
    assert repetition(*pages) == [[1, 0], [1, 0]]


def test_twice_on_one_page_is_no_repetition() -> None:
    assert repetition(page(line("Paris"), line("Paris")), page(line("b"))) == [[0, 0]] * 3


def test_a_larger_copy_of_a_page_looks_the_same() -> None:
    lines = [line("Title", size=14), line("some text", y=130), line("more text", y=142)]
    larger = [
        Line(one.text, 0, one.box, place=(2 * x0, 2 * y0, 2 * x1, 2 * y1), size=2 * one.size)
        for one in lines
        for x0, y0, x1, y1 in [one.place]
    ]
    small, large = (
        compute_features([page(*lines)]),
        compute_features([Page(0, 1200, 1600, tuple(larger))]),
    )
    assert np.allclose(small.numbers, large.numbers, atol=0.05)
    assert np.array_equal(small.edges, large.edges)


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_page_that_lies_on_its_side_or_head_looks_the_same(quarters: int) -> None:
    upright = page(line("Title", size=14), line("some text", y=130), line("more text", y=142))
    turned = upright
    for _ in range(quarters):
        turned = quarter_turn(turned)
    one, other = compute_features([upright, upright]), compute_features([upright, turned])
    assert np.allclose(one.numbers, other.numbers, atol=1e-5)
    assert np.array_equal(one.edges, other.edges)


def quarter_turn(page: Page) -> Page:
    """The page as it is shown after a turn by 90 degrees, clockwise."""
    lines = []
    for line in page.lines:
        x0, y0, x1, y1 = line.place
        place = (page.height - y1, x0, page.height - y0, x1)
        dx, dy = line.direction
        lines.append(line._replace(place=place, direction=(-dy, dx)))
    return Page(page.number, page.height, page.width, tuple(lines))


def test_vertical_text_beside_a_letter_stays_vertical() -> None:
    side = Line("Hospital", 1, (0, 0, 0, 0), (0.0, -1.0), (10, 100, 20, 300), 8.0)
    found = compute_features([page(line("some text"), line("more text", y=120), side)])
    assert found.edges[2].tolist() == [1, 8, 2, 24]


def test_long_pages_are_cut_into_even_windows() -> None:
    lines = [line(f"row {number}", y=number) for number in range(WINDOW + 10)]
    windows = compute_features([page(*lines), page(lines[0])]).windows
    assert windows == ((0, 69), (69, 138), (138, 139))


def test_what_is_remembered_of_words_is_bounded_and_never_shown() -> None:
    from extractors.layout import line_features as module

    long = "x" * 1000
    compute_features([page(line(long), line("Canary"))])
    assert long not in module._WORDS
    assert "Canary" in module._WORDS
    assert "Canary" not in repr(module._WORDS)

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.pdf.coloured_areas import Area, drawn_areas, plain_areas
from synthesis.fictional.labelled_pages.pages import labelled_letter
from tests.extractors.conftest import _raw

NUMBER = st.integers(-20, 300)
OPERATORS = st.one_of(
    st.tuples(NUMBER, NUMBER, st.integers(1, 200), st.integers(1, 200)).map(
        lambda box: "{} {} {} {} re f".format(*box)
    ),
    st.tuples(NUMBER, NUMBER, st.integers(1, 200), st.integers(1, 200)).map(
        lambda box: "n {} {} {} {} re f*".format(*box)
    ),
    st.tuples(*[st.sampled_from((0, 0.25, 1))] * 3).map(lambda rgb: "{} {} {} rg".format(*rgb)),
    st.sampled_from(
        ("q", "Q", "0 g", "1 g", ".5 G", "1 0 0 1 10 20 cm", "2 0 0 .5 0 0 cm", "1 w", "0 1 0 RG")
    ),
)


def _page(content: str) -> pymupdf.Page:
    return pymupdf.open(stream=_raw(content.encode()), filetype="pdf")[0]


def _near(one: list[Area], other: list[Area]) -> bool:
    return len(one) == len(other) and all(
        a.plain == b.plain
        and abs(a.darkest - b.darkest) < 0.01
        and max(abs(p - q) for p, q in zip(a.box, b.box, strict=True)) < 0.01
        for a, b in zip(one, other, strict=True)
    )


@given(st.lists(OPERATORS, max_size=12))
def test_what_is_read_is_what_is_drawn(operators: list[str]) -> None:
    page = _page(" ".join(operators) + " BT /F 12 Tf (a) Tj ET")
    content = page.read_contents()
    found = plain_areas(content, tuple(page.transformation_matrix))
    if found is not None:
        # A page clips what lies beyond it; what reaches over the edge is drawn as it was asked.
        assert _near(found, [area for area in drawn_areas(page) if area.box])


def test_letters_of_the_fictional_hospital() -> None:
    read = 0
    for seed in range(8):
        letter = labelled_letter(seed, ("fr", "en", "es")[seed % 3], held_out=True)
        for page in pymupdf.open(stream=letter.data, filetype="pdf").pages():
            found = plain_areas(page.read_contents(), tuple(page.transformation_matrix))
            drawn = [area for area in drawn_areas(page) if area.plain]
            if found is not None:
                read += 1
                assert _near([area for area in found if area.plain], drawn)
    assert read >= 6


@pytest.mark.parametrize(
    "content",
    [
        "0 0 100 100 re W n 0 0 9 9 re f",
        "/P sh",
        "/X Do",
        "/CS cs 0.2 scn 0 0 9 9 re f",
        "0 0 m 9 9 l 9 0 l f",
        "Q 0 0 9 9 re f",
        "9 9 re f",
        "0 0 nine 9 re f",
        "0 0 0 1 k 0 0 9 9 re f",
        "40 w 0 0 100 100 re S",
        "20 0 0 20 0 0 cm 1 w 0 0 9 9 re S",
    ],
)
def test_whatever_is_not_plain_is_left_to_the_drawing_program(content: str) -> None:
    assert plain_areas(content.encode(), (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)) is None


def test_a_turned_rectangle_is_not_plain() -> None:
    turned = plain_areas(b".9 .1 -.1 .9 0 0 cm 0 g 0 0 9 9 re f", (1.0, 0.0, 0.0, 1.0, 0.0, 0.0))
    assert turned is not None
    assert [area.plain for area in turned] == [False]


def test_two_rectangles_filled_together_are_not_plain() -> None:
    together = plain_areas(b"0 0 9 9 re 20 20 9 9 re f", (1.0, 0.0, 0.0, 1.0, 0.0, 0.0))
    assert together == [Area((0, 0, 29, 29), 0.0, plain=False)]


def test_dark_only_where_all_of_the_box_stands_on_it() -> None:
    dark = Area((0, 0, 10, 10), 0.2, plain=True)
    assert dark.is_dark_under((1, 1, 9, 9))
    assert not dark.is_dark_under((5, 5, 11, 9))
    assert dark.touches((5, 5, 11, 9))
    assert not dark.touches((10, 0, 11, 9))
    assert not dark._replace(darkest=0.7).is_dark_under((1, 1, 9, 9))
    assert not dark._replace(plain=False).is_dark_under((1, 1, 9, 9))

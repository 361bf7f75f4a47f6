from collections.abc import Callable

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.pdf.mupdf_page import Area, MupdfPage, drawn_areas, plain_areas
from record.errors import Unreadable
from synthesis.fictional.labelled_pages.pages import labelled_letter
from tests.extractors.conftest import _raw

FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
Draw = Callable[[pymupdf.Page], object]


def drawn(*steps: Draw) -> pymupdf.Document:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((60, 100), "Compte rendu de consultation\nÉté “œuvre” ﬁn", fontsize=10)
        for step in steps:
            step(page)
        return pymupdf.open(stream=document.tobytes(), filetype="pdf")


def annotate(page: pymupdf.Page) -> None:
    page.add_freetext_annot((60, 200, 300, 240), "une remarque qui se voit")


def field(page: pymupdf.Page) -> None:
    widget = pymupdf.Widget()
    widget.field_type = pymupdf.mupdf.PDF_WIDGET_TYPE_TEXT
    widget.field_name, widget.field_value = "nom", "DUPONT"
    widget.rect = pymupdf.Rect(60, 300, 200, 320)
    page.add_widget(widget)


def crop(page: pymupdf.Page) -> None:
    page.set_cropbox(pymupdf.Rect(50, 50, 400, 500))


@pytest.mark.parametrize("rotation", [0, 90, 270])
@pytest.mark.parametrize("step", [annotate, field, crop])
def test_says_what_pymupdf_says(step: Draw, rotation: int) -> None:
    with drawn(step, lambda page: page.set_rotation(rotation)) as document:
        page = document[0]
        sheet = MupdfPage(document, 0)
        assert sheet.blocks() == page.get_text("dict", flags=FLAGS)["blocks"]
        assert sheet.rotation == page.rotation == rotation
        assert sheet.size == (page.rect.width, page.rect.height)
        assert sheet.annotated == (page.first_annot is not None)
        assert sheet.contents == page.read_contents()


def test_refuses_a_page_without_its_content() -> None:
    with drawn() as document:
        page = document[0]
        document.xref_set_key(page.xref, "Contents", "999 0 R")
        with pytest.raises(Unreadable, match="broken"):
            MupdfPage(document, 0)
        document.xref_set_key(page.xref, "Contents", "null")
        assert MupdfPage(document, 0).blocks() == []


@pytest.mark.parametrize(
    "encryption", [pymupdf.mupdf.PDF_ENCRYPT_NONE, pymupdf.mupdf.PDF_ENCRYPT_AES_256]
)
def test_content_is_decoded_once_and_stays_the_same(encryption: int) -> None:
    with drawn() as made:
        made.fullcopy_page(0)
        made.xref_set_key(made[1].xref, "Contents", f"{made[0].get_contents()[0]} 0 R")
        expected, blocks = made[0].read_contents(), made[0].get_text("dict", flags=FLAGS)["blocks"]
        data = made.tobytes(encryption=encryption, user_pw="u", deflate=True)
    with pymupdf.open(stream=data, filetype="pdf") as document:
        assert not document.needs_pass or document.authenticate("u")
        assert document[0].get_contents() == document[1].get_contents()
        for _ in range(2):
            for number in range(2):
                sheet = MupdfPage(document, number)
                assert sheet.blocks() == blocks
                assert sheet.contents == document[number].read_contents() == expected
                assert document[number].get_text("dict", flags=FLAGS)["blocks"] == blocks


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

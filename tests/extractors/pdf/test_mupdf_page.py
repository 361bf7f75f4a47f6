from collections.abc import Callable

import pymupdf
import pytest

from extractors.pdf.mupdf_page import MupdfPage
from record.errors import Unreadable

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

from collections.abc import Callable

import pymupdf
import pytest

from extractors.document.limits import Limits
from extractors.pdf import mupdf_reader
from extractors.pdf.mupdf_page import MupdfPage
from extractors.pdf.scattered_letters import has_scattered_words
from record.errors import Unreadable

NAME = "Alphonse Marty"


def drawn(order: list[int], text: str = NAME, step: float = 7.0, rotation: int = 0) -> bytes:
    """A page that draws a text letter by letter, in this order."""
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((60, 80), "Le patient est vu ce jour")
        for place in order:
            page.insert_text((60 + place * step, 100), text[place])
        page.set_rotation(rotation)
        return bytes(document.tobytes())


def scattered(data: bytes) -> bool:
    with pymupdf.open(stream=data, filetype="pdf") as document:
        sheet = MupdfPage(document, 0)
        return has_scattered_words(sheet, sheet.blocks())


ALONG = list(range(len(NAME)))


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("order", [ALONG[::-1], ALONG[::2] + ALONG[1::2]])
def test_letters_in_another_order(order: list[int], rotation: int) -> None:
    data = drawn(order, rotation=rotation)
    assert scattered(data)
    with pytest.raises(Unreadable) as caught:
        mupdf_reader.read_pages(data, Limits())
    assert caught.value.reason == "garbled-text"


@pytest.mark.parametrize("step", [7.0, 12.0, 40.0])
def test_letters_in_order(step: float) -> None:
    assert not scattered(drawn(ALONG, step=step))


def test_cells_of_one_letter() -> None:
    assert not scattered(drawn(list(range(8))[::-1], text="NOONONNO", step=40))


def test_words_by_two_hands(placed: Callable[..., bytes]) -> None:
    assert not scattered(placed((50, 100, "Nom"), (75, 100, "DUPONT"), (72, 100, ":")))

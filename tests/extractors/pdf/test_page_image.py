from collections.abc import Iterator

import numpy as np
import pymupdf
import pytest
from PIL import Image

from extractors.document.limits import Limits
from extractors.document.page import LineClass, Page
from extractors.pdf.mupdf_reader import read_pages
from extractors.pdf.page_image import render_line_classes

NAMES = ("DUPONT", "Zoë", "0612345678", "WWiliilWW")
LETTER = [
    (60, 100, "Madame Zoë DUPONT tel 0612345678"),
    (60, 160, "illisible, iiiiiiiiiiiiiiiii WWiliilWW mmmmmmmm"),
    (60, 220, "le traitement reste le même"),
]
DPI = 144
SCALE = DPI / 72


def letter(rotation: int = 0, turn: int = 0) -> bytes:
    """A letter on a page that is turned by `rotation`, its lines written at an angle of `turn`."""
    with pymupdf.open() as document:
        page = document.new_page(width=600, height=700)
        for x, y, text in LETTER:
            at = (x, y) if turn == 0 else (y, 600 if turn == 90 else 60)
            page.insert_text(at, text, fontsize=12, rotate=turn)
        page.set_rotation(rotation)
        document.set_metadata({"title": "DUPONT"})
        return bytes(document.tobytes())


def read(data: bytes) -> tuple[Page, ...]:
    return read_pages(data, Limits()).pages


def pictures(data: bytes) -> Iterator[Image.Image]:
    """The pages of a PDF as pictures, after a look at whether they are nothing else."""
    with pymupdf.open(stream=data, filetype="pdf") as document:
        for page in document:
            assert page.get_text().strip() == ""
            assert len(page.get_images()) == 1
            pixels = page.get_pixmap(dpi=DPI)
            yield Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)


def words(data: bytes) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Where MuPDF itself finds the words: an oracle that knows nothing of pieces."""
    with pymupdf.open(stream=data, filetype="pdf") as document:
        page = document[0]
        return [
            (word[4], tuple(pymupdf.Rect(word[:4]) * page.rotation_matrix))
            for word in page.get_text("words")
        ]


def crop(picture: Image.Image, box: tuple[float, float, float, float]) -> Image.Image:
    x0, y0, x1, y1 = (round(value * SCALE) for value in box)
    return picture.crop((x0 + 1, y0 + 1, x1 - 1, y1 - 1))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_classes_are_drawn_where_the_lines_are(rotation: int) -> None:
    data = letter(rotation)
    pages = read(data)
    kinds = [LineClass.HEADER, LineClass.SIGNATURE, LineClass.BODY]
    [picture] = pictures(render_line_classes(data, pages, [kinds], dpi=DPI))
    assert picture.size == (pages[0].width * SCALE, (pages[0].height + 16) * SCALE)
    for line, strongest in zip(pages[0].lines, (0, 0, 1), strict=True):
        x0, y0, x1, y1 = line.place
        tinted = crop(picture, (x0, y0 + 16, x1, y1 + 16))
        bright = [high for _, high in np.reshape(tinted.getextrema(), (-1, 2))]
        assert bright[strongest] == max(bright) > min(bright)
        dark = [low for low, _ in np.reshape(tinted.getextrema(), (-1, 2))]
        assert max(dark) < 160  # the letters are still to be seen
    # the page beside the lines stays white
    assert picture.getpixel((picture.width // 2, picture.height - 3)) == (255, 255, 255)


def test_the_same_document_gives_the_same_picture() -> None:
    data = letter()
    pages = read(data)
    first = render_line_classes(data, pages, [[LineClass.BODY] * 3])
    assert render_line_classes(data, pages, [[LineClass.BODY] * 3]) == first


def _first_image(data: bytes) -> bytes:
    with pymupdf.open(stream=data, filetype="pdf") as document:
        [(number, *_)] = document[0].get_images()
        return bytes(document.extract_image(number)["image"])

import io
import re
from collections.abc import Iterator

import pymupdf
import pytest
from PIL import Image

from extractors.document.limits import Limits
from extractors.document.page import (
    BoxClass,
    Page,
)
from extractors.layout.page_text import join
from extractors.pdf.mupdf_reader import read_pages
from extractors.pdf.page_image import (
    classes_picture,
    redacted_picture,
)
from record.errors import Unreadable

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
@pytest.mark.parametrize("turn", [0, 90, 270])
def test_what_spans_name_is_black_and_all_else_as_before(rotation: int, turn: int) -> None:
    data = letter(rotation, turn)
    text = join(read(data))
    spans = [match.span() for match in re.finditer("|".join(NAMES), text.text)]
    assert len(spans) == len(NAMES)

    [plain] = pictures(redacted_picture(data, text.pieces, [], text=text.text, dpi=DPI))
    [redacted] = pictures(redacted_picture(data, text.pieces, spans, text=text.text, dpi=DPI))

    for word, box in words(data):
        before, after = crop(plain, box), crop(redacted, box)
        assert before.convert("L").getextrema()[1] > 200
        if word in NAMES:
            assert after.convert("L").getextrema() == (0, 0), word
        else:
            # the ink over a neighbour may take the blank at the edge of a word
            inner = (4, 0, before.width - 4, before.height)
            assert after.crop(inner).tobytes() == before.crop(inner).tobytes(), word


def test_half_a_word_is_covered_to_the_letter() -> None:
    data = letter()
    text = join(read(data))
    start = text.text.index("0612345678")
    [picture] = pictures(
        redacted_picture(data, text.pieces, [(start, start + 4)], text=text.text, dpi=DPI)
    )
    box = dict(words(data))["0612345678"]
    middle = box[0] + 0.4 * (box[2] - box[0])
    assert crop(picture, (box[0], box[1], middle, box[3])).convert("L").getextrema() == (0, 0)
    rest = crop(picture, (middle + 2, box[1], box[2], box[3])).convert("L").getextrema()
    assert rest[1] > 200


def test_letters_that_are_not_found_cover_the_whole_line() -> None:
    data = letter()
    text = join(read(data))
    start = text.text.index("DUPONT")
    other = text.text.replace("Madame", "Madame?")[: len(text.text)]
    [picture] = pictures(
        redacted_picture(data, text.pieces, [(start, start + 3)], text=other, dpi=DPI)
    )
    line = read(data)[0].lines[0]
    assert crop(picture, line.place).convert("L").getextrema() == (0, 0)


def test_pages_are_covered_each_for_itself() -> None:
    with pymupdf.open() as document:
        for name in ("DUPONT", "MARTIN"):
            document.new_page(width=300, height=300).insert_text((50, 50), name)
        data = bytes(document.tobytes())
    text = join(read(data))
    first, second = pictures(redacted_picture(data, text.pieces, [(0, 6)], text=text.text, dpi=DPI))
    [(_, box)] = words(data)
    assert crop(first, box).convert("L").getextrema() == (0, 0)
    assert crop(second, box).convert("L").getextrema()[1] > 200


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_classes_are_drawn_where_the_lines_are(rotation: int) -> None:
    data = letter(rotation)
    pages = read(data)
    kinds = [BoxClass.HEADER, BoxClass.SIGNATURE, BoxClass.BODY]
    [picture] = pictures(classes_picture(data, pages, [kinds], dpi=DPI))
    assert picture.size == (pages[0].width * SCALE, (pages[0].height + 16) * SCALE)
    for line, strongest in zip(pages[0].lines, (0, 0, 1), strict=True):
        x0, y0, x1, y1 = line.place
        tinted = crop(picture, (x0, y0 + 16, x1, y1 + 16))
        bright = [high for _, high in tinted.getextrema()]
        assert bright[strongest] == max(bright) > min(bright)
        dark = [low for low, _ in tinted.getextrema()]
        assert max(dark) < 160  # the letters are still to be seen
    # the page beside the lines stays white
    assert picture.getpixel((picture.width // 2, picture.height - 3)) == (255, 255, 255)


def test_pictures_hold_nothing_else_of_the_document() -> None:
    data = letter()
    pages = read(data)
    text = join(pages)
    for made in (
        classes_picture(data, pages, [[BoxClass.BODY] * 3]),
        redacted_picture(data, text.pieces, [], text=text.text),
    ):
        with pymupdf.open(stream=made, filetype="pdf") as document:
            assert not any(
                value
                for key, value in document.metadata.items()
                if key not in ("format", "encryption")
            )
            assert document.get_xml_metadata() == ""
            streams = [
                document.xref_stream(number) or b"" for number in range(1, document.xref_length())
            ]
        assert b"DUPONT" not in made
        assert not any(b"DUPONT" in stream for stream in streams)


def test_the_same_document_gives_the_same_picture() -> None:
    data = letter()
    pages = read(data)
    first = classes_picture(data, pages, [[BoxClass.BODY] * 3])
    assert classes_picture(data, pages, [[BoxClass.BODY] * 3]) == first


def test_a_huge_page_makes_no_huge_picture() -> None:
    with pymupdf.open() as document:
        document.new_page(width=14_000, height=10_000).insert_text((50, 500), "x", fontsize=90)
        data = bytes(document.tobytes())
    made = redacted_picture(data, (), [], text="")
    with pymupdf.open(stream=made, filetype="pdf") as document:
        [(_, _, width, height, *_)] = document[0].get_images()
        assert (width, height) == (4000, 2858)


def test_what_cannot_be_opened() -> None:
    with pytest.raises(Unreadable, match="broken"):
        redacted_picture(b"%PDF-1.7", (), [], text="")
    with pymupdf.open(stream=letter(), filetype="pdf") as document:
        locked = bytes(
            document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", user_pw="u")
        )
    with pytest.raises(Unreadable, match="encrypted"):
        redacted_picture(locked, (), [], text="", passwords=["x"])
    image = Image.open(
        io.BytesIO(_first_image(redacted_picture(locked, (), [], text="", passwords=["u"])))
    )
    assert image.convert("L").getextrema() == (0, 255)


def _first_image(data: bytes) -> bytes:
    with pymupdf.open(stream=data, filetype="pdf") as document:
        [(number, *_)] = document[0].get_images()
        return bytes(document.extract_image(number)["image"])

"""PDFs made on the spot: some written by a library, the hostile ones byte by byte."""

import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pymupdf
import pytest
from reportlab.pdfgen import canvas

from extractors.document.limits import Limits
from extractors.document.options import Layout, Options
from extractors.document_reader import DocumentReader

FIXTURES = Path(__file__).parents[2].parent / "shared" / "fixtures" / "pdf"
_PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources %s>>"
_RESOURCES = b"<</Font<</F 5 0 R>>%s>>"


def _assemble(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def _stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(data), entries, data)


def _raw(
    content: bytes, *, kids: bytes = b"3 0 R", count: int = 1, forms: tuple[bytes, ...] = ()
) -> bytes:
    """One page with this content stream; `forms` are the drawings /X0, /X1 ... it may call."""
    names = b"".join(b"/X%d %d 0 R" % (i, 6 + i) for i in range(len(forms)))
    resources = _RESOURCES % (b"/XObject<<%s>>" % names)
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources " + resources
    return _assemble(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count),
            _PAGE % resources,
            _stream(zlib.compress(content), b"/Filter/FlateDecode"),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            *(_stream(form_content, form) for form_content in forms),
        ]
    )


def _many(count: int, content: bytes) -> bytes:
    """Pages without number that all show the same content."""
    kids = b" ".join(b"%d 0 R" % (5 + number) for number in range(count))
    return _assemble(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            _stream(content),
            *[_PAGE % b"<</Font<</F 3 0 R>>>>"] * count,
        ]
    )


def _shown(text: bytes) -> bytes:
    return b"BT /F 12 Tf 50 700 Td (%s) Tj ET" % text


def _pdf(*pages: str, **options: object) -> bytes:
    with pymupdf.open() as document:
        for text in pages:
            page = document.new_page()
            if text:
                page.insert_text((50, 60), text.split("\n"), fontsize=10)
        return bytes(document.tobytes(deflate=True, **options))


def _placed(*texts: tuple[float, float, str]) -> bytes:
    """One A4 page by ReportLab: each text with x and y in points from the top left."""
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=(595, 842))
    for x, y, text in texts:
        page.setFont("Helvetica", 10)
        page.drawString(x, 842 - y, text)
    page.save()
    return file.getvalue()


def _scan(shade: int = 0) -> pymupdf.Pixmap:
    image = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 100, 140))
    image.clear_with(255)
    image.set_rect(pymupdf.IRect(10, 10, 80, 20), (shade,))
    return image


@pytest.fixture
def pdf() -> Callable[..., bytes]:
    return _pdf


@pytest.fixture
def raw() -> Callable[..., bytes]:
    return _raw


@pytest.fixture
def many() -> Callable[[int, bytes], bytes]:
    return _many


@pytest.fixture
def shown() -> Callable[[bytes], bytes]:
    return _shown


@pytest.fixture
def placed() -> Callable[..., bytes]:
    return _placed


@pytest.fixture
def scan() -> Callable[..., pymupdf.Pixmap]:
    return _scan


@pytest.fixture
def tangle(raw: Callable[..., bytes]) -> bytes:
    """Drawings that call one another ten times each, ten deep: ten thousand million drawings."""
    calls = [b" ".join([b"/X%d Do" % (depth + 1)] * 10) for depth in range(10)]
    return raw(b"/X0 Do", forms=(*calls, b"0 0 1 1 re f"))


@pytest.fixture
def flood(raw: Callable[..., bytes]) -> bytes:
    """Four million words on one page, in a quarter of a megabyte."""
    return raw(b"BT /F 12 Tf 50 700 Td " + b"(hello world)Tj 0 -.0001 Td " * 4_000_000)


@pytest.fixture(scope="session")
def reader() -> Iterator[DocumentReader]:
    options = Options(Layout.FULL, languages=())
    with DocumentReader(Limits(seconds=20, memory_mb=512), options) as reader:
        yield reader


@pytest.fixture(scope="session")
def fixtures() -> Path:
    if not FIXTURES.is_dir():
        pytest.skip("the folder of fixture PDFs is not beside this checkout")
    return FIXTURES

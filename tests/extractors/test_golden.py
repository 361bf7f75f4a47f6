"""Each fixture PDF against the golden table, which was checked by eye against its pages."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from extractors.document.options import LANGUAGES, Options
from extractors.document_reader import DocumentReader
from extractors.pdf.ocr import Recognizer
from tests.extractors import golden

ROWS = golden.load() if golden.TABLE.exists() else {}
WITHOUT_TEXT = (
    "edspdf/blank.pdf", "pdfplumber/issue-203-decimalize.pdf", "pdfplumber/issue-297-example.pdf",
    "pypdf_sample/cmyk-image.pdf", "pypdf_sample/grayscale-image.pdf",
    "pypdf_sample/imagemagick-ASCII85Decode.pdf", "pypdf_sample/imagemagick-CCITTFaxDecode.pdf",
    "pypdf_sample/imagemagick-lzw.pdf",
)  # fmt: skip
UNREADABLE = {
    "edspdf/error.pdf": "broken",
    "pdfplumber/empty.pdf": "empty",
    "pdfplumber/password-example.pdf": "encrypted",
    "pypdf_sample/libreoffice-writer-password.pdf": "encrypted",
}

MANY_RECOGNIZED = 2
"""Of more pages than these, recognition takes a minute: it is done in one layout."""


@pytest.fixture(scope="module")
def readers() -> Iterator[golden.Readers]:
    recognizer = Recognizer(LANGUAGES)
    readers = golden.Readers(LANGUAGES if recognizer.available else ())
    yield readers
    readers.close()


def test_the_table_names_every_fixture() -> None:
    paths = golden.files()
    if not paths:
        pytest.skip("the folder of fixture PDFs is not beside this checkout")
    assert [path.relative_to(golden.FIXTURES).as_posix() for path in paths] == list(ROWS)
    assert len(ROWS) == 84


def test_what_has_no_text_is_recognized_or_refused() -> None:
    for name in WITHOUT_TEXT:
        row = ROWS[name]
        assert not row.full.isdecimal() or int(row.recognized) > 0, name
    for name, reason in UNREADABLE.items():
        assert (ROWS[name].full, ROWS[name].body) == (reason, reason)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(ROWS))
def test_what_comes_out(name: str, readers: golden.Readers) -> None:
    path = golden.FIXTURES / name
    if not path.exists():
        pytest.skip("the folder of fixture PDFs is not beside this checkout")
    expected = ROWS[name]
    if _depends_on_recognition(expected) and not readers.languages:
        pytest.skip("tesseract or its data is not installed")
    if expected.recognized not in ("", "0") and int(expected.recognized) > MANY_RECOGNIZED:
        with DocumentReader(golden.LIMITS, Options()) as reader:
            body = reader.read(golden.content(path), name=path.name)
        assert str(body.recognized) == expected.recognized
        assert len(body.text) == pytest.approx(int(expected.body), rel=0.1)
        return
    row = readers.row(path)
    if expected.recognized not in ("", "0"):
        # Versions of tesseract differ in a few letters.
        assert row.recognized == expected.recognized
        assert row.full.isdecimal()
        assert int(row.full) == pytest.approx(int(expected.full), rel=0.1)
        assert float(row.score) == pytest.approx(float(expected.score), abs=0.1)
        return
    if row.score:
        assert float(row.score) == pytest.approx(float(expected.score), abs=0.011)
    assert replace(row, score="") == replace(expected, score="")


def _depends_on_recognition(row: golden.Row) -> bool:
    return row.recognized not in ("", "0") or row.full == "nothing-recognized"

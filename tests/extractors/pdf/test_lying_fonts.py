import io
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
import reportlab
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas

from extractors.document.limits import Limits
from extractors.pdf import mupdf_reader
from extractors.pdf.lying_fonts import FontCheck, _parse_to_unicode
from extractors.pdf.mupdf_page import MupdfPage
from record.errors import Unreadable

VERA = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
CMAP = (
    b"begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange\n"
    b"<20> <7E> <%04X>\nendbfrange endcmap"
)
LETTER = b"BT /F 12 Tf 50 700 Td (Le patient ) Tj /L 12 Tf (%s) Tj /F 12 Tf ( tousse.) Tj ET"
Make = Callable[..., bytes]


def with_font(data: bytes, entries: str, first: int | None) -> bytes:
    """Add a second font /L, whose codes from 0x20 on have the text of `first` and those after."""
    with pymupdf.open(stream=data, filetype="pdf") as document:
        font = document.get_new_xref()
        document.update_object(font, f"<</Type/Font/BaseFont/Helvetica {entries}>>")
        if first is not None:
            cmap = document.get_new_xref()
            document.update_object(cmap, "<<>>")
            document.update_stream(cmap, CMAP % first)
            document.xref_set_key(font, "ToUnicode", f"{cmap} 0 R")
        document.xref_set_key(document[0].xref, "Resources/Font/L", f"{font} 0 R")
        return bytes(document.tobytes())


def lies(data: bytes) -> bool:
    with pymupdf.open(stream=data, filetype="pdf") as document:
        return FontCheck().is_lied_to(MupdfPage(document, 0).as_pdf)


NAMED = "/Subtype/Type1/Encoding/WinAnsiEncoding"


class TestSimpleFonts:
    @pytest.mark.parametrize(
        "entries",
        [
            NAMED,
            "/Subtype/Type1",
            "/Subtype/TrueType/Encoding<</BaseEncoding/MacRomanEncoding>>",
            "/Subtype/Type1/Encoding<</Differences[77/M/a/r/t/y]>>",
        ],
    )
    @pytest.mark.parametrize("first", [0x21, 0x1F, 0xF020])
    def test_a_few_words_in_other_letters(self, raw: Make, entries: str, first: int) -> None:
        data = with_font(raw(LETTER % b"Alphonse MARTY"), entries, first)
        assert lies(data)
        with pytest.raises(Unreadable) as caught:
            mupdf_reader.read_pages(data, Limits())
        assert caught.value.reason == "garbled-text"

    @pytest.mark.parametrize("first", [None, 0x20])
    def test_text_that_is_drawn(self, raw: Make, first: int | None) -> None:
        data = with_font(raw(LETTER % b"MARTY"), NAMED, first)
        assert not lies(data)
        pages = mupdf_reader.read_pages(data, Limits()).pages
        assert [line.text for line in pages[0].lines] == ["Le patient MARTY tousse."]

    def test_a_font_whose_letters_are_unknown(self, raw: Make) -> None:
        symbols = "/Subtype/Type1/FontDescriptor<</FontFile3 4 0 R>>"
        assert not lies(with_font(raw(LETTER % b"a"), symbols, 0x21))
        named = "/Subtype/Type3/Encoding<</Differences[65/g1/g2/g3/g4]>>"
        assert not lies(with_font(raw(LETTER % b"a"), named, 0x21))

    def test_in_a_drawing_and_in_an_annotation(self, raw: Make) -> None:
        data = with_font(raw(b"/X0 Do", forms=(LETTER % b"MARTY",)), NAMED, 0x21)
        with pymupdf.open(stream=data, filetype="pdf") as document:
            page = document[0]
            key, font = document.xref_get_key(page.xref, "Resources/Font/L")
            assert key == "xref"
            document.xref_set_key(page.xref, "Resources/Font/L", "null")
            assert not lies(document.tobytes())
            stamp = page.add_stamp_annot(page.rect)
            drawing = int(document.xref_get_key(stamp.xref, "AP/N")[1].split()[0])
            document.xref_set_key(drawing, "Resources", f"<</Font<</L {font}>>>>")
            assert lies(document.tobytes())
            document.xref_set_key(drawing, "Resources", "null")
            form = int(document.xref_get_key(page.xref, "Resources/XObject/X0")[1].split()[0])
            document.xref_set_key(form, "Resources", f"<</Font<</L {font}>>>>")
            assert lies(document.tobytes())


class TestCompositeFonts:
    @staticmethod
    def drawn(swap: Callable[[bytes], bytes] = bytes, *, subset: bool = False) -> bytes:
        with pymupdf.open() as document:
            page = document.new_page()
            page.insert_font("V", fontfile=str(VERA))
            page.insert_text((50, 60), "Madame MARTY, née en 1950", fontname="V")
            if subset:
                document.subset_fonts()
            (font,) = page.get_fonts()
            cmap = int(document.xref_get_key(font[0], "ToUnicode")[1].split()[0])
            document.update_stream(cmap, swap(document.xref_stream(cmap)))
            return bytes(document.tobytes())

    def test_text_that_is_drawn(self) -> None:
        assert not lies(self.drawn())

    def test_another_text(self) -> None:
        def shift(cmap: bytes) -> bytes:
            return cmap.replace(b"<0003> <0061> <0020>", b"<0003> <0061> <0021>")

        assert lies(self.drawn(shift))
        assert not lies(self.drawn(shift, subset=True))  # without a table of its own

    def test_the_codes_of_a_part_of_a_font(self) -> None:
        file = io.BytesIO()
        pdfmetrics.registerFont(TTFont("Vera", str(VERA)))
        page = canvas.Canvas(file)
        page.setFont("Vera", 12)
        page.drawString(50, 700, "Madame MARTY, née en 1950")
        page.save()
        assert not lies(file.getvalue())


@pytest.mark.parametrize(
    ("cmap", "said"),
    [
        (b"1 beginbfchar <41> <0042> endbfchar", {0x41: "B"}),
        (b"beginbfchar\n<0041><00660069>\n<42> <43>endbfchar", {0x41: "fi", 0x42: "C"}),
        (b"beginbfrange <41> <43> <0061> endbfrange", {0x41: "a", 0x42: "b", 0x43: "c"}),
        (b"beginbfrange <41> <42> [<0062> <0063>] endbfrange", {0x41: "b", 0x42: "c"}),
        (b"beginbfchar <41> <D83DDE00> endbfchar", {0x41: "\U0001f600"}),
        (b"beginbfrange <41> <40> <0061> endbfrange", {}),
        (b"", {}),
    ],
)
def test_tables_of_text(cmap: bytes, said: dict[int, str]) -> None:
    assert _parse_to_unicode(cmap) == said


@given(st.lists(st.sampled_from((b"<41>", b"<", b"[", b"]", b"<00410042>", b" ", b"<ffff>", b"x"))))
def test_any_table_is_read(parts: list[bytes]) -> None:
    for kind in (b"char", b"range"):
        _parse_to_unicode(b"beginbf" + kind + b"".join(parts) + b"endbf" + kind)

from collections.abc import Callable, Iterator

import pymupdf
import pytest

from extractors.document.limits import Limits
from extractors.layout.page_text import join_lines
from extractors.pdf import mupdf_reader, pdfplumber_reader
from extractors.pdf.whole_document import refuse_partial
from record.errors import Unreadable

LIMITS = Limits(max_pages=20)
XFA = b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'>DUPONT</xdp:xdp>"
Make = Callable[..., bytes]
Change = Callable[[pymupdf.Document], object]


def changed(data: bytes, change: Change) -> bytes:
    with pymupdf.open(stream=data, filetype="pdf") as document:
        change(document)
        return bytes(document.tobytes())


def read_with_mupdf(data: bytes) -> str:
    return join_lines(mupdf_reader.read_pages(data, LIMITS).pages).text


def read_with_pdfplumber(data: bytes) -> str:
    return join_lines(pdfplumber_reader.read_pages(data, LIMITS)).text


@pytest.fixture(params=[read_with_mupdf, read_with_pdfplumber])
def read(request: pytest.FixtureRequest) -> Callable[[bytes], str]:
    found: Callable[[bytes], str] = request.param
    return found


def refusal(read: Callable[[bytes], str], data: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        read(data)
    return caught.value.reason


def set_root(key: str, value: str) -> Change:
    return lambda document: document.xref_set_key(document.pdf_catalog(), key, value)


def add_form(entries: str = "") -> Change:
    def add(document: pymupdf.Document) -> None:
        form = document.get_new_xref()
        document.update_object(form, "<<>>")
        document.update_stream(form, XFA)
        old = document.xref_get_key(document.pdf_catalog(), "AcroForm/Fields")
        fields = old[1] if old[0] == "array" else "[]"
        set_root("AcroForm", f"<</Fields {fields}/XFA {form} 0 R>>")(document)
        for entry in entries.split():
            set_root(entry, "true")(document)

    return add


def add_field(document: pymupdf.Document) -> None:
    field = pymupdf.Widget()
    field.field_type = pymupdf.mupdf.PDF_WIDGET_TYPE_TEXT
    field.field_name, field.field_value = "nom", "MARTIN"
    field.rect = pymupdf.Rect(50, 100, 300, 130)
    document[0].add_widget(field)


class TestDynamicForms:
    @pytest.mark.parametrize("entries", ["", "NeedsRendering"])
    def test_pages_that_show_a_notice(
        self, pdf: Make, read: Callable[[bytes], str], entries: str
    ) -> None:
        data = changed(pdf("Please wait..."), add_form(entries))
        assert refusal(read, data) == "dynamic-form"

    def test_a_static_form_is_on_its_pages(self, pdf: Make, read: Callable[[bytes], str]) -> None:
        filled = changed(pdf("formulaire"), add_field)
        assert "MARTIN" in read(changed(filled, add_form()))
        assert refusal(read, changed(filled, add_form("NeedsRendering"))) == "dynamic-form"


class TestPortfolios:
    def test_documents_in_a_document(self, pdf: Make, read: Callable[[bytes], str]) -> None:
        data = changed(pdf("open it in another program"), set_root("Collection", "<</View/T>>"))
        assert refusal(read, data) == "unread-part"

    def test_an_attachment_makes_no_portfolio(
        self, pdf: Make, read: Callable[[bytes], str]
    ) -> None:
        data = changed(pdf("corps"), lambda document: document.embfile_add("a.txt", b"DUPONT"))
        assert read(data) == "corps"


class TestPageTrees:
    @pytest.fixture
    def nested(self, pdf: Make) -> Iterator[pymupdf.Document]:
        """Two pages, the second in a node of its own."""
        with pymupdf.open(stream=pdf("un", "deux"), filetype="pdf") as document:
            root = int(document.xref_get_key(document.pdf_catalog(), "Pages")[1].split()[0])
            first, second = document[0].xref, document[1].xref
            node = document.get_new_xref()
            entries = f"<</Type/Pages/Kids[{second} 0 R]/Count 1/Parent {root} 0 R>>"
            document.update_object(node, entries)
            document.xref_set_key(second, "Parent", f"{node} 0 R")
            document.xref_set_key(root, "Kids", f"[{first} 0 R {node} 0 R]")
            yield document

    def test_nodes_below_nodes(
        self, nested: pymupdf.Document, read: Callable[[bytes], str]
    ) -> None:
        assert read(nested.tobytes()) == "un\n\ndeux"

    @pytest.mark.parametrize("count", [1, 3])
    def test_a_page_that_is_not_counted(
        self, nested: pymupdf.Document, read: Callable[[bytes], str], count: int
    ) -> None:
        root = int(nested.xref_get_key(nested.pdf_catalog(), "Pages")[1].split()[0])
        nested.xref_set_key(root, "Count", str(count))
        assert refusal(read, nested.tobytes()) == "broken"

    def test_a_loop_ends(self, raw: Make, shown: Callable[[bytes], bytes]) -> None:
        data = raw(shown(b"x"), kids=b"3 0 R 2 0 R", count=1)
        with pymupdf.open(stream=data, filetype="pdf") as document:
            document.page_count  # noqa: B018
            with pytest.raises(Unreadable):
                refuse_partial(document)

import contextlib
import io
import zipfile
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.document.limits import Limits
from extractors.plain.plain_text import clean
from extractors.word.docx import extract
from record.errors import Unreadable

OOXML = "http://schemas.openxmlformats.org"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{name}"'
    for prefix, name in {
        "w": f"{OOXML}/wordprocessingml/2006/main",
        "r": f"{OOXML}/officeDocument/2006/relationships",
        "m": f"{OOXML}/officeDocument/2006/math",
        "a": f"{OOXML}/drawingml/2006/main",
        "c": f"{OOXML}/drawingml/2006/chart",
        "wp": f"{OOXML}/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "mc": f"{OOXML}/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
    }.items()
)
TYPES = f'<Types xmlns="{OOXML}/package/2006/content-types"/>'


def relationships(*links: tuple[str, str, str]) -> str:
    inner = "".join(
        f'<Relationship Id="{name}" Type="{OOXML}/officeDocument/2006/relationships/{kind}" '
        f'Target="{target}" TargetMode="{"External" if ":" in target else "Internal"}"/>'
        for name, kind, target in links
    )
    return f'<Relationships xmlns="{OOXML}/package/2006/relationships">{inner}</Relationships>'


def pack(members: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def word(
    body: str,
    parts: Mapping[str, str] | None = None,
    links: tuple[tuple[str, str, str], ...] = (),
    others: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """A word document; `parts` are further parts under word/, without their root's namespaces."""
    extra = {f"word/{name}": with_namespaces(xml) for name, xml in (parts or {}).items()}
    return pack(
        {
            "[Content_Types].xml": TYPES,
            "_rels/.rels": relationships(
                ("x1", "officeDocument", "word/document.xml"),
                ("x2", "extended-properties", "docProps/app.xml"),
            ),
            "word/document.xml": with_namespaces(
                f"<w:document><w:body>{body}</w:body></w:document>"
            ),
            "word/_rels/document.xml.rels": relationships(*links),
            **extra,
            **(others or {}),
        }
    )


def with_namespaces(xml: str) -> str:
    end = xml.index(">") - (xml[xml.index(">") - 1] == "/")
    return f'<?xml version="1.0" encoding="UTF-8"?>{xml[:end]} {NAMESPACES}{xml[end:]}'


def run(text: str, properties: str = "") -> str:
    properties = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{properties}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(*runs: str, properties: str = "") -> str:
    inner = "".join(one if one.startswith("<") else run(one) for one in runs)
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{inner}</w:p>"


def cell(*paragraphs: str) -> str:
    return f"<w:tc><w:tcPr/>{''.join(map(paragraph, paragraphs))}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    properties = f"<w:trPr>{properties}</w:trPr>" if properties else ""
    return f"<w:tr>{properties}{''.join(cells)}</w:tr>"


def field_char(kind: str, inner: str = "") -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}">{inner}</w:fldChar></w:r>'


def instruction(text: str) -> str:
    return f"<w:r><w:instrText>{text}</w:instrText></w:r>"


def box(text: str) -> str:
    return f"<w:txbxContent>{paragraph(text)}</w:txbxContent>"


def read(data: bytes, **limits: int) -> str:
    return extract(data, Limits(**limits)).text


def reason(data: bytes, **limits: int) -> str:
    with pytest.raises(Unreadable) as caught:
        read(data, **limits)
    return caught.value.reason


BOTH_WAYS = (
    '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><a:graphic>'
    f"<a:graphicData><wps:wsp><wps:txbx>{box('Tampon')}</wps:txbx></wps:wsp></a:graphicData>"
    "</a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>"
    f"{box('Tampon')}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)
INNER_ROW = row(cell("a"), cell("b"))
LIST = "<w:listEntry w:val='droite'/><w:listEntry w:val='gauche'/>"

CASES = {
    "paragraphs": (paragraph("Mme DUPRÉ") + paragraph("va ", "bien"), "Mme DUPRÉ\nva bien"),
    "breaks": (
        paragraph("a<b", "<w:r><w:br/></w:r>", "c", "<w:r><w:tab/></w:r>", "d"),
        "a<b\nc\td",
    ),
    "hyphens": (
        paragraph(
            "<w:r><w:t>Jean</w:t><w:noBreakHyphen/><w:t>Paul hos</w:t><w:softHyphen/>"
            "<w:t>pital</w:t></w:r>"
        ),
        "Jean-Paul hospital",
    ),
    "spaces": ("<w:p><w:r><w:t>  Dupont \n</w:t></w:r></w:p>", "Dupont"),
    "symbols": (
        paragraph(
            '<w:r><w:sym w:font="Symbol" w:char="F0B0"/><w:sym w:font="Wingdings" w:char="F0FE"/>'
            '<w:sym w:font="Wingdings" w:char="F021"/></w:r>',
            run("\uf062", '<w:rFonts w:ascii="Symbol"/>'),
        ),
        "°☑•β",
    ),
    "tracked changes": (
        paragraph(
            "Né le ",
            f"<w:del>{run('x')}<w:r><w:delText>3 mars</w:delText></w:r></w:del>",
            f"<w:ins>{run('4 mars')}</w:ins>",
            f"<w:moveFrom>{run('ailleurs')}</w:moveFrom>",
            f"<w:moveTo>{run(' ici')}</w:moveTo>",
        ),
        "Né le 4 mars ici",
    ),
    "deleted paragraph mark": (
        paragraph("DU", properties="<w:rPr><w:del/></w:rPr>") + paragraph("PONT"),
        "DUPONT",
    ),
    "hidden": (
        paragraph("a", run("b", "<w:vanish/>"), run("c", '<w:vanish w:val="0"/>')),
        "ac",
    ),
    "hyperlink, smart tag, control": (
        paragraph(
            f'<w:hyperlink r:id="x">{run("Dr ")}</w:hyperlink><w:smartTag>{run("Martin")}'
            f"</w:smartTag><w:sdt><w:sdtPr><w:alias w:val='n'/></w:sdtPr><w:sdtContent>{run(' !')}"
            "</w:sdtContent></w:sdt>"
        ),
        "Dr Martin !",
    ),
    "field": (
        paragraph(
            "p. ",
            field_char("begin"),
            instruction("IF "),
            *(field_char("begin"), instruction("PAGE"), field_char("separate"), "7"),
            *(field_char("end"), instruction(" = 1"), field_char("separate"), "deux"),
            field_char("end"),
            ".",
        ),
        "p. deux.",
    ),
    "simple field": (paragraph(f'<w:fldSimple w:instr="DATE">{run("hier")}</w:fldSimple>'), "hier"),
    "form fields": (
        paragraph(
            field_char("begin", "<w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>"),
            instruction("FORMCHECKBOX"),
            field_char("end"),
            field_char(
                "begin", f"<w:ffData><w:ddList><w:result w:val='1'/>{LIST}</w:ddList></w:ffData>"
            ),
            instruction("FORMDROPDOWN"),
            field_char("end"),
        ),
        "☒gauche",
    ),
    "table": (
        f"<w:tbl><w:tblPr/>{row(cell('Nom'), cell('DUPONT'), cell(''))}"
        f"{row(cell('Gone'), properties='<w:del/>')}"
        f"<w:sdt><w:sdtContent>{row(cell('Poids'), cell('70 kg'))}</w:sdtContent></w:sdt></w:tbl>",
        "Nom\tDUPONT\nPoids\t70 kg",
    ),
    "cells of several lines": (
        f"<w:tbl>{row(cell('CHU', 'Lyon'), cell('Dr X'))}</w:tbl>",
        "CHU\nLyon\nDr X",
    ),
    "nested table": (
        f"<w:tbl>{row(f'<w:tc><w:tbl>{INNER_ROW}</w:tbl>{paragraph()}</w:tc>')}</w:tbl>",
        "a\tb",
    ),
    "text box once": (paragraph("avant ", BOTH_WAYS, "après"), "avant après\nTampon"),
    "word art": (
        paragraph("<w:r><w:pict><v:shape><v:textpath string='COPIE'/></v:shape></w:pict></w:r>a"),
        "COPIE",
    ),
    "mathematics": (
        paragraph(
            "<m:oMath><m:f><m:num><m:r><m:t>120</m:t></m:r></m:num><m:den><m:r><m:t>80</m:t></m:r>"
            "</m:den></m:f></m:oMath>"
        ),
        "120/80",
    ),
    "empty lines": (paragraph("a") + paragraph() * 5 + paragraph("b"), "a\n\nb"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_reader_sees(name: str) -> None:
    body, text = CASES[name]
    extracted = extract(word(body), Limits())
    assert (extracted.text, extracted.origin) == (text, "docx")


def test_headers_footers_and_notes_are_read_once() -> None:
    references = "".join(
        f'<w:{tag}Reference w:type="{kind}" r:id="{name}"/>'
        for tag, kind, name in (
            *(("header", "first", "h1"), ("header", "default", "h2")),
            *(("footer", "even", "f1"), ("footer", "default", "f2")),
        )
    )
    section = f"<w:sectPr>{references}<w:titlePg/></w:sectPr>"
    notes = "<w:r><w:footnoteReference w:id='2'/></w:r><w:r><w:commentReference w:id='0'/></w:r>"
    body = paragraph("un", properties=section) + paragraph("deux", notes) + section
    parts = {
        "header1.xml": f"<w:hdr>{paragraph('CHU de Lyon')}</w:hdr>",
        "header2.xml": f"<w:hdr>{paragraph('DUPONT Jean')}</w:hdr>",
        "footer1.xml": f"<w:ftr>{paragraph('never shown')}</w:ftr>",
        "footer2.xml": f"<w:ftr>{paragraph('IPP 8012345678')}</w:ftr>",
        "footnotes.xml": "<w:footnotes>"
        f"<w:footnote w:id='0' w:type='separator'>{paragraph('-')}</w:footnote>"
        f"<w:footnote w:id='1'>{paragraph('unused')}</w:footnote>"
        f"<w:footnote w:id='2'>{paragraph('note de bas')}</w:footnote></w:footnotes>",
        "comments.xml": f"<w:comments><w:comment w:id='0' w:author='CANARY'>{paragraph('revoir')}"
        "</w:comment></w:comments>",
    }
    links = (
        *(("h1", "header", "header1.xml"), ("h2", "header", "header2.xml")),
        *(("f1", "footer", "/word/footer1.xml"), ("f2", "footer", "footer2.xml")),
        *(("n", "footnotes", "footnotes.xml"), ("c", "comments", "comments.xml")),
    )
    assert read(word(body, parts, links)).split("\n\n") == [
        *("DUPONT Jean", "CHU de Lyon", "un\ndeux", "note de bas", "revoir", "IPP 8012345678")
    ]


def test_text_is_hidden_by_its_style_and_not_by_two() -> None:
    styles = (
        "<w:styles><w:style w:type='character' w:styleId='Base'><w:rPr><w:vanish/></w:rPr>"
        "</w:style><w:style w:type='character' w:styleId='Secret'><w:basedOn w:val='Base'/>"
        "</w:style><w:style w:type='character' w:styleId='Loop'><w:basedOn w:val='Loop'/></w:style>"
        "<w:style w:type='paragraph' w:styleId='Off'><w:rPr><w:vanish/></w:rPr></w:style>"
        "</w:styles>"
    )
    secret = run("b", '<w:rStyle w:val="Secret"/>')
    body = paragraph("a", secret, run("c", '<w:rStyle w:val="Loop"/>'))
    body += paragraph("d", secret, properties='<w:pStyle w:val="Off"/>')
    assert read(word(body, {"styles.xml": styles}, (("s", "styles", "styles.xml"),))) == "ac\nb"


def test_charts_are_read_once() -> None:
    chart = (
        "<c:chartSpace><a:p><a:r><a:t>Créatinine</a:t></a:r></a:p><c:pt><c:v>81</c:v></c:pt>"
        "</c:chartSpace>"
    )
    body = paragraph("a", '<w:r><w:drawing><c:chart r:id="g"/></w:drawing></w:r>') * 2
    data = word(body, {"charts/chart1.xml": chart}, (("g", "chart", "charts/chart1.xml"),))
    assert read(data) == "a\nCréatinine\n81\na"


def test_the_strict_variant_is_read_too() -> None:
    with zipfile.ZipFile(io.BytesIO(word(paragraph("Mme DUPRÉ")))) as archive:
        members = {name: archive.read(name).decode() for name in archive.namelist()}
    for path in ("wordprocessingml{}/main", "officeDocument{}/relationships"):
        old, new = (
            f"{OOXML}/{path.format('/2006')}",
            f"http://purl.oclc.org/ooxml/{path.format('')}",
        )
        members = {name: text.replace(old, new) for name, text in members.items()}
    assert "purl" in members["_rels/.rels"]
    assert "purl" in members["word/document.xml"]
    assert read(pack(members)) == "Mme DUPRÉ"


def test_metadata_and_embedded_objects_never_come_out() -> None:
    others: dict[str, str | bytes] = {
        "docProps/core.xml": "<x>CANARY</x>",
        "docProps/app.xml": "<x>CANARY</x>",
        "docProps/custom.xml": "<x>CANARY</x>",
        "customXml/item1.xml": "<x>CANARY</x>",
        "word/embeddings/sheet.xlsx": b"CANARY",
        "word/people.xml": "<x>CANARY</x>",
        "word/settings.xml": "<x>CANARY</x>",
    }
    body = paragraph(
        "texte",
        f"<w:ins w:author='CANARY' w:id='1'>{run(' ajouté')}</w:ins>",
        "<w:bookmarkStart w:id='0' w:name='CANARY'/>",
        "<w:r><w:drawing><wp:inline><wp:docPr descr='CANARY' name='CANARY'/></wp:inline>"
        "</w:drawing></w:r>",
        "<w:r><w:object><o:OLEObject ProgID='CANARY' r:id='o'/></w:object></w:r>",
        "<w:hyperlink r:id='out'/>",
    )
    links = (("o", "oleObject", "embeddings/sheet.xlsx"), ("out", "hyperlink", "http://CANARY/"))
    data = word(body, None, links, others)
    assert read(data) == "texte ajouté"
    assert "CANARY" not in repr(extract(data, Limits()))


LARGE = '<wp:extent cx="6000000" cy="8000000"/>'
PICTURE = "<w:r><w:drawing><wp:inline>{}<a:blip/></wp:inline></w:drawing></w:r>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (paragraph("a") + '<w:altChunk r:id="x"/>', "unread-part"),
        (paragraph("a") + '<w:subDoc r:id="x"/>', "unread-part"),
        (paragraph("Lettre", PICTURE.format(LARGE)), "page-without-text"),
        (paragraph(PICTURE.format("")), "no-text-layer"),
        (paragraph(), "no-text"),
        (paragraph(field_char("begin"), "swallowed"), "broken"),
        ("<w:p><w:p>" * 200 + "</w:p></w:p>" * 200, "broken"),
        ("<w:p>", "broken"),
    ],
)
def test_what_cannot_be_read_in_full_is_refused(body: str, expected: str) -> None:
    assert reason(word(body)) == expected


def test_small_pictures_are_no_reason_to_refuse() -> None:
    small = '<wp:extent cx="1000000" cy="1000000"/>'
    assert read(word(paragraph("Lettre", PICTURE.format(small)))) == "Lettre"


def test_document_types_are_refused() -> None:
    xml = with_namespaces(f"<w:document><w:body>{paragraph('a')}</w:body></w:document>")
    xml = xml.replace("?><w", '?><!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]><w')
    assert reason(word("", others={"word/document.xml": xml})) == "broken"


def test_limits() -> None:
    assert reason(word(paragraph("a" * 5_000_000))) == "too-large"
    rich = word(paragraph(" ".join(map(str, range(3_000)))))
    assert reason(rich, max_bytes=len(rich) + 1) == "too-large"
    assert reason(rich, max_characters=1_000) == "too-long"


def test_other_files_are_refused() -> None:
    compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    assert reason(compound) == "unknown-format"
    assert reason(compound + "EncryptedPackage".encode("utf-16-le")) == "encrypted"
    assert reason(pack({"a.txt": "x"})) == "unknown-format"
    assert reason(pack({"[Content_Types].xml": TYPES})) == "unknown-format"
    assert reason(word("", others={"word/document.xml": "<workbook/>"})) == "unknown-format"
    assert reason(b"text") == "broken"


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_damaged_files_are_read_or_refused(data: st.DataObject) -> None:
    whole = word(CASES["table"][0] + CASES["field"][0] + CASES["text box once"][0])
    assert reason(whole[: data.draw(st.integers(0, len(whole) - 1))]) == "broken"
    damaged = bytearray(whole)
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=8)):
        damaged[at] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Unreadable):
        assert extract(bytes(damaged), Limits()).text


MARKUP = [case[0] for case in CASES.values()]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_elements_in_any_order_are_read_or_refused(data: st.DataObject) -> None:
    root = ElementTree.fromstring(with_namespaces(f"<w:body>{''.join(MARKUP)}</w:body>"))
    elements = list(root.iter())
    for _ in range(data.draw(st.integers(1, 6))):
        host, guest = data.draw(st.sampled_from(elements)), data.draw(st.sampled_from(elements))
        if host not in list(guest.iter()):
            host.append(guest)
    body = "".join(ElementTree.tostring(child, encoding="unicode") for child in root)
    with contextlib.suppress(Unreadable):
        assert read(word(body))


TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Co")), max_size=30)


@given(st.lists(TEXTS.map(lambda text: text.strip()), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_text_goes_through_unchanged(texts: list[str]) -> None:
    texts = [text for text in map(str.strip, map(clean, texts)) if text and "\n" not in text]
    if texts:
        written = word("".join(paragraph(run(text)) for text in texts))
        assert read(written) == clean("\n".join(texts))
        rows = "".join(row(cell(run(text)), cell("x")) for text in texts)
        assert read(word(f"<w:tbl>{rows}</w:tbl>")) == clean("\n".join(f"{t}\tx" for t in texts))

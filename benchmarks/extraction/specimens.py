"""Small valid documents of every supported format, byte-identical on each run, as fuzzing seeds."""

import io
import zipfile
import zlib
from email.message import EmailMessage

import pymupdf
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

LETTER = (
    "CENTRE HOSPITALIER DE SAINT-AUBIN",
    "Service de cardiologie - Dr Hélène MARÉCHAL",
    "Saint-Aubin, le 12 mars 2024",
    "Mon cher confrère,",
    "J'ai revu en consultation Mme Zoé LEFÈVRE, née le 03/07/1958, pour une dyspnée d'effort.",
    "La tension artérielle est à 135/80 mmHg, le rythme sinusal à 72 par minute.",
    "Traitement : bisoprolol 2,5 mg le matin, furosémide 40 mg. Contrôle dans six mois.",
    "Bien confraternellement,",
)
_DATE = (2024, 3, 12, 8, 0, 0)
_OOXML = "http://schemas.openxmlformats.org"
_WORD = f'xmlns:w="{_OOXML}/wordprocessingml/2006/main"'


def make_specimens() -> dict[str, bytes]:
    """Make the documents, by names that end like those of files do."""
    return {
        "letter.pdf": _report(),
        "plain.pdf": _by_hand(compress=False),
        "forms.pdf": _by_hand(compress=True),
        "modern.pdf": _modern(),
        "letter.rtf": _rtf(),
        "letter.docx": _docx(),
        "letter.html": _html(),
        "letter.eml": _mail(),
        "letter.xml": _cda(),
        "letter.txt": "\r\n".join(LETTER).encode("cp1252"),
        "wide.txt": "\n".join(LETTER).encode("utf-16"),
    }


def _report() -> bytes:
    """Two pages by ReportLab: a letter, and a ruled table."""
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=A4, invariant=True)
    for number, line in enumerate(LETTER):
        page.setFont("Helvetica-Bold" if number == 0 else "Times-Roman", 11)
        page.drawString(60, 780 - 18 * number, line)
    page.linkURL("mailto:secretariat@example.org", (60, 100, 200, 112))
    page.showPage()
    page.setFont("Courier", 9)
    for row in range(6):
        for column, value in enumerate(("Kaliémie", f"{3.5 + row / 10:.1f}", "mmol/l")):
            page.rect(60 + 120 * column, 700 - 20 * row, 120, 20)
            page.drawString(64 + 120 * column, 706 - 20 * row, value)
    page.save()
    return file.getvalue()


def _by_hand(*, compress: bool) -> bytes:
    """One page with two fonts, a drawing within a drawing, a picture and an annotation."""
    lines = b" ".join(
        b"1 0 0 1 50 %d Tm [(%s) -250 (%d)] TJ" % (740 - 16 * number, _escaped(line), number)
        for number, line in enumerate(LETTER)
    )
    picture = b"q 40 0 0 40 500 40 cm BI /W 2 /H 2 /BPC 8 /CS /G ID \x00\xff\xff\x00 EI Q"
    content = b"BT /F 11 Tf " + lines + b" ET q 1 0 0 1 0 0 cm /X Do Q " + picture
    shown = b"BT /G 10 Tf 50 90 Td <00410042> Tj ET 50 80 100 10 re S"
    resources = b"/Resources<</Font<</F 5 0 R/G 7 0 R>>/XObject<</X 6 0 R>>>>"
    return _assembled(
        [
            b"<</Type/Catalog/Pages 2 0 R/Lang(fr)>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Rotate 0/Contents 4 0 R"
            b"/Annots[11 0 R]" + resources + b">>",
            _stream(content, compress=compress),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
            _stream(shown, b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]" + resources),
            b"<</Type/Font/Subtype/Type0/BaseFont/Arial/Encoding/Identity-H"
            b"/DescendantFonts[8 0 R]/ToUnicode 10 0 R>>",
            b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Arial/FontDescriptor 9 0 R/DW 600"
            b"/W[0[500 600]]/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>",
            b"<</Type/FontDescriptor/FontName/Arial/Flags 4/FontBBox[0 -200 1000 900]"
            b"/ItalicAngle 0/Ascent 900/Descent -200/CapHeight 700/StemV 80>>",
            _stream(
                b"/CIDInit/ProcSet findresource begin begincmap\n"
                b"1 begincodespacerange <0000><FFFF> endcodespacerange\n"
                b"1 beginbfrange <0041><005A><0041> endbfrange\nendcmap end",
                compress=compress,
            ),
            b"<</Type/Annot/Subtype/FreeText/Rect[300 40 450 70]/Contents(Vu par l'interne)"
            b"/DA(/F 10 Tf 0 g)>>",
        ]
    )


def _escaped(line: str) -> bytes:
    encoded = line.encode("cp1252")
    for sign in (b"\\", b"(", b")"):
        encoded = encoded.replace(sign, b"\\" + sign)
    return encoded


def _stream(content: bytes, entries: bytes = b"", *, compress: bool = False) -> bytes:
    if compress:
        content, entries = zlib.compress(content), entries + b"/Filter/FlateDecode"
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), entries, content)


def _assembled(objects: list[bytes]) -> bytes:
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


def _modern() -> bytes:
    """By MuPDF: object streams, an embedded font, a page on its side, a form field."""
    with pymupdf.open() as document:
        for rotation in (0, 90):
            page = document.new_page()
            writer = pymupdf.TextWriter(page.rect, color=(0, 0, 0.5))
            for number, line in enumerate(LETTER):
                writer.append((50, 60 + 16 * number), line, font=pymupdf.Font("tiro"), fontsize=10)
            writer.write_text(page)
            page.set_rotation(rotation)
        field = pymupdf.Widget()
        field.field_name, field.field_type = "service", pymupdf.mupdf.PDF_WIDGET_TYPE_TEXT
        field.field_value, field.rect = "Cardiologie", pymupdf.Rect(50, 400, 200, 420)
        document[0].add_widget(field)
        document.set_metadata({})
        saved = document.tobytes(deflate=True, garbage=3, use_objstms=1, no_new_id=True)
    return bytes(saved)


def _rtf() -> bytes:
    def encoded(line: str) -> str:
        return "".join(c if c.isascii() else f"\\'{ord(c):02x}" for c in line)

    body = "\\par\n".join(encoded(line) for line in LETTER)
    cells = "".join(
        f"\\trowd\\cellx3000\\cellx6000\\intbl {a}\\cell {b}\\cell\\row\n"
        for a, b in (("Kali\\'e9mie", "3,9"), ("Cr\\u233?atinine", "82"))
    )
    return (
        "{\\rtf1\\ansi\\ansicpg1252\\deff0\\uc1{\\fonttbl{\\f0\\fswiss\\fcharset0 Arial;}"
        "{\\f1\\fnil\\fcharset238 Arial CE;}}{\\colortbl;\\red0\\green0\\blue0;}"
        "{\\*\\generator Writer;}{\\info{\\author Secr\\'e9tariat}{\\title Lettre}}"
        "{\\header\\pard Page \\chpgn\\par}{\\footer\\pard Confidentiel\\par}"
        f"\\pard\\plain\\f0\\fs22 {body}\\par\n{cells}\\pard{{\\b gras}} {{\\v cach\\'e9}}"
        '{\\field{\\*\\fldinst HYPERLINK "http://example.org"}{\\fldrslt lien}}'
        "{\\*\\revtbl{Nobody;}}{\\deleted supprim\\'e9}{\\footnote note}"
        "{\\pict\\pngblip\\picw1\\pich1 89504e470d0a1a0a}{\\pict\\bin4 }{\\x}"
        "\\line{\\f1\\'b3}\\par}"
    ).encode("cp1252")


def _docx() -> bytes:
    paragraphs = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in LETTER)
    table = (
        "<w:tbl>"
        + "".join(
            f"<w:tr><w:tc><w:p><w:r><w:t>{a}</w:t></w:r></w:p></w:tc>"
            f'<w:tc><w:tcPr><w:gridSpan w:val="1"/></w:tcPr><w:p><w:r><w:t>{b}</w:t></w:r></w:p>'
            "</w:tc></w:tr>"
            for a, b in (("Kaliémie", "3,9"), ("Créatinine", "82"))
        )
        + "</w:tbl>"
    )
    changed = (
        '<w:p><w:del w:id="1"><w:r><w:delText>ancien</w:delText></w:r></w:del>'
        '<w:ins w:id="2"><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>nouveau</w:t></w:r></w:ins>'
        '<w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    )
    kind = f"{_OOXML}/officeDocument/2006/relationships"
    links = "".join(
        f'<Relationship Id="r{n}" Type="{kind}/{name}" Target="{name}{suffix}.xml"/>'
        for n, (name, suffix) in enumerate((("header", "1"), ("styles", ""), ("footnotes", "")))
    )
    members = {
        "[Content_Types].xml": f'<Types xmlns="{_OOXML}/package/2006/content-types"/>',
        "_rels/.rels": (
            f'<Relationships xmlns="{_OOXML}/package/2006/relationships"><Relationship Id="x" '
            f'Type="{kind}/officeDocument" Target="word/document.xml"/></Relationships>'
        ),
        "word/_rels/document.xml.rels": (
            f'<Relationships xmlns="{_OOXML}/package/2006/relationships">{links}</Relationships>'
        ),
        "word/document.xml": (
            f'<w:document {_WORD} xmlns:r="{kind}"><w:body>{paragraphs}{table}{changed}<w:sectPr>'
            '<w:headerReference w:type="default" r:id="r0"/></w:sectPr></w:body></w:document>'
        ),
        "word/header1.xml": (
            f"<w:hdr {_WORD}><w:p><w:r><w:t>Service de cardiologie</w:t></w:r></w:p></w:hdr>"
        ),
        "word/footnotes.xml": (
            f'<w:footnotes {_WORD}><w:footnote w:id="2"><w:p><w:r><w:t>Note de bas de page</w:t>'
            "</w:r></w:p></w:footnote></w:footnotes>"
        ),
        "word/styles.xml": (
            f'<w:styles {_WORD}><w:style w:type="paragraph" w:styleId="a"><w:rPr><w:b/></w:rPr>'
            "</w:style></w:styles>"
        ),
    }
    return zip_members({name: xml.encode() for name, xml in members.items()})


def zip_members(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Pack members into an archive that bears no date of its own."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, method)
    return file.getvalue()


def _html() -> bytes:
    body = "".join(f"<p>{line}</p>\n" for line in LETTER).replace("é", "&eacute;")
    return (
        '<!DOCTYPE html><html lang="fr"><head><meta charset="utf-8"><title>Lettre</title>'
        "<style>p { margin: 0 } .x { display: none }</style><script>var a = '<p>';</script></head>"
        f'<body><div class="letter">{body}</div><table border="1"><tr><td>Kaliémie<td>3,9</tr>'
        '<tr><th colspan="2">&#233;&#x41;&nbsp;&amp;</table><!-- vu --><span hidden>non</span>'
        '<ul><li>un<li>deux</ul><img alt="logo" src="x.png"><br/><pre>  a\n  b</pre></body></html>'
    ).encode()


def _mail() -> bytes:
    message = EmailMessage()
    message["Subject"] = "Compte rendu de Mme Zoé LEFÈVRE"
    message["From"] = "Hélène MARÉCHAL <h.marechal@example.org>"
    message["To"] = "cabinet@example.org"
    message["Date"] = "Tue, 12 Mar 2024 08:00:00 +0100"
    message.set_content("\n".join(LETTER), cte="quoted-printable")
    message.add_alternative(_html().decode(), subtype="html", cte="base64")
    message.make_mixed("====limit-1====")
    message.add_attachment(_rtf(), maintype="application", subtype="rtf", filename="lettre.rtf")
    message.add_attachment(b"suite", maintype="text", subtype="plain", filename="n.txt")
    inner = message.get_payload()
    assert isinstance(inner, list) and isinstance(inner[0], EmailMessage)
    inner[0].set_boundary("====limit-2====")
    return message.as_bytes()


def _cda() -> bytes:
    items = "".join(f"<paragraph>{line}</paragraph>" for line in LETTER)
    return (
        '<?xml version="1.0" encoding="UTF-8"?><ClinicalDocument xmlns="urn:hl7-org:v3">'
        '<typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/><title>Lettre</title>'
        "<recordTarget><patientRole><patient><name><given>Zoé</given><family>LEFÈVRE</family>"
        "</name></patient></patientRole></recordTarget><component><structuredBody><component>"
        f"<section><title>Histoire</title><text>{items}<table><thead><tr><th>Examen</th></tr>"
        "</thead><tbody><tr><td>Kaliémie</td><td>3,9</td></tr></tbody></table><list><item>un"
        "</item><item>deux</item></list></text></section></component></structuredBody></component>"
        "</ClinicalDocument>"
    ).encode()

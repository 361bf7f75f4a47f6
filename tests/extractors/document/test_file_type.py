from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.file_type import FileType, sniff
from record.errors import Unreadable

CDA = '<{0}ClinicalDocument xmlns="urn:hl7-org:v3"><title>x</title></{0}ClinicalDocument>'
XML = '<?xml version="1.0" encoding="{0}"?>\n<!-- a comment --><?xml-stylesheet href="CDA.xsl"?>'
XHTML = (
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
    '<html xmlns="http://www.w3.org/1999/xhtml"></html>'
)
MESSAGE = (
    "Received: from a by b\r\n\tfor c; Mon, 1 Jan 2024 10:00:00 +0100\r\n"
    "From: Dr Dupont <d@hopital.example>\r\nSubject: avis\r\n\r\nBonjour"
)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n...", FileType.PDF),
        (b"\xef\xbb\xbf%PDF-1.4", FileType.PDF),
        (b"\r\n" * 200 + b"%PDF-2.0", FileType.PDF),
        (b"a mail header\n\n%PDF-1.4", FileType.PDF),
        (b"x" * 1024 + b"%PDF-1.4", FileType.PLAIN),
        (b"Compte rendu", FileType.PLAIN),
        (b"a PDF report, %PDF", FileType.PLAIN),
        (b"tension < 12, <html> is mentioned later", FileType.PLAIN),
        (b"{curly} text", FileType.PLAIN),
        (b"<p> is not a paragraph here"[3:], FileType.PLAIN),
        (b"<12 g/dl, puis <i 10", FileType.PLAIN),
        (rb"{\rtf1\ansi Dupr\'e9}", FileType.RTF),
        (b"\xef\xbb\xbf\r\n{\\rtf1 x}", FileType.RTF),
        ("{\\rtf1 x}".encode("utf-16"), FileType.RTF),
        (rb"as {\rtf begins", FileType.PLAIN),
        (b"\n <!DOCTYPE html><p>Dupr&eacute;", FileType.HTML),
        (b"\xef\xbb\xbf<HTML>", FileType.HTML),
        ("<html><p>é".encode("utf-16"), FileType.HTML),
        (b"<!-- saved --><p class='x'>y", FileType.HTML),
        (b"<span>y</span>", FileType.HTML),
        (XHTML.encode(), FileType.HTML),
        (b"M. Dupr&eacute;<br>vu ce jour<br/>", FileType.HTML),
        (b"PK\x03\x04...word/document.xml", FileType.DOCX),
        (b"PK\x03\x04...[Content_Types].xml...letter.xml", FileType.DOCX),
        (CDA.format("").encode(), FileType.CDA),
        (CDA.format("n1:").encode("utf-16"), FileType.CDA),
        ((XML.format("ISO-8859-1") + CDA.format("")).encode("latin-1"), FileType.CDA),
        (b"\xef\xbb\xbf" + (XML.format("utf-8") + CDA.format("cda:")).encode(), FileType.CDA),
        ((XML.format("utf-16") + CDA.format("")).encode("utf-16-be"), FileType.CDA),
        ((XML.format("utf-8") + "<!DOCTYPE x>" + CDA.format("")).encode(), FileType.CDA),
        (MESSAGE.encode(), FileType.MAIL),
        (b"From: a@b.example\nDate: Mon, 1 Jan 2024 10:00:00 +0100\n\nx", FileType.MAIL),
        (b"From d@x Mon Jan  1 10:00:00 2024\nTo: a\nMIME-Version: 1.0\n\nx", FileType.MAIL),
        (
            b"Date: 12/03/2024\nFrom: Dr Martin\nTo: Dr Roy\nSubject: Mr Hill\n\nDear",
            FileType.PLAIN,
        ),
        ("De : Dr Roy\nÀ : Dr Lam\nObjet : avis\n\nCher".encode(), FileType.PLAIN),
        (b"Date: 12/03/2024\n\nConsultation", FileType.PLAIN),
        (b"From: a@b.example\nTo: c@d.example\nSubject: no end", FileType.PLAIN),
        (b"Compte rendu\nReceived: x\nMIME-Version: 1.0\n\nx", FileType.PLAIN),
    ],
)
def test_the_content_decides(data: bytes, kind: FileType) -> None:
    assert sniff(data) is kind


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"<?xml version='1.0'?>", "unknown-format"),
        (b"<?xml version='1.0'?><note>x</note>", "unknown-format"),
        (b"<note><to>Dupont</to></note>\n", "unknown-format"),
        (b"<?xml version='1.0'?><p>x</p>", "unknown-format"),
        (b"<svg><text>x</text></svg>", "unknown-format"),
        (b"<!-- nothing else -->", "unknown-format"),
        (b"%!PS-Adobe-3.0", "unknown-format"),
        (b"MIME-Version: 1.0\nContent-Transfer-Encoding: base64", "unknown-format"),
        (b"PK\x03\x04...mimetypeapplication/vnd.oasis.opendocument.text", "unknown-format"),
        (b"PK\x03\x04...[Content_Types].xml...xl/workbook.xml", "unknown-format"),
        (b"PK\x05\x06" + bytes(18), "unknown-format"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 WordDocument", "unknown-format"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "encrypted",
        ),
        (b"\x89PNG\r\n\x1a\n", "unknown-format"),
        (b"\xff\xd8\xff\xe0JFIF", "unknown-format"),
        (b"II*\0", "unknown-format"),
        (b"MM\0*", "unknown-format"),
        (b"GIF89a", "unknown-format"),
        (b"\x1f\x8b\x08", "unknown-format"),
        (bytes(128) + b"DICM", "unknown-format"),
    ],
)
def test_what_no_extractor_reads_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        sniff(data)
    assert caught.value.reason == reason


@given(st.binary(max_size=300) | st.text("<!-?[\"'html:>] \n", max_size=300).map(str.encode))
def test_any_bytes_are_told_or_refused(data: bytes) -> None:
    try:
        kind = sniff(data)
    except Unreadable:
        return
    assert isinstance(kind, FileType)


@pytest.mark.parametrize(
    "unit", [b"<!--", b"<!doctype [", b"<?", b"<a ", b"&", b"</", b"x:\n ", b"<a:"]
)
def test_hostile_beginnings_cost_little(unit: bytes) -> None:
    with pytest.raises(Unreadable) if unit[:2] in (b"<!", b"<?") else nullcontext():
        sniff(unit * 100_000)

import pytest

from extractors.sniff import Kind, sniff
from record.errors import Unreadable


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n...", Kind.PDF),
        (b"\xef\xbb\xbf%PDF-1.4", Kind.PDF),
        (b"\r\n" * 200 + b"%PDF-2.0", Kind.PDF),
        (b"a mail header\n\n%PDF-1.4", Kind.PDF),
        (b"x" * 1024 + b"%PDF-1.4", Kind.PLAIN),
        (b"Compte rendu", Kind.PLAIN),
        (b"a PDF report, %PDF", Kind.PLAIN),
        (b"tension < 12, <html> is mentioned later", Kind.PLAIN),
        (b"{curly} text", Kind.PLAIN),
        (b"<p> is not a paragraph here"[3:], Kind.PLAIN),
    ],
)
def test_the_content_decides(data: bytes, kind: Kind) -> None:
    assert sniff(data) is kind


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (rb"{\rtf1\ansi Dupr\'e9}", "unknown-format"),
        (b"\n <!DOCTYPE html><p>Dupr&eacute;", "unknown-format"),
        (b"\xef\xbb\xbf<HTML>", "unknown-format"),
        (b"<?xml version='1.0'?>", "unknown-format"),
        (b"%!PS-Adobe-3.0", "unknown-format"),
        (b"MIME-Version: 1.0\nContent-Transfer-Encoding: base64", "unknown-format"),
    ],
)
def test_what_no_extractor_reads_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        sniff(data)
    assert caught.value.reason == reason

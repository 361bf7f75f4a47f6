"""Which extractor reads what, told by the content alone."""

import re
from enum import StrEnum

from record.errors import Unreadable


class Kind(StrEnum):
    """The kinds of document that can be read."""

    PDF = "pdf"
    PLAIN = "plain"


# A PDF may have other bytes before its header (ISO 32000-1, annex H, implementation note 13).
_PDF_HEADER = re.compile(rb"%PDF-\d")
_PDF_HEADER_WITHIN = 1024

# Formats of characters, which would pass for plain text with their escapes hiding names.
_MARKUP = re.compile(
    rb"[\s\xef\xbb\xbf]*(?:\{\\rtf|%!PS|<!doctype\b|<\?xml\b|<!--|<(?:html|head|body|svg|div|p|table)\b"
    rb"|MIME-Version:|Content-Type:)",
    re.IGNORECASE,
)


def sniff(data: bytes) -> Kind:
    """Tell the kind of a document.

    Whether a document of kind PLAIN is text indeed shows when it is decoded.
    Raises Unreadable: `empty`, or `unknown-format` for markup that no extractor reads.
    """
    if not data:
        raise Unreadable("empty")
    if _PDF_HEADER.search(data, 0, _PDF_HEADER_WITHIN):
        return Kind.PDF
    if _MARKUP.match(data):
        raise Unreadable("unknown-format")
    return Kind.PLAIN

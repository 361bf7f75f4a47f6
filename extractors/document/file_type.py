"""Detection of a document's file type from its content."""

import codecs
import re
from email.utils import parsedate_tz
from enum import StrEnum

from record.errors import Unreadable


class FileType(StrEnum):
    """The file types that can be extracted."""

    PDF = "pdf"
    RTF = "rtf"
    HTML = "html"
    DOCX = "docx"
    CDA = "cda"
    MAIL = "mail"
    PLAIN = "plain"


# A PDF may have other bytes before its header (ISO 32000-1, annex H, implementation note 13).
_PDF_HEADER = re.compile(rb"%PDF-\d")
_PDF_HEADER_WITHIN = 1024

_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_WORD_PART = re.compile(rb"word[/\\]document")
_OTHER_PARTS = re.compile(rb"xl[/\\]workbook|ppt[/\\]presentation|visio[/\\]document")
_CONTENT_TYPES = b"[Content_Types].xml"

# Old documents, and encrypted ones of any age, are OLE compound files.
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")

_UNREAD = (
    *(b"\x89PNG\r\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"GIF87a", b"GIF89a"),
    *(b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a", b"\0\0\0\x0cjP  ", b"\x28\xb5\x2f\xfd"),
)
_DICOM = b"DICM"
_DICOM_AT = 128

_HEAD_BYTES = 65_536
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    # XML may lack a byte order mark (XML 1.0, appendix F).
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)

# What may stand before the first element: instructions, comments, a document type.
_PROLOG = re.compile(
    r"\s*(?:<\?[^>]*+>|<!--(?:(?!-->).)*+-->"
    r"|<!doctype\b(?:[^<>\"'\[]|\"[^\"]*+\"|'[^']*+'|\[[^\]]*+\])*+>)",
    re.IGNORECASE | re.DOTALL,
)
_ROOT = re.compile(r"\s*<(?P<tag>(?:[\w.-]+:)?(?P<name>[A-Za-z_][\w.-]*))(?=[\s/>])")
_WHOLE_TAG = re.compile(r"\s*<[^<>]*+>")
_END_TAG = re.compile(r"</([\w.:-]+)\s*>\s*\Z")
_TAIL_BYTES = 400
_DOCTYPE_HTML = re.compile(r"<!doctype\s+(?:[\w.-]+:)?html\b", re.IGNORECASE)
_NO_TEXT = re.compile(r"\s*(?:%!PS|\x04%!PS|<\?|<!doctype\b|<!--)", re.IGNORECASE)
_RTF = re.compile(r"\s*\{\\rtf")

_ELEMENTS = frozenset(
    "html head body title meta link base style script div span p br hr h1 h2 h3 h4 h5 h6 table "
    "tbody thead tr td th ul ol li dl dt dd a b i u s em strong small big font center pre code "
    "blockquote section article header footer main nav form fieldset label input img address "
    "sub sup tt strike caption figure noscript".split()
)
# Markup within text: at least three pieces that people do not type.
_MARKUP = re.compile(
    r"</(?:p|div|span|td|tr|table|li|ul|ol|b|i|u|strong|em|font|h[1-6])\s*>|<br\s*/?>"
    r"|&(?:nbsp|[a-z](?:acute|grave|circ|uml|cedil|tilde)|#\d{2,5}|#x[0-9a-f]{2,4});",
    re.IGNORECASE,
)
_ENOUGH_MARKUP = 3

_HEADER_LINE = re.compile(r"([!-9;-~]+):(.*)")
_KNOWN_HEADERS = frozenset("from to subject date received mime-version".split())
# Headers that only mail programs write. Without one, From must hold an address and Date parse.
_MACHINE_HEADERS = frozenset(
    "received mime-version message-id return-path content-transfer-encoding delivered-to".split()
)
_MIME_HEADER = re.compile(r"(?:mime-version|content-type):", re.IGNORECASE)
_ENOUGH_HEADERS = 2
_MOST_HEADER_LINES = 2_000


def sniff(data: bytes) -> FileType:
    """Return the file type of a document.

    PLAIN means that no other type fits; decoding shows whether the document is text.
    Raises Unreadable: `empty`; `unknown-format` for markup, images and archives that are not
    supported; `encrypted` for a Word document with a password.
    """
    if not data:
        raise Unreadable("empty")
    if _PDF_HEADER.search(data, 0, _PDF_HEADER_WITHIN):
        return FileType.PDF
    if data.startswith(_ZIP):
        if _WORD_PART.search(data):
            return FileType.DOCX
        if _CONTENT_TYPES in data and not _OTHER_PARTS.search(data):
            return FileType.DOCX
        raise Unreadable("unknown-format")
    if data.startswith(_COMPOUND):
        raise Unreadable("encrypted" if _ENCRYPTED in data else "unknown-format")
    if data.startswith(_UNREAD) or data.startswith(_DICOM, _DICOM_AT):
        raise Unreadable("unknown-format")
    head = _decode_head(data)
    if _RTF.match(head):
        return FileType.RTF
    kind = _sniff_markup(head, data[-_TAIL_BYTES:].replace(b"\0", b"").decode("latin-1"))
    return kind or (FileType.MAIL if _is_message(head) else _sniff_text(head))


def _decode_head(data: bytes) -> str:
    head = data[:_HEAD_BYTES]
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return head.decode(encoding, "replace").removeprefix("\ufeff")
    return head.decode("latin-1")  # markup is ASCII in every encoding that remains


def _sniff_markup(head: str, tail: str) -> FileType | None:
    position = 0
    while match := _PROLOG.match(head, position):
        position = match.end()
    root = _ROOT.match(head, position)
    name = root["name"] if root else ""
    if name == "ClinicalDocument":
        return FileType.CDA
    is_xml = head.lstrip().startswith("<?xml")
    if name.lower() == "html" or _DOCTYPE_HTML.search(head[:position]):
        return FileType.HTML
    if not is_xml and name.lower() in _ELEMENTS and _WHOLE_TAG.match(head, position):
        return FileType.HTML
    end = _END_TAG.search(tail)
    if _NO_TEXT.match(head) or (root and end and root["tag"] == end[1]):
        raise Unreadable("unknown-format")
    return None


def _sniff_text(head: str) -> FileType:
    if _MIME_HEADER.match(head.lstrip()):
        raise Unreadable("unknown-format")
    marks = 0
    for marks, _ in enumerate(_MARKUP.finditer(head), 1):
        if marks == _ENOUGH_MARKUP:
            return FileType.HTML
    return FileType.PLAIN


def _is_message(head: str) -> bool:
    headers = _parse_headers(head)
    if len(_KNOWN_HEADERS & headers.keys()) < _ENOUGH_HEADERS:
        return False
    if _MACHINE_HEADERS & headers.keys():
        return True
    return "@" in headers.get("from", "") and parsedate_tz(headers.get("date", "")) is not None


def _parse_headers(head: str) -> dict[str, str]:
    """Return the headers of a message by lowercase name; none where the block is malformed."""
    headers: dict[str, str] = {}
    lines = head.split("\n", _MOST_HEADER_LINES)
    if lines[0].startswith("From "):  # the envelope of a mailbox file
        lines = lines[1:]
    for line in (one.rstrip("\r") for one in lines):
        if not line:
            return headers
        match = _HEADER_LINE.fullmatch(line)
        if match:
            headers[match[1].lower()] = match[2].strip()
        elif not headers or not line[0].isspace():
            return {}
    return {}

"""RTF (specification 1.9.1) to the text a reader sees, without metadata, codes and hidden text."""

import re

from extractors.document.limits import (
    Extracted,
    Limits,
)
from extractors.plain.code_pages import put_right
from extractors.plain.plain_text import (
    clean,
    decode,
)
from extractors.rtf.reader import Reader
from record.errors import Unreadable

_TRAILING = re.compile(r"(?<![^\S\n])[^\S\n]++$", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n{3,}")


def extract(data: bytes, limits: Limits) -> Extracted:
    """Read a document of rich text: headers, body, notes, comments, footers; a table row is a line.

    Raises Unreadable: `broken` for groups that do not match or are nested too deep, and for what
    follows the document; `unknown-encoding`; `mojibake`; `too-large`; `too-long`;
    `page-without-text` where a picture covers half a page, `no-text-layer` where pictures are all
    there is, `no-text`.
    """
    if len(data) > limits.max_bytes:
        raise Unreadable("too-large")
    reader = Reader(limits.max_characters)
    reader.read(_as_bytes(data))
    text = _EMPTY_LINES.sub("\n\n", _TRAILING.sub("", clean(put_right(reader.text())))).strip("\n")
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    if reader.scans:
        raise Unreadable("page-without-text" if text else "no-text-layer")
    if not text.strip():
        raise Unreadable("no-text-layer" if reader.pictures else "no-text")
    return Extracted(text, "rtf")


def _as_bytes(data: bytes) -> bytes:
    """RTF has one byte a letter; stored as UTF-16 it is ASCII twice as long."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            data = decode(data).encode("ascii")
        except UnicodeEncodeError:
            raise Unreadable("unknown-encoding") from None
    data = data.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\0")
    if not data.startswith(b"{\\rtf"):
        raise Unreadable("broken")
    return data

"""HTML to the text a browser shows: no scripts, comments, metadata, hidden elements or links."""

import re
from html import escape

from selectolax.lexbor import LexborHTMLParser

from extractors.document.limits import (
    Extracted,
    Limits,
)
from extractors.markup.html_tree import Page
from extractors.plain.code_pages import (
    by_label,
    decode_as,
    decode_labelled,
    put_right,
)
from extractors.plain.plain_text import clean
from record.errors import Unreadable

_TRAILING = re.compile(r"(?<![^\S\n])[^\S\n]++$", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n{3,}")

# A browser looks for the encoding in the first kilobyte (HTML, section 13.2.3.2); style sheets
# that programs put before it can be longer.
_SAID_WITHIN = 16_384
_META = re.compile(
    rb"<meta\b[^<>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml\b[^<>]*?\bencoding\s*=\s*[\"']"
    rb"([\w.:-]+)[\"']",
    re.IGNORECASE,
)
_BARE = ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))

_XML = re.compile(r"\s*<\?xml\b|(?:(?!<body\b).){0,2000}?\bxmlns\s*=", re.I | re.S)
_INTERNAL_SUBSET = re.compile(r"<!doctype\b[^<>]*\[", re.IGNORECASE)
_CDATA = "<![CDATA["
# An empty element of XML that HTML would read on to an end tag, which never comes.
_RAW = "script|style|title|textarea|iframe|noscript|noembed|noframes|xmp|template|select|object"
_EMPTY_RAW = re.compile(rf"<({_RAW})\b((?:[^<>\"'/]|/(?!>)|\"[^\"]*+\"|'[^']*+')*+)/>", re.I)
_RAW_TAG = re.compile(r"<(/?)(script|style|title|textarea|iframe|noembed|noframes|xmp)\b", re.I)
_CUT_TAG = re.compile(r"<[A-Za-z/!?][^<>]*\Z")
_OPENED = re.compile(r"<html[\s>]", re.IGNORECASE)
_CLOSED = re.compile(r"</html\s*>", re.IGNORECASE)
_NOT_HERE = ("utf-16", "utf16", "unicode", "ucs-2")
_MOST_TAGS = 1_000_000
_BINARY = re.compile("[\0-\x08\x0e-\x1f]")


def extract(data: bytes, limits: Limits) -> Extracted:
    """Read a page of HTML or XHTML, or a fragment; a table row is a line.

    Its encoding is what its mark, its declaration or its bytes say. Raises Unreadable: `broken`
    for a page that is cut off, nested too deep or declares entities; `unknown-encoding`;
    `mojibake`; `unread-part` for frames, whose contents lie elsewhere; `too-large`; `too-long`;
    `no-text-layer` where pictures are all there is, `no-text`.
    """
    if len(data) > limits.max_bytes:
        raise Unreadable("too-large")
    return Extracted(text_of(_decode(data), limits), "html")


def text_of(source: str, limits: Limits) -> str:
    """Return the text of markup that is decoded already; raises what `extract` does."""
    if _BINARY.search(source):
        raise Unreadable("broken")
    if source.count("<") > _MOST_TAGS:
        raise Unreadable("too-large")
    source = _as_html(source.removeprefix("\ufeff").replace("\r\n", "\n"))
    _refuse_cut(source)
    page = Page(LexborHTMLParser(source), 2 * limits.max_characters + 1000)
    text = _EMPTY_LINES.sub("\n\n", _TRAILING.sub("", clean(put_right(page.text())))).strip("\n")
    if len(text) > limits.max_characters:
        raise Unreadable("too-long")
    if not text.strip():
        raise Unreadable("no-text-layer" if page.pictures else "no-text")
    return text


def _decode(data: bytes) -> str:
    for mark, codec in _BARE:
        if data.startswith(mark):
            return decode_as(data, codec)
    said = _META.search(data, 0, _SAID_WITHIN)
    label = (said[1] or said[2]).decode() if said else ""
    wide = (by_label(label) or "").startswith(("utf-16", "utf-32"))
    if wide or label.lower() in _NOT_HERE:
        label = "utf-8"  # it could not be read here if it were (HTML, section 13.2.3.2)
    return decode_labelled(data, label)


def _as_html(source: str) -> str:
    """Rewrite what XML reads differently from HTML."""
    if _INTERNAL_SUBSET.search(source):
        raise Unreadable("broken")  # entities of its own
    if _XML.match(source):
        first, *sections = source.split(_CDATA)
        source = first + "".join(map(_as_text, sections))
        source = _EMPTY_RAW.sub(r"<\1\2></\1>", source)
    return source


def _as_text(section: str) -> str:
    text, end, rest = section.partition("]]>")
    if not end:
        raise Unreadable("broken")
    return escape(text) + rest


def _refuse_cut(source: str) -> None:
    """Refuse what ends in the midst of a tag, or within what nobody sees."""
    if _CUT_TAG.search(source) or (_OPENED.search(source) and not _CLOSED.search(source)):
        raise Unreadable("broken")
    if source.rfind("<!--") > source.rfind("-->"):
        raise Unreadable("broken")
    last = {match[2].lower(): match[1] for match in _RAW_TAG.finditer(source)}
    if not all(last.values()):
        raise Unreadable("broken")

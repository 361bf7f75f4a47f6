"""PDF with a text layer: pages to text in reading order, or a reason why not."""

# mypy: allow-untyped-calls
# PyMuPDF says it is typed, but most of its methods are not.

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pymupdf

from extractors.limits import Extracted, Limits
from extractors.lines import Line, in_order, join_rows, turned
from extractors.plain import clean
from record.errors import Unreadable

# MuPDF's messages can quote the document.
pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)

# Not TEXT_CID_FOR_UNKNOWN_UNICODE, which passes glyph numbers off as characters; ligatures come
# apart and what lies off the page stays out.
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP

# What MuPDF says when it goes on without a part of a page.
_LOST_CONTENT = (
    "cannot load content stream",
    "ignoring error during interpretation",
    "ignoring zlib error",
    "premature end of data",
    "not closed before end of file",
    "read error; treating as end of file",
    "unknown filter name",
    "non-page object in page tree",
)
_OUT_OF_MEMORY = re.compile(r"\b(?:malloc|calloc|realloc)\b.*\bfailed")
_END_MARK = b"%%EOF"
_END_MARK_WITHIN = 2048

_BROKEN_CHARACTER = re.compile(
    "[\ufffd\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff\0-\x08\x0e-\x1f]"
)
# Fonts of symbols (bullets, telephones, boxes) map to private use: 1 to 2 % in sound letters.
_UNREADABLE_CHARACTER = re.compile("[\ufffd\ud800-\udfff\0-\x08\x0e-\x1f]")
_GLYPH_NUMBER = re.compile(r"\(cid:\d+\)")
_MAX_BROKEN_SHARE = 0.20
_MAX_UNREADABLE_SHARE = 0.05
_ENOUGH_BROKEN = 5

_SHAPE_ERRORS = (RuntimeError, ValueError, LookupError, TypeError, AttributeError)

_PROOF_PIXELS = 800
_MAX_SCALE = 2.0


def extract(data: bytes, limits: Limits) -> Extracted:
    """Read the text layer of a PDF, page by page; its metadata is never read.

    A page break becomes an empty line. Raises Unreadable: `too-large`, `broken`, `encrypted`,
    `too-many-pages`, `too-long`, `garbled-text`, `page-without-text` when a page shows something
    but has no text, `no-text-layer` when no page has any. Raises MemoryError.
    """
    if len(data) > limits.max_bytes:
        raise Unreadable("too-large")
    pymupdf.TOOLS.reset_mupdf_warnings()
    try:
        with _mupdf_errors(), pymupdf.open(stream=data, filetype="pdf") as document:
            return _extract(document, data, limits)
    finally:
        pymupdf.TOOLS.store_shrink(100)


def _extract(document: pymupdf.Document, data: bytes, limits: Limits) -> Extracted:
    if document.needs_pass:
        raise Unreadable("encrypted")
    if document.is_repaired and _END_MARK not in data[-_END_MARK_WITHIN:]:
        raise Unreadable("broken")  # cut off: whatever came after is missing
    pages = document.page_count
    if pages < 1:
        raise Unreadable("broken")
    if pages > limits.max_pages:
        raise Unreadable("too-many-pages")
    return Extracted(_text(_pages(document), limits.max_characters), "pdf", pages)


def _text(pages: Iterable[tuple[str, bool]], max_characters: int) -> str:
    texts: list[str] = []
    length = 0
    unread = False
    for text, shows_something in pages:
        length += len(text) + 2
        if length > max_characters + 2:
            raise Unreadable("too-long")
        unread = unread or (shows_something and not text)
        texts.append(text)
    if not any(texts):
        raise Unreadable("no-text-layer")
    if unread:
        raise Unreadable("page-without-text")
    return "\n\n".join(texts)


def _pages(document: pymupdf.Document) -> Iterator[tuple[str, bool]]:
    # pairs of a page's text, empty where it has none, and whether anything can be seen on it
    for number in range(document.page_count):
        page = document.load_page(number)
        _refuse_missing_content(document, page)
        lines = _lines(page)
        raw = "\n".join(line.text for line in lines)
        _refuse_garbled(raw)
        text = clean(join_rows(in_order(lines)))
        if not _readable(text):
            text = ""
        yield text, bool(text) or not _is_blank(page)
        _refuse_lost_content()


def _refuse_missing_content(document: pymupdf.Document, page: pymupdf.Page) -> None:
    # A page whose content is not in the file passes for a blank one.
    kind, _ = document.xref_get_key(page.xref, "Contents")
    streams = page.get_contents()
    lost = kind == "xref" and not streams
    if lost or not all(document.xref_is_stream(number) for number in streams):
        raise Unreadable("broken")


def _lines(page: pymupdf.Page) -> list[Line]:
    lines: list[Line] = []
    for number, block in enumerate(page.get_text("dict", flags=_FLAGS)["blocks"]):
        for line in block.get("lines", ()):
            text = "".join(span["text"] for span in line["spans"])
            direction = (round(line["dir"][0], 2), round(line["dir"][1], 2))
            lines.append(Line(text, number, turned(line["bbox"], direction), direction))
    return lines


def _readable(text: str) -> bool:
    return bool(_BROKEN_CHARACTER.sub("", text).strip())


def _refuse_garbled(text: str) -> None:
    glyph_numbers = len("".join(_GLYPH_NUMBER.findall(text)))
    unreadable = len(_UNREADABLE_CHARACTER.findall(text)) + glyph_numbers
    broken = len(_BROKEN_CHARACTER.findall(text)) + glyph_numbers
    if broken < _ENOUGH_BROKEN:
        return
    written = sum(map(len, text.split()))
    if broken > _MAX_BROKEN_SHARE * written or unreadable > _MAX_UNREADABLE_SHARE * written:
        raise Unreadable("garbled-text")


def _is_blank(page: pymupdf.Page) -> bool:
    if not page.get_bboxlog():
        return True
    # What was drawn may still be white on white: only a look at the page can tell.
    scale = min(_PROOF_PIXELS / max(page.rect.width, page.rect.height, 1), _MAX_SCALE)
    proof = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY)
    return bool(proof.is_unicolor)


def _refuse_lost_content() -> None:
    said = pymupdf.TOOLS.mupdf_warnings().lower()
    if _OUT_OF_MEMORY.search(said):
        raise MemoryError
    if any(phrase in said for phrase in _LOST_CONTENT):
        raise Unreadable("broken")


@contextmanager
def _mupdf_errors() -> Iterator[None]:
    # What MuPDF raises, and what PyMuPDF does about objects that are not of the shape it expects.
    try:
        yield
    except (pymupdf.mupdf.FzErrorBase, *_SHAPE_ERRORS) as error:
        if _OUT_OF_MEMORY.search(str(error)):
            raise MemoryError from None
        raise Unreadable("broken") from None

"""`MupdfPage`: the size, rotation, content stream and text blocks of a PDF page, cached.

Calls MuPDF's functions directly where every page needs them: PyMuPDF's wrappers would take a
tenth of the time of reading a page.
"""

# mypy: allow-untyped-calls
# PyMuPDF is marked as typed, but most of its methods are not.

from functools import cached_property
from typing import Any

import pymupdf
from pymupdf import mupdf

from record.errors import Unreadable

Blocks = list[dict[str, Any]]
"""Blocks of lines of spans, as `get_text("dict")` has them."""

# Not TEXT_CID_FOR_UNKNOWN_UNICODE, which returns glyph numbers as characters. Ligatures are
# expanded, and text outside the page is left out.
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
_AS_IT_IS = pymupdf.Matrix(1, 1)


class MupdfPage:
    """A page by its number; raises Unreadable (`broken`) if its content is missing."""

    def __init__(self, document: pymupdf.Document, number: int) -> None:
        self._document = document
        self._number = number
        self._loaded = mupdf.fz_load_page(document.this, number)
        self._pdf = mupdf.pdf_page_from_fz_page(self._loaded)
        if not self._pdf.m_internal:
            raise Unreadable("broken")
        self._entries = self._pdf.obj()
        self._contents = mupdf.pdf_dict_get(self._entries, mupdf.PDF_ENUM_NAME_Contents)
        self._is_one_stream = mupdf.pdf_is_stream(self._contents)
        if not self._is_one_stream:
            # MuPDF takes a page without its content for a blank one.
            document = self.page.parent
            streams = self.page.get_contents()
            lost = not streams and document.xref_get_key(self.page.xref, "Contents")[0] == "xref"
            if lost or not all(map(document.xref_is_stream, streams)):
                raise Unreadable("broken")

    @cached_property
    def page(self) -> pymupdf.Page:
        """The page in PyMuPDF, for what is not needed of every page."""
        page: pymupdf.Page = self._document.load_page(self._number)
        return page

    @cached_property
    def size(self) -> tuple[float, float]:
        """Width and height of the page as displayed, in points."""
        box = mupdf.fz_bound_page(self._loaded)
        if mupdf.fz_is_infinite_rect(box):
            return self.page.rect.width, self.page.rect.height
        return box.x1 - box.x0, box.y1 - box.y0

    @cached_property
    def rotation(self) -> int:
        """The rotation of the page when displayed, in degrees."""
        turned = mupdf.pdf_dict_get_inheritable(self._entries, mupdf.PDF_ENUM_NAME_Rotate)
        return int(self.page.rotation) if mupdf.pdf_to_int(turned) else 0

    @property
    def turn(self) -> tuple[float, ...]:
        """The matrix of this rotation."""
        turn: Any = self.page.rotation_matrix
        return tuple(turn)

    @cached_property
    def annotated(self) -> bool:
        """Whether the page has annotations."""
        return bool(mupdf.pdf_first_annot(self._pdf).m_internal)

    @cached_property
    def contents(self) -> bytes:
        """The decoded content stream."""
        if not self._is_one_stream:
            return bytes(self.page.read_contents())
        decoded = mupdf.pdf_load_stream(self._contents)
        # MuPDF interprets the stream for each request: store it decoded.
        mupdf.pdf_update_stream(self._pdf.doc(), self._contents, decoded, 0)
        return bytes(mupdf.fz_buffer_extract_copy(decoded))

    def blocks(self) -> Blocks:
        """Return the blocks of `get_text("dict")` on the unrotated page.

        Glyphs without a character are U+FFFD.
        """
        if self._is_one_stream:
            self.contents  # noqa: B018 # decodes it for MuPDF too
        found: dict[str, Any] = {}
        if self.rotation:
            text = self.page.get_textpage(flags=_FLAGS).this
            pymupdf.extra.JM_make_textpage_dict(text.m_internal, found, False)
        else:
            drawn = pymupdf.extra.page_get_textpage(self._loaded, None, _FLAGS, _AS_IT_IS)
            try:
                pymupdf.extra.JM_make_textpage_dict(drawn, found, False)
            finally:
                mupdf.ll_fz_drop_stext_page(drawn)
        blocks: Blocks = found["blocks"]
        return blocks

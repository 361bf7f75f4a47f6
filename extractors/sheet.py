"""A page of a PDF as MuPDF has it, and what is asked about it more than once.

Through MuPDF's own functions where every page goes: what PyMuPDF wraps around them takes a tenth
of the time of reading a page.
"""

# mypy: allow-untyped-calls
# PyMuPDF says it is typed, but most of its methods are not.

from functools import cached_property
from typing import Any

import pymupdf
from pymupdf import mupdf

from record.errors import Unreadable

# Not TEXT_CID_FOR_UNKNOWN_UNICODE, which passes glyph numbers off as characters; ligatures come
# apart and what lies off the page stays out.
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
_AS_IT_IS = pymupdf.Matrix(1, 1)


class Sheet:
    """A page; raises Unreadable (`broken`) for one whose content is not in the file."""

    def __init__(self, page: pymupdf.Page) -> None:
        self.page = page
        self._pdf = mupdf.pdf_page_from_fz_page(page.this)
        if not self._pdf.m_internal:
            raise Unreadable("broken")
        self._entries = self._pdf.obj()
        contents = mupdf.pdf_dict_get(self._entries, mupdf.PDF_ENUM_NAME_Contents)
        if not mupdf.pdf_is_stream(contents):
            _refuse_missing_content(page)

    @cached_property
    def size(self) -> tuple[float, float]:
        """Width and height of the page as it is shown, in points."""
        rect = self.page.rect
        return rect.width, rect.height

    @cached_property
    def rotation(self) -> int:
        """By how many degrees it is turned when it is shown."""
        turned = mupdf.pdf_dict_get_inheritable(self._entries, mupdf.PDF_ENUM_NAME_Rotate)
        return int(self.page.rotation) if turned.m_internal else 0

    @cached_property
    def annotated(self) -> bool:
        """Whether anything was put on the page beside its content."""
        return bool(mupdf.pdf_first_annot(self._pdf).m_internal)

    @cached_property
    def contents(self) -> bytes:
        """The operators that draw it."""
        return bytes(self.page.read_contents())

    def blocks(self) -> list[dict[str, Any]]:
        """Give the blocks of `get_text("dict")`, as if the page were not turned.

        Glyphs that have no character stand as U+FFFD.
        """
        if self.rotation:
            text = self.page.get_textpage(flags=_FLAGS).this
        else:
            drawn = pymupdf.extra.page_get_textpage(self.page.this, None, _FLAGS, _AS_IT_IS)
            text = mupdf.FzStextPage(drawn)
        found: dict[str, Any] = {}
        pymupdf.extra.JM_make_textpage_dict(text.m_internal, found, False)
        blocks: list[dict[str, Any]] = found["blocks"]
        return blocks


def _refuse_missing_content(page: pymupdf.Page) -> None:
    # A page whose content is not in the file passes for a blank one.
    document = page.parent
    streams = page.get_contents()
    lost = not streams and document.xref_get_key(page.xref, "Contents")[0] == "xref"
    if lost or not all(map(document.xref_is_stream, streams)):
        raise Unreadable("broken")

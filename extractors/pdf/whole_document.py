"""Refuses PDFs of which MuPDF reads a part only: dynamic forms, portfolios, and page trees that
hold more pages than they claim."""

# mypy: allow-untyped-calls
# PyMuPDF is marked as typed, but most of its methods are not.

from typing import Any

import pymupdf
from pymupdf import mupdf

from record.errors import Unreadable

_ROOT, _FORM = "Root", "Root/AcroForm/XFA"


def refuse_partial(document: pymupdf.Document) -> None:
    """Raise Unreadable if the pages are not the whole document.

    `broken`: the page tree has another number of pages than it claims. `dynamic-form`: an XFA form,
    of which the pages show a notice only. `unread-part`: a portfolio, whose documents are embedded
    files.
    """
    trailer = mupdf.pdf_trailer(mupdf.pdf_specifics(document.this))
    if mupdf.pdf_dict_getp(trailer, f"{_ROOT}/Collection").m_internal:
        raise Unreadable("unread-part")
    if mupdf.pdf_dict_getp(trailer, _FORM).m_internal and _is_dynamic(document, trailer):
        raise Unreadable("dynamic-form")
    pages = document.page_count
    if _count_pages(mupdf.pdf_dict_getp(trailer, f"{_ROOT}/Pages"), pages) != pages:
        raise Unreadable("broken")


def _is_dynamic(document: pymupdf.Document, trailer: Any) -> bool:
    # A static form has its fields on its pages too.
    if mupdf.pdf_to_bool(mupdf.pdf_dict_getp(trailer, f"{_ROOT}/NeedsRendering")):
        return True
    return not any(document[number].first_widget for number in range(document.page_count))


def _count_pages(root: Any, most: int) -> int:
    """Count the leaves of the page tree, up to one more than `most`."""
    count = 0
    entered: set[int] = set()
    nodes = [root]
    while nodes and count <= most:
        node = nodes.pop()
        kids = mupdf.pdf_dict_get(node, mupdf.PDF_ENUM_NAME_Kids)
        if not kids.m_internal:
            count += 1
            continue
        number = mupdf.pdf_to_num(node)
        if number in entered:
            raise Unreadable("broken")
        entered.add(number)
        # Each entry is a page at least, or a node without any.
        kept = min(mupdf.pdf_array_len(kids), most + len(entered) + 1)
        nodes += [mupdf.pdf_array_get(kids, place) for place in range(kept)]
    return count

"""Options of extraction: layout, PDF engine, OCR languages, passwords."""

from dataclasses import dataclass, field
from enum import StrEnum

LANGUAGES = ("fra", "spa", "eng")
"""Default languages of OCR, by tesseract's names."""


class Layout(StrEnum):
    """Which lines of a page become text."""

    FULL = "full"
    """All visible lines."""
    BODY = "body"
    """Body text and tables: no letterhead, margin, stamp, signature, footer or page number."""


class Engine(StrEnum):
    """The library that reads PDFs."""

    PYMUPDF = "pymupdf"
    """Fast; supports OCR and detects hidden text. AGPL or commercial license."""
    PDFPLUMBER = "pdfplumber"
    """Ten times slower; text layers only. MIT License."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of an `Extractor`.

    `languages` are the OCR languages of pages without a text layer (names of tesseract's data);
    without any, such pages are refused. `dpi` is the resolution of OCR. `tessdata` is the folder
    of tesseract's data if not in a standard place. `passwords` are tried on encrypted PDFs.
    `boxes` is a file of weights of the line classifier, which replaces the one shipped.
    `locate` requests the page and box of each piece of text, `keep_lines` the lines of each page
    with their classes, `draw_classes` a PDF of the pages with the classes drawn over them.
    """

    layout: Layout = Layout.BODY
    engine: Engine = Engine.PYMUPDF
    languages: tuple[str, ...] = LANGUAGES
    dpi: int = 300
    tessdata: str | None = None
    passwords: tuple[str, ...] = field(default=(), repr=False)
    boxes: str | None = None
    locate: bool = False
    keep_lines: bool = False
    draw_classes: bool = False

    @property
    def wants_layout(self) -> bool:
        """Return whether more than the text is requested."""
        return self.locate or self.keep_lines or self.draw_classes

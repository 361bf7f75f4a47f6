"""What a site asks of extraction: layout, languages to recognize, passwords."""

from dataclasses import dataclass, field
from enum import StrEnum

LANGUAGES = ("fra", "spa", "eng")
"""Those that pages are recognized in unless a site says otherwise, as tesseract names them."""


class Layout(StrEnum):
    """How much of a page becomes text."""

    FULL = "full"
    """Everything that can be seen."""
    BODY = "body"
    """What the letter says: no letterhead, margin, stamp, signature, footer or page number."""


class Engine(StrEnum):
    """What reads PDFs."""

    PYMUPDF = "pymupdf"
    """Fast; also recognizes scans and sees text that is hidden. AGPL or commercial."""
    PDFPLUMBER = "pdfplumber"
    """Ten times slower, text layers alone; under the MIT License."""


@dataclass(frozen=True, slots=True)
class Options:
    """How documents are read.

    `languages` are those that pages without a text layer are recognized in (names of tesseract's
    data); none means that such pages are refused. `dpi` is the resolution for it. `tessdata` is
    the folder of that data where it is not in its usual place. `passwords` are tried on encrypted
    PDFs. `boxes` is a file of weights for the classes of lines, instead of the one shipped.
    `traced` asks for the pages and boxes that the text lies on, `sheets` for the lines of pages
    with their classes, `picture` for a picture of the pages with the classes drawn over them.
    """

    layout: Layout = Layout.BODY
    engine: Engine = Engine.PYMUPDF
    languages: tuple[str, ...] = LANGUAGES
    dpi: int = 300
    tessdata: str | None = None
    passwords: tuple[str, ...] = field(default=(), repr=False)
    boxes: str | None = None
    traced: bool = False
    sheets: bool = False
    picture: bool = False

    @property
    def shows(self) -> bool:
        """Return whether more than the text is asked for."""
        return self.traced or self.sheets or self.picture

"""Any document to text: which extractor reads what, and which lines of its pages count."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extractors import mail
from extractors.document.file_type import Kind, sniff
from extractors.document.limits import Extracted, Limits
from extractors.document.options import Engine, Layout, Options
from extractors.document.page import MEDICINE, BoxClass, Page, Pages
from extractors.document.quality import confidence, judge_text
from extractors.layout.line_classifier import BoxModel
from extractors.layout.page_text import PageText, join, join_kept
from extractors.markup import cda, html
from extractors.pdf import pdfplumber_reader
from extractors.plain import plain_text
from extractors.rtf import rtf
from extractors.word import docx
from record.errors import Unreadable
from record.garbage_collection import uncollected

if TYPE_CHECKING:
    from extractors.pdf.ocr import Recognizer

_READERS: Mapping[Kind, Callable[[bytes, Limits], Extracted]] = {
    Kind.RTF: rtf.extract,
    Kind.HTML: html.extract,
    Kind.DOCX: docx.extract,
    Kind.MAIL: mail.extract,
    Kind.PLAIN: plain_text.extract,
}


class Extractor:
    """Reads documents of every kind, in this process; models are loaded when first needed."""

    def __init__(self, limits: Limits, options: Options) -> None:
        self.limits = limits
        self.options = options

    @cached_property
    def recognizer(self) -> "Recognizer | None":
        """What reads pages from their picture; None where it is not wanted or not installed."""
        from extractors.pdf.ocr import Recognizer  # noqa: PLC0415 # a site may leave PyMuPDF out

        if not self.options.languages:
            return None
        recognizer = Recognizer(
            self.options.languages, dpi=self.options.dpi, tessdata=self.options.tessdata
        )
        return recognizer if recognizer.available else None

    @cached_property
    def boxes(self) -> BoxModel:
        """What tells letterheads from letters."""
        return BoxModel.load(Path(self.options.boxes) if self.options.boxes else None)

    def prepare(self) -> None:
        """Load what reading PDFs takes, so that the first of them does not pay for it."""
        if self.options.engine is Engine.PYMUPDF:
            from extractors.pdf import mupdf_reader  # noqa: F401, PLC0415 # as below

        if self.options.layout is Layout.BODY:
            self.boxes  # noqa: B018 # loaded at the first look

    def extract(self, data: bytes) -> Extracted:
        """Read a document of any kind, told by its content.

        Raises Unreadable with the reasons of the extractors, `no-text`, and `no-body-text` for
        pages on which nothing is the letter itself. Raises MemoryError.
        """
        if len(data) > self.limits.max_bytes:
            raise Unreadable("too-large")
        kind = sniff(data)
        if kind is Kind.PDF:
            if self.options.engine is Engine.PDFPLUMBER:
                return self._pdf(data)
            # PyMuPDF's pages and what is made of them are freed as soon as nobody refers to
            # them; to look for cycles among them takes a thirtieth of the time. pdfplumber
            # makes cycles.
            with uncollected():
                return self._pdf(data)
        if kind is Kind.CDA:
            extracted = cda.extract(data, self.limits, read=self._embedded)
        else:
            extracted = _READERS[kind](data, self.limits)
        if not extracted.text.strip():
            raise Unreadable("no-text")
        return replace(extracted, quality=judge_text(extracted.text))

    def read_pages(self, data: bytes) -> Pages:
        """Read a PDF up to its lines."""
        if self.options.engine is Engine.PDFPLUMBER:
            return Pages(
                tuple(pdfplumber_reader.read_pages(data, self.limits, self.options.passwords))
            )
        from extractors.pdf import mupdf_reader  # noqa: PLC0415 # a site may leave PyMuPDF out

        return mupdf_reader.read_pages(
            data,
            self.limits,
            passwords=self.options.passwords,
            recognizer=self.recognizer,
        )

    def _embedded(self, data: bytes) -> Extracted:
        if sniff(data) is Kind.CDA:
            raise Unreadable("unknown-format")
        return self.extract(data)

    def _pdf(self, data: bytes) -> Extracted:
        source = self.read_pages(data)
        classes: Sequence[Sequence[BoxClass]] | None = None
        if self.options.layout is Layout.BODY or self.options.shows:
            classes = self.boxes.classify(source.pages)
        text = self._text(source.pages, classes)
        if len(text.text) > self.limits.max_characters:
            raise Unreadable("too-long")
        return Extracted(
            text=text.text,
            origin="pdf",
            pages=len(source.pages),
            quality=judge_text(
                text.text,
                recognized=_confidence(source),
                read=1 - source.wordless / len(source.pages),
            ),
            recognized=len(source.recognized),
            classes=_counted(classes or ()),
            **self._shown(data, source.pages, classes or (), text),
        )

    def _shown(
        self,
        data: bytes,
        pages: tuple[Page, ...],
        classes: Sequence[Sequence[BoxClass]],
        text: PageText,
    ) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        if self.options.traced:
            shown["pieces"] = text.pieces
        if self.options.sheets:
            shown |= {"sheets": pages, "kinds": tuple(map(tuple, classes))}
        if self.options.picture:
            from extractors.pdf.page_image import classes_picture  # noqa: PLC0415 # as above

            shown["picture"] = classes_picture(
                data, pages, classes, passwords=self.options.passwords
            )
        return shown

    def _text(
        self, pages: Sequence[Page], classes: Sequence[Sequence[BoxClass]] | None
    ) -> PageText:
        if self.options.layout is Layout.FULL or classes is None:
            return join(pages, classes, traced=self.options.traced)
        text = join_kept(pages, classes, MEDICINE, traced=self.options.traced)
        if not text.text.strip():
            raise Unreadable("no-body-text")
        return text


def _counted(classes: Sequence[Sequence[BoxClass]]) -> dict[str, int]:
    counts = {kind.value: sum(kinds.count(kind) for kinds in classes) for kind in BoxClass}
    return {kind: count for kind, count in counts.items() if count}


def _confidence(source: Pages) -> float:
    if not source.recognized:
        return 1.0
    lengths = [sum(len(line.text) for line in page.lines) for page in source.pages]
    return confidence(lengths, source.recognized)

"""`Extractor`: turns the bytes of a document of any supported format into text, in this process.

It detects the file type and calls the reader of that format; of a PDF it also keeps only the lines
that the line classifier takes for body text. `document_reader` runs it in a sandbox.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extractors import mail
from extractors.document.file_type import FileType, sniff
from extractors.document.limits import Extracted, Limits
from extractors.document.options import Engine, Layout, Options
from extractors.document.page import BODY_CLASSES, LineClass, Page, Pages
from extractors.document.quality import judge_text, mean_confidence
from extractors.layout.line_classifier import LineClassifier
from extractors.layout.page_text import PageText, join_kept_lines, join_lines
from extractors.markup import cda, html
from extractors.pdf import pdfplumber_reader
from extractors.plain import plain_text
from extractors.rtf import rtf
from extractors.word import docx
from record.errors import Unreadable
from record.garbage_collection import pause_garbage_collection

if TYPE_CHECKING:
    from extractors.pdf.ocr import Recognizer

_READERS: Mapping[FileType, Callable[[bytes, Limits], Extracted]] = {
    FileType.RTF: rtf.extract,
    FileType.HTML: html.extract,
    FileType.DOCX: docx.extract,
    FileType.MAIL: mail.extract,
    FileType.PLAIN: plain_text.extract,
}


class Extractor:
    """Extracts documents of every supported format; models are loaded on first use."""

    def __init__(self, limits: Limits, options: Options) -> None:
        self.limits = limits
        self.options = options

    @cached_property
    def recognizer(self) -> "Recognizer | None":
        """The OCR engine; None where no language is set or tesseract is not installed."""
        from extractors.pdf.ocr import Recognizer  # noqa: PLC0415 # a site may leave PyMuPDF out

        if not self.options.languages:
            return None
        recognizer = Recognizer(
            self.options.languages, dpi=self.options.dpi, tessdata=self.options.tessdata
        )
        return recognizer if recognizer.available else None

    @cached_property
    def boxes(self) -> LineClassifier:
        """The line classifier, which separates letterheads from body text."""
        return LineClassifier.load(Path(self.options.boxes) if self.options.boxes else None)

    def prepare(self) -> None:
        """Load the PDF libraries and the line classifier before the first document arrives."""
        if self.options.engine is Engine.PYMUPDF:
            from extractors.pdf import mupdf_reader  # noqa: F401, PLC0415 # as below

        if self.options.layout is Layout.BODY:
            self.boxes  # noqa: B018 # loaded on first access

    def extract(self, data: bytes) -> Extracted:
        """Extract the text of a document, whose format is detected from its content.

        Raises Unreadable with the reasons of the format readers, `no-text`, and `no-body-text`
        for a PDF without body text. Raises MemoryError.
        """
        if len(data) > self.limits.max_bytes:
            raise Unreadable("too-large")
        kind = sniff(data)
        if kind is FileType.PDF:
            if self.options.engine is Engine.PDFPLUMBER:
                return self._extract_pdf(data)
            # PyMuPDF's pages and what is built from them contain no reference cycles, and
            # collection would take a thirtieth of the time. pdfplumber does create cycles.
            with pause_garbage_collection():
                return self._extract_pdf(data)
        if kind is FileType.CDA:
            extracted = cda.extract(data, self.limits, read=self._extract_embedded)
        else:
            extracted = _READERS[kind](data, self.limits)
        if not extracted.text.strip():
            raise Unreadable("no-text")
        return replace(extracted, quality=judge_text(extracted.text))

    def read_pages(self, data: bytes) -> Pages:
        """Read the pages of a PDF as lines, without joining them to a text."""
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

    def _extract_embedded(self, data: bytes) -> Extracted:
        if sniff(data) is FileType.CDA:
            raise Unreadable("unknown-format")
        return self.extract(data)

    def _extract_pdf(self, data: bytes) -> Extracted:
        source = self.read_pages(data)
        classes: Sequence[Sequence[LineClass]] | None = None
        if self.options.layout is Layout.BODY or self.options.wants_layout:
            classes = self.boxes.classify(source.pages)
        text = self._join_lines(source.pages, classes)
        if len(text.text) > self.limits.max_characters:
            raise Unreadable("too-long")
        return Extracted(
            text=text.text,
            origin="pdf",
            pages=len(source.pages),
            quality=judge_text(
                text.text,
                recognized=_recognition_confidence(source),
                read=1 - source.wordless / len(source.pages),
            ),
            recognized=len(source.recognized),
            classes=_count_classes(classes or ()),
            **self._layout_output(data, source.pages, classes or (), text),
        )

    def _layout_output(
        self,
        data: bytes,
        pages: tuple[Page, ...],
        classes: Sequence[Sequence[LineClass]],
        text: PageText,
    ) -> dict[str, Any]:
        output: dict[str, Any] = {}
        if self.options.locate:
            output["pieces"] = text.pieces
        if self.options.keep_lines:
            output |= {"page_lines": pages, "line_classes": tuple(map(tuple, classes))}
        if self.options.draw_classes:
            from extractors.pdf.mupdf_reader import render_line_classes  # noqa: PLC0415 # as above

            output["classes_pdf"] = render_line_classes(
                data, pages, classes, passwords=self.options.passwords
            )
        return output

    def _join_lines(
        self, pages: Sequence[Page], classes: Sequence[Sequence[LineClass]] | None
    ) -> PageText:
        if self.options.layout is Layout.FULL or classes is None:
            return join_lines(pages, classes, locate=self.options.locate)
        text = join_kept_lines(pages, classes, BODY_CLASSES, locate=self.options.locate)
        if not text.text.strip():
            raise Unreadable("no-body-text")
        return text


def _count_classes(classes: Sequence[Sequence[LineClass]]) -> dict[str, int]:
    counts = {kind.value: sum(kinds.count(kind) for kinds in classes) for kind in LineClass}
    return {kind: count for kind, count in counts.items() if count}


def _recognition_confidence(source: Pages) -> float:
    if not source.recognized:
        return 1.0
    lengths = [sum(len(line.text) for line in page.lines) for page in source.pages]
    return mean_confidence(lengths, source.recognized)

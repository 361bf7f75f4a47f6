"""What comes out of each fixture PDF, without a word of it: writes and reads the golden table.

python -m tests.extractors.golden > tests/extractors/golden_pdfs.tsv
"""

import csv
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pymupdf

from extractors.document.limits import Extracted, Limits
from extractors.document.options import LANGUAGES, Layout, Options
from extractors.document_reader import DocumentReader
from record.errors import Unreadable

FIXTURES = Path(__file__).parents[2].parent / "shared" / "fixtures" / "pdf"
TABLE = Path(__file__).with_name("golden_pdfs.tsv")
LIMITS = Limits(seconds=120)

SHORTENED = {"pdfplumber/federal-register-2020-17221.pdf": 3}
"""Documents of which only the first pages are read: each page takes seconds to recognize."""


@dataclass(frozen=True)
class Row:
    """One PDF: lengths of its text in characters, or the reason why there is none."""

    file: str
    full: str
    body: str
    pages: str = ""
    recognized: str = ""
    score: str = ""
    classes: str = ""


class Readers:
    """Readers of both layouts; without `languages`, pages without text are refused."""

    def __init__(self, languages: tuple[str, ...] = LANGUAGES) -> None:
        self.languages = languages
        self._open = ExitStack()
        self._readers = {
            layout: self._open.enter_context(
                DocumentReader(LIMITS, Options(layout=layout, languages=languages))
            )
            for layout in Layout
        }

    def row(self, path: Path) -> Row:
        """Read a PDF in both layouts."""
        data, name = content(path), name_of(path)
        full, body = (self._read(layout, data, path.name) for layout in (Layout.FULL, Layout.BODY))
        if isinstance(full, str):
            return Row(name, full, body if isinstance(body, str) else str(len(body.text)))
        classes = {} if isinstance(body, str) else body.classes
        return Row(
            file=name,
            full=str(len(full.text)),
            body=body if isinstance(body, str) else str(len(body.text)),
            pages=str(full.pages),
            recognized=str(full.recognized),
            score=f"{full.quality.score:.2f}",
            classes=" ".join(f"{kind}:{count}" for kind, count in sorted(classes.items())),
        )

    def _read(self, layout: Layout, data: bytes, name: str) -> Extracted | str:
        try:
            return self._readers[layout].read(data, name=name)
        except Unreadable as unreadable:
            return unreadable.reason

    def close(self) -> None:
        """End the reading processes."""
        self._open.close()


def name_of(path: Path) -> str:
    """Return the name that a fixture PDF has in the table."""
    return path.relative_to(path.parents[1]).as_posix()


def content(path: Path) -> bytes:
    """Return what is read of a fixture PDF."""
    pages = SHORTENED.get(name_of(path))
    if pages is None:
        return path.read_bytes()
    with pymupdf.open(path) as document:
        document.select(range(pages))
        return bytes(document.tobytes())


def files() -> list[Path]:
    """Return the fixture PDFs in order."""
    return sorted(FIXTURES.glob("*/*.pdf"))


def load() -> dict[str, Row]:
    """Read the golden table; its rows by file."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            entry["file"]: Row(**entry)
            for entry in csv.DictReader(file, dialect="excel-tab", restval="")
        }


def write(rows: Iterator[Row]) -> None:
    """Write the golden table to the standard output."""
    writer = csv.DictWriter(
        sys.stdout,
        [field.name for field in fields(Row)],
        dialect="excel-tab",
        lineterminator="\n",
    )
    writer.writeheader()
    for row in rows:
        writer.writerow(asdict(row))
        sys.stdout.flush()


if __name__ == "__main__":
    readers = Readers()
    write(map(readers.row, files()))
    readers.close()

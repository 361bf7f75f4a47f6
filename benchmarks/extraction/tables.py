"""How often a value stands on the line of its name: ruled tables before and after joining rows.

    python -m benchmarks.extraction.tables [--sheets 60] [--seed 1] [--folder PDFS] [--write FOLDER]

A row counts once for each value (a later cell with a digit) of a name (its first cell, with a
letter); the value stands beside its name where one line of the text holds both, in this order.
The tables are laboratory sheets with the values of the fictional hospital in several designs, and
those of a folder, whose rows are those that pdfplumber extracts (where all cells of a row have
the same number of lines, each line is a row). Before: the same lines, joined
without the cells of tables. `--write` keeps the sheets, to be timed by
`benchmarks.extraction.extract --folder`. Prints a Markdown table.
"""

import argparse
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pdfplumber
from pdfplumber.utils.exceptions import PdfminerException
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from extractors.document.limits import Limits
from extractors.document.options import Engine, Options
from extractors.extractor import Extractor
from extractors.layout.page_text import join_lines
from record.errors import Unreadable
from synthesis.fictional.labelled_pages.vocabulary import PAGE_WORDS

Row = Sequence[str]

_LANGUAGES = ("fr", "en", "es")
_FONT, _SIZE, _LEADING, _PADDING = "Helvetica", 9.0, 11.0, 3.0
_LEFT, _TOP = 50.0, 780.0
_WIDE = (170.0, 70.0, 70.0, 100.0)
_NARROW = (62.0, 48.0, 48.0, 80.0)


@dataclass(frozen=True)
class Design:
    """How a program draws a table."""

    widths: tuple[float, ...] = _WIDE
    by_column: bool = False
    """Draws one column after the other, not one row after the other."""
    middle: bool = False
    """Cells of fewer lines are centred vertically."""
    ruled_rows: bool = True
    """A rule between each two rows, not only between columns and under the head."""


DESIGNS = {
    "a line for each row": Design(),
    "wrapped names": Design(_NARROW),
    "wrapped names, values centred": Design(_NARROW, middle=True),
    "drawn by column": Design(by_column=True),
    "drawn by column, wrapped names": Design(_NARROW, by_column=True, middle=True),
    "drawn by column, no rules between rows": Design(by_column=True, ruled_rows=False),
}


@dataclass(frozen=True)
class TablePdf:
    """A PDF and the rows of its tables."""

    data: bytes
    rows: tuple[Row, ...]


def main() -> None:
    options = _parse()
    sources = {
        name: [lab_sheet(design, seed) for seed in range(options.seed, options.seed + count)]
        for name, design in DESIGNS.items()
        for count in [options.sheets]
    }
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        for number, one in enumerate(one for sheets in sources.values() for one in sheets):
            (options.write / f"{number:04}.pdf").write_bytes(one.data)
    if options.folder:
        sources["folder"] = list(folder_tables(options.folder))
    print("| tables | engine | PDFs | values | beside their names, before | after |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for name, documents in sources.items():
        for engine in Engine:
            print(f"| {name} | {engine} | " + " | ".join(count_beside(documents, engine)) + " |")


def lab_sheet(design: Design, seed: int) -> TablePdf:
    """Draw a page with one laboratory table."""
    random = Random(seed)
    words = PAGE_WORDS[_LANGUAGES[seed % len(_LANGUAGES)]]
    labs = [lab.split("|") for lab in random.sample(words.labs, 12)]
    rows: list[Row] = [words.lab_head[:4]]
    for name, span, unit, usual in labs:
        low, high = map(float, span.split("-"))
        rows.append((name, f"{random.uniform(low, high):.{'.' in span:d}f}", unit, usual))
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=True)
    canvas.setFont(_FONT, _SIZE)
    canvas.drawString(_LEFT, _TOP + 20, words.lab_title)
    _draw_table(canvas, rows, design)
    canvas.save()
    return TablePdf(file.getvalue(), tuple(rows[1:]))


def _draw_table(canvas: Canvas, rows: Sequence[Row], design: Design) -> None:
    edges = [_LEFT + sum(design.widths[:k]) for k in range(len(design.widths) + 1)]
    strings: list[tuple[int, int, float, str]] = []  # column, row, base line, text
    tops = [_TOP]
    for number, row in enumerate(rows):
        cells = [
            simpleSplit(cell, _FONT, _SIZE, width - 2 * _PADDING)
            for cell, width in zip(row, design.widths, strict=True)
        ]
        depth = max(map(len, cells))
        for column, lines in enumerate(cells):
            drop = (depth - len(lines)) * _LEADING / 2 if design.middle else 0.0
            strings += [
                (column, number, tops[-1] - drop - (level + 1) * _LEADING, line)
                for level, line in enumerate(lines)
            ]
        tops.append(tops[-1] - depth * _LEADING - 2 * _PADDING)
    if not design.ruled_rows:
        tops = [*tops[:2], tops[-1]]
    for x in edges:
        canvas.line(x, tops[0], x, tops[-1])
    for y in tops:
        canvas.line(edges[0], y, edges[-1], y)
    for column, _, y, text in sorted(strings, key=lambda one: one[not design.by_column]):
        canvas.drawString(edges[column] + _PADDING, y, text)


def folder_tables(folder: Path) -> Iterator[TablePdf]:
    """Return the PDFs under a folder in which pdfplumber finds tables, with their rows."""
    for path in sorted(folder.rglob("*.pdf")):
        try:
            with pdfplumber.open(path) as document:
                tables = [table for page in document.pages for table in page.extract_tables()]
        except (PdfminerException, ValueError, TypeError):
            continue
        rows = tuple(
            part for table in tables if len(table) > 1 for row in table for part in _split_row(row)
        )
        if rows:
            yield TablePdf(path.read_bytes(), rows)


def _split_row(row: Sequence[str | None]) -> Iterator[Row]:
    # Rows with no rule between them are one row of pdfplumber's, with as many lines in each cell.
    cells = [cell.split("\n") for cell in row if cell]
    if len({len(lines) for lines in cells}) == 1:
        yield from zip(*cells, strict=True)
    else:
        yield [" ".join(lines) for lines in cells]


def count_beside(documents: Sequence[TablePdf], engine: Engine) -> tuple[str, ...]:
    """Return the PDFs that could be read, their values, and the shares before and after."""
    extractor = Extractor(Limits(), Options(engine=engine, languages=()))
    read = values = before = after = 0
    for document in documents:
        try:
            pages = extractor.read_pages(document.data).pages
        except Unreadable:
            continue
        read += 1
        plain = [replace(page, tables=()) for page in pages]
        pairs = list(_values_by_name(document.rows))
        values += len(pairs)
        before += _count_on_one_line(pairs, join_lines(plain).text)
        after += _count_on_one_line(pairs, join_lines(pages).text)
    shares = (f"{100 * count / max(values, 1):.1f} %" for count in (before, after))
    return str(read), str(values), *shares


def _values_by_name(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    for row in rows:
        if row and any(map(str.isalpha, row[0])):
            values = (cell for cell in row[1:] if any(map(str.isdigit, cell)))
            yield from ((_squeeze(row[0]), _squeeze(value)) for value in values)


def _count_on_one_line(pairs: Sequence[tuple[str, str]], text: str) -> int:
    lines = [_squeeze(line) for line in text.split("\n")]
    return sum(
        any(value in line.partition(name)[2] for line in lines if name in line)
        for name, value in pairs
    )


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sheets", type=int, default=60, help="of each design")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="PDFs whose tables are looked at too")
    parser.add_argument("--write", type=Path, help="folder for the laboratory sheets")
    return parser.parse_args()


if __name__ == "__main__":
    main()

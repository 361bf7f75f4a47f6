"""`cryptonym extract`: documents to text."""

import argparse
import os
from pathlib import Path

from extractors.document.limits import Limits
from extractors.document.options import (
    LANGUAGES,
    Engine,
    Layout,
    Options,
)
from pipeline.commands.options.note_counts import (
    add_reporting,
    report,
)
from pipeline.commands.options.values import (
    add_out,
    positive,
    share,
)
from pipeline.config.passwords import load_passwords
from pipeline.files.extraction import (
    Extraction,
    extract_files,
)
from pipeline.reports.console import Console

DESCRIPTION = """\
Reads PDF, RTF, HTML, DOCX, CDA, e-mail and text files, told by their
content, each within limits, and writes notes. Pages without a sound text layer are
recognized (OCR) where tesseract is installed. `extract train` retrains the classes
of lines.
"""
EXAMPLES = """\
examples:
  cryptonym extract reports/*.pdf letter.docx old.rtf -o notes.jsonl
  cryptonym extract report.pdf -o note.jsonl --debug-pdf pictures
  cryptonym extract reports/*.pdf -o notes.jsonl --label-pages pages.jsonl
  cryptonym extract train pages.jsonl -o boxes.npz

Correct each `class` in pages.jsonl by hand before training. A note is named after its file. What
cannot be read goes to notes.quarantine.jsonl. Texts and names of files identify patients: the
outputs are readable by you alone.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `extract`."""
    limits = Limits()
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    add_out(parser, "NOTES.jsonl")
    add = parser.add_argument
    add(
        "--layout", choices=tuple(Layout), type=Layout, default=Layout.BODY,
        help="body (default): the letter without letterhead, margins, stamps, signature, footers; "
        "full: all of it",
    )  # fmt: skip
    add(
        "--engine", choices=tuple(Engine), type=Engine, default=Engine.PYMUPDF,
        help="what reads PDFs; default pymupdf",
    )  # fmt: skip
    add(
        "--ocr", default="+".join(LANGUAGES), metavar="LANGS",
        help=f"languages of recognition, `none` for none; default {'+'.join(LANGUAGES)}",
    )  # fmt: skip
    add("--dpi", type=positive, default=300, metavar="N", help="for recognition; default 300")
    add("--tessdata", metavar="DIR", help="tesseract's data, where it is not in its usual place")
    add("--passwords", metavar="LOCATOR", help="file:PATH (mode 600) or env:NAME, one a line")
    add("--boxes", metavar="FILE", help="classes of lines made by `extract train`")
    add(
        "--min-quality", type=share, default=0.6, metavar="Q",
        help="documents below this quality are refused; default 0.6",
    )  # fmt: skip
    add("--debug-pdf", type=Path, metavar="DIR", help="pictures of PDF pages with their classes")
    add("--label-pages", type=Path, metavar="PAGES.jsonl", help="lines of PDF pages and classes")
    for option, number, what in (
        ("--max-bytes", limits.max_bytes, "size of a file"),
        ("--max-pages", limits.max_pages, "pages of a file"),
        ("--max-characters", limits.max_characters, "length of a text"),
        ("--seconds", int(limits.seconds), "time for a file"),
        ("--memory-mb", limits.memory_mb, "memory for a file"),
    ):
        parser.add_argument(
            option, type=positive, default=number, metavar="N", help=f"{what}; default {number}"
        )
    add_reporting(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Read the files; gives the exit code."""
    limits = Limits(
        max_bytes=options.max_bytes,
        max_pages=options.max_pages,
        max_characters=options.max_characters,
        seconds=options.seconds,
        memory_mb=options.memory_mb,
    )
    reading = Options(
        layout=options.layout,
        engine=options.engine,
        languages=() if options.ocr == "none" else tuple(options.ocr.split("+")),
        dpi=options.dpi,
        tessdata=options.tessdata,
        passwords=(
            load_passwords(options.passwords, Path(), os.environ) if options.passwords else ()
        ),
        boxes=options.boxes,
    )
    task = Extraction(
        options.files,
        options.output,
        limits,
        reading,
        min_quality=options.min_quality,
        labels=options.label_pages,
        pictures=options.debug_pdf,
    )
    with console.progress() as progress:
        done = extract_files(task, progress)
    return report(done, options, console)

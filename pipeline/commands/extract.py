"""`cryptonym extract`: documents to text."""

import argparse
import os
from pathlib import Path

from extractors.document.limits import Limits
from extractors.document.options import LANGUAGES, Engine, Layout, Options
from pipeline.commands.options.note_counts import add_reporting, report
from pipeline.commands.options.values import add_out, given, positive, share
from pipeline.config.document_passwords import load_passwords
from pipeline.files.document_persons import (
    PersonSources,
    parse_person_pattern,
    read_person_map,
)
from pipeline.files.extraction import ExtractionTask, extract_files
from pipeline.files.jsonl import read_patients
from pipeline.reports.console import Console
from record.errors import ConfigError

DESCRIPTION = """\
Extracts text from PDF, RTF, HTML, DOCX, CDA, e-mail and plain text files and writes notes. File
types are identified by content and every file is read under resource limits. Pages without a
reliable text layer go through OCR if tesseract is installed. `extract train` retrains the line
classifier.
"""
EXAMPLES = """\
examples:
  cryptonym extract reports/*.pdf letter.docx old.rtf -o notes.jsonl
  cryptonym extract report.pdf -o note.jsonl --debug-pdf pictures
  cryptonym extract reports/* -o notes.jsonl --person-pattern '^(?P<person_id>[0-9]+)_'
  cryptonym extract reports/* -o notes.jsonl --person-field IPP --patients patients.jsonl
  cryptonym extract reports/*.pdf -o notes.jsonl --label-pages pages.jsonl
  cryptonym extract train pages.jsonl -o boxes.npz

Each note is named after its file. Persons come from a map of files, from file names or from a
field of the documents; a document of which two persons are named is refused. Unreadable files go to
notes.quarantine.jsonl. Texts and file names identify patients, so outputs are readable by their
owner only. Correct each `class` in pages.jsonl by hand before training.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `extract`."""
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="documents to read")
    add_out(parser, "NOTES.jsonl")
    add = parser.add_argument
    add(
        "--layout", choices=tuple(Layout), type=Layout, default=Layout.BODY,
        help="text to keep: body (default) drops letterhead, margins, stamps, signatures and "
        "footers; full keeps all lines",
    )  # fmt: skip
    add(
        "--engine", choices=tuple(Engine), type=Engine, default=Engine.PYMUPDF,
        help="library that reads PDF files (default pymupdf)",
    )  # fmt: skip
    add(
        "--ocr", default="+".join(LANGUAGES), metavar="LANGS",
        help=f"OCR languages, or `none` to disable OCR (default {'+'.join(LANGUAGES)})",
    )  # fmt: skip
    add("--dpi", type=positive, default=300, metavar="N", help="OCR resolution (default 300)")
    add("--tessdata", metavar="DIR", help="data folder of tesseract (default: its own)")
    add(
        "--passwords",
        metavar="LOCATOR",
        help="document passwords, one per line: file:PATH (mode 600) or env:NAME",
    )
    add(
        "--boxes",
        metavar="FILE",
        help="line classifier written by `extract train` (default: the bundled one)",
    )
    add(
        "--min-quality", type=share, default=0.6, metavar="Q",
        help="minimum text quality of a document (default 0.6)",
    )  # fmt: skip
    add("--debug-pdf", type=Path, metavar="DIR", help="folder for page images with line classes")
    add(
        "--label-pages", type=Path, metavar="PAGES.jsonl",
        help="output file for PDF lines with their classes",
    )  # fmt: skip
    _add_persons(parser)
    _add_limits(parser)
    add_reporting(parser)


def _add_persons(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--person-map", type=Path, metavar="MAP.csv",
        help="persons of the documents: CSV with the columns file and person_id",
    )  # fmt: skip
    add(
        "--person-pattern", metavar="REGEX",
        help="pattern in file names with a group for the person, such as '^(?P<person_id>[0-9]+)_'",
    )  # fmt: skip
    add(
        "--person-field", default="", metavar="NAME",
        help="field of the documents that names the person: in `IPP: 8012345678`, IPP",
    )  # fmt: skip
    add(
        "--patients", type=Path, metavar="P.jsonl",
        help="patients to look up found persons in: a person_id or one of the identifiers",
    )  # fmt: skip


def _add_limits(parser: argparse.ArgumentParser) -> None:
    limits = Limits()
    for option, number, what in (
        ("--max-bytes", limits.max_bytes, "maximum file size in bytes"),
        ("--max-pages", limits.max_pages, "maximum number of pages"),
        ("--max-characters", limits.max_characters, "maximum length of the text in characters"),
        ("--seconds", int(limits.seconds), "time limit per file in seconds"),
        ("--memory-mb", limits.memory_mb, "memory limit per file in megabytes"),
    ):
        parser.add_argument(
            option, type=positive, default=number, metavar="N", help=f"{what} (default {number})"
        )


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Read the files; returns the exit code."""
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
    task = ExtractionTask(
        options.files,
        options.output,
        limits,
        reading,
        min_quality=options.min_quality,
        labels=options.label_pages,
        pictures=options.debug_pdf,
        persons=_read_persons(options),
    )
    with console.progress() as progress:
        done = extract_files(task, progress)
    return report(done, options, console)


def _read_persons(options: argparse.Namespace) -> PersonSources:
    sources = PersonSources(
        read_person_map(options.person_map) if options.person_map else {},
        parse_person_pattern(options.person_pattern) if options.person_pattern else None,
        options.person_field.strip().rstrip(":").strip(),
        read_patients(options.patients) if options.patients else None,
        tuple(given(options.person_map, options.patients)),
    )
    if options.patients and not sources:
        remedy = "add --person-map, --person-pattern or --person-field"
        raise ConfigError("--patients", "nothing names a person to look up", remedy)
    return sources

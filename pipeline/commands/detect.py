"""`cryptonym detect`: detection of identifiers in notes."""

import argparse
import sys
from functools import partial
from pathlib import Path

from pipeline.commands.options.detection import (
    add_detection,
    make_worker_task,
    pack_detection,
    task_of,
)
from pipeline.commands.options.note_counts import add_reporting, report
from pipeline.commands.options.values import add_out, positive
from pipeline.files.jsonl import dump_line
from pipeline.files.note_files import FindingCallback, detect_file
from pipeline.files.span_explanations import HEADING, Finding
from pipeline.reports.console import Console

DESCRIPTION = """\
Detects identifiers in notes and adds them as `spans`: offsets and labels.
"""
EXAMPLES = """\
examples:
  cryptonym detect notes.jsonl -o found.jsonl --patients patients.jsonl
  cryptonym detect notes.jsonl -o found.jsonl --detectors rules --lang es
  cryptonym detect notes.jsonl -o found.jsonl --patients patients.jsonl --explain
  cryptonym detect notes.jsonl -o found.jsonl --patients patients.jsonl --workers 8

The text is unchanged and offsets refer to it. Existing spans are replaced. Invalid lines go to
found.quarantine.jsonl. With --explain and --json, each span is one JSON object per line and the
summary is the last line.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `detect`."""
    parser.add_argument(
        "notes", type=Path, metavar="NOTES.jsonl", help="notes, one JSON object a line"
    )
    add_out(parser, "OUT.jsonl")
    add_detection(parser)
    add = parser.add_argument
    add(
        "--explain",
        action="store_true",
        help="explanation of each span (rule and outcome), without text",
    )
    add(
        "--explain-text", action="store_true",
        help="explanation of each span with its text, which identifies patients",
    )  # fmt: skip
    add(
        "--workers", type=positive, default=1, metavar="N",
        help="number of processes that detect, each with a tagger of its own (default 1: this one)",
    )  # fmt: skip
    add_reporting(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Detect; returns the exit code."""
    explain = _make_explainer(options, console) if options.explain or options.explain_text else None
    is_alone = options.workers == 1
    # Checked here, and made with its tagger where that is used.
    task, make = (
        task_of(options, detects=is_alone),
        partial(make_worker_task, pack_detection(options)),
    )
    with console.progress() as progress:
        done = detect_file(
            task, progress, explain, workers=options.workers, make_task=None if is_alone else make
        )
    return report(done, options, console)


def _make_explainer(options: argparse.Namespace, console: Console) -> FindingCallback:
    """Return what prints the explanation of a span, as a table row or as JSON."""
    console.say(HEADING)

    def explain(finding: Finding, text: str) -> None:
        found = text[finding.span.start : finding.span.end] if options.explain_text else ""
        if options.json:
            sys.stdout.write(
                dump_line(finding.to_json() | ({"text": found} if found else {})) + "\n"
            )
        else:
            line = f"{finding.to_line()}  {found}".rstrip()
            # What steers a terminal must not come out of a note.
            console.say("".join(char if char.isprintable() else "?" for char in line))

    return explain

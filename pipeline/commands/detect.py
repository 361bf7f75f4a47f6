"""`cryptonym detect`: detection of identifiers in notes."""

import argparse
import sys
from functools import partial
from pathlib import Path

from pipeline.commands.options.detection import (
    add_detection,
    make_worker_task,
    pack_detection,
    pack_for_machines,
    task_of,
)
from pipeline.commands.options.engine import add_batch_engine, choose_batch_work
from pipeline.commands.options.note_counts import add_reporting, report
from pipeline.commands.options.values import add_out, given, positive
from pipeline.files.jsonl import dump_line
from pipeline.files.note_files import FindingCallback, detect_file, detect_in_processes
from pipeline.files.span_explanations import HEADING, Finding
from pipeline.files.spread_detection import PartWriting, detect_on_machines, write_parts
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
  cryptonym detect notes.jsonl -o found.jsonl --engine spark --master spark://HOST:7077 --workers 16

The text is unchanged and offsets refer to it. Existing spans are replaced. Invalid lines go to
found.quarantine.jsonl. With --explain and --json, each span is one JSON object per line and the
summary is the last line. With --engine spark, all machines must see the files and the folder of the
output.
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
        help="number of processes, or of Spark's tasks, that detect, each with a tagger of its own "
        "(default 1: this process, or one task)",
    )  # fmt: skip
    add_batch_engine(parser)
    add_reporting(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Detect; returns the exit code."""
    chosen = choose_batch_work(options, rest, write_parts, console.warn)
    is_on_spark = options.engine == "spark"
    is_alone = options.workers == 1 and not is_on_spark
    # Checked here, and made with its tagger where that is used.
    task = task_of(options, detects=is_alone)
    pack = pack_for_machines if is_on_spark else pack_detection
    make = partial(make_worker_task, pack(options))
    explain = _make_explainer(options, console) if options.explain or options.explain_text else None
    with console.progress() as progress:
        detection = None if is_alone else detect_in_processes(make, options.workers)
        if is_on_spark:
            files = tuple(given(options.patients, options.selection, options.thresholds))
            writing = PartWriting(chosen.work, options.workers, files)
            detection = detect_on_machines(task, make, writing, progress)
        done = detect_file(task, progress, explain, detection=detection)
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

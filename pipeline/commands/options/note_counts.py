"""The report of commands that write notes: counts, never text."""

import argparse
import json
import sys
from collections import Counter

from pipeline.commands.options.output import SUMMARY, add_output_format
from pipeline.commands.options.values import share
from pipeline.config.exit_codes import EXIT_DONE, EXIT_QUARANTINE
from pipeline.files.output_files import FileResult, make_quarantine_path
from pipeline.reports.console import Console
from pipeline.reports.quarantine_remedies import describe_excess


def add_reporting(parser: argparse.ArgumentParser) -> None:
    """Add --max-quarantine-share, --json and --plain."""
    parser.add_argument(
        "--max-quarantine-share", type=share, default=0.05, metavar="S",
        help="maximum share of quarantined notes before exit code 3 (default 0.05)",
    )  # fmt: skip
    add_output_format(parser, json=SUMMARY)


def report(done: FileResult, options: argparse.Namespace, console: Console) -> int:
    """Print what became of the notes; returns the exit code."""
    for warning in done.warnings:
        console.warn(warning)
    if options.json:
        sys.stdout.write(json.dumps(done.to_json(), sort_keys=True) + "\n")
    else:
        console.say(f"{done.read} read, {done.written} written to {options.output}")
        if done.spans:
            ranked = sorted(done.spans.items(), key=lambda item: (-item[1], item[0]))
            console.say("spans: " + ", ".join(f"{label} {count}" for label, count in ranked))
        if done.detection:
            console.say(f"detection: {'; '.join(done.detection)}")
        if done.refused:
            console.say(f"{done.refused} refused, see {make_quarantine_path(options.output)}")
        for (stage, error, reason), count in sorted(done.causes.items()):
            console.say(f"quarantine: {count} at {stage}: {error} {reason}".rstrip())
    limit = options.max_quarantine_share
    if done.within(limit):
        return EXIT_DONE
    reasons: Counter[str] = Counter()
    for (_, _, reason), count in done.causes.items():
        reasons[reason] += count
    place = str(make_quarantine_path(options.output))
    share = done.refused / max(done.read, done.refused)
    console.warn(describe_excess(reasons, share=share, limit=limit, place=place, of_file=True))
    return EXIT_QUARANTINE

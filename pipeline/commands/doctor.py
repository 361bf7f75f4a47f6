"""`cryptonym doctor`: checks of configuration, keys, databases and machine."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from pipeline.commands.options.output import add_output_format
from pipeline.commands.options.values import natural
from pipeline.doctor.checks import SAMPLE_SECONDS, exit_code, run_checks
from pipeline.doctor.output_checks import run_output_checks
from pipeline.reports.console import Console

DESCRIPTION = """\
Checks everything a run needs: installed versions, configuration, master key, custody and usage log,
permissions on databases and folders, rows, CDM version, kinds and encoding of the source, state
database version, model, OCR, disk space and clock. Before the first night, notes of a sample are
processed too, and nothing of them is stored, to estimate how long that night takes. With --output,
checks the tables of an output against OMOP CDM 5.4 instead: required columns, types, keys,
references, domains of concepts, order of dates. Read-only.
"""
EXAMPLES = """\
examples:
  cryptonym doctor nightly.toml
  cryptonym doctor nightly.toml --json
  cryptonym doctor nightly.toml --output
  cryptonym doctor nightly.toml --output parquet:asthma

Exit codes: 0 ready to run (possibly with warnings); 2 something must be fixed; 4 a required service
is unavailable.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    parser.add_argument(
        "config", type=Path, metavar="CONFIG.toml", help="configuration of the nightly job"
    )
    parser.add_argument(
        "--output",
        nargs="?",
        const="",
        metavar="URL",
        help="check the tables of the configured output instead, or of a release at URL",
    )
    parser.add_argument("--schema", metavar="NAME", help="schema of the database at URL")
    parser.add_argument(
        "--sample-seconds", type=natural, default=SAMPLE_SECONDS, metavar="S",
        help="before the first night, process notes of a sample for at most S seconds; 0 for none "
        f"(default {SAMPLE_SECONDS})",
    )  # fmt: skip
    add_output_format(parser, json="JSON array only, with one object per check")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Do all checks; returns the exit code."""
    found = []
    checks = run_checks(options.config, sample_seconds=options.sample_seconds)
    if options.output is not None:
        checks = run_output_checks(options.config, options.output, options.schema)
    for finding in checks:
        found.append(finding)
        console.say(f"{finding.status:<5} {finding.check}: {finding.seen}")
        if finding.remedy:
            console.say(f"      remedy: {finding.remedy}")
    if options.json:
        sys.stdout.write(json.dumps([asdict(finding) for finding in found]) + "\n")
    return exit_code(found)

"""`cryptonym doctor`: is everything ready for a run."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from pipeline.commands.options.values import add_speech
from pipeline.doctor.doctor import (
    examine_all,
    exit_code,
)
from pipeline.reports.console import Console

DESCRIPTION = """\
Checks all that a run needs: installed versions, configuration, master key and its custody with
the chain of its log, rights on databases and folders, the state's version, model, recognition of
scans, disk space and clock. Changes nothing.
"""
EXAMPLES = """\
examples:
  cryptonym doctor nightly.toml
  cryptonym doctor nightly.toml --json

Exit codes: 0 a run can start, warnings or not; 2 something must be corrected; 4 a needed service
could not be reached.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    parser.add_argument("config", type=Path, metavar="CONFIG.toml")
    add_speech(parser, json="print an array of JSON objects, one a check")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Do all checks; gives the exit code."""
    found = []
    for finding in examine_all(options.config):
        found.append(finding)
        console.say(f"{finding.status:<5} {finding.check}: {finding.seen}")
        if finding.remedy:
            console.say(f"      remedy: {finding.remedy}")
    if options.json:
        sys.stdout.write(json.dumps([asdict(finding) for finding in found]) + "\n")
    return exit_code(found)

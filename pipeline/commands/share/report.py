"""`cryptonym share report`: whether vectors may be shared."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.gate import add_measured, conclude
from pipeline.commands.options.keys import add_key
from pipeline.commands.options.output import add_output_format
from pipeline.reports.console import Console

DESCRIPTION = """\
Compares what was measured of a shared file with what is required of it, and decides SHARE or HOLD,
with reasons. Anything that was not measured, or was measured without its controls, holds the file
back, and so does reduced noise. DIR gets report.html, report.json and manifest.json, signed under
the master key.
"""
EXAMPLES = """\
examples:
  cryptonym share report site-a --measured attacked/attack.json -o report --key master.key

Exit codes: 0 SHARE; 1 HOLD; 2 usage or configuration error.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `share report`."""
    add = parser.add_argument
    add("shared", type=Path, metavar="SHARED", help="folder written by `share encode`")
    add_measured(parser, "attack.json")
    add(
        "--requirements", type=Path, default=Path("share"), metavar="R.toml",
        help="requirements file (default: the shipped set `share`)",
    )  # fmt: skip
    add_key(parser, required=True)
    add_output_format(parser, json="JSON report only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Decide and report; returns the exit code."""
    with models_extra("share report"):
        from pipeline.training.shared_vectors import judge_vectors
    today = datetime.now(UTC).date()
    case = judge_vectors(options.shared, options.measured, options.requirements, today=today)
    return conclude(case, options, console)

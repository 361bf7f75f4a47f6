"""`cryptonym synthesize report`: whether synthetic notes may leave."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.gate import add_measured, conclude
from pipeline.commands.options.keys import add_key, open_master
from pipeline.commands.options.output import add_output_format
from pipeline.config.signing import public_key_of
from pipeline.reports.console import Console

DESCRIPTION = """\
Compares what was measured of synthetic notes with what is required of them, and decides RELEASE or
HOLD, with reasons and advice. Anything that was not measured, or was measured without its controls,
holds the notes back; so does a measurement that is not signed under the same key, or was changed
since. DIR gets report.html, report.json and manifest.json, signed under the master
key.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize report filtered --measured screened/screen.json -o report --key master.key
  cryptonym synthesize report filtered --measured screened/screen.json utility/utility.json \\
      -o report --key master.key --requirements ours.toml

Exit codes: 0 RELEASE; 1 HOLD; 2 usage or configuration error.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize report`."""
    add = parser.add_argument
    add("synthetic", type=Path, metavar="SYNTHETIC", help="folder written by `generate` or `fill`")
    add_measured(parser, "screen.json")
    add(
        "--requirements", type=Path, metavar="R.toml",
        help="requirements file, or a shipped set: synthetic (default), generator (also requires "
        "what `synthesize attack` measures), filled (default for letters written by `fill`) or "
        "end-to-end (default with --end-to-end)",
    )  # fmt: skip
    add(
        "--end-to-end", action="store_true",
        help="claim that the notes tell of private notes no more than epsilon says; holds notes "
        "that were filtered, and takes what `screen --end-to-end` measured alone",
    )  # fmt: skip
    add_key(parser, required=True)
    add_output_format(parser, json="JSON report only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Decide and report; returns the exit code."""
    with models_extra("synthesize report"):
        from pipeline.synthetic.measurements.decision import GateRequest, judge_notes
    public_key = public_key_of(open_master(options))
    request = GateRequest(
        options.synthetic,
        options.measured,
        public_key,
        options.requirements,
        is_end_to_end=options.end_to_end,
    )
    case = judge_notes(request, today=datetime.now(UTC).date())
    return conclude(case, options, console)

"""`cryptonym share report`: whether vectors may be shared."""

import argparse
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from evaluation.gate import Verdict, decide
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.gate import Case, conclude, read_measured, requirements_at
from pipeline.commands.options.keys import add_key
from pipeline.commands.options.values import add_speech
from pipeline.reports.console import Console

DESCRIPTION = """\
Brings together what was measured of a shared file, compares it with what is required, and says
SHARE or HOLD, with reasons. Whatever was not measured, or stands there without its controls, holds
the file back, and so does a file whose noise was lessened. DIR gets report.html, report.json and
manifest.json, signed under the master key.
"""
EXAMPLES = """\
examples:
  cryptonym share report site-a --measured attacked/attack.json -o report --key master.key

Exit codes: 0 SHARE; 1 HOLD; 2 usage or configuration.
"""

_SETS = ("share",)
_MEANS = {
    "null": "vectors that cannot give it away, since another word was encoded",
    "control": "plain vectors of words, which hide nothing",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `share report`."""
    add = parser.add_argument
    add("shared", type=Path, metavar="SHARED", help="folder written by `share encode`")
    add(
        "--measured", type=Path, nargs="+", required=True, metavar="FILE",
        help="attack.json and other measurement files",
    )  # fmt: skip
    add(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help=("output folder for the report"),
    )
    add(
        "--requirements", type=Path, default=Path(_SETS[0]), metavar="R.toml",
        help="requirements file (default: the shipped one)",
    )  # fmt: skip
    add_key(parser, required=True)
    add_speech(parser, json="print the report as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Decide and report; returns the exit code."""
    with models_extra("share report"):
        from pipeline.sharing.shared_files import read_shared
    manifest, _ = read_shared(options.shared)
    requirements = requirements_at(options.requirements, _SETS)
    remedy = "give a file that `share attack` wrote"
    data = manifest.vectors_sha256
    measured = [
        each for path in options.measured for each in read_measured(path, {data}, "vectors", remedy)
    ]
    decision = decide(measured, requirements)
    if manifest.noise < 1:
        reasons = (*decision.reasons, f"the noise was lessened, to {manifest.noise:g} of it")
        decision = replace(decision, verdict=Verdict.HOLD, reasons=reasons)
    about = {
        "what": "vectors of sentences",
        "made": datetime.now(UTC).date().isoformat(),
        "vectors": data,
        "sentences": manifest.sentences,
        "representer": manifest.representer,
        "neighbours": manifest.neighbours,
        "noise": manifest.noise,
        "version": version("cryptonym"),
    }
    case = Case(measured, requirements, decision, about, word="SHARE", means=_MEANS)
    return conclude(case, options, console)

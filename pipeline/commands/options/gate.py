"""What the commands have in common that let something leave or hold it back."""

import argparse
import hashlib
from pathlib import Path

from evaluation.gate_case import GateCase
from pipeline.commands.options.keys import open_master
from pipeline.commands.options.output import print_json
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.config.signing import sign_statement
from pipeline.reports.console import Console
from pipeline.reports.gate_report import report_bytes, write_gate


def add_measured(parser: argparse.ArgumentParser, example: str) -> None:
    """Add the files of measurements, and the folder of the report."""
    parser.add_argument(
        "--measured", type=Path, nargs="+", required=True, metavar="FILE",
        help=f"{example} and other measurement files",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR",
        help="output folder for the report",
    )  # fmt: skip


def conclude(case: GateCase, options: argparse.Namespace, console: Console) -> int:
    """Write the report and its signed manifest, and print the verdict; returns the exit code."""
    report = case.report()
    statement = case.statement(hashlib.sha256(report_bytes(report)).hexdigest())
    write_gate(options.output, report, sign_statement(statement, open_master(options)))
    print_json(report, options)
    console.say(case.verdict)
    for reason in case.decision.reasons:
        console.say(f"  {reason}")
    if case.advice:
        console.say("advice:")
    for advice in case.advice:
        console.say(f"  {advice}")
    console.say(f"report: {options.output / 'report.html'}")
    return EXIT_DONE if case.is_passed else EXIT_GATE

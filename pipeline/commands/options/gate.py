"""What the commands have in common that let something leave or hold it back."""

import argparse
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.gate_case import GateCase, write_measurements
from pipeline.commands.options.keys import open_master
from pipeline.commands.options.output import print_json
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.config.signing import sign_content, sign_statement
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


def add_signing(parser: argparse.ArgumentParser) -> None:
    """Add the key that measurements are signed under."""
    add = parser.add_argument_group("signature").add_argument
    add(
        "--key", metavar="LOCATOR",
        help="master key to sign the measurements with, the one given to `synthesize report`, "
        "which refuses what is not signed (default: not signed)",
    )  # fmt: skip
    add(
        "--custody", type=Path, metavar="DIR",
        help="custody folder of the key (default: FILE.custody)",
    )  # fmt: skip


def check_signing(options: argparse.Namespace, console: Console) -> None:
    """Open the key before anything is measured, or warn that the gate will not take the result."""
    if options.key is None:
        console.warn("without --key the measurements are not signed, and the gate refuses them")
    else:
        open_master(options)


def write_signed(path: Path, content: Mapping[str, Any], options: argparse.Namespace) -> None:
    """Write a file of measurements, signed where a key was given."""
    is_signed = options.key is not None
    write_measurements(path, sign_content(content, open_master(options)) if is_signed else content)


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

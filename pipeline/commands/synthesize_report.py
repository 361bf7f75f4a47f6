"""`cryptonym synthesize report`: whether synthetic notes may leave."""

import argparse
import hashlib
import json
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from evaluation.gate import (
    Axis,
    Decision,
    Measured,
    Requirement,
    Verdict,
    decide,
    read_requirements,
)
from pipeline.commands.key_options import add_key, open_master
from pipeline.commands.options import add_speech
from pipeline.console import Console
from pipeline.exits import EXIT_DONE, EXIT_GATE
from pipeline.gate_report import report_bytes, write_gate
from pipeline.signing import signed, sum_of
from record.errors import ConfigError
from synthesis.parts import NOTES, read_generated

DESCRIPTION = """\
Brings together what was measured about synthetic notes, compares it with what is required, and
says RELEASE or HOLD, with reasons. Whatever was not measured, or stands there without the numbers
beside it that give it a meaning, holds the notes back. DIR gets report.html, report.json and
manifest.json, signed under the master key.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize report synthetic --measured screened/screen.json -o report --key master.key
  cryptonym synthesize report synthetic --measured screened/screen.json utility/utility.json \\
      -o report --key master.key --requirements ours.toml

Exit codes: 0 RELEASE; 1 HOLD; 2 usage or configuration.
"""

_SHIPPED = files("evaluation").joinpath("requirements", "synthetic.toml")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize report`."""
    add = parser.add_argument
    add("synthetic", type=Path, metavar="SYNTHETIC", help="what `synthesize generate` wrote")
    add(
        "--measured", type=Path, nargs="+", required=True, metavar="FILE",
        help="screen.json and other files of measurements",
    )  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="for the report")
    add("--requirements", type=Path, metavar="R.toml", help="default: those that are shipped")
    add_key(parser, required=True)
    add_speech(parser, json="print the report as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Decide and report; gives the exit code."""
    manifest = read_generated(options.synthetic)
    data = sum_of(options.synthetic / NOTES)
    if data != manifest["notes_sha256"]:
        problem = "has changed since it was generated"
        raise ConfigError(str(options.synthetic / NOTES), problem, "generate the notes again")
    requirements = _requirements(options.requirements)
    measured = [each for path in options.measured for each in _read(path, data)]
    decision = decide(measured, requirements)
    about = {
        "what": "synthetic notes",
        "made": datetime.now(UTC).date().isoformat(),
        "notes": data,
        "model": manifest["model_sha256"],
        "corpus": manifest["corpus_sha256"],
        "seed": manifest["seed"],
        "privacy of training": json.dumps(manifest["privacy"], sort_keys=True),
        "version": version("cryptonym"),
    }
    report = {
        "verdict": decision.verdict,
        "reasons": list(decision.reasons),
        "about": about,
        "measured": [_row(each, requirements, decision) for each in measured],
    }
    master = open_master(options)
    statement = {
        **about,
        "verdict": decision.verdict,
        "decoding": manifest["decoding"],
        "attacks": sorted(each.name for each in measured if each.axis is Axis.PRIVACY),
        "report_sha256": _sum(report_bytes(report)),
    }
    write_gate(options.output, report, signed(statement, master))
    if options.json:
        sys.stdout.write(json.dumps(report, sort_keys=True) + "\n")
    console.say(decision.verdict)
    for reason in decision.reasons:
        console.say(f"  {reason}")
    console.say(f"report: {options.output / 'report.html'}")
    return EXIT_DONE if decision.verdict is Verdict.RELEASE else EXIT_GATE


def _requirements(path: Path | None) -> tuple[Requirement, ...]:
    remedy = "give a TOML file, as evaluation/requirements/synthetic.toml"
    try:
        text = (_SHIPPED if path is None else path).read_text("utf-8")
        return read_requirements(tomllib.loads(text), where=str(path or "synthetic.toml"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise ConfigError(str(path), "is no TOML file that can be read", remedy) from None


def _read(path: Path, data: str) -> list[Measured]:
    """Read measurements; raises ConfigError where they are damaged, or of other notes."""
    remedy = "give a file that `synthesize screen` or `synthesize utility` wrote"
    try:
        told = json.loads(path.read_text("utf-8"))
        measured = [Measured(**each | {"axis": Axis(each["axis"])}) for each in told["measured"]]
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(str(path), "holds no measurements", remedy) from None
    if any(each.data != data for each in measured):
        raise ConfigError(str(path), "is of other notes", "measure these notes")
    return measured


def _row(each: Measured, requirements: Iterable[Requirement], decision: Decision) -> dict[str, Any]:
    asked = [_asked(requirement) for requirement in requirements if requirement.name == each.name]
    problems = [reason for reason in decision.reasons if reason.startswith(f"{each.name}: ")]
    return {**asdict(each), "asked": ", ".join(asked), "problems": problems}


def _asked(requirement: Requirement) -> str:
    words = [f"{requirement.bound.replace('_', ' ')} {requirement.limit:g}"]
    words += ["over what cannot leak"] * requirement.over_null
    if requirement.control_at_least is not None:
        words.append(f"(known leak at least {requirement.control_at_least:g})")
    return " ".join(words)


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

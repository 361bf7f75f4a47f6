"""What the commands have in common that let something leave or hold it back."""

import argparse
import hashlib
import json
import sys
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from evaluation.gate import Axis, Decision, Measured, Requirement, Verdict, read_requirements
from pipeline.commands.options.keys import open_master
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.config.signing import sign_statement
from pipeline.reports.console import Console
from pipeline.reports.gate_report import report_bytes, write_gate
from record.errors import ConfigError

_SHIPPED = files("evaluation").joinpath("requirements")


@dataclass(frozen=True)
class Case:
    """What is judged: numbers, what is asked of them, the decision, and what the report says.

    `about` stands in the report and the signed manifest, `signed` in the manifest alone; `word` is
    the verdict where nothing speaks against it; `means` says what the two controls are, `advice`
    what helps where it is held.
    """

    measured: Sequence[Measured]
    requirements: Sequence[Requirement]
    decision: Decision
    about: Mapping[str, Any]
    signed: Mapping[str, Any] = field(default_factory=dict)
    word: str = Verdict.RELEASE
    means: Mapping[str, str] = field(default_factory=dict)
    advice: Sequence[str] = ()

    @property
    def verdict(self) -> str:
        """The verdict in the words of the case."""
        return self.word if self.decision.verdict is Verdict.RELEASE else Verdict.HOLD


def requirements_at(path: Path, shipped: Collection[str]) -> tuple[Requirement, ...]:
    """Read requirements: a file, or by name one of those that are shipped; raises ConfigError."""
    remedy = f"give a TOML file, as evaluation/requirements/{next(iter(shipped))}.toml"
    is_shipped = str(path) in shipped
    try:
        text = (_SHIPPED.joinpath(f"{path}.toml") if is_shipped else path).read_text("utf-8")
        return read_requirements(tomllib.loads(text), where=str(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise ConfigError(str(path), "is no TOML file that can be read", remedy) from None


def read_measured(path: Path, known: Collection[str], what: str, remedy: str) -> list[Measured]:
    """Read measurements of `what`, whose digests are `known`.

    Raises ConfigError where they are damaged, or of something else.
    """
    try:
        told = json.loads(path.read_text("utf-8"))
        measured = [Measured(**each | {"axis": Axis(each["axis"])}) for each in told["measured"]]
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(str(path), "holds no measurements", remedy) from None
    if any(each.data not in known for each in measured):
        raise ConfigError(str(path), f"is of other {what}", "measure what is judged")
    return measured


def conclude(case: Case, options: argparse.Namespace, console: Console) -> int:
    """Write the report and its signed manifest, and say the verdict; returns the exit code."""
    decision = case.decision
    report = {
        "verdict": case.verdict,
        "reasons": list(decision.reasons),
        "advice": list(case.advice),
        "about": case.about,
        "means": case.means,
        "measured": [_row(each, case.requirements, decision) for each in case.measured],
    }
    statement = {
        **case.about,
        "verdict": case.verdict,
        **case.signed,
        "attacks": sorted(each.name for each in case.measured if each.axis is Axis.PRIVACY),
        "report_sha256": hashlib.sha256(report_bytes(report)).hexdigest(),
    }
    write_gate(options.output, report, sign_statement(statement, open_master(options)))
    if options.json:
        sys.stdout.write(json.dumps(report, sort_keys=True) + "\n")
    console.say(case.verdict)
    for reason in decision.reasons:
        console.say(f"  {reason}")
    if case.advice:
        console.say("what helps:")
    for advice in case.advice:
        console.say(f"  {advice}")
    console.say(f"report: {options.output / 'report.html'}")
    return EXIT_DONE if decision.verdict is Verdict.RELEASE else EXIT_GATE


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

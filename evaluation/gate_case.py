"""One case before the gate: what was measured, what is required, the decision, and its report."""

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from evaluation.gate import Axis, Decision, Measured, Requirement, Verdict, read_requirements
from evaluation.gate_charts import GateChart
from record.atomic_write import write_atomically
from record.errors import ConfigError

_SHIPPED = files("evaluation").joinpath("requirements")


@dataclass(frozen=True)
class GateCase:
    """Measurements, the requirements they must meet, the decision, and what the report adds.

    `about` appears in the report and in the signed statement, `signed` in the statement alone.
    `word` is the verdict where every requirement is met, `means` explains the two controls, and
    `advice` says what helps where the case is held. `not_measured` are numbers with a requirement
    that counts only where they were measured. `charts` are drawn beside the numbers; `readers` is
    how every two reviewers agree on each question.
    """

    measured: Sequence[Measured]
    requirements: Sequence[Requirement]
    decision: Decision
    about: Mapping[str, Any]
    signed: Mapping[str, Any] = field(default_factory=dict)
    word: str = Verdict.RELEASE
    means: Mapping[str, str] = field(default_factory=dict)
    advice: Sequence[str] = ()
    not_measured: Sequence[str] = ()
    charts: Sequence[GateChart] = ()
    readers: Sequence[Mapping[str, Any]] = ()

    @property
    def is_passed(self) -> bool:
        """Whether every requirement is met."""
        return self.decision.verdict is Verdict.RELEASE

    @property
    def verdict(self) -> str:
        """The verdict in the words of the case."""
        return self.word if self.is_passed else Verdict.HOLD

    def report(self) -> dict[str, Any]:
        """Return the report: every measurement beside what is required of it."""
        return {
            "verdict": self.verdict,
            "reasons": list(self.decision.reasons),
            "advice": list(self.advice),
            "about": self.about,
            "means": self.means,
            "measured": [self._row(each) for each in self.measured],
            "not_measured": list(self.not_measured),
            "charts": [each.to_json() for each in self.charts],
            "readers": [dict(each) for each in self.readers],
        }

    def statement(self, report_sha256: str) -> dict[str, Any]:
        """Return what is to be signed; `report_sha256` is the digest of the written report."""
        return {
            **self.about,
            "verdict": self.verdict,
            **self.signed,
            "attacks": sorted(each.name for each in self.measured if each.axis is Axis.PRIVACY),
            "report_sha256": report_sha256,
        }

    def _row(self, measured: Measured) -> dict[str, Any]:
        name = measured.name
        asked = [_describe(each) for each in self.requirements if each.name == name]
        problems = [each for each in self.decision.reasons if each.startswith(f"{name}: ")]
        return {**asdict(measured), "asked": ", ".join(asked), "problems": problems}


def _describe(requirement: Requirement) -> str:
    words = [f"{requirement.bound.replace('_', ' ')} {requirement.limit:g}"]
    words += ["over what cannot leak"] * requirement.over_null
    if requirement.control_at_least is not None:
        words.append(f"(known leak at least {requirement.control_at_least:g})")
    if requirement.detectable_at_most is not None:
        words.append(f"(detectable at most {requirement.detectable_at_most:g})")
    return " ".join(words)


def load_requirements(path: Path, shipped: Collection[str]) -> tuple[Requirement, ...]:
    """Read requirements from a TOML file, or a shipped set by its name; raises ConfigError."""
    remedy = f"give a TOML file such as evaluation/requirements/{next(iter(shipped))}.toml"
    is_shipped = str(path) in shipped
    try:
        text = (_SHIPPED.joinpath(f"{path}.toml") if is_shipped else path).read_text("utf-8")
        return read_requirements(tomllib.loads(text), where=str(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise ConfigError(str(path), "not a readable TOML file", remedy) from None


def read_measurements(
    paths: Sequence[Path], known: Collection[str], subject: str, remedy: str
) -> list[Measured]:
    """Read files of measurements of `subject`, whose digests are `known`.

    Raises ConfigError where a file is damaged, or where something else was measured.
    """
    found: list[Measured] = []
    for path in paths:
        _, measured = read_measurement_file(path, remedy)
        if any(each.data not in known for each in measured):
            problem = f"holds measurements of other {subject}"
            first = subject.split(",", maxsplit=1)[0]
            raise ConfigError(str(path), problem, f"measure these {first}")
        found += measured
    return found


def read_measurement_file(path: Path, remedy: str) -> tuple[dict[str, Any], list[Measured]]:
    """Return the content of a file of measurements, and these; raises ConfigError if damaged."""
    try:
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        measured = [Measured(**each | {"axis": Axis(each["axis"])}) for each in content["measured"]]
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(str(path), "holds no measurements", remedy) from None
    return content, measured


def write_measurements(path: Path, content: Mapping[str, Any]) -> None:
    """Write a file of measurements, completely or not at all, and its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(content, indent=1).encode("utf-8"))

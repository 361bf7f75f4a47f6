"""`cryptonym synthesize report`: whether synthetic notes may leave."""

import argparse
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from evaluation.attacks.overlap import LIKELIHOOD, subject
from evaluation.gate import Decision, Measured, Requirement, Verdict, decide
from pipeline.commands.options.gate import Case, conclude, read_measured, requirements_at
from pipeline.commands.options.keys import add_key
from pipeline.commands.options.values import add_speech
from pipeline.config.signing import sum_of
from pipeline.reports.console import Console
from pipeline.synthetic.advice import advise
from pipeline.synthetic.filled_letters import is_filled
from record.errors import ConfigError
from synthesis.generation_files import NOTES, read_generated

DESCRIPTION = """\
Brings together what was measured about synthetic notes, compares it with what is required, and
says RELEASE or HOLD, with reasons and what helps. Whatever was not measured, or stands there
without the numbers beside it that give it a meaning, holds the notes back. DIR gets report.html,
report.json and manifest.json, signed under the master key.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize report synthetic --measured screened/screen.json -o report --key master.key
  cryptonym synthesize report synthetic --measured screened/screen.json utility/utility.json \\
      -o report --key master.key --requirements ours.toml

Exit codes: 0 RELEASE; 1 HOLD; 2 usage or configuration.
"""

_FILLED = "filled"
_BASE = "base"
_SETS = ("synthetic", "generator", _FILLED)
_REMEDY = "give a file that `synthesize screen`, `compare`, `utility`, `attack` or `overlap` wrote"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize report`."""
    add = parser.add_argument
    add("synthetic", type=Path, metavar="SYNTHETIC", help="folder written by `generate` or `fill`")
    add(
        "--measured", type=Path, nargs="+", required=True, metavar="FILE",
        help="screen.json and other measurement files",
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
        "--requirements", type=Path, metavar="R.toml",
        help=("requirements: a file, or a shipped set: synthetic (default); generator, which also "
              "requires what `synthesize attack` measures; filled (default for letters written by "
              "`fill`)"),
    )  # fmt: skip
    add_key(parser, required=True)
    add_speech(parser, json="print the report as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Decide and report; returns the exit code."""
    manifest = read_generated(options.synthetic)
    data = sum_of(options.synthetic / NOTES)
    if data != manifest["notes_sha256"]:
        problem = "has changed since it was generated"
        raise ConfigError(str(options.synthetic / NOTES), problem, "generate the notes again")
    filled = is_filled(manifest)
    requirements = requirements_at(_chosen(options.requirements, filled=filled), _SETS)
    known = {data, manifest["model_sha256"]}
    # What an older version wrote does not say what its model began with.
    base = None if filled else manifest.get("base_sha256", "unknown")
    if base is not None:
        known.add(subject(base, manifest["corpus_sha256"]))
    what = "notes, or of another model"
    measured = [
        each for path in options.measured for each in read_measured(path, known, what, _REMEDY)
    ]
    if base is not None:
        requirements = (*requirements, *_of_base(requirements, measured))
    decision = decide(measured, requirements)
    if manifest.get("canaries"):
        reasons = (*decision.reasons, "the model learnt notes that were planted in it")
        decision = Decision(Verdict.HOLD, reasons)
    about = {
        "what": manifest.get("what", "synthetic notes"),
        "made": datetime.now(UTC).date().isoformat(),
        "notes": data,
        "model": manifest["model_sha256"],
        "corpus": manifest["corpus_sha256"],
        "seed": manifest["seed"],
        f"privacy of {'filling' if filled else 'training'}": json.dumps(
            manifest["privacy"], sort_keys=True
        ),
        "version": version("cryptonym"),
    }
    signed = {"decoding": manifest["decoding"]}
    advice = list(advise(decision.reasons))
    case = Case(measured, requirements, decision, about, signed, advice=advice)
    return conclude(case, options, console)


def _of_base(
    requirements: Iterable[Requirement], measured: Iterable[Measured]
) -> Iterator[Requirement]:
    """Return what else is required where the model began with pretrained weights.

    Their text is seldom there to be looked through; where it was, that must hold as well.
    """
    named = {each.name for each in requirements}
    found = {each.name for each in measured}
    for each in requirements_at(Path(_BASE), (_BASE,)):
        if each.name not in named and (each.name in found or each.name == LIKELIHOOD):
            yield each


def _chosen(asked: Path | None, *, filled: bool) -> Path:
    """Choose what is required: what holds for filled letters is too little for generated notes."""
    if asked == Path(_FILLED) and not filled:
        problem = "is for letters that `synthesize fill` wrote"
        raise ConfigError("--requirements", problem, "give synthetic or generator")
    return asked or Path(_FILLED if filled else _SETS[0])

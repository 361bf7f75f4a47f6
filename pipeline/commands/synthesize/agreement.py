"""`cryptonym synthesize agreement`: agreement of reviewers on pairs of notes."""

import argparse
import json
import math
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.utility.agreement import Agreement, ReviewerAnswer, measure_agreement
from pipeline.commands.options.output import add_output_format
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from pipeline.reports.review_pages import read_answers
from record.atomic_write import write_atomically
from record.errors import ConfigError

DESCRIPTION = """\
Compares the answers of the two reviewers of every pair: Cohen's kappa and Spearman's rho for each
question, and the number of pairs that both consider a breach. Reads and writes no text.
"""
EXAMPLES = """\
example:
  cryptonym synthesize agreement reviewer-1.json reviewer-2.json -o agreement.json
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize agreement`."""
    add = parser.add_argument
    add(
        "answers", type=Path, nargs="+", metavar="ANSWERS.json",
        help="answer files saved by the reviewers' pages",
    )  # fmt: skip
    add("-o", "--output", type=Path, metavar="FILE", help="output file (JSON)")
    add_output_format(parser, json="JSON output only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Compare; returns the exit code."""
    try:
        found = measure_agreement(ReviewerAnswer(**each) for each in read_answers(options.answers))
    except ValueError as error:
        remedy = "give each reviewer's file once"
        raise ConfigError("ANSWERS.json", str(error), remedy) from None
    text = json.dumps(list(map(_without_nan, found)), indent=1)
    if options.output:
        write_atomically(options.output, text.encode("utf-8"))
    if options.json:
        sys.stdout.write(text + "\n")
    console.say(f"{'question':<22}{'pairs':>6}{'kappa':>8}{'rho':>8}{'both yes':>10}{'both no':>9}")
    for each in found:
        console.say(
            f"{each.question:<22}{each.pairs:>6}{each.kappa:>8.3f}{each.rho:>8.3f}"
            f"{each.breaches:>10}{each.cleared:>9}"
        )
    return EXIT_DONE


def _without_nan(each: Agreement) -> dict[str, Any]:
    """Return the fields; JSON has no NaN."""
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in asdict(each).items()
    }

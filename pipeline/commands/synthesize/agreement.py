"""`cryptonym synthesize agreement`: agreement of reviewers on pairs of notes."""

import argparse
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.utility.agreement import (
    Agreement,
    ReviewerAnswer,
    measure_agreement,
    measure_review,
)
from pipeline.commands.options.gate import add_signing, check_signing, write_signed
from pipeline.commands.options.output import add_output_format, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.signing import hash_file
from pipeline.reports.console import Console
from pipeline.reports.review_pages import read_answers, read_known
from record.errors import ConfigError

DESCRIPTION = """\
Compares the answers of the two reviewers of every pair: Cohen's kappa and Spearman's rho for each
question, and the number of pairs that both consider a breach. With --pairs the result is measured
for `synthesize report`: which pairs any reviewer calls linked, and whether both see the copies that
are among them. Writes no text.
"""
EXAMPLES = """\
example:
  cryptonym synthesize agreement reviewer-1.json reviewer-2.json -o agreement.json \\
      --pairs screened/review.jsonl --key master.key
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize agreement`."""
    add = parser.add_argument
    add(
        "answers", type=Path, nargs="+", metavar="ANSWERS.json",
        help="answer files saved by the reviewers' pages",
    )  # fmt: skip
    add("-o", "--output", type=Path, metavar="FILE", help="output file (JSON)")
    add(
        "--pairs", type=Path, metavar="REVIEW.jsonl",
        help="all pairs that `synthesize screen` wrote, to measure the review for the gate",
    )  # fmt: skip
    add_signing(parser)
    add_output_format(parser, json="JSON output only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Compare; returns the exit code."""
    if options.pairs is not None:
        check_signing(options, console)
    review = None if options.pairs is None else hash_file(options.pairs)
    answers = [ReviewerAnswer(**each) for each in read_answers(options.answers, review)]
    try:
        found = measure_agreement(answers)
    except ValueError as error:
        remedy = "give each reviewer's file once"
        raise ConfigError("ANSWERS.json", str(error), remedy) from None
    content = {
        "format": 1,
        "questions": list(map(_without_nan, found)),
        **_measure(answers, options.pairs, console),
    }
    if options.output:
        write_signed(options.output, content, options)
    print_json(content, options)
    console.say(f"{'question':<22}{'pairs':>6}{'kappa':>8}{'rho':>8}{'both yes':>10}{'both no':>9}")
    for each in found:
        console.say(
            f"{each.question:<22}{each.pairs:>6}{each.kappa:>8.3f}{each.rho:>8.3f}"
            f"{each.breaches:>10}{each.cleared:>9}"
        )
    return EXIT_DONE


def _measure(
    answers: Sequence[ReviewerAnswer], pairs: Path | None, console: Console
) -> dict[str, Any]:
    """Return what the gate reads of a review; no measurement where pairs lack an answer."""
    if pairs is None:
        return {"measured": []}
    known = read_known(pairs)
    measured = measure_review(answers, known.kinds, data=known.data, review=hash_file(pairs))
    if measured is None:
        console.warn("pairs lack one of their two answers: the gate takes the review as missing")
    found = [] if measured is None else [measured.to_json()]
    return {"manifest": known.manifest, "measured": found}


def _without_nan(each: Agreement) -> dict[str, Any]:
    """Return the fields; JSON has no NaN."""
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in asdict(each).items()
    }

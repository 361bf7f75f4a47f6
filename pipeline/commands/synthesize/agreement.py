"""`cryptonym synthesize agreement`: agreement of reviewers on pairs of notes."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from pipeline.commands.options.gate import add_signing, check_signing, write_signed
from pipeline.commands.options.output import add_output_format, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console
from pipeline.reports.review_pages import write_reasons
from pipeline.synthetic.measurements.review_answers import compare_answers, compare_soundness
from record.errors import ConfigError

DESCRIPTION = """\
Compares the answers of the two reviewers of every pair: Cohen's kappa and Spearman's rho for each
question, and the number of pairs that both consider a breach. With --pairs the result is measured
for `synthesize report`: which pairs any reviewer calls linked, and whether both see the copies that
are among them. The result has no text; --reasons shows what reviewers gave as their reasons.
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
    add(
        "--sound", type=Path, metavar="SOUND.jsonl",
        help="notes that `synthesize screen` wrote to be read for soundness; ANSWERS are those "
        "of the pages of `synthesize review --sound`",
    )  # fmt: skip
    add(
        "--reasons", type=Path, metavar="FILE.html",
        help="output page of what reviewers gave as their reasons, for the owner alone",
    )  # fmt: skip
    add_signing(parser)
    add_output_format(parser, json="JSON output only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Compare; returns the exit code."""
    if options.sound is not None:
        return _compare_soundness(options, console)
    if options.pairs is not None:
        check_signing(options, console)
    found = compare_answers(options.answers, options.pairs)
    if not found.is_whole:
        console.warn("pairs lack one of their two answers: the gate takes the review as missing")
    if options.output:
        write_signed(options.output, found.content, options)
    print_json(found.content, options)
    console.say(f"{'question':<22}{'pairs':>6}{'kappa':>8}{'rho':>8}{'both yes':>10}{'both no':>9}")
    for each in found.questions:
        console.say(
            f"{each.question:<22}{each.pairs:>6}{each.kappa:>8.3f}{each.rho:>8.3f}"
            f"{each.breaches:>10}{each.cleared:>9}"
        )
    console.say(f"{'question':<22}{'readers':<26}{'pairs':>6}{'kappa':>8}{'rho':>8}{'p':>8}")
    for two in found.readers:
        who = f"{two.one}, {two.other}"
        console.say(
            f"{two.question:<22}{who:<26}{two.pairs:>6}{two.kappa:>8.3f}{two.rho:>8.3f}{two.p:>8.3f}"
        )
    _write_reasons(options, found.reasons, console)
    return EXIT_DONE


def _write_reasons(
    options: argparse.Namespace, reasons: Sequence[object], console: Console
) -> None:
    if options.reasons:
        write_reasons(options.reasons, reasons, is_sound=options.sound is not None)
        console.say(
            f"wrote {options.reasons}: {len(reasons)} reasons in the reviewers' words; it "
            "stays inside"
        )


def _compare_soundness(options: argparse.Namespace, console: Console) -> int:
    if options.pairs is not None:
        problem = "cannot be combined with --sound"
        raise ConfigError("--pairs", problem, "compare the answers of the two one by one")
    check_signing(options, console)
    found = compare_soundness(options.answers, options.sound)
    if options.output:
        write_signed(options.output, found.content, options)
    print_json(found.content, options)
    if found.measured is None:
        console.warn("notes lack an answer: the gate takes their soundness as not measured")
    else:
        told = found.measured
        console.say(
            f"{told.name} {told.value:.4f} ({told.low:.4f} to {told.high:.4f}); real notes "
            f"{told.null:.4f}; p {told.detail['p']:.3f}"
        )
    _write_reasons(options, found.reasons, console)
    return EXIT_DONE

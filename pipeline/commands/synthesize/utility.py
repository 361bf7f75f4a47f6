"""`cryptonym synthesize utility`: what a tagger learns from synthetic notes."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from evaluation.gate import LEAST_F1
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.gate import add_signing, check_signing, write_signed
from pipeline.commands.options.output import MEASUREMENTS, add_output_format, print_json
from pipeline.commands.options.values import positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

if TYPE_CHECKING:
    from evaluation.utility.tagger_utility import Utility

DESCRIPTION = """\
Trains taggers on real notes, on synthetic notes and on both, and scores them on real notes of
other patients. For letters that `synthesize fill` wrote, taggers learn from one letter per source,
from two per source, and from the sources themselves. Of notes that `synthesize filter --agreement`
wrote, taggers learn from those that it left out, too. DIR gets utility.json, which `synthesize
report` reads, and the taggers. Rerun the same command to resume an interrupted comparison.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize utility filtered corpus -o utility --key master.key --max-minutes 10
  cryptonym synthesize utility filtered corpus -o utility --key master.key --encoder e5-small
  cryptonym synthesize report filtered --measured screened/screen.json utility/utility.json \\
      -o report --key master.key
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize utility`."""
    add = parser.add_argument
    add("synthetic", type=Path, metavar="SYNTHETIC", help="folder written by `generate` or `fill`")
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="output folder")
    add(
        "--encoder", default="bilstm", metavar="NAME",
        help="encoder, as for `train` (default bilstm)",
    )  # fmt: skip
    add(
        "--seeds", type=positive, default=3, metavar="N",
        help="number of trainings of each kind, at least 2 (default 3)",
    )  # fmt: skip
    add("--max-minutes", type=float, metavar="M", help="time limit of each training, in minutes")
    add("--epochs", type=positive, metavar="N", help="maximum number of epochs of each training")
    add(
        "--medical", action="store_true",
        help="also taggers of diseases, drugs and tests, by silver labels of public lists",
    )  # fmt: skip
    add_signing(parser)
    add_output_format(parser, json=MEASUREMENTS)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train and compare; returns the exit code."""
    check_signing(options, console)
    with models_extra("synthesize utility"):
        from pipeline.synthetic.measurements.tagger_utility import (
            FILLED_OVER_REAL,
            MEDICAL_OF_REAL,
            SCORES,
            UTILITY_UNFILTERED,
            UtilityRequest,
            measure_utility,
        )
    request = UtilityRequest(
        synthetic=options.synthetic,
        corpus=options.corpus,
        out=options.output,
        encoder=options.encoder,
        seeds=options.seeds,
        max_minutes=options.max_minutes,
        epochs=options.epochs,
        medical=options.medical,
    )
    with console.progress() as progress:
        result = measure_utility(request, progress)
    path = options.output / "utility.json"
    content = result.to_json()
    write_signed(path, content, options)
    print_json(content, options)
    for line in _table(result.utility, SCORES):
        console.say(line)
    share, *others = result.measured
    ratios = {
        MEDICAL_OF_REAL: "by words of medicine",
        UTILITY_UNFILTERED: "with the notes whose annotations disagree",
    }
    for each in others:
        if each.name in ratios:
            console.say(
                f"{ratios[each.name]} {each.value:.3f} ({each.low:.3f} to {each.high:.3f}) of the "
                "F1 of real ones"
            )
            continue
        console.say(f"{each.name:<20}{each.value:+.4f} ({each.low:+.4f} to {each.high:+.4f}) of F1")
    console.say(
        f"synthetic notes reach {share.value:.3f} ({share.low:.3f} to {share.high:.3f}) of the F1 "
        "of real ones"
    )
    if result.is_unlearnt:
        console.say(
            f"taggers of real notes have an F1 below {LEAST_F1:g}: {FILLED_OVER_REAL} is not "
            "measured; train them longer (--epochs), or on more notes"
        )
    console.say(f"wrote {path}; give it to `synthesize report`")
    return EXIT_DONE


def _table(utility: "Utility", scores: tuple[str, ...]) -> Iterator[str]:
    yield f"{'trained on':<14}{'precision':>10}{'recall':>10}{'F1':>10}"
    for setting in utility.counts:
        means = [fmean(utility.scores(setting, name)) for name in scores]
        yield f"{setting:<14}" + "".join(f"{mean:>10.4f}" for mean in means)

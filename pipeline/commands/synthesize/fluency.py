"""`cryptonym synthesize fluency`: whether synthetic notes read like real ones."""

import argparse
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.gate import add_signing, check_signing, write_signed
from pipeline.commands.options.output import MEASUREMENTS, add_output_format, print_json
from pipeline.commands.options.values import positive
from pipeline.commands.options.words import add_words
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.files.word_lists import word_list
from pipeline.reports.console import Console

DESCRIPTION = """\
Measures whether synthetic notes read like held-out real ones: words that do not exist, repetition
across notes, the form of identifiers, agreement of sex, age and dates within a note, the share of
notes that were left out, and with --model their perplexity under a model that did not write them.
FILE is read by `synthesize report`.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize fluency filtered corpus -o fluency.json --key master.key --words fr
  cryptonym synthesize fluency filtered corpus -o fluency.json --key master.key \\
      --words words.txt --model model-folder
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize fluency`."""
    add = parser.add_argument
    add("synthetic", type=Path, metavar="SYNTHETIC", help="folder written by `generate` or `fill`")
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="FILE", help="output file (JSON)")
    add_words(parser)
    add(
        "--model", type=Path, metavar="FOLDER",
        help="Hugging Face folder of a causal or masked language model that did not write the "
        "notes, for perplexity",
    )  # fmt: skip
    add(
        "--scored", type=positive, default=200, metavar="N",
        help="maximum number of notes of each kind read by --model (default 200)",
    )  # fmt: skip
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add_signing(parser)
    add_output_format(parser, json=MEASUREMENTS)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Measure; returns the exit code."""
    check_signing(options, console)
    with models_extra("synthesize fluency"):
        from pipeline.synthetic.measurements.fluency import FluencyRequest, measure_reading
    request = FluencyRequest(
        synthetic=options.synthetic,
        corpus=options.corpus,
        is_word=None if options.words is None else word_list(options.words),
        words=Path(options.words).name if options.words else "",
        model=options.model,
        scored=options.scored,
        seed=options.seed,
    )
    with console.progress() as progress:
        content = measure_reading(request, progress)
    write_signed(options.output, content, options)
    print_json(content, options)
    for each in content["measured"]:
        real = "" if each["null"] is None else f"; real notes {each['null']:.4f}"
        interval = f"{each['low']:.4f} to {each['high']:.4f}"
        console.say(f"{each['name']:<26}{each['value']:.4f} ({interval}){real}")
    console.say(f"wrote {options.output}; give it to `synthesize report`")
    return EXIT_DONE

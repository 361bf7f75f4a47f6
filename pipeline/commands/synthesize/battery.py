"""`cryptonym synthesize battery`: language quality of synthetic notes."""

import argparse
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.gate import add_signing, check_signing, write_signed
from pipeline.commands.options.output import MEASUREMENTS, add_output_format, print_json
from pipeline.commands.options.values import positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Learns three tasks from synthetic notes, from the real notes they come from, and from words drawn
by frequency alone, and tests them on other data: restoring capitals in real notes of other
patients; similarity of words, compared with human judgement; whether one sentence follows from
another. The last two need a file each. DIR gets battery.json, which `synthesize report` reads.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize battery synthetic corpus -o battery
  cryptonym synthesize battery synthetic corpus -o battery --word-pairs pairs.tsv \\
      --entailment train.jsonl test.jsonl

A line of --word-pairs is two words and a number, separated by tabs; or the file is a CSV table like
UMNSRS, with columns Term1, Term2 and Mean. Case is ignored. A line of --entailment is JSON with
sentence1, sentence2 and gold_label, as in SNLI.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize battery`."""
    add = parser.add_argument
    add("synthetic", type=Path, metavar="SYNTHETIC", help="folder written by `synthesize generate`")
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="output folder")
    add("--word-pairs", type=Path, metavar="FILE", help="word pairs with similarity scores")
    add(
        "--least", type=positive, default=20, metavar="N",
        help="minimum frequency of both words of a pair in the real notes (default 20)",
    )  # fmt: skip
    add(
        "--entailment", type=Path, nargs=2, metavar=("TRAIN", "TEST"),
        help="sentence pairs to train and test on",
    )  # fmt: skip
    add(
        "--characters", type=positive, default=1_000_000, metavar="N",
        help="number of characters that capitalization is learnt from; shorter text is repeated "
        "(default one million)",
    )  # fmt: skip
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add_signing(parser)
    add_output_format(parser, json=MEASUREMENTS)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Learn and compare; returns the exit code."""
    check_signing(options, console)
    with models_extra("synthesize battery"):
        from pipeline.synthetic.measurements.language_quality import LanguageTasks, measure_language
    tasks = LanguageTasks(
        word_pairs=options.word_pairs,
        least=options.least,
        entailment=tuple(options.entailment) if options.entailment else None,
        characters=options.characters,
        seed=options.seed,
    )
    with console.progress() as progress:
        found = measure_language(options.synthetic, options.corpus, tasks, progress)
    content = found.to_json()
    path = options.output / "battery.json"
    write_signed(path, content, options)
    print_json(content, options)
    for each in found.measured:
        console.say(
            f"{each.name:<20}{each.value:.4f} ({each.low:.4f} to {each.high:.4f}); "
            f"by frequency alone {each.null:.4f}, real notes {each.control:.4f}"
        )
    console.say(f"wrote {path}; give it to `synthesize report`")
    return EXIT_DONE

"""`cryptonym synthesize review`: pages on which reviewers compare pairs of notes."""

import argparse
from pathlib import Path

from pipeline.commands.options.output import add_output_format
from pipeline.commands.options.values import positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.signing import hash_file
from pipeline.reports.console import Console
from pipeline.reports.review_pages import (
    READERS,
    assign_pairs,
    read_pairs,
    read_sound,
    write_pages,
    write_sound_pages,
)
from record.errors import ConfigError

DESCRIPTION = """\
Writes a page for each reviewer with pairs of a synthetic note and the real note nearest to it.
Passages that both have are marked. Every pair goes to two reviewers; among the pairs are copies and
unrelated notes, to see whether they are told apart. The pages hold the notes: open them inside the
hospital, in any browser, offline. Each page saves a file of answers without any text.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize review screened/review.jsonl -o review --reviewers 4
  cryptonym synthesize agreement reviewer-1.json reviewer-2.json -o agreement.json \\
      --pairs screened/review.jsonl --key master.key
  cryptonym synthesize review screened/sound.jsonl --sound -o sound
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize review`."""
    add = parser.add_argument
    add(
        "pairs", type=Path, metavar="REVIEW.jsonl",
        help="pairs of notes written by `synthesize screen`; with --sound its sound.jsonl",
    )  # fmt: skip
    add(
        "-o", "--output", type=Path, required=True, metavar="DIR",
        help="output folder for the pages",
    )  # fmt: skip
    add(
        "--reviewers", type=positive, default=READERS, metavar="N",
        help=f"number of reviewers, at least {READERS} (default {READERS})",
    )  # fmt: skip
    add(
        "--seed", type=int, default=1, metavar="S",
        help="random seed for the order of pairs (default 1)",
    )  # fmt: skip
    add(
        "--sound", action="store_true",
        help="pages that ask of single notes, synthetic and real, whether they make medical sense",
    )  # fmt: skip
    add_output_format(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Write the pages; returns the exit code."""
    if options.reviewers < READERS:
        problem = f"must be at least {READERS}, not {options.reviewers}"
        raise ConfigError("--reviewers", problem, "every pair needs two reviewers")
    if options.sound:
        notes = read_sound(options.pairs)
        for path in write_sound_pages(
            options.output, notes, options.reviewers, seed=options.seed,
            review=hash_file(options.pairs),
        ):  # fmt: skip
            console.say(f"{path}: {len(notes)} notes")
        return EXIT_DONE
    piles = assign_pairs(read_pairs(options.pairs), options.reviewers, options.seed)
    pages = write_pages(options.output, piles, review=hash_file(options.pairs))
    for path, pile in zip(pages, piles, strict=True):
        console.say(f"{path}: {len(pile)} pairs")
    return EXIT_DONE

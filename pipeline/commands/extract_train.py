"""`cryptonym extract train`: training of the line classifier on your own pages."""

import argparse
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import add_output_format
from pipeline.commands.options.values import add_out, positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Retrains the line classifier (letterhead, body, footer ...) on your own pages: write them with
`extract --label-pages`, correct each `class`, then train. Requires torch.
"""
EXAMPLES = """\
example:
  cryptonym extract train pages.jsonl -o boxes.npz

Then set extraction.boxes in the configuration, or pass --boxes.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `extract train`."""
    parser.add_argument(
        "pages", type=Path, metavar="PAGES.jsonl", help="corrected pages of `--label-pages`"
    )
    add_out(parser, "BOXES.npz")
    parser.add_argument(
        "--steps",
        type=positive,
        default=1000,
        metavar="N",
        help="number of training steps (default 1000)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add_output_format(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train; returns the exit code."""
    with models_extra("extract train"):
        from pipeline.training.line_classifier import train_file
    with console.progress() as progress:
        scores = train_file(
            options.pages, options.output, progress, steps=options.steps, seed=options.seed
        )
    for name, value in scores.items():
        console.say(f"{name}: {value:.4f}")
    console.say(f"wrote {options.output}; set it as extraction.boxes, or give it as --boxes")
    return EXIT_DONE

"""`cryptonym train`: a tagger in the labels of your own notes."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Trains a tagger (a transformer with a conditional random field) in the labels of your own notes.
DIR is all that --model needs. Files may be of any format that `evaluate` reads. Needs torch and
transformers. An interrupted training goes on when the same command is run again.
"""
EXAMPLES = """\
examples:
  cryptonym train --train train.jsonl --dev dev.jsonl -o tagger --max-minutes 60
  cryptonym train --train a.jsonl b.jsonl --dev dev.jsonl -o tagger --label-map labels.toml
  cryptonym train --train train.jsonl --dev dev.jsonl -o student \
      --unannotated more.jsonl --teacher tagger-1 tagger-2
  cryptonym detect notes.jsonl -o found.jsonl --model tagger

Of several files each may be annotated with labels of its own: a label that no span of a file has
counts as unknown there, not as absent.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `train`; those left out keep what suits the encoder."""
    add = parser.add_argument
    add("--train", type=Path, nargs="+", required=True, metavar="FILE", help="to learn from")
    add(
        "--dev", type=Path, nargs="+", required=True, metavar="FILE",
        help="to select weights by: first by notes without a leak, then by F1",
    )  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="a new folder")
    add(
        "--unannotated", type=Path, nargs="+", metavar="FILE",
        help="to learn from what most of --teacher find in it",
    )  # fmt: skip
    add(
        "--teacher", type=Path, nargs="+", metavar="DIR",
        help="taggers that this command wrote, from other seeds or options",
    )  # fmt: skip
    add("--label-map", type=Path, metavar="M.toml", help="renames labels")
    add(
        "--encoder", default="e5-small", metavar="NAME",
        help="e5-small (default), e5-small-6 (half of its layers), tiny, tiny-LAYERSxWIDTH, "
        "bilstm (from nothing), or the folder of a HuggingFace model",
    )  # fmt: skip
    add("--max-minutes", type=float, metavar="M", help="fit the schedule into this time")
    add(
        "--epochs",
        type=int,
        metavar="N",
        help="at most; default 10, more of few notes; 30 from nothing",
    )
    add("--seed", type=int, metavar="S", help="default 1")
    add(
        "--head", choices=("single", "stacked", "softmax"),
        help="stacked: spans may nest; softmax: each word for itself, to compare; default single",
    )  # fmt: skip
    add("--convolution", action="store_true", default=None, help="let words see their neighbours")
    add("--window", type=int, default=254, metavar="N", help="most pieces; default 254")
    add("--context", type=int, default=32, metavar="N", help="pieces on each side; default 32")
    add("--vocabulary", type=int, default=40_000, metavar="N", help="most pieces; default 40000")
    add("--learn-embeddings", action="store_true", help="of pieces, too; they are kept by default")
    add("--encoder-rate", type=float, metavar="R", help="default 2e-4; more from nothing")
    add(
        "--step-tokens",
        type=int,
        metavar="N",
        help="pieces a step; default 2048",
    )
    add("--masked", type=float, metavar="S", help="share of pieces hidden; default 0.05")
    add("--augmented", type=float, metavar="S", help="share of notes changed; default 0")
    add(
        "--recall", type=float, metavar="C",
        help="what a missed word costs more than one found for nothing; default 0",
    )  # fmt: skip
    add("--patience", type=int, metavar="N", help="evaluations without a better one; default 5")
    add_speech(parser, json="print the scores as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train; gives the exit code."""
    with models_extra("train"):
        from pipeline.training.tagger import (
            order_of,
            train_files,
        )
    with console.progress() as progress:
        trained = train_files(order_of(options), progress)
    for warning in trained.warnings:
        console.warn(warning)
    scores = asdict(trained.scores)
    if options.json:
        sys.stdout.write(json.dumps(scores, sort_keys=True) + "\n")
    for name, value in scores.items():
        console.say(f"{name.replace('_', ' '):<10} {value:.4f}")
    console.say(f"energy     {trained.energy}, estimated")
    console.say(f"wrote {options.output}; give it to `detect` as --model")
    return EXIT_DONE

"""`cryptonym pretrain`: an encoder that has read your own notes, to train taggers from."""

import argparse
import json
import sys
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Goes on with the training of an encoder on your own notes, which nobody need have annotated: it
guesses words that are hidden. DIR is what `train --encoder` takes. Needs torch and transformers.
What was interrupted goes on when the same command is run again.
"""
EXAMPLES = """\
examples:
  cryptonym pretrain notes.jsonl -o encoder
  cryptonym train --train train.jsonl --dev dev.jsonl -o tagger --encoder encoder

NOTES is of any format that `evaluate` reads; spans in it are not used, and each text counts once.
Every twentieth note is not learnt from: the perplexity is of words hidden in these. DIR holds no
text and the encoder's whole vocabulary, but weights that learnt from notes: keep it as you keep
those.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `pretrain`."""
    add = parser.add_argument
    add("notes", type=Path, nargs="+", metavar="NOTES", help="such as the tagger will read")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="a new folder")
    add(
        "--encoder", default="e5-small", metavar="NAME",
        help="e5-small (default), e5-small-6, or the folder of a HuggingFace model",
    )  # fmt: skip
    add("--epochs", type=int, metavar="N", help="how often each note is read; default 2")
    add("--guessed", type=float, metavar="S", help="share of words hidden; default 0.15")
    add("--rate", type=float, metavar="R", help="of AdamW; default 1e-4")
    add("--seed", type=int, metavar="S", help="default 1")
    add("--step-tokens", type=int, metavar="N", help="pieces a step; default 4096")
    add("--window", type=int, default=254, metavar="N", help="most pieces; default 254")
    add_speech(parser, json="print the perplexities as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Pretrain; gives the exit code."""
    with models_extra("pretrain"):
        from pipeline.training.pretraining import (
            order_of,
            pretrain_files,
        )
    with console.progress() as progress:
        done = pretrain_files(order_of(options), progress)
    for warning in done.warnings:
        console.warn(warning)
    if options.json:
        sys.stdout.write(json.dumps({"perplexities": done.perplexities}) + "\n")
    before, after = done.perplexities[0], done.perplexities[-1]
    console.say(f"perplexity of hidden words in notes held out: {before:.1f} -> {after:.1f}")
    console.say(f"wrote {options.output}; give it to `train` as --encoder")
    return EXIT_DONE

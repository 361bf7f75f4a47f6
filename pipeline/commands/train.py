"""`cryptonym train`: training of a tagger on annotated notes."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import add_output_format
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Trains a tagger (a transformer with a conditional random field) on the labels of your own notes. Use
DIR as --model. Files may be in any format that `evaluate` reads. Requires torch and transformers.
Rerun the same command to resume an interrupted training.
"""
EXAMPLES = """\
examples:
  cryptonym train --train train.jsonl --dev dev.jsonl -o tagger --max-minutes 60
  cryptonym train --train a.jsonl b.jsonl --dev dev.jsonl -o tagger --label-map labels.toml
  cryptonym train --train train.jsonl --dev dev.jsonl -o student \\
      --unannotated more.jsonl --teacher tagger-1 tagger-2
  cryptonym detect notes.jsonl -o found.jsonl --model tagger

Files may be annotated with different label sets: a label without spans in a file counts as unknown
there, not as absent.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `train`; those left out keep what suits the encoder."""
    add = parser.add_argument
    add("--train", type=Path, nargs="+", required=True, metavar="FILE", help="training notes")
    add(
        "--dev", type=Path, nargs="+", required=True, metavar="FILE",
        help="development notes for model selection: by notes without a leak, then by F1",
    )  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new folder")
    add(
        "--unannotated", type=Path, nargs="+", metavar="FILE",
        help="unannotated notes, labelled by majority vote of --teacher",
    )  # fmt: skip
    add(
        "--teacher", type=Path, nargs="+", metavar="DIR",
        help="taggers written by this command with other seeds or options",
    )  # fmt: skip
    add("--label-map", type=Path, metavar="M.toml", help="label mapping")
    add(
        "--encoder", default="e5-small", metavar="NAME",
        help="e5-small (default), e5-small-6 (half of its layers), tiny, tiny-LAYERSxWIDTH, "
        "bilstm (from scratch), or a Hugging Face model folder",
    )  # fmt: skip
    add("--max-minutes", type=float, metavar="M", help="time budget; the schedule is fitted to it")
    add(
        "--epochs", type=int, metavar="N",
        help="maximum epochs (default 10, more for few notes, 30 from scratch)",
    )  # fmt: skip
    add("--seed", type=int, metavar="S", help="random seed (default 1)")
    add(
        "--head", choices=("single", "stacked", "softmax"),
        help="output layer: single CRF (default), stacked CRFs for nested spans, or softmax as a "
        "baseline",
    )  # fmt: skip
    add(
        "--convolution", action="store_true", default=None,
        help="convolution over neighbouring words",
    )  # fmt: skip
    add(
        "--window", type=int, default=254, metavar="N",
        help="maximum window length in tokens (default 254)",
    )  # fmt: skip
    add(
        "--context", type=int, default=32, metavar="N",
        help="context tokens on each side (default 32)",
    )  # fmt: skip
    add(
        "--vocabulary", type=int, default=40_000, metavar="N",
        help="maximum vocabulary size (default 40000)",
    )  # fmt: skip
    add(
        "--learn-embeddings",
        action="store_true",
        help="training of token embeddings too (default: frozen)",
    )
    add(
        "--encoder-rate", type=float, metavar="R",
        help="learning rate of the encoder (default 2e-4, higher from scratch)",
    )  # fmt: skip
    add(
        "--step-tokens", type=int, metavar="N",
        help="tokens per step (default 2048)",
    )  # fmt: skip
    add("--masked", type=float, metavar="S", help="share of masked tokens (default 0.05)")
    add("--augmented", type=float, metavar="S", help="share of augmented notes (default 0)")
    add(
        "--recall", type=float, metavar="C",
        help="extra cost of a false negative over a false positive (default 0)",
    )  # fmt: skip
    add(
        "--patience", type=int, metavar="N",
        help="evaluations without improvement before stopping (default 5)",
    )  # fmt: skip
    add_output_format(parser, json="print only the scores, as JSON")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Train; returns the exit code."""
    with models_extra("train"):
        from pipeline.training.tagger import order_of, train_files
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

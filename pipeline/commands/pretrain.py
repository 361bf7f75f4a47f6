"""`cryptonym pretrain`: continued pre-training of an encoder on unannotated notes."""

import argparse
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import add_output_format, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Continues pre-training an encoder on your own unannotated notes by masked language modelling. DIR is
what `train --encoder` takes. Requires torch and transformers. Rerun the same command to resume an
interrupted training.
"""
EXAMPLES = """\
examples:
  cryptonym pretrain notes.jsonl -o encoder
  cryptonym train --train train.jsonl --dev dev.jsonl -o tagger --encoder encoder

NOTES may be in any format that `evaluate` reads; spans are ignored and duplicate texts are used
once. Every twentieth note is held out to compute the perplexity. DIR holds no text, but weights
trained on notes: protect it as you protect the notes.
"""

_CHANGES = ("encoder", "epochs", "guessed", "learn_embeddings", "rate", "seed", "step_tokens")
"""Options that change the recipe where they are given."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `pretrain`."""
    add = parser.add_argument
    add(
        "notes", type=Path, nargs="+", metavar="NOTES",
        help="notes like those the tagger will process",
    )  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--encoder", default="e5-small", metavar="NAME",
        help="encoder to start from: e5-small (default), e5-small-6 (half of its layers), or a "
        "Hugging Face model folder",
    )  # fmt: skip
    add("--epochs", type=int, metavar="N", help="number of epochs (default 2)")
    add("--guessed", type=float, metavar="S", help="share of words to mask (default 0.15)")
    add("--rate", type=float, metavar="R", help="learning rate (default 1e-4)")
    add("--seed", type=int, metavar="S", help="random seed (default 1)")
    add("--step-tokens", type=int, metavar="N", help="batch size in tokens (default 4096)")
    add(
        "--window", type=int, default=254, metavar="N",
        help="maximum window length in tokens (default 254)",
    )  # fmt: skip
    add(
        "--learn-embeddings", action="store_true", default=None,
        help="training of token embeddings too, for large corpora; the changed ones show which "
        "tokens occur in the notes (default: frozen)",
    )  # fmt: skip
    add_output_format(parser, json="JSON perplexities only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Continue pre-training; returns the exit code."""
    with models_extra("pretrain"):
        from pipeline.training.pretraining import plan_pretraining, pretrain_files
    given = {name: getattr(options, name) for name in _CHANGES}
    changes = {name: value for name, value in given.items() if value is not None}
    request = plan_pretraining(options.notes, options.output, options.window, changes)
    with console.progress() as progress:
        done = pretrain_files(request, progress)
    for warning in done.warnings:
        console.warn(warning)
    print_json({"perplexities": done.perplexities}, options)
    before, after = done.perplexities[0], done.perplexities[-1]
    console.say(f"perplexity of masked words in held-out notes: {before:.1f} -> {after:.1f}")
    console.say(f"wrote {options.output}; give it to `train` as --encoder")
    return EXIT_DONE

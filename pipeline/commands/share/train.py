"""`cryptonym share train`: a de-identifier that learns from the vectors of several sites."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech, positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Pools the vectors that several sites shared and trains a de-identifier on them: a network that finds
identifiers in vectors of the same representer. No site's text is needed. Scores are those of tokens
on the vectors of --test, whatever the label; without it on those of --dev, which weights were
selected by. With --representer learning begins with the network in that folder, which reads the
same vectors already: it needs fewer epochs. An interrupted training goes on when the same command
is run again.
"""
EXAMPLES = """\
examples:
  cryptonym share train site-a site-b --dev ours-dev --test ours-test \\
      --representer representer -o deidentifier
  cryptonym share train site-a --dev ours-dev -o alone --epochs 10
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `share train`."""
    add = parser.add_argument
    add("shared", type=Path, nargs="+", metavar="SHARED", help="folders written by `share encode`")
    add(
        "--dev", type=Path, nargs="+", required=True, metavar="SHARED",
        help="vectors for the selection of weights",
    )  # fmt: skip
    add(
        "--test", type=Path, nargs="+", default=[], metavar="SHARED",
        help="vectors to score on (default: those of --dev)",
    )  # fmt: skip
    add(
        "--representer", type=Path, metavar="REPRESENTER",
        help=("representer that encoded the vectors, whose network training starts from (default: "
              "random weights)"),
    )  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--epochs",
        type=positive,
        default=20,
        metavar="N",
        help=("maximum number of epochs (default 20)"),
    )
    add(
        "--patience",
        type=positive,
        default=10,
        metavar="N",
        help=("number of epochs without improvement before training stops (default 10)"),
    )
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add_speech(parser, json="print the scores as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Pool and train; returns the exit code."""
    with models_extra("share train"):
        from models.private import deidentifier_training
        from models.training_loop import TrainingCallbacks
        from pipeline.sharing.encoding import kit_of
        from pipeline.sharing.pool import pool
        from pipeline.sharing.vectors import read_manifest
    start = None
    if options.representer:
        manifest = read_manifest(options.shared[0])
        start = kit_of(manifest, options.representer).deidentifier
    pooled = pool([*options.shared], options.dev, options.test)
    for warning in pooled.warnings:
        console.warn(warning)
    recipe = deidentifier_training.DeidentifierRecipe(
        labels=pooled.labels,
        epochs=options.epochs,
        patience=options.patience,
        seed=options.seed,
    )
    if start:
        recipe = recipe.for_fine_tuning(start)
    with console.progress() as progress:
        done = 0

        def evaluated(entry: Mapping[str, float]) -> None:
            nonlocal done
            done += 1
            losses = f"learnt {entry['train']:.4f}, dev {entry['dev']:.4f}"
            progress.phase(f"epoch {done} of {options.epochs}: {losses}")

        progress.phase("learning")
        scores = deidentifier_training.train_deidentifier(
            pooled.train,
            pooled.dev,
            recipe,
            options.output,
            TrainingCallbacks(evaluated=evaluated),
            start,
        )
        if pooled.test:
            deidentifier = deidentifier_training.load_deidentifier(options.output)
            scores = deidentifier_training.token_scores(deidentifier, pooled.test)
    told = {**asdict(scores), "sentences": len(pooled.train), "sites": len(options.shared)}
    if options.json:
        sys.stdout.write(json.dumps(told, sort_keys=True) + "\n")
    console.say(f"learnt from {len(pooled.train)} sentences of {len(options.shared)} files")
    for name, value in asdict(scores).items():
        console.say(f"{name:<10} {value:.4f}")
    console.say(f"wrote {options.output}")
    return EXIT_DONE
